package judge

import (
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// An Item is a case to be judged for one metric, with what nobody tells the judge.
type Item struct {
	Metric   record.MetricName
	Question record.QuestionRef
	System   record.SystemName
	Model    string
	AskedFor record.QuestionKind
	Case     Case
	// Repeat counts the times the case is judged, from 0.
	Repeat int
	// Skip says why the case is not judged; empty where it is.
	Skip string

	// Control names what the case was made for, Expect the mark it must get;
	// empty for a real answer.
	Control string
	Expect  record.Mark
	Planted *record.Plant
	// Donor is the question that the answer was taken from, where it is another's.
	Donor record.QuestionID

	// On is the plain item whose mark this one must share, and Around what is
	// done to its answer once the mark is known; nil for all but padding and injection.
	On     *Item
	Around Around
}

// An Around puts words around an answer that must not move its mark.
type Around func(answer string, mark record.Mark) string

// Digest is that of record.Answer: of all that a rater sees.
func (c Case) Digest() string {
	return (&record.Answer{Question: record.QuestionRef{Text: c.Question}, Text: c.Answer, Passages: c.Passages}).Digest()
}

// settled returns the item as it is judged, once the mark of its plain one is known.
func (it *Item) settled(plain *record.Verdict) *Item {
	if it.On == nil {
		return it
	}
	out := *it
	if plain.Status != record.Scored {
		out.Skip = "the plain answer has no mark: " + plain.Reason
		return &out
	}
	out.Expect = plain.Mark
	out.Case.Answer = it.Around(it.On.Case.Answer, plain.Mark)
	return &out
}

// Key is what a verdict is kept under: all that can change it.
func Key(it *Item, j Judge) string {
	m := j.Model()
	return quotation.Digest(it.Case.Digest(), string(it.Metric), it.Control, fmt.Sprint(it.Repeat), j.Name(), j.Version(), m.Name, m.SHA256)
}

// verdict is the record of an item, without a mark yet.
func (it *Item) verdict(key string, j Judge) *record.Verdict {
	return &record.Verdict{
		Key: key, Question: it.Question, System: it.System, Model: it.Model, Judge: j.Name(), Metric: it.Metric,
		AskedFor: it.AskedFor, Answer: it.Case.Digest(), Control: it.Control, Expect: it.Expect, Planted: it.Planted, Repeat: it.Repeat,
	}
}
