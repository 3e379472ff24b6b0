package boot

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/score"
)

// The rule for a control of a judge: the upper bound of the Wilson 95 % interval
// of its miss rate is at most MostMissed, over at least FewestItems.
const (
	FewestItems = 15
	MostMissed  = 0.25
)

// trust is what the controls of a metric say.
type trust struct {
	// reasons are why it is not trusted, by the system that a control was of; "" is all.
	reasons map[record.SystemName][]string
	// differences is why no difference of it is.
	differences []string
	warnings    []string
}

// trust judges a metric: a control that does not pass speaks against all its
// scores, those that pass speak for the scores of their own stream.
func (a *analysis) trust(m measure) trust {
	t := trust{reasons: map[record.SystemName][]string{}}
	t.heed(a.in.controls(m, nil))
	a.behind(m, &t)
	return t
}

// heed takes what controls say.
func (t *trust) heed(controls []*record.Control) {
	for _, c := range controls {
		if why := verdict(c); why != "" {
			t.add(c.System, why)
		} else if w := c.Control + ": " + c.Reason; c.Reason != "" && !slices.Contains(t.warnings, w) {
			t.warnings = append(t.warnings, w)
		}
	}
}

// add notes reasons, each once.
func (t *trust) add(system record.SystemName, reasons ...string) {
	for _, why := range reasons {
		if !slices.Contains(t.reasons[system], why) {
			t.reasons[system] = append(t.reasons[system], why)
		}
	}
}

// verdict is why a control does not pass, "" if it does.
func verdict(c *record.Control) string {
	var word string
	reason := c.Reason
	switch c.OK {
	case record.ControlOK:
		if reason = Contradiction(c); reason == "" {
			return ""
		}
		word, reason = "failed", "it says yes, but "+reason
	case record.ControlFailed:
		word = "failed"
	default:
		word = "is not established"
	}
	why := fmt.Sprintf("control %s %s: expected %s, got %s", c.Control, word, c.Expect, c.Got)
	if reason != "" {
		why += " (" + reason + ")"
	}
	return why
}

// why lists the reasons not to trust the metric of these systems.
func (t trust) why(systems ...record.SystemName) []string {
	all := slices.Clone(t.reasons[""])
	for _, s := range systems {
		for _, why := range t.reasons[s] {
			if !slices.Contains(all, why) {
				all = append(all, why)
			}
		}
	}
	return all
}

// apply takes the numbers out of an interval that is not trusted.
func (t trust) apply(iv *record.Interval) {
	why := t.why(iv.System)
	if iv.Baseline != "" {
		why = append(t.why(iv.System, iv.Baseline), t.differences...)
	}
	if len(why) == 0 {
		return
	}
	iv.Trusted, iv.Reason = false, strings.Join(why, "; ")
	iv.Value, iv.Lo, iv.Hi, iv.P, iv.PHolm = nil, nil, nil, nil, nil
}

// Excused says that a figure is not shown for a reason that breaks nothing: it
// has no value, or too few labels stand behind it.
func Excused(iv *record.Interval) bool {
	return strings.HasPrefix(iv.Reason, "undefined (") || strings.HasPrefix(iv.Reason, withheld)
}

// withheld is how the reason begins for which a correction is not made.
const withheld = "withheld: "

// gate collects the reasons not to pass.
func (a *analysis) gate() {
	refuse := func(format string, args ...any) {
		a.out.Refusals = append(a.out.Refusals, fmt.Errorf(format, args...))
	}
	said := map[string]bool{}
	for _, iv := range a.out.Intervals {
		if iv.Trusted || iv.AskedFor != "" || Excused(iv) || a.inherited[iv] {
			continue
		}
		if key := fmt.Sprintf("%q %q %s", iv.Metric, iv.Judge, iv.Reason); !said[key] {
			said[key] = true
			refuse("%v is not trusted: %s", measure{iv.Metric, iv.Judge}, iv.Reason)
		}
	}
	a.gateFallback(refuse)
	a.gateUnscored(refuse)
	for _, f := range a.Floors {
		if err := a.hold(f); err != nil { // of one judge or more
			a.out.Refusals = append(a.out.Refusals, err)
		}
	}
}

// gateFallback refuses what fell back, by its scores or, where those were
// filtered away, by the questions that the system itself lacks for it.
func (a *analysis) gateFallback(refuse func(string, ...any)) {
	for _, s := range a.series {
		if s.system == record.FallbackSystem {
			refuse("%d questions fell back to BM25 (system %s), the first is %q", len(s.units), s.system, s.units[0].id)
			return
		}
	}
	fell := map[record.QuestionID]bool{}
	for _, s := range a.in.Scores {
		if s.Status == record.Unscored && strings.HasPrefix(s.Reason, score.FellBack) {
			fell[s.Question.ID] = true
		}
	}
	if ids := slices.Sorted(maps.Keys(fell)); len(ids) > 0 {
		refuse("%d questions fell back to BM25, and their scores were left out; the first is %q", len(ids), ids[0])
	}
}

// gateUnscored names each system, and each judge of it, once, for the first of its metrics with too much unscored.
func (a *analysis) gateUnscored(refuse func(string, ...any)) {
	type judged struct {
		system record.SystemName
		judge  string
	}
	said := map[judged]bool{}
	for _, s := range a.series {
		unscored, failed := s.counts()
		unscored -= s.refusals() // which is no fault of a judge
		all := unscored + failed
		for _, u := range s.units {
			all += len(u.values)
		}
		if share := float64(unscored+failed) / float64(all); share > a.MaxUnscored && !said[judged{s.system, s.judge}] {
			said[judged{s.system, s.judge}] = true
			by := ""
			if s.judge != "" {
				by = " by " + s.judge
			}
			refuse("%s of %s%s: %d unscored and %d errors of %d are %.1f %%, and more than %.1f %% is too many",
				s.metric, s.system, by, unscored, failed, all, 100*share, 100*a.MaxUnscored)
		}
	}
}

// hold is nil if a floor is held, by the marks of every judge where it is of such.
func (a *analysis) hold(f Floor) error {
	var errs []error
	seen := false
	for _, iv := range a.out.Intervals {
		if iv.Metric != f.Metric || iv.System != f.System || iv.Baseline != "" || iv.AskedFor != "" || iv.Stat != StatMean {
			continue
		}
		seen = true
		value := f.Value
		iv.Floor = &value
		switch {
		case !iv.Trusted:
			errs = append(errs, fmt.Errorf("floor %v is not shown to hold: %s", f, iv.Reason))
		case *iv.Value < f.Value-rounding:
			errs = append(errs, fmt.Errorf("floor %v is not reached: the mean is %.4f over %d questions", f, *iv.Value, iv.N))
		}
	}
	if !seen {
		return errors.New("floor " + f.String() + " is not shown to hold: no such score came")
	}
	return errors.Join(errs...)
}
