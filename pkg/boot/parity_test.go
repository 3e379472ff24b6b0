package boot

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"
)

func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestScipy compares with scipy.stats.bootstrap and permutation_test, of 200,000 resamples each.
func TestScipy(t *testing.T) {
	type parity struct {
		Name            string
		A, B            []float64
		Mean            float64
		Percentile, BCa [2]float64
		P               float64 `json:"permutation_p"`
	}
	// A bound is off by chance: with 200,000 resamples on both sides, a quantile at
	// 0.025 has a standard error of √2·√(0.025·0.975/200000)/f = 0.00049/f, f the
	// density there. Near the normal f = 0.0584/σ: 0.0085 σ, and 4 of them 0.034 σ,
	// σ the standard error of the mean. Means of binary61 lie 1/61 apart.
	step := map[string]float64{"binary61": 1. / 61}
	for _, p := range lines[parity](t, "testdata/bootstrap.jsonl") {
		t.Run(p.Name, func(t *testing.T) {
			d := make([]float64, len(p.A))
			for i := range d {
				d[i] = p.B[i] - p.A[i]
			}
			s := Means(d)
			mean, _ := s.Value()
			near(t, "mean", mean, p.Mean, 1e-12)
			if s.Constant() {
				near(t, "the percentile interval of a constant", mean, p.Percentile[0], 1e-12)
				near(t, "the BCa interval of a constant", mean, p.BCa[1], 1e-12)
			} else {
				jack, _ := s.Jackknife()
				var square float64
				for _, v := range d {
					square += (v - mean) * (v - mean)
				}
				n := float64(len(d))
				slack := 0.034*math.Sqrt(square/n/n) + step[p.Name]
				re := s.Resample(1, 200000)
				lo, hi := Percentile(re, 0.95)
				near(t, "percentile lo", lo, p.Percentile[0], slack)
				near(t, "percentile hi", hi, p.Percentile[1], slack)
				lo, hi, ok := BCa(re, mean, jack, 0.95)
				if !ok {
					t.Fatal("BCa is undefined")
				}
				near(t, "BCa lo", lo, p.BCa[0], slack)
				near(t, "BCa hi", hi, p.BCa[1], slack)
			}
			got := SignFlip(d, 1, 200000)
			near(t, "p", got, p.P, 4*math.Sqrt(2*p.P*(1-p.P)/200000)+1e-5)
		})
	}
}

func near(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	t.Logf("%s: %.6f, reference %.6f, slack %.6f", what, got, want, slack)
	if !(math.Abs(got-want) <= slack) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, slack)
	}
}

func TestScikitKappa(t *testing.T) {
	type parity struct {
		A, B  []int
		Kappa *float64
	}
	n := 0
	for _, p := range lines[parity](t, "testdata/kappa.jsonl") {
		var sum [4]float64
		for i := range p.A {
			sum[2*(1-p.A[i])+1-p.B[i]]++
		}
		got, ok := Kappa(sum[:], len(p.A))
		switch {
		case ok != (p.Kappa != nil):
			t.Errorf("defined: %v, scikit-learn: %v", ok, p.Kappa != nil)
		case ok && math.Abs(got-*p.Kappa) > 1e-14:
			t.Errorf("kappa %v, scikit-learn gives %v", got, *p.Kappa)
		}
		n++
	}
	if n < 6 {
		t.Errorf("compared %d", n)
	}
}
