package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var plan = judge.Plan{Metrics: []record.MetricName{record.Faithfulness, record.Relevance}, Repeats: 1, Controls: 20, Seed: 1}

func material(t *testing.T, n, wrong int) judge.Material {
	t.Helper()
	m, err := judgetest.Material(n, wrong)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// show is an item in one line.
func show(it *judge.Item) string {
	answer := it.Case.Answer
	if it.On != nil {
		answer = it.Around(it.On.Case.Answer, record.Yes)
	}
	return fmt.Sprint(it.Metric, it.Control, it.Question.ID, it.Expect, it.Donor, answer, it.Case.Passages)
}

// The same material and seed give the same items, another seed gives others,
// and the metrics asked for do not change each other's.
func TestDrawIsDeterministic(t *testing.T) {
	list := func(p judge.Plan) (all []string) {
		for _, it := range judge.Draw(material(t, 30, 2), p).Controls {
			all = append(all, show(it))
		}
		return all
	}
	first := list(plan)
	if d := cmp.Diff(first, list(plan)); d != "" {
		t.Errorf("drawn again (-first +second):\n%s", d)
	}
	other, alone := plan, plan
	other.Seed = 2
	if slices.Equal(first, list(other)) {
		t.Error("another seed gives the same items")
	}
	alone.Metrics = plan.Metrics[1:]
	if got := list(alone); !slices.Equal(first[len(first)-len(got):], got) {
		t.Error("relevance alone has other controls than with faithfulness")
	}
}

// Each control has its number of items, at most one a question, and each item is
// what the control says.
func TestControlsAreWhatTheySay(t *testing.T) {
	m := material(t, 30, 2)
	byID := map[record.QuestionID]*record.Answer{}
	for _, a := range m.Answers {
		byID[a.Question.ID] = a
	}
	want := map[record.MetricName][]string{
		record.Faithfulness: {record.MadeUp, record.RandomPassages, record.Altered, record.Verbatim, record.Padding, record.Injection},
		record.Relevance:    {record.OtherAnswer, record.KeyFactsAnswer, record.Padding, record.Injection},
	}
	n := map[string]int{}
	seen := map[string]bool{}
	onWrong := map[string]int{}
	donors := map[record.QuestionID]bool{}
	for _, it := range judge.Draw(m, plan).Controls {
		key := string(it.Metric) + " " + it.Control
		n[key]++
		if seen[key+string(it.Question.ID)] {
			t.Errorf("%s has two items of %s", key, it.Question.ID)
		}
		seen[key+string(it.Question.ID)] = true
		if !slices.Contains(want[it.Metric], it.Control) {
			t.Errorf("%s is no control of %s", it.Control, it.Metric)
		}
		own := byID[it.Question.ID]
		switch it.Control {
		case record.MadeUp:
			if it.Expect != record.No || !strings.HasPrefix(it.Case.Answer, "Glue holds") || !cmp.Equal(it.Case.Passages, own.Passages) {
				t.Errorf("made-up: %s", show(it))
			}
		case record.RandomPassages:
			if it.Expect != record.No || it.Case.Answer != own.Text || len(it.Case.Passages) != len(own.Passages) || it.Case.Passages[0].Path == own.Passages[0].Path {
				t.Errorf("random-passages: %s", show(it))
			}
		case record.Altered:
			if it.Expect != record.No || it.Planted == nil || it.Case.Answer == own.Text || !cmp.Equal(it.Case.Passages, own.Passages) {
				t.Errorf("altered: %s", show(it))
			}
		case record.Verbatim:
			for _, s := range judge.Sentences(it.Case.Answer) {
				if it.Expect != record.Yes || !strings.Contains(own.Passages[0].Text, s) {
					t.Errorf("verbatim: %s", show(it))
				}
			}
		case record.OtherAnswer:
			if it.Expect != record.No || it.Donor == it.Question.ID || it.Case.Answer != byID[it.Donor].Text || it.Case.Question != own.Question.Text {
				t.Errorf("other-answer: %s", show(it))
			}
			if donors[it.Donor] {
				t.Errorf("the answer to %s is given twice", it.Donor)
			}
			donors[it.Donor] = true
		case record.KeyFactsAnswer:
			if it.Expect != record.Yes || !strings.HasPrefix(it.Case.Answer, "The x") || !strings.HasSuffix(it.Case.Answer, "bolts.") {
				t.Errorf("key-facts: %s", show(it))
			}
		case record.Padding, record.Injection:
			if it.Expect != "" || it.On == nil {
				t.Errorf("%s has its mark before the plain answer has: %s", it.Control, show(it))
			}
			for _, mark := range []record.Mark{record.Yes, record.No} {
				if got := it.Around(it.On.Case.Answer, mark); !strings.Contains(got, it.On.Case.Answer) || got == it.On.Case.Answer {
					t.Errorf("%s: %q", it.Control, got)
				}
			}
			if it.On.Control != "" {
				onWrong[it.Control]++
			}
		}
	}
	for metric, names := range want {
		for _, name := range names {
			if got := n[string(metric)+" "+name]; got != 20 {
				t.Errorf("%s of %s has %d items, want 20", name, metric, got)
			}
		}
	}
	for _, name := range []string{record.Padding, record.Injection} {
		if onWrong[name] < 10 || onWrong[name] > 30 {
			t.Errorf("%s: %d of 40 items are on an answer that must be no; a judge is to be moved from either mark", name, onWrong[name])
		}
	}
}

// The verdict written into an answer is the one it did not get.
func TestInjectionIsTheOpposite(t *testing.T) {
	for _, it := range judge.Draw(material(t, 30, 2), plan).Controls {
		if it.Control != record.Injection {
			continue
		}
		yes, no := "supported", "unsupported"
		if it.Metric == record.Relevance {
			yes, no = "yes, it answers the question", "no, it does not answer the question"
		}
		onYes, onNo := it.Around("X", record.Yes), it.Around("X", record.No)
		if !strings.Contains(onYes, no) || strings.Contains(onNo, no) || !strings.Contains(onNo, yes) {
			t.Errorf("on yes: %q\non no: %q", onYes, onNo)
		}
	}
}

// What is drawn is looked at once more: nothing shared, and what is shared is counted.
func TestLeaks(t *testing.T) {
	m := material(t, 30, 2)
	want := []judge.Leak{{Metric: record.Faithfulness, N: 60}, {Metric: record.Relevance, N: 20}}
	if d := cmp.Diff(want, judge.Draw(m, plan).Leaks); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, a := range m.MadeUp { // somebody made up the truth
		q := a.Question.ID
		for _, g := range m.Golden.Questions {
			if g.ID == q {
				a.Text = "Surely: " + g.Record.KeyFacts[0] + "."
			}
		}
	}
	leaks := judge.Draw(m, plan).Leaks
	if len(leaks[0].Found) != 20 || !strings.Contains(leaks[0].Found[0], "it says the key fact") {
		t.Errorf("20 made-up answers say a key fact, and these leaks were found: %q", leaks[0].Found)
	}
	c := leaks[0].Control(record.SupportedClaims, "j")
	if c.OK != record.ControlFailed || c.Misses != 20 || c.Metric != record.SupportedClaims {
		t.Errorf("control %+v", c)
	}
	if c := (judge.Leak{}).Control(record.Relevance, "j"); c.OK != record.ControlNotEstablished {
		t.Errorf("nothing was drawn, and leaks are %s", c.OK)
	}
}

// Passages of one page never stand under an answer of that page, however many
// there are; where no others are left, there is no such item.
func TestRandomPassagesOfOtherPagesAlone(t *testing.T) {
	m := material(t, 30, 2)
	for _, p := range m.Corpus.Passages {
		p.Path = "docs/all.md"
	}
	for _, it := range judge.Draw(m, plan).Controls {
		if it.Control == record.RandomPassages {
			t.Fatalf("all passages are of one page, and one is drawn: %s", show(it))
		}
	}
}

// A made-up answer to a question without an answer stands over the passages of
// its gold, and there is none where those say nothing.
func TestMadeUpOverGold(t *testing.T) {
	count := func(m judge.Material) (n int) {
		for _, it := range judge.Draw(m, plan).Controls {
			if it.Control != record.MadeUp {
				continue
			}
			n++
			if len(it.Case.Passages) != 1 || it.Case.Passages[0].Label != "P1" || it.Case.Passages[0].Path == "" {
				t.Errorf("passages %+v", it.Case.Passages)
			}
		}
		return n
	}
	m := material(t, 30, 2)
	m.Answers = m.Answers[:1]
	if n := count(m); n != 20 {
		t.Errorf("%d items, want 20", n)
	}
	m.Answers = nil
	for _, p := range m.Corpus.Passages {
		p.Text = " \n"
	}
	if n := count(m); n != 0 {
		t.Errorf("%d items over passages without a text", n)
	}
}

func TestPlanValidate(t *testing.T) {
	tests := []struct {
		plan judge.Plan
		want string
	}{
		{plan, ""},
		{judge.Plan{Metrics: []record.MetricName{record.SupportedClaims}, Repeats: 1, Controls: 1}, "read off the claims of faithfulness"},
		{judge.Plan{Metrics: []record.MetricName{"x"}, Repeats: 1, Controls: 1}, `got "x"`},
		{judge.Plan{Metrics: []record.MetricName{record.Relevance, record.Relevance}, Repeats: 1, Controls: 1}, "named twice"},
		{judge.Plan{Metrics: plan.Metrics, Controls: 1}, "1 or more"},
		{judge.Plan{Repeats: 1, Controls: 1}, "1 or more"},
	}
	for _, tt := range tests {
		if err := tt.plan.Validate(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.plan, err, tt.want)
		}
	}
}
