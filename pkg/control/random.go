package control

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// shuffle puts a random choice of k items, in random order, in front (Fisher and Yates).
func shuffle(r *rand.Rand, items []int32, k int) {
	for i := range k {
		j := i + r.IntN(len(items)-i)
		items[i], items[j] = items[j], items[i]
	}
}

func ascending(n int) []int32 {
	items := make([]int32, n)
	for i := range items {
		items[i] = int32(i)
	}
	return items
}

// deepest is how many items the metrics of one sort need, 0 if there is none.
func (c *Retrieval) deepest(passages bool) int {
	k := 0
	for _, m := range c.Suite {
		if m.Passages == passages {
			k = max(k, c.space(m).k)
		}
	}
	return k
}

// sections scores random lists of sections, each with all its parts in a row.
func (c *Retrieval) sections(r *rand.Rand, score metric.Scorer, t *tally) {
	k := c.deepest(false)
	if k == 0 {
		return
	}
	items := ascending(len(c.Corpus.Sections))
	var list []golden.Ranked
	for range c.Rankings {
		c.draw(r, items, k)
		list = list[:0]
		for _, item := range items[:k] {
			list = append(list, c.Corpus.Parts(c.Corpus.Sections[item])...)
		}
		t.add(c.Suite, false, score(list))
	}
}

// passages scores random lists of passages.
func (c *Retrieval) passages(r *rand.Rand, score metric.Scorer, t *tally) {
	k := c.deepest(true)
	if k == 0 {
		return
	}
	items := ascending(len(c.Corpus.Passages))
	var list []golden.Ranked
	for range c.Rankings {
		c.draw(r, items, k)
		list = list[:0]
		for _, item := range items[:k] {
			list = append(list, c.Corpus.Passages[item])
		}
		t.add(c.Suite, true, score(list))
	}
}

func (t *tally) add(suite metric.Suite, passages bool, values []float64) {
	for i, m := range suite {
		if m.Passages == passages {
			t.sum[i] += values[i]
			t.square[i] += values[i] * values[i]
		}
	}
}

func (c *Retrieval) negative(i int, m metric.Metric, tallies []*tally) *record.Control {
	lists, questions := float64(c.Rankings), float64(len(c.Questions))
	control := &record.Control{Metric: m.Name(), Control: Random, N: c.Rankings * len(c.Questions), OK: record.ControlOK}
	var got, want, variance float64
	for _, t := range tallies {
		mean := t.sum[i] / lists
		got += mean
		want += t.expected[i].mean
		variance += max((t.square[i]-lists*mean*mean)/(lists-1), t.expected[i].variance)
		if err := t.unexpected[i]; err != nil && control.OK == record.ControlOK {
			control.OK, control.Reason = record.ControlNotEstablished, err.Error()
		}
	}
	got, want = got/questions, want/questions
	off := errors4 * math.Sqrt(variance/lists) / questions
	control.Got = fmt.Sprintf("%.5f", got)
	if lo, hi := got-off, got+off; !math.IsNaN(lo) {
		control.Value, control.Lo, control.Hi = &got, &lo, &hi
	}
	if control.OK == record.ControlNotEstablished {
		control.Expect = "its computed expectation"
		return control
	}
	control.Expect = fmt.Sprintf("%.5f ± %.5f (%d standard errors)", want, off, errors4)
	if want < small {
		control.Expect += fmt.Sprintf(", and below %g", low)
	} else {
		control.Reason = fmt.Sprintf("the corpus is too small to show that random scores below %g: the expectation is not below %g", low, small)
	}
	switch {
	case !(math.Abs(got-want) <= off+exact): // NaN is off, too
		control.OK, control.Reason = record.ControlFailed, "random is off its expectation"
	case want < small && got >= low:
		control.OK, control.Reason = record.ControlFailed, fmt.Sprintf("random is not below %g", low)
	}
	return control
}
