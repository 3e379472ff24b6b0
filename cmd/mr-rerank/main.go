// Mr-rerank orders the hits of each question anew: the cross-encoder reads
// question and passage together, and its score is fused with those of the
// stages that found the passage.
//
//	mr-index search … | mr-rerank > reranked.jsonl
//
// In: hits records. Each hit carries its text, and the score and rank that each
// stage gave it. Timing records pass; any other type is an error.
//
// Out: the same hits in their new order, every one of them, under the name
// -system. Hits that were scored have "cross-encoder" among their stages: the
// raw logit, and the rank among those scored. Every other field, known or not,
// stays; so does "fallback". The run record names the models with their sha256.
//
// The first -depth hits are scored and fused; the others follow in the order
// they have, each with a score one below the one before. -fuse names the stages
// that have a say, with weights: bm25, vector and late come with the hits,
// cross-encoder is computed here if it is named, and late is with -late. Where
// cross-encoder is not named and -late not given, no model is needed.
//
// The methods:
//
//	zscore       sum of weight × (score − mean) / deviation, over the hits fused
//	minmax       sum of weight × (score − min) / (max − min)
//	rrf          sum of weight / (k + rank)
//	section-rrf  rrf over sections, each at the rank of its best part
//	last         the order of one stage
//
// In zscore and minmax a stage that did not score a hit counts as its lowest
// score; in rrf it adds nothing.
//
// Scores are kept in the cache, where any number of processes share them. A
// score depends on question, headings and text alone: on one type of CPU the
// same input gives the same bytes, whatever the number of cores and the cache.
// With -timing questions run one after another, and a timing record at the end
// of each stream holds the seconds of each.
//
// Examples:
//
//	mr-rerank < hits.jsonl | jq -c 'select(.type=="hits") | .hits[0].section'
//	mr-rerank -system cross-encoder -fuse cross-encoder -method last -depth 0 hits.jsonl
//	mr-rerank -system hybrid -fuse bm25,vector=0.5 -depth 0 hits.jsonl
//	mr-rerank -system rrf -fuse bm25,vector,cross-encoder -method rrf -k 10 hits.jsonl
//
// Exit codes: 0 done, 1 failed (a bad record, no model, a full disk), 2 misuse.
package main

import (
	"context"
	_ "embed"
	"errors"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/rerank/rerankstage"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-rerank", source, run) }

func run(ctx context.Context, t *tool.Tool) (err error) {
	system := t.Flags.String("system", "fused", "`name` of the reranked system")
	depth := t.Flags.Int("depth", 20, "hits that are scored and fused; 0 is all")
	terms := t.Flags.String("fuse", "bm25,vector=0.5,late,cross-encoder", "`stages` to fuse, each with =weight where that is not 1")
	method := t.Flags.String("method", "zscore", "`way` to fuse: zscore, minmax, rrf, section-rrf or last")
	k := t.Flags.Float64("k", 60, "what is added to a rank in rrf and section-rrf")
	headings := t.Flags.String("context", "trail", "what stands in front of a passage's text when it is scored: none, or trail for its headings")
	late := t.Flags.Bool("late", false, "score late interaction here, for hits from an index without it")
	models := t.Flags.String("models", "", "`folder` of the models (default $MR_MODELS, else mobium-rag/models in the user's cache)")
	kept := t.Flags.String("cache", "", "`folder` of the cache, or off (default $MR_CACHE, else mobium-rag/cache in the user's cache)")
	workers := t.Flags.Int("workers", 0, "pairs at once, one core each; 0 is as many as there are cores")
	timing := t.Flags.Bool("timing", false, "write a timing record at the end of each stream")
	if err := t.Parse(true); err != nil {
		return err
	}
	recipe := fuse.Recipe{Method: fuse.Method(*method), K: *k}
	if recipe.Terms, err = fuse.Parse(*terms); err == nil {
		err = recipe.Validate()
	}
	switch {
	case err != nil:
		return tool.Misusef("%w", err)
	case *headings != string(embed.NoContext) && *headings != string(embed.TrailContext):
		return tool.Misusef("-context: expected none or trail, got %q", *headings)
	case *system == "":
		return tool.Misusef("-system: expected a name")
	case *depth < 0 || *workers < 0:
		return tool.Misusef("-depth and -workers: expected 0 or more")
	}
	r := rerank.Reranker{Recipe: recipe, Depth: *depth, Context: embed.Context(*headings), System: record.SystemName(*system)}

	warn := func(err error) { t.Warnf("%v", err) }
	unload, err := r.Load(rerank.Options{Models: *models, Cache: *kept, Warn: warn, Late: *late, Workers: *workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unload()) }()

	in, err := t.Input()
	if err != nil {
		return err
	}
	tick, done := t.Progress("questions")
	defer done()
	f := &rerankstage.Filter{Reranker: &r, Run: t.Provenance("models", "cache", "workers", "timing"), Timing: *timing, Tick: tick}
	return f.Stream(ctx, in, t.Output())
}
