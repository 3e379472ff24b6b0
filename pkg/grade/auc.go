package grade

import (
	"math"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// auc is the area under the ROC curve of scores of answerable and unanswerable
// questions, with the share of the other group that each question is on the
// right side of, ties half.
func auc(answerable, unanswerable []float64) (area float64, right, wrong []float64) {
	side := func(a, b float64) float64 {
		switch {
		case a > b:
			return 1
		case a == b:
			return 0.5
		}
		return 0
	}
	right, wrong = make([]float64, len(answerable)), make([]float64, len(unanswerable))
	for i, a := range answerable {
		for j, u := range unanswerable {
			v := side(a, u)
			right[i] += v / float64(len(unanswerable))
			wrong[j] += v / float64(len(answerable))
			area += v
		}
	}
	return area / float64(len(answerable)*len(unanswerable)), right, wrong
}

// influence is a question's value, see the package comment; m is its group's size.
func influence(area, share float64, m, n int) float64 {
	scale := float64(n) / float64(m)
	if m > 1 {
		scale *= math.Sqrt(float64(m) / float64(m-1))
	}
	return area + scale*(share-area)
}

// willing is how much the engine would answer; below all else where there was nothing to answer from.
func willing(a *record.Answer) (float64, bool) {
	switch {
	case a.RefusalScore != nil:
		return *a.RefusalScore, true
	case a.Refused && len(a.Passages) == 0:
		return math.Inf(-1), true
	}
	return 0, false
}

// areaScores are those of refusal-auc; none where the engine has no refusal score.
func (g *Answers) areaScores(system record.SystemName, items []*item) []*record.Score {
	var groups [2][]float64 // answerable, unanswerable
	any := false
	for _, it := range items {
		w, ok := willing(it.answer)
		any = any || it.answer.RefusalScore != nil
		if ok && it.answer.Status == record.Scored {
			i := group(it.question)
			groups[i] = append(groups[i], w)
		}
	}
	if !any || len(groups[0]) == 0 || len(groups[1]) == 0 {
		return nil
	}
	area, right, wrong := g.area(groups[0], groups[1])
	shares := [2][]float64{right, wrong}
	var all []*record.Score
	for _, it := range items {
		s := &record.Score{Question: record.QuestionRef{ID: it.ID, Text: it.Text}, System: system, Metric: RefusalAUC,
			Status: it.answer.Status, Reason: it.answer.Reason}
		if s.Status == record.Scored {
			if _, ok := willing(it.answer); !ok {
				s.Status, s.Reason = record.Unscored, "the engine gave no refusal score"
			} else {
				i := group(it.question)
				v := influence(area, shares[i][0], len(groups[i]), len(groups[0])+len(groups[1]))
				shares[i], s.Value, s.Reason = shares[i][1:], &v, ""
			}
		}
		all = append(all, s)
	}
	return all
}

func group(q *question) int {
	if q.Answerable() {
		return 0
	}
	return 1
}
