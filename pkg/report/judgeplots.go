package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/plot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// judgePlots draws what there is to draw of judges, and puts it on the page.
func (r *Report) judgePlots(pg *page, p *Part) ([]File, error) {
	var files []File
	for _, m := range []record.MetricName{record.Faithfulness, record.Relevance} {
		for _, draw := range []struct {
			kind, alt string
			chart     chart
		}{
			{"controls", "Share of control items missed, by judge and control; the figures are in the tables of controls", p.missed(m)},
			{"kappa", "Agreement between raters; the figures are in the tables of agreement", p.kappas(m)},
			{"people", "Judges held against people; the figures are in the tables of marks and of agreement", p.against(m)},
		} {
			if draw.chart == nil {
				continue
			}
			svg, err := draw.chart.SVG()
			if err != nil {
				return nil, err
			}
			if len(files) == 0 {
				pg.heading(3, "Plots")
			}
			name := r.plotName(p, string(m)+"-"+draw.kind)
			pg.para("![%s](%s)", text(draw.alt), strings.ReplaceAll(name, " ", "%20"))
			files = append(files, File{name, svg})
		}
	}
	return files, nil
}

// missed is a row a judge and control.
func (p *Part) missed(m record.MetricName) chart {
	f := plot.Forest{
		Title: fmt.Sprintf("Controls of the judges, %s: share of the items missed", m), X: "share missed", Reference: boot.MostMissed,
		Note: fmt.Sprintf("95 %% Wilson intervals. A control passes whose interval ends at %.2f or below, with %d items or more.", boot.MostMissed, boot.FewestItems),
	}
	for _, j := range p.judgeNames() {
		for _, c := range p.controlsOf(j, m) {
			if c.Lo == nil || c.Hi == nil || c.Value == nil {
				continue
			}
			f.Estimates = append(f.Estimates, plot.Estimate{
				Label: j + " · " + c.Control, Value: *c.Value, Interval: &[2]float64{*c.Lo, *c.Hi},
				Side: fmt.Sprintf("n = %d, ok: %s", c.N, c.OK), Bad: c.OK != record.ControlOK,
			})
		}
	}
	if len(f.Estimates) == 0 {
		return nil
	}
	return f
}

// kappas is the square of those raters of whom there is a kappa to show. Where
// there are several systems it is of all together.
func (p *Part) kappas(m record.MetricName) chart {
	h := plot.Heat{Title: fmt.Sprintf("Agreement between raters, %s: Cohen's kappa", m), Note: "– : not shown (a judge that is not trusted), undefined, or not measured. On the diagonal a judge with itself, asked again."}
	type two struct{ a, b string }
	value := map[two]*float64{}
	shown := false
	for _, r := range p.rated() {
		if r.metric != m {
			continue
		}
		a, b := r.a, strings.TrimSuffix(r.b, boot.Again)
		for _, rater := range []string{a, b} {
			if !slices.Contains(h.Names, rater) {
				h.Names = append(h.Names, rater)
			}
		}
		for _, iv := range p.Intervals {
			if iv.Metric == m && iv.Stat == boot.StatKappa && iv.Judge == boot.Raters(r.a, r.b) && (iv.System == r.system && value[two{a, b}] == nil || iv.System == "all") && p.standing(iv).shown() {
				value[two{a, b}], value[two{b, a}], shown = iv.Value, iv.Value, true
			}
		}
	}
	if len(h.Names) < 2 || !shown {
		return nil
	}
	for _, a := range h.Names {
		var row []*float64
		for _, b := range h.Names {
			row = append(row, value[two{a, b}])
		}
		h.Values = append(h.Values, row)
	}
	return h
}

// against is a row for each figure that a person's labels give of a judge.
func (p *Part) against(m record.MetricName) chart {
	f := plot.Forest{Title: fmt.Sprintf("Judges against people, %s", m), X: "rate, or kappa", Note: "95 % intervals. Raw is the judge's own share of yes, corrected the rate behind it by the person's labels."}
	add := func(iv *record.Interval, label string) {
		if !p.standing(iv).shown() {
			return
		}
		e := plot.Estimate{Label: label, Value: *iv.Value, Side: fmt.Sprintf("n = %d", iv.N)}
		if iv.Lo != nil && iv.Hi != nil {
			e.Interval = &[2]float64{*iv.Lo, *iv.Hi}
		}
		f.Estimates = append(f.Estimates, e)
	}
	people := false
	for _, raw := range p.means("") {
		if raw.Metric != m {
			continue
		}
		name := raw.Judge[strings.IndexByte(raw.Judge, ':')+1:] // without its scheme: labels are short
		if len(p.answering()) > 1 {
			name += " on " + string(raw.System)
		}
		add(raw, "raw · "+name)
		for _, stat := range []string{boot.StatCorrected, boot.StatPPI, boot.StatTPR, boot.StatTNR, boot.StatKappa} {
			for _, iv := range p.Intervals {
				person, ok := strings.CutPrefix(iv.Judge, boot.Raters(raw.Judge, ""))
				if iv.Metric == m && iv.System == raw.System && iv.Stat == stat && ok && !p.judge(person) && person != "" && !strings.HasSuffix(person, boot.Again) {
					people = people || p.standing(iv).shown()
					add(iv, fmt.Sprintf("%s by %s · %s", stat, person, name))
				}
			}
		}
	}
	if !people {
		return nil
	}
	return f
}
