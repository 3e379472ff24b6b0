package score

import (
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
)

// ByLedger ends the note that a set has halves, and how many systems its ledger enters.
const ByLedger = "systems were ever scored on the headline half, by its ledger"

// notes say what took no part and why, for the run record; Warn hears those that are odd.
func (r *Retrieval) notes(h *Hits, questions []*golden.Question) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) {
		note(format, args...)
		if r.Warn != nil {
			r.Warn(format, args...)
		}
	}
	if r.Set.Half != golden.All {
		note("half %s: %d of %d questions", r.Set.Half, len(r.Set.Questions), r.Set.Size())
	}
	note("%d of %d questions have gold and are scored, %d have none and take no part",
		len(questions), len(r.Set.Questions), len(r.Set.Questions)-len(questions))
	switch {
	case r.Set.Half == golden.Tune:
	case r.Ledger != nil:
		note("%d %s", len(r.Ledger.Entries), ByLedger)
	case !r.Set.Graded:
		note("no ledger was given: how many systems were ever scored on these questions is not known")
	}
	for _, s := range h.systems {
		if n := len(s.unknown); n > 0 {
			warn("system %s: hits of %d unknown questions are ignored, the first is %q", s.name, n, s.unknown[0])
		}
		none := 0
		for _, q := range questions {
			if l := s.lists[q.ID]; l == nil || len(l.ranked) == 0 {
				none++
			}
		}
		if none > 0 {
			warn("system %s: %d of %d questions have no hits and count 0", s.name, none, len(questions))
		}
		if s.ties > 0 {
			note("system %s: %d of %d hits have the score of the one before, and keep the order given", s.name, s.ties, s.hits)
		}
		r.short(s, questions, warn)
	}
	return all
}

// short says for how many questions a system's list ends before the deepest cut-off.
func (r *Retrieval) short(s *system, questions []*golden.Question, warn func(string, ...any)) {
	cut := 0
	for _, m := range r.Suite {
		if !m.Passages {
			cut = max(cut, m.Cut)
		}
	}
	cut = min(cut, len(r.Corpus.Sections))
	short := 0
	for _, q := range questions {
		if l := s.lists[q.ID]; l != nil && len(l.ranked) > 0 && len(golden.Fold(l.ranked)) < cut {
			short++
		}
	}
	if short > 0 {
		warn("system %s: %d of %d lists hold fewer than %d sections, the deepest cut-off", s.name, short, len(questions), cut)
	}
}
