package report

import (
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// of returns the intervals that a test holds for.
func (p *Part) of(keep func(*record.Interval) bool) []*record.Interval {
	var all []*record.Interval
	for _, iv := range p.Intervals {
		if keep(iv) {
			all = append(all, iv)
		}
	}
	return all
}

// means are the intervals of systems, of one kind of question ("" is all).
func (p *Part) means(kind record.QuestionKind) []*record.Interval {
	return p.of(func(iv *record.Interval) bool { return iv.Baseline == "" && iv.AskedFor == kind && !ofPairs(iv) })
}

func metrics(ivs []*record.Interval) []record.MetricName {
	return names(ivs, func(iv *record.Interval) (record.MetricName, bool) { return iv.Metric, true })
}

// row is what one line of a table of figures is about.
type row struct {
	system record.SystemName
	judge  string
}

func rowsOf(ivs []*record.Interval) []row {
	return names(ivs, func(iv *record.Interval) (row, bool) { return row{iv.System, iv.Judge}, true })
}

func (r row) name() string {
	if r.judge == "" {
		return text(string(r.system))
	}
	return text(string(r.system) + " (" + r.judge + ")")
}

// systems is the table of means: a line a system, a column a metric.
func (p *Part) systems(pg *page) {
	pg.heading(3, "Systems")
	ivs := p.means("")
	if len(ivs) == 0 {
		pg.para("No interval record came. Run mr-boot on the scores.")
		return
	}
	pg.para("%s", p.how(ivs))
	columns := append([]string{"system", "n>", "unscored>", "error>"}, headings(ivs)...)
	pg.table(columns, p.figures(ivs, func(r row) []string { return []string{r.name()} }))
}

// kinds is the same by kind of question.
func (p *Part) kinds(pg *page) {
	kinds := names(p.Intervals, func(iv *record.Interval) (record.QuestionKind, bool) {
		return iv.AskedFor, iv.AskedFor != "" && iv.Baseline == ""
	})
	if len(kinds) == 0 {
		return
	}
	pg.heading(3, "By kind of question")
	var rows [][]string
	all := p.of(func(iv *record.Interval) bool { return iv.Baseline == "" && iv.AskedFor != "" })
	for _, kind := range kinds {
		rows = append(rows, p.figures(p.means(kind), func(r row) []string { return []string{text(string(kind)), r.name()} }, metrics(all)...)...)
	}
	pg.table(append([]string{"kind", "system", "n>", "unscored>", "error>"}, headings(all)...), rows)
}

func headings(ivs []*record.Interval) []string {
	var all []string
	for _, m := range metrics(ivs) {
		all = append(all, text(string(m)))
	}
	return all
}

// figures are the lines of a table: what before gives, then n, what has no
// value, and a figure a metric. Where n differs from metric to metric, that of
// the first stands in its column and the others in their cells.
func (p *Part) figures(ivs []*record.Interval, before func(row) []string, order ...record.MetricName) [][]string {
	if order == nil {
		order = metrics(ivs)
	}
	said := map[record.MetricName]map[string]string{} // which system's cell holds the evidence
	var rows [][]string
	for _, r := range rowsOf(ivs) {
		var first *record.Interval
		var cells []string
		for _, m := range order {
			i := slices.IndexFunc(ivs, func(iv *record.Interval) bool {
				return iv.Metric == m && iv.System == r.system && iv.Judge == r.judge
			})
			if i < 0 {
				cells = append(cells, "–")
				continue
			}
			iv := ivs[i]
			if first == nil {
				first = iv
			}
			cell := p.cell(iv, said, r)
			if iv.N != first.N || iv.NUnscored != first.NUnscored || iv.NError != first.NError {
				cell += fmt.Sprintf(" (n %d, unscored %d, error %d)", iv.N, iv.NUnscored, iv.NError)
			}
			cells = append(cells, cell)
		}
		counts := []string{fmt.Sprint(first.N), fmt.Sprint(first.NUnscored), fmt.Sprint(first.NError)}
		rows = append(rows, slices.Concat(before(r), counts, cells))
	}
	return rows
}

// cell is a figure, or the evidence; evidence that stands above already is named by its line.
func (p *Part) cell(iv *record.Interval, said map[record.MetricName]map[string]string, r row) string {
	s := p.standing(iv)
	if s.shown() {
		return p.figure(iv)
	}
	if said[iv.Metric] == nil {
		said[iv.Metric] = map[string]string{}
	}
	key := s.word + s.why
	if above, ok := said[iv.Metric][key]; ok {
		return "**" + s.word + "**, as for " + above
	}
	said[iv.Metric][key] = r.name()
	return p.figure(iv)
}

// how says how intervals came about, as far as they agree.
func (p *Part) how(ivs []*record.Interval) string {
	levels := names(ivs, func(iv *record.Interval) (float64, bool) { return iv.Level, iv.Lo != nil })
	methods := names(ivs, func(iv *record.Interval) (string, bool) { return iv.Method, iv.Method != "" && iv.Lo != nil })
	if len(levels) != 1 || len(methods) == 0 {
		return "Mean over the questions."
	}
	slices.Sort(methods)
	said := fmt.Sprintf("Mean over the questions, with its %v %% interval (%s", 100*levels[0], join(methods, " or "))
	resamples := names(ivs, func(iv *record.Interval) (int, bool) { return iv.Resamples, iv.Resamples > 0 })
	if len(resamples) == 1 {
		said += fmt.Sprintf(", %d resamples", resamples[0])
	}
	seeds := names(ivs, func(iv *record.Interval) (uint64, bool) {
		if iv.Seed == nil {
			return 0, false
		}
		return *iv.Seed, true
	})
	if len(seeds) == 1 {
		said += fmt.Sprintf(", seed %d", seeds[0])
	}
	return said + "). n counts the questions with a value."
}

func join(items []string, sep string) string {
	s := ""
	for i, item := range items {
		if i > 0 {
			s += sep
		}
		s += text(item)
	}
	return s
}

// floorTable shows the floors with the figures they are held against.
func (p *Part) floorTable(pg *page) {
	var rows [][]string
	for _, iv := range p.Intervals {
		if iv.Floor == nil {
			continue
		}
		value, holds := "**not shown**", "**no**"
		if s := p.standing(iv); s.shown() {
			value = decimal(*iv.Value)
			if *iv.Value >= *iv.Floor-rounding {
				holds = "yes"
			}
		}
		rows = append(rows, []string{row{iv.System, iv.Judge}.name(), text(string(iv.Metric)), decimal(*iv.Floor), value, holds})
	}
	if len(rows) > 0 {
		pg.heading(3, "Floors")
		pg.table([]string{"system", "metric", "floor>", "mean>", "holds"}, rows)
	}
}

// differences is a line a system and metric: of all questions, then of each kind.
func (p *Part) differences(pg *page) {
	ivs := p.of(func(iv *record.Interval) bool { return iv.Baseline != "" })
	for _, base := range names(ivs, func(iv *record.Interval) (record.SystemName, bool) { return iv.Baseline, true }) {
		var all, kinds [][]string
		for _, iv := range ivs {
			if iv.Baseline != base {
				continue
			}
			row := []string{text(string(iv.Metric)), row{iv.System, iv.Judge}.name(), fmt.Sprint(iv.N), p.figure(iv), "–", "–", "–"}
			if p.standing(iv).shown() {
				row[4], row[5], row[6] = probability(iv.P), probability(iv.PHolm), p.tally(iv)
			}
			if iv.AskedFor == "" {
				all = append(all, row)
			} else {
				kinds = append(kinds, append([]string{text(string(iv.AskedFor))}, row...))
			}
		}
		pg.heading(3, "Differences from "+text(string(base)))
		pg.para("Paired by question. p by random signs, then corrected by Holm over the systems compared on that metric; quote the corrected one. Won, lost and same count questions.")
		columns := []string{"metric", "system", "n>", "difference", "p>", "p, Holm>", "won / lost / same>"}
		pg.table(columns, all)
		if len(kinds) > 0 {
			pg.para("By kind of question:")
			pg.table(append([]string{"kind"}, columns...), kinds)
		}
	}
}

// tally counts the questions that a system won and lost, – where their scores are not all here.
func (p *Part) tally(iv *record.Interval) string {
	won, lost, same := 0, 0, 0
	for _, g := range p.gains(iv) {
		switch {
		case g.value > rounding:
			won++
		case g.value < -rounding:
			lost++
		default:
			same++
		}
	}
	if won+lost+same != iv.N {
		return "–"
	}
	return fmt.Sprintf("%d / %d / %d", won, lost, same)
}
