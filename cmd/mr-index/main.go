// Mr-index keeps passages so that questions find them, by words, by meaning, or
// both, and finds them.
//
//	mr-embed -as passage  < corpus.jsonl | mr-index build  -index data/index
//	mr-embed -as question < golden.jsonl | mr-index search -index data/index > hits.jsonl
//
// # mr-index build
//
// In: passage records, of one commit, with vectors of one model, each of length 1,
// or without any.
// Timing records are read over. Out: nothing (with -timing a stream with a
// timing record). The index is a folder. The new one is made beside the old and
// takes its place as the last thing, so a build that fails or is killed leaves
// the old; searches under way keep the one they have. Of two builds at once the
// second is refused.
//
// Passages without vectors make an index for BM25 alone. -late auto makes token
// vectors for late interaction where there are vectors; they take some 100 kB a
// passage, and the model reads 7 to 15 passages a second on a core. Both kinds
// come from the cache for passages that have not changed.
//
// # mr-index search
//
// In: question or golden records; of a golden record id and question are seen
// and nothing else. Timing records pass. Out: hits records, one a question, in
// order. A hit carries the passage's text and place, and in "stages" the score
// and rank of each leg:
//
//	bm25    words: Okapi BM25 over the passages' text, headings in front
//	vector  meaning: dot product with the question's vector, every passage
//	late    late interaction (MaxSim) over token vectors of the candidates
//
// -mode hybrid fuses the legs of -legs: each names -depth candidates; all legs
// score all candidates; the weighted sum of their standard scores orders them
// (-method, see mr-rerank -h). The other modes are one leg alone.
//
// Where a leg cannot stand (no vectors in the index or the question, no model)
// BM25 does alone, "fallback" in the record says why, and a warning counts
// them. An index of another commit than -commit, or of another model than the
// questions' run names, is refused. Search writes nothing to the index.
//
// Of the same index and questions come the same bytes, whatever the number of
// cores, on one type of CPU. Ties go by passage id. With -timing each stream
// ends with the seconds of each question.
//
// # mr-index derive
//
// Writes the file of vectors of the index again, from what the index holds
// besides, where it was lost or damaged.
//
// Examples:
//
//	mr-index build -index bm25-index corpus.jsonl
//	mr-index search -index bm25-index -mode bm25 -k 5 questions.jsonl
//	mr-index search -index bm25-index questions.jsonl | jq -c 'select(.type=="hits") | [.system, .fallback, .hits[0].section]'
//
// Exit codes: 0 done, 1 failed (a bad record, a damaged index, a full disk), 2 misuse.
package main

import (
	"context"
	_ "embed"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-index", source, run) }

func run(ctx context.Context, t *tool.Tool) error {
	cmd, err := t.Command("build", "search", "derive")
	switch cmd {
	case "build":
		return build(ctx, t)
	case "search":
		return search(ctx, t)
	case "derive":
		return derive(ctx, t)
	}
	return err
}

// indexFlag is the one flag that all commands have.
func indexFlag(t *tool.Tool) *string {
	return t.Flags.String("index", "data/index", "`folder` of the index")
}

func derive(ctx context.Context, t *tool.Tool) error {
	dir := indexFlag(t)
	if err := t.Parse(false); err != nil {
		return err
	}
	return index.Derive(ctx, *dir)
}

// modelFlags say where models and what they computed lie.
type modelFlags struct{ models, cache *string }

func newModelFlags(t *tool.Tool) modelFlags {
	return modelFlags{
		t.Flags.String("models", "", "`folder` of the models (default $MR_MODELS, else mobium-rag/models in the user's cache)"),
		t.Flags.String("cache", "", "`folder` of the cache, or off (default $MR_CACHE, else mobium-rag/cache in the user's cache)"),
	}
}

// encoder opens the model of late interaction.
func (f modelFlags) encoder(c *cache.Cache, padding late.Padding) (*late.Encoder, error) {
	store, err := model.Find(*f.models)
	if err != nil {
		return nil, err
	}
	return late.Open(store, c, late.Options{Padding: padding})
}
