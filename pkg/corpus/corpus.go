package corpus

import (
	"errors"
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Corpus is what a stream of passages holds.
//
// Invariants: passage ids are unique; all passages have one commit; there is
// at least one.
type Corpus struct {
	// Commit is that of every passage, "" where none carries one.
	Commit record.Commit
	// Passages are in the order of the stream.
	Passages []*record.Passage
	// Sections are in the order of their first passages, each once.
	Sections []record.SectionID
	// Runs are the runs of the streams, for provenance.
	Runs []*record.Run

	byID      map[record.PassageID]*record.Passage
	bySection map[record.SectionID][]*record.Passage
}

// Passage returns the passage of that id, nil if there is none.
func (c *Corpus) Passage(id record.PassageID) *record.Passage { return c.byID[id] }

// Section returns the passages of a section in order, none if there is no such section.
func (c *Corpus) Section(id record.SectionID) []*record.Passage { return c.bySection[id] }

// Read reads streams of passages to their end. Every bad record is named with
// its place: another type (timing apart), an id seen before, another commit.
func Read(in *record.Reader) (*Corpus, error) {
	c := &Corpus{byID: map[record.PassageID]*record.Passage{}, bySection: map[record.SectionID][]*record.Passage{}}
	places := map[record.PassageID]record.Pos{}
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			c.Runs = append(c.Runs, rec)
		case *record.End, *record.Timing:
		case *record.Passage:
			if first, dup := places[rec.ID]; dup {
				in.Reject(fmt.Errorf("the passage %q was also given at %v", rec.ID, first))
				continue
			}
			if len(c.Passages) > 0 && rec.Commit != c.Commit {
				in.Reject(hint.Wrap(fmt.Errorf("the passage %q is of commit %q, those before are of %q", rec.ID, rec.Commit, c.Commit),
					"a corpus is of one commit: cut all of it at the same one"))
				continue
			}
			places[rec.ID] = in.Pos()
			c.add(rec)
		default:
			in.Reject(fmt.Errorf("expected a passage, got a %s record", rec.Kind()))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(c.Passages) == 0 {
		return nil, hint.Wrap(errors.New("the corpus holds no passages"), "mr-cut makes them")
	}
	return c, nil
}

func (c *Corpus) add(p *record.Passage) {
	c.Commit = p.Commit
	c.Passages = append(c.Passages, p)
	c.byID[p.ID] = p
	if len(c.bySection[p.Section]) == 0 {
		c.Sections = append(c.Sections, p.Section)
	}
	c.bySection[p.Section] = append(c.bySection[p.Section], p)
}
