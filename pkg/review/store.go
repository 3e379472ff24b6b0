package review

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/journal"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// File is review/decisions.json: the latest ruling on each question, in the
// order of their ids.
type File struct {
	Decisions []Decision `json:"decisions"`
}

// Of is the ruling on a question, nil where there is none.
func (f *File) Of(id record.QuestionID) *Decision { return of(f.Decisions, id) }

func of(decisions []Decision, id record.QuestionID) *Decision {
	for i := range decisions {
		if decisions[i].Question == id {
			return &decisions[i]
		}
	}
	return nil
}

var format = &journal.Format[Decision]{
	Member:  "decisions",
	Key:     func(d *Decision) string { return string(d.Question) },
	Check:   (*Decision).saved,
	Seq:     func(d *Decision) *int { return &d.Seq },
	Options: []json.Options{json.WithUnmarshalers(json.UnmarshalFromFunc(readGolden))},
}

// readGolden reads a golden record, whose unknown members are kept as everywhere.
func readGolden(dec *jsontext.Decoder, g *record.Golden) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != '{' {
		return fmt.Errorf("expected a golden record, got %.40q", value)
	}
	return json.Unmarshal(value, g)
}

// Read reads a decisions file. A bad one is refused with its line.
func Read(name string, r io.Reader) (*File, error) {
	decisions, err := format.Read(name, r)
	if err != nil {
		return nil, err
	}
	return &File{decisions}, nil
}

// Store is a decisions file with its history, shared by any number of processes.
type Store struct {
	// Path is of the file; history.jsonl lies beside it.
	Path string
}

func (s Store) journal() journal.Store[Decision] {
	return journal.Store[Decision]{Format: format, Path: s.Path, History: filepath.Join(filepath.Dir(s.Path), "history.jsonl")}
}

// Load reads the decisions. A file that is not there has none.
func (s Store) Load() (*File, error) {
	decisions, err := s.journal().Load()
	if err != nil {
		return nil, err
	}
	return &File{decisions}, nil
}

// Put saves a ruling that Rule completed, and returns it with its number. Seen
// is the number of the ruling on the same question that the person had before
// them, 0 for none: where the file has another by now, nothing is written and
// the error is a *Conflict. Rulings on other questions are left as they are,
// whoever made them. A withdrawal leaves no ruling, and stays in the history.
func (s Store) Put(d Decision, seen int) (Decision, error) {
	return s.journal().Update(func(now []Decision) (journal.Change[Decision], error) {
		theirs, at := of(now, d.Question), 0
		if theirs != nil {
			at = theirs.Seq
		}
		change := journal.Change[Decision]{Item: d, Remove: d.Action == Withdraw}
		if at != seen {
			return change, &Conflict{Question: d.Question, Theirs: theirs}
		}
		return change, nil
	})
}

// Conflict is the error of a ruling that would replace one its maker had not seen.
type Conflict struct {
	// Question is what both are on.
	Question record.QuestionID
	// Theirs is the ruling in the file, nil if it was withdrawn.
	Theirs *Decision
}

func (c *Conflict) Error() string {
	if c.Theirs == nil {
		return fmt.Sprintf("the ruling on question %q was withdrawn elsewhere", c.Question)
	}
	return fmt.Sprintf("%s ruled on question %q meanwhile: %s", c.Theirs.By, c.Question, c.Theirs.Action)
}
