package corpus

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// slug is the anchor GitHub gives a heading of that text (as shown, without
// markup): lower case, spaces to hyphens, and dropped what is neither a letter,
// a mark, a decimal digit, connecting punctuation ('_'), a hyphen nor a space.
//
// Source: github-slugger, whose fixtures were read from GitHub, and
// html-pipeline's TableOfContentsFilter. Neither trims: "😄 a" is "-a". Emoji
// are dropped but the variation selector after some is a mark, and stays;
// ":smile:" is spelled out. A newline is dropped, not turned to a hyphen.
func slug(text string) string {
	lower := cases.Lower(language.Und, cases.HandleFinalSigma(false)).String(text)
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', unicode.In(r, word...):
			return r
		}
		return -1
	}, lower)
}

// word is Ruby's \p{Word}: Alphabetic, Mark, Decimal_Number, Connector_Punctuation.
var word = []*unicode.RangeTable{
	unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Other_Lowercase, unicode.Other_Uppercase,
	unicode.M, unicode.Nd, unicode.Pc,
}

// A slugger numbers repeats the way GitHub does: -1, -2…, past those taken.
type slugger map[string]int

func (s slugger) unique(slug string) string {
	out := slug
	for {
		if _, taken := s[out]; !taken {
			break
		}
		s[slug]++
		out = slug + "-" + strconv.Itoa(s[slug])
	}
	s[out] = 0
	return out
}
