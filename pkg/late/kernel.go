package late

/*
#cgo CFLAGS: -O3
#include "kernel.h"

static inline void late_run(int kernel, const int16_t *wide, const uint8_t *shifted, int nq, int dim,
                            const int8_t *rows, const float *scales, int nd, float *best) {
	late_query q = {wide, shifted, nq, dim};
#if defined(__x86_64__)
	if (kernel == 2) { late_avx512vnni(&q, rows, scales, nd, best); return; }
	if (kernel == 1) { late_avx2(&q, rows, scales, nd, best); return; }
#endif
	late_portable(&q, rows, scales, nd, best);
}
*/
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// engine is one of the kernels in kernel.h.
type engine int

const (
	portable engine = iota
	avx2
	avx512vnni
)

func (e engine) String() string { return [...]string{"portable", "avx2", "avx512vnni"}[e] }

// multiple is what the dimension must be a multiple of.
func (e engine) multiple() int { return [...]int{1, 16, 64}[e] }

// engines are those this CPU can run, the fastest last.
func engines() []engine {
	es := []engine{portable}
	if runtime.GOARCH != "amd64" {
		return es
	}
	if cpu.X86.HasAVX2 {
		es = append(es, avx2)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		es = append(es, avx512vnni)
	}
	return es
}

// kernel returns the fastest kernel that agrees with the portable one on this CPU.
var kernel = sync.OnceValue(func() engine {
	es := engines()
	for _, e := range slices.Backward(es) {
		if e == portable || agrees(e) {
			return e
		}
	}
	return portable
})

// agrees tries e on rows of extreme and mixed values.
func agrees(e engine) bool {
	const dim, tokens = 128, 5
	m := Matrix{Dim: dim, Scales: []float32{1, 0.5, 0.25, 2, 1}, Rows: make([]int8, tokens*dim)}
	for i := range m.Rows {
		m.Rows[i] = int8(i*i%255 - 127)
	}
	for k := range dim { // the largest products there are
		m.Rows[k], m.Rows[dim+k] = 127, -127
	}
	q := prepare(m)
	return slices.Equal(q.bests(m, e, nil), q.bests(m, portable, nil))
}

// prepared is a query in the forms the kernels take.
type prepared struct {
	dim     int
	scales  []float32 // one a token
	wide    []int16   // padded with zeros to a multiple of four tokens
	shifted []uint8   // the same plus 128
}

func prepare(m Matrix) prepared {
	n := (m.Len() + 3) / 4 * 4 * m.Dim
	q := prepared{dim: m.Dim, scales: m.Scales, wide: make([]int16, n), shifted: make([]uint8, n)}
	for i := range n {
		if i < len(m.Rows) {
			q.wide[i] = int16(m.Rows[i])
		}
		q.shifted[i] = uint8(q.wide[i] + 128)
	}
	return q
}

// maxSim scores a passage. Scratch, if not nil, holds at least as many floats as wide has tokens.
func (q prepared) maxSim(passage Matrix, e engine, scratch []float32) float32 {
	if len(q.scales) == 0 || passage.Len() == 0 {
		return 0
	}
	var sum float32
	for i, best := range q.bests(passage, e, scratch)[:len(q.scales)] {
		sum += float32(q.scales[i] * best) // the conversion forbids a fused multiply-add
	}
	return sum
}

// bests returns the best match of each query token, padding included.
func (q prepared) bests(passage Matrix, e engine, scratch []float32) []float32 {
	if passage.Dim != q.dim || len(passage.Rows) != passage.Len()*q.dim {
		panic("late: internal error: query and passage do not have the same dimension")
	}
	if q.dim%e.multiple() != 0 {
		e = portable
	}
	n := len(q.wide) / q.dim
	if len(scratch) < n {
		scratch = make([]float32, n)
	}
	C.late_run(C.int(e),
		(*C.int16_t)(unsafe.SliceData(q.wide)), (*C.uint8_t)(unsafe.SliceData(q.shifted)), C.int(n), C.int(q.dim),
		(*C.int8_t)(unsafe.SliceData(passage.Rows)), (*C.float)(unsafe.SliceData(passage.Scales)), C.int(passage.Len()),
		(*C.float)(unsafe.SliceData(scratch)))
	return scratch[:n]
}
