package label

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// Read reads a file of labels; name is for messages. What is damaged is refused
// with its line: unknown members, two labels of one rater on one answer, and a
// label that lacks what it is of, or by whom.
func Read(name string, r io.Reader) (*File, error) {
	labels, err := format.Read(name, r)
	if err != nil {
		return nil, err
	}
	return &File{labels}, nil
}

// Validate says what a label lacks.
func (l *Label) Validate() error {
	var errs []error
	for _, m := range []struct{ name, value string }{
		{"question", string(l.Question)}, {"answer", l.Answer}, {"rater", strings.TrimSpace(l.Rater)},
	} {
		if m.value == "" {
			errs = append(errs, fmt.Errorf("%q is missing or empty", m.name))
		}
	}
	for _, c := range []Choice{l.Faithful, l.Relevant} {
		if c != "" && c != Yes && c != No && c != CantTell {
			errs = append(errs, fmt.Errorf("expected the mark yes, no or can't tell, got %q", c))
		}
	}
	if l.Blind && len(l.Opened) > 0 {
		errs = append(errs, errors.New("blind, and readings were opened: it cannot be both"))
	}
	if !(l.Weight >= 0) || math.IsInf(l.Weight, 0) {
		errs = append(errs, fmt.Errorf("expected a weight of 0 or more, got %v", l.Weight))
	}
	if _, err := time.Parse(time.RFC3339, l.At); l.At != "" && (err != nil || !strings.HasSuffix(l.At, "Z")) {
		errs = append(errs, fmt.Errorf("expected \"at\" as RFC 3339 in UTC, such as 2026-12-01T09:30:00Z, got %q", l.At))
	}
	return errors.Join(errs...)
}
