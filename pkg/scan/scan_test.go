package scan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// random returns n rows of d drawn from a normal distribution, scaled to unit length.
func random(seed uint64, n, d int) Matrix {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := Matrix{d, make([]float32, n*d)}
	for i := range n {
		row, sum := m.Data[i*d:(i+1)*d], 0.0
		for j := range row {
			v := rng.NormFloat64()
			row[j], sum = float32(v), sum+v*v
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(sum))
		}
	}
	return m
}

func row(m Matrix, i int) []float32 { return m.Data[i*m.Dim : (i+1)*m.Dim] }

// TestKernels holds every kernel this CPU has against float64 arithmetic.
func TestKernels(t *testing.T) {
	kernels := map[string]func(q, rows, out []float32){"go": dotsGo}
	if Kernel != "go" {
		kernels[Kernel] = dots
	} else {
		t.Log("SKIP the vector kernel: this CPU has none that we know")
	}
	for name, kernel := range kernels {
		for d := range 140 {
			for _, n := range []int{0, 1, 3} {
				m := random(uint64(d), n+1, d)
				// One float past the end on both sides shows a kernel that reads or writes too far.
				rows, out := slices.Concat(m.Data[d:], []float32{float32(math.NaN())}), make([]float32, n+1)
				out[n] = 7
				kernel(m.Data[:d], rows[:n*d], out[:n])
				for i := range n {
					want := 0.0
					for j := range d {
						want += float64(m.Data[j]) * float64(rows[i*d+j])
					}
					if diff := math.Abs(want - float64(out[i])); !(diff <= 1e-6) {
						t.Fatalf("%s: d=%d n=%d row %d: got %v, want %v", name, d, n, i, out[i], want)
					}
				}
				if out[n] != 7 {
					t.Fatalf("%s: d=%d n=%d: wrote past the end", name, d, n)
				}
			}
		}
	}
}

func TestTopK(t *testing.T) {
	// Dot products with (1, 2): 1*1+2*0 = 1, 2, 5, 2, -3, and NaN.
	nan := float32(math.NaN())
	m := Matrix{2, []float32{1, 0, 0, 1, 1, 2, 2, 0, 1, -2, nan, 0}}
	q := [][]float32{{1, 2}}
	tests := []struct {
		k      int
		want   []Hit
		reason string
	}{
		{0, []Hit{}, "nothing was asked for"},
		{2, []Hit{{2, 5}, {1, 2}}, "rows 1 and 3 tie: the first row goes first"},
		{3, []Hit{{2, 5}, {1, 2}, {3, 2}}, ""},
		{9, []Hit{{2, 5}, {1, 2}, {3, 2}, {0, 1}, {4, -3}}, "NaN is never among the best"},
	}
	for _, tt := range tests {
		if d := cmp.Diff([][]Hit{tt.want}, m.TopK(q, tt.k, 1)); d != "" {
			t.Errorf("k=%d (%s) (-want +got):\n%s", tt.k, tt.reason, d)
		}
	}
	if d := cmp.Diff([][]Hit{{}}, Matrix{2, nil}.TopK(q, 3, 4)); d != "" {
		t.Errorf("no rows (-want +got):\n%s", d)
	}
}

// TestSameBits: the hits are the full sort's, the same bits for any number of
// workers, and for queries alone or together; rows that repeat tie by row.
func TestSameBits(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 3000} {
		m := random(uint64(n), n, 48)
		for i := 7; i < n; i += 7 {
			copy(row(m, i), row(m, i/7%3)) // long runs of ties
		}
		queries := [][]float32{row(random(1, 1, 48), 0), row(m, 0), row(m, n-1)}
		for _, k := range []int{1, 20, 600} {
			var want [][]Hit
			for _, q := range queries {
				scores := make([]float32, n)
				dots(q, m.Data, scores)
				all := make([]Hit, n)
				for i, s := range scores {
					all[i] = Hit{i, s}
				}
				slices.SortStableFunc(all, func(a, b Hit) int {
					if a.Score != b.Score {
						return map[bool]int{true: -1, false: 1}[a.Score > b.Score]
					}
					return a.Row - b.Row
				})
				want = append(want, all[:min(k, n)])
			}
			for _, workers := range []int{-1, 1, 2, 3, 8} {
				if d := cmp.Diff(want, m.TopK(queries, k, workers)); d != "" {
					t.Fatalf("n=%d k=%d workers=%d (-sort +got):\n%s", n, k, workers, d)
				}
			}
			if d := cmp.Diff(want[1:2], m.TopK(queries[1:2], k, 2)); d != "" {
				t.Fatalf("n=%d k=%d alone (-together +alone):\n%s", n, k, d)
			}
		}
	}
}

func TestTopKPanicsOnLength(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); got != "scan: query 0 has 2 dimensions, the matrix 3" {
			t.Errorf("got %q", got)
		}
	}()
	random(1, 2, 3).TopK([][]float32{{1, 2}}, 1, 1)
}
