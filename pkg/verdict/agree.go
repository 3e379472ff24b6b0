package verdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// marks are those of two raters on the same answers.
type marks struct {
	metric record.MetricName
	a, b   string
	pairs  [][2]record.Mark
}

// group sorts pairs by metric and raters, in the order in which they begin.
func group(pairs []*record.Pair) []*marks {
	type key struct {
		metric record.MetricName
		a, b   string
	}
	var all []*marks
	byKey := map[key]*marks{}
	for _, p := range pairs {
		k := key{p.Metric, p.RaterA, p.RaterB}
		m := byKey[k]
		if m == nil {
			m = &marks{metric: k.metric, a: k.a, b: k.b}
			byKey[k] = m
			all = append(all, m)
		}
		m.pairs = append(m.pairs, [2]record.Mark{p.MarkA, p.MarkB})
	}
	return all
}

// controls are those of agreement, two for each two raters on a metric: a rater
// with itself has kappa 1, and with the other's marks permuted 0 on average.
func (g *Agreement) controls(pairs []*record.Pair) []*record.Control {
	var all []*record.Control
	for _, m := range group(pairs) {
		all = append(all, m.itself(), m.permuted(g.Permutations, g.Seed))
	}
	return all
}

func (m *marks) control(name, expect string) *record.Control {
	return &record.Control{Metric: m.metric, Judge: boot.Raters(m.a, m.b), Control: name, Expect: expect, N: len(m.pairs), OK: record.ControlOK}
}

// undefined is a control that has no value.
func undefined(c *record.Control) *record.Control {
	c.OK, c.Got, c.Reason = record.ControlNotEstablished, "nothing", boot.OneLabel
	return c
}

// itself compares each of the two raters with itself.
func (m *marks) itself() *record.Control {
	c := m.control(boot.Itself, "1")
	lowest, seen := 1.0, false
	for side := range 2 {
		var t boot.Table
		for _, p := range m.pairs {
			t.Add(p[side], p[side], 1)
		}
		if kappa, ok := t.Kappa(); ok {
			lowest, seen = min(lowest, kappa), true
		}
	}
	if !seen {
		return undefined(c)
	}
	c.Value, c.Got = &lowest, fmt.Sprintf("%.4f", lowest)
	if math.Abs(lowest-1) > 1e-9 {
		c.OK, c.Reason = record.ControlFailed, "a rater does not agree with itself"
	}
	return c
}

// permuted compares the first rater with the second whose marks were dealt out
// anew. Over all permutations the mean of kappa is exactly 0: the agreement
// expected by chance is the mean of the agreement.
func (m *marks) permuted(permutations int, seed uint64) *record.Control {
	c := m.control(boot.Permuted, "0 on average, within 4 standard errors")
	r := rand.New(rand.NewPCG(seed, uint64(len(m.pairs))))
	var sum, squares, n float64
	for range permutations {
		var t boot.Table
		for i, j := range r.Perm(len(m.pairs)) {
			t.Add(m.pairs[i][0], m.pairs[j][1], 1)
		}
		if kappa, ok := t.Kappa(); ok {
			sum, squares, n = sum+kappa, squares+kappa*kappa, n+1
		}
	}
	if n == 0 {
		return undefined(c)
	}
	mean := sum / n
	far := 4 * math.Sqrt(max(0, squares/n-mean*mean)/n)
	lo, hi := mean-far, mean+far
	c.Value, c.Lo, c.Hi = &mean, &lo, &hi
	c.Got = strings.Replace(fmt.Sprintf("%.4f ± %.4f", mean, far), "-", "−", 1)
	if math.Abs(mean) > far+1e-9 {
		c.OK, c.Reason = record.ControlFailed, fmt.Sprintf("over %.0f permutations the mean is off 0", n)
	}
	return c
}
