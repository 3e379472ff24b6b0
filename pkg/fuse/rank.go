package fuse

import (
	"cmp"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// RRF orders hits in place by reciprocal rank fusion: a hit scores the sum, over
// the terms, of weight/(k+rank). A stage that did not rank a hit adds nothing.
func RRF(hits []record.Hit, terms []Term, k float64) {
	for i := range hits {
		hits[i].Score = reciprocal(&hits[i], terms, k, nil)
	}
	order(hits)
}

// SectionRRF is RRF over sections: in each stage's list a section stands at the
// rank of its first part, and further parts take up no rank. The best part of a
// section (by RRF) gets the section's score; every other part keeps its own by
// RRF, which is never above it. So the list folded to sections is the fused list
// of sections, and later parts do not crowd the head of the list.
func SectionRRF(hits []record.Hit, terms []Term, k float64) {
	RRF(hits, terms, k)
	first := make(map[record.SectionID]*record.Hit)
	for i := range hits {
		if _, ok := first[hits[i].Section]; !ok {
			first[hits[i].Section] = &hits[i]
		}
	}
	ranks := make([]map[record.SectionID]int, len(terms))
	for i, t := range terms {
		ranks[i] = sectionRanks(hits, t.Stage)
	}
	for _, h := range first {
		h.Score = reciprocal(h, terms, k, ranks)
	}
	order(hits)
}

// reciprocal is the RRF score of a hit, or of its section where ranks of sections are given.
func reciprocal(h *record.Hit, terms []Term, k float64, sections []map[record.SectionID]int) float64 {
	sum := 0.0
	for i, t := range terms {
		rank := h.Stages[t.Stage].Rank
		if sections != nil {
			rank = sections[i][h.Section]
		}
		if rank > 0 {
			sum += t.Weight / (k + float64(rank))
		}
	}
	return sum
}

// sectionRanks returns the rank of each section in a stage's list: the rank of
// its first part, less the parts before it whose section had come already.
func sectionRanks(hits []record.Hit, stage record.StageName) map[record.SectionID]int {
	var list []*record.Hit
	for i := range hits {
		if hits[i].Stages[stage].Rank > 0 {
			list = append(list, &hits[i])
		}
	}
	slices.SortFunc(list, func(a, b *record.Hit) int {
		return cmp.Or(cmp.Compare(a.Stages[stage].Rank, b.Stages[stage].Rank), cmp.Compare(a.Passage, b.Passage))
	})
	ranks := make(map[record.SectionID]int)
	repeats := 0
	for _, h := range list {
		if _, ok := ranks[h.Section]; ok {
			repeats++
			continue
		}
		ranks[h.Section] = h.Stages[stage].Rank - repeats
	}
	return ranks
}

// Last orders hits in place by one stage, whose score becomes theirs. Hits that
// the stage did not rank follow in the order they have (see [Behind]).
func Last(hits []record.Hit, stage record.StageName) {
	ranked := make([]record.Hit, 0, len(hits))
	var rest []record.Hit
	for _, h := range hits {
		s := h.Stages[stage]
		if s.Rank == 0 {
			rest = append(rest, h)
			continue
		}
		h.Score = s.Score
		ranked = append(ranked, h)
	}
	slices.SortStableFunc(ranked, func(a, b record.Hit) int {
		return cmp.Or(cmp.Compare(a.Stages[stage].Rank, b.Stages[stage].Rank), cmp.Compare(a.Passage, b.Passage))
	})
	copy(hits, Behind(ranked, rest))
}

// Rank gives stage its ranks among the hits that carry its score: by score,
// descending, then passage id.
func Rank(hits []record.Hit, stage record.StageName) {
	var scored []*record.Hit
	for i := range hits {
		if _, ok := hits[i].Stages[stage]; ok {
			scored = append(scored, &hits[i])
		}
	}
	slices.SortFunc(scored, func(a, b *record.Hit) int {
		return cmp.Or(cmp.Compare(b.Stages[stage].Score, a.Stages[stage].Score), cmp.Compare(a.Passage, b.Passage))
	})
	for i, h := range scored {
		h.Stages[stage] = record.StageScore{Score: h.Stages[stage].Score, Rank: i + 1}
	}
}

// Behind returns head with tail behind it, both in the order they have. The
// scores of the tail say that and no more: each is one below the score before.
func Behind(head, tail []record.Hit) []record.Hit {
	all := slices.Concat(head, tail)
	for i := range all {
		if i >= len(head) && i > 0 {
			all[i].Score = all[i-1].Score - 1
		}
		all[i].Rank = i + 1
	}
	return all
}

// order sorts by score, descending, then passage id, and sets the ranks.
func order(hits []record.Hit) {
	slices.SortStableFunc(hits, func(a, b record.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
	for i := range hits {
		hits[i].Rank = i + 1
	}
}
