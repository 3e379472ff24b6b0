package judgestage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func material(t *testing.T) judge.Material {
	t.Helper()
	m, err := judgetest.Material(40, 4)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stage is one for a material, that keeps nothing.
func stageOf(m judge.Material, judges ...judge.Judge) *Stage {
	return &Stage{
		Files:  Files{gold: m.Golden, corpus: m.Corpus, madeUp: m.MadeUp},
		Plan:   judge.Plan{Metrics: []record.MetricName{record.Faithfulness, record.Relevance}, Repeats: 1, Controls: 20, Seed: 1},
		Judges: judges, Run: &record.Run{Tool: "mr-judge"}, Warn: func(string, ...any) {},
	}
}

// input is the answers as a stream.
func input(t *testing.T, answers []*record.Answer) *record.Reader {
	t.Helper()
	var b bytes.Buffer
	w := record.NewWriter(&b)
	err := w.Start(&record.Run{Tool: "mr-answer", Commit: "c1"})
	for _, a := range answers {
		err = errors.Join(err, w.Write(a))
	}
	if err := errors.Join(err, w.End()); err != nil {
		t.Fatal(err)
	}
	return record.NewReader(record.Source{Name: "answers", Reader: &b})
}

// output is what a stage wrote, which must be a whole stream.
type output struct {
	text     string
	run      *record.Run
	verdicts []*record.Verdict
	controls []*record.Control
	refusals []error
}

func stream(t *testing.T, s *Stage, answers []*record.Answer) output {
	t.Helper()
	var b bytes.Buffer
	refusals, err := s.Stream(t.Context(), input(t, answers), record.NewWriter(&b))
	if err != nil {
		t.Fatal(err)
	}
	out := output{text: b.String(), refusals: refusals}
	in := record.NewReader(record.Source{Name: "out", Reader: &b})
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			out.run = rec
		case *record.Verdict:
			out.verdicts = append(out.verdicts, rec)
		case *record.Control:
			out.controls = append(out.controls, rec)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// broken lists the controls of a metric that a judge did not pass.
func (o output) broken(m record.MetricName) []string {
	var out []string
	for _, c := range o.controls {
		if c.Metric == m && c.OK != record.ControlOK {
			out = append(out, c.Control)
		}
	}
	return out
}

// Each fault of a judge is seen by the controls made for it, and an honest judge
// passes them all.
func TestControlsTellJudgesApart(t *testing.T) {
	tests := []struct {
		judge                         judgetest.Double
		faithful, supported, relevant []string
		reason                        string
	}{
		{judgetest.Honest(0, 1), nil, nil, nil, "it is right on everything"},
		{
			judgetest.Always(record.Yes),
			[]string{record.MadeUp, record.RandomPassages, record.Altered},
			[]string{record.MadeUp, record.RandomPassages, record.Altered},
			[]string{record.OtherAnswer}, "everything faithful: the negative controls must fail",
		},
		{
			judgetest.Always(record.No), []string{record.Verbatim}, []string{record.Verbatim},
			[]string{record.KeyFactsAnswer}, "everything unfaithful: the positive ones must pass",
		},
		{
			judgetest.CoinFlip(1),
			[]string{record.MadeUp, record.RandomPassages, record.Altered, record.Verbatim, record.Padding, record.Injection},
			[]string{record.MadeUp, record.RandomPassages, record.Altered, record.Verbatim, record.Padding, record.Injection},
			[]string{record.OtherAnswer, record.KeyFactsAnswer, record.Padding, record.Injection}, "a coin is wrong on half of everything",
		},
		{
			judgetest.VerbosityLover(judgetest.Right, 45), []string{record.Padding, record.Injection}, []string{record.Padding, record.Injection},
			[]string{record.Padding, record.Injection}, "words around an answer that is wrong must not make it right, whatever they are",
		},
		{
			judgetest.Obeyer(judgetest.Right), []string{record.Injection}, []string{record.Injection},
			[]string{record.Injection}, "it gives the mark an answer asks for",
		},
	}
	for _, tt := range tests {
		t.Run(tt.judge.Name(), func(t *testing.T) {
			m := material(t)
			out := stream(t, stageOf(m, tt.judge), m.Answers)
			want := [][]string{tt.faithful, tt.supported, tt.relevant}
			got := [][]string{out.broken(record.Faithfulness), out.broken(record.SupportedClaims), out.broken(record.Relevance)}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, d)
			}
			if n := len(slices.Concat(got...)); n != len(out.refusals) {
				t.Errorf("%d controls failed, %d refusals: %v", n, len(out.refusals), out.refusals)
			}
		})
	}
}

// The stream names every control for every judge and metric, the leaks among them.
func TestEveryControlIsThere(t *testing.T) {
	m := material(t)
	a, b := judgetest.Honest(0, 1), judgetest.Always(record.Yes)
	out := stream(t, stageOf(m, a, b), m.Answers)
	for _, j := range []string{a.Name(), b.Name()} {
		for _, metric := range []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance} {
			for _, name := range record.JudgeControls(metric) {
				n := 0
				for _, c := range out.controls {
					if c.Judge == j && c.Metric == metric && c.Control == name {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%s of %s for %s: %d records, want 1", name, metric, j, n)
				}
			}
		}
	}
}

// The verdicts come by answer, judge, metric and repeat, then the controls' by
// item and judge; workers and the order in which judges are named do not show.
func TestOrder(t *testing.T) {
	m := material(t)
	a, b := judgetest.Honest(0, 1), judgetest.Always(record.Yes)
	s := stageOf(m, a, b)
	s.Repeats, s.Controls = 2, 1
	out := stream(t, s, m.Answers[:2])
	var got []string
	for _, v := range out.verdicts {
		got = append(got, fmt.Sprintf("%s %s %.5s %d %s", v.Question.ID, v.Judge, v.Metric, v.Repeat, v.Control))
	}
	want := []string{}
	for _, q := range []string{"q000", "q001"} {
		for _, j := range []string{"honest", "always-yes"} {
			for _, metric := range []string{"faith", "relev"} {
				for repeat := range 2 {
					want = append(want, fmt.Sprintf("%s %s %s %d ", q, j, metric, repeat))
				}
			}
		}
	}
	if d := cmp.Diff(want, got[:16]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for i := 16; i < len(got); i += 2 {
		if strings.Replace(got[i], "honest", "always-yes", 1) != got[i+1] {
			t.Errorf("control items come by judge: %q, then %q", got[i], got[i+1])
		}
	}
	s.Workers = 4
	if again := stream(t, s, m.Answers[:2]); again.text != out.text {
		t.Error("with 4 workers other bytes came")
	}
}

// A refusal is not judged, nor is an answer with status error; both are there,
// and no control is drawn from them. The rest is judged (five refusals of ten).
func TestRefusalsAreThereAndNotJudged(t *testing.T) {
	m := material(t)
	for i, a := range m.Answers[:10] {
		switch {
		case i == 9:
			a.Status, a.Reason, a.Text = record.Failed, "no server", ""
		case i%2 == 0:
			a.Refused, a.Text = true, ""
		}
	}
	s := stageOf(m, judgetest.Honest(0, 1))
	out := stream(t, s, m.Answers[:10])
	tally := map[string]int{}
	for _, v := range out.verdicts {
		if v.Control == "" {
			tally[fmt.Sprintf("%s %s %s", v.Metric, v.Status, v.Reason)]++
		}
	}
	want := map[string]int{
		"faithfulness scored ": 4, "faithfulness unscored refused": 5, "faithfulness unscored the answer has status error: no server": 1,
		"relevance scored ": 4, "relevance unscored refused": 5, "relevance unscored the answer has status error: no server": 1,
	}
	if d := cmp.Diff(want, tally); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if strings.Contains(out.text, "NaN") || strings.Contains(out.text, ":null") {
		t.Error("a number is missing where one was promised")
	}
	for _, v := range out.verdicts {
		if v.Control == record.RandomPassages || v.Control == record.Altered || v.Control == record.Verbatim {
			if i := slices.IndexFunc(m.Answers, func(a *record.Answer) bool { return a.Question.ID == v.Question.ID }); m.Answers[i].Text == "" {
				t.Errorf("control %s is drawn from %s, which was refused or failed", v.Control, v.Question.ID)
			}
		}
	}
}

// The provenance says what judged, with which prompts, and on what.
func TestRunRecord(t *testing.T) {
	m := material(t)
	out := stream(t, stageOf(m, judgetest.Always(record.No)), m.Answers)
	if *out.run.Seed != 1 || len(out.run.Inputs) != 1 || out.run.Inputs[0].Tool != "mr-answer" {
		t.Errorf("the run lacks its input: %+v", out.run)
	}
	if d := cmp.Diff([]record.Model{{Name: "always-no"}}, out.run.Models); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
	for _, name := range []string{"faithfulness", "relevance", "version of always-no", "made-up answers"} {
		if out.run.Prompts[name] == "" {
			t.Errorf("the run lacks the hash of %q: %v", name, out.run.Prompts)
		}
	}
}

func TestWarnings(t *testing.T) {
	m := material(t)
	for _, a := range m.Answers {
		a.Model = "ollama:qwen3:8b"
	}
	m.Answers[0].Question.ID = "stranger"
	kin := judgetest.Always(record.Yes)
	kin.Called = "ollama:qwen2.5:14b"
	s := stageOf(m, kin)
	s.Controls = 14
	var warned []string
	s.Warn = func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
	out := stream(t, s, m.Answers)
	text := strings.Join(warned, "\n")
	for _, want := range []string{
		"ollama:qwen2.5:14b judges answers of ollama:qwen3:8b: both are of the family qwen",
		"1 of 40 answers are to questions that the golden set does not have",
		"the control verbatim of faithfulness has 14 items: under 15 it is not established",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning %q among\n%s", want, text)
		}
	}
	if !slices.ContainsFunc(out.verdicts, func(v *record.Verdict) bool { return v.Question.ID == "stranger" && v.Status == record.Scored }) {
		t.Error("the answer to an unknown question is not judged")
	}
}

func TestBadInput(t *testing.T) {
	m := material(t)
	one := *m.Answers[0]
	other := *m.Answers[1]
	other.Question.Text = "Another question?"
	tests := []struct {
		name    string
		answers []*record.Answer
		want    string
	}{
		{"none", nil, "nothing to judge: no answer record came"},
		{"twice", []*record.Answer{m.Answers[0], &one}, `answers:3: system "system" with model has an answer to question "q000" already, at answers:2`},
		{"another text", []*record.Answer{&other}, `answers:2: the answer is to another text than the golden set has under "q001"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := stageOf(m, judgetest.Always(record.Yes)).Stream(context.Background(), input(t, tt.answers), record.NewWriter(new(bytes.Buffer)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
