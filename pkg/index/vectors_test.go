package index

import (
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func vectorsFile(t testing.TB, ids []record.PassageID, rows [][]float32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), vectorsName)
	if err := writeVectors(path, model1.SHA256, len(rows[0]), ids, func(i int) ([]float32, error) { return rows[i], nil }); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVectors(t *testing.T) {
	ids := []record.PassageID{"a", "b"}
	path := vectorsFile(t, ids, [][]float32{{1, 2, 3}, {4, 5, -6}})
	v, err := openVectors(path, ids)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.matrix.Data; !slices.Equal(got, []float32{1, 2, 3, 4, 5, -6}) || v.matrix.Dim != 3 || v.model() != model1.SHA256 {
		t.Errorf("%v of %d by %s", got, v.matrix.Dim, v.model())
	}
	if err := v.close(); err != nil {
		t.Error(err)
	}
	for _, model := range []string{"12", strings.Repeat("x", 64)} {
		if err := writeVectors(path, model, 1, ids, nil); err == nil {
			t.Errorf("model %q was accepted", model)
		}
	}
	if err := writeVectors(path, "", 1, ids, func(int) ([]float32, error) { return []float32{1, 2}, nil }); err == nil || !strings.Contains(err.Error(), "vector of passage a: expected 1 numbers, got 2") {
		t.Errorf("another length: %v", err)
	}
}

// FuzzVectors: whatever a file holds whose checksums are right, it is refused
// or it can be used whole.
func FuzzVectors(f *testing.F) {
	f.Add(uint32(2), uint64(2), uint64(4), []byte("a\x00b\x00"+strings.Repeat("\x00", 60+16)))
	f.Add(uint32(1<<31), uint64(1<<62), uint64(1<<63), []byte(nil))
	f.Add(uint32(4), uint64(1)<<60, uint64(0), []byte(nil))
	f.Fuzz(func(t *testing.T, dim uint32, count, idBytes uint64, body []byte) {
		h := vectorsHead{dim: int(dim), count: int(count), idBytes: int(idBytes)}
		if at := padded(int(idBytes)); at >= 0 && at <= len(body) {
			h.ids, h.rows = crc32.Checksum(body[:at], castagnoli), crc32.Checksum(body[at:], castagnoli)
		}
		v := &vectors{file: append(h.encode(), body...)}
		if v.check(int64(len(v.file))) != nil {
			return
		}
		if got := len(v.matrix.Data); got != h.count*h.dim || len(v.ids) != h.idBytes {
			t.Errorf("%d numbers in %d rows of %d", got, h.count, h.dim)
		}
		if v.matrix.Rows() > 0 {
			v.matrix.Dots(make([]float32, v.matrix.Dim), 1)
		}
	})
}
