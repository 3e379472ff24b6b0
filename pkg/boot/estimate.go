package boot

import (
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// proportions are the statistics that may be shares of questions.
var proportions = []string{StatMean, StatTPR, StatTNR, StatBaseRate, StatFlips}

const (
	few          = 20   // questions, below which a warning is due: coverage falls there
	maxUndefined = 0.05 // share of resamples
)

// fill puts value and interval of a sample into iv, and returns the resamples
// where there are any. Undefined says what it means that the statistic has no value.
func (p *Plan) fill(iv *record.Interval, s Sample, undefined string) (resamples []float64) {
	n := s.N()
	if n == 0 {
		iv.Reason = "no question has a value"
		return nil
	}
	value, ok := s.Value()
	if !ok {
		iv.Reason = fmt.Sprintf("undefined (%s)", undefined)
		return nil
	}
	iv.Trusted, iv.Value = true, &value
	warn := func(format string, args ...any) {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf(format, args...))
	}
	switch {
	case n == 1:
		warn("n is 1: one question says nothing of others")
	case n < few:
		warn("n is small: %d questions", n)
	}
	constant := s.Constant()
	if constant && n > 1 {
		warn("all values are equal: the sample shows no spread")
	}
	if k, ok := successes(s); ok && slices.Contains(proportions, iv.Stat) && iv.Baseline == "" {
		lo, hi := Wilson(k, n, p.Level)
		iv.Lo, iv.Hi, iv.Method = &lo, &hi, MethodWilson
		return nil
	}
	iv.Method = p.Method
	switch {
	case n == 1:
		iv.Method = ""
		return nil
	case constant:
		lo, hi := value, value
		iv.Lo, iv.Hi = &lo, &hi
		return nil
	}
	seed := p.Seed
	iv.Resamples, iv.Seed = p.Resamples, &seed
	re := s.Resample(p.Seed, p.Resamples)
	if lost := p.Resamples - len(re); lost > 0 {
		share := float64(lost) / float64(p.Resamples)
		if share > maxUndefined {
			warn("no interval: %.1f %% of the resamples are undefined (%s)", 100*share, undefined)
			iv.Method = ""
			return re
		}
		warn("%d resamples are undefined (%s) and left out", lost, undefined)
	}
	lo, hi := Percentile(re, p.Level)
	if p.Method == MethodBCa {
		jack, ok := s.Jackknife()
		if ok {
			var blo, bhi float64
			if blo, bhi, ok = BCa(re, value, jack, p.Level); ok {
				lo, hi = blo, bhi
			}
		}
		if !ok {
			warn("BCa is undefined here, the interval is percentile")
			iv.Method = MethodPercentile
		}
	}
	iv.Lo, iv.Hi = &lo, &hi
	return re
}

// successes counts the 1s of a sample of values that are all 0 or 1.
func successes(s Sample) (k int, ok bool) {
	if s.Dim != 1 {
		return 0, false
	}
	for _, v := range s.Rows {
		switch v {
		case 0:
		case 1:
			k++
		default:
			return 0, false
		}
	}
	return k, true
}
