// Mr-cut cuts Markdown docs into passages, one JSON record a line: from a git
// repository at a pinned commit, from document records, or from the docs of
// this project that are embedded in the program.
//
//	mr-cut -repo DIR > corpus.jsonl            # at the commit in corpus.pin
//	mr-cut -repo DIR -pin v1.2 > corpus.jsonl  # at a tag, a branch or a sha
//	mr-cut < docs.jsonl > corpus.jsonl         # document records
//	mr-cut -embedded > corpus.jsonl            # the docs of this project
//
// In: without -repo and -embedded, document records: {"type":"document",
// "path":…, "text":…}, each path once, in any order.
//
// Out: passage records in order of path and place. Their commit is the full id
// of the repository's, or the sha256 of the set of documents. With -timing, the
// seconds it took.
//
// A repository is read from git's object store, never from its work tree: what
// is not committed does not count, and nothing its config names is run. DIR may
// be bare, or any folder inside of a work tree. The pin is resolved to one
// commit; one that could mean two is refused.
//
// A section runs from one heading to the next, and has the anchor GitHub gives
// it: docs/SETUP.md#parallel-runs. Text before the first heading is
// docs/SETUP.md#. A numbered entry has the id its rule gives it: CHALLENGES#105.
// A section over -max characters is cut into parts ~1, ~2… at the borders of
// paragraphs, list items and table rows. go doc ./pkg/corpus has every rule.
//
// The configuration (JSON; -show-config prints the default) says what is a
// page, which are left out (licenses, notices, client code, test data), and the
// rules of numbered entries. A key left out keeps its default.
//
// Examples:
//
//	mr-cut -repo ~/mobium-public -include 'docs/**' | jq -r 'select(.type=="passage") | .id'
//	jq -nc --rawfile t notes.md '{type:"document",path:"notes.md",text:$t}' | mr-cut
//	mr-cut -show-config > cut.json; mr-cut -config cut.json -repo .  # after editing it
//
// Exit codes: 0 done; 1 failed: no repository, an unknown or ambiguous pin, a
// page that is not UTF-8, no page at all (each bad page is named, and nothing is
// written); 2 misuse.
package main

import (
	"context"
	_ "embed"
	"flag"
	"strconv"
	"strings"

	mobiumrag "github.com/mobiumdev/mobium-rag"
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/gitstore"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-cut", source, run) }

func run(ctx context.Context, t *tool.Tool) error {
	repo := t.Flags.String("repo", "", "`folder` of the git repository to read")
	pin := t.Flags.String("pin", "corpus.pin", "`revision` to read, or a file that holds it")
	embedded := t.Flags.Bool("embedded", false, "cut the docs embedded in this program")
	config := t.Flags.String("config", "", "`file` of the configuration")
	limit := t.Flags.Int("max", 0, "greatest length of a passage in `characters`, in place of the configuration's 1800")
	include := t.Flags.String("include", "", "`globs`, separated by commas: cut these pages alone, in place of the configuration's include")
	exclude := t.Flags.String("exclude", "", "`globs`, separated by commas: leave these out, too")
	show := t.Flags.Bool("show-config", false, "print the default configuration and exit")
	timing := t.Flags.Bool("timing", false, "add timing records")
	if err := t.Parse(true); err != nil {
		return err
	}
	set := map[string]bool{}
	t.Flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	switch {
	case *repo != "" && *embedded:
		return tool.Misusef("-repo and -embedded are two sources: give one")
	case set["repo"] && *repo == "":
		return tool.Misusef("-repo is empty: name the folder of a git repository")
	case set["pin"] && *repo == "":
		return tool.Misusef("-pin needs -repo")
	case set["max"] && *limit < 1:
		return tool.Misusef("-max: expected a number of characters from 1, got %d", *limit)
	case (*repo != "" || *embedded) && t.Flags.NArg() > 0:
		return tool.Misusef("unexpected argument %q: with -repo or -embedded no files are read", t.Flags.Arg(0))
	case *show:
		_, err := t.Stdout.Write(corpus.DefaultJSON)
		return err
	}
	c, err := corpus.ReadConfig(*config)
	if err != nil {
		return err
	}
	if *limit > 0 {
		c.Max = *limit
	}
	if *include != "" {
		c.Include = strings.Split(*include, ",")
	}
	if *exclude != "" {
		c.Exclude = append(c.Exclude, strings.Split(*exclude, ",")...)
	}
	cutter, err := corpus.New(c)
	if err != nil {
		return err
	}
	job := &corpus.Job{Cutter: cutter, Source: cutter.Documents(), Warn: t.Warnf, Timing: *timing}
	job.Run = t.Provenance("repo", "pin", "config", "show-config", "timing")
	job.Run.Flags["config"], job.Run.Flags["max"] = "sha256:"+c.SHA256(), strconv.Itoa(c.Max)
	switch {
	case *embedded:
		job.Source = cutter.FS(mobiumrag.Docs)
	case *repo != "":
		revision, err := gitstore.Pin(*pin)
		if err != nil {
			return err
		}
		job.Run.Flags["pin"] = revision
		job.Source = cutter.Git(*repo, revision)
	}
	return t.Filter(ctx, job.Stream)
}
