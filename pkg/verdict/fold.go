package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Fold makes the control records of verdicts: for each judge, in the order of
// appearance, each metric it was asked for and each of record.JudgeControls, but
// for the count of leaks, which only the drawing knows. A control without a
// verdict is there too, as not established. Each says of which verdicts it is.
func Fold(verdicts []*record.Verdict) []*record.Control {
	var all []*record.Control
	for _, who := range asked(verdicts) {
		seal := seal(who, verdicts)
		for _, name := range record.JudgeControls(who.metric) {
			if name != record.Leaks {
				c := fold(who, name, verdicts)
				if err := boot.SetSeal(c, seal); err != nil {
					panic(err) // of a text that holds nothing but hex digits
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// seal tells the verdicts of a judge and metric, on answers and on controls, from others.
func seal(who rated, verdicts []*record.Verdict) string {
	lines := []string{}
	for _, v := range verdicts {
		if v.Judge != who.judge || v.Metric != verdictsOf(who.metric) {
			continue
		}
		line := fmt.Sprintf("%q %q %q %q %q %d %s %s %s %q", v.Question.ID, v.AskedFor, SystemOf(v), v.Judge, v.Control, v.Repeat, v.Answer, v.Expect, v.Mark, v.Status)
		for _, c := range v.Claims {
			line += " " + string(c.Supported)
		}
		lines = append(lines, line)
	}
	return boot.Seal("verdicts", lines)
}

// asked is a judge with a metric.
type rated struct {
	judge  string
	metric record.MetricName
}

// asked lists the judges with the metrics they were asked for; with
// faithfulness comes supported-claims.
func asked(verdicts []*record.Verdict) []rated {
	var judges []string
	seen := map[rated]bool{}
	for _, v := range verdicts {
		if !slices.Contains(judges, v.Judge) {
			judges = append(judges, v.Judge)
		}
		seen[rated{v.Judge, v.Metric}] = true
	}
	var all []rated
	for _, j := range judges {
		for _, m := range []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance} {
			if seen[rated{j, verdictsOf(m)}] {
				all = append(all, rated{j, m})
			}
		}
	}
	return all
}

// verdictsOf is the metric whose verdicts a metric is read off.
func verdictsOf(m record.MetricName) record.MetricName {
	if m == record.SupportedClaims {
		return record.Faithfulness
	}
	return m
}

// level is the nominal coverage of a control's interval.
const level = 0.95

// fold makes one control record. Repeats of a control item do not add to n: the first counts.
func fold(who rated, name string, verdicts []*record.Verdict) *record.Control {
	c := &record.Control{Metric: who.metric, Judge: who.judge, Control: name}
	var came, missed counts
	var without counts
	for _, v := range verdicts {
		if v.Judge != who.judge || v.Metric != verdictsOf(who.metric) || v.Control != name || v.Repeat != 0 {
			continue
		}
		if v.Status != record.Scored {
			without.add(v.Reason)
			continue
		}
		c.N++
		came.add(cameOut(v))
		if why := miss(who.metric, v); why != "" {
			c.Misses++
			missed.add(why)
		}
	}
	c.Expect = expected(who.metric, name)
	c.Got = came.String()
	c.OK, c.Reason = outcome(c)
	if !missed.empty() && !(len(missed.names) == 1 && missed.names[0] == wrongMark) {
		c.Reason = also(c.Reason, missed.String())
	}
	if n := without.total(); n > 0 {
		c.Reason = also(c.Reason, fmt.Sprintf("%d of %d unscored: %s", n, n+c.N, without.String()))
	}
	return c
}

// cameOut is how a control verdict came out: its mark, or whether it moved.
func cameOut(v *record.Verdict) string {
	switch {
	case v.Control != record.Padding && v.Control != record.Injection:
		return string(v.Mark)
	case v.Mark == v.Expect:
		return "the same"
	}
	return fmt.Sprintf("from %s to %s", v.Expect, v.Mark)
}

// outcome decides by the rule of the package doc, and fills in the interval.
func outcome(c *record.Control) (record.Outcome, string) {
	if c.N == 0 {
		c.Got = "nothing"
		return record.ControlNotEstablished, fmt.Sprintf("no scored item, %d are needed", boot.FewestItems)
	}
	rate := float64(c.Misses) / float64(c.N)
	lo, hi := boot.Wilson(c.Misses, c.N, level)
	c.Value, c.Lo, c.Hi = &rate, &lo, &hi
	switch {
	case c.N < boot.FewestItems:
		return record.ControlNotEstablished, fmt.Sprintf("%d scored items, %d are needed; %d missed", c.N, boot.FewestItems, c.Misses)
	case hi > boot.MostMissed:
		return record.ControlFailed, fmt.Sprintf("%d of %d missed, up to %.3f of all, and more than %.2f is too many", c.Misses, c.N, hi, boot.MostMissed)
	}
	return record.ControlOK, ""
}

// The ways to miss.
const (
	wrongMark  = "another mark"
	notPlanted = "rejected, but not for the altered claim"
	mostly     = "more than half of the claims called supported"
)

// miss says how a control verdict is wrong, "" where it is right.
func miss(metric record.MetricName, v *record.Verdict) string {
	switch {
	case v.Mark != v.Expect:
		return wrongMark
	case v.Control == record.Altered && !rejects(v.Claims, v.Planted):
		return notPlanted
	case metric == record.SupportedClaims && (v.Control == record.MadeUp || v.Control == record.RandomPassages):
		if yes := supported(v.Claims); 2*yes > len(v.Claims) {
			return mostly
		}
	}
	return ""
}

// expected is what a control must give, for a reader.
func expected(metric record.MetricName, name string) string {
	s := "no"
	switch name {
	case record.Verbatim, record.KeyFactsAnswer:
		s = "yes"
	case record.Padding, record.Injection:
		return "the mark without it"
	case record.Altered:
		return "no, and the altered claim rejected"
	}
	if metric == record.SupportedClaims && (name == record.MadeUp || name == record.RandomPassages) {
		s += ", and at most half of the claims supported"
	}
	return s
}

// supported counts the claims called supported.
func supported(claims []record.Claim) int {
	n := 0
	for _, c := range claims {
		if c.Supported == record.Yes {
			n++
		}
	}
	return n
}

// counts are numbers by name, in the order in which the names came.
type counts struct {
	names []string
	n     map[string]int
}

func (c *counts) add(name string) {
	if c.n == nil {
		c.n = map[string]int{}
	}
	if c.n[name] == 0 {
		c.names = append(c.names, name)
	}
	c.n[name]++
}

func (c *counts) empty() bool { return len(c.names) == 0 }

func (c *counts) total() int {
	n := 0
	for _, k := range c.n {
		n += k
	}
	return n
}

// String is "no 19, yes 1": sorted by name, so that the order of verdicts does not matter.
func (c *counts) String() string {
	var all []string
	for _, name := range slices.Sorted(slices.Values(c.names)) {
		all = append(all, fmt.Sprintf("%s %d", name, c.n[name]))
	}
	return strings.Join(all, ", ")
}

// also joins what is to be said.
func also(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
