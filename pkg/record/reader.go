package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// MaxLine is the longest line a reader accepts, in bytes.
const MaxLine = 32 << 20

// maxReported bounds the bad lines that are spelled out; of the rest only the places are named.
const maxReported = 100

// errTooLong is the error of one line; the reader goes on after it.
var errTooLong = fmt.Errorf("line is longer than %d MiB, the limit of one record", MaxLine>>20)

// Pos is a place in an input.
type Pos struct {
	File string
	Line int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Source is a named input; the name is used in messages alone.
type Source struct {
	Name string
	io.Reader
}

// A Reader reads records from sources, one after another, in the manner of bufio.Scanner.
//
//	for r.Scan() { use(r.Record()) }
//	if err := r.Err(); err != nil { … }
//
// Scan yields run and end records too. It goes on after a bad line; Err then
// names every one of them.
type Reader struct {
	sources []Source
	buf     *bufio.Reader
	pos     Pos
	rec     Record
	run     *Run // of the open stream
	runPos  Pos
	counts  map[Kind]int
	damaged bool // the open stream had a bad line, so its counts cannot agree
	any     bool // the source holds a line that is not blank
	bad     []error
	more    places // bad lines past maxReported
	fatal   error
}

// NewReader returns a reader of sources.
func NewReader(sources ...Source) *Reader { return &Reader{sources: sources} }

// Scan advances to the next record. It returns false at the end or at an input
// that cannot be read; Err tells which.
func (r *Reader) Scan() bool {
	for r.fatal == nil {
		if r.buf == nil {
			if len(r.sources) == 0 {
				return false
			}
			r.buf = bufio.NewReaderSize(r.sources[0], 256<<10)
			r.pos = Pos{r.sources[0].Name, 0}
			r.any = false
		}
		line, err := r.line()
		if err == io.EOF {
			r.closeSource()
			continue
		}
		if err != nil && err != errTooLong {
			r.bad = append(r.bad, fmt.Errorf("%v: %w", r.pos, err))
			r.fatal = err
			return false
		}
		if err == nil && blank(line) {
			continue
		}
		r.any = true
		var rec Record
		if err == nil {
			rec, err = decode(line)
		}
		if err == nil {
			err = r.follow(rec)
		} else {
			r.damaged = true
		}
		if err != nil {
			r.Reject(err)
			continue
		}
		r.rec = rec
		return true
	}
	return false
}

// Record is the record Scan advanced to. The caller owns it.
func (r *Reader) Record() Record { return r.rec }

// Pos is the place of that record.
func (r *Reader) Pos() Pos { return r.pos }

// Run is the run record of the stream the current record belongs to, nil outside of any.
func (r *Reader) Run() *Run { return r.run }

// Reject notes that the current record is bad input; Err will name it with its place.
func (r *Reader) Reject(err error) {
	if len(r.bad) < maxReported {
		r.bad = append(r.bad, hint.Wrap(fmt.Errorf("%v: %w", r.pos, err), "%s", hint.Of(err)))
		return
	}
	r.more.add(r.pos)
}

// Damaged says that Err would not be nil.
func (r *Reader) Damaged() bool { return len(r.bad) > 0 }

// Err is nil if every line was good and every stream was closed by its end.
func (r *Reader) Err() error {
	err := errors.Join(r.bad...)
	if r.more.n > 0 {
		err = errors.Join(err, fmt.Errorf("and %d more bad lines: %v", r.more.n, &r.more))
	}
	return err
}

// places is a list of lines, runs of them joined.
type places struct {
	n    int
	runs []struct {
		from Pos
		to   int
	}
}

func (p *places) add(pos Pos) {
	p.n++
	if last := len(p.runs) - 1; last >= 0 && p.runs[last].from.File == pos.File && pos.Line <= p.runs[last].to+1 {
		p.runs[last].to = pos.Line
		return
	}
	p.runs = append(p.runs, struct {
		from Pos
		to   int
	}{pos, pos.Line})
}

func (p *places) String() string {
	var b strings.Builder
	for i, run := range p.runs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(run.from.String())
		if run.to > run.from.Line {
			fmt.Fprintf(&b, "-%d", run.to)
		}
	}
	return b.String()
}

// blank says that a line holds nothing but JSON's white space.
func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// line returns the next line without its newline. The slice is the caller's.
// A line that is too long is read to its end.
func (r *Reader) line() ([]byte, error) {
	r.pos.Line++
	var line []byte
	tooLong := false
	for {
		frag, err := r.buf.ReadSlice('\n')
		text := bytes.TrimSuffix(frag, []byte("\n"))
		if tooLong = tooLong || len(line)+len(text) > MaxLine; !tooLong {
			line = append(line, text...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0 && !tooLong:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case tooLong:
			return nil, errTooLong
		}
		return line, nil
	}
}

// follow checks that rec may stand where it does in the stream.
func (r *Reader) follow(rec Record) error {
	switch rec := rec.(type) {
	case *Run:
		err := r.unclosed()
		r.run, r.runPos, r.counts, r.damaged = rec, r.pos, map[Kind]int{}, false
		if err == nil && rec.Version != Version {
			err = fmt.Errorf("%s wrote version %q of the format, this program reads version %q", rec.Tool, rec.Version, Version)
		}
		return err
	case *End:
		run, damaged := r.run, r.damaged
		if run == nil {
			return hint.Wrap(errors.New("an end record without its run: the head of the stream is missing"),
				"to pass a part of a stream on, %s", alone(rec.Counts))
		}
		r.run = nil
		if d := diffCounts(r.counts, rec.Counts); d != "" && !damaged {
			return fmt.Errorf("the end record of %s counts %s: records were lost or added on the way", run.Tool, d)
		}
	default:
		if r.run != nil {
			r.counts[rec.Kind()]++
		}
	}
	return nil
}

func (r *Reader) unclosed() error {
	if r.run == nil {
		return nil
	}
	err := fmt.Errorf("the stream of %s that starts at %v has no end record: the stage before died, or the stream was cut", r.run.Tool, r.runPos)
	r.run = nil
	return hint.Wrap(err, "run the stage before again; to pass a part of a stream on, %s", alone(r.counts))
}

// alone says how to keep the records of a stream and leave its run and end.
func alone(seen map[Kind]int) string {
	kinds := slices.Sorted(maps.Keys(seen))
	if len(kinds) == 0 {
		kinds = []Kind{"…"}
	}
	tests := make([]string, len(kinds))
	for i, k := range kinds {
		tests[i] = fmt.Sprintf(".type==%q", k)
	}
	return fmt.Sprintf("keep the records alone: jq -c 'select(%s)'", strings.Join(tests, " or "))
}

func (r *Reader) closeSource() {
	r.pos.Line-- // the last line there was
	if err := r.unclosed(); err != nil {
		r.Reject(err)
	}
	if !r.any {
		r.Reject(hint.Wrap(errors.New("the input is empty: expected records"),
			"a stage that writes nothing, not even a run record, has failed: see its message"))
	}
	r.sources, r.buf = r.sources[1:], nil
}

// diffCounts says how the counts of an end record differ from those seen.
func diffCounts(seen, said map[Kind]int) string {
	var kinds []string
	for k := range seen {
		kinds = append(kinds, string(k))
	}
	for k := range said {
		if _, ok := seen[k]; !ok {
			kinds = append(kinds, string(k))
		}
	}
	sort.Strings(kinds)
	var diff []string
	for _, k := range kinds {
		if a, b := said[Kind(k)], seen[Kind(k)]; a != b {
			diff = append(diff, fmt.Sprintf("%d %s records where %d came", a, k, b))
		}
	}
	return strings.Join(diff, ", ")
}
