package scan

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		dots, Kernel = dotsAVX2, "avx2"
	}
}

func dotsAVX2(q, rows, out []float32) {
	if len(q) == 0 || len(out) == 0 {
		clear(out)
		return
	}
	_ = rows[len(q)*len(out)-1]
	dotRowsAVX2(&q[0], &rows[0], len(q), len(out), &out[0])
}

// dotRowsAVX2 reads d floats of q, n*d of rows and writes n of out.
//
//go:noescape
func dotRowsAVX2(q, rows *float32, d, n int, out *float32)
