package boot

import (
	"fmt"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// fewestLabels is how many labels of yes, and of no, a correction needs.
const fewestLabels = 10

// corrections puts the rate of each series of a judge's marks right by the
// labels of each person. What has no labels has no correction.
func (a *analysis) corrections(all []*raters, wanted []string) (err error) {
	if a.series == nil {
		if a.series, err = collect(a.in.Scores); err != nil {
			return err
		}
	}
	made := 0
	for _, s := range a.series {
		by, err := a.correctors(s, all)
		if err != nil {
			return err
		}
		for _, r := range by {
			made++
			for _, c := range []struct {
				stat string
				of   Stat
			}{{StatCorrected, Corrected}, {StatPPI, Powered}} {
				if slices.Contains(wanted, c.stat) {
					a.out.Intervals = append(a.out.Intervals, a.correct(s, r, c.stat, c.of))
				}
			}
		}
	}
	switch {
	case made > 0 || a.Stat == StatAll:
		return nil
	case len(a.series) == 0:
		return fmt.Errorf("stat %s needs the judge's marks as score records, and none came", a.Stat)
	}
	return fmt.Errorf("%s has scores of %s, and no pairs to correct them by", a.series[0].measure, a.series[0].system)
}

// correctors are the pairs of a series' judge with people. Scores that name no
// judge are of whoever is rater A, who must be one.
func (a *analysis) correctors(s *series, all []*raters) ([]*raters, error) {
	var by []*raters
	for _, r := range all {
		if r.metric != s.metric || r.system != "" && r.system != s.system || !a.in.person(r) || s.judge != "" && r.a != s.judge {
			continue
		}
		if s.judge == "" && len(by) > 0 {
			return nil, fmt.Errorf("%s has pairs of %s with %s and of %s with %s: scores that name no judge are corrected by one person", s.metric, by[0].a, by[0].b, r.a, r.b)
		}
		if r.system == s.system || !slices.ContainsFunc(all, func(own *raters) bool { // the system's own, else those of all
			return own.metric == r.metric && own.a == r.a && own.b == r.b && own.system == s.system
		}) {
			by = append(by, r)
		}
	}
	return by, nil
}

// correct is the rate of a series of a judge's marks, corrected by how often
// the judge (rater A) agrees with the person (rater B). Marks and labels of a
// question are drawn together.
func (a *analysis) correct(s *series, r *raters, stat string, of Stat) *record.Interval {
	iv := a.interval(r, stat)
	iv.System = s.system
	iv.NUnscored, iv.NError = s.counts()
	iv.N = len(s.means())
	before := len(iv.Warnings)
	if why := r.free.short(a.Level); why != "" {
		iv.Reason = withheld + why
	} else {
		re := a.fill(iv, s.beside(r.free.rows, of), "the judge is no better than chance, or one label is missing")
		keepWithin(iv, re)
		iv.Warnings = append(iv.Warnings, r.free.said())
	}
	if a.decide(iv, r); !iv.Trusted && !Excused(iv) {
		iv.Warnings = iv.Warnings[:before] // which would tell how a judge that is not trusted does
	}
	return iv
}

// beside is a sample with a row a question: the four counts of its independent
// labels, the judge's share of yes, and 1 where the judge marked it.
func (s *series) beside(free map[record.QuestionID]*[4]float64, of Stat) Sample {
	rows := map[record.QuestionID]*[6]float64{}
	var ids []record.QuestionID
	row := func(id record.QuestionID) *[6]float64 {
		if rows[id] == nil {
			rows[id] = new([6]float64)
			ids = append(ids, id)
		}
		return rows[id]
	}
	for id, counts := range free {
		copy(row(id)[:4], counts[:])
	}
	for _, u := range s.units {
		if len(u.values) > 0 {
			row(u.id)[4], row(u.id)[5] = u.mean(), 1
		}
	}
	slices.Sort(ids)
	sample := Sample{Dim: 6, Stat: of}
	for _, id := range ids {
		sample.Rows = append(sample.Rows, rows[id][:]...)
	}
	return sample
}

// table sums the labels.
func (l labels) table() Table {
	var ids []record.QuestionID
	for id := range l.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids) // sums of weights depend on their order
	sum := make([]float64, 4)
	for _, id := range ids {
		for i, v := range l.rows[id] {
			sum[i] += v
		}
	}
	return table(sum)
}

// short is why labels do not bear a correction, with how many would; "" where they do.
func (l labels) short(level float64) string {
	n := l.yes.n + l.no.n
	fewest := min(l.yes.n, l.no.n)
	switch {
	case n == 0:
		return "no label is independent of the judge's family"
	case fewest < fewestLabels:
		// The share of the rarer label, with one of each added so that it is not 0.
		share := (float64(fewest) + 1) / (float64(n) + 2)
		enough := max(n+fewestLabels-fewest, int(math.Ceil(fewestLabels/share)))
		return fmt.Sprintf("%d independent labels yes and %d no, %d of each are needed: about %d labels in all would do, drawn as these were", l.yes.n, l.no.n, fewestLabels, enough)
	}
	t := l.table()
	tpr, _ := t.TPR()
	tnr, _ := t.TNR()
	youden := tpr + tnr - 1
	lower := youdenLower(tpr, tnr, l.yes.effective(), l.no.effective(), level)
	if lower > 0 {
		return ""
	}
	said := fmt.Sprintf("TPR %.3f and TNR %.3f: TPR + TNR − 1 is %.3f, from %.3f on, and must be above 0", tpr, tnr, youden, lower)
	if youden <= 0 {
		return said + ": no number of labels would do, the judge is not better than chance"
	}
	return fmt.Sprintf("%s: about %d labels in all would do if the rates stay as they are, by the normal approximation", said, enoughLabels(tpr, tnr, float64(l.yes.n), float64(l.no.n), level))
}

// youdenLower is the lower bound of TPR + TNR − 1, the difference of two
// independent proportions (TPR less 1 − TNR), from their Wilson intervals
// (Newcombe 1998, method 10, doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I).
func youdenLower(tpr, tnr, yes, no, level float64) float64 {
	l1, _ := wilson(tpr, yes, level)
	l2, _ := wilson(tnr, no, level)
	return tpr + tnr - 1 - math.Hypot(tpr-l1, tnr-l2)
}

// enoughLabels is how many labels would bring the lower bound above 0 if shares
// and rates stayed as they are: z²·(TPR(1−TPR)/π + TNR(1−TNR)/(1−π))/J², π the
// share of yes and J = TPR+TNR−1, with the rates of one success and one failure more.
func enoughLabels(tpr, tnr, yes, no, level float64) int {
	z := quantile(1 - (1-level)/2)
	n := yes + no
	spread := func(p, k float64) float64 {
		p = (p*k + 1) / (k + 2)
		return p * (1 - p) / (k / n)
	}
	j := tpr + tnr - 1
	return max(int(n)+1, int(math.Ceil(z*z*(spread(tpr, yes)+spread(tnr, no))/(j*j))))
}

// said is what the correction stands on, for a reader.
func (l labels) said() string {
	t := l.table()
	tpr, _ := t.TPR()
	tnr, _ := t.TNR()
	s := fmt.Sprintf("by %d independent labels yes and %d no: TPR %.3f, TNR %.3f", l.yes.n, l.no.n, tpr, tnr)
	if t.NoYes == 0 || t.YesNo == 0 {
		s += "; they show no error of one kind, so the interval is too narrow"
	}
	return s
}

// keepWithin keeps a rate and its interval within 0 and 1, and says so where
// they were not; a rate whose whole interval is outside is taken back.
func keepWithin(iv *record.Interval, resamples []float64) {
	if iv.Value == nil {
		return
	}
	if iv.Lo != nil && (*iv.Lo > 1 || *iv.Hi < 0) {
		iv.Reason = fmt.Sprintf("%sthe correction gives %.3f [%.3f, %.3f], which is no rate: labels and marks contradict each other", withheld, *iv.Value, *iv.Lo, *iv.Hi)
		iv.Trusted, iv.Value, iv.Lo, iv.Hi = false, nil, nil, nil
		return
	}
	outside := 0
	for _, v := range resamples {
		if v < 0 || v > 1 {
			outside++
		}
	}
	if raw := *iv.Value; raw < 0 || raw > 1 {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("the correction gives %.3f, cut off at %.0f", raw, math.Round(min(1, max(0, raw)))))
	}
	if outside > 0 {
		iv.Warnings = append(iv.Warnings, fmt.Sprintf("%d of %d resamples are outside of 0 to 1, where the interval is cut off", outside, len(resamples)))
	}
	for _, v := range []*float64{iv.Value, iv.Lo, iv.Hi} {
		if v != nil {
			*v = min(1, max(0, *v))
		}
	}
}
