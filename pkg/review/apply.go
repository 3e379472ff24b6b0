package review

import (
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Paths are the files of golden records.
type Paths struct {
	Golden, Proposed, NextPin string
}

// Set is a file of golden records with its lines as they were read.
type Set struct {
	// Name is the file's.
	Name string
	// Records are in the order of the file.
	Records []*record.Golden
}

// Of is a question of the set, nil if it is not there.
func (s *Set) Of(id record.QuestionID) *record.Golden {
	for _, g := range s.Records {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// Data is what decisions are about.
type Data struct {
	Golden, Proposed, NextPin *Set
}

// ReadData reads the files. A bad line is refused with its place; proposals may
// be missing, and an empty path is a missing file.
func ReadData(p Paths) (*Data, error) { panic("review: ReadData is not there yet") }

// Current is the record that a ruling of that kind is on: for enter and reject
// the proposed one, else the one of the golden set; nil if there is none.
func (d *Data) Current(id record.QuestionID, a Action) *record.Golden {
	if a == Enter || a == Reject {
		if g := d.Proposed.Of(id); g != nil {
			return g
		}
		return d.NextPin.Of(id)
	}
	return d.Golden.Of(id)
}

// Refusal is a ruling that was not applied, and why.
type Refusal struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason"`
}

// Applied is what decisions make of the data.
type Applied struct {
	Data *Data
	// Done are the decisions that changed something, in the order of their questions.
	Done []Decision
	// Refused are those about a question that changed since, or is gone.
	Refused []Refusal
	// Diff is the change to all three files, as diff -U0 prints it; "" for none.
	Diff string
}

// Apply makes the change and writes nothing. With a corpus, a question whose
// gold it does not have is not entered or edited. It is idempotent: decisions
// that were applied before change nothing, and are not refused.
func Apply(d *Data, decisions []Decision, c *corpus.Corpus) (*Applied, error) {
	panic("review: Apply is not there yet")
}

// Write writes the files that changed, each as a whole: proposals last, so that
// a question that enters is never in neither file.
func (a *Applied) Write(p Paths) error { panic("review: Write is not there yet") }
