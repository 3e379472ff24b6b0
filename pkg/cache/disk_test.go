//go:build linux

package cache

import (
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/tmpfs"
)

func TestFullDisk(t *testing.T) {
	dir, inner := tmpfs.Run(t, "size=1m")
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
	dir, inner := tmpfs.Run(t, "size=256k,ro")
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
