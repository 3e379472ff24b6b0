// Package keyfact tells whether a text says a key fact, without any model.
//
// # The rule
//
// Fact and text are cut into words: runs of letters, and numbers. Words are
// taken to lower case and to their stem (Porter 1980); function words are left
// out; no, not, never, cannot, -n't, without, none, nothing, neither and nor are
// one word. A number is kept as it is but for 1,800, which is 1800, and two to
// twelve in letters, which are 2 to 12; a unit written behind it is a word of
// its own. Words and numbers that the question has already ask for nothing: an
// answer need not say them again, and saying them again is no answer. (A fact
// that has no other is held as it stands.)
//
// A fact is covered when the text has
//   - every number of it, and
//   - at least Threshold of its words, each counted once.
//
// # What it can and cannot see
//
// It sees words, not sense. A paraphrase without common words is missed; a
// negation is one word among several, so its loss alone is not noticed; and a
// longer text covers more, so coverage is to be read beside the length of the
// answers. Threshold was chosen on the examples in testdata, 58 pairs of fact and
// text marked by hand before the rule was tried on them, and is frozen:
//
//	threshold               0.3  0.4  0.5  0.6  0.7
//	covered, of 29           28   27   27   22   19
//	wrongly covered, of 29    8    4    2    1    1
package keyfact

import (
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"golang.org/x/text/unicode/norm"
)

// Threshold is the share of a fact's words that must be in the text.
const Threshold = 0.5

// Text is the words and numbers of a text.
type Text struct {
	words   map[string]bool
	numbers map[string]bool
}

// Fact is a key fact, made ready to be looked for.
type Fact struct {
	words   []string
	numbers []string
}

// NewFact reads a fact that answers a question.
func NewFact(question, fact string) Fact {
	asked := Read(question)
	words, numbers := split(fact)
	f := Fact{beside(words, asked.words), beside(numbers, asked.numbers)}
	if f.Empty() {
		return Fact{words, numbers}
	}
	return f
}

// beside are the items that are not in known.
func beside(items []string, known map[string]bool) []string {
	var rest []string
	for _, s := range items {
		if !known[s] {
			rest = append(rest, s)
		}
	}
	return rest
}

// Read reads a text.
func Read(text string) Text {
	words, numbers := split(text)
	return Text{set(words), set(numbers)}
}

func set(items []string) map[string]bool {
	m := make(map[string]bool, len(items))
	for _, s := range items {
		m[s] = true
	}
	return m
}

// Empty says that the fact has nothing to look for, such as "yes".
func (f Fact) Empty() bool { return len(f.words)+len(f.numbers) == 0 }

// Numbers are those that a text must have.
func (f Fact) Numbers() []string { return f.numbers }

// Share is the share of the fact's words that a text has; 1 for a fact of numbers alone.
func (f Fact) Share(t Text) float64 {
	if len(f.words) == 0 {
		return 1
	}
	n := 0
	for _, w := range f.words {
		if t.words[w] {
			n++
		}
	}
	return float64(n) / float64(len(f.words))
}

// In tells whether the text covers the fact.
func (f Fact) In(t Text) bool {
	for _, n := range f.numbers {
		if !t.numbers[n] {
			return false
		}
	}
	return f.Share(t) >= Threshold
}

var (
	stop = func() analysis.TokenMap {
		m := analysis.NewTokenMap()
		if err := m.LoadBytes(en.EnglishStopWords); err != nil {
			panic(err)
		}
		for _, w := range strings.Fields("one yes e g i.e etc also may can will just s t") {
			m.AddToken(w)
		}
		return m
	}()
	stemmer = porter.NewPorterStemmer()
	denials = set(strings.Fields("no not never cannot without none nothing neither nor"))
	count   = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
		"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12"}
)

// split returns the words and the numbers of a text, each once, in the order of first use.
func split(text string) (words, numbers []string) {
	seenWord, seenNumber := map[string]bool{}, map[string]bool{}
	for _, run := range runs(strings.ToLower(norm.NFKC.String(text))) {
		if n, ok := count[run]; ok {
			run = n
		}
		if run[0] >= '0' && run[0] <= '9' {
			if !seenNumber[run] {
				seenNumber[run] = true
				numbers = append(numbers, run)
			}
			continue
		}
		word := run
		switch {
		case denials[run] || strings.HasSuffix(run, "n't"):
			word = "not"
		case stop[run]:
			continue
		default:
			word = stem(strings.TrimSuffix(run, "'s"))
		}
		if !seenWord[word] {
			seenWord[word] = true
			words = append(words, word)
		}
	}
	return words, numbers
}

func stem(word string) string {
	tokens := stemmer.Filter(analysis.TokenStream{{Term: []byte(word)}})
	return string(tokens[0].Term)
}

// runs cuts a text in lower case into runs of letters, with the apostrophes
// inside them, and numbers: digits with the points inside them, and without the
// commas of thousands.
func runs(text string) []string {
	var all []string
	r := []rune(strings.ReplaceAll(text, "’", "'"))
	at := func(i int) rune {
		if i < len(r) {
			return r[i]
		}
		return 0
	}
	for i := 0; i < len(r); {
		var b strings.Builder
		switch {
		case digit(r[i]):
			for ; digit(at(i)) || at(i) == '.' && digit(at(i+1)) || thousands(r, i); i++ {
				if r[i] != ',' {
					b.WriteRune(r[i])
				}
			}
		case unicode.IsLetter(r[i]):
			for ; unicode.IsLetter(at(i)) || unicode.IsMark(at(i)) || at(i) == '\'' && unicode.IsLetter(at(i+1)); i++ {
				b.WriteRune(r[i])
			}
		default:
			i++
			continue
		}
		all = append(all, b.String())
	}
	return all
}

// digit: other digits than these are taken to them by NFKC, or are no number here.
func digit(r rune) bool { return '0' <= r && r <= '9' }

// thousands tells whether r[i] is a comma between digits with just three behind it.
func thousands(r []rune, i int) bool {
	if i == 0 || i+3 >= len(r) || r[i] != ',' || !digit(r[i-1]) {
		return false
	}
	return digit(r[i+1]) && digit(r[i+2]) && digit(r[i+3]) && (i+4 >= len(r) || !digit(r[i+4]))
}
