package control

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The names of the controls of retrieval metrics. A metric is controlled by both.
const (
	Oracle = "oracle"
	Random = "random"
)

const (
	errors4 = 4    // the standard errors that random may be off
	small   = 0.05 // an expectation below this asks for a value below low
	low     = 0.1
	exact   = 1e-9 // what rounding may do
)

// Retrieval is the controls of a suite on a set of questions and a corpus.
type Retrieval struct {
	Suite metric.Suite
	// Questions are answerable, and were checked against the corpus.
	Questions []*golden.Question
	Corpus    *golden.Corpus
	// Rankings is the number of random lists a question: 1,000.
	Rankings int
	// Depth is how many sections of a random list count for a metric without a
	// cut-off: as many as the lists that are scored have.
	Depth int
	Seed  uint64

	// What the tests break:
	scorer func(*golden.Question) metric.Scorer
	draw   func(r *rand.Rand, items []int32, k int)
}

// Run returns the controls, for each metric oracle, then random. The same seed
// gives the same controls, on any number of cores.
func (c *Retrieval) Run(ctx context.Context) ([]*record.Control, error) {
	if c.scorer == nil {
		c.scorer = c.Suite.For
	}
	if c.draw == nil {
		c.draw = shuffle
	}
	tallies := make([]*tally, len(c.Questions))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				tallies[i] = c.question(c.Questions[i])
			}
		})
	}
	for i := range c.Questions {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []*record.Control
	for i, m := range c.Suite {
		all = append(all, c.positive(i, m, tallies), c.negative(i, m, tallies))
	}
	return all, nil
}

// tally is what one question gave, by metric.
type tally struct {
	oracle     []float64
	reached    []float64 // what the oracle is due
	sum        []float64 // over the random lists
	square     []float64
	expected   []moments
	unexpected []error // why there is no expectation
}

func (c *Retrieval) question(q *golden.Question) *tally {
	n := len(c.Suite)
	t := &tally{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]moments, n), make([]error, n)}
	judged := 0
	if q.NJudged() > 0 {
		for _, s := range c.Corpus.Sections {
			if q.Judged(s) {
				judged++
			}
		}
	}
	score := c.scorer(q)
	full, first := c.ideal(q)
	for i, m := range c.Suite {
		list := full
		if m.Passages {
			list = first
		}
		t.oracle[i], t.reached[i] = score(list)[i], c.reached(m, q, judged)
		t.expected[i], t.unexpected[i] = expect(m, q, c.space(m), judged)
	}
	h := fnv.New64a()
	h.Write([]byte(q.ID)) // never fails
	r := rand.New(rand.NewPCG(c.Seed, h.Sum64()))
	c.sections(r, score, t)
	c.passages(r, score, t)
	return t
}

// space is what lists for m are drawn from, and how far they count.
func (c *Retrieval) space(m metric.Metric) space {
	s := space{n: len(c.Corpus.Sections), k: m.Cut, weight: func(record.SectionID) int { return 1 }}
	if m.Passages {
		s.n = len(c.Corpus.Passages)
		s.weight = func(id record.SectionID) int { return len(c.Corpus.Parts(id)) }
	}
	if s.k == 0 {
		s.k = c.Depth
	}
	s.k = min(s.k, s.n)
	return s
}

// ideal returns an oracle's lists: one section a need with all its parts, and
// one passage a need, both with sections behind that serve no need.
func (c *Retrieval) ideal(q *golden.Question) (full, first []golden.Ranked) {
	depth := max(c.deepest(false), c.deepest(true))
	order := oracle(q)
	for _, judged := range []bool{true, false} { // what was judged to be nothing goes first
		for _, s := range c.Corpus.Sections {
			if len(order) < depth && len(q.Serves(s)) == 0 && q.Judged(s) == judged {
				order = append(order, s)
			}
		}
	}
	for _, s := range order {
		parts := c.Corpus.Parts(s)
		full = append(full, parts...)
		first = append(first, parts[0])
	}
	return full, first
}

// oracle returns one section a need, best gain first.
func oracle(q *golden.Question) []record.SectionID {
	m := golden.NewMatching(q)
	needs := make([]int, len(q.Needs))
	for i, need := range q.Needs {
		needs[i] = i
		for _, s := range need.Sections {
			m.Add(s)
		}
	}
	slices.SortStableFunc(needs, func(a, b int) int { return cmp.Compare(q.Needs[b].Gain, q.Needs[a].Gain) })
	var sections []record.SectionID
	for _, need := range needs {
		sections = append(sections, m.Server(need))
	}
	return sections
}

// reached is the most that any list can score.
func (c *Retrieval) reached(m metric.Metric, q *golden.Question, judged int) float64 {
	needs := len(q.Needs)
	switch m.Kind {
	case metric.Recall:
		return float64(min(m.Cut, needs)) / float64(needs)
	case metric.Precision:
		return float64(min(m.Cut, needs)) / float64(m.Cut)
	case metric.Judged:
		k := min(m.Cut, len(c.Corpus.Sections))
		return float64(min(k, judged)) / float64(k)
	}
	return 1
}

func (c *Retrieval) positive(i int, m metric.Metric, tallies []*tally) *record.Control {
	control := &record.Control{Metric: m.Name(), Control: Oracle, N: len(c.Questions), OK: record.ControlOK}
	var got, want float64
	evidence := ""
	for j, q := range c.Questions {
		value, due := tallies[j].oracle[i], tallies[j].reached[i]
		got += value
		want += due
		if !(math.Abs(value-due) <= exact) { // NaN is off, too
			control.Misses++
			if evidence == "" {
				evidence = fmt.Sprintf("question %q gives %.4f where %.4f is due", q.ID, value, due)
			}
		}
	}
	got, want = got/float64(len(c.Questions)), want/float64(len(c.Questions))
	control.Got = fmt.Sprintf("%.4f", got)
	if !math.IsNaN(got) {
		control.Value = &got
	}
	control.Expect = "1"
	if want < 1-exact {
		control.Expect = fmt.Sprintf("%.4f, the most any list can reach", want)
	}
	if control.Misses > 0 {
		control.OK = record.ControlFailed
		control.Reason = fmt.Sprintf("%d of %d questions are off: %s", control.Misses, control.N, evidence)
	}
	return control
}
