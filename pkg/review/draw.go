package review

import "github.com/mobiumdev/mobium-rag/pkg/record"

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
	// an even draw. It goes into label.Label's Weight.
	Weight float64
	// Doubtful says from which of the two parts it was drawn.
	Doubtful bool
}

// Draw draws answers without putting any back. Refusals, and answers that are
// errors, are not drawn: no judge marks them. The order is the seed's.
func Draw(answers []*record.Answer, s Sampling) ([]Drawn, error) {
	panic("review: Draw is not there yet")
}

// Doubt tells which answers judges do not settle: two verdicts on one answer
// and metric disagree, one is unscored, or the answer's refusal score lies
// among the fifth of all answers' that is nearest to the threshold.
func Doubt(answers []*record.Answer, verdicts []*record.Verdict) func(*record.Answer) bool {
	panic("review: Doubt is not there yet")
}
