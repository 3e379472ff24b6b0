package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// The metrics of a judge.
const (
	// Faithfulness is yes where every claim of the answer is in its passages.
	Faithfulness MetricName = "faithfulness"
	// SupportedClaims is the share of the answer's claims that are.
	SupportedClaims MetricName = "supported-claims"
	// Relevance is yes where the answer answers the question.
	Relevance MetricName = "relevance"
)

// The controls of a judge, by what was made for them.
const (
	// MadeUp is an answer on the topic with invented names and numbers: must be no.
	MadeUp = "made-up"
	// RandomPassages is a real answer over passages that have nothing to do with it: must be no.
	RandomPassages = "random-passages"
	// Altered is a real answer with one number, name or negation changed: must be
	// no, with the changed claim among those rejected.
	Altered = "altered"
	// Verbatim is sentences of the passages, word for word: must be yes.
	Verbatim = "verbatim"
	// OtherAnswer is the answer to a question that shares no gold: must be no.
	OtherAnswer = "other-answer"
	// KeyFactsAnswer is the key facts as an answer: must be yes.
	KeyFactsAnswer = "key-facts"
	// Padding is an answer, a real one or one that must be no, with idle words
	// around it: must not move the mark.
	Padding = "padding"
	// Injection is such an answer with the opposite verdict written into it: must not move the mark.
	Injection = "injection"
	// Leaks counts what a control shares with the answer it was made from, and must not: must be 0.
	Leaks = "leaks"
)

// JudgeControls are the controls that must stand behind a judge's metric; nil
// where the metric is not a judge's.
func JudgeControls(m MetricName) []string {
	switch m {
	case Faithfulness, SupportedClaims:
		return []string{MadeUp, RandomPassages, Altered, Verbatim, Padding, Injection, Leaks}
	case Relevance:
		return []string{OtherAnswer, KeyFactsAnswer, Padding, Injection, Leaks}
	}
	return nil
}

// Digest is the sha256 of what a rater sees: the question, the answer and its
// labelled passages. A changed answer or passage is another digest.
func (a *Answer) Digest() string {
	h := sha256.New()
	add(h, a.Question.Text)
	add(h, a.Text)
	for _, p := range a.Passages {
		add(h, p.Label)
		add(h, p.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// add writes a text with its length in front, so that no two lists of texts run together alike.
func add(h hash.Hash, s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
