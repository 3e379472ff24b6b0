package verdict

import (
	"strings"
	"unicode"
)

// Family is what a judge's model belongs to: the letters that its name begins
// with, after the scheme and whoever published it. Models of one family share
// data and habits, so a label made with a reading of one in view is independent
// of none of them.
//
//	ollama:qwen2.5:14b          qwen
//	ollama:mistral-small:24b    mistral
//	claude-cli:claude-opus-4-1  claude
//	claude-cli:opus             claude, whose short names these are
//	lexical+ce                  lexical
func Family(judge string) string {
	scheme, model, ok := strings.Cut(judge, ":")
	if !ok {
		model = judge
	}
	if ok && strings.HasPrefix(strings.ToLower(scheme), "claude") {
		return "claude"
	}
	model = model[strings.LastIndexByte(model, '/')+1:]
	letters := func(r rune) bool { return !unicode.IsLetter(r) }
	if end := strings.IndexFunc(model, letters); end > 0 {
		model = model[:end]
	}
	return strings.ToLower(model)
}
