// Package label is what people say of answers: review/labels.json, written by
// mr-review and read by mr-score agreement.
//
// Invariants:
//   - A label belongs to what its rater saw (Label.Answer, a record.Answer's
//     Digest): a label whose answer or passages have changed is stale, and is
//     listed, never used.
//   - One rater has one label an answer; a later one replaces it.
//   - The file is kept as pkg/journal says: one label a line, replaced whole,
//     its history beside it; a damaged one is refused with its line.
package label

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/journal"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// File is review/labels.json.
type File struct {
	// Labels are in the order of question, answer and rater.
	Labels []Label `json:"labels"`
}

// Choice is a mark of a person: record.Yes, record.No, CantTell, or empty where none was made.
type Choice string

// The choices besides none.
const (
	Yes      Choice = "yes"
	No       Choice = "no"
	CantTell Choice = "can't tell"
)

// Label is one rater's marks on one answer.
type Label struct {
	Question record.QuestionID `json:"question"`
	System   record.SystemName `json:"system"`
	// Answer is the digest of what was seen.
	Answer string `json:"answer"`
	// Rater is the person, by the name they gave.
	Rater string `json:"rater"`
	// Faithful is "every claim is in the passages", Relevant "it answers the question".
	Faithful Choice `json:"faithful,omitempty"`
	Relevant Choice `json:"relevant,omitempty"`
	Note     string `json:"note,omitempty"`
	// Opened are the judges whose readings the rater opened before or while
	// marking. The label is not independent of them.
	Opened []string `json:"opened,omitempty"`
	// Blind says that no reading was there to be opened.
	Blind bool `json:"blind,omitzero"`
	// Weight is the sampling weight, where answers were not drawn evenly; 0 counts as 1.
	Weight float64 `json:"weight,omitzero"`
	// At is when, RFC 3339 in UTC.
	At string `json:"at"`
	// Seq is the label's number in the history, from 1. Put gives it.
	Seq int `json:"seq,omitzero"`
}

// Write writes a labels file.
func Write(w io.Writer, f *File) error {
	for i := range f.Labels {
		if err := f.Labels[i].Validate(); err != nil {
			return err
		}
	}
	text, err := format.Text(f.Labels)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Store is a labels file with its history, shared by any number of processes.
type Store struct {
	// Path is of the file. For labels.json the history is labels-history.jsonl.
	Path string
}

func (s Store) journal() journal.Store[Label] {
	return journal.Store[Label]{Format: format, Path: s.Path, History: strings.TrimSuffix(s.Path, filepath.Ext(s.Path)) + "-history.jsonl"}
}

// Load reads the labels. A file that is not there has none.
func (s Store) Load() (*File, error) {
	labels, err := s.journal().Load()
	if err != nil {
		return nil, err
	}
	return &File{labels}, nil
}

// Put saves a label and returns it with its number. Seen is the number of the
// label of the same rater and answer that the person had before them, 0 for
// none: where the file has another by now, nothing is written and the error is
// a *Conflict. Labels of other answers and raters are left as they are. A label
// without any mark and note is taken out of the file.
//
// What was opened stays opened: the judges of the label replaced are kept, and
// it does not become blind.
func (s Store) Put(l Label, seen int) (Label, error) {
	return s.journal().Update(func(now []Label) (journal.Change[Label], error) {
		change := journal.Change[Label]{Item: l, Remove: l.Faithful == "" && l.Relevant == "" && l.Note == "" && len(l.Opened) == 0}
		var theirs *Label
		for i := range now {
			if now[i].key() == l.key() {
				theirs = &now[i]
			}
		}
		if at := seqOf(theirs); at != seen {
			return change, &Conflict{Theirs: theirs, Question: l.Question}
		}
		if theirs != nil && len(theirs.Opened) > 0 {
			opened := slices.Concat(theirs.Opened, l.Opened)
			slices.Sort(opened)
			change.Item.Opened, change.Item.Blind, change.Remove = slices.Compact(opened), false, false
		}
		return change, nil
	})
}

func seqOf(l *Label) int {
	if l == nil {
		return 0
	}
	return l.Seq
}

// Conflict is the error of a label that would replace one its rater had not seen.
type Conflict struct {
	// Theirs is the label in the file, nil if it was taken out.
	Theirs   *Label
	Question record.QuestionID
}

func (c *Conflict) Error() string {
	if c.Theirs == nil {
		return fmt.Sprintf("the label of question %q was taken out elsewhere", c.Question)
	}
	return fmt.Sprintf("%s labelled the answer to question %q elsewhere meanwhile", c.Theirs.Rater, c.Question)
}

// Sort returns the labels whose answer is among those given, and the stale
// ones, whose answer or passages have changed since, or are not there.
func (f *File) Sort(answers []*record.Answer) (used, stale []Label) {
	type seen struct {
		question record.QuestionID
		digest   string
	}
	known := map[seen]bool{}
	for _, a := range answers {
		known[seen{a.Question.ID, a.Digest()}] = true
	}
	for _, l := range f.Labels {
		if known[seen{l.Question, l.Answer}] {
			used = append(used, l)
		} else {
			stale = append(stale, l)
		}
	}
	return used, stale
}

var format = &journal.Format[Label]{
	Member: "labels",
	Key:    (*Label).key,
	Check:  (*Label).Validate,
	Seq:    func(l *Label) *int { return &l.Seq },
}

// key is of what a rater has one label: a question, with an answer and its passages.
func (l *Label) key() string {
	return strings.Join([]string{string(l.Question), l.Answer, l.Rater}, "\x00")
}
