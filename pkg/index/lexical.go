package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// lexical is the bleve index. A passage's row is its place in the order of
// ids, in bleve's files as in those beside it.
type lexical struct {
	bleve  bleve.Index
	reader index.IndexReader // the index does not change while it is open
	ids    []record.PassageID
	rows   []int32 // by bleve's document number, -1 where that was deleted
	totals Totals
}

// Totals are the tokens of each searched field over all passages, from which
// BM25 has its average length. Bleve itself takes the number of distinct terms
// of each segment for it, so that scores move with the size of the batches.
type Totals map[string]int

// openLexical reads the order of ids. Where totals is nil they are counted.
func openLexical(b bleve.Index, totals Totals) (_ *lexical, err error) {
	engine, err := b.Advanced()
	if err != nil {
		return nil, err
	}
	l := &lexical{bleve: b, totals: totals}
	if l.reader, err = engine.Reader(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.reader.Close())
		}
	}()
	if err := l.number(); err != nil {
		return nil, err
	}
	if totals != nil {
		return l, nil
	}
	l.totals = Totals{}
	for _, field := range searched {
		if l.totals[field], err = l.count(field); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *lexical) close() error { return errors.Join(l.reader.Close(), l.bleve.Close()) }

// number gives each document its row.
func (l *lexical) number() (err error) {
	all, err := l.reader.DocIDReaderAll()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	var docs []uint64
	for {
		id, err := all.Next()
		if err != nil {
			return err
		}
		if id == nil {
			break
		}
		name, err := l.reader.ExternalID(id)
		if err != nil {
			return err
		}
		docs = append(docs, id.Value())
		l.ids = append(l.ids, record.PassageID(name))
	}
	byID := make([]int, len(docs))
	for i := range byID {
		byID[i] = i
	}
	slices.SortFunc(byID, func(a, b int) int { return cmp.Compare(l.ids[a], l.ids[b]) })
	ids := make([]record.PassageID, len(docs))
	for row, i := range byID {
		ids[row] = l.ids[i]
		for uint64(len(l.rows)) <= docs[i] {
			l.rows = append(l.rows, -1)
		}
		l.rows[docs[i]] = int32(row)
	}
	l.ids = ids
	return nil
}

// row is the row of a passage, -1 where there is none.
func (l *lexical) row(id record.PassageID) int {
	if row, ok := slices.BinarySearch(l.ids, id); ok {
		return row
	}
	return -1
}

// count sums up the tokens of a field.
func (l *lexical) count(field string) (total int, err error) {
	terms, err := l.reader.FieldDict(field)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, terms.Close()) }()
	for {
		term, err := terms.Next()
		if err != nil || term == nil {
			return total, err
		}
		err = l.postings(context.Background(), term.Term, field, func(float64) visit {
			return func(_ int32, tf, _ float64) { total += int(tf) }
		})
		if err != nil {
			return 0, err
		}
	}
}

// visit is told of a passage that has a term in a field: its row, how often it
// has it, and the field's length there.
type visit func(row int32, tf, length float64)

// postings calls what start returns for each passage that has the term in the
// field; start is told how many these are.
func (l *lexical) postings(ctx context.Context, term, field string, start func(df float64) visit) (err error) {
	r, err := l.reader.TermFieldReader(ctx, []byte(term), field, true, true, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	tell := start(float64(r.Count()))
	var doc index.TermFieldDoc
	for {
		next, err := r.Next(&doc)
		if err != nil || next == nil {
			return err
		}
		// The norm is 1/√length as a float32.
		tell(l.rows[next.ID.Value()], float64(next.Freq), math.Round(1/(next.Norm*next.Norm)))
	}
}

// terms returns the terms of a question for a field, each once, in the order
// of the question, with how often it comes.
func (l *lexical) terms(field, question string) (terms []string, counts []float64) {
	m := l.bleve.Mapping()
	at := map[string]int{}
	for _, token := range m.AnalyzerNamed(m.AnalyzerNameForPath(field)).Analyze([]byte(question)) {
		term := string(token.Term)
		i, ok := at[term]
		if !ok {
			i = len(terms)
			at[term] = i
			terms, counts = append(terms, term), append(counts, 0)
		}
		counts[i]++
	}
	return terms, counts
}

// score returns the score of every row, NaN where nothing of the question matches.
func (l *lexical) score(ctx context.Context, p BM25, question string) ([]float64, error) {
	if p.Scoring == Bleve {
		return l.bleveScore(ctx, p, question)
	}
	scores := make([]float64, len(l.ids))
	for i := range scores {
		scores[i] = math.NaN()
	}
	n := float64(len(l.ids))
	for _, f := range p.Fields {
		average := float64(l.totals[f.Name]) / n
		terms, counts := l.terms(f.Name, question)
		for i, term := range terms {
			err := l.postings(ctx, term, f.Name, func(df float64) visit {
				weight := f.Boost * counts[i] * math.Log(1+(n-df+0.5)/(df+0.5))
				return func(row int32, tf, length float64) {
					s := weight * tf * (p.K1 + 1) / (tf + p.K1*(1-p.B+p.B*length/average))
					if math.IsNaN(scores[row]) {
						scores[row] = 0
					}
					scores[row] += s
				}
			})
			if err != nil {
				return nil, fmt.Errorf("bm25: %w", err)
			}
		}
	}
	return scores, nil
}

// bleveScore has bleve score, by the totals we counted.
func (l *lexical) bleveScore(ctx context.Context, p BM25, question string) ([]float64, error) {
	var fields []query.Query
	stats := &search.BM25Stats{DocCount: float64(len(l.ids)), FieldCardinality: map[string]int{}}
	for _, f := range p.Fields {
		q := bleve.NewMatchQuery(question) // not the query string syntax, which gives + - : / a meaning
		q.SetField(f.Name)
		q.SetBoost(f.Boost)
		fields = append(fields, q)
		stats.FieldCardinality[f.Name] = l.totals[f.Name]
	}
	all := fields[0]
	if len(fields) > 1 {
		all = bleve.NewDisjunctionQuery(fields...)
	}
	req := bleve.NewSearchRequestOptions(all, len(l.ids), 0, false)
	req.PreSearchData = map[string]any{search.BM25PreSearchDataKey: stats}
	found, err := l.bleve.SearchInContext(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("bm25: %w", err)
	}
	scores := make([]float64, len(l.ids))
	for i := range scores {
		scores[i] = math.NaN()
	}
	for _, hit := range found.Hits {
		scores[l.row(record.PassageID(hit.ID))] = hit.Score
	}
	return scores, nil
}
