//go:build unix

package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// version is a corpus whose every passage names n.
func version(n int) []*record.Passage {
	ps := withVectors(randomPassages(7, 200), 8)
	for _, p := range ps {
		p.Commit = record.Commit(fmt.Sprintf("commit%02d", n))
		p.Text = fmt.Sprintf("version%d %s", n, p.Text)
	}
	return ps
}

// TestHelperBuild is no test: the process that TestKilledBuild kills.
func TestHelperBuild(t *testing.T) {
	dir, n := os.Getenv("INDEX_TEST_BUILD"), 0
	if dir == "" {
		return // nobody to build for
	}
	n, err := strconv.Atoi(os.Getenv("INDEX_TEST_VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.Encoder, cfg.Batch = fakeEncoder{}, 20
	mustBuild(t, dir, version(n), cfg)
}

func helper(ctx context.Context, dir string, n int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHelperBuild$")
	cmd.Env = append(os.Environ(), "INDEX_TEST_BUILD="+dir, "INDEX_TEST_VERSION="+strconv.Itoa(n))
	return cmd
}

// TestKilledBuild kills builds at points spread over their whole length: the
// index is the old one or the new one, whole, and the next build goes through.
func TestKilledBuild(t *testing.T) {
	d := dir(t)
	start := time.Now()
	if out, err := helper(t.Context(), d, 0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	length := time.Since(start)
	rng := rand.New(rand.NewPCG(uint64(start.UnixNano()), 0))
	now, killed, left := 0, 0, 0
	const tries = 24
	for n := 1; n <= tries; n++ {
		cmd := helper(t.Context(), d, n)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(float64(length) * 1.1 * (float64(n) - rng.Float64()) / tries))
		if err := cmd.Process.Signal(syscall.SIGKILL); err == nil {
			killed++
		}
		if err := cmd.Wait(); err == nil {
			killed--
		}
		got := check(t, d)
		if got != now && got != n {
			t.Fatalf("after build %d was killed the index is version %d; it was %d", n, got, now)
		}
		now = got
		left = max(left, len(names(t, d)))
	}
	if out, err := helper(t.Context(), d, tries+1).CombinedOutput(); err != nil {
		t.Fatalf("the build after those: %v: %s", err, out)
	}
	if got := check(t, d); got != tries+1 {
		t.Errorf("version %d", got)
	}
	for _, name := range names(t, d) {
		if strings.HasPrefix(name, "gen-") && len(names(t, d)) > 3 {
			t.Errorf("what killed builds left is still there: %v", names(t, d))
			break
		}
	}
	t.Logf("%d of %d builds were killed, at most %d files lay there; a build takes %v", killed, tries, left, length)
	if killed < tries/3 {
		t.Errorf("only %d of %d builds were killed in time: this shows too little", killed, tries)
	}
}

// check opens the index, looks at every passage, and returns its version.
func check(t *testing.T, dir string) int {
	t.Helper()
	x, err := Open(dir, DefaultBM25())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	n, err := strconv.Atoi(strings.TrimPrefix(string(x.Manifest().Commit), "commit"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range x.lexical.ids {
		p, err := x.Passage(t.Context(), id)
		if err != nil || !strings.HasPrefix(p.Text, fmt.Sprintf("version%d ", n)) {
			t.Fatalf("version %d: passage %+v, %v", n, p, err)
		}
	}
	if x.vectors == nil || x.tokens == nil {
		t.Fatal("no vectors")
	}
	return n
}
