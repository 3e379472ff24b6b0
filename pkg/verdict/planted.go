package verdict

import (
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// rejects says whether a judge rejected the claim that was altered: a rejected
// claim holds the planted words and comes from the altered sentence, or it is
// the claim nearest to that sentence (the first of several as near will do).
func rejects(claims []record.Claim, p *record.Plant) bool {
	if p == nil {
		return false
	}
	sentence, now := words(p.Sentence), words(p.Now)
	near := make([]float64, len(claims))
	nearest := 0.0
	for i, c := range claims {
		near[i] = dice(words(c.Claim), sentence)
		nearest = max(nearest, near[i])
	}
	for i, c := range claims {
		if c.Supported != record.No {
			continue
		}
		said := words(c.Claim)
		if near[i] == nearest && nearest > 0 || len(now) > 0 && holds(said, now) && within(said, sentence) >= 0.5 {
			return true
		}
	}
	return false
}

// words are the words of a text in lower case: letters, digits, and the marks
// that numbers and names have inside (2.5, v1-beta, mr_cut).
func words(s string) []string {
	inside := func(r rune) bool { return strings.ContainsRune(".,:/_-'%", r) }
	fields := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !inside(r)
	})
	all := fields[:0]
	for _, f := range fields {
		if f = strings.TrimFunc(f, func(r rune) bool { return inside(r) && r != '%' }); f != "" {
			all = append(all, f)
		}
	}
	return all
}

// holds says whether the words of part follow one another in all.
func holds(all, part []string) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		same := true
		for j, w := range part {
			same = same && all[i+j] == w
		}
		if same {
			return true
		}
	}
	return false
}

// set is each word once.
func set(all []string) map[string]bool {
	m := make(map[string]bool, len(all))
	for _, w := range all {
		m[w] = true
	}
	return m
}

// shared counts the distinct words of both.
func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// dice is twice the shared words over the words of both (Dice 1945).
func dice(a, b []string) float64 {
	x, y := set(a), set(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	return 2 * float64(shared(x, y)) / float64(len(x)+len(y))
}

// within is the share of a's words that b has.
func within(a, b []string) float64 {
	x := set(a)
	if len(x) == 0 {
		return 0
	}
	return float64(shared(x, set(b))) / float64(len(x))
}
