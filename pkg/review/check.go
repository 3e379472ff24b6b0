package review

import (
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// CheckName names a check of a question.
type CheckName string

// The checks.
const (
	// GoldExists is one finding for each section of the gold: is it in the corpus?
	GoldExists CheckName = "gold exists"
	// FactInGold is one for each key fact: does the text of the gold say it (pkg/keyfact)?
	FactInGold CheckName = "key fact in gold"
	// NearDuplicate is one for each question whose words are nearly the same.
	NearDuplicate CheckName = "near-duplicate"
	// GoldRank is one for each need: where in the hits does a section stand that serves it?
	GoldRank CheckName = "rank of gold"
	// Meetable is one where no list can meet all needs, or a need names a section twice.
	Meetable CheckName = "needs can be met"
)

// State is how a check came out.
type State string

// The states. Unknown is neither: there is nothing to check against.
const (
	Good    State = "good"
	Bad     State = "bad"
	Unknown State = "unknown"
)

// Finding is what one check says of one question.
type Finding struct {
	Question record.QuestionID `json:"question"`
	Check    CheckName         `json:"check"`
	State    State             `json:"state"`
	// About is the section, the key fact, the other question, or the need's number from 1.
	About string `json:"about"`
	// Rank is of gold in the hits by sections, from 1; 0 where it is not among them.
	Rank int `json:"rank,omitzero"`
	// Share is of the words in common, or of a fact's words in the gold.
	Share float64 `json:"share,omitzero"`
	// Text says it in a sentence.
	Text string `json:"text"`
}

// Checker checks questions against a corpus and against each other. It may be
// used from several goroutines.
type Checker struct{}

// NewChecker takes the corpus at the pin, the questions of the golden set and
// those proposed, and the hits of one system, none or some.
func NewChecker(c *corpus.Corpus, questions []*record.Golden, hits []*record.Hits) *Checker {
	panic("review: NewChecker is not there yet")
}

// Check checks a question as it stands, or as it shall be: it need not be one
// of those the checker knows, and is not held against its own id.
func (c *Checker) Check(g *record.Golden) []Finding { panic("review: Check is not there yet") }
