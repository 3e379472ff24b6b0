package golden

import (
	"errors"
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Read reads golden records. Every bad one is named by its line: a repeated
// id, a section twice in a need, a need that no list can meet.
func Read(r *record.Reader) (*Set, error) {
	var questions []*Question
	first := map[record.QuestionID]record.Pos{}
	for r.Scan() {
		var g *record.Golden
		switch rec := r.Record().(type) {
		case *record.Run, *record.End, *record.Timing:
			continue
		case *record.Golden:
			g = rec
		default:
			r.Reject(fmt.Errorf("expected golden records, got a %s record", rec.Kind()))
			continue
		}
		if at, ok := first[g.ID]; ok {
			r.Reject(fmt.Errorf("question %q was there already, at %v: ids are unique", g.ID, at))
			continue
		}
		first[g.ID] = r.Pos()
		q, err := newQuestion(g)
		if err != nil {
			r.Reject(fmt.Errorf("question %q: %w", g.ID, err))
			continue
		}
		q.Pos = r.Pos()
		questions = append(questions, q)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if len(questions) == 0 {
		return nil, errors.New("the golden set has no golden record")
	}
	return newSet(questions, false), nil
}

func newQuestion(g *record.Golden) (*Question, error) {
	q := &Question{ID: g.ID, Text: g.Question, Kind: g.AskedFor, Record: g}
	for i, need := range g.Gold {
		seen := map[record.SectionID]bool{}
		for _, s := range need {
			if seen[s] {
				return nil, fmt.Errorf("need %d lists section %q twice", i+1, s)
			}
			seen[s] = true
		}
		q.Needs = append(q.Needs, Need{Sections: need, Gain: 1})
	}
	q.index()
	return q, q.meetable()
}

// meetable is nil if some list meets every need (the marriage theorem: a
// matching that serves them all).
func (q *Question) meetable() error {
	m := NewMatching(q)
	for _, need := range q.Needs {
		for _, s := range need.Sections {
			m.Add(s)
		}
	}
	for i := range q.Needs {
		if m.Server(i) == "" {
			return fmt.Errorf("need %d %q cannot be met together with the others: a section serves one need, and theirs are taken", i+1, q.Needs[i].Sections)
		}
	}
	return nil
}
