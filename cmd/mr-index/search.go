package main

import (
	"context"
	"errors"
	"flag"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/index/indexstage"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

// systems are the names that hits have by default, by mode.
var systems = map[string]record.SystemName{"hybrid": "hybrid", "vector": "bi-encoder", "bm25": "bm25", "late": "late-interaction"}

// searchFlags are the flags of mr-index search before they are made sense of.
type searchFlags struct {
	mode, legs, method, system, fields, scoring, padding, commit string

	opts index.Options
	bm25 index.BM25
}

func (f *searchFlags) define(t *tool.Tool) {
	f.opts, f.bm25 = index.DefaultOptions(), index.DefaultBM25()
	t.Flags.StringVar(&f.mode, "mode", "hybrid", "hybrid, vector, bm25 or late")
	t.Flags.StringVar(&f.legs, "legs", fuse.Format(f.opts.Fusion.Terms), "what hybrid stands on: `legs` bm25, vector, late, each with =weight where that is not 1")
	t.Flags.StringVar(&f.method, "method", string(f.opts.Fusion.Method), "`way` to fuse: zscore, minmax, rrf or section-rrf")
	t.Flags.Float64Var(&f.opts.Fusion.K, "rrf-k", f.opts.Fusion.K, "what is added to a rank in rrf and section-rrf")
	t.Flags.IntVar(&f.opts.K, "k", f.opts.K, "hits a question")
	t.Flags.IntVar(&f.opts.Depth, "depth", f.opts.Depth, "candidates a leg; at least -k are taken")
	t.Flags.BoolVar(&f.opts.Complete, "complete", f.opts.Complete, "every leg scores every candidate, not only its own")
	t.Flags.IntVar(&f.opts.LateCandidates, "late-candidates", f.opts.LateCandidates, "late interaction scores as many candidates of each other leg; 0 is all passages")
	t.Flags.StringVar(&f.padding, "late-padding", string(late.Masked), "how short questions are filled up: masked, attended or none")
	t.Flags.StringVar(&f.system, "system", "", "`name` of the system in the hits (default by mode: hybrid, bi-encoder, bm25, late-interaction)")
	t.Flags.Float64Var(&f.bm25.K1, "k1", f.bm25.K1, "BM25: how fast further occurrences of a term count for less")
	t.Flags.Float64Var(&f.bm25.B, "b", f.bm25.B, "BM25: how far long passages count for less, 0 to 1")
	t.Flags.StringVar(&f.fields, "fields", "text", "BM25: `fields` text, headings, path, each with =boost where that is not 1")
	t.Flags.StringVar(&f.scoring, "scoring", string(f.bm25.Scoring), "BM25: okapi, or bleve for bleve's own formula")
	t.Flags.StringVar(&f.commit, "commit", "", "refuse an index of another `commit`; 7 digits or more of it will do")
}

// parse makes sense of the flags.
func (f *searchFlags) parse(t *tool.Tool) error {
	name, ok := systems[f.mode]
	if !ok {
		return tool.Misusef("-mode: expected hybrid, vector, bm25 or late, got %q", f.mode)
	}
	given := map[string]bool{}
	t.Flags.Visit(func(fl *flag.Flag) { given[fl.Name] = true })
	if f.mode != "hybrid" && (given["legs"] || given["method"]) {
		return tool.Misusef("-legs and -method are for -mode hybrid: %s is one leg alone", f.mode)
	}
	if f.system == "" {
		f.system = string(name)
	}
	legs := f.legs
	if f.mode != "hybrid" {
		legs = f.mode
	}
	f.opts.Fusion.Method, f.bm25.Scoring = fuse.Method(f.method), index.Scoring(f.scoring)
	var err error
	if f.opts.Fusion.Terms, err = fuse.Parse(legs); err != nil {
		return tool.Misusef("-legs: %w", err)
	}
	if f.bm25.Fields, err = index.ParseFields(f.fields); err != nil {
		return tool.Misusef("-fields: %w", err)
	}
	if _, err := late.ParsePadding(f.padding); err != nil {
		return tool.Misusef("-late-padding: %w", err)
	}
	if err := errors.Join(f.opts.Validate(), f.bm25.Validate()); err != nil {
		return tool.Misusef("%w", err)
	}
	return nil
}

func search(ctx context.Context, t *tool.Tool) (err error) {
	var f searchFlags
	dir := indexFlag(t)
	f.define(t)
	timing := t.Flags.Bool("timing", false, "write timing records at the end of each stream: load, and the seconds of each question")
	where := newModelFlags(t)
	if err := t.Parse(true); err != nil {
		return err
	}
	if err := f.parse(t); err != nil {
		return err
	}
	start := time.Now()
	x, err := index.Open(*dir, f.bm25)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if f.commit != "" {
		if err := x.Manifest().CheckCommit(record.Commit(f.commit)); err != nil {
			return err
		}
	}
	s := &index.Searcher{Engine: x, System: record.SystemName(f.system), Options: f.opts}
	if x.Manifest().Late != nil && s.Stands(index.LegLate) {
		c, err := cache.Open(*where.cache, func(err error) { t.Warnf("%v", err) })
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		enc, err := where.encoder(c, late.Padding(f.padding))
		if err != nil {
			s.NoEncoder = err
		} else {
			s.Encoder = enc
			defer func() { err = errors.Join(err, enc.Close()) }()
		}
	}
	tick, done := t.Progress("questions")
	defer done()
	run := t.Provenance("index", "models", "cache", "timing", "commit")
	run.Flags["system"], run.Flags["legs"] = f.system, fuse.Format(f.opts.Fusion.Terms)
	st := &indexstage.Search{Searcher: s, Run: run, Timing: *timing, Load: time.Since(start), Tick: tick}
	err = t.Filter(ctx, st.Stream)
	if n, why := st.Fallbacks(); n > 0 {
		t.Warnf("%d questions were answered by BM25 alone: %s", n, why)
	}
	return err
}
