//go:build linux

package cache

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// onTmpfs runs the test again in a mount namespace of its own, with a small
// tmpfs at $CACHE_TEST_DIR, and tells the inner run apart.
func onTmpfs(t *testing.T, options string) (dir string, inner bool) {
	t.Helper()
	if dir := os.Getenv("CACHE_TEST_TMPFS"); dir != "" {
		return dir, true
	}
	dir = t.TempDir()
	script := `mount -t tmpfs -o "$1" tmpfs "$2" || exit 77; shift 2; exec "$@"`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", options, dir, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "CACHE_TEST_TMPFS="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "--- FAIL") {
		t.Skipf("SKIP needs a mount namespace (unshare -rm): %v: %s", err, out)
	}
	if err != nil {
		t.Errorf("on a tmpfs: %s", out)
	}
	return dir, false
}

func TestFullDisk(t *testing.T) {
	dir, inner := onTmpfs(t, "size=1m")
	if !inner {
		return
	}
	var w warnings
	c := mustOpen(t, dir, &w)
	for i := range 3 * batchEntries {
		c.Store(key(i), value(i, 1536))
	}
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "going on without the cache") {
		t.Errorf("warnings %q, want one", w)
	}
	w = nil // what the full disk left is no obstacle
	c = mustOpen(t, dir, &w)
	if _, ok := c.Load(key(1)); !ok || len(w) > 0 {
		t.Errorf("afterwards the values that fitted are gone: warnings %q", w)
	}
	mustClose(t, c)
}

func TestReadOnlyFolder(t *testing.T) {
	dir, inner := onTmpfs(t, "size=256k,ro")
	if !inner {
		return
	}
	var w warnings
	c := mustOpen(t, dir, &w)
	c.Store(key(1), []byte("x"))
	mustClose(t, c)
	if len(w) != 1 || !strings.Contains(w[0], "going on without the cache") {
		t.Errorf("warnings %q, want one", w)
	}
}
