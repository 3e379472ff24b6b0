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
	// damaged says that the input had a bad line before this record.
	damaged bool
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
	cut    bool // a stream was left without its end: nothing may follow it
}

// feed reads the input and hands out the work.
func (m *mapping) feed(ctx context.Context, work chan<- *job) {
	defer close(m.window)
	defer close(work)
	for m.in.Scan() {
		j := &job{rec: m.in.Record(), pos: m.in.Pos(), damaged: m.in.Damaged(), done: make(chan struct{})}
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
				j.err = context.Cause(ctx)
				close(j.done)
				return
			}
		}
	}
}

// drain writes the results in input order.
func (m *mapping) drain(ctx context.Context) error {
	for {
		j, err := m.next(ctx)
		if err != nil {
			return err
		}
		if j == nil {
			break
		}
		if err := m.write(j); err != nil {
			return err
		}
	}
	if err := errors.Join(errors.Join(m.bad...), m.in.Err()); err != nil {
		return err
	}
	if err := m.start(nil); err != nil {
		return err
	}
	return m.out.End()
}

// next waits for the next job to be done; it is nil after the last.
func (m *mapping) next(ctx context.Context) (*job, error) {
	select {
	case j, ok := <-m.window:
		if !ok {
			return nil, context.Cause(ctx)
		}
		select {
		case <-j.done:
			return j, nil
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}

func (m *mapping) write(j *job) error {
	switch rec := j.rec.(type) {
	case *record.Run:
		if err := m.finish(j.damaged); err != nil { // of records outside of any run
			return err
		}
		return m.start(rec)
	case *record.End:
		m.ended = true // written when more follows, or the whole input is known to be good
		return nil
	}
	if m.ended {
		if err := m.finish(j.damaged); err != nil {
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
	case m.cut:
		return nil
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

// finish closes the open stream, if there is one. One that lacks records for
// bad input is left without its end, and the writing stops there.
func (m *mapping) finish(damaged bool) error {
	m.cut = m.cut || damaged || len(m.bad) > 0
	if !m.open || m.cut {
		return nil
	}
	m.open, m.ended = false, false
	return m.out.End()
}

// start opens a stream unless one is open.
func (m *mapping) start(input *record.Run) error {
	if m.open || m.cut {
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
