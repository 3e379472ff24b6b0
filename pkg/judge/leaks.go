package judge

import (
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A Leak is how many items of the negative controls of a metric share what they
// must not with the answer they were made from. It is counted on what was drawn,
// not on how.
type Leak struct {
	Metric record.MetricName
	// N is the number of items looked at, Found what leaks, one line each.
	N     int
	Found []string
}

// Control is the record of it for one judge. Supported-claims has the leaks of faithfulness.
func (l Leak) Control(m record.MetricName, judge string) *record.Control {
	n := float64(len(l.Found))
	c := &record.Control{
		Metric: m, Judge: judge, Control: record.Leaks, Expect: "0 leaks", Got: fmt.Sprintf("%d leaks", len(l.Found)),
		Value: &n, N: l.N, Misses: len(l.Found), OK: record.ControlOK,
	}
	switch {
	case l.N == 0:
		c.OK, c.Reason = record.ControlNotEstablished, "no negative control was drawn"
	case len(l.Found) > 0:
		c.OK, c.Reason = record.ControlFailed, l.Found[0]
	}
	return c
}

// leaks looks at the negative controls of a metric.
func (d *drawer) leaks(m record.MetricName, items []*Item) Leak {
	l := Leak{Metric: m}
	for _, it := range items {
		var why string
		switch it.Control {
		case record.RandomPassages:
			why = d.sharedPassage(it)
		case record.MadeUp:
			why = d.saysTruth(it)
		case record.Altered:
			why = stillSaid(it)
		case record.OtherAnswer:
			why = d.sharedGold(it)
		default:
			continue
		}
		l.N++
		if why != "" {
			l.Found = append(l.Found, fmt.Sprintf("%s of %s: %s", it.Control, it.Question.ID, why))
		}
	}
	return l
}

func (d *drawer) sharedPassage(it *Item) string {
	near := d.near(it)
	for _, p := range it.Case.Passages {
		if near.shares(p.Section, p.Path, d.bare(p.Text)) {
			return fmt.Sprintf("passage %s shares its section, page or text with the answer's own or its gold", p.Passage)
		}
	}
	return ""
}

// saysTruth looks for a key fact in an invented answer, word for word.
func (d *drawer) saysTruth(it *Item) string {
	if q := d.questions[it.Question.ID]; q.Record != nil {
		for _, fact := range q.Record.KeyFacts {
			if Holds(it.Case.Answer, fact) {
				return fmt.Sprintf("it says the key fact %q", fact)
			}
		}
	}
	for _, p := range it.Case.Passages {
		if Holds(p.Text, it.Case.Answer) {
			return fmt.Sprintf("passage %s says it", p.Passage)
		}
	}
	return ""
}

func stillSaid(it *Item) string {
	i := slices.IndexFunc(it.Case.Passages, func(p record.Labelled) bool { return Holds(p.Text, it.Planted.Sentence) })
	if i >= 0 {
		return fmt.Sprintf("passage %s says the altered sentence", it.Case.Passages[i].Passage)
	}
	return ""
}

func (d *drawer) sharedGold(it *Item) string {
	q := d.questions[it.Question.ID]
	for _, need := range d.questions[it.Donor].Needs {
		for _, s := range need.Sections {
			if len(q.Serves(s)) > 0 {
				return fmt.Sprintf("section %s answers %s too", s, it.Donor)
			}
		}
	}
	if given := d.real[realKey(it.Metric, &record.Answer{Question: it.Question, System: it.System, Model: it.Model})]; given != nil && given.Case.Answer == it.Case.Answer {
		return "it is the question's own answer"
	}
	return ""
}
