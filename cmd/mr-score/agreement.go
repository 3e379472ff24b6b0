package main

import (
	"context"
	"io"
	"os"

	"github.com/mobiumdev/mobium-rag/pkg/tool"
	judged "github.com/mobiumdev/mobium-rag/pkg/verdict"
)

func agreement(ctx context.Context, t *tool.Tool) error {
	var labels []string
	t.Flags.Func("labels", "`file` of a person's labels; repeat for more", func(name string) error {
		labels = append(labels, name)
		return nil
	})
	permutations := t.Flags.Int("permutations", 1000, "of labels, for the control")
	seed := t.Flags.Uint64("seed", 1, "of the permutations")
	if err := t.Parse(true); err != nil {
		return err
	}
	if *permutations < 100 {
		return tool.Misusef("-permutations: expected 100 or more, got %d", *permutations)
	}
	g := &judged.Agreement{Permutations: *permutations, Seed: *seed, Warn: t.Warnf, Run: t.Provenance("labels")}
	if err := g.Load(labels, func(name string) (io.ReadCloser, error) { return os.Open(name) }); err != nil {
		return err
	}
	in, err := t.Input()
	if err != nil {
		return err
	}
	return verdict(g.Stream(ctx, in, t.Output()))
}
