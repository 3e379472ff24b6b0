package main

import (
	"context"
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func repin(_ context.Context, t *tool.Tool) error {
	paths := pathFlags(t)
	from := t.Flags.String("from", "data/corpus.jsonl", "`file` of the passages at the pin as it is")
	to := t.Flags.String("to", "", "`file` of the passages at the pin as it shall be")
	reopen := t.Flags.Bool("reopen", false, "make reviewed questions whose gold changed or vanished drafts again, in the golden set")
	dry := dryRunFlags(t)
	if err := t.Parse(false); err != nil {
		return err
	}
	if *to == "" {
		return tool.Misusef("expected -to: the passages at the new pin")
	}
	old, err := readCorpus(t, *from)
	if err != nil {
		return err
	}
	now, err := readCorpus(t, *to)
	if err != nil {
		return err
	}
	var move *review.Move
	open := review.Change
	if *dry {
		open = review.Look
	}
	err = open(*paths, func(d *review.Data) error {
		var err error
		if move, err = review.Repin(old, now, d, *reopen); err != nil {
			return err
		}
		if err := show(t, move.Markdown()); err != nil || *dry {
			return err
		}
		return move.Write()
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stderr, "mr-review: %d questions keep their gold, %d do not: see the report\n", move.Kept, len(move.Questions))
	return nil
}
