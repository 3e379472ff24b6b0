package index

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// BM25 is how the lexical leg scores.
type BM25 struct {
	// K1 is how fast a term's further occurrences count for less, B how far a
	// long passage counts for less than a short one, 0 to 1.
	K1, B float64
	// Fields are searched each with its own statistics; a passage scores the
	// weighted sum.
	Fields []Field
	// Scoring is Okapi or Bleve.
	Scoring Scoring
}

// Field is a searched field with its weight.
type Field struct {
	Name  string // text, headings or path
	Boost float64
}

// Scoring is a formula.
type Scoring string

const (
	// Okapi is BM25 as published (Robertson and Zaragoza, "The Probabilistic
	// Relevance Framework: BM25 and Beyond", 2009, equation 3.15), with
	// Lucene's idf, which is never negative:
	//
	//	Σ over terms  ln(1 + (N−df+½)/(df+½)) · tf·(k1+1) / (tf + k1·(1−b+b·dl/avgdl))
	//
	// A term that a question holds twice counts twice.
	Okapi Scoring = "okapi"
	// Bleve is bleve 2.6's own: √tf in place of tf, idf squared, times the share
	// of the question's terms that match, with an average length rounded up,
	// and k1 1.2, b 0.75 that are variables of the whole process.
	Bleve Scoring = "bleve"
)

// DefaultBM25 is what the tools use.
func DefaultBM25() BM25 {
	return BM25{K1: 1.2, B: 0.75, Fields: []Field{{fieldText, 1}}, Scoring: Okapi}
}

// Validate says what is wrong with parameters that came from flags.
func (p BM25) Validate() error {
	switch {
	case !(p.K1 >= 0) || math.IsInf(p.K1, 0):
		return fmt.Errorf("expected k1 to be 0 or more, got %v", p.K1)
	case !(p.B >= 0 && p.B <= 1):
		return fmt.Errorf("expected b to be 0 to 1, got %v", p.B)
	case p.Scoring != Okapi && p.Scoring != Bleve:
		return fmt.Errorf("expected scoring okapi or bleve, got %q", p.Scoring)
	case p.Scoring == Bleve && (p.K1 != 1.2 || p.B != 0.75):
		return errors.New("bleve's own scoring has k1 1.2 and b 0.75: they cannot be set")
	case len(p.Fields) == 0:
		return errors.New("no field to search: name text, headings or path")
	}
	return nil
}

// ParseFields reads fields separated by commas, each with "=boost" where that is not 1.
func ParseFields(s string) ([]Field, error) {
	var fields []Field
	for part := range strings.SplitSeq(s, ",") {
		name, boost, weighted := strings.Cut(strings.TrimSpace(part), "=")
		f := Field{name, 1}
		if !slices.Contains(searched, name) || slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return nil, fmt.Errorf("fields %q: expected text, headings and path, each at most once, as in text,headings=0.5", s)
		}
		if weighted {
			var err error
			if f.Boost, err = strconv.ParseFloat(boost, 64); err != nil || !(f.Boost > 0) || math.IsInf(f.Boost, 0) {
				return nil, fmt.Errorf("fields %q: expected a positive boost for %s, got %q", s, name, boost)
			}
		}
		fields = append(fields, f)
	}
	return fields, nil
}
