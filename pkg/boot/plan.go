package boot

import (
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The statistics that Plan.Stat names.
const (
	StatMean      = "mean"
	StatRatio     = "ratio"
	StatKappa     = "kappa"
	StatCorrected = "corrected"
)

// The methods that Plan.Method names.
const (
	MethodBCa        = "BCa"
	MethodPercentile = "percentile"
	MethodWilson     = "Wilson"
)

// Plan says what to compute.
type Plan struct {
	Stat   string
	Method string // BCa or percentile
	// Level is the nominal coverage, 0.95.
	Level     float64
	Resamples int
	Seed      uint64
	// Baseline is the system that every other is compared with; "" compares none.
	Baseline record.SystemName
	Floors   Floors
	// MaxUnscored is the share of scores without a value that is let pass.
	MaxUnscored float64

	join func(a, b *series) ([]pairing, error) // what the tests break
}

// Default is the plan of mr-boot without flags.
func Default() Plan {
	return Plan{Stat: StatMean, Method: MethodBCa, Level: 0.95, Resamples: 10000, Seed: 1, MaxUnscored: 0.1}
}

// Validate says what of the plan makes no sense.
func (p *Plan) Validate() error {
	switch {
	case !slices.Contains([]string{StatMean, StatRatio, StatKappa, StatCorrected}, p.Stat):
		return fmt.Errorf("expected stat mean, ratio, kappa or corrected, got %q", p.Stat)
	case p.Method != MethodBCa && p.Method != MethodPercentile:
		return fmt.Errorf("expected method BCa or percentile, got %q", p.Method)
	case !(p.Level > 0 && p.Level < 1):
		return fmt.Errorf("expected a level between 0 and 1, got %v", p.Level)
	case p.Resamples < 100 || p.Resamples > 10_000_000:
		return fmt.Errorf("expected 100 to 10,000,000 resamples, got %d", p.Resamples)
	case !(p.MaxUnscored >= 0 && p.MaxUnscored <= 1):
		return fmt.Errorf("expected a share of unscored between 0 and 1, got %v", p.MaxUnscored)
	case p.Stat != StatMean && p.Baseline != "":
		return fmt.Errorf("differences are of means, not of %s", p.Stat)
	case p.Stat != StatMean && len(p.Floors) > 0:
		return fmt.Errorf("floors hold means, not %s", p.Stat)
	}
	return unique(p.Floors)
}

// Result is what an analysis found.
type Result struct {
	// Controls are those of the differences.
	Controls  []*record.Control
	Intervals []*record.Interval
	// Refusals are the reasons for which the gate does not pass: broken and
	// uncontrolled metrics, floors that are not held, hits that fell back, too
	// much that is unscored.
	Refusals []error
}

// Analyse computes the intervals that the plan asks for.
func (p *Plan) Analyse(in *Input) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	a := &analysis{Plan: *p, in: in, out: &Result{}}
	if a.join == nil {
		a.join = pair
	}
	var err error
	switch p.Stat {
	case StatKappa, StatCorrected:
		err = a.agreements()
	default:
		err = a.scores()
	}
	if err != nil {
		return nil, err
	}
	a.gate()
	return a.out, nil
}

type analysis struct {
	Plan
	in     *Input
	series []*series
	out    *Result
}

// scores analyses score records: by metric, then kind of question (all first), then system.
func (a *analysis) scores() (err error) {
	if len(a.in.Scores) == 0 {
		return fmt.Errorf("stat %s is of score records, and none came", a.Stat)
	}
	if a.series, err = collect(a.in.Scores); err != nil {
		return err
	}
	if err := a.knowBaseline(); err != nil {
		return err
	}
	for _, metric := range a.metrics() {
		trust := a.trust(metric)
		if a.Baseline != "" {
			if err := a.controlDifferences(metric, &trust); err != nil {
				return err
			}
		}
		for _, kind := range a.kinds(metric) {
			for _, s := range a.of(metric) {
				if part := s.of(kind); len(part.units) > 0 {
					a.out.Intervals = append(a.out.Intervals, a.estimate(part, kind, trust))
				}
			}
			if a.Baseline != "" {
				if err := a.differences(metric, kind, trust); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (a *analysis) metrics() []record.MetricName {
	var all []record.MetricName
	for _, s := range a.series {
		if !slices.Contains(all, s.metric) {
			all = append(all, s.metric)
		}
	}
	return all
}

// of are the series of one metric.
func (a *analysis) of(metric record.MetricName) []*series {
	var all []*series
	for _, s := range a.series {
		if s.metric == metric {
			all = append(all, s)
		}
	}
	return all
}

// kinds are "" for all, then the kinds of question that a metric has, sorted by
// name but for unanswerable, which goes last.
func (a *analysis) kinds(metric record.MetricName) []record.QuestionKind {
	var all []record.QuestionKind
	for _, s := range a.of(metric) {
		for _, u := range s.units {
			if u.kind != "" && !slices.Contains(all, u.kind) {
				all = append(all, u.kind)
			}
		}
	}
	slices.Sort(all) // fact, multi, unanswerable
	return append([]record.QuestionKind{""}, all...)
}

// estimate is the interval of one series.
func (a *analysis) estimate(s *series, kind record.QuestionKind, t trust) *record.Interval {
	iv := &record.Interval{Metric: s.metric, System: s.system, AskedFor: kind, Stat: a.Stat, Level: a.Level}
	iv.NUnscored, iv.NError = s.counts()
	iv.Warnings = append(s.warnings(), t.warnings...)
	values := s.means()
	iv.N = len(values)
	sample := Means(values)
	if a.Stat == StatRatio {
		sample = s.ratio()
	}
	a.fill(iv, sample, "the denominators sum to 0")
	t.apply(iv)
	return iv
}

// ratio is the sample of a ratio: a question's numerators and denominators.
func (s *series) ratio() Sample {
	sample := Sample{Dim: 2, Stat: Ratio}
	for _, u := range s.units {
		if len(u.values) == 0 {
			continue
		}
		var num, den float64
		for i, v := range u.values {
			num += v * u.of[i]
			den += u.of[i]
		}
		sample.Rows = append(sample.Rows, num, den)
	}
	return sample
}
