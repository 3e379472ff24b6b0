package boot

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// trust is what the controls of a metric say.
type trust struct {
	// reasons are why it is not trusted, by the system that a control was of; "" is all.
	reasons map[record.SystemName][]string
	// differences is why no difference of it is.
	differences []string
	warnings    []string
}

// trust judges a metric by its controls in the stream.
func (a *analysis) trust(metric record.MetricName) trust {
	t := trust{reasons: map[record.SystemName][]string{}}
	seen := map[string]bool{}
	for _, c := range a.in.Controls {
		if c.Metric != metric {
			continue
		}
		seen[c.Control] = true
		if why := verdict(c); why != "" {
			t.reasons[c.System] = append(t.reasons[c.System], why)
		} else if c.Reason != "" {
			t.warnings = append(t.warnings, c.Control+": "+c.Reason)
		}
	}
	switch {
	case len(seen) == 0:
		t.reasons[""] = []string{"no controls seen"}
	case seen[control.Oracle] && !seen[control.Random]:
		t.reasons[""] = append(t.reasons[""], "control oracle was seen without random")
	case seen[control.Random] && !seen[control.Oracle]:
		t.reasons[""] = append(t.reasons[""], "control random was seen without oracle")
	}
	return t
}

// verdict is why a control does not pass, "" if it does.
func verdict(c *record.Control) string {
	var word string
	switch c.OK {
	case record.ControlOK:
		return ""
	case record.ControlFailed:
		word = "failed"
	default:
		word = "is not established"
	}
	why := fmt.Sprintf("control %s %s: expected %s, got %s", c.Control, word, c.Expect, c.Got)
	if c.Reason != "" {
		why += " (" + c.Reason + ")"
	}
	return why
}

// why lists the reasons not to trust the metric of these systems.
func (t trust) why(systems ...record.SystemName) []string {
	all := slices.Clone(t.reasons[""])
	for _, s := range systems {
		all = append(all, t.reasons[s]...)
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

// gate collects the reasons not to pass.
func (a *analysis) gate() {
	refuse := func(format string, args ...any) {
		a.out.Refusals = append(a.out.Refusals, fmt.Errorf(format, args...))
	}
	said := map[string]bool{}
	for _, iv := range a.out.Intervals {
		if !iv.Trusted && iv.AskedFor == "" && !strings.HasPrefix(iv.Reason, "undefined (") {
			if key := string(iv.Metric) + iv.Reason; !said[key] {
				said[key] = true
				refuse("%s is not trusted: %s", iv.Metric, iv.Reason)
			}
		}
	}
	a.gateFallback(refuse)
	a.gateUnscored(refuse)
	for _, f := range a.Floors {
		if err := a.hold(f); err != nil {
			a.out.Refusals = append(a.out.Refusals, err)
		}
	}
}

func (a *analysis) gateFallback(refuse func(string, ...any)) {
	for _, s := range a.series {
		if s.system == record.FallbackSystem {
			refuse("%d questions fell back to BM25 (system %s), the first is %q", len(s.units), s.system, s.units[0].id)
			return
		}
	}
}

// gateUnscored names each system once, for the first of its metrics with too much unscored.
func (a *analysis) gateUnscored(refuse func(string, ...any)) {
	said := map[record.SystemName]bool{}
	for _, s := range a.series {
		unscored, failed := s.counts()
		all := unscored + failed
		for _, u := range s.units {
			all += len(u.values)
		}
		if share := float64(unscored+failed) / float64(all); share > a.MaxUnscored && !said[s.system] {
			said[s.system] = true
			refuse("%s of %s: %d unscored and %d errors of %d are %.1f %%, and more than %.1f %% is too many",
				s.metric, s.system, unscored, failed, all, 100*share, 100*a.MaxUnscored)
		}
	}
}

// hold is nil if a floor is held.
func (a *analysis) hold(f Floor) error {
	for _, iv := range a.out.Intervals {
		if iv.Metric != f.Metric || iv.System != f.System || iv.Baseline != "" || iv.AskedFor != "" {
			continue
		}
		value := f.Value
		iv.Floor = &value
		switch {
		case !iv.Trusted:
			return fmt.Errorf("floor %v is not shown to hold: %s", f, iv.Reason)
		case *iv.Value < f.Value-rounding:
			return fmt.Errorf("floor %v is not reached: the mean is %.4f over %d questions", f, *iv.Value, iv.N)
		}
		return nil
	}
	return errors.New("floor " + f.String() + " is not shown to hold: no such score came")
}
