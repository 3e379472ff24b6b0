package judge

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/quotation"
)

var (
	//go:embed prompts/faithful.txt
	faithfulText string
	//go:embed prompts/faithful.schema.json
	faithfulSchema string
	//go:embed prompts/relevant.txt
	relevantText string
	//go:embed prompts/relevant.schema.json
	relevantSchema string

	faithfulSystem = withSchema(faithfulText, faithfulSchema)
	relevantSystem = withSchema(relevantText, relevantSchema)
)

func withSchema(text, schema string) string {
	return strings.Replace(text, "{{SCHEMA}}", strings.TrimSpace(schema), 1)
}

// The longest replies: eight quotes, and one sentence.
const (
	faithfulTokens = 2048
	relevantTokens = 384
)

const (
	faithfulForm = "%sGive a verdict for each of these sentences: %s. Reply with the JSON object alone.\n"
	relevantForm = "%sDoes the answer A answer the question Q? Reply with the JSON object alone.\n"
	repairForm   = "\nA first reply to this was not accepted: %s. Give the whole JSON object once more, with that put right.\n"
)

// PromptHashes are the sha256 of all that is the same in every prompt of a
// metric, by name, for the run record.
func PromptHashes() map[string]string {
	return map[string]string{
		"faithfulness": quotation.Digest(faithfulSystem, faithfulForm, repairForm),
		"relevance":    quotation.Digest(relevantSystem, relevantForm, repairForm),
	}
}

// labelS names the i-th sentence of an answer, from 0.
func labelS(i int) string { return fmt.Sprintf("S%d", i+1) }

// faithfulPrompt quotes a case and asks about the sentences from, to-1 of it.
func faithfulPrompt(c Case, sentences []string, from, to int) Prompt {
	texts := append([]string{c.Question}, sentences...)
	for _, p := range c.Passages {
		texts = append(texts, p.Path, strings.Join(p.Headings, "\x00"), p.Text)
	}
	mark := quotation.Marker(texts...)
	var b strings.Builder
	quotation.Block(&b, "Q", mark, "", quotation.OneLine(c.Question))
	for _, p := range c.Passages {
		place := strings.Join(append([]string{p.Path}, p.Headings...), " > ")
		quotation.Block(&b, p.Label, mark, place, p.Text)
	}
	var asked []string
	for i, s := range sentences {
		quotation.Block(&b, labelS(i), mark, "", s)
		if from <= i && i < to {
			asked = append(asked, labelS(i))
		}
	}
	return Prompt{
		System: faithfulSystem, Schema: faithfulSchema, MaxTokens: faithfulTokens,
		User: fmt.Sprintf(faithfulForm, b.String(), strings.Join(asked, ", ")),
	}
}

// relevantPrompt quotes question and answer. The passages do not matter to it.
func relevantPrompt(c Case) Prompt {
	mark := quotation.Marker(c.Question, c.Answer)
	var b strings.Builder
	quotation.Block(&b, "Q", mark, "", quotation.OneLine(c.Question))
	quotation.Block(&b, "A", mark, "", c.Answer)
	return Prompt{
		System: relevantSystem, Schema: relevantSchema, MaxTokens: relevantTokens,
		User: fmt.Sprintf(relevantForm, b.String()),
	}
}

// repair asks once more, saying what was wrong with the first reply.
func repair(p Prompt, wrong error) Prompt {
	p.User += fmt.Sprintf(repairForm, clip(quotation.OneLine(wrong.Error()), 300))
	return p
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
