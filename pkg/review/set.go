package review

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/journal"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Paths are the files of golden records.
type Paths struct {
	Golden, Proposed, NextPin string
}

// Set is a file of golden records with its lines as they were read.
type Set struct {
	// Name is the file's.
	Name string
	// Records are in the order of the file.
	Records []*record.Golden

	lines []line
	// open says that the last line has no newline.
	open bool
	was  *Set // before changes, nil without any
}

// line is a line of the file: a record, or blank.
type line struct {
	text []byte // without the newline
	rec  *record.Golden
	from int // its number in the file before changes, from 0; -1 for a new one
}

// Of is a question of the set, nil if it is not there.
func (s *Set) Of(id record.QuestionID) *record.Golden {
	for _, g := range s.Records {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// ReadSet reads golden records that are no stream: without run and end, which
// would no longer be true when a record is added. What is bad is refused with
// its line: also an id that comes twice.
func ReadSet(name string, text []byte) (*Set, error) {
	s := &Set{Name: name, open: len(text) > 0 && !bytes.HasSuffix(text, []byte("\n"))}
	if len(bytes.TrimSpace(text)) == 0 {
		return s, nil
	}
	for i, raw := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		s.lines = append(s.lines, line{text: raw, from: i})
	}
	in := record.NewReader(record.Source{Name: name, Reader: bytes.NewReader(text)})
	first := map[record.QuestionID]record.Pos{}
	for in.Scan() {
		g, ok := in.Record().(*record.Golden)
		if !ok {
			in.Reject(hint.Wrap(fmt.Errorf("expected golden records alone, got a %s record", in.Record().Kind()),
				"take the others out: jq -c 'select(.type==\"golden\")'"))
			continue
		}
		if at, ok := first[g.ID]; ok {
			in.Reject(fmt.Errorf("question %q was there already, at %v: ids are unique", g.ID, at))
			continue
		}
		first[g.ID] = in.Pos()
		s.lines[in.Pos().Line-1].rec = g
		s.Records = append(s.Records, g)
	}
	return s, in.Err()
}

// Bytes is the file.
func (s *Set) Bytes() []byte {
	var b bytes.Buffer
	for i, l := range s.lines {
		b.Write(l.text)
		if i < len(s.lines)-1 || !s.open {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// changed is a copy of the set that may be changed.
func (s *Set) changed() *Set {
	was := s.was
	if was == nil {
		was = s
	}
	return &Set{Name: s.Name, Records: slices.Clone(s.Records), lines: slices.Clone(s.lines), was: was}
}

// replace puts a record in the place of the one with its id.
func (s *Set) replace(g *record.Golden) error {
	i := slices.IndexFunc(s.lines, func(l line) bool { return l.rec != nil && l.rec.ID == g.ID })
	text, err := relined(s.lines[i].text, g)
	if err != nil {
		return err
	}
	s.lines[i].text, s.lines[i].rec = text, g
	s.collect()
	return nil
}

// add appends a record.
func (s *Set) add(g *record.Golden) error {
	text, err := Line(g)
	if err != nil {
		return err
	}
	s.lines = append(s.lines, line{text, g, -1})
	s.collect()
	return nil
}

// remove takes the record with that id out.
func (s *Set) remove(id record.QuestionID) {
	s.lines = slices.DeleteFunc(s.lines, func(l line) bool { return l.rec != nil && l.rec.ID == id })
	s.collect()
}

// collect reads the records off the lines.
func (s *Set) collect() {
	s.Records = nil
	for _, l := range s.lines {
		if l.rec != nil {
			s.Records = append(s.Records, l.rec)
		}
	}
}

// Data is what decisions are about.
type Data struct {
	Golden, Proposed, NextPin *Set
}

// ReadData reads the files. What is bad is refused with its place. Files of
// proposals may be missing, and an empty path is a missing file.
func ReadData(p Paths) (*Data, error) {
	golden, err := readFile(p.Golden)
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.Wrap(err, "the golden set; for a new one make an empty file")
	}
	proposed, perr := readFile(p.Proposed)
	next, nerr := readFile(p.NextPin)
	for _, e := range []error{perr, nerr} {
		if !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return &Data{golden, proposed, next}, err
}

func readFile(path string) (*Set, error) {
	if path == "" {
		return &Set{}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return &Set{Name: path}, err
	}
	return ReadSet(path, text)
}

// Change reads the files, and lets no other process of this project change them
// until fn is done.
func Change(p Paths, fn func(*Data) error) (err error) {
	release, err := journal.Hold(p.Golden)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	d, err := ReadData(p)
	if err != nil {
		return err
	}
	return fn(d)
}

// Look reads the files, and changes nothing: not even a lock is made.
func Look(p Paths, fn func(*Data) error) error {
	d, err := ReadData(p)
	if err != nil {
		return err
	}
	return fn(d)
}

// Current is the record that a ruling of that kind is on: for enter and reject
// the proposed one, else the one of the golden set; nil if there is none.
func (d *Data) Current(id record.QuestionID, a Action) *record.Golden {
	if a == Enter || a == Reject {
		if g := d.Proposed.Of(id); g != nil {
			return g
		}
		return d.NextPin.Of(id)
	}
	return d.Golden.Of(id)
}

// sets are the three in the order in which they are written: proposals last, so
// that a question that enters is never in no file.
func (d *Data) sets() []*Set { return []*Set{d.Golden, d.NextPin, d.Proposed} }

// Write writes the files that changed, each as a whole.
func (d *Data) Write() error {
	for _, s := range d.sets() {
		if s.was == nil || bytes.Equal(s.Bytes(), s.was.Bytes()) {
			continue
		}
		if err := journal.Replace(s.Name, s.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Diff is what Write changes, as diff -U0 prints it; "" for nothing.
func (d *Data) Diff() string {
	var b bytes.Buffer
	for _, s := range d.sets() {
		if s.was != nil {
			s.diff(&b)
		}
	}
	return b.String()
}
