package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Document is a whole page, the input of mr-cut where the docs are not in git.
type Document struct {
	Base
	Path string `json:"path"`
	Text string `json:"text"`
}

// Kind is KindDocument.
func (*Document) Kind() Kind { return KindDocument }

// Validate checks that the path is given. An empty text is an empty page.
func (d *Document) Validate() error { return missing("path", d.Path) }

// Passage is a section of a page, or a part of one.
type Passage struct {
	Base
	ID      PassageID `json:"id"`
	Section SectionID `json:"section"`
	Path    string    `json:"path"`
	// Heading is the text of the section's own heading, "" for the text before a page's first.
	Heading string `json:"heading"`
	// Headings is the trail from the page's title down to Heading.
	Headings []string `json:"headings,omitempty"`
	// Lines are the first and last line in the page, counted from 1.
	Lines  [2]int `json:"lines"`
	Commit Commit `json:"commit,omitempty"`
	Text   string `json:"text"`
	// SHA256 is of Text, in lower-case hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Vector is of unit length, after mr-embed.
	Vector Vector `json:"vector,omitempty"`
}

// Kind is KindPassage.
func (*Passage) Kind() Kind { return KindPassage }

// Validate checks that id, section and text are given, and that the digest is of the text.
func (p *Passage) Validate() error {
	err := missing("id", string(p.ID), "section", string(p.Section), "text", p.Text)
	if sum := sha256.Sum256([]byte(p.Text)); p.SHA256 != "" && p.SHA256 != hex.EncodeToString(sum[:]) {
		err = errors.Join(err, hint.Wrap(errors.New("\"sha256\" is not of \"text\": the text was changed on the way"),
			"cut the passages again; where the change is meant, take the digest out: jq -c 'del(.sha256)'"))
	}
	return err
}

// Trail returns the headings joined by " > ", what a model is shown in front of the text.
func (p *Passage) Trail() string { return strings.Join(p.Headings, " > ") }

// Question is what a user asks.
type Question struct {
	Base
	ID     QuestionID `json:"id"`
	Text   string     `json:"text"`
	Vector Vector     `json:"vector,omitempty"`
}

// Kind is KindQuestion.
func (*Question) Kind() Kind { return KindQuestion }

// Validate checks that id and text are given.
func (q *Question) Validate() error { return validateQuestion(q.ID, q.Text, "text") }

func validateQuestion(id QuestionID, text, name string) error {
	err := missing("id", string(id))
	if strings.TrimSpace(text) == "" {
		err = errors.Join(err, fmt.Errorf("%q is missing or blank: a question without text cannot be asked", name))
	}
	return err
}

// Ref returns what the records about the question carry of it.
func (q *Question) Ref() QuestionRef { return QuestionRef{q.ID, q.Text} }

// QuestionRef is a question within another record.
type QuestionRef struct {
	ID   QuestionID `json:"id"`
	Text string     `json:"text,omitempty"`
}

// QuestionKind says what a golden question asks for.
type QuestionKind string

// The kinds of golden question.
const (
	Fact         QuestionKind = "fact"
	Multi        QuestionKind = "multi"
	Unanswerable QuestionKind = "unanswerable"
)

// Need is one thing an answer must have: any one of the sections serves it.
// In JSON a list of ids; a plain string counts as a list of one.
type Need []SectionID

// UnmarshalJSONFrom accepts a string or a list of strings.
func (n *Need) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		var s SectionID
		if err := json.UnmarshalDecode(dec, &s); err != nil {
			return err
		}
		*n = Need{s}
		return nil
	}
	var list []SectionID
	if err := json.UnmarshalDecode(dec, &list); err != nil {
		return err
	}
	*n = list
	return nil
}

// Golden is a question together with what answers it.
type Golden struct {
	Base
	ID       QuestionID   `json:"id"`
	Question string       `json:"question"`
	AskedFor QuestionKind `json:"kind"`
	// Gold lists the needs; empty for an unanswerable question.
	Gold []Need `json:"gold"`
	// KeyFacts are what a right answer says, in a person's words.
	KeyFacts []string `json:"key_facts,omitempty"`
	// Found is a defect in the docs that the question revealed.
	Found string `json:"found,omitempty"`
	// Review says by whom and when, or "draft".
	Review string `json:"review,omitempty"`
}

// Kind is KindGolden.
func (*Golden) Kind() Kind { return KindGolden }

// Validate checks the question, its kind, and that gold is there just when it can be.
func (g *Golden) Validate() error {
	err := validateQuestion(g.ID, g.Question, "question")
	switch g.AskedFor {
	case Fact, Multi:
		if len(g.Gold) == 0 {
			err = errors.Join(err, fmt.Errorf("kind %s needs gold: list at least one need, or make it unanswerable", g.AskedFor))
		}
	case Unanswerable:
		if len(g.Gold) > 0 {
			err = errors.Join(err, errors.New("an unanswerable question has gold: empty it, or change the kind"))
		}
	default:
		err = errors.Join(err, fmt.Errorf("expected kind fact, multi or unanswerable, got %q", g.AskedFor))
	}
	for i, need := range g.Gold {
		if len(need) == 0 {
			err = errors.Join(err, fmt.Errorf("need %d lists no section: nothing can meet it", i+1))
		}
		for _, s := range need {
			if s == "" {
				err = errors.Join(err, fmt.Errorf("need %d lists an empty section id", i+1))
			}
		}
	}
	return err
}

// AsQuestion returns the question alone: no gold, no kind, no key facts.
func (g *Golden) AsQuestion() *Question { return &Question{ID: g.ID, Text: g.Question} }
