package lexical

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/mobiumdev/mobium-rag/pkg/quotation"
)

// IDF is how rare the words of a corpus are.
type IDF struct {
	texts int
	with  map[string]int
}

// NewIDF counts in how many texts each word stands.
func NewIDF(texts iter.Seq[string]) *IDF {
	f := &IDF{with: map[string]int{}}
	for text := range texts {
		f.texts++
		seen := map[string]bool{}
		for _, t := range tokens(text) {
			if t.content() && !seen[t.text] {
				seen[t.text] = true
				f.with[t.text]++
			}
		}
	}
	return f
}

// of is the weight of a word: ln((N+1)/(n+½)), at least ¼ so that no word weighs
// nothing. Without a corpus all weigh the same.
func (f *IDF) of(term string) float64 {
	if f == nil {
		return 1
	}
	return max(0.25, math.Log((float64(f.texts)+1)/(float64(f.with[term])+0.5)))
}

// digest tells one IDF from another; that of the passages of each case is "".
func (f *IDF) digest() string {
	if f == nil {
		return ""
	}
	parts := []string{strconv.Itoa(f.texts)}
	for _, w := range slices.Sorted(maps.Keys(f.with)) {
		parts = append(parts, fmt.Sprint(w, " ", f.with[w]))
	}
	return quotation.Digest(parts...)
}
