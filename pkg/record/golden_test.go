package record

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// allKinds are the types of the package doc's table, in its order.
var allKinds = []Kind{
	KindRun, KindDocument, KindPassage, KindQuestion, KindGolden, KindHits, KindAnswer,
	KindScore, KindVerdict, KindPair, KindControl, KindInterval, KindTiming, KindEnd,
}

// goldenLines are testdata/golden.jsonl: a line a type, every field in use, and an unknown one, "mine".
func goldenLines(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// write gives the line of a record as Writer would write it, without the frame of a stream.
func write(rec Record) (string, error) {
	var b bytes.Buffer
	w := NewWriter(&b)
	err := w.line(rec)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// TestGolden: what the format promises is on those lines. A change to a line
// is a change of the format, and wants a new Version.
func TestGolden(t *testing.T) {
	lines := goldenLines(t)
	if len(lines) != len(allKinds) {
		t.Fatalf("%d lines for %d types", len(lines), len(allKinds))
	}
	for i, line := range lines {
		t.Run(string(allKinds[i]), func(t *testing.T) {
			rec, err := decode([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			if rec.Kind() != allKinds[i] {
				t.Fatalf("expected type %s, got %s", allKinds[i], rec.Kind())
			}
			got, err := write(rec)
			if err != nil {
				t.Fatal(err)
			}
			want := line
			if rec.Kind() == KindInterval { // an empty reason is the same as none
				want = strings.Replace(line, `,"reason":""`, "", 1)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("written again (-want +got):\n%s", d)
			}
		})
	}
}

// TestDocListsEveryType: the specification names each type, once, in the table.
func TestDocListsEveryType(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []Kind
	for line := range strings.Lines(string(text)) {
		if cells := strings.Fields(line); strings.HasPrefix(line, "//\t") && newRecord(Kind(cells[1])) != nil {
			got = append(got, Kind(cells[1]))
		}
	}
	if d := cmp.Diff(allKinds, got); d != "" {
		t.Errorf("types in the table of doc.go (-want +got):\n%s", d)
	}
	if newRecord("no such") != nil {
		t.Error("an unknown type has a record")
	}
}

// TestUnknownMembers: they come after the known ones, in their order, byte for byte but for white space.
func TestUnknownMembers(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"order", `{"z":1,"type":"document","y":2,"path":"p","x":3,"text":""}`,
			`{"type":"document","path":"p","text":"","z":1,"y":2,"x":3}`,
		},
		{
			"numbers", `{"type":"document","path":"p","text":"","a":1.0,"b":1e400,"c":-0,"d":12345678901234567890123}`,
			`{"type":"document","path":"p","text":"","a":1.0,"b":1e400,"c":-0,"d":12345678901234567890123}`,
		},
		{
			"escapes", `{"type":"document","path":"p","text":"","\u0061":"\u00e9\/é\ud83d\ude00"}`,
			`{"type":"document","path":"p","text":"","\u0061":"\u00e9\/é\ud83d\ude00"}`,
		},
		{
			"white space", `{"type":"document","path":"p","text":"","a": { "b" : [ 1 , "x  y" ] } }`,
			`{"type":"document","path":"p","text":"","a":{"b":[1,"x  y"]}}`,
		},
		{
			"names that differ by case", `{"type":"document","path":"p","text":"","Path":"q","TYPE":"run"}`,
			`{"type":"document","path":"p","text":"","Path":"q","TYPE":"run"}`,
		},
		{
			"a hit's own", `{"type":"hits","question":{"id":"q"},"system":"s","hits":[{"mine":[1.0],"passage":"p","section":"p","rank":1,"score":2}]}`,
			`{"type":"hits","question":{"id":"q"},"system":"s","hits":[{"passage":"p","section":"p","rank":1,"score":2,"mine":[1.0]}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec, err := decode([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := write(rec)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// FuzzRoundTrip: what is decoded, encoded and decoded again is equal, encoding
// it once more gives the same bytes, and an unknown member keeps its value.
func FuzzRoundTrip(f *testing.F) {
	for _, line := range goldenLines(f) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"id":"q","text":"t","type":"question","vector":[1,-0.5,3.4e38]}`))
	f.Add([]byte(`{"type":"golden","id":"q","question":"?","kind":"fact","gold":["a#",["b#","c#"]]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || blank(line) {
			return
		}
		rec, err := decode(line)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error of one line takes several: %q", err)
			}
			return
		}
		once, err := write(rec)
		if err != nil {
			t.Fatalf("a record that was read cannot be written: %v", err)
		}
		if strings.ContainsAny(once, "\n\r") {
			t.Fatalf("a record is not one line: %q", once)
		}
		again, err := decode([]byte(once))
		if err != nil {
			t.Fatalf("a record that was written cannot be read: %v\n%s", err, once)
		}
		if d := cmp.Diff(rec, again, equalRecords...); d != "" {
			t.Errorf("decoded again (-first +second):\n%s", d)
		}
		twice, err := write(again)
		if err != nil || twice != once {
			t.Errorf("written again (%v):\n%s\n%s", err, once, twice)
		}
		if !strings.HasSuffix(once, tail(rec)) {
			t.Errorf("the unknown members %s are not at the end of %s", rec.base().Extra, once)
		}
	})
}

// equalRecords compares what JSON tells apart: an empty list is no list, and
// white space within an unknown member is nothing.
var equalRecords = []cmp.Option{
	cmp.Comparer(sameVector),
	cmp.Comparer(sameValue),
	cmp.FilterPath(func(p cmp.Path) bool {
		t := p.Last().Type()
		return t != reflect.TypeFor[Vector]() && t != reflect.TypeFor[jsontext.Value]()
	}, cmpopts.EquateEmpty()),
}

// tail is how a line ends that carries the unknown members of rec.
func tail(rec Record) string {
	return strings.TrimPrefix(compact(rec.base().Extra), "{")
}

func compact(v jsontext.Value) string {
	v = v.Clone()
	if len(v) == 0 {
		return ""
	}
	if err := v.Compact(); err != nil {
		return "unreadable: " + err.Error()
	}
	return string(v)
}

func sameValue(a, b jsontext.Value) bool { return compact(a) == compact(b) }

// sameVector compares bits, so that -0 is not 0.
func sameVector(a, b Vector) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestGoldenIsFull: every field of every type is in use on its line, those
// aside that say why something else is missing.
func TestGoldenIsFull(t *testing.T) {
	absent := map[Kind][]string{
		KindAnswer: {"refusal_reason", "ungrounded", "reason"}, KindScore: {"reason"}, KindVerdict: {"reason"}, KindInterval: {"reason"},
	}
	for i, line := range goldenLines(t) {
		typ := reflect.TypeOf(newRecord(allKinds[i])).Elem()
		for j := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(j).Tag.Get("json"), ",")
			if name != "" && !slices.Contains(absent[allKinds[i]], name) && !strings.Contains(line, `"`+name+`":`) {
				t.Errorf("the %s line does not use %q", allKinds[i], name)
			}
		}
	}
}
