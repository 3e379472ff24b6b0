package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/journal"
)

type item struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
	Seq  int    `json:"seq"`
}

var format = &journal.Format[item]{
	Member: "items",
	Key:    func(i *item) string { return i.Name },
	Check: func(i *item) error {
		if i.Name == "" {
			return errors.New(`"name" is missing or empty`)
		}
		return nil
	},
	Seq: func(i *item) *int { return &i.Seq },
}

func store(t *testing.T) journal.Store[item] {
	dir := t.TempDir()
	return journal.Store[item]{Format: format, Path: filepath.Join(dir, "in", "items.json"), History: filepath.Join(dir, "in", "history.jsonl")}
}

func put(name, note string) func([]item) (journal.Change[item], error) {
	return func([]item) (journal.Change[item], error) {
		return journal.Change[item]{Item: item{Name: name, Note: note}, Remove: note == "gone"}, nil
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUpdate(t *testing.T) {
	s := store(t)
	if items, err := s.Load(); err != nil || items != nil {
		t.Fatalf("without a file: %v, %v", items, err)
	}
	for _, change := range [][2]string{{"b", "one"}, {"a", ""}, {"b", "two <&>"}, {"c", ""}, {"a", "gone"}, {"d", "gone"}} {
		if _, err := s.Update(put(change[0], change[1])); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"items":[
{"name":"b","note":"two <&>","seq":3},
{"name":"c","seq":4}
]}
`
	if d := cmp.Diff(want, read(t, s.Path)); d != "" {
		t.Errorf("file (-want +got):\n%s", d)
	}
	want = `{"name":"b","note":"one","seq":1}
{"name":"a","seq":2}
{"name":"b","note":"two <&>","seq":3}
{"name":"c","seq":4}
{"name":"a","note":"gone","seq":5}
{"name":"d","note":"gone","seq":6}
`
	if d := cmp.Diff(want, read(t, s.History)); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	names, err := os.ReadDir(filepath.Dir(s.Path))
	if err != nil || len(names) != 2 {
		t.Errorf("something was left behind: %v, %v", names, err)
	}
}

func TestUpdateThatFails(t *testing.T) {
	refuse := errors.New("no")
	tests := []struct {
		name, file, history string
		decide              func([]item) (journal.Change[item], error)
		err                 string
	}{
		{"decide", "", "", func([]item) (journal.Change[item], error) { return journal.Change[item]{}, refuse }, "no"},
		{"bad item", "", "", put("", "x"), `"name" is missing or empty`},
		{"damaged file", "{\"items\":[\n{\"name\":\"a\",\"seq\":1},\n{\"nam", "{\"seq\":1}\n", put("b", ""), "items.json:3: the file ends too early"},
		{"damaged history", "", "{\"seq\":1}\n{\"se\n", put("b", ""), "history.jsonl:2: expected the record of a change: "},
		{"history without numbers", "", "{\"seq\":1}\n{}\n", put("b", ""), "history.jsonl:2: expected \"seq\", the change's number from 1, got 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := store(t)
			if err := os.Mkdir(filepath.Dir(s.Path), 0o777); err != nil {
				t.Fatal(err)
			}
			for path, text := range map[string]string{s.Path: tt.file, s.History: tt.history} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.Update(tt.decide)
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if tt.file != "" && read(t, s.Path) != tt.file {
				t.Error("the file was touched")
			}
			if got := read(t, s.History); got != tt.history {
				t.Errorf("the history was touched: %q", got)
			}
		})
	}
}

// TestCutOffHistory: the line that a killed process left half written is taken
// off, and numbers go on from whichever of the two files is ahead.
func TestCutOffHistory(t *testing.T) {
	s := store(t)
	for _, name := range []string{"a", "b"} {
		if _, err := s.Update(put(name, "")); err != nil {
			t.Fatal(err)
		}
	}
	whole := read(t, s.History)
	if err := os.WriteFile(s.History, []byte(whole+`{"name":"c","se`), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Update(put("d", "")); err != nil || got.Seq != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if d := cmp.Diff(whole+"{\"name\":\"d\",\"seq\":3}\n", read(t, s.History)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := os.Remove(s.History); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Update(put("e", "")); err != nil || got.Seq != 4 {
		t.Errorf("after the history was lost: %+v, %v", got, err)
	}
}

func TestRead(t *testing.T) {
	tests := []struct{ name, in, err string }{
		{"empty list", `{"items":[]}`, ""},
		{"written by hand", "{ \"items\" : [\n {\n \"name\": \"b\",\n \"seq\": 1 }, {\"name\":\"a\",\"seq\":2} ]\n}\n\n", ""},
		{"nothing", "", "f:1: the file ends too early"},
		{"blank", "\n\n", "f:3: the file ends too early"},
		{"a list", "[]", `f:1: expected {"items":[…]}, got "["`},
		{"another member", `{"things":[]}`, `f:1: expected {"items":[…]}, got "things"`},
		{"a member beside", "{\"items\":[],\n\"more\":1}", `f:2: unexpected member "more" beside "items"`},
		{"cut off", "{\"items\":[\n{\"name\":\"a\",\"seq\":1}", "f:2: the file ends too early"},
		{"cut off in an item", "{\"items\":[\n{\"name\":\"a\",\"se", "f:2: the file ends too early"},
		{"comma lost", "{\"items\":[\n{\"name\":\"a\",\"seq\":1}\n{\"name\":\"b\",\"seq\":2}\n]}", "f:3: "},
		{"left by a merge", "{\"items\":[\n<<<<<<< HEAD\n{\"name\":\"a\",\"seq\":1}\n]}", "f:2: "},
		{"unknown member", "{\"items\":[\n{\"name\":\"a\",\"seq\":1},\n{\"name\":\"b\",\n\"sex\":2}\n]}", "f:4: "},
		{"wrong type", "{\"items\":[\n{\"name\":\"a\",\"seq\":\"1\"}]}", "f:2: "},
		{"bad item", "{\"items\":[\n{\"name\":\"\",\"seq\":1}]}", `f:2: "name" is missing or empty`},
		{"twice", "{\"items\":[\n{\"name\":\"a\",\"seq\":1},\n{\"name\":\"b\",\"seq\":2},\n{\"name\":\"a\",\"seq\":3}]}", "f:4: the same was given already, on line 2: keep one"},
		{"something after", "{\"items\":[]}\n{}", "f:2: something stands after the end of the list"},
		{"rubbish after", "{\"items\":[]}\nx", "f:2: "},
		{"not UTF-8", "{\"items\":[\n{\"name\":\"\xff\",\"seq\":1}]}", "f:2: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := format.Read("f", strings.NewReader(tt.in))
			if tt.err == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if hint.Of(err) == "" {
				t.Error("no hint")
			}
		})
	}
	got, err := format.Read("f", strings.NewReader(tests[1].in))
	if d := cmp.Diff([]item{{Name: "a", Seq: 2}, {Name: "b", Seq: 1}}, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestAtOnce: changes of several at once are all there, each with a number of its own.
func TestAtOnce(t *testing.T) {
	s := store(t)
	const each = 8
	var wg sync.WaitGroup
	for _, who := range "abcd" {
		wg.Go(func() {
			for i := range each {
				if _, err := s.Update(put(fmt.Sprintf("%c%d", who, i), "")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	items, err := s.Load()
	if err != nil || len(items) != 4*each {
		t.Fatalf("%d items, want %d: %v", len(items), 4*each, err)
	}
	seen := map[int]bool{}
	for _, i := range items {
		seen[i.Seq] = true
	}
	if len(seen) != 4*each || !seen[1] || !seen[4*each] {
		t.Errorf("numbers: %v", seen)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("f", "old")
	write("f.tmp", "left by a killed process, and longer than what follows")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := journal.Replace(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions were not kept: %v, %v", info, err)
	}
	if got := read(t, path); got != "new" {
		t.Errorf("got %q", got)
	}
	if err := os.Mkdir(path+".tmp", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := journal.Replace(path, []byte("newer")); err == nil || read(t, path) != "new" {
		t.Errorf("a write that fails: %v, %q", err, read(t, path))
	}
}

func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	inside, most := 0, 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				release, err := journal.Hold(path)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				inside--
				mu.Unlock()
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d held it at once", most)
	}
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock was left behind: %v", err)
	}
}

// FuzzRead: what is read is written and read again as it was; nothing panics.
func FuzzRead(f *testing.F) {
	f.Add(`{"items":[]}`)
	f.Add("{\"items\":[\n{\"name\":\"b\",\"seq\":1},\n{\"name\":\"a\",\"note\":\"\\u0000é\",\"seq\":2}\n]}\n")
	f.Add(`{"items":[{"name":"a","seq":1},{"name":"a","seq":1}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		items, err := format.Read("f", strings.NewReader(in))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		text, err := format.Text(items)
		if err != nil {
			t.Fatal(err)
		}
		again, err := format.Read("f", strings.NewReader(string(text)))
		if err != nil || !cmp.Equal(items, again) {
			t.Fatalf("%v: %s read from %q", err, cmp.Diff(items, again), text)
		}
		if twice, err := format.Text(again); err != nil || string(twice) != string(text) {
			t.Errorf("written twice: %q, then %q: %v", text, twice, err)
		}
	})
}
