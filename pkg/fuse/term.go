package fuse

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Term is a stage with the weight its vote has.
type Term struct {
	Stage  record.StageName
	Weight float64 // positive, finite
}

// Parse reads terms: stages separated by commas, each with "=weight" where that
// is not 1, as in bm25,vector,late=2,cross-encoder. A stage may occur once.
func Parse(s string) ([]Term, error) {
	var terms []Term
	seen := map[string]bool{}
	for field := range strings.SplitSeq(s, ",") {
		name, weight, weighted := strings.Cut(strings.TrimSpace(field), "=")
		t := Term{Stage: record.StageName(name), Weight: 1}
		if !validName(name) {
			return nil, fmt.Errorf("fusion %q: expected stages separated by commas, as in bm25,vector=2, got %q", s, field)
		}
		if seen[name] {
			return nil, fmt.Errorf("fusion %q: stage %s is named twice: give it one weight", s, name)
		}
		seen[name] = true
		if weighted {
			w, err := strconv.ParseFloat(weight, 64)
			if err != nil || !(w > 0) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("fusion %q: expected a positive weight for %s, got %q: leave out a stage that has no vote", s, name, weight)
			}
			t.Weight = w
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// Format is the inverse of Parse.
func Format(terms []Term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(t.Stage))
		if t.Weight != 1 {
			b.WriteByte('=')
			b.WriteString(strconv.FormatFloat(t.Weight, 'g', -1, 64))
		}
	}
	return b.String()
}

func validName(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.:", r):
		default:
			return false
		}
	}
	return s != ""
}
