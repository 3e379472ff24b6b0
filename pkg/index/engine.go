package index

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/scan"
)

// The legs a search can stand on.
const (
	LegBM25   record.StageName = "bm25"
	LegVector record.StageName = "vector" // dot product of question and passage
	LegLate   record.StageName = "late"   // late interaction (MaxSim) over token vectors
)

// Engine holds passages and ranks them, a leg at a time. [Index] is the one
// there is, in one folder on one machine; a distributed one may stand beside it
// for docs that outgrow that. It is safe for concurrent use.
type Engine interface {
	// Manifest says what the engine holds.
	Manifest() *Manifest
	// Rank ranks the passages by one leg. Among, where it is not nil, are passages
	// of the engine that late interaction confines itself to; the other legs
	// look at all.
	Rank(ctx context.Context, leg record.StageName, q Question, among []record.PassageID) (Ranking, error)
	// Passage returns a passage without its vector.
	Passage(ctx context.Context, id record.PassageID) (*record.Passage, error)
}

// Question is what a leg needs of a question: each takes its own part.
type Question struct {
	Text   string
	Vector []float32
	Tokens late.Matrix
}

// Ranking is what one leg makes of one question.
type Ranking interface {
	// Top returns up to depth passages, by score, descending, then id.
	Top(depth int) []Scored
	// Of returns score and rank of passages of the engine, in their order, ranks
	// counted among all that the leg scored; rank 0 where it did not score one.
	Of(ids []record.PassageID) []record.StageScore
}

// Scored is a passage in a ranking.
type Scored struct {
	ID record.PassageID
	record.StageScore
}

// ranking is a Ranking by the scores of all rows, NaN where there is none.
type ranking[F scan.Float] struct {
	lexical *lexical
	scores  []F
}

func (r ranking[F]) Top(depth int) []Scored {
	hits := scan.Top(r.scores, depth)
	out := make([]Scored, len(hits))
	for i, h := range hits {
		out[i] = Scored{r.lexical.ids[h.Row], record.StageScore{Score: h.Score, Rank: i + 1}}
	}
	return out
}

func (r ranking[F]) Of(ids []record.PassageID) []record.StageScore {
	rows := make([]int, len(ids))
	for i, id := range ids {
		rows[i] = r.lexical.row(id)
	}
	out := make([]record.StageScore, len(ids))
	for i, rank := range scan.Ranks(r.scores, rows) {
		if rank > 0 {
			out[i] = record.StageScore{Score: float64(r.scores[rows[i]]), Rank: rank}
		}
	}
	return out
}
