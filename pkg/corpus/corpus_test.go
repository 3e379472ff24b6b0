package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestRead(t *testing.T) {
	const (
		run = `{"type":"run","tool":"mr-cut","version":"1","commit":"c"}` + "\n"
		p1  = `{"type":"passage","id":"a#~1","section":"a#","text":"x","commit":"c","extra":1}` + "\n"
		p2  = `{"type":"passage","id":"a#~2","section":"a#","text":"y","commit":"c"}` + "\n"
		p3  = `{"type":"passage","id":"b#","section":"b#","text":"z","commit":"c"}` + "\n"
		dup = `{"type":"passage","id":"a#~1","section":"a#","text":"other","commit":"c"}` + "\n"
		odd = `{"type":"passage","id":"d#","section":"d#","text":"z","commit":"d"}` + "\n"
	)
	got, err := Read(reader(run + p1 + p3 + p2 + `{"type":"timing","tool":"mr-cut","step":"cut","n":1,"seconds":1}` + "\n" +
		`{"type":"end","counts":{"passage":3,"timing":1}}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]record.SectionID{"a#", "b#"}, got.Sections); diff != "" || got.Commit != "c" || len(got.Runs) != 1 || len(got.Passages) != 3 {
		t.Errorf("got %+v\n%s", got, diff)
	}
	if a := got.Section("a#"); len(a) != 2 || a[1].ID != "a#~2" || got.Passage("b#").Text != "z" || got.Passage("a#") != nil || got.Section("c#") != nil {
		t.Errorf("the passages of a#: %+v", a)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"an id twice", p1 + p2 + dup, `in:3: the passage "a#~1" was also given at in:1`},
		{"two commits", p1 + odd, `in:2: the passage "d#" is of commit "d", those before are of "c"`},
		{"another type", p1 + `{"type":"question","id":"q","text":"t"}`, "in:2: expected a passage, got a question record"},
		{"cut stream", run + p1, "no end record"},
		{"nothing", "", "the input is empty"},
		{"no passages", run + `{"type":"end","counts":{}}`, "the corpus holds no passages"},
		{"no text", `{"type":"passage","id":"a","section":"a"}`, `in:1: bad passage record: "text" is missing`},
	} {
		if _, err := Read(reader(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
