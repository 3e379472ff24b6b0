package boot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// raters is the pairs of two raters on one metric of one system; "" is all systems.
type raters struct {
	metric record.MetricName
	system record.SystemName
	a, b   string
	rows   map[record.QuestionID]*[4]float64 // as in a Table
	n      int
	free   labels  // of the pairs in which none saw the other's reading
	light  float64 // the smallest weight of a pair, and the greatest
	heavy  float64
	from   []stream
}

// labels are pairs whose rater B is right: what a correction stands on.
type labels struct {
	rows    map[record.QuestionID]*[4]float64
	yes, no class
}

// class is the labels of one mark of B: their number, weights, and squares of them.
type class struct {
	n               int
	weight, squares float64
}

// effective is the number of equal weights that would say as much (Kish 1965).
func (c class) effective() float64 {
	if c.squares == 0 {
		return 0
	}
	return c.weight * c.weight / c.squares
}

func newRaters(metric record.MetricName, system record.SystemName, a, b string) *raters {
	return &raters{metric: metric, system: system, a: a, b: b,
		rows: map[record.QuestionID]*[4]float64{}, free: labels{rows: map[record.QuestionID]*[4]float64{}}}
}

// pairs sorts pair records by metric, system and raters, in the order in which
// they begin; where a metric has several systems, all of them together come last.
func (in *Input) pairs() []*raters {
	var all, pooled []*raters
	find := func(list *[]*raters, rec *record.Pair, system record.SystemName) *raters {
		for _, r := range *list {
			if r.metric == rec.Metric && r.system == system && r.a == rec.RaterA && r.b == rec.RaterB {
				return r
			}
		}
		r := newRaters(rec.Metric, system, rec.RaterA, rec.RaterB)
		*list = append(*list, r)
		return r
	}
	for _, rec := range in.Pairs {
		find(&all, rec, rec.System).add(rec, in.origins[rec].stream)
		find(&pooled, rec, "").add(rec, in.origins[rec].stream)
	}
	for _, p := range pooled {
		parts := 0
		for _, r := range all {
			if r.metric == p.metric && r.a == p.a && r.b == p.b {
				parts++
			}
		}
		if parts > 1 && !slices.ContainsFunc(all, func(r *raters) bool { return r.system == "" }) {
			all = append(all, p)
		}
	}
	return all
}

func (r *raters) add(rec *record.Pair, from stream) {
	var t Table
	weight := cmp.Or(rec.Weight, 1)
	t.Add(rec.MarkA, rec.MarkB, weight)
	count := func(rows map[record.QuestionID]*[4]float64) {
		if rows[rec.Question.ID] == nil {
			rows[rec.Question.ID] = new([4]float64)
		}
		for i, v := range []float64{t.YesYes, t.YesNo, t.NoYes, t.NoNo} {
			rows[rec.Question.ID][i] += v
		}
	}
	count(r.rows)
	if r.n == 0 {
		r.light, r.heavy = weight, weight
	}
	r.light, r.heavy = min(r.light, weight), max(r.heavy, weight)
	r.n++
	if !slices.Contains(r.from, from) {
		r.from = append(r.from, from)
	}
	if !rec.Independent {
		return
	}
	count(r.free.rows)
	c := &r.free.no
	if rec.MarkB == record.Yes {
		c = &r.free.yes
	}
	c.n++
	c.weight += weight
	c.squares += weight * weight
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

// again says whether the pairs are of one rater with itself.
func (r *raters) again() bool { return r.b == r.a+Again }

// judge says whether a rater is a judge: it has scores or a judge's controls, or
// a control of agreement calls it one, whatever else was filtered out.
func (in *Input) judge(rater string) bool {
	return slices.ContainsFunc(in.Scores, func(s *record.Score) bool { return s.Judge == rater }) ||
		slices.ContainsFunc(in.Controls, func(c *record.Control) bool {
			return c.Judge == rater && slices.Contains(record.JudgeControls(c.Metric), c.Control) || called(c, rater)
		})
}

// person says whether rater B is one, who can put rater A right: a judge, or
// anybody where no judge is known by its scores or controls.
func (in *Input) person(r *raters) bool {
	return !r.again() && !in.judge(r.b) && (in.judge(r.a) || !in.judges())
}

// judges says whether any judge is known.
func (in *Input) judges() bool {
	return slices.ContainsFunc(in.Scores, func(s *record.Score) bool { return s.Judge != "" })
}

// interval begins an interval from pairs.
func (a *analysis) interval(r *raters, stat string) *record.Interval {
	iv := &record.Interval{Metric: r.metric, System: cmp.Or(r.system, "all"), Judge: Raters(r.a, r.b), Stat: stat, Level: a.Level}
	if joint := r.n - r.free.yes.n - r.free.no.n; joint > 0 {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("%d of %d pairs are not independent", joint, r.n))
	}
	if r.light < r.heavy {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("the pairs weigh from %.3g to %.3g", r.light, r.heavy))
	}
	return iv
}

// decide takes the numbers out of an interval from pairs where a judge among the
// raters is not trusted, or the controls of agreement do not stand behind it.
func (a *analysis) decide(iv *record.Interval, r *raters) {
	if !iv.Trusted && strings.HasPrefix(iv.Reason, "undefined (") {
		return
	}
	var theirs []string
	elsewhere := a.Stat == StatAll // it is said of the judges' own figures
	for _, rater := range []string{r.a, strings.TrimSuffix(r.b, Again)} {
		if rater == r.b && r.again() || !a.in.judge(rater) {
			continue
		}
		m := measure{r.metric, rater}
		elsewhere = elsewhere && len(scoresOf(a.in.Scores, m)) > 0
		why := a.trust(m).of(r.system)
		for _, from := range r.from { // the marks that were paired came from there
			why = append(why, a.stand(m, from)...)
		}
		for _, why := range why {
			short, _, _ := strings.Cut(why, ":") // the evidence stands with the judge's own figures
			if short = "judge " + rater + ": " + short; !slices.Contains(theirs, short) {
				theirs = append(theirs, short)
			}
		}
	}
	own := a.agreed(r, iv)
	if len(theirs)+len(own) == 0 {
		return
	}
	t := trust{reasons: map[record.SystemName][]string{"": append(theirs, own...)}}
	a.inherited[iv] = len(own) == 0 && elsewhere
	t.apply(iv)
}

// agreed is what the controls of agreement say of two raters.
func (a *analysis) agreed(r *raters, iv *record.Interval) []string {
	var t trust
	if record.JudgeControls(r.metric) == nil { // no judge's: any control of the metric
		t = a.trust(measure{metric: r.metric})
	} else {
		t.reasons = map[record.SystemName][]string{}
		for _, from := range r.from {
			seen := a.in.controls(measure{r.metric, Raters(r.a, r.b)}, &from)
			t.heed(seen)
			for _, name := range []string{Itself, Permuted} {
				if !slices.ContainsFunc(seen, func(c *record.Control) bool { return c.Control == name }) {
					t.add("", "the control of agreement "+name+" was not seen")
				}
			}
			seen = slices.DeleteFunc(seen, func(c *record.Control) bool { return !ofAgreement(c) })
			t.add("", behindOthers(seen, sealPairs(a.in.pairsFrom(r, from)))...)
		}
	}
	for _, w := range t.warnings {
		if !slices.Contains(iv.Warnings, w) {
			iv.Warnings = append(iv.Warnings, w)
		}
	}
	return t.of(r.system)
}

// pairsFrom are the pairs of two raters in one stream, of all systems.
func (in *Input) pairsFrom(r *raters, from stream) []*record.Pair {
	var all []*record.Pair
	for _, p := range in.Pairs {
		if p.Metric == r.metric && p.RaterA == r.a && p.RaterB == r.b && in.origins[p].stream == from {
			all = append(all, p)
		}
	}
	return all
}

// of lists the reasons not to trust the metric of a system; "" is of any.
func (t trust) of(system record.SystemName) []string {
	if system != "" {
		return t.why(system)
	}
	var all []record.SystemName
	for s := range t.reasons {
		all = append(all, s)
	}
	slices.Sort(all)
	return t.why(all...)
}
