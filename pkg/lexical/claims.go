package lexical

import (
	_ "embed"
	"strings"
	"sync"
)

// idle.txt is written by hand: what is said to a reader, about a text, about an
// answer and its marks. common.txt is the stems that stand in at least 30 of the
// 1,198 rows of AttributionBench: English that is about nothing in particular.
var (
	//go:embed idle.txt
	idleText string
	//go:embed common.txt
	commonText string

	idleWords   = sync.OnceValue(func() map[string]bool { return listed(idleText, nil) })
	commonWords = sync.OnceValue(func() map[string]bool { return listed(commonText, idleWords()) })
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
// this is worth knowing", a remark on the answer itself.
func (c claim) idle() bool {
	for _, t := range c.tokens {
		if t.kind == number || t.kind == word && (t.code || !idleWords()[t.text]) {
			return false
		}
	}
	return true
}

// aside tells whether a sentence speaks of nothing that the question and the
// passages speak of: it has no number and no name, and none but common words
// from there.
func (c claim) aside(subject map[string]bool) bool {
	for _, t := range c.tokens {
		uncommon := t.kind == word && !commonWords()[t.text]
		if t.kind == number || t.code || uncommon && (t.name || subject[t.text]) {
			return false
		}
	}
	return true
}
