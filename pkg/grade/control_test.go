package grade

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// full is a stream in which every metric is scored.
var full = []string{
	line("q1", "s", `"text":"x","refusal_score":2,"answer_tokens":1`, "P1"),
	line("q2", "s", `"text":"x","refusal_score":1`, "P1"),
	line("q3", "s", `"text":"","refused":true,"refusal_score":0`),
}

// broken puts another value in the place of a metric's.
func broken(name record.MetricName, value func(*item) (float64, float64)) func(*Answers) {
	return func(g *Answers) {
		g.metrics = metrics()
		for i := range g.metrics {
			if g.metrics[i].name == name {
				g.metrics[i].value = value
			}
		}
	}
}

func always(v float64) func(*item) (float64, float64) {
	return func(*item) (float64, float64) { return v, 0 }
}

// Each way to break a metric, or the answering, makes just these controls fail;
// and every control there is fails in one of them.
func TestControlsFail(t *testing.T) {
	failing := map[string]bool{}
	for _, tc := range []struct {
		name   string
		spoil  func(*Answers)
		fails  []string
		reason string
	}{
		{"a metric that sees no refusal", broken(RefusedUnanswerable, always(0)),
			[]string{"refused-unanswerable oracle", "refused-unanswerable random", "refused-unanswerable always-refuser", "refused-unanswerable never-refuser", "refused-answerable always-refuser", "refused-answerable never-refuser"},
			"oracle has no advantage any more, so nobody loses to it"},
		{"a metric that sees refusals everywhere", broken(RefusedAnswerable, always(1)),
			[]string{"refused-unanswerable always-refuser", "refused-unanswerable never-refuser", "refused-answerable oracle", "refused-answerable random", "refused-answerable always-refuser", "refused-answerable never-refuser"}, ""},
		{"a refusal is what has no text", broken(RefusedAnswerable, func(it *item) (float64, float64) { return one(len(it.answer.Text) < 2), 0 }),
			[]string{"refused-unanswerable never-refuser", "refused-answerable random", "refused-answerable never-refuser"}, "never-refuser says x"},
		{"a crash is taken for a refusal", func(g *Answers) {
			g.ask = func(ctx context.Context, e answer.Engine, h *record.Hits, n int) (*record.Answer, error) {
				a, err := answer.Answer(ctx, e, h, n)
				if a.Status == record.Failed {
					a.Status, a.Refused = record.Scored, true
				}
				return a, err
			}
		}, []string{"refused-unanswerable crash", "refused-answerable crash"}, ""},
		{"a label that was not given is kept", func(g *Answers) {
			g.ask = func(ctx context.Context, e answer.Engine, h *record.Hits, n int) (*record.Answer, error) {
				a, err := answer.Answer(ctx, e, h, n)
				for _, label := range a.DroppedCitations {
					a.Citations = append(a.Citations, record.Citation{Label: label})
				}
				a.DroppedCitations, a.Ungrounded = nil, a.Ungrounded && len(a.Citations) == 0
				return a, err
			}
		}, []string{"dropped-citations planted label", "ungrounded planted label"}, ""},
		{"dropped labels are made up", broken(DroppedCitations, always(1)), []string{"dropped-citations clean"}, ""},
		{"everything is ungrounded", broken(Ungrounded, always(1)), []string{"ungrounded clean"}, ""},
		{"every citation is right", broken(CitationPrecision, always(1)),
			[]string{"citation-precision random", "citation-precision half", "citation-precision uncited"}, ""},
		{"no citation is right", broken(CitationPrecision, always(0)),
			[]string{"citation-precision oracle", "citation-precision random", "citation-precision half"}, ""},
		{"recall of any one need", broken(CitationRecall, func(it *item) (float64, float64) {
			p, _ := precision(it)
			return one(p > 0), 0
		}), []string{"citation-recall random"}, "on these two questions only chance tells"},
		{"recall without the last citation", broken(CitationRecall, func(it *item) (float64, float64) {
			short := *it
			short.cited = short.cited[:max(0, len(short.cited)-1)]
			return recall(&short)
		}), []string{"citation-recall oracle", "citation-recall random"}, ""},
		{"recall is halved by what serves nothing", broken(CitationRecall, func(it *item) (float64, float64) {
			r, _ := recall(it)
			p, _ := precision(it)
			return r * p, 0
		}), []string{"citation-recall random", "citation-recall half"}, ""},
		{"an answer without citation has all", broken(CitationRecall, func(it *item) (float64, float64) {
			if len(it.cited) == 0 {
				return 1, 0
			}
			return recall(it)
		}), []string{"citation-recall uncited"}, ""},
		{"every fact is covered", broken(KeyFactCoverage, always(1)),
			[]string{"key-fact-coverage other facts", "key-fact-coverage echo", "key-fact-coverage altered numbers"}, ""},
		{"no fact is covered", broken(KeyFactCoverage, always(0)), []string{"key-fact-coverage own facts"}, ""},
		{"numbers do not matter", broken(KeyFactCoverage, func(it *item) (float64, float64) {
			n, text := 0.0, keyfact.Read(it.answer.Text)
			for _, f := range it.facts {
				n += one(f.Share(text) >= keyfact.Threshold)
			}
			return n / float64(len(it.facts)), 0
		}), []string{"key-fact-coverage altered numbers"}, ""},
		{"letters in place of words", broken(AnswerWords, func(it *item) (float64, float64) { return float64(len(it.answer.Text)), 0 }),
			[]string{"answer-words planted length"}, ""},
		{"tokens mixed up", broken(PromptTokens, func(it *item) (float64, float64) { return float64(it.answer.AnswerTokens), 0 }),
			[]string{"prompt-tokens planted length"}, ""},
		{"tokens of the prompt counted in", broken(AnswerTokens, func(it *item) (float64, float64) { return float64(it.answer.AnswerTokens + it.answer.PromptTokens), 0 }),
			[]string{"answer-tokens planted length"}, ""},
		{"an area the wrong way round", func(g *Answers) {
			g.area = func(a, u []float64) (float64, []float64, []float64) {
				area, wrong, right := auc(u, a)
				return area, right, wrong
			}
		}, []string{"refusal-auc oracle", "refusal-auc reversed"}, ""},
		{"a tie is a win", func(g *Answers) {
			g.area = func(a, u []float64) (float64, []float64, []float64) {
				for i := range a {
					a[i] = math.Nextafter(a[i], math.Inf(1))
				}
				return auc(a, u)
			}
		}, []string{"refusal-auc one score"}, ""},
		{"chance is a win", func(g *Answers) {
			g.area = func(a, u []float64) (float64, []float64, []float64) {
				for i := range a {
					if a[i] > 0 {
						a[i] += 0.2
					}
				}
				return auc(a, u)
			}
		}, []string{"refusal-auc random"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := grader(t, true)
			tc.spoil(g)
			got := grade(t, g, full...)
			var fails []string
			for _, c := range got.controls {
				if c.OK != record.ControlOK {
					fails = append(fails, string(c.Metric)+" "+c.Control)
					failing[string(c.Metric)+" "+c.Control] = true
				}
			}
			if d := cmp.Diff(tc.fails, fails); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if len(got.refusals) != len(fails) {
				t.Errorf("%d refusals for %d failed controls", len(got.refusals), len(fails))
			}
		})
	}
	for _, c := range grade(t, grader(t, true), full...).controls {
		if name := string(c.Metric) + " " + c.Control; !failing[name] {
			t.Errorf("nothing makes %s fail", name)
		}
	}
}

// The expectation of two random citations, by hand and by trying all pairs.
func TestExpectation(t *testing.T) {
	g := grader(t, true)
	g.prepare()
	p := g.newPool(&answers{})
	// 7 passages, 21 pairs. q1: a has 2, of which one comes in 2·5 pairs, both in 1.
	//   precision (10·1/2 + 1)/21 = 2/7; recall 11/21.
	// q2: b, c for one need, d for the other. Pairs: b-c, b-d, c-d, and 3·4 with one.
	//   precision (3·1 + 12·1/2)/21 = 3/7; recall (b-c 1/2, b-d 1, c-d 1, 12·1/2)/21 = 8.5/21.
	for _, tc := range []struct {
		metric record.MetricName
		q      int
		want   float64
	}{
		{CitationPrecision, 0, 2.0 / 7}, {CitationRecall, 0, 11.0 / 21},
		{CitationPrecision, 1, 3.0 / 7}, {CitationRecall, 1, 8.5 / 21},
	} {
		got, variance := p.expect(tc.metric, g.questions[tc.q])
		if math.Abs(got-tc.want) > exact {
			t.Errorf("%s of q%d: %v, want %v", tc.metric, tc.q+1, got, tc.want)
		}
		sum, squares := 0.0, 0.0
		for i, a := range p.all {
			for _, b := range p.all[:i] {
				it := &item{question: g.questions[tc.q], answer: &record.Answer{}, cited: []record.SectionID{a.Section, b.Section}}
				v, _ := recall(it)
				if tc.metric == CitationPrecision {
					v, _ = precision(it)
				}
				sum, squares = sum+v/21, squares+v*v/21
			}
		}
		if math.Abs(got-sum) > exact || math.Abs(variance-(squares-sum*sum)) > exact {
			t.Errorf("%s of q%d: mean %v, variance %v; all pairs give %v, %v", tc.metric, tc.q+1, got, variance, sum, squares-sum*sum)
		}
	}
}

// A need that two sections serve, and a section that serves two needs.
func TestExpectationOfSharedSections(t *testing.T) {
	in := reader("g", `{"type":"golden","id":"q","question":"x?","kind":"multi","gold":[["a","b"],["b","c"]]}`)
	questions, err := golden.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	q := &question{Question: questions.Questions[0]}
	p := &pool{parts: map[record.SectionID][]golden.Ranked{}}
	for _, s := range []record.SectionID{"a", "b", "c", "d"} {
		r := golden.Ranked{Passage: record.PassageID(s), Section: s}
		p.all, p.parts[s] = append(p.all, r), []golden.Ranked{r}
	}
	// Pairs: a-b 1, a-c 1, b-c 1, a-d 1/2, b-d 1/2, c-d 1/2: 4.5/6.
	if got, _ := p.expect(CitationRecall, q); math.Abs(got-0.75) > exact {
		t.Errorf("got %v, want 0.75", got)
	}
}

// The values have the area as their mean, and DeLong's variance of it.
func TestInfluence(t *testing.T) {
	answerable, unanswerable := []float64{3, 1, 2, 5}, []float64{0, 2, 1}
	// 3 and 5 beat all three; 1 beats 0 and ties 1: 1/2; 2 beats 0, 1 and ties 2: 5/6. Area (1+1/2+5/6+1)/4 = 5/6.
	// Of the others: 0 is below all; 2 is below 3, 5 and ties 2: 5/8; 1 is below 3, 2, 5 and ties 1: 7/8.
	area, right, wrong := auc(answerable, unanswerable)
	if d := cmp.Diff([]float64{1, 0.5, 5.0 / 6, 1}, right, approximate); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{1, 5.0 / 8, 7.0 / 8}, wrong, approximate); d != "" {
		t.Error(d)
	}
	if math.Abs(area-5.0/6) > exact {
		t.Errorf("area %v, want 5/6", area)
	}
	variance := func(v []float64, over float64) float64 {
		mean, sum := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			sum += (x - mean) * (x - mean)
		}
		return sum / over
	}
	delong := variance(right, 3)/4 + variance(wrong, 2)/3
	var values []float64
	mean := 0.0
	for i, shares := range [][]float64{right, wrong} {
		for _, s := range shares {
			values = append(values, influence(area, s, []int{4, 3}[i], 7))
			mean += values[len(values)-1] / 7
		}
	}
	if math.Abs(mean-area) > exact || math.Abs(variance(values, 7*7)-delong) > exact {
		t.Errorf("mean %v and variance %v, want %v and %v", mean, variance(values, 7*7), area, delong)
	}
}

var approximate = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < exact })

// The text of an altered fact keeps its words and none of its numbers.
func TestAlter(t *testing.T) {
	fact := "between 1001 and 2,500 MB (3x), ten at night, three times"
	made := keyfact.NewFact("", fact)
	text := alter(fact, made.Numbers())
	read := keyfact.Read(text)
	if made.In(read) || made.Share(read) < 1 {
		t.Errorf("%q: covered %v, share of words %v", text, made.In(read), made.Share(read))
	}
	for _, n := range keyfact.NewFact("", text).Numbers() {
		if slices.Contains(made.Numbers(), n) {
			t.Errorf("%q still has %s", text, n)
		}
	}
	if strings.Contains(text, "1001") {
		t.Errorf("%q", text)
	}
}
