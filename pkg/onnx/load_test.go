package onnx

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// A process can load one library only, so each bad one gets a process of its own.
func TestLoadRefuses(t *testing.T) {
	if path := os.Getenv("ONNX_TEST_LIBRARY"); path != "" {
		_, err := Open(path, "model.onnx", Options{Output: "x"})
		if err == nil {
			t.Fatal("loaded")
		}
		t.Logf("missing=%v hint=%q: %v", errors.Is(err, fs.ErrNotExist), hint.Of(err), err)
		return
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "libonnxruntime.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.so"), "missing=true hint=\"run scripts/fetch-models\""},
		{"not a library", text, "missing=false hint=\"run scripts/fetch-models; the library must fit this system\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestLoadRefuses$", "-test.v")
			cmd.Env = append(os.Environ(), "ONNX_TEST_LIBRARY="+tt.path)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), tt.want) || !strings.Contains(string(out), tt.path) {
				t.Errorf("%v: want %q and the path in:\n%s", err, tt.want, out)
			}
		})
	}
}
