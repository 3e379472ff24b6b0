package grade

import (
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// notes say what a reader must know of the answers as a whole, for the run
// record; Warn hears what is odd.
func (g *Answers) notes(all *answers) []string {
	var out []string
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) {
		note(format, args...)
		if g.Warn != nil {
			g.Warn(format, args...)
		}
	}
	answerable := 0
	for _, q := range g.questions {
		if q.Answerable() {
			answerable++
		}
	}
	note("%d of %d questions have gold, %d are to be refused", answerable, len(g.questions), len(g.questions)-answerable)
	for _, s := range all.systems {
		if s.name != record.FallbackSystem {
			note("%s: %s; %s", s.name, g.row(all, s, true), g.row(all, s, false))
		}
		if n := len(s.unknown); n > 0 {
			warn("%s: answers to %d unknown questions are ignored, the first is %q", s.name, n, s.unknown[0])
		}
		if n := g.failures(all, s); n > 0 {
			warn("%s: %d of %d questions have no answer that can be scored", s.name, n, len(g.questions))
		}
	}
	if g.empty > 0 {
		warn("%d key facts have no word to look for and are left out", g.empty)
	}
	if reach, n := g.reach(); n > 0 {
		note("the gold sections, quoted whole, say %.4f of the key facts (%d questions): the rule finds no more in the docs' own words", reach, n)
	}
	return out
}

// row is a row of the 2×2 table of refusals, with what is in neither column.
func (g *Answers) row(all *answers, s *system, answerable bool) string {
	n, answered, refused := 0, 0, 0
	for _, q := range g.questions {
		if q.Answerable() != answerable {
			continue
		}
		n++
		if it := g.itemOf(all, s, q); it.answer.Status == record.Scored {
			if it.answer.Refused {
				refused++
			} else {
				answered++
			}
		}
	}
	kind := "unanswerable"
	if answerable {
		kind = "answerable"
	}
	return fmt.Sprintf("of %d %s %d answered, %d refused, %d neither", n, kind, answered, refused, n-answered-refused)
}

// failures counts the questions without an answer that can be scored.
func (g *Answers) failures(all *answers, s *system) int {
	n := 0
	for _, q := range g.questions {
		if it := g.itemOf(all, s, q); it != nil && it.answer.Status != record.Scored {
			n++
		}
	}
	return n
}

// reach is the mean key-fact coverage of the gold sections' own text.
func (g *Answers) reach() (float64, int) {
	if g.Texts == nil {
		return 0, 0
	}
	sum, n := 0.0, 0
	p := g.newPool(nil)
	for _, q := range g.questions {
		if !q.Answerable() || len(q.facts) == 0 {
			continue
		}
		all := ""
		for _, first := range p.oracle(q) {
			for _, part := range p.parts[first.Section] {
				all += g.text(part) + "\n"
			}
		}
		text := keyfact.Read(all)
		said := 0
		for _, f := range q.facts {
			if f.In(text) {
				said++
			}
		}
		sum += float64(said) / float64(len(q.facts))
		n++
	}
	return sum / float64(max(1, n)), n
}
