// Package answer turns the hits of a question into an answer that cites the
// passages it stands on, or into a refusal.
//
//   - Only the question's text and the passages reach an engine; the types it is
//     given hold nothing else, so gold, kind and key facts cannot.
//   - Passages are quoted as data between markers they cannot forge.
//   - The reply is structured. A refusal is a field of it, never a phrase found
//     in the text.
//   - A label that was not given is dropped and counted. An answer left without
//     any citation is said to be ungrounded.
//   - An engine that fails gives a record with status error and the reason: not
//     an answer, and not a refusal.
package answer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A Request is all that an engine gets to see.
type Request struct {
	Question string
	Passages []record.Labelled
}

// A Reply is what an engine says, before its labels are checked.
type Reply struct {
	// Refused says that the passages do not answer; Reason says why.
	Refused bool
	Reason  string
	// Sentences are the answer; empty for a refusal.
	Sentences []record.Sentence
	// Score is higher the more the engine would answer, where it has such a score.
	Score *float64
	// PromptTokens and Tokens are counts of the engine's own tokenizer, 0 where it has none.
	PromptTokens, Tokens int
}

// An Engine answers one request.
type Engine interface {
	// Name is the engine with its model: extract, ollama:llama3.1:8b.
	Name() string
	// Answer returns a reply, or an error: there is none.
	Answer(ctx context.Context, req Request) (Reply, error)
}

// Label numbers the first n hits P1, P2…
func Label(hits []record.Hit, n int) []record.Labelled {
	out := make([]record.Labelled, 0, min(n, len(hits)))
	for i, h := range hits[:min(n, len(hits))] {
		out = append(out, record.Labelled{
			Label: fmt.Sprintf("P%d", i+1), Passage: h.Passage, Section: h.Section,
			Path: h.Path, Headings: h.Headings, Lines: h.Lines, Text: h.Text,
		})
	}
	return out
}

// Answer asks an engine about the first n hits. It returns an error only for
// hits that cannot be asked about; an engine that fails is a record with status
// error.
func Answer(ctx context.Context, engine Engine, hits *record.Hits, n int) (*record.Answer, error) {
	a := &record.Answer{
		Question: hits.Question, System: systemOf(hits), Model: engine.Name(),
		Passages: Label(hits.Hits, n), Citations: []record.Citation{}, Status: record.Scored,
	}
	for _, p := range a.Passages {
		if p.Text == "" {
			return nil, fmt.Errorf("passage %s comes without its text: search again, keeping the texts", p.Passage)
		}
	}
	if strings.TrimSpace(hits.Question.Text) == "" {
		return nil, fmt.Errorf("question %s comes without its text", hits.Question.ID)
	}
	if len(a.Passages) == 0 {
		a.Refused, a.RefusalReason = true, "no passage was found"
		return a, nil
	}
	reply, err := engine.Answer(ctx, Request{hits.Question.Text, a.Passages})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		a.Status, a.Reason = record.Failed, err.Error()
		return a, nil
	}
	a.PromptTokens, a.AnswerTokens, a.RefusalScore = reply.PromptTokens, reply.Tokens, reply.Score
	if err := settle(a, reply); err != nil {
		a.Status, a.Reason = record.Failed, err.Error()
	}
	return a, nil
}

// systemOf names hits that fell back to BM25 for what they are, whichever system
// they were asked of.
func systemOf(hits *record.Hits) record.SystemName {
	if hits.Fallback != "" {
		return record.FallbackSystem
	}
	return hits.System
}

// settle puts a reply into the record, with its labels checked.
func settle(a *record.Answer, reply Reply) error {
	switch {
	case reply.Refused && len(reply.Sentences) > 0:
		return fmt.Errorf("the reply refuses and answers at once")
	case reply.Refused:
		a.Refused, a.RefusalReason = true, reply.Reason
		return nil
	case len(reply.Sentences) == 0:
		return fmt.Errorf("the reply neither answers nor refuses")
	}
	byLabel := map[string]record.Labelled{}
	for _, p := range a.Passages {
		byLabel[p.Label] = p
	}
	var text []string
	for _, s := range reply.Sentences {
		kept := record.Sentence{Text: strings.TrimSpace(s.Text), Labels: []string{}}
		for _, label := range splitLabels(s.Labels) {
			p, given := byLabel[label]
			if !given {
				a.DroppedCitations = append(a.DroppedCitations, label)
				continue
			}
			if !slices.Contains(kept.Labels, label) {
				kept.Labels = append(kept.Labels, label)
			}
			cite := record.Citation{Label: label, Passage: p.Passage, Section: p.Section}
			if !slices.Contains(a.Citations, cite) {
				a.Citations = append(a.Citations, cite)
			}
		}
		text = append(text, kept.Text)
		a.Sentences = append(a.Sentences, kept)
	}
	a.Text = strings.Join(text, " ")
	a.Ungrounded = len(a.Citations) == 0
	if strings.TrimSpace(a.Text) == "" {
		a.Text, a.Sentences = "", nil
		return fmt.Errorf("the reply's sentences are empty")
	}
	return nil
}

var labelSeparator = regexp.MustCompile(`[\[\](),;\s]+`)

// splitLabels takes "[P1, P2]" apart, which models write where one label is asked for.
func splitLabels(labels []string) []string {
	var out []string
	for _, l := range labels {
		for _, part := range labelSeparator.Split(l, -1) {
			if part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}
