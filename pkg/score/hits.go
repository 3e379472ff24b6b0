package score

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Hits are the lists of all systems, in the order the systems came.
type Hits struct {
	systems []*system
	runs    []*record.Run
	timings []*record.Timing
}

// system is what one system found.
type system struct {
	name    record.SystemName
	lists   map[record.QuestionID]*list
	recipes []string // of its streams, each once
	unknown []record.QuestionID
	hits    int
	ties    int // hits with the score of the one before
}

// list is the passages of one question.
type list struct {
	question record.QuestionRef
	ranked   []golden.Ranked
	fallback string
	pos      record.Pos
}

// read reads hits records to their end; every bad one is named by its line.
func (r *Retrieval) read(in *record.Reader) (*Hits, error) {
	h := &Hits{}
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			h.runs = append(h.runs, rec)
		case *record.Timing:
			h.timings = append(h.timings, rec)
		case *record.End:
		case *record.Hits:
			if err := r.add(h, rec, in.Run(), in.Pos()); err != nil {
				in.Reject(err)
			}
		default:
			in.Reject(fmt.Errorf("expected hits records, got a %s record", rec.Kind()))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(h.systems) == 0 {
		return nil, errors.New("nothing to score: no hits record came")
	}
	return h, h.sameQuestions()
}

func (r *Retrieval) add(h *Hits, rec *record.Hits, run *record.Run, pos record.Pos) error {
	if rec.System == record.FallbackSystem {
		return fmt.Errorf("%q is what fallback hits are scored as, and no system's name", rec.System)
	}
	i := slices.IndexFunc(h.systems, func(s *system) bool { return s.name == rec.System })
	if i < 0 {
		i = len(h.systems)
		h.systems = append(h.systems, &system{name: rec.System, lists: map[record.QuestionID]*list{}})
	}
	s := h.systems[i]
	id := rec.Question.ID
	if before := s.lists[id]; before != nil {
		return hint.Wrap(fmt.Errorf("system %q has hits for question %q already, at %v", s.name, id, before.pos),
			"give each system a name of its own: -system")
	}
	recipe, err := golden.Recipe(run)
	if err != nil {
		return err
	}
	if !slices.Contains(s.recipes, recipe) {
		s.recipes = append(s.recipes, recipe)
	}
	l := &list{question: rec.Question, fallback: rec.Fallback, pos: pos}
	if err := r.sameText(h, l); err != nil {
		return err
	}
	s.lists[id] = l
	if !r.Set.Known(id) {
		s.unknown = append(s.unknown, id)
		return nil
	}
	for i := range rec.Hits {
		at, err := r.Corpus.Locate(&rec.Hits[i])
		if err != nil {
			return err
		}
		if rec.Hits[i].Commit == "" && r.Corpus.Commit != "" {
			return hint.Wrap(fmt.Errorf("passage %q carries no commit, the corpus is of %s", at.Passage, r.Corpus.Commit),
				"search an index that was built from this corpus, and search again")
		}
		l.ranked = append(l.ranked, at)
		if i > 0 && rec.Hits[i].Score == rec.Hits[i-1].Score {
			s.ties++
		}
	}
	s.hits += len(rec.Hits)
	return nil
}

// sameText is nil unless another text stands under the question's id in the
// golden set or in the hits of another system. Qrels have no texts; hits need none.
func (r *Retrieval) sameText(h *Hits, l *list) error {
	id, text := l.question.ID, l.question.Text
	if text == "" {
		return nil
	}
	if want := r.Set.Text(id); want != "" && want != text {
		return hint.Wrap(fmt.Errorf("question %q: hits ask %q, the golden set asks %q", id, text, want),
			"search again with the questions of the golden set")
	}
	for _, s := range h.systems {
		if other := s.lists[id]; other != nil && other.question.Text != "" && other.question.Text != text {
			return hint.Wrap(fmt.Errorf("question %q: hits ask %q, those of system %q at %v ask %q", id, text, s.name, other.pos, other.question.Text),
				"run both systems on the same questions, or score them apart")
		}
	}
	return nil
}

// sameQuestions is nil if all systems were asked the same.
func (h *Hits) sameQuestions() error {
	first := h.systems[0]
	for _, s := range h.systems[1:] {
		var lacking []string
		for _, pair := range [][2]*system{{first, s}, {s, first}} {
			for id := range pair[0].lists {
				if pair[1].lists[id] == nil {
					lacking = append(lacking, fmt.Sprintf("%s lacks %q", pair[1].name, id))
				}
			}
		}
		if len(lacking) == 0 {
			continue
		}
		slices.Sort(lacking)
		more := ""
		if n := len(lacking) - 5; n > 0 {
			lacking, more = lacking[:5], fmt.Sprintf(" and %d more", n)
		}
		return hint.Wrap(fmt.Errorf("systems %s and %s were asked different questions: %s%s", first.name, s.name, strings.Join(lacking, ", "), more),
			"run both on the same questions, or score them apart")
	}
	return nil
}

// depth is the most sections in any list.
func (h *Hits) depth() int {
	n := 0
	for _, s := range h.systems {
		for _, l := range s.lists {
			n = max(n, len(golden.Fold(l.ranked)))
		}
	}
	return n
}
