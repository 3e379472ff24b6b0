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
//	claude-cli:opus             claude, by its scheme
//	lexical+ce                  lexical
//	qwen2.5:14b                 qwen, a model of Ollama without its scheme
//	ollama:codellama:7b         llama
//
// A name that holds that of a well-known family is of it, whatever it begins
// with: most are trained on what that family wrote, or from its weights.
func Family(judge string) string {
	model := strings.ToLower(strings.TrimSpace(judge))
	if scheme, name, ok := strings.Cut(model, ":"); ok && scheme == "ollama" {
		model = name
	}
	for _, f := range families {
		if strings.Contains(model, f.part) {
			return f.name
		}
	}
	model = model[strings.LastIndexByte(model, '/')+1:]
	letters := func(r rune) bool { return !unicode.IsLetter(r) }
	if end := strings.IndexFunc(model, letters); end > 0 {
		model = model[:end]
	}
	return model
}

// families are well-known ones by a part of the names of their models.
var families = []struct{ part, name string }{
	{"claude", "claude"}, {"qwen", "qwen"}, {"qwq", "qwen"}, {"llama", "llama"},
	{"mistral", "mistral"}, {"mixtral", "mistral"}, {"ministral", "mistral"}, {"magistral", "mistral"}, {"codestral", "mistral"}, {"devstral", "mistral"},
}
