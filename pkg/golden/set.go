package golden

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Need is one thing a list must hold: any one of the sections.
type Need struct {
	Sections []record.SectionID
	// Gain is what meeting it is worth: 1, or the grade of qrels.
	Gain float64
}

// Question is a question with its needs.
type Question struct {
	ID   record.QuestionID
	Text string
	// Kind is fact, multi or unanswerable; empty for qrels.
	Kind  record.QuestionKind
	Needs []Need
	// Record is the golden record with all its fields; nil for qrels.
	Record *record.Golden
	// Pos is where the question was read.
	Pos record.Pos

	serves map[record.SectionID][]int
	judged map[record.SectionID]bool // of qrels
	gains  []float64                 // of the needs, best first
}

// Answerable says whether the question has gold. One without takes no part in retrieval metrics.
func (q *Question) Answerable() bool { return len(q.Needs) > 0 }

// Serves lists the needs that a section serves.
func (q *Question) Serves(s record.SectionID) []int { return q.serves[s] }

// Judged says whether a person graded the document, 0 included. Always false for a golden set.
func (q *Question) Judged(s record.SectionID) bool { return q.judged[s] }

// NJudged is the number of judged documents.
func (q *Question) NJudged() int { return len(q.judged) }

// Gains are the gains of all needs, best first: the gains of an ideal list.
// The slice belongs to the question.
func (q *Question) Gains() []float64 { return q.gains }

// index prepares the look-ups once the needs are known.
func (q *Question) index() {
	q.serves = make(map[record.SectionID][]int, len(q.Needs))
	q.gains = make([]float64, len(q.Needs))
	for i, need := range q.Needs {
		q.gains[i] = need.Gain
		for _, s := range need.Sections {
			q.serves[s] = append(q.serves[s], i)
		}
	}
	slices.SortFunc(q.gains, func(a, b float64) int { return cmp.Compare(b, a) })
}

// Set is a golden set or the questions of qrels, in the order they were read.
type Set struct {
	Questions []*Question
	// Graded says that the set comes from qrels.
	Graded bool
	// Half is the part of the set that Questions holds.
	Half Half

	known map[record.QuestionID]string // the texts of both halves, "" for qrels
}

func newSet(questions []*Question, graded bool) *Set {
	s := &Set{Questions: questions, Graded: graded, Half: All, known: map[record.QuestionID]string{}}
	for _, q := range questions {
		s.known[q.ID] = q.Text
		q.index()
	}
	return s
}

// Known says whether the set as it was read has the question, in whichever half.
func (s *Set) Known(id record.QuestionID) bool {
	_, ok := s.known[id]
	return ok
}

// Text is what the set as it was read asks under an id, in whichever half; ""
// for qrels and where the question is not known.
func (s *Set) Text(id record.QuestionID) string { return s.known[id] }

// Size is the number of questions of the set as it was read.
func (s *Set) Size() int { return len(s.known) }

// Half names a part of a set. What is tuned is tuned on one half, so that the
// other, scored once, says what it is worth on questions it has not seen.
type Half string

// The halves. A question belongs to the tune half when the lowest bit of the
// first byte of the sha256 of its id is 0.
const (
	All      Half = "all"
	Tune     Half = "tune"
	Headline Half = "headline"
)

// HalfOf is the half a question belongs to.
func HalfOf(id record.QuestionID) Half {
	if sha256.Sum256([]byte(id))[0]&1 == 0 {
		return Tune
	}
	return Headline
}

// In returns the part of the set that lies in a half.
func (s *Set) In(h Half) (*Set, error) {
	switch h {
	case All:
		return s, nil
	case Tune, Headline:
	default:
		return nil, fmt.Errorf("expected half tune, headline or all, got %q", h)
	}
	part := &Set{Graded: s.Graded, Half: h, known: s.known}
	for _, q := range s.Questions {
		if HalfOf(q.ID) == h {
			part.Questions = append(part.Questions, q)
		}
	}
	return part, nil
}
