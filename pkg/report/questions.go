package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// gain is what a system has over the baseline on one question.
type gain struct {
	question record.QuestionID
	value    float64
}

// gains are those of a difference's questions, in the order of their ids. A
// question with repeats counts by the mean of them, as in mr-boot.
func (p *Part) gains(iv *record.Interval) []gain {
	base, system := p.values(iv, iv.Baseline), p.values(iv, iv.System)
	var all []gain
	for q, v := range system {
		if b, ok := base[q]; ok {
			all = append(all, gain{q, v - b})
		}
	}
	slices.SortFunc(all, func(a, b gain) int { return cmp.Compare(a.question, b.question) })
	return all
}

// values are a system's, by question.
func (p *Part) values(iv *record.Interval, system record.SystemName) map[record.QuestionID]float64 {
	sum, n := map[record.QuestionID]float64{}, map[record.QuestionID]float64{}
	for _, s := range p.Scores {
		if s.Metric == iv.Metric && s.Judge == iv.Judge && s.System == system && s.Value != nil && (iv.AskedFor == "" || s.AskedFor == iv.AskedFor) {
			sum[s.Question.ID] += *s.Value
			n[s.Question.ID]++
		}
	}
	for q := range sum {
		sum[q] /= n[q]
	}
	return sum
}

// preferred is the metric that misses and gains are shown by.
const preferred record.MetricName = "recall@5"

// metric is the preferred one if there is a figure of it, else the first there is.
func (p *Part) metric() record.MetricName {
	all := metrics(p.means(""))
	if len(all) == 0 || slices.Contains(all, preferred) {
		return preferred
	}
	return all[0]
}

// best is the interval with the greatest value that may be shown, the first of
// equals, or that of the system in focus; nil if there is none.
func (p *Part) best(ivs []*record.Interval) *record.Interval {
	var best *record.Interval
	for _, iv := range ivs {
		if iv.Metric == p.metric() && iv.AskedFor == "" && iv.System != record.FallbackSystem && p.standing(iv).shown() &&
			(p.focus == "" || iv.System == p.focus) && (best == nil || *iv.Value > *best.Value) {
			best = iv
		}
	}
	return best
}

const (
	maxMisses = 100 // lines of the table
	maxCame   = 5   // sections a line
)

// misses lists the questions that the best system did not answer in full.
func (p *Part) misses(pg *page) {
	if len(p.Scores) == 0 {
		return
	}
	pg.heading(3, "Questions missed")
	best := p.best(p.means(""))
	if best == nil {
		pg.para("Not shown: there is no figure of %s to choose a system by.", text(string(p.metric())))
		return
	}
	var missed []*record.Score
	short := 0 // below 1 without saying what was wanted
	for _, s := range p.Scores {
		if s.System != best.System || s.Metric != best.Metric || s.Value == nil {
			continue
		}
		if len(s.Wanted) > 0 {
			missed = append(missed, s)
		} else if *s.Value < 1 {
			short++
		}
	}
	name, which := text(string(best.System)), ", the best system"
	if p.focus != "" {
		which = ""
	}
	pg.para("By %s%s by %s: needs that its list does not meet, and the sections that stand first in it. %d of %d questions lack something.",
		name, which, text(string(best.Metric)), len(missed)+short, best.N)
	if short > 0 {
		pg.para("%s below 1 without saying what was wanted: graded judgements name no needs.", count(short, "score is", "scores are"))
	}
	var rows [][]string
	for _, s := range missed[:min(maxMisses, len(missed))] {
		rows = append(rows, []string{
			text(string(s.Question.ID)), text(s.Question.Text), text(string(s.AskedFor)), wanted(s.Wanted), came(s.Came), decimal(*s.Value), p.alsoMissed(s),
		})
	}
	pg.table([]string{"id", "question", "kind", "wanted", "came first", "score>", "also missed by"}, rows)
	if more := len(missed) - maxMisses; more > 0 {
		pg.para("And %d more.", more)
	}
}

// wanted shows needs; any section of a need would have served it.
func wanted(needs []record.Need) string {
	var all []string
	for _, need := range needs {
		var sections []string
		for _, s := range need {
			sections = append(sections, code(string(s)))
		}
		all = append(all, strings.Join(sections, " or "))
	}
	return strings.Join(all, "<br>and ")
}

func came(sections []record.SectionID) string {
	if len(sections) == 0 {
		return "nothing"
	}
	var all []string
	for _, s := range sections[:min(maxCame, len(sections))] {
		all = append(all, code(string(s)))
	}
	return strings.Join(all, "<br>")
}

// alsoMissed are the other systems that missed something of the question.
func (p *Part) alsoMissed(miss *record.Score) string {
	var all []string
	others := 0
	for _, s := range p.Scores {
		if s.Question.ID == miss.Question.ID && s.Metric == miss.Metric && s.System != miss.System && s.System != record.FallbackSystem {
			others++
			if len(s.Wanted) > 0 {
				all = append(all, text(string(s.System)))
			}
		}
	}
	switch {
	case len(all) == 0:
		return "–"
	case len(all) == others && others > 1:
		return "all"
	}
	return strings.Join(all, ", ")
}
