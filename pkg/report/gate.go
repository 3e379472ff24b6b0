package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/score"
)

// rounding is what a floor may be missed by: as in mr-boot.
const rounding = 1e-9

// refusals are the reasons for which the gate does not pass: those for which
// mr-boot exits 3, read off the records.
func (r *Results) refusals() []string {
	var all []string
	for _, p := range r.Parts {
		of := ""
		if len(r.Parts) > 1 {
			of = " (" + title(p.Half) + ")"
		}
		for _, why := range p.refusals() {
			all = append(all, why+of)
		}
	}
	return all
}

func (p *Part) refusals() []string {
	var all []string
	for _, c := range p.Controls {
		if c.OK != record.ControlOK {
			word := "failed"
			if c.OK == record.ControlNotEstablished {
				word = "is not established"
			}
			if c.Reason == boot.OneLabel { // no agreement to be had, which breaks nothing
				continue
			}
			of := ""
			if c.Judge != "" {
				of = " of " + c.Judge
			}
			all = append(all, fmt.Sprintf("%s%s: control %s %s", c.Metric, of, c.Control, word))
		}
	}
	if len(p.Intervals) == 0 {
		return append(all, "no interval record came: nothing was estimated")
	}
	for _, iv := range p.Intervals {
		// A control that fell is said above; a figure of one kind of question is not held against the whole.
		s := p.standing(iv)
		if iv.AskedFor != "" || s.shown() || s.word == broken || s.word == notEstablished || !iv.Trusted && boot.Excused(iv) {
			continue
		}
		of := ""
		if iv.Judge != "" {
			of = " of " + iv.Judge
		}
		if why := fmt.Sprintf("%s%s is not trusted: %s", iv.Metric, of, s.why); !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	if n := p.fellBack(); n > 0 {
		all = append(all, count(n, "question", "questions")+" fell back to BM25")
	}
	return append(append(all, p.unscored()...), p.floors()...)
}

// fellBack counts the questions that were scored as fallbacks, or not at all for that reason.
func (p *Part) fellBack() int {
	seen := map[record.QuestionID]bool{}
	for _, s := range p.Scores {
		if s.System == record.FallbackSystem || s.Status == record.Unscored && strings.HasPrefix(s.Reason, score.FellBack) {
			seen[s.Question.ID] = true
		}
	}
	return len(seen)
}

// unscored names each system of which too much has no value, once.
func (p *Part) unscored() []string {
	most := boot.Default().MaxUnscored
	for _, run := range p.Estimated {
		if v, err := strconv.ParseFloat(run.Flags["max-unscored"], 64); err == nil {
			most = v
		}
	}
	var all []string
	said := map[row]bool{}
	for _, iv := range p.Intervals {
		without := iv.NUnscored + iv.NError - p.refused(iv)
		n := iv.N + without
		if iv.AskedFor != "" || iv.Baseline != "" || n == 0 || ofPairs(iv) || said[row{iv.System, iv.Judge}] || float64(without)/float64(n) <= most {
			continue
		}
		said[row{iv.System, iv.Judge}] = true
		by := ""
		if iv.Judge != "" {
			by = " by " + iv.Judge
		}
		all = append(all, fmt.Sprintf("%s of %s%s: %d of %d scores have no value, which is too many", iv.Metric, iv.System, by, without, n))
	}
	return all
}

// floors are those that are not held: of intervals, and of the run that no interval is for.
func (p *Part) floors() []string {
	var all []string
	held := map[string]bool{}
	for _, iv := range p.Intervals {
		if iv.Floor == nil {
			continue
		}
		f := boot.Floor{System: iv.System, Metric: iv.Metric, Value: *iv.Floor}
		held[f.String()] = true
		switch s := p.standing(iv); {
		case !s.shown():
			all = append(all, fmt.Sprintf("floor %v is not shown to hold: %s", f, s.word))
		case *iv.Value < *iv.Floor-rounding:
			all = append(all, fmt.Sprintf("floor %v is not reached: the mean is %s over %d questions", f, decimal4(*iv.Value), iv.N))
		}
	}
	for _, run := range p.Estimated {
		for _, name := range strings.Split(run.Flags["floor"], ",") {
			if f, err := boot.ParseFloor(name); err == nil && !held[f.String()] {
				all = append(all, fmt.Sprintf("floor %v is not shown to hold: no such score came", f))
			}
		}
	}
	return all
}

// title names a part.
func title(half golden.Half) string {
	switch half {
	case golden.Headline:
		return "headline half"
	case golden.Tune:
		return "tune half"
	}
	return "all questions"
}
