package report

import (
	"fmt"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// rejected lists the answers that a judge whose controls pass says no to, with
// the claims it rejects, where the verdicts came along.
func (p *Part) rejected(pg *page) {
	var rows [][]string
	n := 0
	for _, v := range p.Verdicts {
		if v.Control != "" || v.Mark != record.No || v.Repeat != 0 || p.word(v.Judge, v.Metric) != "controls pass" {
			continue
		}
		if n++; n > maxMisses {
			continue
		}
		var claims []string
		for _, c := range v.Claims {
			if c.Supported == record.No {
				claims = append(claims, text(c.Claim))
			}
		}
		rows = append(rows, []string{text(string(v.Question.ID)), text(v.Question.Text), text(string(v.System)), text(v.Judge), string(v.Metric), dash(strings.Join(claims, "<br>"))})
	}
	if n == 0 {
		return
	}
	pg.heading(3, "Answers that a judge says no to")
	pg.para("Of judges whose controls pass, by their first reading. Read the claim against the passages before you believe it.")
	pg.table([]string{"id", "question", "system", "judge", "metric", "claims rejected"}, rows)
	if n > maxMisses {
		pg.para("And %d more.", n-maxMisses)
	}
}

// maxFooled is how many lines a judge's control has.
const maxFooled = 5

// fooled lists items of controls that came out wrong, the evidence against a judge.
func (p *Part) fooled(pg *page) {
	type key struct {
		judge   string
		metric  record.MetricName
		control string
	}
	n := map[key]int{}
	var rows [][]string
	for _, v := range p.Verdicts {
		if v.Control == "" || v.Status != record.Scored || v.Mark == v.Expect {
			continue
		}
		k := key{v.Judge, v.Metric, v.Control}
		if n[k]++; n[k] > maxFooled {
			continue
		}
		what := "–"
		if v.Planted != nil {
			what = fmt.Sprintf("%s → %s", dash(text(v.Planted.Was)), dash(text(v.Planted.Now)))
		}
		rows = append(rows, []string{text(v.Judge), string(v.Metric), text(v.Control), text(string(v.Question.ID)), text(v.Question.Text), string(v.Expect), string(v.Mark), what})
	}
	if len(rows) == 0 {
		return
	}
	pg.heading(3, "Control items that came out wrong")
	pg.para("At most %d of a judge and control: the question whose answer was changed, the mark it had to get, and the one it got.", maxFooled)
	pg.table([]string{"judge", "metric", "control", "id", "question", "expected", "came", "changed"}, rows)
}
