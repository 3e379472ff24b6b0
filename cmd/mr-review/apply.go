package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

// pathFlags are the flags that name the files of golden records.
func pathFlags(t *tool.Tool) *review.Paths {
	p := new(review.Paths)
	t.Flags.StringVar(&p.Golden, "golden", "data/golden.jsonl", "`file` of the golden set")
	t.Flags.StringVar(&p.Proposed, "proposed", "data/golden-proposed.jsonl", "`file` of proposed questions, which need not be there")
	t.Flags.StringVar(&p.NextPin, "next-pin", "data/golden-next-pin.jsonl", "`file` of those whose gold is newer than the pin, which need not be there")
	return p
}

// dryRunFlags are -n and -dry-run.
func dryRunFlags(t *tool.Tool) *bool {
	dry := t.Flags.Bool("n", false, "print what would change, and change nothing")
	t.Flags.BoolVar(dry, "dry-run", false, "the same as -n")
	return dry
}

// readCorpus reads the passages of a file.
func readCorpus(t *tool.Tool, name string) (*corpus.Corpus, error) {
	in, err := t.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.Wrap(err, "make corpus cuts it")
	}
	if err != nil {
		return nil, err
	}
	return corpus.Read(in)
}

func apply(_ context.Context, t *tool.Tool) error {
	paths := pathFlags(t)
	from := t.Flags.String("decisions", "review/decisions.json", "`file` of the rulings")
	passages := t.Flags.String("corpus", "", "`file` of the corpus' passages: refuse what names gold that it does not have")
	dry := dryRunFlags(t)
	if err := t.Parse(false); err != nil {
		return err
	}
	if _, err := os.Stat(*from); err != nil { // no rulings are no mistake, no file may be one
		return hint.Wrap(err, "mr-review golden makes it; -decisions names another")
	}
	decisions, err := review.Store{Path: *from}.Load()
	if err != nil {
		return err
	}
	var c *corpus.Corpus
	if *passages != "" {
		if c, err = readCorpus(t, *passages); err != nil {
			return err
		}
	}
	var applied *review.Applied
	open := review.Change
	if *dry {
		open = review.Look
	}
	err = open(*paths, func(d *review.Data) error {
		var err error
		if applied, err = review.Apply(d, decisions.Decisions, c); err != nil {
			return err
		}
		if err := show(t, applied.Diff()); err != nil || *dry {
			return err
		}
		return applied.Write()
	})
	if err != nil {
		return err
	}
	would := ""
	if *dry {
		would = "would be "
	}
	fmt.Fprintf(t.Stderr, "mr-review: %d of %d rulings %sapplied, %d were applied before, %d refused\n", len(applied.Done), len(decisions.Decisions),
		would, len(decisions.Decisions)-len(applied.Done)-len(applied.Refused), len(applied.Refused))
	for _, r := range applied.Refused {
		err = errors.Join(err, tool.Refuse(fmt.Errorf("question %q, %s by %s: %s", r.Decision.Question, r.Decision.Action, r.Decision.By, r.Reason)))
	}
	return err
}

// show prints before anything is written.
func show(t *tool.Tool, text string) error {
	if _, err := fmt.Fprint(t.Stdout, text); err != nil {
		return err
	}
	if out, ok := t.Stdout.(interface{ Flush() error }); ok {
		return out.Flush()
	}
	return nil
}
