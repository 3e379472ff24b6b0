package scan

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
