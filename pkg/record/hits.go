package record

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Hits are the ranked passages that one system found for one question.
type Hits struct {
	Base
	Question QuestionRef `json:"question"`
	System   SystemName  `json:"system"`
	// Hits are in rank order, best first; ranks count from 1 without gaps.
	Hits []Hit `json:"hits"`
	// Fallback says why BM25 stood in for vectors; empty where it did not.
	Fallback string `json:"fallback,omitempty"`
}

// Hit is one passage at its rank.
type Hit struct {
	Passage  PassageID `json:"passage"`
	Section  SectionID `json:"section"`
	Path     string    `json:"path,omitempty"`
	Heading  string    `json:"heading,omitempty"`
	Headings []string  `json:"headings,omitempty"`
	Lines    [2]int    `json:"lines,omitzero"`
	Commit   Commit    `json:"commit,omitempty"`
	Rank     int       `json:"rank"`
	// Score is the system's own, higher is better; scores of two systems do not compare.
	Score float64 `json:"score"`
	// Stages holds each stage's own score and rank, for those that scored this passage.
	Stages map[StageName]StageScore `json:"stages,omitempty"`
	Text   string                   `json:"text,omitempty"`
	// Extra holds the members the program does not know, as one JSON object.
	Extra jsontext.Value `json:",embed"`
}

// StageScore is what one stage gave a passage. Rank counts from 1 among all that the stage scored.
type StageScore struct {
	Score float64 `json:"score"`
	Rank  int     `json:"rank"`
}

// Kind is KindHits.
func (*Hits) Kind() Kind { return KindHits }

// Validate checks the question, the system, and that ranks run 1, 2, 3… without a passage twice.
func (h *Hits) Validate() error {
	err := missing("question.id", string(h.Question.ID), "system", string(h.System))
	seen := make(map[PassageID]bool, len(h.Hits))
	for i, hit := range h.Hits {
		if hit.Rank != i+1 {
			err = errors.Join(err, fmt.Errorf("expected rank %d, got %d: hits are in rank order", i+1, hit.Rank))
			break
		}
		if hit.Passage == "" || hit.Section == "" {
			err = errors.Join(err, fmt.Errorf("hit %d lacks its passage or section", i+1))
		}
		if seen[hit.Passage] {
			err = errors.Join(err, fmt.Errorf("passage %q is ranked twice", hit.Passage))
		}
		seen[hit.Passage] = true
	}
	return err
}

// Answer is what a system answers: text with citations, or a refusal.
type Answer struct {
	Base
	Question QuestionRef `json:"question"`
	System   SystemName  `json:"system"`
	// Model is the engine and its model: extract, ollama:llama3.1:8b.
	Model string `json:"model"`
	// Passages are what the engine was given, labelled P1, P2…
	Passages []Labelled `json:"passages"`
	// Text is the answer, empty for a refusal.
	Text string `json:"text"`
	// Sentences are the parts of Text with the labels each cites.
	Sentences []Sentence `json:"sentences,omitempty"`
	// Refused says that the system declined to answer; it is never read off the text.
	Refused bool `json:"refused"`
	// RefusalReason is the engine's own, where it gave one.
	RefusalReason string `json:"refusal_reason,omitempty"`
	// RefusalScore is higher the more the engine would answer, where it has such a score.
	RefusalScore *float64 `json:"refusal_score,omitzero"`
	// Citations are the labels cited that were given, each once, in the order of first use.
	Citations []Citation `json:"citations"`
	// DroppedCitations are the labels cited that were not given.
	DroppedCitations []string `json:"dropped_citations,omitempty"`
	// Ungrounded says that an answer was left without a citation.
	Ungrounded   bool   `json:"ungrounded,omitzero"`
	PromptTokens int    `json:"prompt_tokens,omitzero"`
	AnswerTokens int    `json:"answer_tokens,omitzero"`
	Status       Status `json:"status"`
	Reason       string `json:"reason,omitempty"`
}

// Labelled is a passage under the label it was shown with.
type Labelled struct {
	Label    string    `json:"label"`
	Passage  PassageID `json:"passage"`
	Section  SectionID `json:"section"`
	Path     string    `json:"path,omitempty"`
	Headings []string  `json:"headings,omitempty"`
	Lines    [2]int    `json:"lines,omitzero"`
	Text     string    `json:"text"`
}

// Sentence is a part of an answer with the labels it cites.
type Sentence struct {
	Text   string   `json:"text"`
	Labels []string `json:"labels"`
}

// Citation is a label with the passage it stands for.
type Citation struct {
	Label   string    `json:"label"`
	Passage PassageID `json:"passage"`
	Section SectionID `json:"section"`
}

// Kind is KindAnswer.
func (*Answer) Kind() Kind { return KindAnswer }

// Validate checks the question, the system and the status.
func (a *Answer) Validate() error {
	err := missing("question.id", string(a.Question.ID), "system", string(a.System), "model", a.Model)
	if a.Refused && a.Text != "" {
		err = errors.Join(err, errors.New("a refusal carries an answer text"))
	}
	return errors.Join(err, a.Status.validate(a.Reason))
}
