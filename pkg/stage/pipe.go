package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Pipe joins filters: in → fns[0] → fns[1] … → out, all at once. A filter that
// fails closes the pipe behind it, so the next one sees a cut stream, and stops
// the one before it. The errors are joined, the first filter's first; that a
// filter was stopped so is no error of its own.
func Pipe(fns ...Func) Func {
	return func(ctx context.Context, in *record.Reader, out *record.Writer) error {
		errs := make([]error, len(fns))
		var wg sync.WaitGroup
		stop := func(error) {}
		var from *io.PipeReader
		for i, fn := range fns {
			src, dst, behind, stopBehind := in, out, from, stop
			var mine context.Context
			mine, stop = context.WithCancelCause(ctx)
			var ahead *io.PipeWriter
			if i < len(fns)-1 {
				from, ahead = io.Pipe()
				dst = record.NewWriter(ahead)
				in = record.NewReader(record.Source{Name: fmt.Sprintf("pipe %d", i+1), Reader: from})
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				errs[i] = asStopped(mine, fn(mine, src, dst))
				stopBehind(errStopped)
				if behind != nil {
					behind.CloseWithError(errStopped)
				}
				if ahead != nil {
					ahead.Close()
				}
			}()
		}
		wg.Wait()
		stop(nil)
		return errors.Join(withoutStopped(errs)...)
	}
}

// errStopped is what a filter sees whose output is no longer read.
var errStopped = errors.New("the next stage has ended")

// asStopped is err, told apart as errStopped where it only says that ctx was
// cancelled by the filter after: a filter may well return ctx.Err(), which has
// no cause in it, if it looks at its context before it looks at its pipe.
func asStopped(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), errStopped) {
		return errStopped
	}
	return err
}

// withoutStopped drops what only says that a later filter ended, unless nothing else would be said.
func withoutStopped(errs []error) []error {
	var own []error
	for _, err := range errs {
		if err != nil && !errors.Is(err, errStopped) {
			own = append(own, err)
		}
	}
	if own == nil {
		return errs
	}
	return own
}
