package grade

import (
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The metrics.
const (
	RefusedUnanswerable record.MetricName = "refused-unanswerable"
	RefusedAnswerable   record.MetricName = "refused-answerable"
	RefusalAUC          record.MetricName = "refusal-auc"
	CitationPrecision   record.MetricName = "citation-precision"
	CitationRecall      record.MetricName = "citation-recall"
	KeyFactCoverage     record.MetricName = "key-fact-coverage"
	AnswerWords         record.MetricName = "answer-words"
	DroppedCitations    record.MetricName = "dropped-citations"
	Ungrounded          record.MetricName = "ungrounded"
	PromptTokens        record.MetricName = "prompt-tokens"
	AnswerTokens        record.MetricName = "answer-tokens"
)

// The warnings and reasons of scores. mr-boot counts the questions that have each.
const (
	NoCitation = "no citation, which counts 0"
	Refused    = "refused"
	NoAnswer   = "no answer record came"
	FellBack   = "answered from hits that fell back to BM25"
)

// metric is a measure of one answer.
type metric struct {
	name record.MetricName
	// asks says whether a question is one the metric is about.
	asks func(*question) bool
	// answered: a refusal is unscored.
	answered bool
	// value is of an answer with status scored; of is its denominator, 0 where there is none.
	value func(*item) (value, of float64)
}

// question is a golden question, made ready.
type question struct {
	*golden.Question
	facts []keyfact.Fact
	said  []string // the facts as written
}

// item is a question with an answer to it.
type item struct {
	*question
	answer *record.Answer
	// cited are the sections of the passages cited, one for each passage.
	cited []record.SectionID
}

func metrics() []metric {
	any := func(*question) bool { return true }
	answerable := func(q *question) bool { return q.Answerable() }
	return []metric{
		{RefusedUnanswerable, func(q *question) bool { return !q.Answerable() }, false, refused},
		{RefusedAnswerable, answerable, false, refused},
		{CitationPrecision, answerable, true, precision},
		{CitationRecall, answerable, true, recall},
		{KeyFactCoverage, func(q *question) bool { return q.Answerable() && len(q.facts) > 0 }, true, coverage},
		{AnswerWords, answerable, true, func(it *item) (float64, float64) { return float64(len(strings.Fields(it.answer.Text))), 0 }},
		{DroppedCitations, any, false, func(it *item) (float64, float64) { return float64(len(it.answer.DroppedCitations)), 0 }},
		{Ungrounded, any, false, func(it *item) (float64, float64) { return one(it.answer.Ungrounded), 0 }},
		{PromptTokens, any, false, func(it *item) (float64, float64) { return float64(it.answer.PromptTokens), 0 }},
		{AnswerTokens, any, false, func(it *item) (float64, float64) { return float64(it.answer.AnswerTokens), 0 }},
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func refused(it *item) (float64, float64) { return one(it.answer.Refused), 0 }

func precision(it *item) (value, of float64) {
	for _, s := range it.cited {
		value += one(len(it.Serves(s)) > 0)
	}
	if len(it.cited) == 0 {
		return 0, 0
	}
	return value / float64(len(it.cited)), float64(len(it.cited))
}

func recall(it *item) (value, of float64) {
	m := golden.NewMatching(it.Question)
	met := 0
	for _, s := range it.cited {
		if m.Add(s) > 0 {
			met++
		}
	}
	return float64(met) / float64(len(it.Needs)), float64(len(it.Needs))
}

func coverage(it *item) (value, of float64) {
	n := len(it.facts)
	return float64(n-len(it.missed())) / float64(n), float64(n)
}

// missed are the key facts that the answer does not say.
func (it *item) missed() []string {
	text := keyfact.Read(it.answer.Text)
	var all []string
	for i, f := range it.facts {
		if !f.In(text) {
			all = append(all, it.said[i])
		}
	}
	return all
}

// score is what a metric makes of an item; nil where it is not about the question.
func (m metric) score(system record.SystemName, it *item) *record.Score {
	if !m.asks(it.question) {
		return nil
	}
	s := &record.Score{Question: record.QuestionRef{ID: it.ID, Text: it.Text}, System: system, Metric: m.name,
		Status: it.answer.Status, Reason: it.answer.Reason, AskedFor: it.Kind}
	switch {
	case s.Status != record.Scored:
		return s
	case m.answered && it.answer.Refused:
		s.Status, s.Reason = record.Unscored, Refused
		return s
	}
	value, of := m.value(it)
	s.Value, s.Of, s.Reason = &value, of, ""
	return s
}
