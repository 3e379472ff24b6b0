package boot

import "github.com/mobiumdev/mobium-rag/pkg/record"

// Again is what stands after a rater's name where it is paired with itself,
// asked the same once more.
const Again = ", again"

// The controls of agreement: a rater with itself, and with permuted marks.
const (
	Itself   = "itself"
	Permuted = "permuted"
)

// OneLabel is why an agreement is undefined where both raters use one label only.
const OneLabel = "undefined (one label only)"

// Raters names two raters where records have room for one.
func Raters(a, b string) string { return a + " and " + b }

// Table counts pairs of marks, by weight: of two raters, or of a judge (A) and
// a person (B) who is right.
type Table struct {
	// YesYes is yes by A and by B, YesNo yes by A and no by B.
	YesYes, YesNo, NoYes, NoNo float64
}

// Add counts one pair with its weight.
func (t *Table) Add(a, b record.Mark, weight float64) {
	switch {
	case a == record.Yes && b == record.Yes:
		t.YesYes += weight
	case a == record.Yes:
		t.YesNo += weight
	case b == record.Yes:
		t.NoYes += weight
	default:
		t.NoNo += weight
	}
}

// N is the weight of all pairs.
func (t Table) N() float64 { return t.YesYes + t.YesNo + t.NoYes + t.NoNo }

// Kappa is Cohen's kappa (Cohen 1960, doi:10.1177/001316446002000104), the
// agreement beyond what the raters' rates alone would give, as scikit-learn's
// cohen_kappa_score. Undefined (ok is false) where there is one label only.
func (t Table) Kappa() (kappa float64, ok bool) {
	n := t.N()
	if n == 0 || t.YesYes == n || t.NoNo == n {
		return 0, false
	}
	a, b := (t.YesYes+t.YesNo)/n, (t.YesYes+t.NoYes)/n
	expected := a*b + (1-a)*(1-b)
	return 1 - (t.YesNo+t.NoYes)/n/(1-expected), true
}

// TPR is the share of B's yes that A calls yes; undefined without any.
func (t Table) TPR() (float64, bool) { return share(t.YesYes, t.NoYes) }

// TNR is the share of B's no that A calls no; undefined without any.
func (t Table) TNR() (float64, bool) { return share(t.NoNo, t.YesNo) }

// BaseRate is B's share of yes; undefined without pairs.
func (t Table) BaseRate() (float64, bool) {
	return share(t.YesYes+t.NoYes, t.YesNo+t.NoNo)
}

func share(in, out float64) (float64, bool) {
	if in+out == 0 {
		return 0, false
	}
	return in / (in + out), true
}

// RoganGladen is the rate of yes behind a judge's rate, given how often the
// judge is right about yes and about no (Rogan and Gladen 1978,
// doi:10.1093/oxfordjournals.aje.a112510): (rate + TNR - 1) / (TPR + TNR - 1).
// It is not kept within 0 and 1: outside, labels and marks do not fit, which the
// caller must say. Undefined where the judge is no better than chance.
func RoganGladen(rate, tpr, tnr float64) (float64, bool) {
	if tpr+tnr <= 1 {
		return 0, false
	}
	return (rate + tnr - 1) / (tpr + tnr - 1), true
}

// PPI is the prediction-powered estimate of a mean (Angelopoulos and others
// 2023, doi:10.1126/science.adi6000): the judge's mean over everything, put
// right by its mean error where a person marked too.
func PPI(judgeAll, judgeMarked, personMarked float64) float64 {
	return judgeAll + personMarked - judgeMarked
}

// table reads a row of sums: yes/yes, yes/no, no/yes, no/no.
func table(sum []float64) Table { return Table{sum[0], sum[1], sum[2], sum[3]} }

// Kappa is the statistic of rows that count a question's pairs as a Table does.
func Kappa(sum []float64, _ int) (float64, bool) { return table(sum).Kappa() }

// Corrected is the statistic of rows (the four counts of a Table of judge and
// person, the judge's yes, the judge's marks): the judge's rate after Rogan and Gladen.
func Corrected(sum []float64, _ int) (float64, bool) {
	t := table(sum)
	tpr, ok1 := t.TPR()
	tnr, ok2 := t.TNR()
	if !ok1 || !ok2 || sum[5] == 0 {
		return 0, false
	}
	return RoganGladen(sum[4]/sum[5], tpr, tnr)
}

// Powered is the statistic of the same rows: PPI.
func Powered(sum []float64, _ int) (float64, bool) {
	t := table(sum)
	n := t.N()
	if n == 0 || sum[5] == 0 {
		return 0, false
	}
	return PPI(sum[4]/sum[5], (t.YesYes+t.YesNo)/n, (t.YesYes+t.NoYes)/n), true
}
