package review

import (
	"slices"
	"unicode/utf8"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Coverage is which sections of a corpus questions have as gold.
type Coverage struct {
	Commit   record.Commit    `json:"commit,omitempty"`
	Sections []SectionCover   `json:"sections"` // in the order of the corpus
	Files    []FileCover      `json:"files"`    // in the order of the corpus
	Kinds    []KindCount      `json:"kinds"`    // fact, multi, unanswerable
	Counts   []QuestionsCount `json:"counts"`   // of sections by number of questions, from 0
	// Missing are gold sections that the corpus does not have, by id.
	Missing []record.SectionID `json:"missing,omitempty"`
}

// SectionCover is a section with the questions that have it as gold.
type SectionCover struct {
	Section  record.SectionID `json:"section"`
	Path     string           `json:"path"`
	Headings []string         `json:"headings,omitempty"`
	// Chars is the length of its text in characters.
	Chars     int                 `json:"chars"`
	Questions []record.QuestionID `json:"questions"`
	// Proposed are proposed questions that have it as gold.
	Proposed []record.QuestionID `json:"proposed,omitempty"`
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
	cover := &Coverage{Commit: c.Commit, Kinds: kinds(golden)}
	asks, proposals := bySection(golden), bySection(proposed)
	files := map[string]int{}
	byFile := map[string]map[record.QuestionID]bool{}
	for _, id := range c.Sections {
		parts := c.Section(id)
		s := SectionCover{Section: id, Path: parts[0].Path, Headings: parts[0].Headings, Questions: asks[id], Proposed: proposals[id]}
		for _, p := range parts {
			s.Chars += utf8.RuneCountInString(p.Text)
		}
		if s.Questions == nil {
			s.Questions = []record.QuestionID{}
		}
		cover.Sections = append(cover.Sections, s)
		for len(cover.Counts) <= len(s.Questions) {
			cover.Counts = append(cover.Counts, QuestionsCount{Questions: len(cover.Counts)})
		}
		cover.Counts[len(s.Questions)].Sections++

		i, ok := files[s.Path]
		if !ok {
			i = len(cover.Files)
			files[s.Path], byFile[s.Path] = i, map[record.QuestionID]bool{}
			cover.Files = append(cover.Files, FileCover{Path: s.Path})
		}
		f := &cover.Files[i]
		f.Sections++
		if len(s.Questions) > 0 {
			f.Covered++
		}
		for _, q := range s.Questions {
			byFile[s.Path][q] = true
		}
		f.Questions = len(byFile[s.Path])
	}
	for id := range asks {
		if len(c.Section(id)) == 0 {
			cover.Missing = append(cover.Missing, id)
		}
	}
	slices.Sort(cover.Missing)
	return cover
}

// bySection are the questions that have a section as gold, each once, by id.
func bySection(questions []*record.Golden) map[record.SectionID][]record.QuestionID {
	asks := map[record.SectionID][]record.QuestionID{}
	for _, g := range questions {
		for _, need := range g.Gold {
			for _, s := range need {
				if !slices.Contains(asks[s], g.ID) {
					asks[s] = append(asks[s], g.ID)
				}
			}
		}
	}
	for _, ids := range asks {
		slices.Sort(ids)
	}
	return asks
}

func kinds(golden []*record.Golden) []KindCount {
	all := []KindCount{{Kind: record.Fact}, {Kind: record.Multi}, {Kind: record.Unanswerable}}
	for _, g := range golden {
		for i := range all {
			if all[i].Kind == g.AskedFor {
				all[i].Questions++
				if Reviewed(g) {
					all[i].Reviewed++
				}
			}
		}
	}
	return all
}

// Reviewed says whether a person has reviewed the question.
func Reviewed(g *record.Golden) bool { return g.Review != "" && g.Review != Unreviewed }
