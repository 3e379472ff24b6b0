package rerank

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Scorer says how well texts answer a question. It is safe for concurrent use.
type Scorer interface {
	// Stage is the name its scores go under.
	Stage() record.StageName
	// Score returns one finite score a text, higher is better.
	Score(ctx context.Context, question string, texts []string) ([]float64, error)
	// Model identifies the model.
	Model() record.Model
}

// Reranker orders hits anew.
type Reranker struct {
	// Scorers score the first Depth hits, each under its own stage.
	Scorers []Scorer
	// Recipe orders them by what all stages gave them.
	Recipe fuse.Recipe
	// Depth is the number of hits that take part, 0 for all; the others follow in the order they have.
	Depth int
	// Context is what stands in front of a passage's text when it is scored.
	Context embed.Context
	// System names the result.
	System record.SystemName
}

// ErrInput is wrapped by errors that lie in the hits and not in the models.
var ErrInput = errors.New("these hits cannot be reranked")

// Rerank returns the hits in their new order. H is not changed.
func (r *Reranker) Rerank(ctx context.Context, h *record.Hits) (*record.Hits, error) {
	out := *h
	out.System = r.System
	out.Hits = make([]record.Hit, len(h.Hits))
	for i, hit := range h.Hits {
		hit.Stages = maps.Clone(hit.Stages)
		for _, s := range r.Scorers {
			delete(hit.Stages, s.Stage()) // of an earlier run, over other candidates
		}
		out.Hits[i] = hit
	}
	n := len(out.Hits)
	if r.Depth > 0 {
		n = min(n, r.Depth)
	}
	head, tail := out.Hits[:n], out.Hits[n:]
	for _, s := range r.Scorers {
		if err := r.score(ctx, s, h.Question, head); err != nil {
			return nil, fmt.Errorf("question %s: %w", h.Question.ID, err)
		}
	}
	r.Recipe.Apply(head)
	if len(tail) > 0 {
		out.Hits = fuse.Behind(head, tail)
	}
	return &out, nil
}

// score adds one scorer's entry to the stages of hits.
func (r *Reranker) score(ctx context.Context, s Scorer, q record.QuestionRef, hits []record.Hit) error {
	if len(hits) == 0 {
		return nil
	}
	texts, err := r.texts(q, hits)
	if err != nil {
		return err
	}
	scores, err := s.Score(ctx, q.Text, texts)
	if err != nil {
		return err
	}
	for i, x := range scores {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s gave passage %s the score %v", s.Model().Name, hits[i].Passage, x)
		}
		if hits[i].Stages == nil {
			hits[i].Stages = map[record.StageName]record.StageScore{}
		}
		hits[i].Stages[s.Stage()] = record.StageScore{Score: x}
	}
	fuse.Rank(hits, s.Stage())
	return nil
}

// texts are the passages as they are scored.
func (r *Reranker) texts(q record.QuestionRef, hits []record.Hit) ([]string, error) {
	if q.Text == "" {
		return nil, fmt.Errorf("%w: the question has no text", ErrInput)
	}
	texts := make([]string, len(hits))
	for i, hit := range hits {
		if hit.Text == "" {
			return nil, hint.Wrap(fmt.Errorf("%w: passage %s has no text", ErrInput, hit.Passage),
				"mr-index search writes the texts; fusing stages that are there needs none, as in -fuse bm25,vector")
		}
		texts[i] = embed.Text(&record.Passage{Headings: hit.Headings, Text: hit.Text}, r.Context)
	}
	return texts, nil
}
