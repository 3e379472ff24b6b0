package fuse

import (
	"cmp"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// ZScore orders hits in place by the weighted sum of their standardised scores:
// (score − mean) / population standard deviation, over the hits that came in.
// A stage that did not score a hit counts as its lowest score in the list; a
// stage whose scores are all the same has no vote.
func ZScore(hits []record.Hit, terms []Term) { combine(hits, terms, standardise) }

// MinMax is ZScore with (score − min) / (max − min) in place of the standardised score.
func MinMax(hits []record.Hit, terms []Term) { combine(hits, terms, stretch) }

// combine is CombSUM over scores normalised stage by stage.
func combine(hits []record.Hit, terms []Term, normalise func([]float64)) {
	slices.SortFunc(hits, func(a, b record.Hit) int { return cmp.Compare(a.Passage, b.Passage) }) // sums must not depend on the order
	for i := range hits {
		hits[i].Score = 0
	}
	for _, t := range terms {
		column := scores(hits, t.Stage)
		normalise(column)
		for i, x := range column {
			hits[i].Score += float64(t.Weight * x) // the conversion forbids a fused multiply-add
		}
	}
	order(hits)
}

// scores returns a stage's score of each hit, its lowest where it has none.
func scores(hits []record.Hit, stage record.StageName) []float64 {
	low := math.Inf(1)
	for i := range hits {
		if s, ok := hits[i].Stages[stage]; ok {
			low = min(low, s.Score)
		}
	}
	column := make([]float64, len(hits))
	for i := range hits {
		s, ok := hits[i].Stages[stage]
		switch {
		case ok:
			column[i] = s.Score
		case !math.IsInf(low, 1):
			column[i] = low
		}
	}
	return column
}

// standardise turns x into z-scores, or zeros where all are the same.
func standardise(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	variance := 0.0
	for _, v := range x {
		variance += float64((v - mean) * (v - mean))
	}
	deviation := math.Sqrt(variance / float64(len(x)))
	flat := spread(x) == 0 // not deviation == 0: the mean of equal numbers may be off by a bit
	for i, v := range x {
		if flat {
			x[i] = 0
			continue
		}
		x[i] = (v - mean) / deviation
	}
}

// stretch maps x onto 0…1, or zeros where all are the same.
func stretch(x []float64) {
	width := spread(x)
	low := math.Inf(1)
	for _, v := range x {
		low = min(low, v)
	}
	for i, v := range x {
		if width == 0 {
			x[i] = 0
			continue
		}
		x[i] = (v - low) / width
	}
}

func spread(x []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}
