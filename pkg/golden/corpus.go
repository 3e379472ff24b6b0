package golden

import (
	"errors"
	"fmt"
	"slices"

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

// Corpus is the ids of a corpus: its passages, each with its section.
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

// ReadCorpus reads the passages of a corpus. With Pages, a passage's section is its path.
func ReadCorpus(r *record.Reader, unit Unit) (*Corpus, error) {
	if unit != Sections && unit != Pages {
		return nil, fmt.Errorf("expected unit section or page, got %q", unit)
	}
	c := &Corpus{unit: unit, parts: map[record.SectionID][]Ranked{}, of: map[record.PassageID]record.SectionID{}}
	for r.Scan() {
		switch rec := r.Record().(type) {
		case *record.Run, *record.End, *record.Timing:
		case *record.Passage:
			if err := c.add(rec); err != nil {
				r.Reject(err)
			}
		default:
			r.Reject(fmt.Errorf("expected the passages of the corpus, got a %s record", rec.Kind()))
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if len(c.Passages) == 0 {
		return nil, errors.New("the corpus has no passage")
	}
	c.sort()
	return c, nil
}

func (c *Corpus) add(p *record.Passage) error {
	if _, ok := c.of[p.ID]; ok {
		return fmt.Errorf("passage %q was there already: ids are unique", p.ID)
	}
	if c.Commit == "" {
		c.Commit = p.Commit
	}
	if p.Commit != "" && p.Commit != c.Commit {
		return fmt.Errorf("passage %q is of commit %s, those before of %s: a corpus is of one commit", p.ID, p.Commit, c.Commit)
	}
	section := p.Section
	if c.unit == Pages {
		if section = record.SectionID(p.Path); section == "" {
			return fmt.Errorf("passage %q has no path to fold to", p.ID)
		}
	}
	c.of[p.ID] = section
	part := Ranked{p.ID, section}
	c.parts[section] = append(c.parts[section], part)
	c.Passages = append(c.Passages, part)
	return nil
}

func (c *Corpus) sort() {
	byID := func(a, b Ranked) int {
		switch {
		case a.Passage < b.Passage:
			return -1
		case a.Passage > b.Passage:
			return 1
		}
		return 0
	}
	slices.SortFunc(c.Passages, byID)
	for s, parts := range c.parts {
		slices.SortFunc(parts, byID)
		c.Sections = append(c.Sections, s)
	}
	slices.Sort(c.Sections)
}

// Parts are the passages of a section in the order of their ids, none if it is not there.
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
