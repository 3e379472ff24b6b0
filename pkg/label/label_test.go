package label_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

const at = "2026-12-01T09:00:00Z"

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPut(t *testing.T) {
	s := label.Store{Path: filepath.Join(t.TempDir(), "review", "labels.json")}
	put := func(l label.Label, seen int) error {
		t.Helper()
		l.System, l.At = "fused", at
		_, err := s.Put(l, seen)
		return err
	}
	tests := []struct {
		name     string
		label    label.Label
		seen     int
		conflict bool
	}{
		{"first", label.Label{Question: "q2", Answer: "d", Rater: "Ann", Faithful: label.Yes, Opened: []string{"lexical"}}, 0, false},
		{"second rater", label.Label{Question: "q2", Answer: "d", Rater: "Bob", Faithful: label.No, Blind: true}, 0, false},
		{"other question", label.Label{Question: "q1", Answer: "e", Rater: "Ann", Relevant: label.CantTell, Note: "half of it", Weight: 0.5}, 0, false},
		{"not seen", label.Label{Question: "q2", Answer: "d", Rater: "Ann", Faithful: label.No}, 0, true},
		{"opened stays, blind does not come", label.Label{Question: "q2", Answer: "d", Rater: "Ann", Faithful: label.No, Blind: true, Opened: nil}, 1, false},
		{"another answer", label.Label{Question: "q2", Answer: "f", Rater: "Ann", Faithful: label.Yes}, 0, false},
		{"taken out", label.Label{Question: "q2", Answer: "f", Rater: "Ann"}, 5, false},
		{"taken out elsewhere", label.Label{Question: "q2", Answer: "f", Rater: "Ann", Note: "x"}, 5, true},
	}
	for _, tt := range tests {
		err := put(tt.label, tt.seen)
		var conflict *label.Conflict
		if errors.As(err, &conflict) != tt.conflict || err != nil && !tt.conflict {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	want := `{"labels":[
{"question":"q1","system":"fused","answer":"e","rater":"Ann","relevant":"can't tell","note":"half of it","weight":0.5,"at":"2026-12-01T09:00:00Z","seq":3},
{"question":"q2","system":"fused","answer":"d","rater":"Ann","faithful":"no","opened":["lexical"],"at":"2026-12-01T09:00:00Z","seq":4},
{"question":"q2","system":"fused","answer":"d","rater":"Bob","faithful":"no","blind":true,"at":"2026-12-01T09:00:00Z","seq":2}
]}
`
	if d := cmp.Diff(want, text(t, s.Path)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	history := text(t, filepath.Join(filepath.Dir(s.Path), "labels-history.jsonl"))
	if got := strings.Count(history, "\n"); got != 6 {
		t.Errorf("the history has %d lines, want 6", got)
	}
	f, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := label.Write(&b, f); err != nil || b.String() != want {
		t.Errorf("written again: %v\n%s", err, b.String())
	}
}

func TestReadRefuses(t *testing.T) {
	good := `{"question":"q1","system":"fused","answer":"e","rater":"Ann","faithful":"yes","at":"` + at + `"}`
	tests := []struct{ name, line, err string }{
		{"good", strings.Replace(good, "Ann", "Bob", 1), ""},
		{"twice", strings.Replace(good, "yes", "no", 1), "l.json:3: the same was given already, on line 2: keep one"},
		{"no rater", `{"question":"q1","answer":"e","at":"` + at + `"}`, `l.json:3: "rater" is missing or empty`},
		{"no answer and no question", `{"rater":"Ann","at":"` + at + `"}`, `l.json:3: "question" is missing or empty; "answer" is missing or empty`},
		{"mark", strings.Replace(strings.Replace(good, "yes", "maybe", 1), "q1", "q2", 1), `l.json:3: expected the mark yes, no or can't tell, got "maybe"`},
		{"blind and opened", `{"question":"q2","answer":"e","rater":"Ann","blind":true,"opened":["x"],"at":"` + at + `"}`, "l.json:3: blind, and readings were opened: it cannot be both"},
		{"weight", `{"question":"q2","answer":"e","rater":"Ann","weight":-1,"at":"` + at + `"}`, "l.json:3: expected a weight of 0 or more, got -1"},
		{"local time", `{"question":"q2","answer":"e","rater":"Ann","at":"2026-12-01T09:00:00+01:00"}`, "l.json:3: expected \"at\" as RFC 3339 in UTC, such as 2026-12-01T09:30:00Z, got \"2026-12-01T09:00:00+01:00\""},
		{"unknown member", `{"question":"q2","answer":"e","rater":"Ann","faithfull":"yes","at":"` + at + `"}`, "l.json:3: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := label.Read("l.json", strings.NewReader("{\"labels\":[\n"+good+",\n"+tt.line+"\n]}\n"))
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}

// TestSort: a label whose answer or passages changed is stale.
func TestSort(t *testing.T) {
	answer := func(id record.QuestionID, text, passage string) *record.Answer {
		return &record.Answer{Question: record.QuestionRef{ID: id, Text: "Why?"}, System: "fused", Text: text, Passages: []record.Labelled{{Label: "P1", Text: passage}}}
	}
	now := []*record.Answer{answer("q1", "Because.", "old"), answer("q2", "So.", "old"), answer("q3", "Thus.", "new")}
	f := &label.File{Labels: []label.Label{
		{Question: "q1", Answer: now[0].Digest()},
		{Question: "q2", Answer: answer("q2", "So!", "old").Digest()},
		{Question: "q3", Answer: answer("q3", "Thus.", "old").Digest()},
		{Question: "q2", Answer: now[0].Digest()},
	}}
	used, stale := f.Sort(now)
	if d := cmp.Diff(f.Labels[:1], used); d != "" {
		t.Errorf("used (-want +got):\n%s", d)
	}
	if d := cmp.Diff(f.Labels[1:], stale); d != "" {
		t.Errorf("stale (-want +got):\n%s", d)
	}
}
