package review

import (
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Coverage is which sections of a corpus questions have as gold.
type Coverage struct {
	Commit   record.Commit    `json:"commit,omitempty"`
	Sections []SectionCover   `json:"sections"` // in the order of the corpus
	Files    []FileCover      `json:"files"`    // by path
	Kinds    []KindCount      `json:"kinds"`
	Counts   []QuestionsCount `json:"counts"` // of sections by number of questions, from 0
	// Missing are gold sections that the corpus does not have.
	Missing []record.SectionID `json:"missing,omitempty"`
}

// SectionCover is a section with the questions that have it as gold.
type SectionCover struct {
	Section   record.SectionID    `json:"section"`
	Path      string              `json:"path"`
	Headings  []string            `json:"headings,omitempty"`
	Chars     int                 `json:"chars"`
	Questions []record.QuestionID `json:"questions,omitempty"`
	Proposed  []record.QuestionID `json:"proposed,omitempty"`
}

// FileCover is a page: its sections, those covered, and the questions that have any.
type FileCover struct {
	Path      string `json:"path"`
	Sections  int    `json:"sections"`
	Covered   int    `json:"covered"`
	Questions int    `json:"questions"`
}

// KindCount is a kind with its number of questions, of them reviewed.
type KindCount struct {
	Kind      record.QuestionKind `json:"kind"`
	Questions int                 `json:"questions"`
	Reviewed  int                 `json:"reviewed"`
}

// QuestionsCount is how many sections have that many questions.
type QuestionsCount struct {
	Questions int `json:"questions"`
	Sections  int `json:"sections"`
}

// Cover counts. Proposed questions are listed beside, and cover nothing.
func Cover(c *corpus.Corpus, golden, proposed []*record.Golden) *Coverage {
	panic("review: Cover is not there yet")
}
