package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Searcher answers questions with hits.
type Searcher struct {
	Engine Engine
	// Encoder makes the token vectors of questions; it may be nil where late is no leg.
	Encoder Encoder
	// NoEncoder is why there is no encoder where late is a leg: search then
	// falls back.
	NoEncoder error
	System    record.SystemName
	Options
}

// Options are how a searcher searches.
type Options struct {
	// Fusion is how the legs' rankings become one. A single leg is not fused:
	// its ranking and scores are the result.
	Fusion fuse.Recipe
	// K is the number of hits.
	K int
	// Depth is the number of candidates each leg names, at least K.
	Depth int
	// Complete says that every leg scores every candidate, not only its own. A
	// passage in which BM25 finds no word scores 0 there, and has no rank.
	Complete bool
	// LateCandidates, where it is not 0, confines late interaction to as many
	// candidates of each of the other legs, where there are any.
	LateCandidates int
}

// DefaultOptions are those of the tools.
func DefaultOptions() Options {
	return Options{
		Fusion: fuse.Recipe{
			Method: fuse.ByZScore,
			Terms:  []fuse.Term{{Stage: LegBM25, Weight: 1}, {Stage: LegVector, Weight: 0.5}, {Stage: LegLate, Weight: 1}},
			K:      60,
		},
		K: 40, Depth: 40, Complete: true, LateCandidates: 40,
	}
}

// Validate says what is wrong with options that came from flags.
func (o Options) Validate() error {
	for _, t := range o.Fusion.Terms {
		if t.Stage != LegBM25 && t.Stage != LegVector && t.Stage != LegLate {
			return fmt.Errorf("expected legs bm25, vector, late, each with =weight where that is not 1, got %q", t.Stage)
		}
	}
	switch {
	case o.K < 1:
		return fmt.Errorf("expected k to be 1 or more, got %d", o.K)
	case o.Depth < 1:
		return fmt.Errorf("expected depth to be 1 or more, got %d", o.Depth)
	case o.LateCandidates < 0:
		return fmt.Errorf("expected 0 or more candidates for late interaction, got %d", o.LateCandidates)
	}
	return o.Fusion.Validate()
}

// Stands reports whether leg is one of those the search stands on.
func (o Options) Stands(leg record.StageName) bool {
	return slices.ContainsFunc(o.Fusion.Terms, func(t fuse.Term) bool { return t.Stage == leg })
}

// Check refuses vectors that do not compare: questions whose run names another
// model than the index's, and an encoder of another model than the token vectors'.
func (s *Searcher) Check(questions *record.Run) error {
	m := s.Engine.Manifest()
	if s.Stands(LegVector) && m.Vectors != nil {
		if of, want := VectorModel(questions), m.Vectors.Model; of.SHA256 != "" && want.SHA256 != "" && of.SHA256 != want.SHA256 {
			return hint.Wrap(fmt.Errorf("the questions' vectors are from model %s, those of the index from %s", describe(of), describe(want)),
				"embed questions and passages with one model")
		}
	}
	if s.Stands(LegLate) && m.Late != nil && s.Encoder != nil {
		if of, want := s.Encoder.Model(), m.Late.Model; of.SHA256 != want.SHA256 {
			return hint.Wrap(fmt.Errorf("the token vectors of the index are from model %s, those of questions would be from %s", describe(want), describe(of)),
				"build the index again")
		}
	}
	return nil
}

// VectorModel is the model of the vectors in a stream: that of its run, or of
// the nearest run before it that names one. It is zero where none does.
func VectorModel(run *record.Run) record.Model {
	for next := []*record.Run{run}; len(next) > 0; next = next[1:] {
		if next[0] == nil {
			continue
		}
		if len(next[0].Models) > 0 {
			return next[0].Models[0]
		}
		next = append(next, next[0].Inputs...)
	}
	return record.Model{}
}

// QuestionError is an error of a question, not of the search.
type QuestionError struct{ error }

// Unwrap returns the error itself.
func (e QuestionError) Unwrap() error { return e.error }

// Search returns the hits of a question. Where a leg cannot stand (the index
// or the question lacks its vectors) BM25 does alone, and Fallback says why.
func (s *Searcher) Search(ctx context.Context, q *record.Question) (*record.Hits, error) {
	if err := s.checkVector(q); err != nil {
		return nil, QuestionError{fmt.Errorf("question %q: %w", q.ID, err)}
	}
	out := &record.Hits{Question: q.Ref(), System: s.System, Hits: []record.Hit{}}
	recipe := s.Fusion
	if out.Fallback = s.lacks(q); out.Fallback != "" {
		recipe.Terms = []fuse.Term{{Stage: LegBM25, Weight: 1}}
	}
	hits, err := s.fused(ctx, q, recipe)
	if err != nil {
		return nil, fmt.Errorf("question %q: %w", q.ID, err)
	}
	for _, h := range hits[:min(s.K, len(hits))] {
		p, err := s.Engine.Passage(ctx, h.Passage)
		if err != nil {
			return nil, fmt.Errorf("question %q: %w", q.ID, err)
		}
		h.Section, h.Path, h.Heading, h.Headings = p.Section, p.Path, p.Heading, p.Headings
		h.Lines, h.Commit, h.Text = p.Lines, p.Commit, p.Text
		out.Hits = append(out.Hits, h)
	}
	return out, nil
}

func (s *Searcher) checkVector(q *record.Question) error {
	m := s.Engine.Manifest()
	if !s.Stands(LegVector) || m.Vectors == nil || len(q.Vector) == 0 {
		return nil
	}
	if len(q.Vector) != m.Vectors.Dim {
		return hint.Wrap(fmt.Errorf("a vector of %d numbers, those of the index have %d", len(q.Vector), m.Vectors.Dim),
			"embed questions and passages with one model")
	}
	return unitVector(q.Vector)
}

// lacks says why a leg cannot stand, "" where all can.
func (s *Searcher) lacks(q *record.Question) string {
	m := s.Engine.Manifest()
	switch {
	case s.Stands(LegVector) && m.Vectors == nil:
		return "the index has no vectors"
	case s.Stands(LegVector) && len(q.Vector) == 0:
		return "the question has no vector"
	case s.Stands(LegLate) && m.Late == nil:
		return "the index has no token vectors"
	case s.Stands(LegLate) && s.Encoder == nil:
		return fmt.Sprintf("no model for late interaction: %v", s.NoEncoder)
	}
	return ""
}

// fused returns the candidates of all legs in the order of the recipe, with
// ids, ranks, scores and stages.
func (s *Searcher) fused(ctx context.Context, q *record.Question, recipe fuse.Recipe) ([]record.Hit, error) {
	depth := max(s.K, s.Depth)
	legs, err := s.rank(ctx, q, recipe.Terms, depth)
	if err != nil {
		return nil, err
	}
	var hits []record.Hit
	at := map[record.PassageID]int{}
	for i, t := range recipe.Terms {
		for _, found := range legs[i].Top(depth) {
			j, ok := at[found.ID]
			if !ok {
				j = len(hits)
				at[found.ID] = j
				hits = append(hits, record.Hit{Passage: found.ID, Stages: map[record.StageName]record.StageScore{}})
			}
			hits[j].Stages[t.Stage] = found.StageScore
		}
	}
	if len(recipe.Terms) == 1 {
		fuse.Last(hits, recipe.Terms[0].Stage)
		return hits, nil
	}
	if s.Complete {
		complete(hits, recipe.Terms, legs)
	}
	if recipe.Method == fuse.BySectionRank {
		if err := s.sections(ctx, hits); err != nil {
			return nil, err
		}
	}
	recipe.Apply(hits)
	return hits, nil
}

// rank asks each leg, late interaction last, since it may need the others' candidates.
func (s *Searcher) rank(ctx context.Context, q *record.Question, terms []fuse.Term, depth int) ([]Ranking, error) {
	legs := make([]Ranking, len(terms))
	confined := s.LateCandidates > 0 && len(terms) > 1
	asked := Question{Text: q.Text, Vector: q.Vector}
	var among []record.PassageID
	var err error
	for i, t := range terms {
		if t.Stage == LegLate {
			continue
		}
		if legs[i], err = s.Engine.Rank(ctx, t.Stage, asked, nil); err != nil {
			return nil, err
		}
		if confined {
			for _, found := range legs[i].Top(s.LateCandidates) {
				among = append(among, found.ID)
			}
		}
	}
	for i, t := range terms {
		if t.Stage != LegLate {
			continue
		}
		if asked.Tokens, err = s.Encoder.Query(ctx, q.Text); err != nil {
			return nil, err
		}
		if confined {
			slices.Sort(among)
			among = append([]record.PassageID{}, slices.Compact(among)...)
		}
		if legs[i], err = s.Engine.Rank(ctx, LegLate, asked, among); err != nil {
			return nil, err
		}
	}
	return legs, nil
}

// complete gives every hit the score of every leg that can tell.
func complete(hits []record.Hit, terms []fuse.Term, legs []Ranking) {
	ids := make([]record.PassageID, len(hits))
	for i, h := range hits {
		ids[i] = h.Passage
	}
	for i, t := range terms {
		for j, score := range legs[i].Of(ids) {
			if score.Rank > 0 || t.Stage == LegBM25 {
				hits[j].Stages[t.Stage] = score
			}
		}
	}
}

// sections fills in the section of each hit.
func (s *Searcher) sections(ctx context.Context, hits []record.Hit) error {
	for i := range hits {
		p, err := s.Engine.Passage(ctx, hits[i].Passage)
		if err != nil {
			return err
		}
		hits[i].Section = p.Section
	}
	return nil
}
