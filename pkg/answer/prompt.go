package answer

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

//go:embed prompts/answer.txt
var systemTemplate string

// Schema is the JSON schema of a reply.
//
//go:embed prompts/schema.json
var Schema string

// System is the system prompt, the schema included.
var System = strings.Replace(systemTemplate, "{{SCHEMA}}", strings.TrimSpace(Schema), 1)

// PromptHash is the sha256 of all that is the same in every prompt.
func PromptHash() string { return quotation.Digest(System, userForm) }

const userForm = "Question: %s\n\n%s\nAnswer the question above from the passages. Reply with the JSON object alone.\n"

// UserPrompt quotes the passages, each under its label with its place, and asks
// the question.
func UserPrompt(req Request) string {
	mark := marker(req)
	var b strings.Builder
	for _, p := range req.Passages {
		place := strings.Join(append([]string{p.Path}, p.Headings...), " > ")
		quotation.Block(&b, p.Label, mark, place, p.Text)
	}
	return fmt.Sprintf(userForm, quotation.OneLine(req.Question), b.String())
}

// marker is the same for the same request, and in none of its texts.
func marker(req Request) string {
	parts := []string{req.Question}
	for _, p := range req.Passages {
		parts = append(parts, p.Path, strings.Join(p.Headings, "\x00"), p.Text)
	}
	return quotation.Marker(parts...)
}

// ParseReply reads a model's reply, which must be one JSON object of the schema:
// a model may ignore the format it was asked for.
func ParseReply(content string) (Reply, error) {
	var r struct {
		Refused   *bool              `json:"refused"`
		Reason    string             `json:"reason"`
		Sentences *[]record.Sentence `json:"sentences"`
	}
	if err := json.Unmarshal([]byte(content), &r, json.RejectUnknownMembers(true)); err != nil {
		return Reply{}, fmt.Errorf("the reply is not of the schema: %w", err)
	}
	if r.Refused == nil || r.Sentences == nil {
		return Reply{}, errors.New(`the reply is not of the schema: it lacks "refused" or "sentences"`)
	}
	return Reply{Refused: *r.Refused, Reason: r.Reason, Sentences: *r.Sentences}, nil
}
