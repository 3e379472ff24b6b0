package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/tmpfs"
)

func ruling(key string) *record.Verdict {
	return &record.Verdict{
		Key: key, Question: record.QuestionRef{ID: "q1", Text: "Why?"}, Judge: "ollama:m:1", Metric: record.Faithfulness,
		Answer: "d1", Mark: record.No, Status: record.Scored, Claims: []record.Claim{{Claim: "So it is.", Supported: record.No}},
	}
}

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir, "set", "ollama:m:1")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func kept(t *testing.T, s *Store, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if err := s.Keep(ruling(k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestStoreKeeps(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if want := filepath.Join(dir, "set", "ollama-m-1.jsonl"); s.Path != want {
		t.Errorf("path %s, want %s", s.Path, want)
	}
	kept(t, s, "k1", "k2")
	s = opened(t, dir)
	if v := s.Load("k2"); v == nil || v.Mark != record.No || len(v.Claims) != 1 || s.Load("k3") != nil || s.Torn != 0 {
		t.Errorf("loaded %+v, torn %d", v, s.Torn)
	}
	if err := s.Keep(ruling("k1")); err == nil {
		t.Error("a verdict was kept twice")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var none *Store
	if none.Load("k1") != nil || none.Keep(ruling("k1")) != nil || none.Close() != nil {
		t.Error("a store that keeps nothing did something")
	}
}

// Wherever the last line was torn, it is cut off, and what was kept before is there.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	kept(t, opened(t, dir), "k1", "k2")
	path := filepath.Join(dir, "set", "ollama-m-1.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(text), '\n') + 1
	for cut := first; cut < len(text); cut++ {
		if err := os.WriteFile(path, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		s := opened(t, dir)
		if s.Torn != cut-first || s.Load("k1") == nil || s.Load("k2") != nil {
			t.Fatalf("cut at %d: torn %d, k1 %v, k2 %v", cut, s.Torn, s.Load("k1") != nil, s.Load("k2") != nil)
		}
		kept(t, s, "k2")
		if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
			t.Fatalf("cut at %d, then kept again: %v\n%s", cut, err, again)
		}
	}
}

func TestDamagedStore(t *testing.T) {
	good := `{"type":"verdict","key":"k1","question":{"id":"q1","text":"?"},"system":"s","judge":"ollama:m:1","metric":"relevance","answer":"d","repeat":0,"mark":"no","status":"scored"}` + "\n"
	tests := []struct{ name, text, want string }{
		{"not JSON", good + "}{\n" + good, "ollama-m-1.jsonl:2: "},
		{"another record", good + `{"type":"document","path":"p","text":""}` + "\n", "ollama-m-1.jsonl:2: expected a verdict, got a document record"},
		{"a verdict twice", good + good, "ollama-m-1.jsonl:2: the verdict k1… was there already"},
		{"of another judge", strings.Replace(good, "m:1", "other", 1), "ollama-m-1.jsonl:1: expected a verdict of ollama:m:1, got one of ollama:other"},
		{"a mark that is none", strings.Replace(good, `"no"`, `"perhaps"`, 1), "ollama-m-1.jsonl:1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "set"), 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "set", "ollama-m-1.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := OpenStore(dir, "set", "ollama:m:1")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint.Of(err), "move "+path+" away") {
				t.Errorf("got %v (hint %q), want %q", err, hint.Of(err), tt.want)
			}
			if after, rerr := os.ReadFile(path); rerr != nil || string(after) != tt.text {
				t.Errorf("the damaged file was changed: %v\n%s", rerr, after)
			}
		})
	}
}

func TestStoreInUse(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if _, err := OpenStore(dir, "set", "ollama:m:1"); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second run got %v", err)
	}
	kept(t, s)
	kept(t, opened(t, dir))
}

// On a full disk the verdict that does not fit is an error, and those before
// are whole.
func TestFullDisk(t *testing.T) {
	dir, inner := tmpfs.Run(t, "size=16k")
	if !inner {
		return
	}
	s := opened(t, dir)
	n := 0
	var err error
	for ; err == nil; n++ {
		err = s.Keep(ruling(fmt.Sprintf("k%d", n)))
	}
	if n < 10 || !strings.Contains(err.Error(), "verdicts cannot be kept") || !strings.Contains(err.Error(), "no space left") || !strings.Contains(hint.Of(err), "-kept") {
		t.Errorf("after %d verdicts: %v (hint %q)", n, err, hint.Of(err))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir)
	if s.Torn != 0 || s.Load(fmt.Sprintf("k%d", n-2)) == nil || s.Load(fmt.Sprintf("k%d", n-1)) != nil {
		t.Errorf("torn %d; the last that fitted is there: %v", s.Torn, s.Load(fmt.Sprintf("k%d", n-2)) != nil)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir, inner := tmpfs.Run(t, "size=16k,ro")
	if !inner {
		return
	}
	_, err := OpenStore(dir, "set", "j")
	if err == nil || !strings.Contains(err.Error(), "verdicts cannot be kept") || !strings.Contains(hint.Of(err), "-kept off") {
		t.Errorf("got %v (hint %q)", err, hint.Of(err))
	}
}

// A folder of a set of answers changes with any of them, and not with their order.
func TestSetID(t *testing.T) {
	a := &record.Answer{Question: record.QuestionRef{ID: "q1", Text: "?"}, System: "s", Text: "A", Passages: []record.Labelled{{Label: "P1", Text: "p"}}}
	b := &record.Answer{Question: record.QuestionRef{ID: "q2", Text: "?"}, System: "s", Text: "A"}
	id := SetID([]*record.Answer{a, b})
	if len(id) != 12 || SetID([]*record.Answer{b, a}) != id {
		t.Errorf("set %q, in the other order %q", id, SetID([]*record.Answer{b, a}))
	}
	changed := *a
	changed.Passages = []record.Labelled{{Label: "P1", Text: "q"}}
	if SetID([]*record.Answer{&changed, b}) == id || SetID([]*record.Answer{a}) == id {
		t.Error("another passage, or one answer less, is the same set")
	}
}
