package judge

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Material is what items are made of.
type Material struct {
	// Answers are those to be judged, in their order.
	Answers []*record.Answer
	// Golden holds their questions. An answer to none of them is judged, and no
	// control is drawn from it.
	Golden *golden.Set
	// Corpus holds the passages that the answers' were found in.
	Corpus *corpus.Corpus
	// MadeUp are answers to golden questions that somebody invented.
	MadeUp []*record.Answer
}

// Plan says what is to be drawn.
type Plan struct {
	// Metrics are faithfulness, relevance or both.
	Metrics []record.MetricName
	// Repeats is how often each real answer is judged; controls are judged once.
	Repeats int
	// Controls is how many items a control has, fewer where there are not so many.
	Controls int
	Seed     uint64
}

// Drawn is what there is to judge, the same for every judge.
//
//   - Answers holds the items of the real answers: in their order, of each its
//     metrics, of each its repeats.
//   - Controls holds those of the controls, of each metric in the order of
//     record.JudgeControls.
//   - A control has at most one item a question: two answers to one question do
//     not fail independently.
//   - None is drawn from a refusal, an error, or an answer without text or passages.
type Drawn struct {
	Answers, Controls []*Item
	// Leaks are what negative controls share with the answer they must differ from.
	Leaks []Leak
}

// Draw makes the items. The same material, plan and seed give the same.
func Draw(m Material, p Plan) *Drawn {
	d := &drawer{Material: m, plan: p, questions: map[record.QuestionID]*golden.Question{}, real: map[string]*Item{}, bares: map[string]string{}}
	for _, q := range m.Golden.Questions {
		d.questions[q.ID] = q
	}
	out := &Drawn{}
	for _, a := range m.Answers {
		for _, metric := range p.Metrics {
			for repeat := range p.Repeats {
				it := d.item(metric, a)
				it.Repeat, it.Skip = repeat, skip(metric, a)
				out.Answers = append(out.Answers, it)
				if repeat == 0 {
					d.real[realKey(metric, a)] = it
				}
			}
		}
		if d.usable(a) {
			d.pool = append(d.pool, a)
		}
	}
	d.names = namesOf(m.Corpus)
	for _, metric := range p.Metrics {
		items := d.controls(metric)
		out.Controls = append(out.Controls, items...)
		out.Leaks = append(out.Leaks, d.leaks(metric, items))
	}
	return out
}

type drawer struct {
	Material
	plan      Plan
	questions map[record.QuestionID]*golden.Question
	pool      []*record.Answer // that controls are drawn from
	real      map[string]*Item // the first item of an answer, by realKey
	names     *names
	bares     map[string]string // texts of passages in bare form
}

func realKey(m record.MetricName, a *record.Answer) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s", m, a.Question.ID, a.System, a.Model)
}

// item is an answer as it came.
func (d *drawer) item(m record.MetricName, a *record.Answer) *Item {
	it := &Item{
		Metric: m, Question: a.Question, System: a.System, Model: a.Model,
		Case: Case{Question: a.Question.Text, Answer: a.Text, Passages: a.Passages},
	}
	if q := d.questions[a.Question.ID]; q != nil {
		it.AskedFor = q.Kind
	}
	return it
}

// skip says why an answer is not judged.
func skip(m record.MetricName, a *record.Answer) string {
	switch {
	case a.Refused:
		return "refused"
	case a.Status != record.Scored:
		return fmt.Sprintf("the answer has status %s: %s", a.Status, a.Reason)
	case strings.TrimSpace(a.Text) == "":
		return "the answer is empty"
	case m == record.Faithfulness && !readable(a.Passages):
		return "the answer has no passage with a text"
	}
	return ""
}

func readable(passages []record.Labelled) bool {
	return slices.ContainsFunc(passages, func(p record.Labelled) bool { return strings.TrimSpace(p.Text) != "" })
}

// usable tells whether controls can be drawn from an answer.
func (d *drawer) usable(a *record.Answer) bool {
	q := d.questions[a.Question.ID]
	return skip(record.Faithfulness, a) == "" && q != nil && q.Text == a.Question.Text && len(Sentences(a.Text)) > 0
}

// controls makes the items of a metric's controls.
func (d *drawer) controls(m record.MetricName) []*Item {
	var real []*Item
	for _, a := range d.pool {
		real = append(real, d.real[realKey(m, a)])
	}
	var wrong, all []*Item // wrong are answers that must be no
	if m == record.Faithfulness {
		wrong = d.draw(record.MadeUp, d.madeUp(m), d.invented)
		all = append(all, wrong...)
		all = append(all, d.draw(record.RandomPassages, real, d.randomPassages)...)
		all = append(all, d.draw(record.Altered, real, d.altered)...)
		all = append(all, d.draw(record.Verbatim, real, verbatim)...)
	} else {
		wrong = d.draw(record.OtherAnswer, real, d.otherAnswer())
		all = append(all, wrong...)
		all = append(all, d.draw(record.KeyFactsAnswer, d.asked(m), d.keyFacts)...)
	}
	// By turns a real answer and one that must be no, so that a judge that words
	// can move is seen to move from either mark.
	var plain []*Item
	for i := range max(len(real), len(wrong)) {
		if i < len(real) {
			plain = append(plain, real[i])
		}
		if i < len(wrong) {
			plain = append(plain, wrong[i])
		}
	}
	all = append(all, d.draw(record.Padding, plain, padded)...)
	return append(all, d.draw(record.Injection, plain, injected)...)
}

// draw makes up to Plan.Controls items of a control, at most one a question.
// The plain items are gone through in a random order of the control's own; build
// turns the copy of one into the control's, or returns false where it cannot.
func (d *drawer) draw(control string, from []*Item, build func(r *rand.Rand, plain, it *Item) bool) []*Item {
	if len(from) == 0 {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(string(from[0].Metric) + " " + control)) // a hash returns no error
	r := rand.New(rand.NewPCG(d.plan.Seed, h.Sum64()))
	seen := map[record.QuestionID]bool{}
	var out []*Item
	for _, i := range r.Perm(len(from)) {
		if len(out) == d.plan.Controls {
			break
		}
		it := *from[i]
		it.Control, it.Expect, it.Planted, it.Donor = control, "", nil, ""
		if seen[it.Question.ID] || !build(r, from[i], &it) {
			continue
		}
		seen[it.Question.ID] = true
		out = append(out, &it)
	}
	return out
}

// Validate says what is wrong with a plan.
func (p Plan) Validate() error {
	seen := map[record.MetricName]bool{}
	for _, m := range p.Metrics {
		switch {
		case m == record.SupportedClaims:
			return fmt.Errorf("%s is read off the claims of %s: ask for that", m, record.Faithfulness)
		case m != record.Faithfulness && m != record.Relevance:
			return fmt.Errorf("expected metrics %s or %s, got %q", record.Faithfulness, record.Relevance, m)
		case seen[m]:
			return fmt.Errorf("metric %s is named twice", m)
		}
		seen[m] = true
	}
	if len(p.Metrics) == 0 || p.Controls < 1 || p.Repeats < 1 {
		return errors.New("expected a metric, and 1 or more controls and repeats")
	}
	return nil
}
