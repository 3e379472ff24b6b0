// Package tmpfs gives a test a small disk, so that it can be filled.
package tmpfs

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const variable = "MR_TEST_TMPFS"

// Run runs the calling test again, in a mount namespace of its own with a tmpfs
// of these options (size=1m), and tells the inner run apart: only that one goes
// on, in the folder dir. Where unshare -rm is refused the test is skipped.
func Run(t *testing.T, options string) (dir string, inner bool) {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		return dir, true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	script := `mount -t tmpfs -o "$1" tmpfs "$2" || exit 77; shift 2; exec "$@"`
	cmd := exec.Command("unshare", "-rm", "sh", "-c", script, "sh", options, dir, self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "--- FAIL") {
		t.Skipf("SKIP needs a mount namespace (unshare -rm): %v: %s", err, out)
	}
	if err != nil {
		t.Errorf("on a tmpfs: %s", out)
	}
	return dir, false
}
