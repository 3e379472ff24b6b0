package golden

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// ReadQrels reads relevance judgements, one a line: query, document, grade,
// between tabs or, without any, white space; or trec_eval's four columns:
// query, iteration, document, grade. The first line may be a header, whose last
// column is then score, grade, relevance, rel or label. A blank line is nothing.
// Every bad line is named.
//
// Documents stand where a golden set has sections. A query whose grades are
// all 0 or less has no gold.
func ReadQrels(name string, r io.Reader) (*Set, error) {
	p := &qrels{byID: map[record.QuestionID]*Question{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, record.MaxLine)
	for n := 1; lines.Scan(); n++ {
		if err := p.line(n, lines.Text()); err != nil {
			p.bad = append(p.bad, fmt.Errorf("%v: %w", record.Pos{File: name, Line: n}, err))
		}
		for ; p.placed < len(p.questions); p.placed++ {
			p.questions[p.placed].Pos = record.Pos{File: name, Line: n}
		}
	}
	if err := lines.Err(); err != nil {
		p.bad = append(p.bad, fmt.Errorf("%s: %w", name, err))
	}
	if err := errors.Join(p.bad...); err != nil {
		return nil, err
	}
	if len(p.questions) == 0 {
		return nil, fmt.Errorf("%s: no judgement: expected query, document and grade on each line", name)
	}
	return newSet(p.questions, true), nil
}

// header holds what the last column may be called: any other word there is a bad grade.
var header = map[string]bool{"score": true, "grade": true, "relevance": true, "rel": true, "label": true}

type qrels struct {
	questions []*Question
	byID      map[record.QuestionID]*Question
	placed    int
	columns   int
	bad       []error
}

func (p *qrels) line(n int, text string) error {
	text = strings.TrimSuffix(text, "\r")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	fields := strings.Fields(text)
	if strings.Contains(text, "\t") {
		fields = strings.Split(text, "\t")
	}
	if len(fields) != 3 && len(fields) != 4 {
		return fmt.Errorf("expected query, document, grade, got %d columns", len(fields))
	}
	if p.columns == 0 {
		p.columns = len(fields)
	}
	if len(fields) != p.columns {
		return fmt.Errorf("expected %d columns as in the lines before, got %d", p.columns, len(fields))
	}
	id, doc, number := record.QuestionID(fields[0]), record.SectionID(fields[len(fields)-2]), fields[len(fields)-1]
	grade, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(grade) || math.IsInf(grade, 0) {
		if n == 1 && header[strings.ToLower(strings.TrimSpace(number))] {
			return nil
		}
		return fmt.Errorf("expected a number as grade, got %q", number)
	}
	if id == "" || doc == "" {
		return errors.New("query or document is empty")
	}
	q := p.byID[id]
	if q == nil {
		q = &Question{ID: id, judged: map[record.SectionID]bool{}}
		p.byID[id] = q
		p.questions = append(p.questions, q)
	}
	if q.judged[doc] {
		return fmt.Errorf("query %q grades document %q twice", id, doc)
	}
	q.judged[doc] = true
	if grade > 0 {
		q.Needs = append(q.Needs, Need{Sections: []record.SectionID{doc}, Gain: grade})
	}
	return nil
}
