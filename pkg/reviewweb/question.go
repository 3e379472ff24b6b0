package reviewweb

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
)

// detail is all that the page shows of one question.
type detail struct {
	ruled
	// Golden is the record that is ruled on; Instead the one of the set that it
	// would replace; Shown the one as it was ruled it shall be.
	Golden  jsontext.Value `json:"golden"`
	Instead jsontext.Value `json:"instead,omitempty"`
	view
}

// view is a golden record held against the corpus.
type view struct {
	Shown  jsontext.Value   `json:"shown"`
	Checks []review.Finding `json:"checks"`
	// Needs are the sections of the gold, with their text.
	Needs  [][]section       `json:"needs"`
	System record.SystemName `json:"system"`
	Hits   []hit             `json:"hits"`
}

// hit is one passage that retrieval brings now.
type hit struct {
	Rank     int              `json:"rank"`
	Passage  record.PassageID `json:"passage"`
	Section  record.SectionID `json:"section"`
	Headings []string         `json:"headings,omitempty"`
	// Serves are the needs it serves, from 1.
	Serves []int `json:"serves,omitempty"`
}

func (g *Golden) question(r *http.Request) (any, error) {
	return g.detail(r.Context(), record.QuestionID(r.URL.Query().Get("id")))
}

func (g *Golden) detail(ctx context.Context, id record.QuestionID) (*detail, error) {
	s, err := g.current()
	if err != nil {
		return nil, err
	}
	e := s.byID[id]
	if e == nil {
		return nil, errUnknown
	}
	shown := e.now
	if e.decision != nil && e.decision.Golden != nil && !e.Stale && !e.Applied {
		shown = e.decision.Golden
	}
	d := &detail{ruled: ruled{e, e.hash, e.decision}}
	if d.Golden, err = line(e.now); err != nil {
		return nil, err
	}
	if d.Instead, err = line(e.instead); err != nil {
		return nil, err
	}
	d.view, err = g.view(ctx, s, shown)
	return d, err
}

// check holds a question as it is being edited against the corpus.
func (g *Golden) check(r *http.Request) (any, error) {
	var ask struct {
		Golden *record.Golden `json:"golden"`
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	s, err := g.current()
	if err != nil {
		return nil, err
	}
	if ask.Golden == nil {
		return nil, errUnknown
	}
	if err := ask.Golden.Validate(); err != nil {
		return nil, invalid{err}
	}
	return g.view(r.Context(), s, ask.Golden)
}

func (g *Golden) view(ctx context.Context, s *snapshot, q *record.Golden) (v view, err error) {
	if v.Shown, err = line(q); err != nil {
		return v, err
	}
	hits, err := g.hits(ctx, q)
	if err != nil {
		return v, err
	}
	v.Checks = append(ranks(q, hits), slices.DeleteFunc(s.checker().Check(q), isRank)...)
	v.System, v.Hits, v.Needs = hits.System, []hit{}, [][]section{}
	ranks := map[record.SectionID]int{}
	for _, h := range hits.Hits {
		if ranks[h.Section] == 0 {
			ranks[h.Section] = len(ranks) + 1
		}
		if len(v.Hits) < g.Depth {
			v.Hits = append(v.Hits, hit{h.Rank, h.Passage, h.Section, h.Headings, serves(q, h.Section)})
		}
	}
	for _, need := range q.Gold {
		var sections []section
		for _, id := range need {
			one := g.Sections.whole(id)
			one.Rank = ranks[id]
			sections = append(sections, one)
		}
		v.Needs = append(v.Needs, sections)
	}
	return v, nil
}

// ranks checks where the gold of one question stands. Of all questions at once
// it takes seconds, with the first of them waiting.
func ranks(q *record.Golden, hits *record.Hits) []review.Finding {
	alone := review.NewChecker(&corpus.Corpus{}, nil, []*record.Hits{hits})
	return slices.DeleteFunc(alone.Check(q), func(f review.Finding) bool { return !isRank(f) })
}

func isRank(f review.Finding) bool { return f.Check == review.GoldRank }

// serves lists the needs that a section serves, from 1.
func serves(q *record.Golden, id record.SectionID) (needs []int) {
	for i, need := range q.Gold {
		if slices.Contains(need, id) {
			needs = append(needs, i+1)
		}
	}
	return needs
}

// hits are those given for a question, if it is asked as it was then, else
// those of its words.
func (g *Golden) hits(ctx context.Context, q *record.Golden) (*record.Hits, error) {
	if h := g.given[q.ID]; h != nil && h.Question.Text == q.Question {
		return h, nil
	}
	return g.Sections.Search(ctx, record.QuestionRef{ID: q.ID, Text: q.Question}, max(g.Depth, 40))
}
