package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/lexical"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// judgeMetrics are those of judges, in the order of a page.
var judgeMetrics = []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance}

// ofJudges says whether a part is about judges' marks.
func (p *Part) ofJudges() bool {
	return slices.ContainsFunc(p.Scores, func(s *record.Score) bool { return s.Judge != "" }) || len(p.Pairs) > 0
}

// glance is a line a judge: whether it is trusted, and else which controls speak against it.
func (r *Report) glance(pg *page) {
	for _, p := range r.Parts {
		if !p.ofJudges() {
			continue
		}
		var rows [][]string
		for _, j := range p.judgeNames() {
			row := []string{text(j)}
			for _, m := range judgeMetrics {
				row = append(row, p.word(j, m))
			}
			rows = append(rows, row)
		}
		columns := []string{"judge"}
		for _, m := range judgeMetrics {
			columns = append(columns, string(m))
		}
		pg.table(columns, rows)
	}
}

// word is what became of a judge's metric, with the controls that decided it.
func (p *Part) word(judge string, metric record.MetricName) string {
	var failed, open, seen []string
	for _, c := range p.controlsOf(judge, metric) {
		seen = append(seen, c.Control)
		switch c.OK {
		case record.ControlFailed:
			failed = append(failed, c.Control)
		case record.ControlNotEstablished:
			open = append(open, c.Control)
		}
	}
	var missing []string
	for _, name := range record.JudgeControls(metric) {
		if !slices.Contains(seen, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(seen) == 0 && !slices.ContainsFunc(p.Scores, func(s *record.Score) bool { return s.Judge == judge && s.Metric == metric }):
		return "not asked"
	case len(failed) > 0:
		return "**" + broken + "**: " + join(failed, ", ")
	case len(missing) > 0:
		return "**" + untrusted + "**: not seen: " + join(missing, ", ")
	case len(open) > 0:
		return "**" + notEstablished + "**: " + join(open, ", ")
	}
	for _, iv := range p.means("") { // what mr-boot saw and the controls do not show: they are of other marks
		if iv.Judge == judge && iv.Metric == metric && p.standing(iv).word == untrusted {
			return "**" + untrusted + "**: see its marks"
		}
	}
	return "controls pass"
}

// controlsOf are a judge's own of a metric.
func (p *Part) controlsOf(judge string, metric record.MetricName) []*record.Control {
	var all []*record.Control
	for _, name := range record.JudgeControls(metric) {
		for _, c := range p.Controls {
			if c.Judge == judge && c.Metric == metric && c.Control == name {
				all = append(all, c)
			}
		}
	}
	return all
}

// rest are the controls that have no table of their own.
func (p *Part) rest() []*record.Control {
	var all []*record.Control
	for _, c := range p.Controls {
		if !p.agreed(c) && (c.Judge == "" || !slices.Contains(record.JudgeControls(c.Metric), c.Control)) {
			all = append(all, c)
		}
	}
	return all
}

// agreed says whether a control is one of agreement.
func (p *Part) agreed(c *record.Control) bool {
	return c.Judge != "" && (c.Control == boot.Itself || c.Control == boot.Permuted)
}

// judgeControls is a table a judge and metric: what each control had to give, and gave.
func (p *Part) judgeControls(pg *page) {
	for _, j := range p.judgeNames() {
		for _, m := range judgeMetrics {
			var rows [][]string
			for _, c := range p.controlsOf(j, m) {
				missed := "–"
				if c.Lo != nil && c.Hi != nil {
					missed = fmt.Sprintf("%s [%s, %s]", decimal(*c.Value), decimal(*c.Lo), decimal(*c.Hi))
				}
				rows = append(rows, []string{text(c.Control), text(c.Expect), text(c.Got), fmt.Sprint(c.N), fmt.Sprint(c.Misses), missed, outcome(c), text(c.Reason)})
			}
			if len(rows) == 0 {
				continue
			}
			pg.heading(3, fmt.Sprintf("%s: %s", text(j), m))
			pg.table([]string{"control", "expected", "came", "n>", "missed>", "share missed, Wilson 95 %", "ok", "remark"}, rows)
		}
	}
	if len(p.judgeNames()) > 0 {
		pg.para("A control of a judge passes when the upper end of the interval of its missed share is at most %.2f, and n is %d or more: of 15 to 18 items none may be missed, of 19 to 25 one.", boot.MostMissed, boot.FewestItems)
	}
}

// agreementControls is a line for each two raters.
func (p *Part) agreementControls(pg *page) {
	var rows [][]string
	for _, c := range p.Controls {
		if !p.agreed(c) || c.Control != boot.Itself {
			continue
		}
		row := []string{text(string(c.Metric)), text(c.Judge), fmt.Sprint(c.N), text(c.Got) + ", " + outcome(c)}
		for _, d := range p.Controls {
			if d.Control == boot.Permuted && d.Judge == c.Judge && d.Metric == c.Metric {
				row = append(row, text(d.Got)+", "+outcome(d))
			}
		}
		if len(row) == 4 {
			row = append(row, "**not seen**")
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		pg.heading(3, "Controls of agreement")
		pg.para("A rater with itself must have kappa 1, and with permuted marks 0 on average.")
		pg.table([]string{"metric", "raters", "n>", "with itself", "permuted"}, rows)
	}
}

// judges writes the figures of a part about judges, and returns its plots.
func (r *Report) judges(pg *page, p *Part) ([]File, error) {
	p.marks(pg)
	p.withoutMark(pg)
	p.floorTable(pg)
	p.kinds(pg)
	p.differences(pg)
	p.repeats(pg)
	p.agreement(pg)
	p.attribution(pg)
	plots, err := r.judgePlots(pg, p)
	p.rejected(pg)
	p.fooled(pg)
	p.warnings(pg)
	return plots, err
}

// attribution shows how the judges without a model do on claims that others labelled.
func (p *Part) attribution(pg *page) {
	var rows [][]string
	for _, j := range p.judgeNames() {
		f, ok := lexical.Measured(j)
		if !ok {
			continue
		}
		rows = append(rows, []string{text(j), fmt.Sprintf("%s, half %q", text(f.Collection), f.Half), fmt.Sprint(f.N),
			fmt.Sprintf("%s [%s, %s]", decimal(f.AUC), decimal(f.Lo), decimal(f.Hi)),
			fmt.Sprintf("%s [%s, %s]", decimal(f.MacroF1), decimal(f.F1Lo), decimal(f.F1Hi)), p.word(j, record.Faithfulness)})
	}
	if len(rows) == 0 {
		return
	}
	pg.heading(3, "Judges without a model, on claims that others labelled")
	pg.para("How well the committed judge tells supported claims from others on a public collection, on the half that no choice was made on, beside its controls here. A judge that was fitted to our controls would shine in one and not in the other.")
	pg.table([]string{"judge", "collection", "n>", "AUC", "macro F1", "faithfulness here"}, rows)
}

// refused counts a judge's scores that are refusals, which nobody can judge.
func (p *Part) refused(iv *record.Interval) int {
	n := 0
	for _, s := range p.Scores {
		if iv.Judge != "" && s.Judge == iv.Judge && s.System == iv.System && s.Metric == iv.Metric && s.Status == record.Unscored && s.Reason == refusedAnswer {
			n++
		}
	}
	return n
}

// refusedAnswer is the reason of a verdict on a refusal.
const refusedAnswer = "refused"

// withoutMark counts what is unscored or failed, by reason.
func (p *Part) withoutMark(pg *page) {
	type key struct {
		judge  string
		metric record.MetricName
		system record.SystemName
		status record.Status
		reason string
	}
	keys := names(p.Scores, func(s *record.Score) (key, bool) {
		return key{s.Judge, s.Metric, s.System, s.Status, s.Reason}, s.Judge != "" && s.Value == nil
	})
	var rows [][]string
	for _, k := range keys {
		n := 0
		for _, s := range p.Scores {
			if s.Judge == k.judge && s.Metric == k.metric && s.System == k.system && s.Status == k.status && s.Reason == k.reason {
				n++
			}
		}
		rows = append(rows, []string{text(k.judge), text(string(k.metric)), text(string(k.system)), text(string(k.status)), text(k.reason), fmt.Sprint(n)})
	}
	if len(rows) == 0 {
		return
	}
	pg.heading(3, "Without a mark")
	pg.para("Neither yes nor no, and part of no figure. A refusal is no answer to judge.")
	pg.table([]string{"judge", "metric", "system", "status", "reason", "answers>"}, rows)
}

// marks is a line a judge and system for each metric: the raw rate, and beside
// it the rate corrected by each person's labels.
func (p *Part) marks(pg *page) {
	pg.heading(3, "Marks")
	ivs := p.means("")
	if len(ivs) == 0 {
		pg.para("No interval record came. Run mr-boot on the scores.")
		return
	}
	pg.para("%s Raw is the share that the judge says yes to; of supported-claims the mean share of an answer's claims. Corrected is the rate behind it by a person's labels, with the judge's errors and their uncertainty in its interval: after Rogan and Gladen, and prediction-powered (PPI). Refused, unscored and error count readings, each repeat one.", p.how(ivs))
	for _, m := range judgeMetrics {
		var rows [][]string
		for _, iv := range ivs {
			if iv.Metric == m {
				rows = append(rows, p.markRows(iv)...)
			}
		}
		if len(rows) > 0 {
			pg.para("**%s**", capital(string(m)))
			columns := []string{"judge", "system", "n>", "refused>", "unscored>", "error>", "raw", "corrected by", "corrected", "PPI"}
			if m == record.SupportedClaims {
				columns = columns[:7]
			}
			for i := range rows {
				rows[i] = rows[i][:len(columns)]
			}
			pg.table(columns, rows)
		}
	}
}

// markRows is a line for each person that corrects, one where nobody does.
func (p *Part) markRows(iv *record.Interval) [][]string {
	refused := p.refused(iv)
	head := []string{text(iv.Judge), text(string(iv.System)), fmt.Sprint(iv.N), fmt.Sprint(refused), fmt.Sprint(iv.NUnscored - refused), fmt.Sprint(iv.NError), p.figure(iv)}
	var rows [][]string
	for _, c := range p.Intervals {
		person, ok := strings.CutPrefix(c.Judge, boot.Raters(iv.Judge, ""))
		if c.Metric == iv.Metric && c.System == iv.System && c.Stat == boot.StatCorrected && ok {
			ppi := "–"
			if p.standing(c).shown() {
				ppi = p.pairFigure(c.Metric, c.System, c.Judge, boot.StatPPI)
			}
			rows = append(rows, append(slices.Clone(head), text(person), p.figure(c), ppi))
		}
	}
	if rows == nil {
		rows = append(rows, append(head, "nobody", "–", "–"))
	}
	return rows
}
