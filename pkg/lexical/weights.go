package lexical

import (
	"context"
	"math"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/quotation"
)

// A table is how features become a score: the logistic of bias + Σ weight·feature.
// Weights and threshold are fitted on the chosen half of AttributionBench and
// frozen; a test fits them again.
type table struct {
	name      string
	features  []feature
	bias      float64
	threshold float64
}

type feature struct {
	name   featureName
	weight float64
}

type featureName string

const (
	// coverage is the claim's idf in the best window, 0 to 1.
	coverage featureName = "coverage"
	// order is the share of the claim's neighbouring content words that stand near
	// each other in the best window, in the same order.
	order featureName = "order"
	// length is ln(1+n) of the claim's n content words, at most 40: a short claim
	// is covered by chance more often.
	length featureName = "length"
	// margin is the cross-encoder's logit of the claim as query, mean of the best
	// chunk and the best window, less that of the claim over itself: -12 to 0.
	margin featureName = "margin"
)

var (
	plain = table{name: judge.Lexical, bias: -2.7440, threshold: 0.5, features: []feature{
		{coverage, 2.4671},
		{order, 1.6355},
		{length, 0.3661},
	}}
	mixed = table{name: judge.LexicalCE, bias: -0.6273, threshold: 0.5, features: []feature{
		{coverage, 1.4376},
		{length, 0.4257},
		{margin, 0.2107},
	}}
)

// relevant is the share of the question's idf that an answer must have. It was
// chosen on the FastAPI docs alone: the three sentences of the gold pages that
// hold most of a question, as an answer to it and to each question that shares no
// gold page (63 and 3,810 pairs, AUC 0.995).
//
//	threshold                   0.15   0.20   0.25   0.30   0.40   0.50
//	its own answer passes      1.000  1.000  1.000  0.952  0.905  0.841
//	another question's passes  0.124  0.080  0.056  0.036  0.015  0.007
const relevant = 0.25

func (t table) score(x map[featureName]float64) float64 {
	z := t.bias
	for _, f := range t.features {
		z += f.weight * x[f.name]
	}
	return logistic(z)
}

// features are those of the judge's table.
func (l lexical) features(ctx context.Context, c claim, w window, pages []page) (map[featureName]float64, error) {
	n := 0
	for _, t := range c.tokens {
		if t.content() {
			n++
		}
	}
	x := map[featureName]float64{
		coverage: w.coverage,
		order:    c.pairs(w.tokens(), reach),
		length:   math.Log1p(float64(min(n, 40))),
	}
	if l.scorer == nil {
		return x, nil
	}
	query := quotation.OneLine(blank(c.text))
	texts := []string{query, w.text()}
	for _, p := range pages {
		for _, s := range chunks(p.text) {
			texts = append(texts, p.text[s.from:s.to])
		}
	}
	scores, err := l.scorer.Score(ctx, query, texts)
	if err != nil {
		return nil, err
	}
	x[margin] = min(0, max(-12, (slices.Max(scores[2:])+scores[1])/2-scores[0]))
	return x, nil
}
