package lexical

import (
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

// New returns the judge without a model. Idf is that of the corpus; nil, or one of
// no texts, takes that of the passages of each case.
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

// Version is a hash of the weights, the word lists, the rules and the idf.
func (l lexical) Version() string {
	return quotation.Digest("v1", fmt.Sprint(l.table), fmt.Sprint(relevant), idleText, verdictText, commonText, l.idf.digest())[:16]
}

// Faithful holds each sentence of the answer against the passages.
func (l lexical) Faithful(ctx context.Context, c judge.Case) (judge.Reading, error) {
	idf := l.idfOf(c)
	s, err := subjectOf(c)
	if err != nil {
		return judge.Reading{}, err
	}
	r := judge.Reading{Mark: record.Yes}
	var aside []record.Claim
	for _, text := range judge.Sentences(c.Answer) {
		cl := newClaim(text, idf)
		f, err := l.check(ctx, cl, s)
		switch {
		case err != nil:
			return judge.Reading{}, err
		case f.score >= l.table.threshold:
			r.Claims = append(r.Claims, record.Claim{Claim: text, Supported: record.Yes, Quote: f.window.text(), Label: f.window.page.label})
		case cl.idle() && !f.near:
		case cl.aside(s.words) && !f.near:
			aside = append(aside, record.Claim{Claim: text, Supported: record.No})
		default:
			r.Mark = record.No
			r.Claims = append(r.Claims, record.Claim{Claim: text, Supported: record.No})
		}
	}
	if len(r.Claims) == 0 { // an answer must speak of something
		r.Mark, r.Claims = record.No, aside
	}
	if len(r.Claims) == 0 {
		return judge.Reading{}, errors.New("no sentence of the answer claims anything")
	}
	return r, nil
}

// A finding is what was made of a claim.
type finding struct {
	window window
	score  float64 // from 0 to 1: how likely it is that the passages support it
	broken string  // the rule that it breaks
	near   bool    // some sentences of a passage are nearly it
}

// check looks a claim up in the passages.
func (l lexical) check(ctx context.Context, c claim, s subject) (finding, error) {
	if len(c.terms) > 0 {
		if w, ok := c.verbatim(s.pages); ok {
			return finding{window: w, score: 1, near: true}, nil
		}
	}
	f := finding{window: c.best(s.pages)}
	if f.window.coverage == 0 {
		return f, nil
	}
	nearby := c.near(s.pages)
	f.near = len(nearby) > 0
	if f.broken = c.broken(f.window, nearby, s.named); f.broken != "" || c.idle() {
		return f, nil // whatever the score would be: the cross-encoder takes its time
	}
	x, err := l.features(ctx, c, f.window, s.pages)
	if err != nil {
		return f, err
	}
	f.score = l.table.score(x)
	return f, nil
}

// A subject is what an answer may speak of.
type subject struct {
	pages []page
	// named are the words of the question and the headings, words those of the passages too.
	named, words map[string]bool
}

// subjectOf reads the passages and the question.
func subjectOf(c judge.Case) (subject, error) {
	s := subject{named: vocabulary(tokens(c.Question))}
	for _, p := range c.Passages {
		if pg := newPage(p.Label, p.Text); len(pg.units) > 0 {
			s.pages = append(s.pages, pg)
		}
		maps.Copy(s.named, vocabulary(tokens(strings.Join(p.Headings, "\n"))))
	}
	s.words = maps.Clone(s.named)
	for _, p := range s.pages {
		maps.Copy(s.words, vocabulary(p.tokens))
	}
	switch {
	case len(s.pages) == 0:
		return s, errors.New("the passages are empty")
	case strings.TrimSpace(c.Answer) == "":
		return s, errors.New("the answer is empty")
	}
	return s, nil
}

// idfOf is the idf of the corpus, or where there is none that of the passages.
func (l lexical) idfOf(c judge.Case) *IDF {
	if l.idf != nil && l.idf.texts > 0 {
		return l.idf
	}
	return NewIDF(func(yield func(string) bool) {
		for _, p := range c.Passages {
			if !yield(p.Text) {
				return
			}
		}
	})
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
