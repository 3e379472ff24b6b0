package grade

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// pool is the passages that controls are given.
type pool struct {
	all   []golden.Ranked // by id
	parts map[record.SectionID][]golden.Ranked
}

// newPool is the corpus, or where there is none what gold and answers name.
func (g *Answers) newPool(all *answers) *pool {
	p := &pool{parts: map[record.SectionID][]golden.Ranked{}}
	if g.Corpus != nil {
		p.all = g.Corpus.Passages
	} else {
		p.all = g.named(all)
	}
	if len(p.all) == 0 { // nothing to answer, and nothing was shown
		p.all = []golden.Ranked{{Passage: "none", Section: "none"}}
	}
	for _, r := range p.all {
		p.parts[r.Section] = append(p.parts[r.Section], r)
	}
	return p
}

// named are the passages of answers, and one of each section of gold that has none among them.
func (g *Answers) named(all *answers) []golden.Ranked {
	seen, sections := map[record.PassageID]bool{}, map[record.SectionID]bool{}
	var out []golden.Ranked
	add := func(r golden.Ranked) {
		if !seen[r.Passage] {
			seen[r.Passage], sections[r.Section] = true, true
			out = append(out, r)
		}
	}
	for _, s := range all.systems {
		for _, it := range s.items {
			for _, l := range it.answer.Passages {
				add(golden.Ranked{Passage: l.Passage, Section: l.Section})
			}
		}
	}
	for _, q := range g.questions {
		for _, need := range q.Needs {
			for _, s := range need.Sections {
				if !sections[s] {
					add(golden.Ranked{Passage: record.PassageID(s), Section: s})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b golden.Ranked) int {
		return cmp.Or(cmp.Compare(a.Passage, b.Passage), cmp.Compare(a.Section, b.Section))
	})
	return out
}

// oracle returns one passage a need.
func (p *pool) oracle(q *question) []golden.Ranked {
	m := golden.NewMatching(q.Question)
	for _, need := range q.Needs {
		for _, s := range need.Sections {
			m.Add(s)
		}
	}
	var all []golden.Ranked
	for i := range q.Needs {
		all = append(all, p.parts[m.Server(i)][0])
	}
	return all
}

// off returns n passages that serve no need of q, made up where there are not so many.
func (p *pool) off(q *question, n int) []golden.Ranked {
	var all []golden.Ranked
	for _, r := range p.all {
		if len(all) < n && len(q.Serves(r.Section)) == 0 {
			all = append(all, r)
		}
	}
	for len(all) < n {
		name := fmt.Sprintf("none %d", len(all))
		all = append(all, golden.Ranked{Passage: record.PassageID(name), Section: record.SectionID(name)})
	}
	return all
}

// citations are the controls of citation precision and recall.
func (b *bench) citations() {
	for _, name := range []record.MetricName{CitationPrecision, CitationRecall} {
		if !b.want[name] {
			continue
		}
		b.fixed(name, control.Oracle, "1", 1, b.oracle)
		b.drawn(name)
		half, expect := 0.5, "0.5"
		if name == CitationRecall {
			half, expect = 1, "1"
		}
		b.fixed(name, "half", expect, half, func(q *question) ([]golden.Ranked, engine) {
			passages := b.pool.oracle(q)
			passages = append(passages, b.pool.off(q, len(passages))...)
			return passages, say("x", labels(len(passages))...)
		})
		b.fixed(name, "uncited", "0", 0, func(q *question) ([]golden.Ranked, engine) { return b.pool.oracle(q), say("x") })
	}
}

// drawn cites two random passages of the pool.
func (b *bench) drawn(name record.MetricName) {
	if len(b.pool.all) < 2 {
		b.out = append(b.out, &record.Control{Metric: name, Control: control.Random, Expect: "two passages to draw from",
			Got: fmt.Sprint(len(b.pool.all)), OK: record.ControlNotEstablished})
		return
	}
	m := b.metric(name)
	sum, want, variance, n := 0.0, 0.0, 0.0, 0
	questions := 0
	for _, q := range b.questions {
		if !m.asks(q) {
			continue
		}
		questions++
		e, v := b.pool.expect(name, q)
		want, variance = want+e, variance+v
		r := b.random("drawn", q)
		for range b.Draws {
			i, j := r.IntN(len(b.pool.all)), r.IntN(len(b.pool.all)-1)
			if j >= i {
				j++
			}
			it, err := b.trial(b.ctx, q, []golden.Ranked{b.pool.all[i], b.pool.all[j]}, say("x", "P1", "P2"))
			if err != nil {
				b.err = fmt.Errorf("control of %s: %w", name, err)
				return
			}
			if s := m.score("control", it); s.Value != nil {
				sum += *s.Value
				n++
			}
		}
	}
	total := float64(questions)
	b.chance(name, control.Random, n, sum/float64(n), want/total, math.Sqrt(variance/float64(b.Draws))/total)
}

// expect returns mean and variance of a metric of q over two passages drawn
// from n without putting back. It shares nothing with what it checks: needs met
// are counted by Hall's theorem, two sections meet two needs where each serves
// one and both together two or more.
func (p *pool) expect(name record.MetricName, q *question) (mean, variance float64) {
	type class struct { // the passages of one section that serves a need
		size  float64
		needs []int
	}
	var classes []class
	n := float64(len(p.all))
	rest := n
	seen := map[record.SectionID]bool{}
	for _, need := range q.Needs {
		for _, s := range need.Sections {
			if !seen[s] {
				seen[s] = true
				classes = append(classes, class{float64(len(p.parts[s])), q.Serves(s)})
				rest -= float64(len(p.parts[s]))
			}
		}
	}
	pairs := n * (n - 1) / 2
	var square float64
	add := func(ways, value float64) {
		mean += ways / pairs * value
		square += ways / pairs * value * value
	}
	for i, c := range classes {
		single, both := 0.5, 1.0 // precision: one of two passages, both
		if name == CitationRecall {
			single = 1 / float64(len(q.Needs))
			both = single // of one section
		}
		add(c.size*rest, single)
		add(c.size*(c.size-1)/2, both)
		for _, d := range classes[:i] {
			value := 1.0
			if name == CitationRecall {
				value = single
				if len(c.needs) > 1 || len(d.needs) > 1 || c.needs[0] != d.needs[0] {
					value = 2 * single
				}
			}
			add(c.size*d.size, value)
		}
	}
	return mean, max(0, square-mean*mean)
}
