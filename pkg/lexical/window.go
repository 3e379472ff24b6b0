package lexical

import (
	"slices"
	"strings"
)

// A page is a passage made ready to be searched.
type page struct {
	label  string
	text   string
	tokens []token
	units  []unit
}

// A unit is a sentence or line of a page.
type unit struct {
	span
	first, last int // its tokens, [first,last)
	words       int
}

func newPage(label, text string) page {
	p := page{label: label, text: text, tokens: tokens(blank(text))}
	i := 0
	for _, s := range units(text) {
		u := unit{span: s, first: i, words: len(strings.Fields(text[s.from:s.to]))}
		for i < len(p.tokens) && p.tokens[i].at < s.to {
			i++
		}
		u.last = i
		p.units = append(p.units, u)
	}
	return p
}

// A claim is a sentence made ready to be looked for.
type claim struct {
	text   string
	tokens []token
	terms  []string // content words and numbers, each once
	weight map[string]float64
	total  float64
	words  int
}

func newClaim(text string, idf *IDF) claim {
	clean := blank(text)
	c := claim{text: text, tokens: tokens(clean), weight: map[string]float64{}, words: len(strings.Fields(clean))}
	for _, t := range c.tokens {
		if _, ok := c.weight[t.text]; t.content() && !ok {
			w := idf.of(t.text)
			c.terms = append(c.terms, t.text)
			c.weight[t.text] = w
			c.total += w
		}
	}
	return c
}

// A window has at most windowWords words, or windowClaims times the claim's.
const (
	windowWords  = 60
	windowClaims = 3
)

// A window is a run of units of a page.
type window struct {
	page        *page
	first, last int // units [first,last)
	coverage    float64
}

func (w window) tokens() []token {
	if w.page == nil {
		return nil
	}
	return w.page.tokens[w.page.units[w.first].first:w.page.units[w.last-1].last]
}

// text is the window's words as they stand in the passage.
func (w window) text() string {
	if w.page == nil {
		return ""
	}
	return w.page.text[w.page.units[w.first].from:w.page.units[w.last-1].to]
}

// best returns the window that holds most of the claim, by weight; the shortest
// of several, the first of those.
func (c claim) best(pages []page) window {
	var found window
	size, limit := 0, max(windowWords, windowClaims*c.words)
	for i := range pages {
		p := &pages[i]
		for from := range p.units {
			seen := map[string]bool{}
			mass, words := 0.0, 0
			for to := from; to < len(p.units); to++ {
				u := p.units[to]
				if words += u.words; to > from && words > limit {
					break
				}
				for _, t := range p.tokens[u.first:u.last] {
					if w, ok := c.weight[t.text]; ok && t.content() && !seen[t.text] {
						seen[t.text] = true
						mass += w
					}
				}
				if mass > found.coverage+1e-9 || mass > 0 && mass > found.coverage-1e-9 && words < size {
					found, size = window{p, from, to + 1, mass}, words
				}
			}
		}
	}
	if c.total > 0 {
		found.coverage /= c.total
	}
	return found
}

// coverage is the weight of the claim's words that a set holds, of all.
func (c claim) coverage(has map[string]bool) float64 {
	mass := 0.0
	for _, t := range c.terms {
		if has[t] {
			mass += c.weight[t]
		}
	}
	if c.total == 0 {
		return 0
	}
	return mass / c.total
}

// vocabulary is the content of tokens.
func vocabulary(tokens []token) map[string]bool {
	m := map[string]bool{}
	for _, t := range tokens {
		if t.content() {
			m[t.text] = true
		}
	}
	return m
}

// pairs is the share of the claim's neighbouring content words that also stand
// near each other, within reach tokens, in the same order.
func (c claim) pairs(in []token, reach int) float64 {
	at := map[string][]int{}
	for i, t := range in {
		if t.content() {
			at[t.text] = append(at[t.text], i)
		}
	}
	var last string
	n, hit := 0, 0
	for _, t := range c.tokens {
		if !t.content() {
			continue
		}
		if last != "" {
			n++
			if slices.ContainsFunc(at[last], func(i int) bool {
				return slices.ContainsFunc(at[t.text], func(j int) bool { return j > i && j <= i+reach })
			}) {
				hit++
			}
		}
		last = t.text
	}
	if n == 0 {
		return 0
	}
	return float64(hit) / float64(n)
}
