package judge

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
)

// names are the names of a corpus, by shape, for alterations that are plausible.
type names struct {
	byShape map[string][]string // sorted
	proper  map[string]bool
}

var (
	codeSpan   = regexp.MustCompile("`([^`\\s]{3,40})`")
	properNoun = regexp.MustCompile(`[a-z,] ([A-Z][A-Za-z]{2,})\b`)
	word       = regexp.MustCompile(`[A-Za-z]+`)
)

// namesOf collects the code spans, and the words that stand capitalised in the
// middle of a sentence and never in small letters.
func namesOf(c *corpus.Corpus) *names {
	n := &names{byShape: map[string][]string{}, proper: map[string]bool{}}
	small, code := map[string]bool{}, map[string]bool{}
	for _, p := range c.Passages {
		for _, w := range word.FindAllString(p.Text, -1) {
			if unicode.IsLower(rune(w[0])) {
				small[w] = true
			}
		}
	}
	for _, p := range c.Passages {
		for _, m := range codeSpan.FindAllStringSubmatch(p.Text, -1) {
			code[m[1]] = true
		}
		for _, m := range properNoun.FindAllStringSubmatch(p.Text, -1) {
			if !small[strings.ToLower(m[1])] {
				n.proper[m[1]] = true
			}
		}
	}
	for _, set := range []map[string]bool{code, n.proper} {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			s := n.shape(name)
			n.byShape[s] = append(n.byShape[s], name)
		}
	}
	for s := range n.byShape {
		slices.Sort(n.byShape[s])
		n.byShape[s] = slices.Compact(n.byShape[s])
	}
	return n
}

// shape tells apart what cannot stand for each other: a flag, a path, a constant…
func (n *names) shape(name string) string {
	switch {
	case n.proper[name]:
		return "proper"
	case strings.HasPrefix(name, "-"):
		return "flag"
	case strings.ContainsAny(name, "/\\"):
		return "path"
	case strings.Contains(name, "="):
		return "assignment"
	case strings.Contains(name, "("):
		return "call"
	case strings.Contains(name, "."):
		return "dotted"
	case !strings.ContainsFunc(name, unicode.IsLetter):
		return "number"
	case strings.ToUpper(name) == name:
		return "constant"
	case strings.ContainsFunc(name[1:], unicode.IsUpper):
		return "camel"
	case strings.ContainsAny(name, "-_"):
		return "joined"
	}
	return "plain"
}

// other is a name of the same shape that is not known, "" if none is found.
func (n *names) other(r *rand.Rand, name string, known func(string) bool) string {
	pool := n.byShape[n.shape(name)]
	for range min(20, len(pool)) {
		if now := pool[r.IntN(len(pool))]; !strings.EqualFold(now, name) && !known(now) {
			return now
		}
	}
	return ""
}
