package scan

import (
	"fmt"
	"sync"
)

// Hit is a row and its dot product with the query.
type Hit struct {
	Row   int
	Score float32
}

// before says whether h ranks before other: by score, then by row.
func (h Hit) before(other Hit) bool {
	return h.Score > other.Score || h.Score == other.Score && h.Row < other.Row
}

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

// tile is the number of rows scored at a time: 256 rows of 384 fill 393 KB, so
// that a second query finds them in the cache, and the scores stay in the first.
const tile = 256

// TopK returns the k best rows for each query, best first; fewer where there
// are fewer rows. It shares the rows among up to workers goroutines, at least
// one. It panics where a query's length is not m.Dim: lengths are the caller's to check.
func (m Matrix) TopK(queries [][]float32, k, workers int) [][]Hit {
	for i, q := range queries {
		if len(q) != m.Dim {
			panic(fmt.Sprintf("scan: query %d has %d dimensions, the matrix %d", i, len(q), m.Dim))
		}
	}
	n := m.Rows()
	tiles := (n + tile - 1) / tile
	workers = max(1, min(workers, tiles))
	found := make([][]best, workers) // of each worker, by query
	var wg sync.WaitGroup
	for w := range workers {
		lo, hi := tiles*w/workers*tile, min(tiles*(w+1)/workers*tile, n)
		if w == workers-1 { // on the caller's own goroutine
			found[w] = m.scan(queries, k, lo, hi)
			break
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			found[w] = m.scan(queries, k, lo, hi)
		}()
	}
	wg.Wait()
	out := make([][]Hit, len(queries))
	for i := range queries {
		all := found[0][i]
		for _, f := range found[1:] {
			for _, h := range f[i].heap {
				all.offer(h)
			}
		}
		out[i] = all.ranked()
	}
	return out
}

// scan returns the best of rows lo to hi for each query.
func (m Matrix) scan(queries [][]float32, k, lo, hi int) []best {
	out := make([]best, len(queries))
	for i := range out {
		out[i].k = k
	}
	var scores [tile]float32
	for lo < hi {
		n := min(tile, hi-lo)
		rows := m.Data[lo*m.Dim : (lo+n)*m.Dim]
		for i, q := range queries {
			dots(q, rows, scores[:n])
			for j, s := range scores[:n] {
				out[i].offer(Hit{lo + j, s})
			}
		}
		lo += n
	}
	return out
}

// best keeps the k best hits offered, the worst of them at the root of a heap.
type best struct {
	k    int
	heap []Hit
}

func (b *best) offer(h Hit) {
	switch {
	case h.Score != h.Score: // NaN
	case len(b.heap) < b.k:
		b.heap = append(b.heap, h)
		for i := len(b.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !b.heap[up].before(b.heap[i]) {
				break
			}
			b.heap[up], b.heap[i] = b.heap[i], b.heap[up]
			i = up
		}
	case b.k > 0 && h.before(b.heap[0]):
		b.heap[0] = h
		b.sink()
	}
}

// sink restores the heap after its root has changed.
func (b *best) sink() {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(b.heap); c++ {
			if b.heap[worst].before(b.heap[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		b.heap[i], b.heap[worst] = b.heap[worst], b.heap[i]
		i = worst
	}
}

// ranked empties the heap into a list, best first.
func (b *best) ranked() []Hit {
	out := make([]Hit, len(b.heap))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = b.heap[0]
		b.heap[0] = b.heap[i]
		b.heap = b.heap[:i]
		b.sink()
	}
	return out
}
