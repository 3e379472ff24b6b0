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

func TestTop(t *testing.T) {
	// Dot products with (1, 2): 1*1+2*0 = 1, 2, 5, 2, -3, and NaN.
	nan := float32(math.NaN())
	m := Matrix{2, []float32{1, 0, 0, 1, 1, 2, 2, 0, 1, -2, nan, 0}}
	scores := m.Dots([]float32{1, 2}, 1)
	tests := []struct {
		k      int
		want   []Hit
		reason string
	}{
		{0, []Hit{}, "nothing was asked for"},
		{2, []Hit{{2, 5}, {1, 2}}, "rows 1 and 3 tie: the first row goes first"},
		{3, []Hit{{2, 5}, {1, 2}, {3, 2}}, ""},
		{9, []Hit{{2, 5}, {1, 2}, {3, 2}, {0, 1}, {4, -3}}, "NaN is not ranked"},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, Top(scores, tt.k)); d != "" {
			t.Errorf("k=%d (%s) (-want +got):\n%s", tt.k, tt.reason, d)
		}
	}
	if d := cmp.Diff([]int{4, 2, 1, 3, 5, 0, 2}, Ranks(scores, []int{0, 1, 2, 3, 4, 5, 1})); d != "" {
		t.Errorf("ranks (-want +got):\n%s", d)
	}
	if got := (Matrix{2, nil}).Dots([]float32{1, 2}, 4); len(got) != 0 {
		t.Errorf("no rows: got %v", got)
	}
}

// TestSameBits: the scores are the same bits for any number of workers, and the
// best are those of a full sort, with long runs of ties.
func TestSameBits(t *testing.T) {
	for _, n := range []int{1, 999, 2000, 4321} {
		m := random(uint64(n), n, 48)
		for i := 7; i < n; i += 7 {
			copy(row(m, i), row(m, i/7%3))
		}
		q := row(random(1, 1, 48), 0)
		scores := make([]float32, n)
		dots(q, m.Data, scores)
		all := make([]Hit, n)
		for i, s := range scores {
			all[i] = Hit{i, float64(s)}
		}
		slices.SortStableFunc(all, func(a, b Hit) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		for _, workers := range []int{-1, 1, 2, 3, 8} {
			got := m.Dots(q, workers)
			if !slices.Equal(got, scores) {
				t.Fatalf("n=%d: %d workers give other scores", n, workers)
			}
			for _, k := range []int{1, 20, 600} {
				if d := cmp.Diff(all[:min(k, n)], Top(got, k)); d != "" {
					t.Fatalf("n=%d k=%d (-sort +got):\n%s", n, k, d)
				}
			}
		}
		rows, want := rand.New(rand.NewPCG(1, 1)).Perm(n)[:min(n, 40)], []int(nil)
		for _, r := range rows {
			want = append(want, 1+slices.IndexFunc(all, func(h Hit) bool { return h.Row == r }))
		}
		if d := cmp.Diff(want, Ranks(scores, rows)); d != "" {
			t.Fatalf("n=%d: ranks (-sort +got):\n%s", n, d)
		}
	}
}

func TestDotsPanicsOnLength(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); got != "scan: the query has 2 dimensions, the matrix 3" {
			t.Errorf("got %q", got)
		}
	}()
	random(1, 2, 3).Dots([]float32{1, 2}, 1)
}
