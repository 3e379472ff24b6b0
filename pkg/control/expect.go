package control

import (
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// maxShared bounds the sections and the needs that are enumerated together.
const maxShared = 16

// space is what random lists are drawn from: sections, or passages.
type space struct {
	n      int // how many there are
	k      int // how many of a list count
	weight func(record.SectionID) int
}

// moments of a metric over random lists.
type moments struct {
	mean     float64
	variance float64 // at least this; exact where one gain is all a list can have
}

// miss returns Q(a,i) for i = 0…k: the chance that none of a given items is among the first i.
func (s space) miss(a int) []float64 {
	q := make([]float64, s.k+1)
	q[0] = 1
	for i := 1; i <= s.k; i++ {
		q[i] = q[i-1] * float64(max(0, s.n-a-(i-1))) / float64(s.n-(i-1))
	}
	return q
}

// expect returns the moments of metric m of question q over random lists of s.
func expect(m metric.Metric, q *golden.Question, s space, judged int) (moments, error) {
	switch m.Kind {
	case metric.MRR:
		return s.reciprocalRank(q), nil
	case metric.MAP:
		return s.averagePrecision(len(q.Needs)), nil
	case metric.Judged:
		return s.share(judged), nil
	}
	gain, square, met, err := s.ranks(q)
	if err != nil {
		return moments{}, err
	}
	var worth func(rank int) float64 // of a gain of 1
	per := gain
	switch m.Kind {
	case metric.Recall:
		per, square = met, met
		worth = func(int) float64 { return 1 / float64(len(q.Needs)) }
	case metric.Precision:
		per, square = met, met
		worth = func(int) float64 { return 1 / float64(m.Cut) }
	case metric.NDCG:
		ideal := q.Gains()
		if m.Cut > 0 {
			ideal = ideal[:min(m.Cut, len(ideal))]
		}
		full := 0.0
		for i, g := range ideal {
			full += g * metric.Discount(i+1)
		}
		worth = func(rank int) float64 { return metric.Discount(rank) / full }
	default:
		return moments{}, fmt.Errorf("no expectation is known for %s", m.Name())
	}
	var mean, sum float64
	for i := 1; i <= s.k; i++ {
		mean += per[i] * worth(i)
		sum += square[i] * worth(i) * worth(i)
	}
	return spread(mean, sum), nil
}

// spread returns the moments with at least E[x²] - mean² as variance.
func spread(mean, square float64) moments {
	return moments{mean, max(0, square-mean*mean)}
}

// ranks returns what is expected at each rank from 1: the gain, its square, and the needs newly met.
func (s space) ranks(q *golden.Question) (gain, square, met []float64, err error) {
	gain, square, met = make([]float64, s.k+1), make([]float64, s.k+1), make([]float64, s.k+1)
	for _, part := range components(q) {
		f, err := s.reach(q, part)
		if err != nil {
			return nil, nil, nil, err
		}
		g := q.Needs[part.needs[0]].Gain // needs that share sections are of gain 1
		for i := 1; i <= s.k; i++ {
			e := f[i] - f[i-1]
			gain[i] += g * e
			square[i] += g * g * e
			met[i] += e
		}
	}
	return gain, square, met, nil
}

func (s space) reciprocalRank(q *golden.Question) moments {
	a := 0
	for _, part := range components(q) {
		for _, section := range part.sections {
			a += s.weight(section)
		}
	}
	miss := s.miss(a)
	var mean, square float64
	for i := 1; i <= s.k; i++ {
		p := miss[i-1] - miss[i]
		mean += p / float64(i)
		square += p / float64(i*i)
	}
	return spread(mean, square)
}

// averagePrecision is of m documents, each a need of its own.
func (s space) averagePrecision(m int) moments {
	n, needs := float64(s.n), float64(m)
	var mean, square float64
	for i := 1; i <= s.k; i++ {
		rank := float64(i)
		before := 0.0
		if s.n > 1 {
			before = (rank - 1) * (needs - 1) / (n - 1)
		}
		mean += needs / n * (1 + before) / rank / needs
		square += needs / n / (rank * rank * needs * needs)
	}
	return spread(mean, square)
}

// share is of the judged among the first k: hypergeometric.
func (s space) share(judged int) moments {
	p := float64(judged) / float64(s.n)
	if s.n == 1 {
		return moments{mean: p}
	}
	return moments{p, p * (1 - p) / float64(s.k) * float64(s.n-s.k) / float64(s.n-1)}
}
