package boot

import (
	"cmp"
	"math"
	"slices"
)

// exactFlips is the number of differences up to which every sign is tried.
const exactFlips = 16

// SignFlip is the two-sided p of paired differences under random changes of
// sign: how often a mean as far from 0 as theirs comes about when each
// difference could as well have been the other way round (Fisher 1935;
// Smucker, Allan and Carterette 2007, doi:10.1145/1321440.1321528).
//
// Differences of 0 have no sign. With up to 16 others every combination is
// tried, p = b/2^n, itself included; with more, p = (b+1)/(draws+1) (Phipson and
// Smyth 2010, doi:10.2202/1544-6115.1585), so that p is never 0. Without any,
// p is 1.
func SignFlip(differences []float64, seed uint64, draws int) float64 {
	var d []float64
	var sum, size float64
	for _, v := range differences {
		if math.Abs(v) > rounding {
			d = append(d, v)
			sum += v
			size += math.Abs(v)
		}
	}
	far := math.Abs(sum) - rounding*size
	tables := flips(d)
	if len(d) <= exactFlips {
		all := 1 << len(d)
		hits := 0
		for signs := range all {
			s := 0.0
			for i, t := range tables {
				s += t[signs>>(8*i)&0xff]
			}
			if math.Abs(s) >= far {
				hits++
			}
		}
		return float64(hits) / float64(all)
	}
	hits := 0
	r := newSplitmix(seed, 0)
	for range draws {
		s := 0.0
		for i := 0; i < len(tables); {
			for bits, end := r.next(), min(len(tables), i+8); i < end; i++ {
				s += tables[i][bits&0xff]
				bits >>= 8
			}
		}
		if math.Abs(s) >= far {
			hits++
		}
	}
	return float64(hits+1) / float64(draws+1)
}

// flips holds, for each eight differences, their sum under every choice of signs.
func flips(d []float64) [][256]float64 {
	tables := make([][256]float64, (len(d)+7)/8)
	for i := range tables {
		for signs := range tables[i] {
			for j, v := range d[8*i : min(len(d), 8*i+8)] {
				if signs>>j&1 == 1 {
					v = -v
				}
				tables[i][signs] += v
			}
		}
	}
	return tables
}

// Holm corrects p values for being the smallest of several (Holm 1979): the
// i-th smallest of m, from 0, times m-i, no smaller than the one before and at
// most 1. The order of the result is that of p.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	before := 0.0
	for i, at := range order {
		before = max(before, min(1, float64(len(p)-i)*p[at]))
		adjusted[at] = before
	}
	return adjusted
}
