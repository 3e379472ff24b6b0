package review

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var (
	//go:embed prompts/draft.txt
	draftText string
	//go:embed prompts/draft.schema.json
	draftSchema string

	draftSystem = strings.Replace(draftText, "{{SCHEMA}}", strings.TrimSpace(draftSchema), 1)
)

// Prompt is what a model is asked.
type Prompt struct {
	System, User string
	// Schema is the JSON schema of the reply.
	Schema string
}

// An Asker asks a model.
type Asker interface {
	// Name is the model with its scheme: ollama:qwen2.5:14b.
	Name() string
	// Ask returns a whole reply, of which no more is known.
	Ask(context.Context, Prompt) (string, error)
}

// Skipped is the error of a section for which a model has no question.
type Skipped struct{ Reason string }

func (s *Skipped) Error() string { return "nothing to ask: " + s.Reason }

// The bounds of a draft. What is outside is no question a user types.
const (
	minQuestion, maxQuestion = 15, 400 // characters
	maxFacts, maxFact        = 4, 300
)

// Draft asks a model for a question that a section answers. The reply is taken
// only if it is whole: a question of a sensible length that is not nearly one
// that is there already, with one to four key facts, each of which the section
// says. What is proposed is a draft, with a member "why" that says whose. A
// section for which the model has no question is a *Skipped.
func (c *Checker) Draft(ctx context.Context, asker Asker, id record.QuestionID, section record.SectionID) (*record.Golden, error) {
	parts := c.corpus.Section(section)
	if len(parts) == 0 {
		return nil, fmt.Errorf("the corpus has no section %q", section)
	}
	reply, err := asker.Ask(ctx, draftPrompt(parts))
	if err != nil {
		return nil, err
	}
	question, facts, err := parseDraft(reply)
	if err != nil {
		return nil, err
	}
	g := &record.Golden{ID: id, Question: question, AskedFor: record.Fact, Gold: []record.Need{{section}}, KeyFacts: facts, Review: Unreviewed}
	if g.Extra, err = with(nil, Why, []string{fmt.Sprintf("drafted by %s: no question covered %s", asker.Name(), section)}); err != nil {
		return nil, err
	}
	for _, f := range c.Check(g) {
		if f.State == Bad && f.Check != GoldRank {
			return nil, fmt.Errorf("the draft is not taken: %s: %s", f.Check, f.Text)
		}
	}
	return g, nil
}

func draftPrompt(parts []*record.Passage) Prompt {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	text := strings.Join(texts, "\n\n")
	place := strings.Join(append([]string{parts[0].Path}, parts[0].Headings...), " > ")
	var b strings.Builder
	quotation.Block(&b, "S", quotation.Marker(text, place), place, text)
	b.WriteString("Write one question that this section answers. Reply with the JSON object alone.\n")
	return Prompt{System: draftSystem, User: b.String(), Schema: draftSchema}
}

// parseDraft reads a reply. A server may ignore the schema, so everything is checked.
func parseDraft(reply string) (question string, facts []string, err error) {
	var r struct {
		Skip     *bool     `json:"skip"`
		Reason   string    `json:"reason"`
		Question *string   `json:"question"`
		KeyFacts *[]string `json:"key_facts"`
	}
	if err := json.Unmarshal([]byte(reply), &r, json.RejectUnknownMembers(true)); err != nil {
		return "", nil, fmt.Errorf("the reply is not of the schema: %w", err)
	}
	if r.Skip == nil || r.Question == nil || r.KeyFacts == nil {
		return "", nil, errors.New("the reply is not of the schema: skip, question and key_facts are needed")
	}
	question = quotation.OneLine(*r.Question)
	if *r.Skip {
		if question != "" {
			return "", nil, errors.New("the reply skips the section and asks at once")
		}
		return "", nil, &Skipped{quotation.OneLine(r.Reason)}
	}
	if n := utf8.RuneCountInString(question); n < minQuestion || n > maxQuestion {
		return "", nil, fmt.Errorf("expected a question of %d to %d characters, got %d", minQuestion, maxQuestion, n)
	}
	for _, f := range *r.KeyFacts {
		if f = quotation.OneLine(f); f == "" || utf8.RuneCountInString(f) > maxFact || keyfact.NewFact(question, f).Empty() {
			return "", nil, fmt.Errorf("expected key facts of up to %d characters that say something, got %.40q", maxFact, f)
		}
		facts = append(facts, f)
	}
	if len(facts) == 0 || len(facts) > maxFacts {
		return "", nil, fmt.Errorf("expected one to %d key facts, got %d", maxFacts, len(facts))
	}
	return question, facts, nil
}

// ProposalID is the id of the question proposed for a section: the same for the
// same section, and none of those taken.
func ProposalID(section record.SectionID, taken func(record.QuestionID) bool) record.QuestionID {
	sum := sha256.Sum256([]byte(section))
	id := record.QuestionID("p" + hex.EncodeToString(sum[:4]))
	for n, first := 2, id; taken(id); n++ {
		id = record.QuestionID(fmt.Sprintf("%s-%d", first, n))
	}
	return id
}

// Propose adds a question to the proposals. An id that is there already, in
// whichever file, is an error: nothing is ever overwritten.
func (d *Data) Propose(g *record.Golden) error {
	for _, s := range d.sets() {
		if s.Of(g.ID) != nil {
			return fmt.Errorf("question %q is in %s already", g.ID, s.Name)
		}
	}
	d.Proposed = d.Proposed.changed()
	return d.Proposed.add(g)
}

// rejected tells whether a person has rejected the question proposed for a section.
func rejected(decisions []Decision, section record.SectionID) bool {
	id := string(ProposalID(section, func(record.QuestionID) bool { return false }))
	return slices.ContainsFunc(decisions, func(d Decision) bool {
		return d.Action == Reject && (string(d.Question) == id || strings.HasPrefix(string(d.Question), id+"-"))
	})
}
