package control

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	corpuspkg "github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// corpus has n sections s0, s1, …; section i has 1 + i%parts passages.
func corpus(t testing.TB, n, parts int) *golden.Corpus {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		for j := range 1 + i%parts {
			fmt.Fprintf(&lines, `{"type":"passage","id":"s%d~%d","section":"s%d","path":"p","heading":"","lines":[1,1],"text":"t"}`+"\n", i, j, i)
		}
	}
	read, err := corpuspkg.Read(record.NewReader(record.Source{Name: "corpus", Reader: strings.NewReader(lines.String())}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := golden.NewCorpus(read, golden.Sections)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func set(t testing.TB, gold ...string) []*golden.Question {
	t.Helper()
	var lines strings.Builder
	for i, g := range gold {
		fmt.Fprintf(&lines, `{"type":"golden","id":"q%d","question":"?","kind":"multi","gold":%s}`+"\n", i, g)
	}
	s, err := golden.Read(record.NewReader(record.Source{Name: "golden", Reader: strings.NewReader(lines.String())}))
	if err != nil {
		t.Fatal(err)
	}
	return s.Questions
}

func graded(t testing.TB, qrels string) []*golden.Question {
	t.Helper()
	s, err := golden.ReadQrels("qrels", strings.NewReader(qrels))
	if err != nil {
		t.Fatal(err)
	}
	return s.Questions
}

func suite(t testing.TB, names string) metric.Suite {
	t.Helper()
	s, err := metric.ParseSuite(names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// permutations calls f with every order of 0…n-1.
func permutations(n int, f func([]int)) {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			f(items)
			return
		}
		for i := k; i < n; i++ {
			items[k], items[i] = items[i], items[k]
			permute(k + 1)
			items[k], items[i] = items[i], items[k]
		}
	}
	permute(0)
}

const goldenSuite = "recall@1,recall@3,recall@5,P@2,MRR,MRR@2,nDCG,nDCG@3,recall@2p,recall@3p"

// TestExpectation compares the formulas with the mean over every order there is.
func TestExpectation(t *testing.T) {
	tests := []struct {
		name      string
		c         *golden.Corpus
		questions []*golden.Question
		suite     string
		exactly   bool // one gain is all a list can have: the variance is exact
	}{
		{"one need", corpus(t, 6, 1), set(t, `["s2"]`), goldenSuite, true},
		{"alternatives", corpus(t, 6, 1), set(t, `[["s2","s4","s0"]]`), goldenSuite, true},
		{"three needs", corpus(t, 7, 1), set(t, `["s2",["s1","s4"],"s0"]`), goldenSuite, false},
		{"needs that share", corpus(t, 7, 1), set(t, `[["s0","s1"],["s1","s2","s3"],["s3","s0"],"s5"]`), goldenSuite, false},
		{"parts", corpus(t, 4, 3), set(t, `["s1",["s2","s0"]]`), goldenSuite, false},
		{"parts and needs that share", corpus(t, 4, 3), set(t, `[["s1","s2"],["s1"]]`), goldenSuite, false},
		{"grades", corpus(t, 7, 1), graded(t, "q s0 3\nq s1 1\nq s2 0\nq s5 2\nq s6 -1\n"), "recall@1,recall@5,P@3,MRR,MRR@3,nDCG,nDCG@3,MAP,Judged@3,Judged@10", false},
		{"all of the corpus", corpus(t, 3, 1), set(t, `["s0","s1","s2"]`), "recall@5,nDCG@5,MRR@5", false},
		{"one section", corpus(t, 1, 1), graded(t, "q s0 3\n"), "recall@5,nDCG@5,MRR,MAP,Judged@5", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := tt.questions[0]
			c := &Retrieval{Suite: suite(t, tt.suite), Corpus: tt.c, Depth: 100}
			sections := enumerate(c, q, len(tt.c.Sections), func(i int) []golden.Ranked { return tt.c.Parts(tt.c.Sections[i]) })
			passages := enumerate(c, q, len(tt.c.Passages), func(i int) []golden.Ranked { return tt.c.Passages[i : i+1] })
			judged := 0
			for _, s := range tt.c.Sections {
				if q.Judged(s) {
					judged++
				}
			}
			for i, m := range c.Suite {
				want := sections[i]
				if m.Passages {
					want = passages[i]
				}
				got, err := expect(m, q, c.space(m), judged)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got.mean-want.mean) > 1e-12 {
					t.Errorf("%s: expected %.12f, the mean of all orders is %.12f", m.Name(), got.mean, want.mean)
				}
				if got.variance > want.variance+1e-12 || tt.exactly && got.variance < want.variance-1e-12 {
					t.Errorf("%s: variance of at least %.12f, that of all orders is %.12f", m.Name(), got.variance, want.variance)
				}
			}
		})
	}
}

// enumerate returns the moments of each metric over every order of n items.
func enumerate(c *Retrieval, q *golden.Question, n int, item func(int) []golden.Ranked) []moments {
	score := c.Suite.For(q)
	sum, square, orders := make([]float64, len(c.Suite)), make([]float64, len(c.Suite)), 0.0
	permutations(n, func(order []int) {
		var list []golden.Ranked
		for _, i := range order {
			list = append(list, item(i)...)
		}
		orders++
		for i, v := range score(list) {
			sum[i] += v
			square[i] += v * v
		}
	})
	all := make([]moments, len(c.Suite))
	for i := range all {
		mean := sum[i] / orders
		all[i] = moments{mean, square[i]/orders - mean*mean}
	}
	return all
}

func TestExpectationHasALimit(t *testing.T) {
	var needs []string
	for i := range maxShared {
		needs = append(needs, fmt.Sprintf(`["s%d","s%d"]`, i, i+1))
	}
	q := set(t, "["+strings.Join(needs, ",")+"]")
	c := &Retrieval{Suite: suite(t, "recall@5"), Questions: q, Corpus: corpus(t, 20, 1), Rankings: 10}
	controls, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := controls[1]; got.OK != record.ControlNotEstablished || !strings.Contains(got.Reason, "16 needs share 17 sections") {
		t.Errorf("got %s: %s", got.OK, got.Reason)
	}
}

// mixed is a corpus and questions on which each way to break a metric shows.
func mixed(t testing.TB) *Retrieval {
	return &Retrieval{
		Suite:     suite(t, "recall@5,recall@20,MRR@10,MRR,nDCG@5,nDCG@10,recall@5p"),
		Questions: set(t, `["s1"]`, `["s2",["s5","s6"],"s9"]`, `[["s10","s11"],["s10","s12"]]`, `["s20","s23","s26"]`, `[["s30","s31","s32"]]`),
		Corpus:    corpus(t, 200, 3),
		Rankings:  1000,
		Depth:     40,
		Seed:      1,
	}
}

// outcomes are the controls that did not pass.
func outcomes(t *testing.T, c *Retrieval) map[string]record.Outcome {
	t.Helper()
	controls, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]record.Outcome{}
	for _, control := range controls {
		if err := control.Validate(); err != nil {
			t.Error(err)
		}
		if control.OK != record.ControlOK {
			got[control.Control+" "+string(control.Metric)] = control.OK
		}
	}
	return got
}

func TestSoundMetricsPass(t *testing.T) {
	for seed := range uint64(5) {
		c := mixed(t)
		c.Seed = seed
		if got := outcomes(t, c); len(got) > 0 {
			t.Errorf("seed %d: %v", seed, got)
		}
	}
	var qrels strings.Builder
	for i := range 40 {
		fmt.Fprintf(&qrels, "q%d s%d %d\n", i%4, i*3, i%3)
	}
	c := mixed(t)
	c.Questions = graded(t, qrels.String())
	c.Suite = suite(t, "recall@5,P@5,MRR@10,nDCG@10,nDCG,MAP,Judged@10")
	if got := outcomes(t, c); len(got) > 0 {
		t.Errorf("qrels: %v", got)
	}
}

// broken wraps sound scorers: it may change the list, or the values.
type broken struct {
	question func(*golden.Question) *golden.Question
	list     func(*golden.Question, []golden.Ranked) []golden.Ranked
	value    func(m metric.Metric, q *golden.Question, list []golden.Ranked, v float64) float64
}

func (b broken) scorer(s metric.Suite) func(*golden.Question) metric.Scorer {
	return func(q *golden.Question) metric.Scorer {
		score := s.For(q)
		return func(list []golden.Ranked) []float64 {
			seen := list
			if b.list != nil {
				seen = b.list(q, list)
			}
			values := slices.Clone(score(seen))
			for i, m := range s {
				if b.value != nil {
					values[i] = b.value(m, q, list, values[i])
				}
			}
			return values
		}
	}
}

// TestBrokenMetricsFail breaks the metrics, one way at a time, and wants a control to say so.
func TestBrokenMetricsFail(t *testing.T) {
	unfolded := func(_ *golden.Question, list []golden.Ranked) []golden.Ranked {
		var out []golden.Ranked
		for i, r := range list { // a part that came before takes a rank of its own, and gains nothing
			if slices.ContainsFunc(list[:i], func(b golden.Ranked) bool { return b.Section == r.Section }) {
				r.Section = record.SectionID(r.Passage)
			}
			out = append(out, r)
		}
		return out
	}
	tests := []struct {
		name   string
		broken broken
		draw   func(*rand.Rand, []int32, int)
		fails  []string
	}{
		{"ideal from what was retrieved", broken{value: func(m metric.Metric, q *golden.Question, list []golden.Ranked, v float64) float64 {
			if m.Kind != metric.NDCG {
				return v
			}
			found := 0 // needs met in the list, which the wrong ideal counts alone
			matching := golden.NewMatching(q)
			for _, s := range golden.Fold(list)[:min(m.Cut, len(golden.Fold(list)))] {
				found += int(matching.Add(s))
			}
			if found == 0 {
				return 0
			}
			return v * metric.DCG(q.Gains()) / metric.DCG(q.Gains()[:found])
		}}, nil, []string{"random nDCG@5", "random nDCG@10"}},
		{"folding off", broken{list: unfolded}, nil, []string{"random recall@5", "random recall@20", "random MRR@10", "random nDCG@5", "random nDCG@10"}},
		{"cut before folding", broken{list: func(_ *golden.Question, list []golden.Ranked) []golden.Ranked { return list[:min(5, len(list))] }}, nil,
			[]string{"oracle recall@5", "random recall@5"}},
		{"recall counts every part", broken{value: func(m metric.Metric, q *golden.Question, list []golden.Ranked, v float64) float64 {
			if m.Kind != metric.Recall || m.Passages {
				return v
			}
			n := 0.0
			for _, r := range list {
				n += float64(min(1, len(q.Serves(r.Section))))
			}
			return n / float64(len(q.Needs))
		}}, nil, []string{"oracle recall@5", "oracle recall@20", "random recall@5"}},
		{"recall counts a section for each need it serves", broken{value: func(m metric.Metric, q *golden.Question, list []golden.Ranked, v float64) float64 {
			if m.Kind != metric.Recall || m.Passages {
				return v
			}
			met := map[int]bool{}
			for i, s := range golden.Fold(list) {
				for _, n := range q.Serves(s) {
					if i < m.Cut {
						met[n] = true
					}
				}
			}
			return float64(len(met)) / float64(len(q.Needs))
		}}, nil, []string{"random recall@20"}}, // at 5 of 200 sections it is too rare to see in 2,000 lists
		{"alternatives count as needs", broken{value: func(m metric.Metric, q *golden.Question, list []golden.Ranked, v float64) float64 {
			if m.Kind == metric.Recall && !m.Passages {
				all := 0
				for _, need := range q.Needs {
					all += len(need.Sections)
				}
				return v * float64(len(q.Needs)) / float64(all)
			}
			return v
		}}, nil, []string{"oracle recall@5", "oracle recall@20", "random recall@5"}},
		{"always 1", broken{value: func(metric.Metric, *golden.Question, []golden.Ranked, float64) float64 { return 1 }}, nil,
			[]string{"random recall@5", "random recall@20", "random MRR@10", "random MRR", "random nDCG@5", "random nDCG@10", "random recall@5p"}},
		{"always 0", broken{value: func(metric.Metric, *golden.Question, []golden.Ranked, float64) float64 { return 0 }}, nil,
			[]string{"oracle recall@5", "oracle MRR@10", "oracle nDCG@5", "oracle recall@5p", "random recall@5", "random MRR"}},
		{"NaN", broken{value: func(metric.Metric, *golden.Question, []golden.Ranked, float64) float64 { return math.NaN() }}, nil,
			[]string{"oracle recall@5", "random recall@5", "oracle nDCG@10", "random nDCG@10"}},
		{"MRR off by a rank", broken{value: func(m metric.Metric, _ *golden.Question, _ []golden.Ranked, v float64) float64 {
			if m.Kind == metric.MRR && v > 0 {
				return 1 / (1/v + 1)
			}
			return v
		}}, nil, []string{"oracle MRR@10", "oracle MRR", "random MRR@10", "random MRR"}},
		{"read from the wrong end", broken{list: func(_ *golden.Question, list []golden.Ranked) []golden.Ranked {
			list = slices.Clone(list)
			slices.Reverse(list)
			return list
		}}, nil, []string{"oracle recall@5", "oracle MRR@10", "oracle MRR", "oracle nDCG@5", "oracle recall@5p"}},
		{"random drawn from one half of the corpus", broken{}, func(r *rand.Rand, items []int32, k int) { shuffle(r, items[:len(items)/2], k) },
			[]string{"random recall@5", "random nDCG@10", "random recall@5p"}},
		{"random that hardly shuffles", broken{}, func(r *rand.Rand, items []int32, k int) {
			r.Shuffle(2, func(i, j int) { items[i], items[j] = items[j], items[i] })
		},
			[]string{"random recall@5", "random MRR"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mixed(t)
			if strings.Contains(tt.name, "each need it serves") {
				c.Questions = set(t, `[["s10","s11"],["s10","s12"]]`, `[["s20","s21"],["s20","s22"],["s20","s23"]]`)
			}
			c.scorer, c.draw = tt.broken.scorer(c.Suite), tt.draw
			got := outcomes(t, c)
			for _, want := range tt.fails {
				if got[want] != record.ControlFailed {
					t.Errorf("%s: %q, want it to fail; what failed: %v", want, got[want], got)
				}
			}
		})
	}
}

// TestOracleOfManyNeeds: where a question has more needs than the cut, 1 is out of reach.
func TestOracleOfManyNeeds(t *testing.T) {
	c := &Retrieval{Suite: suite(t, "recall@2,nDCG@2"), Questions: set(t, `["s0","s1","s2"]`), Corpus: corpus(t, 100, 2), Rankings: 100}
	controls, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{string(controls[0].OK), controls[0].Expect, controls[0].Got, string(controls[2].OK), controls[2].Expect}
	if diff := cmp.Diff([]string{"yes", "0.6667, the most any list can reach", "0.6667", "yes", "1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSmallCorpusSaysSo(t *testing.T) {
	c := &Retrieval{Suite: suite(t, "recall@5"), Questions: set(t, `["s0"]`), Corpus: corpus(t, 20, 1), Rankings: 1000}
	controls, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	random := controls[1] // the expectation is 5/20
	if random.OK != record.ControlOK || !strings.HasPrefix(random.Expect, "0.25000 ± 0.0") ||
		random.Reason != "the corpus is too small to show that random scores below 0.1: the expectation is not below 0.05" {
		t.Errorf("got %s, %q, %q", random.OK, random.Expect, random.Reason)
	}
}

// TestRareHits: where hardly a random list has a hit, having none is no failure.
func TestRareHits(t *testing.T) {
	none := 0
	for seed := range uint64(5) { // no hit in 1,000 lists has a chance of (1999/2000)^1000 = 0.61
		c := &Retrieval{Suite: suite(t, "recall@1"), Questions: set(t, `["s0"]`), Corpus: corpus(t, 2000, 1), Rankings: 1000, Seed: seed}
		controls, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if *controls[1].Value == 0 {
			none++
		}
		if controls[1].OK != record.ControlOK {
			t.Errorf("seed %d: expected %s, got %s", seed, controls[1].Expect, controls[1].Got)
		}
	}
	if none == 0 {
		t.Error("no seed was without a hit: the test shows nothing")
	}
}

// TestRandomMustBeLow: with few lists the error is so wide that only the
// second half of the control, below 0.1, can fail.
func TestRandomMustBeLow(t *testing.T) {
	for seed := range uint64(50) { // of 10 lists at 1/25, one or more has a hit with a chance of 0.34
		c := &Retrieval{Suite: suite(t, "recall@1"), Questions: set(t, `["s0"]`), Corpus: corpus(t, 25, 1), Rankings: 10, Seed: seed}
		controls, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := record.ControlOK
		if *controls[1].Value >= 0.1 {
			want = record.ControlFailed
		}
		if controls[1].OK != want {
			t.Errorf("seed %d: got %s, %s", seed, controls[1].Got, controls[1].OK)
		}
		if want == record.ControlFailed && controls[1].Reason == "random is not below 0.1" {
			return
		}
	}
	t.Error("no seed came out at 0.1 or more: the test shows nothing")
}

func TestSameControlsOnAnyNumberOfCores(t *testing.T) {
	run := func(cores int) []*record.Control {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		controls, err := mixed(t).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return controls
	}
	if diff := cmp.Diff(run(1), run(7), cmpopts.IgnoreUnexported(record.Base{})); diff != "" {
		t.Error(diff)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if controls, err := mixed(t).Run(ctx); err == nil {
		t.Errorf("got %d controls", len(controls))
	}
}

// BenchmarkRetrieval is the size of the Mobium set: 55 questions, 719 sections.
func BenchmarkRetrieval(b *testing.B) {
	var gold []string
	for i := range 55 {
		gold = append(gold, fmt.Sprintf(`["s%d",["s%d","s%d"]]`, i, i+100, i+200))
	}
	c := &Retrieval{Suite: suite(b, "recall@5,recall@20,MRR@10,nDCG@5,nDCG@10"), Questions: set(b, gold...), Corpus: corpus(b, 719, 2), Rankings: 1000}
	for b.Loop() {
		if _, err := c.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
