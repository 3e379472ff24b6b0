package boot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Floor is a value that the mean of a system's metric must reach.
type Floor struct {
	System record.SystemName
	Metric record.MetricName
	Value  float64
}

// Floors are floors; as a flag, one for each time it is given.
type Floors []Floor

// Set adds a floor.
func (f *Floors) Set(text string) error {
	floor, err := ParseFloor(text)
	if err == nil {
		*f = append(*f, floor)
	}
	return err
}

// String is the floors between commas.
func (f *Floors) String() string {
	var all []string
	for _, floor := range *f {
		all = append(all, floor.String())
	}
	return strings.Join(all, ",")
}

// String is the form that ParseFloor reads: SYSTEM:METRIC=VALUE.
func (f Floor) String() string {
	return fmt.Sprintf("%s:%s=%s", f.System, f.Metric, strconv.FormatFloat(f.Value, 'f', -1, 64))
}

// ParseFloor reads SYSTEM:METRIC=VALUE. The system's name may have colons.
func ParseFloor(s string) (Floor, error) {
	bad := func() (Floor, error) {
		return Floor{}, fmt.Errorf("expected a floor as SYSTEM:METRIC=VALUE, hybrid:recall@5=0.7, got %q", s)
	}
	name, number, ok := strings.Cut(s, "=")
	colon := strings.LastIndexByte(name, ':')
	if !ok || colon <= 0 || colon == len(name)-1 {
		return bad()
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return bad()
	}
	return Floor{record.SystemName(name[:colon]), record.MetricName(name[colon+1:]), value}, nil
}

// ReadFloors reads floors, one a line; blank lines and what follows a # are
// nothing. A system's metric has one floor.
func ReadFloors(name string, r io.Reader) (Floors, error) {
	var floors Floors
	var bad []error
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		f, err := ParseFloor(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("%v: %w", record.Pos{File: name, Line: n}, err))
			continue
		}
		floors = append(floors, f)
	}
	if err := lines.Err(); err != nil {
		bad = append(bad, fmt.Errorf("%s: %w", name, err))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return floors, unique(floors)
}

// unique is nil if no system's metric has two floors.
func unique(floors []Floor) error {
	for i, f := range floors {
		for _, g := range floors[:i] {
			if f.System == g.System && f.Metric == g.Metric {
				return fmt.Errorf("%s:%s has two floors, %v and %v", f.System, f.Metric, g.Value, f.Value)
			}
		}
	}
	return nil
}
