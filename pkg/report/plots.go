package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/plot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// plots draws what there is to draw of a part, and puts it on the page.
func (r *Report) plots(p *page, part *Part) ([]File, error) {
	var files []File
	for _, draw := range []func(*Part) (name, alt string, chart chart){recallByCut, differencesFrom, gainPerQuestion} {
		kind, alt, chart := draw(part)
		if chart == nil {
			continue
		}
		svg, err := chart.SVG()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			p.heading(3, "Plots")
		}
		name := r.plotName(part, kind)
		p.para("![%s](%s)", text(alt), strings.ReplaceAll(name, " ", "%20"))
		files = append(files, File{name, svg})
	}
	return files, nil
}

type chart interface{ SVG() ([]byte, error) }

// recallByCut is a curve a system, where there are figures at two cut-offs or more.
func recallByCut(p *Part) (string, string, chart) {
	c := plot.Curves{Title: "Recall by cut-off: " + title(p.Half), X: "k, sections from the top", Y: "recall@k"}
	n, cuts := 0, map[float64]bool{}
	for _, r := range rowsOf(p.means("")) {
		curve := plot.Curve{Name: string(r.system)}
		for _, iv := range p.means("") {
			k, ok := cutOf(iv.Metric)
			if !ok || iv.System != r.system || iv.Judge != r.judge || !p.standing(iv).shown() {
				continue
			}
			pt := plot.Point{X: k, Y: *iv.Value}
			if iv.Lo != nil && iv.Hi != nil {
				pt.Interval = &[2]float64{*iv.Lo, *iv.Hi}
			}
			curve.Points = append(curve.Points, pt)
			n, cuts[k] = iv.N, true
		}
		slices.SortFunc(curve.Points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
		if len(curve.Points) > 0 {
			c.Curves = append(c.Curves, curve)
		}
	}
	if len(cuts) < 2 {
		return "", "", nil
	}
	c.Note = fmt.Sprintf("Share of the needs that the first k sections meet, %s.", count(n, "question", "questions"))
	if len(c.Curves) <= plot.MaxBands {
		c.Note += " Bands are the intervals of the table."
	}
	return "recall", "Recall by cut-off, a line a system; the figures are in the table of systems", c
}

// cutOf is the cut-off of recall@k, which counts sections.
func cutOf(m record.MetricName) (float64, bool) {
	rest, ok := strings.CutPrefix(string(m), "recall@")
	k, err := strconv.Atoi(rest)
	return float64(k), ok && err == nil && k > 0
}

// differencesFrom is an estimate a system, of the metric that misses are shown by.
func differencesFrom(p *Part) (string, string, chart) {
	f := plot.Forest{X: "difference in " + string(p.metric()), Signed: true}
	for _, iv := range p.Intervals {
		if iv.Metric != p.metric() || iv.Baseline == "" || iv.AskedFor != "" || !p.standing(iv).shown() {
			continue
		}
		e := plot.Estimate{Label: string(iv.System), Value: *iv.Value, Side: fmt.Sprintf("n = %d", iv.N)}
		if iv.PHolm != nil {
			e.Side += ", p " + probability(iv.PHolm)
		}
		if iv.Lo != nil && iv.Hi != nil {
			e.Interval = &[2]float64{*iv.Lo, *iv.Hi}
		}
		f.Title = fmt.Sprintf("Difference from %s in %s: %s", iv.Baseline, iv.Metric, title(p.Half))
		f.Estimates = append(f.Estimates, e)
	}
	if len(f.Estimates) == 0 {
		return "", "", nil
	}
	f.Note = "Paired by question, with intervals; p after Holm's correction."
	return "differences", "Differences from the baseline with their intervals; the figures are in the table of differences", f
}

// maxBars is how many questions a plot shows.
const maxBars = 60

// gainPerQuestion is a bar for each question that the best system won or lost.
func gainPerQuestion(p *Part) (string, string, chart) {
	best := p.best(p.of(func(iv *record.Interval) bool { return iv.Baseline != "" }))
	if best == nil {
		return "", "", nil
	}
	all := p.gains(best)
	var moved []plot.Bar
	for _, g := range all {
		if g.value > rounding || g.value < -rounding {
			moved = append(moved, plot.Bar{Label: string(g.question), Value: g.value})
		}
	}
	if len(moved) == 0 {
		return "", "", nil
	}
	slices.SortStableFunc(moved, func(a, b plot.Bar) int { return cmp.Compare(b.Value, a.Value) })
	b := plot.Bars{
		Title: fmt.Sprintf("Gain of %s over %s on each question, %s: %s", best.System, best.Baseline, best.Metric, title(p.Half)),
		X:     "difference in " + string(best.Metric),
		Note:  fmt.Sprintf("%d of %d questions differ; the others are not shown.", len(moved), len(all)),
	}
	if len(moved) > maxBars {
		b.Note = fmt.Sprintf("%d of %d questions differ; shown are the %d highest and the %d lowest.", len(moved), len(all), maxBars/2, maxBars/2)
		moved = slices.Concat(moved[:maxBars/2], moved[len(moved)-maxBars/2:])
	}
	b.Bars = moved
	return "gain", "Gain of a system over the baseline, a bar a question", b
}
