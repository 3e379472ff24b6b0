package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Set is the pages of a corpus, as a source gives them.
type Set struct {
	// Commit is that of the repository, or the sha256 of the documents.
	Commit record.Commit
	// Pages are in order of path, each path once.
	Pages []Page
	// Inputs are the runs of the streams the documents came in.
	Inputs []*record.Run
	// Notes say what was left out that a user may miss.
	Notes []string
}

// Cut cuts every page, in order. It fails where any page is bad (each is
// named), where two passages would have one id, and where nothing is left.
func (c *Cutter) Cut(set *Set) ([]*record.Passage, error) {
	var all []*record.Passage
	var errs []error
	seen := map[record.PassageID]*record.Passage{}
	for _, page := range set.Pages {
		passages, err := c.CutPage(page)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, p := range passages {
			p.Commit = set.Commit
			if q := seen[p.ID]; q != nil {
				errs = append(errs, hint.Wrap(fmt.Errorf("%s:%d: the id %s is also that of %s:%d", p.Path, p.Lines[0], p.ID, q.Path, q.Lines[0]),
					"the id of a rule in \"entries\" must hold for one page alone"))
			}
			seen[p.ID] = p
		}
		all = append(all, passages...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, hint.Wrap(fmt.Errorf("the corpus is empty: %d pages, without text to cut", len(set.Pages)),
			"are the pages .md files at that commit, and do -include and -exclude leave any in")
	}
	return all, nil
}

// CutPage cuts one page. The passages carry no commit.
func (c *Cutter) CutPage(page Page) ([]*record.Passage, error) {
	if err := page.check(); err != nil {
		return nil, err
	}
	p := c.parse(page)
	var out []*record.Passage
	for _, s := range c.sections(page.Path, p) {
		if err := checkID(s.id); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", page.where(), s.first+1, err)
		}
		spans := p.split(s.first, s.last, c.config.Max, s.headed)
		for i, part := range spans {
			id := record.PassageID(s.id)
			if len(spans) > 1 {
				id += record.PassageID("~" + strconv.Itoa(i+1))
			}
			text := p.src[part.start:part.end]
			out = append(out, &record.Passage{
				ID: id, Section: s.id, Path: page.Path,
				Heading: s.heading, Headings: s.trail,
				Lines: [2]int{part.first + 1, part.last + 1},
				Text:  string(text), SHA256: sum(text),
			})
		}
	}
	return out, nil
}

// section is a run of lines under one heading.
type section struct {
	id          record.SectionID
	heading     string
	trail       []string
	headed      bool // false for the text before the first heading
	first, last int  // lines from 0
}

// sections lists the sections of a page in order, among them that of the text
// before the first heading, which may have no lines.
func (c *Cutter) sections(path string, p *parsed) []section {
	anchors := slugger{"": 0} // path# is taken
	entries := slugger{}
	out := []section{{id: record.SectionID(path + "#")}}
	var trail []heading
	for _, h := range p.headings {
		anchor := anchors.unique(h.anchor)
		if h.nested {
			continue
		}
		for len(trail) > 0 && trail[len(trail)-1].level >= h.level {
			trail = trail[:len(trail)-1]
		}
		trail = append(trail, h)
		s := section{
			id:      record.SectionID(path + "#" + anchor),
			heading: h.text, trail: texts(trail), headed: true, first: h.line,
		}
		if id := c.entryID(path, h); id != "" {
			s.id = record.SectionID(entries.unique(id))
		}
		out[len(out)-1].last = h.line - 1
		out = append(out, s)
	}
	out[len(out)-1].last = len(p.starts) - 1
	return out
}

func texts(trail []heading) []string {
	var out []string
	for _, h := range trail {
		if h.text != "" {
			out = append(out, h.text)
		}
	}
	return out
}

// entryID is the id that the rules give a heading, or "".
func (c *Cutter) entryID(path string, h heading) string {
	for _, rule := range c.entries {
		if !rule.path.MatchString(path) || rule.Level != 0 && rule.Level != h.level {
			continue
		}
		if m := rule.pattern.FindStringSubmatchIndex(h.text); m != nil {
			return string(rule.pattern.ExpandString(nil, rule.ID, h.text, m))
		}
	}
	return ""
}

var partSuffix = regexp.MustCompile(`~[0-9]+$`)

// checkID refuses an id that would read as that of a part, or break a line.
// Slugs never do; what a rule or an explicit anchor gives may.
func checkID(id record.SectionID) error {
	if partSuffix.MatchString(string(id)) || strings.ContainsFunc(string(id), unicode.IsControl) {
		return hint.Wrap(fmt.Errorf("the section id %q ends like a part's (~1) or holds a control character", id),
			"change the anchor, or the rule in \"entries\"")
	}
	return nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
