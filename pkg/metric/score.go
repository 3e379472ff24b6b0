package metric

import (
	"math"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Scorer scores lists of passages for one question. The values are in the
// order of the suite, and valid until the next call.
type Scorer func(list []golden.Ranked) []float64

// For returns the scorer of a question. It is not for use by several goroutines at once.
func (s Suite) For(q *golden.Question) Scorer {
	if !q.Answerable() {
		panic("metric: question " + string(q.ID) + " has no gold")
	}
	l := &list{q: q, matching: golden.NewMatching(q)}
	values := make([]float64, len(s))
	return func(ranked []golden.Ranked) []float64 {
		read := -1 // the number of passages that l holds
		for i, m := range s {
			n := len(ranked)
			if m.Passages {
				n = min(n, m.Cut)
			}
			if n != read {
				l.read(ranked[:n])
				read = n
			}
			values[i] = l.value(m)
		}
		return values
	}
}

// list is a list of passages, folded, with what its sections gain.
type list struct {
	q        *golden.Question
	matching *golden.Matching
	sections []record.SectionID
	gains    []float64
}

func (l *list) read(ranked []golden.Ranked) {
	l.matching.Reset()
	l.sections = golden.AppendFold(l.sections[:0], ranked)
	l.gains = l.gains[:0]
	for _, s := range l.sections {
		l.gains = append(l.gains, l.matching.Add(s))
	}
}

func (l *list) value(m Metric) float64 {
	gains := l.gains
	if m.Cut > 0 {
		gains = gains[:min(m.Cut, len(gains))]
	}
	needs := float64(len(l.q.Needs))
	switch m.Kind {
	case Recall:
		return met(gains) / needs
	case Precision:
		return met(gains) / float64(m.Cut)
	case MRR:
		return reciprocalRank(gains)
	case NDCG:
		ideal := l.q.Gains()
		if m.Cut > 0 {
			ideal = ideal[:min(m.Cut, len(ideal))]
		}
		return DCG(gains) / DCG(ideal)
	case MAP:
		return averagePrecision(gains) / needs
	case Judged:
		return l.judged(len(gains))
	}
	panic("metric: unknown kind " + string(m.Kind))
}

func met(gains []float64) float64 {
	n := 0.0
	for _, g := range gains {
		if g > 0 {
			n++
		}
	}
	return n
}

func reciprocalRank(gains []float64) float64 {
	for i, g := range gains {
		if g > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// averagePrecision is the sum of precisions at the ranks that gain, not yet divided by the needs.
func averagePrecision(gains []float64) float64 {
	sum, n := 0.0, 0.0
	for i, g := range gains {
		if g > 0 {
			n++
			sum += n / float64(i+1)
		}
	}
	return sum
}

func (l *list) judged(k int) float64 {
	if k == 0 {
		return 0
	}
	n := 0
	for _, s := range l.sections[:k] {
		if l.q.Judged(s) {
			n++
		}
	}
	return float64(n) / float64(k)
}

// DCG is the discounted cumulative gain of gains in rank order.
func DCG(gains []float64) float64 {
	sum := 0.0
	for i, g := range gains {
		if g != 0 {
			sum += g * Discount(i+1)
		}
	}
	return sum
}

// discounts holds the first of them: log2 is most of the work otherwise.
var discounts = func() (d [128]float64) {
	for i := range d {
		d[i] = 1 / math.Log2(float64(i)+1)
	}
	return d
}()

// Discount is 1/log2(rank+1), for ranks from 1.
func Discount(rank int) float64 {
	if rank < len(discounts) {
		return discounts[rank]
	}
	return 1 / math.Log2(float64(rank)+1)
}
