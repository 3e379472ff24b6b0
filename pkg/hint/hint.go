// Package hint attaches to an error what the user can do next.
//
// The tools print the error as "mr-x: error: …" and, on a line of its own,
// the hint as "hint: …". A domain package knows what would help; only pkg/tool
// knows where it is printed.
package hint

import (
	"errors"
	"fmt"
)

type hinted struct {
	err  error
	text string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// Wrap returns err with a hint, formatted as by fmt.Sprintf. The message of err is
// unchanged. Wrap(nil, …) is nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// Of returns the hint nearest to the outside of err's chain, or "" if there is none.
func Of(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.text
	}
	return ""
}
