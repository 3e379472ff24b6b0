package main

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/grade"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func answers(ctx context.Context, t *tool.Tool) error {
	gold := t.Flags.String("golden", "", "`file` of golden records")
	passages := t.Flags.String("corpus", "", "`file` of the corpus' passages")
	unit := t.Flags.String("unit", "section", "what gold names and citations fold to: section, or page for its path, which needs -corpus")
	draws := t.Flags.Int("draws", 1000, "random answers a question for the controls")
	seed := t.Flags.Uint64("seed", 1, "of the random answers")
	if err := t.Parse(true); err != nil {
		return err
	}
	f := grade.Files{Golden: *gold, Corpus: *passages, Unit: golden.Unit(*unit), Open: t.Open}
	g := &grade.Answers{Draws: *draws, Seed: *seed, Warn: t.Warnf, Run: t.Provenance("golden", "corpus")}
	if err := g.Validate(f); err != nil {
		return tool.Misusef("%w", err)
	}
	if err := g.Load(f); err != nil {
		return err
	}
	in, err := t.Input()
	if err != nil {
		return err
	}
	return verdict(g.Stream(ctx, in, t.Output()))
}
