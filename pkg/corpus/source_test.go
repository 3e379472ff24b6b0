package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// stream runs a job over input records and returns what it wrote.
func stream(t *testing.T, c *Cutter, source Source, input string, warn func(string, ...any)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	job := &Job{Cutter: c, Source: source, Run: &record.Run{Tool: "test"}, Warn: warn}
	err := job.Stream(t.Context(), reader(input), record.NewWriter(&out))
	return out.String(), err
}

func reader(input string) *record.Reader {
	return record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(input)})
}

func document(path, text string) string {
	b, _ := json.Marshal(map[string]string{"type": "document", "path": path, "text": text})
	return string(b) + "\n"
}

func TestDocuments(t *testing.T) {
	c := cutter(t, 1800, nil)
	a, b := document("b.md", "# B\n"), document("a", "text\r\n# A\n")
	got, err := stream(t, c, c.Documents(), a+b, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := stream(t, c, c.Documents(), b+a, nil)
	if err != nil || got != other {
		t.Errorf("the order of the documents shows:\n%s\n%s", got, other)
	}
	read, err := Read(reader(got))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]record.SectionID{"a#", "a#a", "b.md#b"}, read.Sections); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if read.Runs[0].Commit != read.Commit {
		t.Errorf("run of %s, passages of %s", read.Runs[0].Commit, read.Commit)
	}

	// The commit is what sha256sum says of the files.
	dir := t.TempDir()
	for name, text := range map[string]string{"b.md": "# B\n", "a": "text\r\n# A\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", "sha256sum * | LC_ALL=C sort -k2 | sha256sum")
	cmd.Dir = dir
	sums, err := cmd.Output()
	if err != nil {
		t.Skipf("SKIP needs sha256sum: %v", err)
	}
	if want := record.Commit(strings.Fields(string(sums))[0]); read.Commit != want {
		t.Errorf("commit %s, sha256sum gives %s", read.Commit, want)
	}
}

func TestDocumentsKeepProvenanceAndSayWhatIsLeftOut(t *testing.T) {
	c := cutter(t, 1800, nil)
	in := `{"type":"run","tool":"crawl","version":"1"}` + "\n" + document("a.md", "a") + document("tests/b.md", "b") +
		`{"type":"end","counts":{"document":2}}` + "\n"
	var warned []string
	got, err := stream(t, c, c.Documents(), in, func(f string, args ...any) { warned = append(warned, fmt.Sprintf(f, args...)) })
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(reader(got))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 of 2 documents are left out by the globs of the configuration"}
	if diff := cmp.Diff(want, warned) + cmp.Diff(want, read.Runs[0].Notes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(read.Runs[0].Inputs) != 1 || read.Runs[0].Inputs[0].Tool != "crawl" {
		t.Errorf("the run of the input is lost: %+v", read.Runs[0])
	}
}

func TestBadDocuments(t *testing.T) {
	c := cutter(t, 1800, nil)
	for _, tt := range []struct{ name, in, want string }{
		{"a path twice", document("a.md", "x") + document("b.md", "x") + document("a.md", "y"), `in:3: the path "a.md" was also given at in:1`},
		{"another type", document("a.md", "x") + `{"type":"question","id":"q","text":"t"}`, "in:2: expected a document record, got a question record"},
		{"newline in the path", document("a\nb.md", "x"), `in:1: "a\nb.md": expected a path`},
		{"not JSON", "x", "in:1: expected a JSON object"},
		{"no path", `{"type":"document","text":"x"}`, "in:1: bad document record"},
		{"nothing", "", "the input is empty"},
		{"no documents", `{"type":"run","tool":"crawl","version":"1"}` + "\n" + `{"type":"end","counts":{}}`, "no document records came in"},
		{"cut stream", `{"type":"run","tool":"crawl","version":"1"}` + "\n" + document("a.md", "x"), "no end record"},
		{"all left out", document("tests/a.md", "x"), "the corpus is empty"},
		{"all blank", document("a.md", " \n"), "the corpus is empty: 1 pages"},
	} {
		got, err := stream(t, c, c.Documents(), tt.in, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != "" {
			t.Errorf("%s: got %v and output %q, want %q and none", tt.name, err, got, tt.want)
		}
	}
}

func TestFS(t *testing.T) {
	c := cutter(t, 1800, nil)
	fsys := fstest.MapFS{
		"README.md": {Data: []byte("# R\n")}, "docs/b.md": {Data: []byte("# B\n")}, "docs/a.svg": {Data: []byte("\xff")},
		"docs/tests/x.md": {Data: []byte("# X\n")},
	}
	got, err := stream(t, c, c.FS(fsys), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := stream(t, c, c.Documents(), document("docs/b.md", "# B\n")+document("README.md", "# R\n"), nil)
	if err != nil || got != want {
		t.Errorf("embedded pages differ from the same documents:\n%s\n%s", got, want)
	}
}

// gitRepo commits files of the given names (text "# T") and returns the folder and commit.
func gitRepo(t *testing.T, files map[string]string) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@localhost"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "c")
	return dir, git("rev-parse", "HEAD")
}

func TestGit(t *testing.T) {
	c := cutter(t, 1800, nil)
	dir, commit := gitRepo(t, map[string]string{
		"a.md": "# A\n", "a/b.md": "# B\n", "a-c.md": "# C\n", "LINK.md": "-> a.md", "clients/x.md": "# X\n", "x.txt": "\xff",
		"weird\n.txt": "not a page",
	})
	var warned []string
	got, err := stream(t, c, c.Git(dir, "main"), "", func(f string, args ...any) { warned = append(warned, fmt.Sprintf(f, args...)) })
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(reader(got))
	if err != nil {
		t.Fatal(err)
	}
	// In order of the bytes of the path: '-' < '.' < '/'. Git's tree has a/b.md last.
	if diff := cmp.Diff([]record.SectionID{"a-c.md#c", "a.md#a", "a/b.md#b"}, read.Sections); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if string(read.Commit) != commit || string(read.Runs[0].Commit) != commit {
		t.Errorf("passages of %s, run of %s, want %s", read.Commit, read.Runs[0].Commit, commit)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], `"LINK.md" is left out`) {
		t.Errorf("the link is left out in silence: %q", warned)
	}
}

func TestBadGitPages(t *testing.T) {
	dir, _ := gitRepo(t, map[string]string{"a.md": "# A\n", "docs/x\ny.md": "# X\n", "docs/\xff.md": "# Y\n", "docs/latin1.md": "caf\xe9\n"})
	c := cutter(t, 1800, nil)
	got, err := stream(t, c, c.Git(dir, "main"), "", nil)
	for _, want := range []string{`"docs/x\ny.md"`, `"docs/\xff.md"`, "docs/latin1.md:1: not UTF-8"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named: %v", want, err)
		}
	}
	if got != "" {
		t.Errorf("bad pages, but output: %s", got)
	}
	// The hint holds: left out, they are no trouble.
	c = cutter(t, 1800, func(c *Config) { c.Exclude = append(c.Exclude, "docs/?.md", "docs/x*.md", "docs/latin1.md") })
	if _, err := stream(t, c, c.Git(dir, "main"), "", nil); err != nil {
		t.Errorf("left out by globs: %v", err)
	}
}

func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	c := cutter(t, 50, nil)
	in := document("a.md", strings.Repeat("# A\n\n"+para(9, 20), 30)) + document("b.md", "# B\n")
	want, err := stream(t, c, c.Documents(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got, err := stream(t, c, c.Documents(), in, nil); err != nil || got != want {
		t.Errorf("on one core it differs (%v)", err)
	}
}

func TestCancelled(t *testing.T) {
	dir, _ := gitRepo(t, map[string]string{"a.md": "# A\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cutter(t, 1800, nil).Git(dir, "main")(ctx, nil); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
