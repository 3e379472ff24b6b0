package lexical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/quotation"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A Scorer tells how well each text answers a question, as the cross-encoder of
// pkg/rerank does: by a logit.
type Scorer interface {
	Score(ctx context.Context, question string, texts []string) ([]float64, error)
	Model() record.Model
}

// New returns the judge without a model. Idf is that of the corpus; nil takes
// that of the passages of each case.
func New(idf *IDF) judge.Judge { return lexical{idf: idf, table: plain} }

// NewCE returns the judge that asks a cross-encoder too.
func NewCE(idf *IDF, s Scorer) judge.Judge { return lexical{idf: idf, table: mixed, scorer: s} }

type lexical struct {
	idf    *IDF
	table  table
	scorer Scorer // nil without
}

// Name is lexical or lexical+ce.
func (l lexical) Name() string { return l.table.name }

// Model is the cross-encoder, or the judge itself.
func (l lexical) Model() record.Model {
	if l.scorer == nil {
		return record.Model{Name: judge.Lexical}
	}
	return l.scorer.Model()
}

// Version is a hash of the weights, the idle words, the rules and the idf.
func (l lexical) Version() string {
	return quotation.Digest("v1", fmt.Sprint(l.table), fmt.Sprint(relevant), idleText, l.idf.digest())[:16]
}

// Faithful holds each sentence of the answer against the passages.
func (l lexical) Faithful(ctx context.Context, c judge.Case) (judge.Reading, error) {
	idf := l.idfOf(c)
	pages, known, err := pagesOf(c)
	if err != nil {
		return judge.Reading{}, err
	}
	r := judge.Reading{Mark: record.Yes}
	for _, s := range judge.Sentences(c.Answer) {
		cl := newClaim(s, idf)
		f, err := l.check(ctx, cl, pages, known)
		if err != nil {
			return judge.Reading{}, err
		}
		if f.score >= l.table.threshold {
			r.Claims = append(r.Claims, record.Claim{Claim: s, Supported: record.Yes, Quote: f.window.text(), Label: f.window.page.label})
			continue
		}
		if f.window.coverage < idleCoverage && cl.idle() {
			continue
		}
		r.Mark = record.No
		r.Claims = append(r.Claims, record.Claim{Claim: s, Supported: record.No})
	}
	if len(r.Claims) == 0 {
		return judge.Reading{}, errors.New("no sentence of the answer claims anything")
	}
	return r, nil
}

// idleCoverage is the coverage from which a sentence of idle words is held to be
// a claim all the same: the passages say something of the kind.
const idleCoverage = 0.5

// A finding is what was made of a claim.
type finding struct {
	window window
	score  float64 // from 0 to 1: how likely it is that the passages support it
	broken string  // the rule that it breaks
}

// check looks a claim up in the passages.
func (l lexical) check(ctx context.Context, c claim, pages []page, known map[string]bool) (finding, error) {
	if len(c.tokens) > 0 {
		if w, ok := c.verbatim(pages); ok {
			return finding{window: w, score: 1}, nil
		}
	}
	f := finding{window: c.best(pages)}
	if f.window.coverage == 0 {
		return f, nil
	}
	x, err := l.features(ctx, c, f.window, pages)
	if err != nil {
		return f, err
	}
	f.score = l.table.score(x)
	if f.broken = c.broken(f.window, pages, known); f.broken != "" {
		f.score = l.table.below(f.score)
	}
	return f, nil
}

// pagesOf reads the passages, and the words that a claim may name without them:
// those of the question and the headings.
func pagesOf(c judge.Case) (pages []page, known map[string]bool, err error) {
	known = vocabulary(tokens(c.Question))
	for _, p := range c.Passages {
		if pg := newPage(p.Label, p.Text); len(pg.units) > 0 {
			pages = append(pages, pg)
		}
		for w := range vocabulary(tokens(strings.Join(p.Headings, "\n"))) {
			known[w] = true
		}
	}
	switch {
	case len(pages) == 0:
		return nil, nil, errors.New("the passages are empty")
	case strings.TrimSpace(c.Answer) == "":
		return nil, nil, errors.New("the answer is empty")
	}
	return pages, known, nil
}

// idfOf is the idf of the corpus, or where there is none that of the passages.
func (l lexical) idfOf(c judge.Case) *IDF {
	return cmp.Or(l.idf, NewIDF(func(yield func(string) bool) {
		for _, p := range c.Passages {
			if !yield(p.Text) {
				return
			}
		}
	}))
}

// Relevant holds the answer, less its idle sentences, against the question.
func (l lexical) Relevant(_ context.Context, c judge.Case) (judge.Reading, error) {
	if strings.TrimSpace(c.Answer) == "" {
		return judge.Reading{}, errors.New("the answer is empty")
	}
	q := newClaim(c.Question, l.idfOf(c))
	if q.total == 0 {
		return judge.Reading{}, errors.New("the question has no word to look for")
	}
	said := map[string]bool{}
	for _, s := range judge.Sentences(c.Answer) {
		if a := newClaim(s, nil); !a.idle() {
			maps.Copy(said, vocabulary(a.tokens))
		}
	}
	if q.coverage(said) >= relevant {
		return judge.Reading{Mark: record.Yes}, nil
	}
	return judge.Reading{Mark: record.No}, nil
}

// logistic is the chance that goes with a logit.
func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
