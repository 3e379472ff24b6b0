package corpus

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// DefaultJSON is the default configuration, which suits Mobium's docs.
//
//go:embed default.json
var DefaultJSON []byte

// Config says which pages are cut, and how. In JSON, unknown keys are refused,
// and a key left out keeps its default.
//
// Globs match the whole path, without regard to case: * and ? stay within a name, ** crosses names, **/ matches any folders or none,
// a glob that ends in / matches everything below.
type Config struct {
	// Max is the greatest length of a passage, in characters (code points).
	Max int `json:"max"`
	// Extensions are the endings of the names that are pages in a repository. Documents are pages whatever their name.
	Extensions []string `json:"extensions"`
	// Include are globs; where there are any, a page must match one of them.
	Include []string `json:"include"`
	// Exclude are globs of pages to leave out.
	Exclude []string `json:"exclude"`
	// HeadingAttributes takes {#anchor} after a heading as its anchor, which GitHub does not.
	HeadingAttributes bool `json:"heading_attributes"`
	// Entries are the rules of numbered entries; the first that matches counts.
	Entries []EntryRule `json:"entries"`
}

// EntryRule gives the headings of a log (of defects, decisions…) ids of their
// own: of the pages that match the glob Path, each heading whose text matches
// the regular expression Pattern (and whose level is Level, where that is not
// 0) has the id ID, in which $1 or ${name} stand for the groups of the match.
type EntryRule struct {
	Path    string `json:"path"`
	Level   int    `json:"level,omitzero"`
	Pattern string `json:"pattern"`
	ID      string `json:"id"`
}

// Default is the configuration in DefaultJSON.
func Default() Config {
	c, err := ParseConfig("default.json", DefaultJSON)
	if err != nil {
		panic("corpus: internal error: " + err.Error())
	}
	return c
}

// ReadConfig reads a configuration file over the default; no name is the default.
func ReadConfig(name string) (Config, error) {
	if name == "" {
		return Default(), nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Config{}, err
	}
	return ParseConfig(name, data)
}

// ParseConfig reads a configuration over the default. Name is for messages.
func ParseConfig(name string, data []byte) (Config, error) {
	var c Config
	if err := json.Unmarshal(DefaultJSON, &c, json.RejectUnknownMembers(true)); err != nil {
		panic("corpus: internal error: default.json: " + err.Error())
	}
	if err := json.Unmarshal(data, &c, json.RejectUnknownMembers(true)); err != nil {
		return Config{}, hint.Wrap(fmt.Errorf("%s:%d: %w", name, lineOf(data, err), err),
			"mr-cut -show-config prints the default with every key")
	}
	if _, err := New(c); err != nil {
		return Config{}, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// lineOf is the line of an error in JSON.
func lineOf(data []byte, err error) int {
	var offset int64
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		offset = syntactic.ByteOffset
	case errors.As(err, &semantic):
		offset = semantic.ByteOffset
	}
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// SHA256 identifies what the configuration says, wherever it came from.
func (c Config) SHA256() string {
	b, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		panic("corpus: internal error: " + err.Error())
	}
	return sum(b)
}

// A Cutter cuts pages. It may be used by several goroutines at once.
type Cutter struct {
	config  Config
	include []*regexp.Regexp
	exclude []*regexp.Regexp
	entries []entryRule
	parser  *parser
}

type entryRule struct {
	EntryRule
	path    *regexp.Regexp
	pattern *regexp.Regexp
}

// New returns a cutter, or what is wrong with the configuration.
func New(c Config) (*Cutter, error) {
	var errs []error
	if c.Max < 1 {
		errs = append(errs, fmt.Errorf("max: expected a number of characters from 1, got %d", c.Max))
	}
	cut := &Cutter{config: c, parser: newParser(c.HeadingAttributes)}
	globs := func(key string, list []string) (out []*regexp.Regexp) {
		for _, g := range list {
			if g == "" || !utf8.ValidString(g) {
				errs = append(errs, fmt.Errorf("%s: expected a glob in UTF-8, got %q", key, g))
				continue
			}
			out = append(out, glob(g))
		}
		return out
	}
	cut.include = globs("include", c.Include)
	cut.exclude = globs("exclude", c.Exclude)
	for i, e := range c.Entries {
		r, err := newEntryRule(e)
		if err != nil {
			errs = append(errs, fmt.Errorf("entries: rule %d: %w", i+1, err))
			continue
		}
		cut.entries = append(cut.entries, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return cut, nil
}

func newEntryRule(e EntryRule) (entryRule, error) {
	if !utf8.ValidString(e.Path) || e.Path == "" || e.Pattern == "" || e.ID == "" {
		return entryRule{}, errors.New("path (a glob in UTF-8), pattern and id must be given")
	}
	if e.Level < 0 || e.Level > 6 {
		return entryRule{}, fmt.Errorf("level: expected 1 to 6, or 0 for any, got %d", e.Level)
	}
	re, err := regexp.Compile(e.Pattern)
	if err != nil {
		return entryRule{}, err
	}
	return entryRule{e, glob(e.Path), re}, nil
}
