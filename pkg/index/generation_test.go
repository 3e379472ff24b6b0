package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// swap makes a generation of a manifest alone and puts it in use.
func swap(t *testing.T, dir string, n int) {
	t.Helper()
	path := filepath.Join(dir, generation(n))
	next := filepath.Join(dir, currentName+".next")
	err := errors.Join(
		os.MkdirAll(path, 0o755),
		os.WriteFile(filepath.Join(path, manifestName), nil, 0o644),
		os.WriteFile(next, []byte(generation(n)+"\n"), 0o644),
		os.Rename(next, filepath.Join(dir, currentName)),
		prune(dir, generation(n)),
	)
	if err != nil {
		t.Error(err)
	}
}

// TestHold: what hold returns is there until it is let go, however fast
// generations come and go.
func TestHold(t *testing.T) {
	d := t.TempDir()
	swap(t, d, 1)
	var done atomic.Bool
	var held atomic.Int64
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				path, f, err := hold(d)
				if err != nil {
					if !strings.Contains(err.Error(), "faster than it can be opened") {
						t.Error(err)
					}
					continue
				}
				if _, err := os.Stat(filepath.Join(path, manifestName)); err != nil {
					t.Errorf("held, and gone: %v", err)
				}
				held.Add(1)
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := 2; n < 250; n++ {
		swap(t, d, n)
	}
	done.Store(true)
	readers.Wait()
	if held.Load() < 25 {
		t.Errorf("only %d generations were held", held.Load())
	}
}

func TestNextGeneration(t *testing.T) {
	d := t.TempDir()
	next := func(want int, left ...string) {
		t.Helper()
		if n, err := nextGeneration(d); err != nil || n != want {
			t.Errorf("got %d, %v; want %d", n, err, want)
		}
		for _, name := range left {
			if _, err := os.Stat(filepath.Join(d, name)); err != nil {
				t.Error(err)
			}
		}
	}
	next(1)
	swap(t, d, 999999)
	for _, name := range []string{"gen-1000000", "gen-000007", "gen-x", "other"} {
		if err := os.Mkdir(filepath.Join(d, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	next(1000001, "gen-999999", "gen-x", "other")
	if all, err := generations(d); err != nil || len(all) != 1 {
		t.Errorf("what killed builds left is still there: %v, %v", all, err)
	}
	if err := os.WriteFile(filepath.Join(d, currentName), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	next(1000000, "gen-999999") // nobody knows which is good: none is removed
	if _, _, err := hold(d); err == nil || hint.Of(err) != "build the index again" {
		t.Errorf("a damaged pointer: %v, hint %q", err, hint.Of(err))
	}
}
