package index

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	words "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/registry"
)

// Analysis is how text becomes the terms that BM25 matches. It is fixed when
// the index is built; questions get the same.
type Analysis string

const (
	// English is bleve's: words by UAX #29, without 's, in lower case, without
	// stop words, stemmed by Porter.
	English Analysis = en.AnalyzerName
	// EnglishParts is English, and the parts of identifiers beside the whole:
	// maxChars also gives max and chars, MR_CACHE mr and cache, v2.6 v, 2 and 6.
	// So a question in plain words finds the name in the code.
	EnglishParts Analysis = "en-parts"
)

// Analyses are all there are.
var Analyses = []Analysis{English, EnglishParts}

// Validate says whether there is such an analysis.
func (a Analysis) Validate() error {
	if !slices.Contains(Analyses, a) {
		return fmt.Errorf("expected an analysis en or en-parts, got %q", a)
	}
	return nil
}

func init() {
	err := registry.RegisterAnalyzer(string(EnglishParts), func(_ map[string]any, cache *registry.Cache) (analysis.Analyzer, error) {
		a := &analysis.DefaultAnalyzer{}
		var err error
		if a.Tokenizer, err = cache.TokenizerNamed(words.Name); err != nil {
			return nil, err
		}
		for _, name := range []string{en.PossessiveName, "", lowercase.Name, en.StopName, porter.Name} {
			f := analysis.TokenFilter(partsFilter{})
			if name != "" {
				if f, err = cache.TokenFilterNamed(name); err != nil {
					return nil, err
				}
			}
			a.TokenFilters = append(a.TokenFilters, f)
		}
		return a, nil
	})
	if err != nil {
		panic(err)
	}
}

// partsFilter adds the parts of identifiers behind each whole, at its position.
type partsFilter struct{}

func (partsFilter) Filter(in analysis.TokenStream) analysis.TokenStream {
	out := make(analysis.TokenStream, 0, len(in))
	for _, token := range in {
		out = append(out, token)
		if plain(token.Term) {
			continue
		}
		parts := identifierParts(token.Term)
		if len(parts) == 1 && len(parts[0]) == len(token.Term) {
			continue
		}
		for _, p := range parts {
			t := *token
			t.Term = p
			out = append(out, &t)
		}
	}
	return out
}

// plain says that a term is small Latin letters alone, as most are: one part.
func plain(term []byte) bool {
	for _, b := range term {
		if b < 'a' || b > 'z' {
			return false
		}
	}
	return true
}

// identifierParts cuts a word at whatever is neither letter nor digit, between
// letters and digits, before a capital after a small letter, and before the
// last capital of several that a small letter follows: HTTPServer2 is HTTP,
// Server, 2. The parts lie in term.
func identifierParts(term []byte) [][]byte {
	var parts [][]byte
	start, last := 0, outside
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRune(term[i:])
		c := classOf(r, last)
		border := c != last && !(last == capital && c == small) ||
			c == capital && last == capital && nextIsSmall(term[i+size:])
		if border {
			if last != outside {
				parts = append(parts, term[start:i])
			}
			start = i
		}
		last = c
		i += size
	}
	if last != outside {
		parts = append(parts, term[start:])
	}
	return parts
}

type runeClass int

const (
	outside runeClass = iota // neither letter nor digit
	capital
	small // and letters without case
	digit
)

func classOf(r rune, last runeClass) runeClass {
	switch {
	case unicode.IsUpper(r):
		return capital
	case unicode.IsLetter(r):
		return small
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r): // belongs to the letter before it
		return last
	}
	return outside
}

func nextIsSmall(rest []byte) bool {
	r, _ := utf8.DecodeRune(rest)
	return classOf(r, outside) == small
}
