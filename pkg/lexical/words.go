package lexical

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"golang.org/x/text/unicode/norm"
)

type kind uint8

const (
	filler kind = iota // a function word
	word               // a content word, by its stem
	number             // as digits: 1,800 is 1800, two is 2
	denial             // no, not, never, -n't, without: all are "not"
)

// A token is a word or number of a text.
type token struct {
	text string
	kind kind
	// name says that it is written as one: an identifier, a capital inside a
	// sentence or two in a word, anything in a code span.
	name bool
	// code says that it is in a code span or part of an identifier.
	code bool
	// at is where it stands in the text, in bytes.
	at int
}

// content tells whether a token says what a text is about.
func (t token) content() bool { return t.kind == word || t.kind == number }

// mark is what stands in a claim and is none of its words: how answers point at
// passages ([P1], [P1, P2], [3]), and the number of a list item.
var mark = regexp.MustCompile(`\[P?\d+(?:\s*[,;]\s*P?\d+)*\]|^\s*\d+[.)]\s`)

// blank puts spaces for such marks, so that their numbers are none of the claim's.
func blank(text string) string {
	return mark.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

var (
	stop = func() analysis.TokenMap {
		m := analysis.NewTokenMap()
		if err := m.LoadBytes(en.EnglishStopWords); err != nil {
			panic(err) // it is compiled in
		}
		for _, w := range strings.Fields("one yes e g i.e etc also may can will just s t would could might must shall") {
			m.AddToken(w)
		}
		return m
	}()
	stemmer = porter.NewPorterStemmer()
	denials = map[string]bool{"no": true, "not": true, "never": true, "cannot": true, "without": true, "none": true,
		"nothing": true, "neither": true, "nor": true, "nobody": true, "nowhere": true, "cant": true, "dont": true,
		"doesnt": true, "isnt": true, "wont": true, "didnt": true, "wasnt": true, "arent": true}
	count = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
		"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30",
		"forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "thousand": "1000"}
)

// tokens cuts a text into words and numbers. Words are runs of letters, with the
// apostrophes inside them; a name such as maxChars is its parts max and chars.
func tokens(text string) []token {
	var out []token
	opens := true // a sentence: a capital says nothing
	for _, r := range runs(text) {
		t := token{at: r.from}
		raw := strings.ReplaceAll(norm.NFKC.String(text[r.from:r.to]), "’", "'")
		low := strings.ToLower(raw)
		switch n, isCount := count[low]; {
		case isDigit(raw[0]):
			t.kind, t.text = number, strings.ReplaceAll(low, ",", "")
		case isCount:
			t.kind, t.text = number, n
		case denials[low] || strings.HasSuffix(low, "n't"):
			t.kind, t.text = denial, "not"
		case stop[low] && !r.code: // `Any` is a name
			t.text = low
		default:
			t.kind, t.text = word, stem(strings.TrimSuffix(low, "'s"))
			t.code = r.code || r.inside
			t.name = t.code || capitals(raw) > 1 || capitals(raw) == 1 && !opens
		}
		opens = r.opens
		out = append(out, t)
	}
	return out
}

func stem(w string) string {
	return string(stemmer.Filter(analysis.TokenStream{{Term: []byte(w)}})[0].Term)
}

func capitals(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			n++
		}
	}
	return n
}

// run is a word or number as it stands.
type run struct {
	span
	code   bool // in a code span
	inside bool // part of an identifier
	opens  bool // what follows opens a sentence
}

// runs cuts a text into runs of letters and of digits.
func runs(text string) []run {
	var out []run
	code := false
	for i := 0; i < len(text); {
		c, size := runeAt(text, i)
		end := i
		switch {
		case isDigit(text[i]):
			end = numberEnd(text, i)
		case unicode.IsLetter(c):
			end = wordEnd(text, i)
		default:
			if c == '`' {
				code = !code && strings.Contains(text[i+1:], "`")
			}
			if n := len(out); n > 0 && strings.ContainsRune(".!?\n|", c) {
				out[n-1].opens = true
			}
			i += size
			continue
		}
		r := run{span: span{i, end}, code: code}
		if n := len(out); n > 0 && joined(text, out[n-1].to, i) {
			out[n-1].opens = false
			r.inside = true
			out[n-1].inside = true
		}
		out = append(out, r)
		i = end
	}
	return out
}

// joined tells whether two runs are parts of one identifier: nothing between
// them, or one of _ . / : - as in app_wait_for, a.b, mr-cut's is not.
func joined(text string, from, to int) bool {
	if from == to {
		return true
	}
	return to-from == 1 && strings.IndexByte("_./:", text[from]) >= 0 || strings.HasPrefix(text[from:to], "::") && to-from == 2
}

// wordEnd is where the run of letters at i ends: before a capital after a small
// letter, so that maxChars is two.
func wordEnd(text string, i int) int {
	var last rune
	for i < len(text) {
		c, size := runeAt(text, i)
		switch {
		case unicode.IsUpper(c) && unicode.IsLower(last):
			return i
		case unicode.IsLetter(c) || unicode.IsMark(c):
		case (c == '\'' || c == '’') && nextIsLetter(text, i+size):
		default:
			return i
		}
		last = c
		i += size
	}
	return i
}

// numberEnd is where the number at i ends: digits with the points inside them
// and the commas of thousands.
func numberEnd(text string, i int) int {
	at := func(j int) bool { return j < len(text) && isDigit(text[j]) }
	for i < len(text) {
		switch {
		case isDigit(text[i]):
		case text[i] == '.' && at(i+1):
		case text[i] == ',' && at(i+1) && at(i+2) && at(i+3) && !at(i+4):
		default:
			return i
		}
		i++
	}
	return i
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func runeAt(text string, i int) (rune, int) { return utf8.DecodeRuneInString(text[i:]) }

func nextIsLetter(text string, i int) bool {
	c, _ := runeAt(text, i)
	return unicode.IsLetter(c)
}
