package boot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestCoverage measures how often nominal 95 % intervals hold the true value, n
// questions answered right at a rate. For values of 0 and 1 it is computed, not
// simulated: every sample there can be, times its chance. For reciprocal ranks
// (right at the rate, then at rank 1 to 5 alike) it is simulated. The package doc
// must say what comes out, and name whatever is not within 92 to 98 %.
func TestCoverage(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	p := Default()
	p.Resamples = 2000
	for _, row := range []struct {
		name  string
		cover func(p *Plan, n int, rate float64) float64
	}{
		{"Wilson", func(_ *Plan, n int, rate float64) float64 { return coverWilson(n, rate) }},
		{"BCa, 0 and 1", coverBCa},
		{"BCa, ranks", simulateBCa},
		{"difference, 0 and 1", coverDifference},
		{"difference, ranks", simulateDifference},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			line := fmt.Sprintf("//	%-20s", row.name)
			for _, n := range []int{20, 61} {
				for _, rate := range []float64{0.1, 0.5, 0.9} {
					percent := 100 * row.cover(&p, n, rate)
					mark := " "
					if percent < 92 || percent > 98 {
						mark = "*"
					}
					line += fmt.Sprintf("%7.1f%s", percent, mark)
				}
			}
			if line = strings.TrimRight(line, " "); !strings.Contains(string(doc), line+"\n") {
				t.Errorf("the package doc does not say\n%s", line)
			}
		})
	}
}

// holds says whether the bootstrap interval of values holds the truth.
func holds(p *Plan, values []float64, truth float64) bool {
	iv := &record.Interval{Stat: StatMean, Baseline: "any"} // a baseline keeps Wilson's away
	p.fill(iv, Means(values), "")
	return *iv.Lo <= truth && truth <= *iv.Hi
}

// binomial is the chance of k among n at a rate.
func binomial(n, k int, rate float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(rate) + float64(n-k)*math.Log1p(-rate))
}

func coverWilson(n int, rate float64) float64 {
	c := 0.0
	for k := range n + 1 {
		if lo, hi := Wilson(k, n, 0.95); lo <= rate && rate <= hi {
			c += binomial(n, k, rate)
		}
	}
	return c
}

func coverBCa(p *Plan, n int, rate float64) float64 {
	c := 0.0
	for k := range n + 1 {
		values := make([]float64, n)
		for i := range k {
			values[i] = 1
		}
		if holds(p, values, rate) {
			c += binomial(n, k, rate)
		}
	}
	return c
}

// coverDifference is of two systems alike, each right at the rate by itself: the true difference is 0.
func coverDifference(p *Plan, n int, rate float64) float64 {
	c := 0.0
	for k := range n + 1 { // pairs that differ
		for up := range k + 1 {
			chance := binomial(n, k, 2*rate*(1-rate)) * binomial(k, up, 0.5)
			if chance < 1e-6 {
				continue
			}
			values := make([]float64, n)
			for i := range k {
				values[i] = 1
				if i >= up {
					values[i] = -1
				}
			}
			if holds(p, values, 0) {
				c += chance
			}
		}
	}
	return c
}

const samples = 1000

// reciprocalRanks draws them; their mean is the rate times (1 + 1/2 + … + 1/5)/5.
func reciprocalRanks(r *rand.Rand, n int, rate float64) (values []float64, mean float64) {
	for range n {
		v := 0.0
		if r.Float64() < rate {
			v = 1 / float64(1+r.IntN(5))
		}
		values = append(values, v)
	}
	return values, rate * (1 + 1./2 + 1./3 + 1./4 + 1./5) / 5
}

func simulateBCa(p *Plan, n int, rate float64) float64 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	hits := 0
	for range samples {
		values, mean := reciprocalRanks(r, n, rate)
		if holds(p, values, mean) {
			hits++
		}
	}
	return float64(hits) / samples
}

func simulateDifference(p *Plan, n int, rate float64) float64 {
	r := rand.New(rand.NewPCG(8, uint64(n)))
	hits := 0
	for range samples {
		a, _ := reciprocalRanks(r, n, rate)
		b, _ := reciprocalRanks(r, n, rate)
		for i := range a {
			a[i] -= b[i]
		}
		if holds(p, a, 0) {
			hits++
		}
	}
	return float64(hits) / samples
}
