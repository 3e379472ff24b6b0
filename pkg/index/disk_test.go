//go:build linux

package index

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/tmpfs"
)

// TestFullDisk: a build that does not fit says so, leaves nothing of itself and
// the index there was, at whatever file the disk is full.
func TestFullDisk(t *testing.T) {
	disk, inner := tmpfs.Run(t, "size=16m")
	if !inner {
		return
	}
	d, fill := filepath.Join(disk, "index"), filepath.Join(disk, "fill")
	mustBuild(t, d, []*record.Passage{passage("one", "alpha")}, DefaultConfig())
	before := names(t, d)
	cfg := DefaultConfig()
	cfg.Encoder = fakeEncoder{}
	files := map[string]bool{}
	for free := int64(0); ; free += 64 << 10 {
		leave(t, disk, fill, free)
		_, err := Build(t.Context(), d, corpusOf(t, withVectors(randomPassages(1, 150), 384)), cfg)
		if rerr := os.Remove(fill); rerr != nil {
			t.Fatal(rerr)
		}
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
			t.Errorf("%d KiB free: %v", free>>10, err)
		}
		files[anyDigits.ReplaceAllString(err.Error(), "")] = true
		if d := cmp.Diff(before, names(t, d)); d != "" {
			t.Errorf("%d KiB free (-before +after):\n%s", free>>10, d)
		}
		if _, err := opened(t, d).Passage(t.Context(), "one"); err != nil {
			t.Error(err)
		}
	}
	if len(files) < 4 { // a segment, bleve's root, vectors, token vectors
		t.Errorf("the disk was full at few places: %v", files)
	}
}

var anyDigits = regexp.MustCompile(`[0-9]+`)

// leave fills the disk but for some bytes.
func leave(t *testing.T, disk, path string, free int64) {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	if n := int64(s.Bavail)*s.Bsize - free; n > 0 {
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("there are not even %d bytes", free)
}

// TestReadOnly: an index on a read-only disk can be searched; a build says why it cannot be made.
func TestReadOnly(t *testing.T) {
	disk, inner := tmpfs.Run(t, "size=4m")
	if !inner {
		return
	}
	d := filepath.Join(disk, "index")
	cfg := DefaultConfig()
	cfg.Encoder = fakeEncoder{}
	mustBuild(t, d, withVectors(randomPassages(1, 9), 8), cfg)
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	x := opened(t, d)
	s := Searcher{Engine: x, Encoder: fakeEncoder{}, System: "s", Options: DefaultOptions()}
	hits, err := s.Search(t.Context(), &record.Question{ID: "q", Text: "wa1", Vector: record.Vector{1, 0, 0, 0, 0, 0, 0, 0}})
	if err != nil || len(hits.Hits) != 9 || hits.Fallback != "" {
		t.Errorf("%+v, %v", hits, err)
	}
	if _, err := Build(t.Context(), d, corpusOf(t, randomPassages(1, 2)), cfg); !errors.Is(err, syscall.EROFS) {
		t.Errorf("build: %v", err)
	}
}
