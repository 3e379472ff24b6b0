// Package label is what people say of answers: review/labels.json, written by
// mr-review and read by mr-score agreement.
//
// Invariants:
//   - A label belongs to what its rater saw (Label.Answer, a record.Answer's
//     Digest): a label whose answer or passages have changed is stale, and is
//     listed, never used.
//   - One rater has one label an answer; a later one replaces it.
package label

import "github.com/mobiumdev/mobium-rag/pkg/record"

// File is review/labels.json.
type File struct {
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
}
