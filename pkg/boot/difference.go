package boot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// pairing is one question under two systems.
type pairing struct{ a, b *unit }

// difference is b's value less a's.
func (p pairing) difference() float64 { return p.b.mean() - p.a.mean() }

// scored says whether both have a value.
func (p pairing) scored() bool { return len(p.a.values) > 0 && len(p.b.values) > 0 }

// pair joins two series by the ids of their questions, which must be the same.
func pair(a, b *series) ([]pairing, error) {
	var pairs []pairing
	var lacking []string
	i, j := 0, 0
	for i < len(a.units) || j < len(b.units) {
		switch {
		case j == len(b.units) || i < len(a.units) && a.units[i].id < b.units[j].id:
			lacking = append(lacking, fmt.Sprintf("%s lacks %q", b.system, a.units[i].id))
			i++
		case i == len(a.units) || b.units[j].id < a.units[i].id:
			lacking = append(lacking, fmt.Sprintf("%s lacks %q", a.system, b.units[j].id))
			j++
		default:
			pairs = append(pairs, pairing{a.units[i], b.units[j]})
			i, j = i+1, j+1
		}
	}
	if len(lacking) > 0 {
		more := ""
		if n := len(lacking) - 5; n > 0 {
			lacking, more = lacking[:5], fmt.Sprintf(" and %d more", n)
		}
		return nil, hint.Wrap(fmt.Errorf("%s of %s and %s cannot be paired: %s%s", a.metric, a.system, b.system, strings.Join(lacking, ", "), more),
			"score both systems on the same questions, a question without hits counts 0; or leave out -baseline")
	}
	return pairs, nil
}

// knowBaseline is nil if there is no baseline, or one with scores.
func (a *analysis) knowBaseline() error {
	if a.Baseline == "" {
		return nil
	}
	var names []string
	for _, s := range a.series {
		if s.system == a.Baseline {
			return nil
		}
		if !slices.Contains(names, string(s.system)) {
			names = append(names, string(s.system))
		}
	}
	return fmt.Errorf("baseline %q has no scores; there are some of %s", a.Baseline, strings.Join(names, ", "))
}

// baseline is the baseline's series of a measure.
func (a *analysis) baseline(m measure) (*series, error) {
	for _, s := range a.of(m) {
		if s.system == a.Baseline {
			return s, nil
		}
	}
	return nil, fmt.Errorf("baseline %q has no %v", a.Baseline, m)
}

// differences compares every system with the baseline, and corrects by Holm.
// Hits that fell back are no system to compare.
func (a *analysis) differences(m measure, kind record.QuestionKind, t trust) error {
	base, err := a.baseline(m)
	if err != nil {
		return err
	}
	var all []*record.Interval
	for _, s := range a.of(m) {
		if s == base || s.system == record.FallbackSystem {
			continue
		}
		iv, err := a.compare(base.of(kind), s.of(kind), kind)
		if err != nil {
			return err
		}
		all = append(all, iv)
	}
	a.holm(all)
	for _, iv := range all {
		t.apply(iv)
	}
	a.out.Intervals = append(a.out.Intervals, all...)
	return nil
}

// compare is the paired difference of a system and the baseline.
func (a *analysis) compare(base, s *series, kind record.QuestionKind) (*record.Interval, error) {
	pairs, err := a.join(base, s)
	if err != nil {
		return nil, err
	}
	iv := &record.Interval{Metric: s.metric, System: s.system, Judge: s.judge, Baseline: base.system, AskedFor: kind, Stat: StatMean, Level: a.Level}
	var d []float64
	for _, p := range pairs {
		switch {
		case p.scored():
			d = append(d, p.difference())
		case p.a.failed > 0 || p.b.failed > 0:
			iv.NError++
		default:
			iv.NUnscored++
		}
	}
	iv.N = len(d)
	a.fill(iv, Means(d), "")
	if iv.Trusted {
		p, seed := SignFlip(d, a.Seed, a.Resamples), a.Seed
		iv.P, iv.Seed, iv.Resamples = &p, &seed, a.Resamples
	}
	return iv, nil
}

func (a *analysis) holm(all []*record.Interval) {
	var p []float64
	for _, iv := range all {
		if iv.P != nil {
			p = append(p, *iv.P)
		}
	}
	adjusted := Holm(p)
	for _, iv := range all {
		if iv.P != nil {
			iv.PHolm, adjusted = &adjusted[0], adjusted[1:]
		}
	}
}

// The controls of differences.
const (
	sameControl    = "A against A"
	plantedControl = "planted +0.1"
	planted        = 0.1
)

// controlDifferences compares the baseline with itself, and with a copy of
// itself that is better by 0.1 on average and comes in another order. Where
// either does not come out, t has no difference trusted.
func (a *analysis) controlDifferences(m measure, t *trust) error {
	base, err := a.baseline(m)
	if err != nil {
		return err
	}
	same, err := a.compare(base, base, "")
	if err != nil {
		return err
	}
	better, err := a.compare(base, base.better(), "")
	if err != nil {
		return err
	}
	for _, c := range []*record.Control{controlSame(same), controlPlanted(better)} {
		c.Metric, c.Judge, c.System = m.metric, m.judge, a.Baseline
		a.out.Controls = append(a.out.Controls, c)
		if why := verdict(c); why != "" {
			t.differences = append(t.differences, why)
		}
	}
	return nil
}

// better is a copy with 0.05 and 0.15 added in turn; where there is one question
// more on one side it gets 0.1, so that the mean difference is 0.1 whatever n.
func (s *series) better() *series {
	copied := &series{measure: s.measure, system: s.system + " +0.1"}
	n := len(s.means())
	i := 0
	for _, u := range s.units {
		v := *u
		v.values = slices.Clone(u.values)
		add := planted - 0.05
		switch {
		case i == n-1 && n%2 == 1:
			add = planted
		case i%2 == 1:
			add = planted + 0.05
		}
		for j := range v.values {
			v.values[j] += add
		}
		if len(v.values) > 0 {
			i++
		}
		copied.units = append(copied.units, &v)
	}
	return copied
}

func controlSame(iv *record.Interval) *record.Control {
	c := newControl(sameControl, "exactly 0, p 1", iv)
	if iv.Trusted && (*iv.Value != 0 || iv.Lo != nil && (*iv.Lo != 0 || *iv.Hi != 0) || *iv.P != 1) {
		c.OK = record.ControlFailed
	}
	return c
}

// enough is the number of questions from which p can be below 0.05: 2/2^6.
const enough = 6

func controlPlanted(iv *record.Interval) *record.Control {
	c := newControl(plantedControl, fmt.Sprintf("%.4f, in an interval above 0, p below 0.05 from %d questions on", planted, enough), iv)
	if iv.Trusted && (math.Abs(*iv.Value-planted) > 1e-9 ||
		iv.Lo != nil && !(*iv.Lo > 0 && *iv.Lo <= planted+1e-9 && *iv.Hi >= planted-1e-9) ||
		iv.N >= enough && *iv.P >= 0.05) {
		c.OK = record.ControlFailed
	}
	return c
}

func newControl(name, expect string, iv *record.Interval) *record.Control {
	c := &record.Control{Control: name, Expect: expect, N: iv.N, OK: record.ControlOK}
	if !iv.Trusted {
		c.OK, c.Got, c.Reason = record.ControlNotEstablished, "nothing", iv.Reason
		return c
	}
	c.Value, c.Lo, c.Hi = iv.Value, iv.Lo, iv.Hi
	c.Got = fmt.Sprintf("%.4f, p %.4f", *iv.Value, *iv.P)
	if iv.Lo != nil {
		c.Got = fmt.Sprintf("%.4f [%.4f, %.4f], p %.4f", *iv.Value, *iv.Lo, *iv.Hi, *iv.P)
	}
	return c
}
