package golden

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Unit is what gold names, and passages fold to.
type Unit string

// The units. Pages are for collections whose gold names whole pages, by path.
const (
	Sections Unit = "section"
	Pages    Unit = "page"
)

// Corpus is the ids of a corpus: its passages, each with the section or page it folds to.
type Corpus struct {
	// Commit is the one its passages carry, "" if none does.
	Commit record.Commit
	// Passages and Sections are in the order of their ids.
	Passages []Ranked
	Sections []record.SectionID

	unit  Unit
	parts map[record.SectionID][]Ranked
	of    map[record.PassageID]record.SectionID
}

// NewCorpus takes the ids of a corpus. With Pages, a passage's section is its path.
func NewCorpus(from *corpus.Corpus, unit Unit) (*Corpus, error) {
	if unit != Sections && unit != Pages {
		return nil, fmt.Errorf("expected unit section or page, got %q", unit)
	}
	c := &Corpus{Commit: from.Commit, unit: unit, parts: map[record.SectionID][]Ranked{}, of: map[record.PassageID]record.SectionID{}}
	for _, p := range from.Passages {
		section := p.Section
		if unit == Pages {
			if section = record.SectionID(p.Path); section == "" {
				return nil, fmt.Errorf("passage %q has no path to fold to", p.ID)
			}
		}
		if c.parts[section] == nil {
			c.Sections = append(c.Sections, section)
		}
		part := Ranked{p.ID, section}
		c.of[p.ID] = section
		c.parts[section] = append(c.parts[section], part)
		c.Passages = append(c.Passages, part)
	}
	slices.Sort(c.Sections)
	slices.SortFunc(c.Passages, func(a, b Ranked) int { return cmp.Compare(a.Passage, b.Passage) })
	return c, nil
}

// Parts are the passages of a section in the order of the corpus, none if it is not there.
func (c *Corpus) Parts(s record.SectionID) []Ranked { return c.parts[s] }

// Locate returns a hit with its section here. A hit of another corpus is an error.
func (c *Corpus) Locate(h *record.Hit) (Ranked, error) {
	section, ok := c.of[h.Passage]
	switch {
	case !ok:
		return Ranked{}, otherCorpus(fmt.Errorf("passage %q is not in the corpus", h.Passage))
	case c.unit == Sections && h.Section != section:
		return Ranked{}, otherCorpus(fmt.Errorf("passage %q is a part of section %q, in the corpus of %q", h.Passage, h.Section, section))
	case h.Commit != "" && c.Commit != "" && h.Commit != c.Commit:
		return Ranked{}, otherCorpus(fmt.Errorf("passage %q is of commit %s, the corpus of %s", h.Passage, h.Commit, c.Commit))
	}
	return Ranked{h.Passage, section}, nil
}

func otherCorpus(err error) error {
	return hint.Wrap(err, "search an index that was built from this corpus, and search again")
}

// Check is nil if every section that a need names is in the corpus. Each one
// that is not is named, with its question and line.
func (s *Set) Check(c *Corpus) error {
	var bad []error
	for _, q := range s.Questions {
		for i, need := range q.Needs {
			for _, id := range need.Sections {
				if c.parts[id] == nil {
					bad = append(bad, hint.Wrap(fmt.Errorf("%v: question %q: need %d names %s %q, which the corpus does not have", q.Pos, q.ID, i+1, c.unit, id),
						"correct the gold, or cut the corpus at the commit the gold was written for"))
				}
			}
		}
	}
	return errors.Join(bad...)
}
