package main

import (
	"context"
	"errors"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/index/indexstage"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

func build(ctx context.Context, t *tool.Tool) (err error) {
	cfg := index.DefaultConfig()
	dir := indexFlag(t)
	analysis := t.Flags.String("analysis", string(cfg.Analysis), "how BM25 takes text to terms: en (English stop words and stems), or en-parts for the parts of identifiers too")
	headings := t.Flags.String("context", string(cfg.Context), "what stands in front of a passage's text for BM25: none, or trail for its headings")
	useLate := t.Flags.String("late", "auto", "make token vectors: on, off, or auto where the passages have vectors")
	lateHeadings := t.Flags.String("late-context", string(cfg.LateContext), "what stands in front of a passage's text for late interaction: none or trail")
	batch := t.Flags.Int("batch", 1000, "passages analysed at a time; more take more memory, and no score depends on it")
	timing := t.Flags.Bool("timing", false, "write a stream with a timing record")
	where := newModelFlags(t)
	if err := t.Parse(true); err != nil {
		return err
	}
	cfg.Analysis, cfg.Batch = index.Analysis(*analysis), *batch
	cfg.Context, cfg.LateContext = embed.Context(*headings), embed.Context(*lateHeadings)
	switch err := cfg.Analysis.Validate(); {
	case err != nil:
		return tool.Misusef("-analysis: %w", err)
	case !isContext(cfg.Context) || !isContext(cfg.LateContext):
		return tool.Misusef("-context and -late-context: expected none or trail, got %q and %q", *headings, *lateHeadings)
	case *useLate != "auto" && *useLate != "on" && *useLate != "off":
		return tool.Misusef("-late: expected auto, on or off, got %q", *useLate)
	case *batch < 1:
		return tool.Misusef("-batch: expected 1 or more, got %d", *batch)
	}

	c, err := cache.Open(*where.cache, func(err error) { t.Warnf("%v", err) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var enc *late.Encoder
	b := &indexstage.Build{Dir: *dir, Config: cfg, Timing: *timing}
	b.Encoder = func(vectors bool) (index.Encoder, error) {
		if *useLate == "off" || *useLate == "auto" && !vectors {
			return nil, nil
		}
		var err error
		if enc, err = where.encoder(c, ""); err != nil {
			return nil, hint.Wrap(err, "%s; or build without late interaction: -late off", hint.Of(err))
		}
		return enc, nil
	}
	defer func() {
		if enc != nil {
			err = errors.Join(err, enc.Close())
		}
	}()
	b.Text = func() { t.Warnf("the passages have no vectors: this index is for BM25 alone") }
	tick, done := t.Progress("passages")
	defer done()
	b.Config.Tick, b.Config.Warn = tick, func(err error) { t.Warnf("%v", err) }
	b.Config.Run = t.Provenance("index", "models", "cache", "batch", "timing")
	return t.Filter(ctx, b.Stream)
}

func isContext(c embed.Context) bool { return c == embed.NoContext || c == embed.TrailContext }
