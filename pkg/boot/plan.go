package boot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The statistics that Plan.Stat names.
const (
	// StatAll is all that the input allows: means of scores, and of pairs kappa,
	// the rates of two raters, and a judge's rate corrected by a person's labels.
	StatAll       = "all"
	StatMean      = "mean"
	StatRatio     = "ratio"
	StatKappa     = "kappa"
	StatTPR       = "TPR"
	StatTNR       = "TNR"
	StatBaseRate  = "base-rate"
	StatFlips     = "flips"
	StatCorrected = "corrected"
	StatPPI       = "PPI"
)

var stats = []string{StatAll, StatMean, StatRatio, StatKappa, StatTPR, StatTNR, StatBaseRate, StatFlips, StatCorrected, StatPPI}

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
	return Plan{Stat: StatAll, Method: MethodBCa, Level: 0.95, Resamples: 10000, Seed: 1, MaxUnscored: 0.1}
}

// Validate says what of the plan makes no sense.
func (p *Plan) Validate() error {
	switch {
	case !slices.Contains(stats, p.Stat):
		return fmt.Errorf("expected stat %s, got %q", strings.Join(stats, ", "), p.Stat)
	case p.Method != MethodBCa && p.Method != MethodPercentile:
		return fmt.Errorf("expected method BCa or percentile, got %q", p.Method)
	case !(p.Level > 0 && p.Level < 1):
		return fmt.Errorf("expected a level between 0 and 1, got %v", p.Level)
	case p.Resamples < 100 || p.Resamples > 10_000_000:
		return fmt.Errorf("expected 100 to 10,000,000 resamples, got %d", p.Resamples)
	case !(p.MaxUnscored >= 0 && p.MaxUnscored <= 1):
		return fmt.Errorf("expected a share of unscored between 0 and 1, got %v", p.MaxUnscored)
	case p.Stat != StatMean && p.Stat != StatAll && p.Baseline != "":
		return fmt.Errorf("differences are of means, not of %s", p.Stat)
	case p.Stat != StatMean && p.Stat != StatAll && len(p.Floors) > 0:
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
	a := &analysis{Plan: *p, in: in, out: &Result{}, inherited: map[*record.Interval]bool{}}
	if a.join == nil {
		a.join = pair
	}
	var err error
	switch p.Stat {
	case StatMean, StatRatio:
		err = a.scores(p.Stat)
	case StatAll:
		if len(in.Scores) > 0 {
			err = a.scores(StatMean)
		}
		if err == nil && len(in.Pairs) > 0 {
			err = a.agreements(stats...)
		}
	default:
		err = a.agreements(p.Stat)
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
	// inherited are intervals that are not trusted for what is said of another.
	inherited map[*record.Interval]bool
}

// scores analyses score records: by measure, then kind of question (all first), then system.
func (a *analysis) scores(stat string) (err error) {
	if len(a.in.Scores) == 0 {
		return fmt.Errorf("stat %s is of score records, and none came", stat)
	}
	if a.series, err = collect(a.in.Scores); err != nil {
		return err
	}
	if err := a.knowBaseline(); err != nil {
		return err
	}
	for _, m := range a.measures() {
		trust := a.trust(m)
		if a.Baseline != "" {
			if err := a.controlDifferences(m, &trust); err != nil {
				return err
			}
		}
		for _, kind := range a.kinds(m) {
			for _, s := range a.of(m) {
				if part := s.of(kind); len(part.units) > 0 {
					a.out.Intervals = append(a.out.Intervals, a.estimate(part, stat, kind, trust))
				}
			}
			if a.Baseline != "" {
				if err := a.differences(m, kind, trust); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measures are those of the series, the judges of a metric together.
func (a *analysis) measures() []measure {
	var all []measure
	for _, first := range a.series {
		for _, s := range a.series {
			if s.metric == first.metric && !slices.Contains(all, s.measure) {
				all = append(all, s.measure)
			}
		}
	}
	return all
}

// of are the series of one measure.
func (a *analysis) of(m measure) []*series {
	var all []*series
	for _, s := range a.series {
		if s.measure == m {
			all = append(all, s)
		}
	}
	return all
}

// kinds are "" for all, then the kinds of question that a measure has, sorted by
// name but for unanswerable, which goes last.
func (a *analysis) kinds(m measure) []record.QuestionKind {
	var all []record.QuestionKind
	for _, s := range a.of(m) {
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
func (a *analysis) estimate(s *series, stat string, kind record.QuestionKind, t trust) *record.Interval {
	iv := &record.Interval{Metric: s.metric, System: s.system, Judge: s.judge, AskedFor: kind, Stat: stat, Level: a.Level}
	iv.NUnscored, iv.NError = s.counts()
	iv.Warnings = append(s.warnings(), t.warnings...)
	if n := s.refusals(); n > 0 {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("%d of the unscored are refusals, which are not judged", n))
	}
	values := s.means()
	iv.N = len(values)
	sample := Means(values)
	if stat == StatRatio {
		sample = s.ratio()
	}
	resamples := a.fill(iv, sample, "the denominators sum to 0")
	if s.metric == area {
		keepWithin(iv, resamples)
	}
	t.apply(iv)
	return iv
}

// area is the metric of mr-score answers whose values, one a question, are
// influences: their mean is an area, and a resample of a few may be beyond 0 or 1.
const area record.MetricName = "refusal-auc"

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
