package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// ofPairs says whether an interval is a statistic of two raters.
func ofPairs(iv *record.Interval) bool {
	return slices.Contains([]string{boot.StatKappa, boot.StatBaseRate, boot.StatTPR, boot.StatTNR, boot.StatFlips, boot.StatCorrected, boot.StatPPI}, iv.Stat)
}

// raters are two who marked the same answers of one system, "all" for all systems.
type raters struct {
	metric record.MetricName
	system record.SystemName
	a, b   string
	pairs  int
	free   int // in which none saw the other's reading
	table  [4]int
}

// again says whether they are one judge twice.
func (r *raters) again() bool { return r.b == r.a+boot.Again }

// rated sorts the pairs by metric, raters and system, in order of appearance;
// where there are several systems, all of them together come last.
func (p *Part) rated() []*raters {
	systems := names(p.Pairs, func(rec *record.Pair) (record.SystemName, bool) { return rec.System, true })
	var all, together []*raters
	for _, rec := range p.Pairs {
		all = tallied(all, rec, cmp.Or(rec.System, "all"))
		if len(systems) > 1 {
			together = tallied(together, rec, "all")
		}
	}
	return append(all, together...)
}

// tallied counts a pair among those of its two raters.
func tallied(all []*raters, rec *record.Pair, system record.SystemName) []*raters {
	i := slices.IndexFunc(all, func(r *raters) bool {
		return r.metric == rec.Metric && r.system == system && r.a == rec.RaterA && r.b == rec.RaterB
	})
	if i < 0 {
		i = len(all)
		all = append(all, &raters{metric: rec.Metric, system: system, a: rec.RaterA, b: rec.RaterB})
	}
	r := all[i]
	r.pairs++
	if rec.Independent {
		r.free++
	}
	cell := 0
	if rec.MarkA == record.No {
		cell += 2
	}
	if rec.MarkB == record.No {
		cell++
	}
	r.table[cell]++
	return all
}

// judge says whether a rater is one, and not a person.
func (p *Part) judge(rater string) bool { return slices.Contains(p.judgeNames(), rater) }

// judgeNames are the judges, in the order of scores, then of controls.
func (p *Part) judgeNames() []string {
	all := names(p.Scores, func(s *record.Score) (string, bool) { return s.Judge, s.Judge != "" })
	for _, c := range p.Controls {
		if c.Judge != "" && slices.Contains(record.JudgeControls(c.Metric), c.Control) && !slices.Contains(all, c.Judge) {
			all = append(all, c.Judge)
		}
	}
	return all
}

// ratersOf are those whose controls an interval stands on: its judge, or two
// raters and the two together.
func (p *Part) ratersOf(iv *record.Interval) []string {
	if !ofPairs(iv) {
		return []string{iv.Judge}
	}
	for _, rec := range p.Pairs {
		if boot.Raters(rec.RaterA, rec.RaterB) == iv.Judge {
			return []string{iv.Judge, rec.RaterA, rec.RaterB}
		}
	}
	a, b, _ := strings.Cut(iv.Judge, boot.Raters("", ""))
	return []string{iv.Judge, a, b}
}

// unseen names the controls that a figure of judges must have behind it, and
// that did not come.
func (p *Part) unseen(iv *record.Interval, raters []string) string {
	var missing []string
	need := func(rater, name string) {
		for _, c := range p.Controls {
			if c.Metric == iv.Metric && c.Judge == rater && c.Control == name {
				return
			}
		}
		missing = append(missing, name)
	}
	needed := record.JudgeControls(iv.Metric)
	for i, rater := range raters {
		switch {
		case needed == nil:
		case ofPairs(iv) && i == 0:
			need(rater, boot.Itself)
			need(rater, boot.Permuted)
		case !ofPairs(iv) || p.judge(rater):
			for _, name := range needed {
				need(rater, name)
			}
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "controls that must stand behind it were not seen: " + strings.Join(missing, ", ")
}

// pairFigure is a statistic of two raters as a table shows it, – where there is none.
func (p *Part) pairFigure(metric record.MetricName, system record.SystemName, rater, stat string) string {
	for _, iv := range p.Intervals {
		if iv.Metric == metric && iv.System == system && iv.Judge == rater && iv.Stat == stat {
			return p.figure(iv)
		}
	}
	return "–"
}

// tells says whether the marks of two raters may be told: their kappa is shown,
// or nothing but a value is missing. Those of a broken judge may not.
func (p *Part) tells(r *raters) bool {
	for _, iv := range p.Intervals {
		if iv.Metric == r.metric && iv.System == r.system && iv.Judge == boot.Raters(r.a, r.b) && iv.Stat == boot.StatKappa {
			s := p.standing(iv)
			return s.shown() || s.word == noValue
		}
	}
	return false
}

// repeats is a line a judge and metric: how often it contradicts itself.
func (p *Part) repeats(pg *page) {
	var rows [][]string
	for _, r := range p.rated() {
		if r.again() {
			flipped := "–"
			if p.tells(r) {
				flipped = fmt.Sprint(r.table[1] + r.table[2])
			}
			rows = append(rows, []string{text(string(r.metric)), text(r.a), text(string(r.system)), fmt.Sprint(r.pairs), flipped,
				p.pairFigure(r.metric, r.system, boot.Raters(r.a, r.b), boot.StatFlips)})
		}
	}
	if len(rows) == 0 {
		return
	}
	pg.heading(3, "Repeats")
	pg.para("The same answer judged again, anew each time: how often two marks of one judge differ. No figure of a judge is surer than that.")
	pg.table([]string{"metric", "judge", "system", "pairs>", "flipped>", "flip rate"}, rows)
}

// agreement is the tables of judge with judge, judge with person, person with person.
func (p *Part) agreement(pg *page) {
	of := func(keep func(a, b bool) bool) []*raters {
		var all []*raters
		for _, r := range p.rated() {
			if !r.again() && keep(p.judge(r.a), p.judge(r.b)) {
				all = append(all, r)
			}
		}
		return all
	}
	if both := of(func(a, b bool) bool { return a && b }); len(both) > 0 {
		pg.heading(3, "Judge with judge")
		pg.para("Of two judges on the same answers: how often both say yes, only the first, only the second, none; the second's share of yes; and kappa, the agreement beyond chance. A high kappa of two judges of one family says little.")
		p.pairTable(pg, both)
	}
	people := of(func(a, b bool) bool { return a && !b })
	if len(people) > 0 {
		pg.heading(3, "Judge with person")
		pg.para("The person is held to be right. TPR is the share of the person's yes that the judge says too, TNR the share of the person's no. Only labels that are independent of the judge's family, whose rater opened none of its readings, correct a rate.")
		p.pairTable(pg, people, boot.StatTPR, boot.StatTNR)
	} else {
		pg.heading(3, "Judge with person")
		pg.para("**No label of a person came**: how far the judges are right is not known, and no rate is corrected.")
	}
	switch others := of(func(a, b bool) bool { return !a && !b }); {
	case len(others) > 0:
		pg.heading(3, "Person with person")
		pg.para("What two people agree on is the most that can be asked of a judge.")
		p.pairTable(pg, others)
	case len(people) > 0:
		pg.para("One person labelled: how far two people would agree, the most that can be asked of a judge, is not known.")
	}
}

// pairTable is a line for each two raters: the 2×2 table, base rate, more, and kappa.
func (p *Part) pairTable(pg *page, all []*raters, more ...string) {
	columns := []string{"metric", "first", "second", "system", "pairs>", "independent>", "both yes>", "only first>", "only second>", "both no>", "second's yes"}
	columns = append(append(columns, more...), "kappa")
	var rows [][]string
	for _, r := range all {
		row := []string{text(string(r.metric)), text(r.a), text(r.b), text(string(r.system)), fmt.Sprint(r.pairs), fmt.Sprint(r.free)}
		tells := p.tells(r)
		for _, n := range r.table {
			if tells {
				row = append(row, fmt.Sprint(n))
			} else {
				row = append(row, "–")
			}
		}
		for _, stat := range append([]string{boot.StatBaseRate}, more...) {
			if tells {
				row = append(row, p.pairFigure(r.metric, r.system, boot.Raters(r.a, r.b), stat))
			} else {
				row = append(row, "–")
			}
		}
		row = append(row, p.pairFigure(r.metric, r.system, boot.Raters(r.a, r.b), boot.StatKappa))
		rows = append(rows, row)
	}
	pg.table(columns, rows)
}
