package rerank

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// LateStage is the stage that scores of late interaction go under.
const LateStage record.StageName = "late"

// Late scores candidates by late interaction, for hits from an index without
// token vectors. The scores are those that such an index gives; ranks count
// among the candidates alone.
type Late struct{ *late.Encoder }

// Stage is late.
func (Late) Stage() record.StageName { return LateStage }

// Score implements Scorer.
func (l Late) Score(ctx context.Context, question string, texts []string) ([]float64, error) {
	query, err := l.Query(ctx, question)
	if err != nil {
		return nil, err
	}
	passages, err := l.Passages(ctx, texts)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(texts))
	for i, p := range passages {
		scores[i] = float64(late.MaxSim(query, p))
	}
	return scores, nil
}
