package boot

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// agreements analyses pair records: what each two raters have in common, then
// the judges' rates in the score records put right by people's labels.
func (a *analysis) agreements(wanted ...string) error {
	all := a.in.pairs()
	if len(all) == 0 {
		return fmt.Errorf("stat %s is of pair records, and none came", a.Stat)
	}
	for _, r := range all {
		for _, rate := range rates {
			if !slices.Contains(wanted, rate.stat) || rate.stat != StatKappa && !rate.fits(a.in, r) {
				continue
			}
			iv := a.interval(r, rate.stat)
			sample := rate.sample(r)
			if iv.N = sample.N(); iv.N > 0 {
				a.fill(iv, sample, rate.undefined)
			} else {
				iv.Reason = fmt.Sprintf("undefined (%s)", rate.undefined)
			}
			a.decide(iv, r)
			if err := withTable(iv, r); err != nil {
				return err
			}
			a.out.Intervals = append(a.out.Intervals, iv)
		}
	}
	if slices.Contains(wanted, StatCorrected) || slices.Contains(wanted, StatPPI) {
		return a.corrections(all, wanted)
	}
	return nil
}

// rate is a statistic of pairs.
type rate struct {
	stat      string
	fits      func(*Input, *raters) bool
	share     func(*[4]float64) (part, of float64) // of yes/yes, yes/no, no/yes, no/no
	undefined string
}

var rates = []rate{
	{StatKappa, nil, nil, "one label only"},
	{StatBaseRate, func(_ *Input, r *raters) bool { return !r.again() },
		func(t *[4]float64) (float64, float64) { return t[0] + t[2], t[0] + t[1] + t[2] + t[3] }, "no pair"},
	{StatTPR, (*Input).person, func(t *[4]float64) (float64, float64) { return t[0], t[0] + t[2] }, "no yes by the second rater"},
	{StatTNR, (*Input).person, func(t *[4]float64) (float64, float64) { return t[3], t[3] + t[1] }, "no no by the second rater"},
	{StatFlips, func(_ *Input, r *raters) bool { return r.again() },
		func(t *[4]float64) (float64, float64) { return t[1] + t[2], t[0] + t[1] + t[2] + t[3] }, "no pair"},
}

// sample is of the questions in which the statistic has something to count. A
// share with one pair of weight 1 a question is a mean of 0 and 1.
func (m rate) sample(r *raters) Sample {
	if m.share == nil {
		s := Sample{Dim: 4, Stat: Kappa}
		for _, id := range r.questions() {
			s.Rows = append(s.Rows, r.rows[id][:]...)
		}
		return s
	}
	var values []float64
	ratio := Sample{Dim: 2, Stat: Ratio}
	single := true
	for _, id := range r.questions() {
		part, of := m.share(r.rows[id])
		if of == 0 {
			continue
		}
		single = single && of == 1
		values = append(values, part)
		ratio.Rows = append(ratio.Rows, part, of)
	}
	if single {
		return Means(values)
	}
	return ratio
}

// table2 is how a 2×2 table stands in an interval record, rater A first.
type table2 struct {
	YesYes float64 `json:"yes_yes"`
	YesNo  float64 `json:"yes_no"`
	NoYes  float64 `json:"no_yes"`
	NoNo   float64 `json:"no_no"`
}

// withTable puts the 2×2 table of two raters beside their kappa, as "table",
// unless it would tell the marks of a judge that is not trusted.
func withTable(iv *record.Interval, r *raters) (err error) {
	if iv.Stat != StatKappa || !iv.Trusted {
		return nil
	}
	var t table2
	for _, row := range r.rows {
		t.YesYes += row[0]
		t.YesNo += row[1]
		t.NoYes += row[2]
		t.NoNo += row[3]
	}
	iv.Extra, err = json.Marshal(map[string]table2{"table": t})
	return err
}
