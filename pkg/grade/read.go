package grade

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// answers are those of all systems, in the order the systems came.
type answers struct {
	systems []*system
	runs    []*record.Run
	timings []*record.Timing
}

// system is the answers of one search and engine.
type system struct {
	name    record.SystemName
	items   map[record.QuestionID]*item
	places  map[record.QuestionID]record.Pos
	unknown []record.QuestionID
}

// nameOf is the system that an answer counts for.
func nameOf(a *record.Answer) record.SystemName {
	if a.System == record.FallbackSystem {
		return a.System
	}
	return a.System + "/" + record.SystemName(a.Model)
}

// read reads answer records to their end; every bad one is named by its line.
func (g *Answers) read(in *record.Reader) (*answers, error) {
	all := &answers{}
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			all.runs = append(all.runs, rec)
		case *record.Timing:
			all.timings = append(all.timings, rec)
		case *record.End:
		case *record.Answer:
			if err := g.add(all, rec, in.Pos()); err != nil {
				in.Reject(err)
			}
		default:
			in.Reject(fmt.Errorf("expected answer records, got a %s record", rec.Kind()))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	known := false
	for _, s := range all.systems {
		known = known || len(s.items) > 0
	}
	switch {
	case len(all.systems) == 0:
		return nil, errors.New("nothing to score: no answer record came")
	case !known:
		return nil, hint.Wrap(errors.New("the answers are to other questions: none is in the golden set"),
			"compare the ids: the golden set's first is %q", g.questions[0].ID)
	}
	return all, nil
}

func (g *Answers) add(all *answers, a *record.Answer, pos record.Pos) error {
	name := nameOf(a)
	i := slices.IndexFunc(all.systems, func(s *system) bool { return s.name == name })
	if i < 0 {
		i = len(all.systems)
		all.systems = append(all.systems, &system{name: name, items: map[record.QuestionID]*item{}, places: map[record.QuestionID]record.Pos{}})
	}
	s := all.systems[i]
	if before, ok := s.places[a.Question.ID]; ok {
		return hint.Wrap(fmt.Errorf("system %q has an answer to question %q already, at %v", name, a.Question.ID, before),
			"score the runs apart, or give their hits names of their own: mr-rerank -system")
	}
	s.places[a.Question.ID] = pos
	q := g.byID[a.Question.ID]
	if q == nil {
		s.unknown = append(s.unknown, a.Question.ID)
		return nil
	}
	it, err := g.item(q, a)
	if err == nil {
		s.items[q.ID] = it
	}
	return err
}

// item finds the sections that an answer cites. A citation of a passage that
// was not given is no answer of mr-answer.
func (g *Answers) item(q *question, a *record.Answer) (*item, error) {
	it := &item{question: q, answer: a}
	seen := map[record.PassageID]bool{}
	for _, c := range a.Citations {
		given := func(p record.Labelled) bool {
			return p.Label == c.Label && p.Passage == c.Passage && p.Section == c.Section
		}
		if !slices.ContainsFunc(a.Passages, given) {
			return nil, fmt.Errorf("citation %s of passage %q, which is not among those given", c.Label, c.Passage)
		}
		if seen[c.Passage] {
			continue
		}
		seen[c.Passage] = true
		section := c.Section
		if g.Corpus != nil {
			at, err := g.Corpus.Locate(&record.Hit{Passage: c.Passage, Section: c.Section})
			if err != nil {
				return nil, err
			}
			section = at.Section
		}
		it.cited = append(it.cited, section)
	}
	return it, nil
}
