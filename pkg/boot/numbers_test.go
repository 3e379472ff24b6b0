package boot

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWilson(t *testing.T) {
	// With z² = 3.8415: k = 0 gives hi = z²/(n+z²); k = n/2 gives 1/2 ± z/2 · √(1/(n+z²)).
	for _, tt := range []struct {
		k, n   int
		lo, hi float64
	}{
		{0, 20, 0, 3.8415 / 23.8415},
		{20, 20, 20 / 23.8415, 1},
		{10, 20, 0.5 - 0.98*math.Sqrt(1/23.8415), 0.5 + 0.98*math.Sqrt(1/23.8415)},
		{1, 1, 1 / 4.8415, 1},
	} {
		lo, hi := Wilson(tt.k, tt.n, 0.95)
		if math.Abs(lo-tt.lo) > 1e-4 || math.Abs(hi-tt.hi) > 1e-4 {
			t.Errorf("Wilson(%d, %d) = [%.5f, %.5f], want [%.5f, %.5f]", tt.k, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestSignFlip(t *testing.T) {
	same := func(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, tt := range []struct {
		name string
		d    []float64
		want float64
	}{
		{"none", nil, 1},
		{"all 0", same(9, 0), 1},
		{"one", []float64{3}, 1},                                 // 3 and -3 are as far
		{"three alike", same(3, 1), 2. / 8},                      // +++ and ---
		{"zeros have no sign", []float64{1, 0, 1, 0, 1}, 2. / 8}, // the same
		{"1 2 -4", []float64{1, 2, -4}, 1},                       // the sums are 7, 1, 3, 5 and their negatives: none is nearer to 0 than -1
		{"sixteen alike", same(16, 0.1), 2. / 65536},             // the last that is exact
		{"many alike", same(61, 0.1), 1. / 10001},                // no draw is as far: (0+1)/(N+1)
		{"rounding", []float64{0.1, 0.2, -0.3}, 1},               // a mean of 0 but for rounding
		{"1 3 3", []float64{1, 3, 3}, 2. / 8},                    // ±7 alone
		{"two of three", []float64{1, 1, -1}, 1},                 // |1| or |3| always
		{"five of five among 61", append(same(5, 1), same(56, 0)...), 2. / 32},
	} {
		if got := SignFlip(tt.d, 1, 10000); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%s: p = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSignFlipDraws: with 17 differences p is drawn, and near the exact one.
func TestSignFlipDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	d := make([]float64, 17)
	sum := 0.0
	for i := range d {
		d[i] = r.NormFloat64() + 0.4
		sum += d[i]
	}
	hits := 0
	for signs := range 1 << 17 {
		s := 0.0
		for i, v := range d {
			if signs>>i&1 == 1 {
				v = -v
			}
			s += v
		}
		if math.Abs(s) >= math.Abs(sum)-1e-12 {
			hits++
		}
	}
	want := float64(hits) / (1 << 17)
	got := SignFlip(d, 3, 100000)
	if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/100000) || want < 0.01 || want > 0.99 {
		t.Errorf("p = %v, exactly %v", got, want)
	}
}

func TestHolm(t *testing.T) {
	// Sorted 0.01 0.03 0.04, times 3 2 1: 0.03 0.06 0.04, and no smaller than before.
	if diff := cmp.Diff([]float64{0.03, 0.06, 0.06}, Holm([]float64{0.01, 0.04, 0.03}), cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 1}, Holm([]float64{0.6, 0.9})); diff != "" {
		t.Error(diff)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Error(got)
	}
}

func TestTable(t *testing.T) {
	table := Table{YesYes: 8, YesNo: 1, NoYes: 2, NoNo: 9}
	tpr, _ := table.TPR()       // 8 of 10
	tnr, _ := table.TNR()       // 9 of 10
	base, _ := table.BaseRate() // 10 of 20
	kappa, _ := table.Kappa()   // agreed 0.85, by chance 0.45·0.5 + 0.55·0.5 = 0.5: 0.35/0.5
	if diff := cmp.Diff([]float64{0.8, 0.9, 0.5, 0.7}, []float64{tpr, tnr, base, kappa}, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]Table{"none": {}, "yes only": {YesYes: 9}, "no only": {NoNo: 9}} {
		if k, ok := c.Kappa(); ok || k != 0 {
			t.Errorf("%s: kappa %v, %v: undefined (one label only)", name, k, ok)
		}
	}
	if k, ok := (Table{YesYes: 9, YesNo: 1}).Kappa(); !ok || math.Abs(k) > 1e-12 {
		t.Errorf("a judge who always says yes: kappa %v, %v, want 0", k, ok)
	}
	if _, ok := (Table{YesYes: 3}).TNR(); ok {
		t.Error("TNR without a no")
	}
}

func TestCorrection(t *testing.T) {
	// (0.8 + 0.8 - 1)/(0.9 + 0.8 - 1) = 0.6/0.7
	if got, ok := RoganGladen(0.8, 0.9, 0.8); !ok || math.Abs(got-0.6/0.7) > 1e-12 {
		t.Errorf("got %v, %v", got, ok)
	}
	if got, _ := RoganGladen(0.1, 0.9, 0.8); math.Abs(got+0.1/0.7) > 1e-12 {
		t.Errorf("got %v, want (0.1-0.2)/0.7, below 0: nothing is cut off in silence", got)
	}
	if _, ok := RoganGladen(0.5, 0.5, 0.5); ok {
		t.Error("a judge by chance was corrected")
	}
	// 0.838 over all, 0.85 where a person marked, who marked 0.70: 0.688
	if got := PPI(0.838, 0.85, 0.70); math.Abs(got-0.688) > 1e-12 {
		t.Errorf("got %v", got)
	}
	// Rows tp fn… of 100 marks: judge yes 60 of 100, TPR 9/10, TNR 8/10: (0.6+0.8-1)/0.7
	if got, ok := Corrected([]float64{9, 2, 1, 8, 60, 100}, 100); !ok || math.Abs(got-0.4/0.7) > 1e-12 {
		t.Errorf("got %v, %v", got, ok)
	}
}

func sample(n int) []float64 {
	r := rand.New(rand.NewPCG(3, 3))
	values := make([]float64, n)
	for i := range values {
		values[i] = r.Float64()
	}
	return values
}

// TestResamplesAreShared: the draws depend on seed and n alone.
func TestResamplesAreShared(t *testing.T) {
	values := sample(61)
	means := Means(values).Resample(5, 1000)
	rows := Sample{Dim: 2, Stat: Ratio}
	for _, v := range values {
		rows.Rows = append(rows.Rows, v, 1)
	}
	if diff := cmp.Diff(means, rows.Resample(5, 1000), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error("a ratio with denominators of 1 drew other questions than the mean")
	}
	if cmp.Equal(means, Means(values).Resample(6, 1000)) {
		t.Error("another seed drew the same")
	}
}

func TestSameResamplesOnAnyNumberOfCores(t *testing.T) {
	s := Means(sample(1001)) // enough for several goroutines
	run := func(cores int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return s.Resample(1, 3001)
	}
	if diff := cmp.Diff(run(1), run(7)); diff != "" {
		t.Error(diff)
	}
}

// TestDrawsAreEven: every question is drawn as often as any other, and blocks differ.
func TestDrawsAreEven(t *testing.T) {
	const n, draws = 7, 70000
	counts := make([]float64, n)
	r := newSplitmix(1, 0)
	for range draws / 2 {
		a, b := r.two(n)
		counts[a]++
		counts[b]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - draws/n) * (c - draws/n) / (draws / n)
	}
	if chi > 22.5 { // 6 degrees of freedom, p 0.001
		t.Errorf("chi² is %.1f: %v", chi, counts)
	}
	seen := map[uint64]bool{}
	for block := range 1000 {
		r := newSplitmix(1, block)
		seen[r.next()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d of 1000 blocks start apart", len(seen))
	}
}

// TestSplitMix64 is the published test vector of seed 1234567.
func TestSplitMix64(t *testing.T) {
	r := splitmix(1234567)
	got := []uint64{r.next(), r.next(), r.next()}
	if diff := cmp.Diff([]uint64{6457827717110365317, 3203168211198807973, 9817491932198370423}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUndefinedResamplesAreLeftOut(t *testing.T) {
	// One of 3 questions has a denominator: it is in a resample with 1 - (2/3)³ = 0.7037.
	s := Sample{Rows: []float64{0, 0, 1, 2, 0, 0}, Dim: 2, Stat: Ratio}
	re := s.Resample(1, 10000)
	if math.Abs(float64(len(re))-7037) > 4*46 {
		t.Errorf("%d resamples are defined, want about 7037", len(re))
	}
	for _, v := range re {
		if v != 0.5 {
			t.Fatalf("got %v, want 1/2 always", v)
		}
	}
}

func TestBCaUndefined(t *testing.T) {
	if _, _, ok := BCa([]float64{1, 2, 3}, 0, []float64{1, 2}, 0.95); ok {
		t.Error("all resamples above the value")
	}
	if _, _, ok := BCa([]float64{1, 2, 3}, 2, []float64{1, 1}, 0.95); ok {
		t.Error("a jackknife without spread")
	}
}

func BenchmarkBootstrap10000x61(b *testing.B) {
	s := Means(sample(61))
	value, _ := s.Value()
	for b.Loop() {
		re := s.Resample(1, 10000)
		jack, _ := s.Jackknife()
		BCa(re, value, jack, 0.95)
	}
}

// BenchmarkResample10000x61 is the drawing alone.
func BenchmarkResample10000x61(b *testing.B) {
	values := sample(61)
	for b.Loop() {
		r := newSplitmix(1, 0)
		for range 10000 {
			drawn(&r, values)
		}
	}
}

func BenchmarkBootstrap10000x10000(b *testing.B) {
	s := Means(sample(10000))
	for b.Loop() {
		s.Resample(1, 10000)
	}
}

func BenchmarkSignFlip10000x61(b *testing.B) {
	d := sample(61)
	for i := range d {
		d[i] -= 0.4
	}
	for b.Loop() {
		SignFlip(d, 1, 10000)
	}
}
