package lexical

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// idle.txt and verdicts.txt are written by hand: what is said to a reader and
// about a text, and about an answer and its marks. common.txt is the stems that
// stand in at least 30 of the 1,198 rows of AttributionBench: English that is
// about nothing in particular.
var (
	//go:embed idle.txt
	idleText string
	//go:embed verdicts.txt
	verdictText string
	//go:embed common.txt
	commonText string

	verdictWords = sync.OnceValue(func() map[string]bool { return listed(verdictText, nil) })
	idleWords    = sync.OnceValue(func() map[string]bool { return listed(idleText, verdictWords()) })
	commonWords  = sync.OnceValue(func() map[string]bool { return listed(commonText, idleWords()) })
)

// listed are the stems of the words of a list, and those of more.
func listed(list string, more map[string]bool) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, t := range tokens(line) {
			words[t.text] = true
		}
	}
	for w := range more {
		words[w] = true
	}
	return words
}

// idle tells whether a sentence is of idle words alone: a greeting, "in summary,
// this is worth knowing", a remark on the answer itself, which may have numbers.
func (c claim) idle() bool {
	marks := slices.ContainsFunc(c.tokens, func(t token) bool { return verdictWords()[t.text] })
	return !slices.ContainsFunc(c.tokens, func(t token) bool {
		return t.kind == number && !marks || t.kind == word && !idleWords()[t.text]
	})
}

// aside tells whether a sentence speaks of nothing that the question and the
// passages speak of: it has no number and no name, and none but common words
// from there.
func (c claim) aside(subject map[string]bool) bool {
	return !slices.ContainsFunc(c.tokens, func(t token) bool {
		telling := t.kind == word && !commonWords()[t.text] && (t.name || subject[t.text])
		return t.kind == number || t.code && !idleWords()[t.text] || telling
	})
}
