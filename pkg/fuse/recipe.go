package fuse

import (
	"fmt"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Method is a way to fuse.
type Method string

// The methods.
const (
	ByRank        Method = "rrf"         // RRF
	BySectionRank Method = "section-rrf" // SectionRRF
	ByZScore      Method = "zscore"      // ZScore
	ByMinMax      Method = "minmax"      // MinMax
	ByLast        Method = "last"        // Last, of the one term
)

// Recipe is a method with its parameters.
type Recipe struct {
	Method Method
	Terms  []Term
	// K damps the first ranks of the rank methods; the score methods have no use for it.
	K float64
}

// Validate says what is wrong with a recipe that came from flags.
func (r Recipe) Validate() error {
	switch r.Method {
	case ByRank, BySectionRank, ByZScore, ByMinMax:
	case ByLast:
		if len(r.Terms) > 1 {
			return fmt.Errorf("fusion %q: method last takes one stage", Format(r.Terms))
		}
	default:
		return fmt.Errorf("expected a fusion method rrf, section-rrf, zscore, minmax or last, got %q", r.Method)
	}
	if !(r.K >= 0) || math.IsInf(r.K, 0) {
		return fmt.Errorf("expected k to be 0 or more, got %v", r.K)
	}
	if len(r.Terms) == 0 {
		return fmt.Errorf("no stage to fuse by: name at least one, as in bm25,vector")
	}
	return nil
}

// Apply orders hits in place. The recipe must be valid.
func (r Recipe) Apply(hits []record.Hit) {
	switch r.Method {
	case ByRank:
		RRF(hits, r.Terms, r.K)
	case BySectionRank:
		SectionRRF(hits, r.Terms, r.K)
	case ByZScore:
		ZScore(hits, r.Terms)
	case ByMinMax:
		MinMax(hits, r.Terms)
	case ByLast:
		Last(hits, r.Terms[0].Stage)
	default:
		panic("fuse: internal error: unknown method " + string(r.Method))
	}
}

// Names says whether stage is one of the recipe's.
func (r Recipe) Names(stage record.StageName) bool {
	return slices.ContainsFunc(r.Terms, func(t Term) bool { return t.Stage == stage })
}
