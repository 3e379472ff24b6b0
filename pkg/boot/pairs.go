package boot

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// raters is the pairs of two raters on one metric of one system.
type raters struct {
	metric record.MetricName
	system record.SystemName
	a, b   string
	rows   map[record.QuestionID]*[4]float64 // as in a Table
	n      int
	joint  int // pairs in which one saw the other's reading
}

// pairs sorts pair records by metric, system and raters, in the order in which they begin.
func (in *Input) pairs() []*raters {
	var all []*raters
	for _, rec := range in.Pairs {
		i := slices.IndexFunc(all, func(r *raters) bool {
			return r.metric == rec.Metric && r.system == rec.System && r.a == rec.RaterA && r.b == rec.RaterB
		})
		if i < 0 {
			i = len(all)
			all = append(all, &raters{rec.Metric, rec.System, rec.RaterA, rec.RaterB, map[record.QuestionID]*[4]float64{}, 0, 0})
		}
		all[i].add(rec)
	}
	return all
}

func (r *raters) add(rec *record.Pair) {
	row := r.rows[rec.Question.ID]
	if row == nil {
		row = new([4]float64)
		r.rows[rec.Question.ID] = row
	}
	cell := 0
	if rec.MarkA == record.No {
		cell += 2
	}
	if rec.MarkB == record.No {
		cell++
	}
	row[cell] += cmp.Or(rec.Weight, 1)
	r.n++
	if !rec.Independent {
		r.joint++
	}
}

// questions are the ids of the questions, sorted.
func (r *raters) questions() []record.QuestionID {
	var ids []record.QuestionID
	for id := range r.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// agreements analyses pair records: kappa of each two raters, or the judge's
// rates in the score records corrected by the pairs of judge and person.
func (a *analysis) agreements() error {
	all := a.in.pairs()
	if len(all) == 0 {
		return fmt.Errorf("stat %s is of pair records, and none came", a.Stat)
	}
	if a.Stat == StatKappa {
		for _, r := range all {
			a.out.Intervals = append(a.out.Intervals, a.kappa(r))
		}
		return nil
	}
	var err error
	if a.series, err = collect(a.in.Scores); err != nil {
		return err
	}
	if len(a.series) == 0 {
		return fmt.Errorf("stat %s needs the judge's marks as score records, and none came", a.Stat)
	}
	for _, s := range a.series {
		iv, err := a.correct(s, all)
		if err != nil {
			return err
		}
		a.out.Intervals = append(a.out.Intervals, iv)
	}
	return nil
}

func (a *analysis) kappa(r *raters) *record.Interval {
	s := Sample{Dim: 4, Stat: Kappa}
	for _, id := range r.questions() {
		s.Rows = append(s.Rows, r.rows[id][:]...)
	}
	iv := a.interval(r, r.system)
	iv.N = s.N()
	a.fill(iv, s, "one label only")
	a.trust(r.metric).apply(iv)
	return iv
}

// interval begins an interval from pairs.
func (a *analysis) interval(r *raters, system record.SystemName) *record.Interval {
	t := a.trust(r.metric)
	iv := &record.Interval{Metric: r.metric, System: cmp.Or(system, "all"), Judge: r.a + " and " + r.b, Stat: a.Stat, Level: a.Level, Warnings: t.warnings}
	if r.joint > 0 {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("%d of %d pairs are not independent", r.joint, r.n))
	}
	return iv
}

// correct is the rate of a series of a judge's marks, corrected by how often
// the judge (rater A) agrees with the person (rater B) on the same metric.
func (a *analysis) correct(s *series, all []*raters) (*record.Interval, error) {
	var r *raters
	for _, candidate := range all {
		switch {
		case candidate.metric != s.metric:
		case r == nil:
			r = candidate
		default:
			return nil, fmt.Errorf("%s has pairs of %s with %s and of %s with %s: one judge is corrected by one person at a time", s.metric, r.a, r.b, candidate.a, candidate.b)
		}
	}
	if r == nil {
		return nil, fmt.Errorf("%s has scores of %s, and no pairs to correct them by", s.metric, s.system)
	}
	rows := map[record.QuestionID]*[6]float64{}
	ids := r.questions()
	for id, row := range r.rows {
		rows[id] = &[6]float64{row[0], row[1], row[2], row[3]}
	}
	for _, u := range s.units {
		if rows[u.id] == nil {
			rows[u.id] = new([6]float64)
			ids = append(ids, u.id)
		}
		for _, v := range u.values {
			rows[u.id][4] += v
			rows[u.id][5]++
		}
	}
	slices.Sort(ids)
	sample := Sample{Dim: 6, Stat: Corrected}
	for _, id := range ids {
		sample.Rows = append(sample.Rows, rows[id][:]...)
	}
	iv := a.interval(r, s.system)
	iv.NUnscored, iv.NError = s.counts()
	iv.N = len(s.means())
	a.fill(iv, sample, "the judge is no better than chance, or one label is missing")
	a.trust(s.metric).apply(iv)
	return iv, nil
}
