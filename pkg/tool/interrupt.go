package tool

import (
	"context"
	"io"
)

// interruptible is a reader whose reads end when ctx does: a tool that waits
// for a terminal or a silent pipe can still be stopped.
type interruptible struct {
	ctx     context.Context
	r       io.Reader
	buf     []byte // of the read under way, which may outlive its caller
	rest    []byte // read and not yet asked for
	err     error  // what came with rest
	pending chan result
}

type result struct {
	n   int
	err error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if len(r.rest) > 0 || r.err != nil {
		return r.serve(p)
	}
	if r.pending == nil {
		if r.buf == nil {
			r.buf = make([]byte, 256<<10)
		}
		r.pending = make(chan result, 1)
		go func(done chan<- result) {
			n, err := r.r.Read(r.buf)
			done <- result{n, err}
		}(r.pending)
	}
	select {
	case got := <-r.pending:
		r.pending = nil
		r.rest, r.err = r.buf[:got.n], got.err
		return r.serve(p)
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}

// serve gives what is left of the last read, and then its error.
func (r *interruptible) serve(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
