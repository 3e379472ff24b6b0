package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The schemes of judges' names.
const (
	OllamaScheme = "ollama:"
	ClaudeScheme = "claude-cli:"
	Lexical      = "lexical"
	LexicalCE    = "lexical+ce"
)

// Names reads a list of judges between commas. A bare model, such as
// qwen2.5:14b, is one of Ollama.
func Names(list string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return nil, fmt.Errorf("expected judges between commas, got %q", list)
		case name == OllamaScheme, name == ClaudeScheme:
			return nil, fmt.Errorf("%q names no model", name)
		case name == Lexical, name == LexicalCE, strings.HasPrefix(name, OllamaScheme), strings.HasPrefix(name, ClaudeScheme):
		default:
			name = OllamaScheme + name
		}
		if slices.Contains(out, name) {
			return nil, fmt.Errorf("judge %q is named twice", name)
		}
		out = append(out, name)
	}
	return out, nil
}

// Calls is how many calls a model-backed judge needs for an item, repair tries aside.
func Calls(it *Item) int {
	if it.Metric == record.Relevance {
		return 1
	}
	answer := it.Case.Answer
	if it.On != nil {
		answer = it.Around(it.On.Case.Answer, record.Yes)
	}
	return (len(Sentences(answer)) + perCall - 1) / perCall
}
