package review

import (
	"fmt"
	"io"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// File is review/decisions.json: the latest ruling on each question, in the
// order of their ids.
type File struct {
	Decisions []Decision `json:"decisions"`
}

// Of is the ruling on a question, nil where there is none.
func (f *File) Of(id record.QuestionID) *Decision {
	for i := range f.Decisions {
		if f.Decisions[i].Question == id {
			return &f.Decisions[i]
		}
	}
	return nil
}

// Read reads a decisions file. A bad one is refused with its line.
func Read(name string, r io.Reader) (*File, error) { panic("review: Read is not there yet") }

// Store is a decisions file with its history, shared by any number of processes.
type Store struct {
	// Path is of the file; history.jsonl lies beside it.
	Path string
}

// Load reads the decisions. A file that is not there has none.
func (s Store) Load() (*File, error) { panic("review: Load is not there yet") }

// Put saves a ruling that Rule completed, and returns it with its number. Seen
// is the number of the ruling on the same question that the person had before
// them, 0 for none: where the file has another by now, nothing is written and
// the error is a *Conflict. Rulings on other questions are left as they are,
// whoever made them. A withdrawal leaves no ruling, and stays in the history.
func (s Store) Put(d Decision, seen int) (Decision, error) { panic("review: Put is not there yet") }

// Conflict is the error of a ruling that would replace one its maker had not seen.
type Conflict struct {
	// Theirs is the ruling in the file, nil if it was withdrawn.
	Theirs *Decision
	// Question is what both are on.
	Question record.QuestionID
}

func (c *Conflict) Error() string {
	if c.Theirs == nil {
		return fmt.Sprintf("the ruling on question %q was withdrawn elsewhere", c.Question)
	}
	return fmt.Sprintf("%s ruled on question %q meanwhile: %s", c.Theirs.By, c.Question, c.Theirs.Action)
}
