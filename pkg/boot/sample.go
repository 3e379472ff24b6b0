package boot

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Sample is what was measured on n questions, one row of Dim sums a question.
// Whatever belongs to one question, repeats and raters, is summed in its row,
// so a resample takes all of it or nothing.
type Sample struct {
	// Rows holds row after row. The order of the questions decides which
	// resample is which: keep them sorted by id.
	Rows []float64
	// Dim is the length of a row.
	Dim int
	// Stat computes the statistic from the sums over the questions drawn; ok is
	// false where it is undefined. It is called by several goroutines at once.
	Stat Stat
}

// Stat is a statistic that is a function of sums over n questions. The slice is
// valid during the call.
type Stat func(sum []float64, n int) (value float64, ok bool)

// Mean is the statistic of rows of one value: their mean.
func Mean(sum []float64, n int) (float64, bool) { return sum[0] / float64(n), true }

// Ratio is the statistic of rows (numerator, denominator): the ratio of their sums.
// It is undefined where the denominators sum to 0.
func Ratio(sum []float64, _ int) (float64, bool) {
	if sum[1] == 0 {
		return 0, false
	}
	return sum[0] / sum[1], true
}

// Means returns the sample of a mean of values.
func Means(values []float64) Sample { return Sample{Rows: values, Dim: 1, Stat: Mean} }

// N is the number of questions.
func (s Sample) N() int { return len(s.Rows) / s.Dim }

// Value is the statistic of the sample itself.
func (s Sample) Value() (float64, bool) { return s.Stat(s.sum(), s.N()) }

func (s Sample) sum() []float64 {
	sum := make([]float64, s.Dim)
	for i, v := range s.Rows {
		sum[i%s.Dim] += v
	}
	return sum
}

// Constant says whether all rows are the same but for rounding.
func (s Sample) Constant() bool {
	for i := s.Dim; i < len(s.Rows); i++ {
		if a, b := s.Rows[i], s.Rows[i%s.Dim]; math.Abs(a-b) > rounding*max(1, math.Abs(b)) {
			return false
		}
	}
	return true
}

// rounding is the error of sums of the same numbers in another order.
const rounding = 1e-12

// block is the number of resamples drawn from one seed, by one goroutine.
const block = 250

// Resample draws b resamples of n questions with replacement and returns the
// statistic of each where it is defined, in ascending order.
//
// Which questions a resample holds depends on seed, n and its number alone: not
// on the number of cores, and not on what was measured. So every metric and
// every system on the same questions sees the same resamples.
func (s Sample) Resample(seed uint64, b int) []float64 {
	values := make([]float64, b)
	blocks := (b + block - 1) / block
	defined := make([]int, blocks)
	each := func(i int) {
		part := values[i*block : min(b, (i+1)*block)]
		defined[i] = s.block(newSplitmix(seed, i), part)
	}
	if s.N()*b < 1<<19 { // starting goroutines costs more than it gains
		for i := range blocks {
			each(i)
		}
	} else {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(blocks, runtime.GOMAXPROCS(0)) {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < blocks; i = int(next.Add(1)) - 1 {
					each(i)
				}
			})
		}
		wg.Wait()
	}
	out := values[:0]
	for i := range blocks {
		out = append(out, values[i*block:i*block+defined[i]]...)
	}
	slices.Sort(out)
	return out
}

// block fills out with the statistics of as many resamples, those that are
// defined first, and returns how many are.
func (s Sample) block(r splitmix, out []float64) int {
	sum := make([]float64, s.Dim)
	defined, n := 0, s.N()
	for range out {
		if s.Dim == 1 {
			sum[0] = drawn(&r, s.Rows)
		} else {
			s.draw(&r, sum)
		}
		if v, ok := s.Stat(sum, n); ok {
			out[defined] = v
			defined++
		}
	}
	return defined
}

// drawn is the sum of len(values) values drawn with replacement.
func drawn(r *splitmix, values []float64) float64 {
	n := uint64(len(values))
	sum := 0.0
	i := len(values)
	for ; i > 1; i -= 2 {
		a, b := r.two(n)
		sum += values[a] + values[b]
	}
	if i == 1 {
		a, _ := r.two(n)
		sum += values[a]
	}
	return sum
}

// draw is drawn for rows: it draws the same questions.
func (s Sample) draw(r *splitmix, sum []float64) {
	clear(sum)
	n := uint64(s.N())
	add := func(i uint64) {
		for j, v := range s.Rows[i*uint64(s.Dim) : (i+1)*uint64(s.Dim)] {
			sum[j] += v
		}
	}
	i := s.N()
	for ; i > 1; i -= 2 {
		a, b := r.two(n)
		add(a)
		add(b)
	}
	if i == 1 {
		a, _ := r.two(n)
		add(a)
	}
}

// Jackknife returns the statistic without each question in turn; ok is false
// where one of them is undefined.
func (s Sample) Jackknife() (values []float64, ok bool) {
	total, n := s.sum(), s.N()
	left := make([]float64, s.Dim)
	values = make([]float64, n)
	for i := range values {
		for j, v := range s.Rows[i*s.Dim : (i+1)*s.Dim] {
			left[j] = total[j] - v
		}
		if values[i], ok = s.Stat(left, n-1); !ok {
			return nil, false
		}
	}
	return values, true
}
