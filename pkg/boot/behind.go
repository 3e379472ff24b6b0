package boot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// behind says for each system whether the controls of its own stream stand
// behind its scores.
func (a *analysis) behind(m measure, t *trust) {
	type part struct {
		stream
		system record.SystemName
	}
	var parts []part
	questions := map[part]map[record.QuestionID]bool{}
	for _, s := range a.in.Scores {
		if s.Metric != m.metric || s.Judge != m.judge {
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
		t.add("", lacking(m, a.in.controls(m, nil))...)
	}
	for _, p := range parts {
		controls := a.in.controls(m, &p.stream)
		t.add(p.system, a.stand(m, p.stream)...)
		if retrieval(m.metric) && p.system != record.FallbackSystem { // which has what fell back alone
			t.add(p.system, counted(controls, len(questions[p]))...)
		}
	}
}

// stand is why the controls of a stream do not stand behind a measure's marks in it.
func (a *analysis) stand(m measure, s stream) []string {
	controls := a.in.controls(m, &s)
	if why := lacking(m, controls); why != nil {
		return why
	}
	needed := record.JudgeControls(m.metric)
	if needed == nil {
		return nil
	}
	var scores []*record.Score
	for _, rec := range scoresOf(a.in.Scores, m) {
		if a.in.origins[rec].stream == s {
			scores = append(scores, rec)
		}
	}
	controls = slices.DeleteFunc(controls, func(c *record.Control) bool { return !slices.Contains(needed, c.Control) })
	return behindOthers(controls, sealScores(scores))
}

// controls are those of a measure in one stream; nil is all streams. One that
// names no judge is of all of them.
func (in *Input) controls(m measure, s *stream) []*record.Control {
	var all []*record.Control
	for _, c := range in.Controls {
		if c.Metric == m.metric && (c.Judge == "" || c.Judge == m.judge) && (s == nil || in.origins[c].stream == *s) {
			all = append(all, c)
		}
	}
	return all
}

// lacking is what the controls of one stream do not show.
func lacking(m measure, controls []*record.Control) []string {
	if len(controls) == 0 {
		return []string{"no controls seen"}
	}
	if needed := record.JudgeControls(m.metric); needed != nil {
		return unseen(m, needed, controls)
	}
	metric := m.metric
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

// unseen names the controls that a judge needs and does not have.
func unseen(m measure, needed []string, controls []*record.Control) []string {
	var names []string
	for _, name := range needed {
		if !slices.ContainsFunc(controls, func(c *record.Control) bool { return c.Control == name && c.Judge == m.judge }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"controls that a judge must have were not seen: " + strings.Join(names, ", ")}
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

// Contradiction is how a control that says yes is belied by its own numbers, "" if it is not.
func Contradiction(c *record.Control) string {
	if c.Value != nil && (c.Lo != nil && *c.Value < *c.Lo-rounding || c.Hi != nil && *c.Value > *c.Hi+rounding) {
		return "its value is outside of its interval"
	}
	if why := contradicted(c); why != "" {
		return why
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

// contradicted is the same for the controls of judges and of agreement.
func contradicted(c *record.Control) string {
	switch {
	case c.Control == Itself && c.Value != nil && math.Abs(*c.Value-1) > printed:
		return "kappa is not 1"
	case c.Control == Permuted && c.Lo != nil && c.Hi != nil && (*c.Lo > printed || *c.Hi < -printed):
		return "0 is outside of its interval"
	case !slices.Contains(record.JudgeControls(c.Metric), c.Control):
		return ""
	case c.Control == record.Leaks:
		if c.Misses > 0 {
			return fmt.Sprintf("%d were found", c.Misses)
		}
		if c.N <= 0 {
			return "n is 0, so nothing was tried"
		}
		return ""
	case c.N < FewestItems:
		return fmt.Sprintf("n is %d, and %d are needed", c.N, FewestItems)
	}
	if c.Value != nil && math.Abs(*c.Value-float64(c.Misses)/float64(c.N)) > printed {
		return fmt.Sprintf("its share missed is %v, and %d of %d another", *c.Value, c.Misses, c.N)
	}
	if _, hi := Wilson(c.Misses, c.N, 0.95); c.Misses < 0 || c.Misses > c.N || hi > MostMissed {
		return fmt.Sprintf("%d of %d are wrong", c.Misses, c.N)
	}
	return ""
}

// leading is the number that a text begins with.
func leading(text string) (float64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	v, err := strconv.ParseFloat(strings.TrimRight(word, ","), 64)
	return v, err == nil
}
