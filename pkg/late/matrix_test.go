package late

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// floatMaxSim is MaxSim in float64 on vectors as a model gives them.
func floatMaxSim(query, passage []float32, dim int) float64 {
	sum := 0.0
	for q := range slices.Chunk(query, dim) {
		best := math.Inf(-1)
		for p := range slices.Chunk(passage, dim) {
			dot := 0.0
			for k := range q {
				dot += float64(q[k]) * float64(p[k])
			}
			best = max(best, dot)
		}
		sum += best
	}
	return sum
}

// plainMaxSim is MaxSim as its definition reads, on the int8 form.
func plainMaxSim(query, passage Matrix) float32 {
	if passage.Len() == 0 {
		return 0
	}
	var sum float32
	for i := range query.Len() {
		best := float32(math.Inf(-1))
		for j := range passage.Len() {
			dot := int32(0)
			for k := range query.Dim {
				dot += int32(query.Rows[i*query.Dim+k]) * int32(passage.Rows[j*query.Dim+k])
			}
			best = max(best, passage.Scales[j]*float32(dot))
		}
		sum += float32(query.Scales[i] * best)
	}
	return sum
}

// unitVectors are random directions, with outlier added to one element, the same of all.
func unitVectors(rng *rand.Rand, n, dim int, outlier float32) []float32 {
	v := make([]float32, n*dim)
	for row := range slices.Chunk(v, dim) {
		squares := 0.0
		for k := range row {
			row[k] = float32(rng.NormFloat64() / math.Sqrt(float64(dim)))
			if k == 7 {
				row[k] += outlier
			}
			squares += float64(row[k]) * float64(row[k])
		}
		for k := range row {
			row[k] /= float32(math.Sqrt(squares))
		}
	}
	return v
}

func quantise(t testing.TB, v []float32, dim int) Matrix {
	t.Helper()
	m, err := Quantise(v, dim)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestQuantise(t *testing.T) {
	tests := []struct {
		name string
		in   []float32
		dim  int
		want Matrix
	}{
		// Three has no power of two but 1, so nothing is rotated. Token 0 has length 5 and largest 4: scale
		// 4/127/5, and 3/4·127 = 95.25. Token 1 is empty. Token 2 is made 1 long.
		{"no rotation", []float32{3, -4, 0, 0, 0, 0, 0.5, 0, 0}, 3, Matrix{
			Dim:    3,
			Scales: []float32{0.8 / 127, 0, 1.0 / 127},
			Rows:   []int8{95, -127, 0, 0, 0, 0, 127, 0, 0},
		}},
		// Blocks of 4. (8,4,2,0 | 0,0,0,1): pairs 12 4 2 2, then 14 6 10 2; pairs 0 0 1 −1, then 1 −1 −1 1.
		// Length √(14²+6²+10²+2²+4) = √340; 6/14·127 = 54.43, 10/14·127 = 90.71, 2/14·127 = 18.14, 127/14 = 9.07.
		{"rotation", []float32{8, 4, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 12, Matrix{
			Dim:    12,
			Scales: []float32{float32(14.0 / 127 / math.Sqrt(340))},
			Rows:   []int8{127, 54, 91, 18, 9, -9, -9, 9, 0, 0, 0, 0},
		}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, quantise(t, tt.in, tt.dim)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestQuantiseRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tt := range []struct {
		v   []float32
		dim int
	}{{[]float32{1, 2, 3}, 2}, {[]float32{1}, 0}, {[]float32{1, nan}, 2}, {[]float32{0, 1, inf, 1}, 2}} {
		if m, err := Quantise(tt.v, tt.dim); err == nil {
			t.Errorf("Quantise(%v, %d) = %v", tt.v, tt.dim, m)
		}
	}
}

// A hand-made score: query (1,0,0), (0,1,0); passage (0.6,0.8,0), (−1,0,0).
func TestMaxSimByHand(t *testing.T) {
	q := quantise(t, []float32{1, 0, 0, 0, 1, 0}, 3)
	p := quantise(t, []float32{0.6, 0.8, 0, -1, 0, 0}, 3)
	// Best for (1,0) is 0.6, rounded to 95/127 of 0.8; best for (0,1) is 0.8.
	want := float32(95.0/127*0.8 + 0.8)
	if got := MaxSim(q, p); math.Abs(float64(got-want)) > 1e-6 {
		t.Errorf("MaxSim = %v, want %v", got, want)
	}
	if got := MaxSim(q, Matrix{Dim: 3}); got != 0 {
		t.Errorf("MaxSim with an empty passage = %v, want 0", got)
	}
	if got := MaxSim(Matrix{Dim: 3}, p); got != 0 {
		t.Errorf("MaxSim of an empty query = %v, want 0", got)
	}
}

func TestMaxSimAgainstFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const dim, nq = 384, 32
	for _, outlier := range []float32{0, 1} {
		worst := 0.0
		for range 20 {
			q, p := unitVectors(rng, nq, dim, outlier), unitVectors(rng, 1+rng.IntN(80), dim, outlier)
			want := floatMaxSim(q, p, dim)
			worst = max(worst, math.Abs(float64(MaxSim(quantise(t, q, dim), quantise(t, p, dim)))-want))
		}
		t.Logf("one element %v larger: the largest error is %.4f over %d query tokens", outlier, worst, nq)
		// Without rotation an element of 0.7 makes this 0.045.
		if worst > 0.015 {
			t.Errorf("one element %v larger: int8 is off by %v", outlier, worst)
		}
	}
}

// Every kernel gives the bits of the definition, whatever the shape and the values.
func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	if kernel() != engines()[len(engines())-1] {
		t.Errorf("chose %v among %v", kernel(), engines())
	}
	for _, dim := range []int{1, 3, 16, 64, 80, 96, 128, 384} {
		for _, shape := range [][2]int{{1, 1}, {3, 2}, {4, 3}, {5, 1}, {32, 7}, {33, 64}} {
			for _, fill := range []string{"random", "extreme"} {
				q, p := randomMatrix(rng, shape[0], dim, fill), randomMatrix(rng, shape[1], dim, fill)
				want := plainMaxSim(q, p)
				for _, e := range engines() {
					if got := prepare(q).maxSim(p, e, nil); math.Float32bits(got) != math.Float32bits(want) {
						t.Errorf("%v, dim %d, %d×%d, %s: %v, want %v", e, dim, shape[0], shape[1], fill, got, want)
					}
				}
			}
		}
	}
}

// randomMatrix is of any int8 there is, or of the two ends alone.
func randomMatrix(rng *rand.Rand, n, dim int, fill string) Matrix {
	m := Matrix{Dim: dim, Scales: make([]float32, n), Rows: make([]int8, n*dim)}
	for i := range m.Scales {
		m.Scales[i] = rng.Float32()
	}
	for i := range m.Rows {
		m.Rows[i] = int8(rng.IntN(256) - 128)
		if fill == "extreme" {
			m.Rows[i] = [2]int8{-128, 127}[rng.IntN(16)/15]
		}
	}
	return m
}

func TestDimensionsMustAgree(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("MaxSim of 2 and 3 dimensions came back")
		}
	}()
	MaxSim(Matrix{Dim: 2, Scales: []float32{1}, Rows: []int8{1, 2}}, Matrix{Dim: 3, Scales: []float32{1}, Rows: []int8{1, 2, 3}})
}

func BenchmarkMaxSim(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	const dim, nq, nd = 384, 32, 250
	q, p := prepare(quantise(b, unitVectors(rng, nq, dim, 0), dim)), quantise(b, unitVectors(rng, nd, dim, 0), dim)
	scratch := make([]float32, nq)
	for _, e := range engines() {
		b.Run(fmt.Sprint(e), func(b *testing.B) {
			for b.Loop() {
				q.maxSim(p, e, scratch)
			}
			b.ReportMetric(float64(b.N)*dim*nq*nd/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
