package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// claims is nil unless an interval is not of the scores that came with it: its
// system has none of the metric, or their number or mean is another than it
// says; a statistic of two raters likewise, of the pairs. Nothing is checked
// where neither came.
func (c *collector) claims() error {
	scored, paired := false, false
	for _, p := range c.out.Parts {
		scored, paired = scored || len(p.Scores) > 0, paired || len(p.Pairs) > 0
	}
	var bad []error
	for _, p := range c.out.Parts {
		for _, iv := range p.Intervals {
			claim, came := p.claim, scored
			if ofPairs(iv) {
				claim, came = p.claimOfPairs, paired
			}
			if !came {
				continue
			}
			if err := claim(iv); err != nil {
				bad = append(bad, hint.Wrap(fmt.Errorf("%v: %w", c.at[iv], err),
					"run mr-boot again on the scores that you give to mr-report"))
			}
		}
	}
	return errors.Join(bad...)
}

func (p *Part) claim(iv *record.Interval) error {
	by := ""
	if iv.Judge != "" {
		by = fmt.Sprintf(" and judge %q", iv.Judge)
	}
	for _, system := range []record.SystemName{iv.System, iv.Baseline} {
		if system != "" && !p.scored(system, iv.Metric, iv.Judge) {
			return fmt.Errorf("an interval of %s of system %q%s, of which no score came (half %s)", iv.Metric, system, by, p.Half)
		}
	}
	if iv.Value == nil || iv.Stat != "" && iv.Stat != "mean" {
		return nil
	}
	n, mean := p.mean(iv)
	if n == iv.N && math.Abs(mean-*iv.Value) <= rounding {
		return nil
	}
	of := fmt.Sprintf("%s of system %q%s", iv.Metric, iv.System, by)
	if iv.Baseline != "" {
		of += fmt.Sprintf(" less %q", iv.Baseline)
	}
	if iv.AskedFor != "" {
		of += fmt.Sprintf(", %s questions", iv.AskedFor)
	}
	return fmt.Errorf("the interval of %s says %v over %d questions, its scores %v over %d: the interval was changed, or is of other scores", of, *iv.Value, iv.N, mean, n)
}

// scored says whether a system has any score of a metric, by a judge where it is one's.
func (p *Part) scored(system record.SystemName, metric record.MetricName, judge string) bool {
	for _, s := range p.Scores {
		if s.System == system && s.Metric == metric && s.Judge == judge {
			return true
		}
	}
	return false
}

// mean is that of an interval's questions, or of their differences.
func (p *Part) mean(iv *record.Interval) (n int, mean float64) {
	var all []float64
	if iv.Baseline != "" {
		for _, g := range p.gains(iv) {
			all = append(all, g.value)
		}
	} else {
		values := p.values(iv, iv.System)
		for _, q := range slices.Sorted(maps.Keys(values)) {
			all = append(all, values[q])
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return len(all), sum / float64(len(all))
}

// claimOfPairs is claim for a statistic of two raters.
func (p *Part) claimOfPairs(iv *record.Interval) error {
	pairs := p.pairsOf(iv)
	if len(pairs) == 0 {
		return fmt.Errorf("an interval of %s of %s of system %q, of which no pair came (half %s)", iv.Stat, iv.Judge, iv.System, p.Half)
	}
	value, known := p.again(iv, pairs)
	if iv.Value == nil || !known || math.Abs(value-*iv.Value) <= rounding {
		return nil
	}
	return fmt.Errorf("%s in %s of %s, system %q, is %v, and %v by the %d pairs that came: the interval was changed, or is of other pairs", iv.Stat, iv.Metric, iv.Judge, iv.System, *iv.Value, value, len(pairs))
}

// pairsOf are the pairs behind an interval; where its system has none of its
// own, those of all systems, which a correction then stands on.
func (p *Part) pairsOf(iv *record.Interval) []*record.Pair {
	var own, all []*record.Pair
	for _, rec := range p.Pairs {
		if rec.Metric != iv.Metric || boot.Raters(rec.RaterA, rec.RaterB) != iv.Judge {
			continue
		}
		if all = append(all, rec); rec.System == iv.System {
			own = append(own, rec)
		}
	}
	if own != nil {
		return own
	}
	return all
}

// again is the value of an interval by the pairs, as mr-boot has it; known is
// false where the scores that it needs did not come.
func (p *Part) again(iv *record.Interval, pairs []*record.Pair) (value float64, known bool) {
	corrects := iv.Stat == boot.StatCorrected || iv.Stat == boot.StatPPI
	var t boot.Table
	for _, rec := range pairs {
		if rec.Independent || !corrects {
			t.Add(rec.MarkA, rec.MarkB, cmp.Or(rec.Weight, 1))
		}
	}
	if corrects {
		n, mean := p.mean(&record.Interval{Metric: iv.Metric, System: iv.System, Judge: pairs[0].RaterA})
		statistic := boot.Corrected
		if iv.Stat == boot.StatPPI {
			statistic = boot.Powered
		}
		value, _ = statistic([]float64{t.YesYes, t.YesNo, t.NoYes, t.NoNo, mean, 1}, 1)
		return min(1, max(0, value)), n > 0
	}
	switch iv.Stat {
	case boot.StatKappa:
		value, _ = t.Kappa()
	case boot.StatBaseRate:
		value, _ = t.BaseRate()
	case boot.StatTPR:
		value, _ = t.TPR()
	case boot.StatTNR:
		value, _ = t.TNR()
	case boot.StatFlips:
		value = (t.YesNo + t.NoYes) / t.N()
	}
	return value, true
}
