package main

import (
	"context"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func labels(ctx context.Context, t *tool.Tool) error {
	n := t.Flags.Int("n", 20, "answers to draw")
	seed := t.Flags.Uint64("seed", 1, "of the draw")
	oversample := t.Flags.String("oversample", "", "doubtful: draw half of the answers from those in doubt")
	verdicts := t.Flags.String("verdicts", "", "`file` of judges' verdicts, whose readings can be opened")
	blind := t.Flags.Bool("blind", false, "no judge's readings at all")
	to := t.Flags.String("labels", "review/labels.json", "`file` of the labels")
	by := t.Flags.String("by", reviewweb.GitName(ctx), "your `name`, as labels carry it")
	s := serverFlags(t)
	if err := t.Parse(true); err != nil {
		return err
	}
	switch {
	case *n < 1:
		return tool.Misusef("-n: expected 1 or more, got %d", *n)
	case *oversample != "" && *oversample != "doubtful":
		return tool.Misusef("-oversample: expected doubtful, got %q", *oversample)
	case *blind && *verdicts != "" && *oversample == "":
		return tool.Misusef("-blind shows no readings: leave -verdicts away")
	}
	in, err := inputs(t, "data/answers.jsonl")
	if err != nil {
		return err
	}
	answers, err := reviewweb.ReadAnswers(in)
	if err != nil {
		return err
	}
	site := &reviewweb.Labels{All: answers, Blind: *blind, Store: label.Store{Path: *to}, By: *by, Now: time.Now}
	var read []*record.Verdict
	if *verdicts != "" {
		if in, err = t.Open(*verdicts); err != nil {
			return err
		}
		if read, err = reviewweb.ReadVerdicts(in); err != nil {
			return err
		}
	}
	if !*blind {
		site.Verdicts = read
	}
	sampling := review.Sampling{N: *n, Seed: *seed}
	if *oversample != "" {
		sampling.Doubtful = review.Doubt(answers, read)
	}
	if site.Drawn, err = review.Draw(answers, sampling); err != nil {
		return err
	}
	handler, err := site.Handler()
	if err != nil {
		return err
	}
	return s.serve(ctx, t, handler)
}

// inputs are the files named after the flags, else the usual one: nobody pipes
// into a program that is waited for in a browser.
func inputs(t *tool.Tool, usual string) (*record.Reader, error) {
	if t.Flags.NArg() > 0 {
		return t.Input()
	}
	return t.Open(usual)
}
