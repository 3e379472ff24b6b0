package main

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func coverage(_ context.Context, t *tool.Tool) error {
	paths := pathFlags(t)
	passages := t.Flags.String("corpus", "data/corpus.jsonl", "`file` of the corpus' passages")
	asJSON := t.Flags.Bool("json", false, "one JSON object in place of the page")
	if err := t.Parse(false); err != nil {
		return err
	}
	c, err := readCorpus(t, *passages)
	if err != nil {
		return err
	}
	d, err := review.ReadData(*paths)
	if err != nil {
		return err
	}
	cover := review.Cover(c, d.Golden.Records, slices.Concat(d.Proposed.Records, d.NextPin.Records))
	if !*asJSON {
		return show(t, cover.Markdown())
	}
	text, err := json.Marshal(cover, json.Deterministic(true), jsontext.Multiline(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		return err
	}
	return show(t, string(text)+"\n")
}
