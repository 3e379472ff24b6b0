package report

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// claims is nil unless an interval is not of the scores that came with it: its
// system has none of the metric, or their number or mean is another than it
// says. Nothing is checked where no score came, and nothing of statistics of
// pairs, which are of marks and not of scores.
func (c *collector) claims() error {
	scored := false
	for _, p := range c.out.Parts {
		scored = scored || len(p.Scores) > 0
	}
	if !scored {
		return nil
	}
	var bad []error
	for _, p := range c.out.Parts {
		for _, iv := range p.Intervals {
			if err := p.claim(iv); err != nil {
				bad = append(bad, hint.Wrap(fmt.Errorf("%v: %w", c.at[iv], err),
					"run mr-boot again on the scores that you give to mr-report"))
			}
		}
	}
	return errors.Join(bad...)
}

func (p *Part) claim(iv *record.Interval) error {
	if ofPairs(iv) {
		return nil
	}
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
