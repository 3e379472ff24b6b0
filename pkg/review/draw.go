package review

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Sampling says how answers are drawn for labelling.
type Sampling struct {
	// N is how many, 20 by default in mr-review.
	N    int
	Seed uint64
	// Doubtful, where not nil, is oversampled: half of the N come from the
	// answers for which it is true, as far as there are as many.
	Doubtful func(*record.Answer) bool
}

// Drawn is an answer to label.
type Drawn struct {
	Answer *record.Answer
	// Weight is how many answers this one stands for, over the mean of that: 1 in
	// an even draw. It is label.Label's Weight.
	Weight float64
	// Doubtful says from which of the two parts it was drawn.
	Doubtful bool
}

// Draw draws answers, none twice. Refusals, and answers that are errors, are
// not drawn: no judge marks them. Order and choice follow from the seed and
// each answer's question, system and model, so that answers that are added
// later do not turn the order round.
//
// # The estimator
//
// Oversampling splits the M answers into the doubtful and the rest, and draws
// m of M answers evenly from each part (stratified sampling without
// replacement; Cochran, Sampling Techniques, 1977, ch. 5). An answer drawn from
// a part stands for M_part/m_part answers, the inverse of its probability, and
// its weight is that over M/m. So
//
//	Σ weight·y / Σ weight
//
// over the answers drawn is without bias for the mean of y over all M, if all
// that were drawn are marked: Σ weight is m whatever is drawn. The mean
// without weights is not: it leans towards the doubtful. Each part that holds
// answers has at least one drawn.
func Draw(answers []*record.Answer, s Sampling) ([]Drawn, error) {
	if s.N < 1 {
		return nil, fmt.Errorf("expected at least 1 answer to draw, got %d", s.N)
	}
	var parts [2][]ticket // the rest, the doubtful
	for _, a := range answers {
		if a.Refused || a.Status != record.Scored {
			continue
		}
		part := 0
		if s.Doubtful != nil && s.Doubtful(a) {
			part = 1
		}
		parts[part] = append(parts[part], ticket{a, ticketOf(s.Seed, a)})
	}
	all := len(parts[0]) + len(parts[1])
	if all == 0 {
		return nil, errors.New("there is no answer to draw: refusals and errors are not labelled")
	}
	n := min(s.N, all)
	doubtful := min(len(parts[1]), max(n-len(parts[0]), (n+1)/2))
	take := [2]int{n - doubtful, doubtful}
	if take[0] == 0 && len(parts[0]) > 0 {
		return nil, fmt.Errorf("expected at least 2 answers to draw where some are oversampled, got %d", s.N)
	}
	var drawn []Drawn
	order := map[*record.Answer]string{}
	for i, part := range parts {
		slices.SortStableFunc(part, func(a, b ticket) int { return cmp.Compare(a.number, b.number) })
		for _, t := range part[:take[i]] {
			order[t.answer] = t.number
			weight := float64(len(part)) / float64(take[i]) * float64(n) / float64(all)
			drawn = append(drawn, Drawn{t.answer, weight, i == 1})
		}
	}
	slices.SortStableFunc(drawn, func(a, b Drawn) int { return cmp.Compare(order[a.Answer], order[b.Answer]) })
	return drawn, nil
}

// ticket is an answer in the draw: the lowest numbers are drawn.
type ticket struct {
	answer *record.Answer
	number string
}

func ticketOf(seed uint64, a *record.Answer) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s", seed, a.Question.ID, a.System, a.Model))
	return string(sum[:])
}

// Doubt tells which answers are in doubt: two verdicts on one answer disagree on
// a metric, a verdict is unscored or an error, or the answer was nearly refused
// (its refusal score is among the lowest fifth of its system's and model's
// answers that were given, which are all above the threshold). Verdicts on
// controls do not count.
func Doubt(answers []*record.Answer, verdicts []*record.Verdict) func(*record.Answer) bool {
	type judged struct {
		answer string
		metric record.MetricName
	}
	doubtful := map[string]bool{} // by digest
	marks := map[judged]record.Mark{}
	for _, v := range verdicts {
		if v.Control != "" {
			continue
		}
		key := judged{v.Answer, v.Metric}
		if v.Status != record.Scored || marks[key] != "" && marks[key] != v.Mark {
			doubtful[v.Answer] = true
			continue
		}
		marks[key] = v.Mark
	}
	near := nearlyRefused(answers)
	return func(a *record.Answer) bool { return near[a] || doubtful[a.Digest()] }
}

// nearlyRefused is the lowest fifth, rounded up, of each system's and model's
// answers by refusal score; equal scores go together.
func nearlyRefused(answers []*record.Answer) map[*record.Answer]bool {
	type engine struct {
		system record.SystemName
		model  string
	}
	scores := map[engine][]float64{}
	given := func(a *record.Answer) bool {
		return !a.Refused && a.Status == record.Scored && a.RefusalScore != nil
	}
	for _, a := range answers {
		if e := (engine{a.System, a.Model}); given(a) {
			scores[e] = append(scores[e], *a.RefusalScore)
		}
	}
	for _, s := range scores {
		slices.Sort(s)
	}
	near := map[*record.Answer]bool{}
	for _, a := range answers {
		if s := scores[engine{a.System, a.Model}]; given(a) && *a.RefusalScore <= s[(len(s)+4)/5-1] {
			near[a] = true
		}
	}
	return near
}
