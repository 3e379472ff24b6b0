// Package stage lifts functions on records into filters on streams, the form
// in which the tools and a single process use them alike.
//
//   - Map keeps streams apart: what it writes for (cat a b) is what it writes
//     for a, then for b. Its run record carries the run record of its input.
//   - Collect reads everything first, for tools that compute over the whole.
//   - Pipe runs filters side by side, joined as the shell joins processes, and
//     gives the same bytes.
package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Func is a filter: it reads records and writes streams.
type Func func(ctx context.Context, in *record.Reader, out *record.Writer) error

// InputError marks an error of one input record: the filter goes on, so that
// every bad record is named, and fails at the end.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the error it marks.
func (e *InputError) Unwrap() error { return e.Err }

// Bad returns an InputError.
func Bad(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// Unexpected is the InputError of a record of a type the filter has no use for.
func Unexpected(rec record.Record, want string) error {
	return Bad("expected %s, got a %s record", want, rec.Kind())
}

// A Mapper makes the records that stand for one record of the input.
type Mapper func(ctx context.Context, rec record.Record) ([]record.Record, error)

// Map returns the filter that replaces every record by those of fn, in order,
// with up to workers calls at once (0: GOMAXPROCS). It copies run for each
// stream. An error of fn that is not an InputError stops it.
func Map(run *record.Run, workers int, fn Mapper) Func {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(ctx context.Context, in *record.Reader, out *record.Writer) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		m := &mapping{run: run, in: in, out: out, fn: fn, window: make(chan *job, 4*workers)}
		var wg sync.WaitGroup
		work := make(chan *job)
		for range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for j := range work {
					j.out, j.err = fn(ctx, j.rec)
					close(j.done)
				}
			}()
		}
		go m.feed(ctx, work)
		if err := m.drain(ctx); err != nil {
			return err // feed may still wait for its input, which is then nobody's
		}
		wg.Wait()
		return nil
	}
}

type job struct {
	rec  record.Record
	pos  record.Pos
	out  []record.Record
	err  error
	done chan struct{}
}

type mapping struct {
	run    *record.Run
	in     *record.Reader
	out    *record.Writer
	fn     Mapper
	window chan *job // jobs in input order
	open   bool      // a stream is being written
	ended  bool      // its input has ended
	bad    []error
}

// feed reads the input and hands out the work.
func (m *mapping) feed(ctx context.Context, work chan<- *job) {
	defer close(m.window)
	defer close(work)
	for m.in.Scan() {
		j := &job{rec: m.in.Record(), pos: m.in.Pos(), done: make(chan struct{})}
		select {
		case m.window <- j:
		case <-ctx.Done():
			return
		}
		switch j.rec.(type) {
		case *record.Run, *record.End:
			close(j.done)
		default:
			select {
			case work <- j:
			case <-ctx.Done():
				j.err = ctx.Err()
				close(j.done)
				return
			}
		}
	}
}

// drain writes the results in input order.
func (m *mapping) drain(ctx context.Context) error {
	for j := range m.window {
		<-j.done
		if err := m.write(j); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := errors.Join(errors.Join(m.bad...), m.in.Err()); err != nil {
		return err
	}
	if err := m.start(nil); err != nil { // an empty input is an empty stream
		return err
	}
	return m.out.End()
}

func (m *mapping) write(j *job) error {
	switch rec := j.rec.(type) {
	case *record.Run:
		if err := m.finish(); err != nil { // of records outside of any run
			return err
		}
		return m.start(rec)
	case *record.End:
		m.ended = true // written when more follows, or the whole input is known to be good
		return nil
	}
	if m.ended {
		if err := m.finish(); err != nil {
			return err
		}
	}
	var bad *InputError
	switch {
	case errors.As(j.err, &bad):
		m.bad = append(m.bad, fmt.Errorf("%v: %w", j.pos, j.err))
		return nil
	case j.err != nil:
		return fmt.Errorf("%v: %w", j.pos, j.err)
	}
	if err := m.start(nil); err != nil {
		return err
	}
	for _, rec := range j.out {
		if err := m.out.Write(rec); err != nil {
			return fmt.Errorf("%v: %w", j.pos, err)
		}
	}
	return nil
}

// finish closes the open stream, if there is one.
func (m *mapping) finish() error {
	if !m.open {
		return nil
	}
	m.open, m.ended = false, false
	return m.out.End()
}

// start opens a stream unless one is open.
func (m *mapping) start(input *record.Run) error {
	if m.open {
		return nil
	}
	m.open = true
	run := *m.run
	if input != nil {
		run.Inputs = []*record.Run{input}
		if run.Commit == "" {
			run.Commit = input.Commit
		}
	}
	return m.out.Start(&run)
}

// Located is a record with its place.
type Located struct {
	record.Record
	Pos record.Pos
}

// Collect reads everything: the runs, and the records between and outside of
// them. It fails where any line was bad.
func Collect(in *record.Reader) (runs []*record.Run, recs []Located, err error) {
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			runs = append(runs, rec)
		case *record.End:
		default:
			recs = append(recs, Located{rec, in.Pos()})
		}
	}
	return runs, recs, in.Err()
}

// Pipe joins filters: in → fns[0] → fns[1] … → out, all at once. A filter that
// fails closes the pipe behind it, so the next one sees a cut stream, and the
// one before it, so that it stops. The errors are joined, the first filter's first.
func Pipe(fns ...Func) Func {
	return func(ctx context.Context, in *record.Reader, out *record.Writer) error {
		errs := make([]error, len(fns))
		var wg sync.WaitGroup
		var from *io.PipeReader
		for i, fn := range fns {
			src, dst, behind := in, out, from
			var ahead *io.PipeWriter
			if i < len(fns)-1 {
				from, ahead = io.Pipe()
				dst = record.NewWriter(ahead)
				in = record.NewReader(record.Source{Name: fmt.Sprintf("pipe %d", i+1), Reader: from})
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				errs[i] = fn(ctx, src, dst)
				if behind != nil {
					behind.Close()
				}
				if ahead != nil {
					ahead.Close()
				}
			}()
		}
		wg.Wait()
		return errors.Join(errs...)
	}
}
