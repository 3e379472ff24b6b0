package late

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var sum256 = strings.Repeat("0123456789abcdef", 4)

// matrices are passages of the given numbers of tokens.
func matrices(dim int, tokens ...int) []Matrix {
	rng := rand.New(rand.NewPCG(9, 10))
	var ms []Matrix
	for _, n := range tokens {
		ms = append(ms, randomMatrix(rng, n, dim, "random"))
	}
	return ms
}

func from(ms []Matrix) func() (Matrix, error) {
	return func() (Matrix, error) {
		m := ms[0]
		ms = ms[1:]
		return m, nil
	}
}

func writeStore(t testing.TB, ms []Matrix) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.i8")
	if err := WriteStore(path, sum256, len(ms), from(ms)); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t testing.TB, path string) *Store {
	t.Helper()
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStoreRoundTrip(t *testing.T) {
	for _, dim := range []int{1, 3, 96, 384} {
		for _, tokens := range [][]int{{}, {0}, {1}, {5, 0, 130, 1, 64}} {
			want := matrices(dim, tokens...)
			s := openFile(t, writeStore(t, want))
			if s.Len() != len(want) || s.Model() != sum256 {
				t.Fatalf("%d passages of %s, want %d of %s", s.Len(), s.Model(), len(want), sum256)
			}
			for i, m := range want {
				if d := cmp.Diff(m, s.At(i), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("dim %d, passage %d of %v (-want +got):\n%s", dim, i, tokens, d)
				}
			}
		}
	}
}

func TestStoreIsDeterministic(t *testing.T) {
	a, err1 := os.ReadFile(writeStore(t, matrices(96, 3, 4)))
	b, err2 := os.ReadFile(writeStore(t, matrices(96, 3, 4)))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a, b) {
		t.Error("two writes differ")
	}
	// Table of 2 counts in one line of 64; blocks of 3·96+3·4 = 300 → 320 and 4·96+4·4 = 400 → 448 bytes.
	if want := 128 + 64 + 320 + 448; len(a) != want {
		t.Errorf("%d bytes, want %d", len(a), want)
	}
}

func TestSearch(t *testing.T) {
	passages := matrices(96, 7, 1, 0, 64, 33, 2, 19, 5)
	query := matrices(96, 9)[0]
	s := openFile(t, writeStore(t, passages))
	var all []float32
	for _, p := range passages {
		all = append(all, plainMaxSim(query, p))
	}
	candidates := []int{6, 0, 6, 2}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		if d := cmp.Diff(all, s.Search(query, nil)); d != "" {
			t.Errorf("all passages on %d (-want +got):\n%s", procs, d)
		}
		if d := cmp.Diff([]float32{all[6], all[0], all[6], 0}, s.Search(query, candidates)); d != "" {
			t.Errorf("candidates on %d (-want +got):\n%s", procs, d)
		}
	}
	if got := s.Search(query, []int{}); len(got) != 0 {
		t.Errorf("no candidates gave %v", got)
	}
	if d := cmp.Diff(make([]float32, len(all)), s.Search(Matrix{}, nil)); d != "" {
		t.Errorf("an empty query (-want +got):\n%s", d)
	}
}

// Any byte changed, anywhere, and any cut is seen when the file is opened.
func TestDamage(t *testing.T) {
	path := writeStore(t, matrices(3, 4, 1))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := OpenStore(path); err == nil {
			t.Errorf("%s: opened, %d passages", name, s.Len())
			s.Close()
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x10
		try("byte changed", bad)
	}
	for n := range good {
		try("cut", good[:n])
	}
	try("longer", append(slices.Clone(good), make([]byte, 64)...))
	version2 := slices.Clone(good)
	version2[8] = 2
	try("version", version2)
	if err := os.WriteFile(path, version2, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(path); err == nil || !strings.Contains(err.Error(), "version 2, expected 1") {
		t.Errorf("version 2: %v", err)
	}
	if _, err := OpenStore(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenStore(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
}

// A write that fails leaves what was there before, and nothing else.
func TestWriteRefuses(t *testing.T) {
	boom := errors.New("boom")
	one := Matrix{Dim: 2, Scales: []float32{1}, Rows: []int8{1, 2}}
	bad := func(m Matrix) func() (Matrix, error) { return from([]Matrix{one, m}) }
	tests := []struct {
		name, model string
		next        func() (Matrix, error)
		want        string
	}{
		{"next fails", sum256, func() (Matrix, error) { return Matrix{}, boom }, "passage 1 of 2: boom"},
		{"another dimension", sum256, bad(Matrix{Dim: 3, Scales: []float32{1}, Rows: []int8{1, 2, 3}}), "expected dimension 2 as before, got 3"},
		{"no dimension", sum256, from([]Matrix{{}, {}}), "got 0"},
		{"rows and scales differ", sum256, bad(Matrix{Dim: 2, Scales: []float32{1}, Rows: []int8{1}}), "expected 1 × 2 numbers, got 1"},
		{"not a number", sum256, bad(Matrix{Dim: 2, Scales: []float32{float32(math.NaN())}, Rows: []int8{1, 2}}), "scale of token 0 is NaN"},
		{"negative scale", sum256, bad(Matrix{Dim: 2, Scales: []float32{-1}, Rows: []int8{1, 2}}), "scale of token 0 is -1"},
		{"no sha256", "colbert", from([]Matrix{one, one}), "expected the sha256 of a model"},
	}
	for _, tt := range tests {
		path := writeStore(t, matrices(3, 1))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		err = WriteStore(path, tt.model, 2, tt.next)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		after, err := os.ReadFile(path)
		if err != nil || !slices.Equal(before, after) {
			t.Errorf("%s: the file there was changed (%v)", tt.name, err)
		}
		if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
			t.Errorf("%s: left behind %v (%v)", tt.name, names, err)
		}
	}
	if err := WriteStore(filepath.Join(t.TempDir(), "none", "x"), sum256, 0, nil); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
}

// Whatever a file says, if its checksums are right it opens with all passages
// in bounds, or not at all.
func FuzzOpenStore(f *testing.F) {
	for _, ms := range [][]Matrix{matrices(3, 4, 1), matrices(64, 2), matrices(1, 0, 0, 5)} {
		b, err := os.ReadFile(writeStore(f, ms))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < headerBytes {
			return
		}
		b = slices.Clone(b)
		end := min(tableEnd(int(uint16(binary.LittleEndian.Uint64(b[16:])))), int64(len(b)))
		binary.LittleEndian.PutUint32(b[56:], crc32.Checksum(b[headerBytes:end], castagnoli))
		binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[end:], castagnoli))
		binary.LittleEndian.PutUint32(b[64:], crc32.Checksum(b[:64], castagnoli))
		path := filepath.Join(t.TempDir(), "tokens.i8")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStore(path)
		if err != nil {
			return
		}
		defer s.Close()
		sum := 0
		for i := range s.Len() {
			m := s.At(i)
			for _, x := range m.Rows {
				sum += int(x)
			}
			if len(m.Rows) != m.Len()*m.Dim {
				t.Fatalf("passage %d: %d numbers for %d tokens", i, len(m.Rows), m.Len())
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	const dim, passages, tokens = 384, 500, 200
	rng := rand.New(rand.NewPCG(11, 12))
	one := quantise(b, unitVectors(rng, tokens, dim, 0), dim)
	ms := slices.Repeat([]Matrix{one}, passages)
	s := openFile(b, writeStore(b, ms))
	q := quantise(b, unitVectors(rng, 32, dim, 0), dim)
	b.SetBytes(passages * tokens * (dim + 4))
	for b.Loop() {
		s.Search(q, nil)
	}
	b.ReportMetric(float64(b.N)*passages*tokens*dim*32/b.Elapsed().Seconds()/1e9, "GMAC/s")
}
