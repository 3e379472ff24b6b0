package scan

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// BenchmarkScan times one query on one core, its 20 best included. It reports p50 and p95, the rate
// at which the matrix was read, and that rate over the one of a plain streaming
// read of the same matrix just after, by the faster of two readers.
func BenchmarkScan(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("%dx384", n), func(b *testing.B) {
			m, q := random(1, n, 384), row(random(2, 1, 384), 0)
			var each, plain []time.Duration
			for b.Loop() {
				each = append(each, timed(func() { Top(m.Dots(q, 1), 20) }))
				plain = append(plain, min(timed(func() { sumWords(m.Data) }), timed(func() { countBytes(m.Data) })))
			}
			slices.Sort(each)
			slices.Sort(plain)
			p50, base := each[len(each)/2], plain[len(plain)/2]
			b.ReportMetric(0, "ns/op") // of three readings, and so of none
			b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
			b.ReportMetric(float64(each[len(each)*95/100].Microseconds()), "p95-µs")
			b.ReportMetric(float64(4*len(m.Data))/p50.Seconds()/1e9, "GB/s")
			b.ReportMetric(base.Seconds()/p50.Seconds(), "of-plain")
		})
	}
}

var sink uint64

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// sumWords reads data as 64-bit words, eight loads in flight.
func sumWords(data []float32) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), len(data)/2)
	var s [8]uint64
	for ; len(words) >= 8; words = words[8:] {
		w := words[:8:8]
		s[0] += w[0]
		s[1] += w[1]
		s[2] += w[2]
		s[3] += w[3]
		s[4] += w[4]
		s[5] += w[5]
		s[6] += w[6]
		s[7] += w[7]
	}
	for _, x := range s {
		sink += x
	}
}

// countBytes reads data by the vector unit: the standard library's count of one byte.
func countBytes(data []float32) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data))
	sink += uint64(bytes.Count(b, []byte{1}))
}

// BenchmarkRanks finds the ranks of 80 candidates among 100,000 scores.
func BenchmarkRanks(b *testing.B) {
	scores := random(1, 1, 100_000).Data
	rows := make([]int, 80)
	for i := range rows {
		rows[i] = i * 1234
	}
	for b.Loop() {
		Ranks(scores, rows)
	}
}
