package scan

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Matrix is n rows of Dim float32, row-major. The scan only reads it.
type Matrix struct {
	Dim  int
	Data []float32
}

// Rows is the number of rows.
func (m Matrix) Rows() int {
	if m.Dim == 0 {
		return 0
	}
	return len(m.Data) / m.Dim
}

// Dots returns the dot product of query with every row. It shares the rows
// among up to workers goroutines, at least one. It panics where the query's
// length is not m.Dim: lengths are the caller's to check.
func (m Matrix) Dots(query []float32, workers int) []float32 {
	if len(query) != m.Dim {
		panic(fmt.Sprintf("scan: the query has %d dimensions, the matrix %d", len(query), m.Dim))
	}
	n := m.Rows()
	out := make([]float32, n)
	workers = max(1, min(workers, n/minRows))
	var wg sync.WaitGroup
	for w := range workers - 1 {
		wg.Go(func() { m.dots(query, out, n*w/workers, n*(w+1)/workers) })
	}
	m.dots(query, out, n*(workers-1)/workers, n)
	wg.Wait()
	return out
}

// minRows is the least a goroutine of its own is worth.
const minRows = 1000

func (m Matrix) dots(query, out []float32, lo, hi int) {
	dots(query, m.Data[lo*m.Dim:hi*m.Dim], out[lo:hi])
}

// Hit is a row with its score.
type Hit struct {
	Row   int
	Score float64
}

// before says whether h ranks before other: by score, then by row.
func (h Hit) before(other Hit) bool {
	return h.Score > other.Score || h.Score == other.Score && h.Row < other.Row
}

// Float is a type of scores.
type Float interface{ float32 | float64 }

// Top returns the k rows with the best scores, best first; fewer where there
// are fewer. Rows that score NaN are not ranked.
func Top[F Float](scores []F, k int) []Hit {
	b := best{k: k}
	for row, s := range scores {
		b.offer(Hit{row, float64(s)})
	}
	return b.ranked()
}

// Ranks returns the rank of each of rows among all, counted from 1, as Top
// would give it; 0 for a row that scores NaN. Rows may be in any order.
func Ranks[F Float](scores []F, rows []int) []int {
	var mine []Hit // of rows, best first
	for _, row := range rows {
		if scores[row] == scores[row] {
			mine = append(mine, Hit{row, float64(scores[row])})
		}
	}
	slices.SortFunc(mine, compare)
	mine = slices.Compact(mine)
	// ahead[i] counts the rows that are ranked with or before mine[i], and behind mine[i-1].
	ahead := make([]int, len(mine)+1)
	for row, s := range scores {
		if s != s {
			continue
		}
		ahead[place(mine, Hit{row, float64(s)})]++
	}
	rank := make(map[int]int, len(mine))
	sum := 0
	for i, h := range mine {
		sum += ahead[i]
		rank[h.Row] = sum
	}
	out := make([]int, len(rows))
	for i, row := range rows {
		out[i] = rank[row]
	}
	return out
}

// place is the number of hits of mine, which are in order, that rank before h.
// It is slices.BinarySearchFunc without a call a step: Ranks is mostly this.
func place(mine []Hit, h Hit) int {
	lo, hi := 0, len(mine)
	for lo < hi {
		if mid := (lo + hi) / 2; mine[mid].before(h) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// compare orders hits best first.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row))
}
