package lexical

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed idle.txt
var idleText string

// idleWords are the stems of idle.txt.
var idleWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(idleText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, t := range tokens(line) {
			words[t.text] = true
		}
	}
	return words
})

// idle tells whether a claim is of words alone that say nothing about what docs
// describe: a greeting, "in summary, this is worth knowing", a remark on the
// answer itself. Numbers do not count among them, nor do names that are code.
func (c claim) idle() bool {
	for _, t := range c.tokens {
		if t.kind == number || t.kind == word && (t.code || !idleWords()[t.text]) {
			return false
		}
	}
	return true
}
