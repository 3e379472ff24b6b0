package lexical

import (
	"slices"
	"strings"
)

// reach is how many tokens may stand between a denial and what it denies.
const reach = 4

// broken says what of a claim the passages contradict or do not have, "" where
// all is well. These are rules, not weights: one of them is enough. Where a text
// is nearly the claim, the claim is held against that, strictly, and one of
// several will do; else against its window.
func (c claim) broken(w window, nearby []window, known map[string]bool) string {
	if len(nearby) == 0 {
		return c.against(w, known)
	}
	first := ""
	for i, n := range nearby {
		why := c.against(n, known)
		if why == "" {
			why = c.altered(n)
		}
		if why == "" {
			return ""
		}
		if i == 0 {
			first = why
		}
	}
	return first
}

// against holds the claim against a window.
func (c claim) against(w window, known map[string]bool) string {
	in := w.tokens()
	has := vocabulary(in)
	for i, t := range c.tokens {
		switch {
		case t.kind == number && !w.counts(t, c.neighbours(i)):
			return "number " + t.text
		case t.kind == word && t.code && !has[t.text] && !known[t.text]:
			return "name " + t.text
		}
	}
	return c.polarity(in)
}

// neighbours are the content words before and behind the i-th token.
func (c claim) neighbours(i int) []token {
	var out []token
	for j := i - 1; j >= 0; j-- {
		if c.tokens[j].content() {
			out = append(out, c.tokens[j])
			break
		}
	}
	for j := i + 1; j < len(c.tokens); j++ {
		if c.tokens[j].content() {
			out = append(out, c.tokens[j])
			break
		}
	}
	return out
}

// counts tells whether the window has the number. In the row of a table it needs
// one of its neighbours beside it, if it has any: that of the next row is
// another one's.
func (w window) counts(n token, neighbours []token) bool {
	if w.page == nil {
		return false
	}
	for _, u := range w.page.units[w.first:w.last] {
		in := w.page.tokens[u.first:u.last]
		row := strings.Contains(w.page.text[u.from:u.to], "|")
		if slices.ContainsFunc(in, n.same) && (!row || len(neighbours) == 0 ||
			slices.ContainsFunc(neighbours, func(t token) bool { return slices.ContainsFunc(in, t.same) })) {
			return true
		}
	}
	return false
}

// polarity compares denials: each of the claim needs one in the window, and
// what is denied in one must not be asserted in the other.
func (c claim) polarity(in []token) string {
	mine, theirs := denied(c.tokens), denied(in)
	if len(mine.all) > 0 && len(theirs.all) == 0 {
		return "denial"
	}
	for _, t := range mine.all {
		if theirs.asserted[t] && !theirs.denied[t] {
			return "denial of " + t
		}
	}
	for _, t := range theirs.all {
		if mine.asserted[t] && !mine.denied[t] && !theirs.asserted[t] {
			return "denial of " + t
		}
	}
	return ""
}

// polarity of the content words of a text.
type polarity struct {
	all              []string // what the denials deny, "" where that is not seen
	denied, asserted map[string]bool
}

// denied finds what each denial denies: the first content word behind it.
func denied(tokens []token) polarity {
	p := polarity{denied: map[string]bool{}, asserted: map[string]bool{}}
	target := map[int]bool{}
	for i, t := range tokens {
		if t.kind != denial {
			continue
		}
		of := ""
		for j := i + 1; j < len(tokens) && j <= i+reach; j++ {
			if tokens[j].content() {
				of = tokens[j].text
				target[j] = true
				p.denied[of] = true
				break
			}
		}
		p.all = append(p.all, of)
	}
	for i, t := range tokens {
		if t.content() && !target[i] {
			p.asserted[t.text] = true
		}
	}
	return p
}

// alike is the share of the words of a claim and of a text that must be the
// same, in order, for one to be the other with something changed.
const alike = 0.75

// near finds the runs of units that are nearly the claim.
func (c claim) near(pages []page) []window {
	var out []window
	most := int(float64(len(c.tokens)) / alike)
	mine := map[token]bool{}
	for _, t := range c.tokens {
		mine[t.bare()] = true
	}
	for i := range pages {
		p := &pages[i]
		for from := range p.units {
			shared := 0
			for to := from + 1; to <= len(p.units); to++ {
				n := p.units[to-1].last - p.units[from].first
				if n > most {
					break
				}
				for _, t := range p.tokens[p.units[to-1].first:p.units[to-1].last] {
					if mine[t.bare()] {
						shared++
					}
				}
				w, least := window{page: p, first: from, last: to}, alike*float64(max(n, len(c.tokens)))
				if float64(shared) >= least && float64(matches(align(c.tokens, w.tokens()))) >= least {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

func matches(at []int) int {
	n := 0
	for _, j := range at {
		if j >= 0 {
			n++
		}
	}
	return n
}

// altered finds a name or number of the claim that stands where the window has
// another word, a word where the window has another name, or another number of
// denials, in a window that is nearly the claim.
func (c claim) altered(w window) string {
	in := w.tokens()
	if len(denied(c.tokens).all) != len(denied(in).all) {
		return "denial"
	}
	at := align(c.tokens, in)
	for i, t := range c.tokens {
		if at[i] >= 0 || !t.content() {
			continue
		}
		for _, other := range opposite(at, i, in) {
			if other.content() && !other.same(t) && (t.distinct() || other.distinct()) {
				return t.text + " for " + other.text
			}
		}
	}
	return ""
}

// distinct tells whether a token is a name or number.
func (t token) distinct() bool { return t.kind == number || t.name }

// gap is the most tokens that stand where others stood: those of a long name.
const gap = 6

// opposite is what stands in place of the claim's i-th token, which has no match:
// what lies between the matches of its neighbours, none if that is more than gap.
func opposite(at []int, i int, in []token) []token {
	before, after := i, i
	for before >= 0 && at[before] < 0 {
		before--
	}
	for after < len(at) && at[after] < 0 {
		after++
	}
	var from, to int
	switch {
	case before >= 0 && after < len(at):
		from, to = at[before]+1, at[after]
	case before >= 0: // the claim's end: as many
		from = at[before] + 1
		to = min(len(in), from+after-before-1)
	case after < len(at): // its beginning
		to = at[after]
		from = max(0, to-after)
	}
	if after-before-1 > gap || to-from > gap {
		return nil
	}
	return in[from:to]
}

// align gives for each token the place of its match in the longest common
// subsequence, -1 where it has none.
func align(a, b []token) []int {
	next := make([][]int, len(a)+1)
	for i := range next {
		next[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].same(b[j]) {
				next[i][j] = next[i+1][j+1] + 1
			} else {
				next[i][j] = max(next[i+1][j], next[i][j+1])
			}
		}
	}
	at := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		at[i] = -1
		for j < len(b) && next[i][j] == next[i][j+1] {
			j++ // the last place that loses nothing keeps neighbours together
		}
		if j < len(b) && a[i].same(b[j]) && next[i][j] == next[i+1][j+1]+1 {
			at[i] = j
			j++
		}
	}
	return at
}

// bare is the token without how and where it is written.
func (t token) bare() token { return token{kind: t.kind, text: t.text} }

func (t token) same(u token) bool { return t.kind == u.kind && t.text == u.text }

// verbatim finds the claim word for word in a page, and nothing right before it
// that denies it.
func (c claim) verbatim(pages []page) (window, bool) {
	for i := range pages {
		p := &pages[i]
		for k := 0; k+len(c.tokens) <= len(p.tokens); k++ {
			n := 0
			for n < len(c.tokens) && c.tokens[n].same(p.tokens[k+n]) {
				n++
			}
			if w := p.around(k, k+n); n == len(c.tokens) && !w.deniesBefore(k) {
				return w, true
			}
		}
	}
	return window{}, false
}

// around is the smallest window with the tokens [first,last).
func (p *page) around(first, last int) window {
	w := window{page: p, last: len(p.units), coverage: 1}
	for w.first+1 < len(p.units) && p.units[w.first].last <= first {
		w.first++
	}
	for w.last > w.first+1 && p.units[w.last-1].first >= last {
		w.last--
	}
	return w
}

// deniesBefore tells whether a denial stands at most reach tokens before the
// token at, in the window's first unit.
func (w window) deniesBefore(at int) bool {
	for i := max(w.page.units[w.first].first, at-reach); i < at; i++ {
		if w.page.tokens[i].kind == denial {
			return true
		}
	}
	return false
}
