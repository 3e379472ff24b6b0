package control

import (
	"fmt"
	"math/bits"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// component is needs that share sections, directly or through others.
type component struct {
	needs    []int
	sections []record.SectionID
}

// components splits a question's needs where they share nothing.
func components(q *golden.Question) []component {
	seen := make([]bool, len(q.Needs))
	var all []component
	for first := range q.Needs {
		if seen[first] {
			continue
		}
		seen[first] = true
		c := component{needs: []int{first}}
		have := map[record.SectionID]bool{}
		for i := 0; i < len(c.needs); i++ {
			for _, s := range q.Needs[c.needs[i]].Sections {
				if have[s] {
					continue
				}
				have[s] = true
				c.sections = append(c.sections, s)
				for _, n := range q.Serves(s) {
					if !seen[n] {
						seen[n] = true
						c.needs = append(c.needs, n)
					}
				}
			}
		}
		all = append(all, c)
	}
	return all
}

// reach returns F(i) for i = 0…k: the needs of c expected to be met in the first i.
func (s space) reach(q *golden.Question, c component) ([]float64, error) {
	f := make([]float64, s.k+1)
	if len(c.needs) == 1 {
		a := 0
		for _, section := range c.sections {
			a += s.weight(section)
		}
		for i, miss := range s.miss(a) {
			f[i] = 1 - miss
		}
		return f, nil
	}
	if len(c.sections) > maxShared || len(c.needs) > maxShared {
		return nil, fmt.Errorf("question %q: %d needs share %d sections, and the expectation is worked out for up to %d",
			q.ID, len(c.needs), len(c.sections), maxShared)
	}
	coefficient := mostMet(q, c)
	for b := range c.sections { // Möbius inversion over the supersets
		for set := range coefficient {
			if set>>b&1 == 0 {
				coefficient[set] -= coefficient[set|1<<b]
			}
		}
	}
	for set, factor := range coefficient {
		if factor == 0 {
			continue
		}
		absent := 0
		for b, section := range c.sections {
			if set>>b&1 == 0 {
				absent += s.weight(section)
			}
		}
		for i, p := range s.miss(absent) {
			f[i] += float64(factor) * p
		}
	}
	return f, nil
}

// mostMet returns for every set of the component's sections, as bits, how many
// of its needs they can meet at once, one section a need.
func mostMet(q *golden.Question, c component) []int {
	serving := make([]uint, len(c.needs)) // the sections that serve a need
	for i, n := range c.needs {
		for _, s := range q.Needs[n].Sections {
			for b, section := range c.sections {
				if s == section {
					serving[i] |= 1 << b
				}
			}
		}
	}
	met := make([]int, 1<<len(c.sections))
	for set := range met {
		met[set] = len(c.needs)
	}
	for chosen := range 1 << len(c.needs) { // J
		neighbours := uint(0)
		for i, sections := range serving {
			if chosen>>i&1 == 1 {
				neighbours |= sections
			}
		}
		rest := len(c.needs) - bits.OnesCount(uint(chosen))
		for set := range met {
			met[set] = min(met[set], rest+bits.OnesCount(uint(set)&neighbours))
		}
	}
	return met
}
