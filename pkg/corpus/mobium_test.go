package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var update = flag.Bool("update", false, "write testdata/mobium.json anew")

// shared is the folder of the data that is not committed.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MR_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "mobium-docs")); err != nil {
		t.Skip("SKIP needs the Mobium snapshot: ../shared, or the folder in MR_SHARED")
	}
	return dir
}

// snapshot cuts the snapshot of Mobium's docs, through git.
func snapshot(t *testing.T) *Corpus {
	t.Helper()
	repo := t.TempDir()
	commit, err := exec.Command("bash", filepath.Join(shared(t), "bin", "mobium-repo"), repo).Output()
	if err != nil {
		t.Fatal(err)
	}
	c := cutter(t, Default().Max, nil)
	out, err := stream(t, c, c.Git(repo, strings.TrimSpace(string(commit))[:7]), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(reader(out))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(commit)); string(read.Commit) != want {
		t.Fatalf("commit %s, want %s", read.Commit, want)
	}
	return read
}

// counts is what is committed of the snapshot: no text of it.
type counts struct {
	Commit   record.Commit
	Passages int
	Sections int
	// SHA256 is of every passage's id, first and last line and text.
	SHA256 string
	Pages  map[string]string // passages and sections of each
}

func TestSnapshotIsCutAsBefore(t *testing.T) {
	c := snapshot(t)
	digest := sha256.New()
	passages, sections := map[string]int{}, map[string]int{}
	for _, p := range c.Passages {
		fmt.Fprintf(digest, "%s %d %d %s\n", p.ID, p.Lines[0], p.Lines[1], p.SHA256)
		passages[p.Path]++
	}
	for _, s := range c.Sections {
		sections[c.Section(s)[0].Path]++
	}
	got := counts{c.Commit, len(c.Passages), len(c.Sections), hex.EncodeToString(digest.Sum(nil)), map[string]string{}}
	for path, n := range passages {
		got.Pages[path] = fmt.Sprintf("%d of %d sections", n, sections[path])
	}
	name := filepath.Join("testdata", "mobium.json")
	if *update {
		b, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want counts
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got (go test -update takes it over)\n%s", diff)
	}
}

// Every page of the snapshot keeps the promises, at several limits.
func TestSnapshotInvariants(t *testing.T) {
	root := filepath.Join(shared(t), "mobium-docs")
	for _, limit := range []int{60, 700, 1800, 1 << 20} {
		c := cutter(t, limit, nil)
		err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !c.isPage(path) {
				return err
			}
			b, err := os.ReadFile(filepath.Join(root, path))
			if err == nil {
				cut(t, c, path, string(b))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Every gold section of the draft golden set exists, and every quote of its
// evidence is in the section it is said to be from.
func TestGoldIsThere(t *testing.T) {
	c := snapshot(t)
	gold := 0
	for _, line := range jsonLines(t, "mobium-draft.jsonl") {
		var g struct {
			ID   string
			Gold []json.RawMessage
		}
		unmarshal(t, line, &g)
		for _, need := range g.Gold {
			var ids []record.SectionID
			if json.Unmarshal(need, &ids) != nil {
				ids = make([]record.SectionID, 1)
				unmarshal(t, need, &ids[0])
			}
			for _, id := range ids {
				gold++
				if len(c.Section(id)) == 0 {
					t.Errorf("%s: no section %s", g.ID, id)
				}
			}
		}
	}
	quotes := 0
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, line := range jsonLines(t, "mobium-evidence.jsonl") {
		var e struct {
			ID       string
			Evidence []struct {
				Section record.SectionID
				Quote   string
			}
		}
		unmarshal(t, line, &e)
		for _, q := range e.Evidence {
			quotes++
			var text strings.Builder
			for _, p := range c.Section(q.Section) {
				text.WriteString(p.Text + "\n")
			}
			if !strings.Contains(squeeze(text.String()), squeeze(q.Quote)) {
				t.Errorf("%s: %q is not in %s", e.ID, q.Quote, q.Section)
			}
		}
	}
	if gold < 80 || quotes < 100 {
		t.Errorf("only %d gold sections and %d quotes were checked", gold, quotes)
	}
}

func jsonLines(t *testing.T, name string) [][]byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared(t), "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

func unmarshal(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}
