package record

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for range 2 { // a writer writes stream after stream
		steps := []error{
			w.Start(&Run{Tool: "mr-x", Flags: map[string]string{"z": "1", "a": "2", "m": "3"}}),
			w.Write(&Document{Path: "p"}),
			w.Write(&Question{ID: "q", Text: "<&>\u2028", Vector: Vector{1, -0.5}}),
			w.Write(&Document{Path: "p2"}),
			w.End(),
		}
		if err := errors.Join(steps...); err != nil {
			t.Fatal(err)
		}
	}
	// 1 is 0x3f800000 and -0.5 is 0xbf000000: 00 00 80 3f 00 00 00 bf = AACAPwAAAL8=.
	one := `{"type":"run","tool":"mr-x","version":"1","flags":{"a":"2","m":"3","z":"1"}}
{"type":"document","path":"p","text":""}
{"type":"question","id":"q","text":"<&>` + "\u2028" + `","vector":"AACAPwAAAL8="}
{"type":"document","path":"p2","text":""}
{"type":"end","counts":{"document":2,"question":1}}
`
	if d := cmp.Diff(one+one, b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, errs := read(b.String()); errs != nil {
		t.Errorf("the reader finds fault with it: %q", errs)
	}
}

func TestArrayVectors(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.ArrayVectors = true
	in := &Question{ID: "q", Text: "t", Vector: Vector{1, -0.5, 0.1, math.SmallestNonzeroFloat32, math.MaxFloat32}}
	if err := w.line(in); err != nil {
		t.Fatal(err)
	}
	if want := `"vector":[1,-0.5,0.1,1e-45,3.4028235e+38]`; !strings.Contains(b.String(), want) {
		t.Errorf("expected %s in %s", want, b.String())
	}
	rec, err := decode(bytes.TrimSpace(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !sameVector(in.Vector, rec.(*Question).Vector) {
		t.Errorf("the bits changed: %v became %v", in.Vector, rec.(*Question).Vector)
	}
}

func TestWriterRefuses(t *testing.T) {
	nan := math.NaN()
	half := 0.5
	tests := []struct {
		name string
		rec  Record
		want string
	}{
		{"a bad record", &Document{}, `refusing to write a bad document record: "path" is missing or empty`},
		{"NaN", &Score{Question: QuestionRef{ID: "q"}, System: "s", Metric: "m", Value: &nan, Status: Scored}, "NaN"},
		{"infinity in a vector", &Question{ID: "q", Text: "t", Vector: Vector{1, float32(math.Inf(1))}}, "vector element 1 is not finite"},
		{"a value that is not trusted", &Interval{Metric: "m", System: "s", Value: &half, Reason: "no controls seen"}, "a value stands just when the interval is trusted"},
		{"invalid UTF-8", &Document{Path: "\xff"}, "invalid UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := NewWriter(&b)
			if err := w.Start(&Run{Tool: "mr-x"}); err != nil {
				t.Fatal(err)
			}
			before := b.String()
			if err := w.Write(tt.rec); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("expected an error with %q, got %v", tt.want, err)
			}
			if b.String() != before {
				t.Errorf("something was written: %q", b.String())
			}
			if err := w.End(); err != nil {
				t.Fatal(err)
			}
			if _, errs := read(b.String()); errs != nil { // what was refused is not in the counts
				t.Errorf("the stream is no longer whole: %q", errs)
			}
		})
	}
}

func TestWriterOrder(t *testing.T) {
	w := NewWriter(&bytes.Buffer{})
	if w.Write(&Document{Path: "p"}) == nil {
		t.Error("a record outside of a stream was written")
	}
	if w.End() == nil {
		t.Error("a stream was ended that was not started")
	}
	if w.Start(&Run{}) == nil {
		t.Error("a run without a tool was written")
	}
	if err := w.Start(&Run{Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	if w.Start(&Run{Tool: "t"}) == nil {
		t.Error("a stream was started inside another")
	}
}

type failing struct{}

var errDisk = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errDisk }

func TestWriterPassesOnErrors(t *testing.T) {
	if err := NewWriter(failing{}).Start(&Run{Tool: "t"}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
}
