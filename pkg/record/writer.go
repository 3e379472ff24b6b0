package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Writer writes streams of records. It does not buffer; pkg/tool does.
type Writer struct {
	// ArrayVectors writes vectors as arrays of numbers, for programs that want them so.
	ArrayVectors bool

	w      io.Writer
	counts map[Kind]int // nil outside of a stream
	buf    []byte
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Start opens a stream with its run record.
func (w *Writer) Start(run *Run) error {
	if w.counts != nil {
		return errors.New("record: a stream was started inside another")
	}
	if err := run.Validate(); err != nil {
		return fmt.Errorf("record: refusing to start a stream: %w", err)
	}
	w.counts = map[Kind]int{}
	run.Version = Version
	return w.line(run)
}

// Write writes a record of the open stream.
func (w *Writer) Write(rec Record) error {
	if w.counts == nil {
		return errors.New("record: a record was written outside of a stream")
	}
	if err := rec.Validate(); err != nil {
		return fmt.Errorf("record: refusing to write a bad %s record: %w", rec.Kind(), err)
	}
	if err := w.line(rec); err != nil {
		return err
	}
	w.counts[rec.Kind()]++
	return nil
}

// End closes the stream with the counts of what was written. A stream that
// failed is left without its end, so that the next stage sees it.
func (w *Writer) End() error {
	if w.counts == nil {
		return errors.New("record: a stream was ended that was not started")
	}
	end := &End{Counts: w.counts}
	w.counts = nil
	return w.line(end)
}

func (w *Writer) line(rec Record) error {
	rec.base().Type = rec.Kind()
	line, err := w.append(w.buf[:0], rec)
	if err != nil {
		return fmt.Errorf("record: %s: %w", rec.Kind(), err)
	}
	w.buf = append(line, '\n')
	_, err = w.w.Write(w.buf)
	return err
}

var arrayVectors = json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, v Vector) error {
	return json.MarshalEncode(enc, []float32(v))
}))

func (w *Writer) append(dst []byte, rec Record) ([]byte, error) {
	opts := json.JoinOptions(json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if w.ArrayVectors {
		opts = json.JoinOptions(opts, arrayVectors)
	}
	b, err := json.Marshal(rec, opts)
	return append(dst, b...), err
}
