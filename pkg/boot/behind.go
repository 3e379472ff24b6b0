package boot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// behind says for each system whether the controls of its own stream stand
// behind its scores.
func (a *analysis) behind(metric record.MetricName, t *trust) {
	type part struct {
		stream
		system record.SystemName
	}
	var parts []part
	questions := map[part]map[record.QuestionID]bool{}
	for _, s := range a.in.Scores {
		if s.Metric != metric {
			continue
		}
		p := part{a.in.origins[s].stream, s.System}
		if questions[p] == nil {
			questions[p] = map[record.QuestionID]bool{}
			parts = append(parts, p)
		}
		questions[p][s.Question.ID] = true
	}
	if len(parts) == 0 { // pairs are of raters, whose controls come with the scores
		t.add("", lacking(metric, a.in.controls(metric, nil))...)
	}
	for _, p := range parts {
		controls := a.in.controls(metric, &p.stream)
		t.add(p.system, lacking(metric, controls)...)
		if retrieval(metric) && p.system != record.FallbackSystem { // which has what fell back alone
			t.add(p.system, counted(controls, len(questions[p]))...)
		}
	}
}

// controls are those of a metric in one stream; nil is all streams.
func (in *Input) controls(metric record.MetricName, s *stream) []*record.Control {
	var all []*record.Control
	for _, c := range in.Controls {
		if c.Metric == metric && (s == nil || in.origins[c].stream == *s) {
			all = append(all, c)
		}
	}
	return all
}

// lacking is what the controls of one stream do not show.
func lacking(metric record.MetricName, controls []*record.Control) []string {
	if len(controls) == 0 {
		return []string{"no controls seen"}
	}
	var oracle, random *record.Control
	for _, c := range controls {
		switch c.Control {
		case control.Oracle:
			oracle = c
		case control.Random:
			random = c
		}
	}
	switch {
	case oracle == nil && random == nil && retrieval(metric):
		return []string{"of the controls oracle and random neither was seen"}
	case oracle != nil && random == nil:
		return []string{"control oracle was seen without random"}
	case random != nil && oracle == nil:
		return []string{"control random was seen without oracle"}
	case oracle == nil || !retrieval(metric):
		return nil
	case oracle.Value != nil && random.Value != nil && *oracle.Value <= *random.Value+rounding:
		return []string{fmt.Sprintf("not established: oracle gives %.4f and random %.4f, so the metric cannot tell good lists from chance here", *oracle.Value, *random.Value)}
	}
	return nil
}

// counted is why the controls are not of the n questions that have scores.
func counted(controls []*record.Control, n int) []string {
	var all []string
	for _, c := range controls {
		if c.Control == control.Oracle && c.N > 0 && c.N != n {
			all = append(all, fmt.Sprintf("%d questions stood behind the controls, %d have scores", c.N, n))
		}
	}
	return all
}

// printed is what rounding a number for a reader may do to it.
const printed = 1e-4

// contradiction is how a control that says yes is belied by its own numbers, "" if it is not.
func contradiction(c *record.Control) string {
	if c.Value != nil && (c.Lo != nil && *c.Value < *c.Lo-rounding || c.Hi != nil && *c.Value > *c.Hi+rounding) {
		return "its value is outside of its interval"
	}
	if !retrieval(c.Metric) || c.Control != control.Oracle && c.Control != control.Random {
		return ""
	}
	expect, expects := leading(c.Expect)
	got, gets := leading(c.Got)
	value := c.Value
	if value == nil && gets {
		value = &got
	}
	switch {
	case c.N <= 0:
		return "n is 0, so nothing was tried"
	case c.Misses > 0:
		return fmt.Sprintf("%d of %d questions are off", c.Misses, c.N)
	case gets && c.Value != nil && math.Abs(got-*c.Value) > printed:
		return fmt.Sprintf("its value is %v", *c.Value)
	case c.Control == control.Oracle && expects && value != nil && math.Abs(expect-*value) > printed:
		return "the two differ"
	case c.Control == control.Random && expects && c.Lo != nil && c.Hi != nil && (expect < *c.Lo-printed || expect > *c.Hi+printed):
		return fmt.Sprintf("what is expected is outside of [%.5f, %.5f]", *c.Lo, *c.Hi)
	}
	return ""
}

// leading is the number that a text begins with.
func leading(text string) (float64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	v, err := strconv.ParseFloat(strings.TrimRight(word, ","), 64)
	return v, err == nil
}
