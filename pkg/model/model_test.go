package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

const onnxText = "\x08\x07 weights"

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// store writes a model by a lock of its own and then lets spoil have its way with it.
func store(t *testing.T, spoil func(t *testing.T, dir string)) Store {
	t.Helper()
	dir := t.TempDir()
	lib, err := libraryName(runtime.GOOS)
	if err != nil {
		t.Skip("SKIP ", err)
	}
	files := map[string]string{
		"bge-small-en-v1.5/model.onnx":     onnxText,
		"bge-small-en-v1.5/tokenizer.json": "{}",
		"onnxruntime-1.32.0/" + lib:        magic[filepath.Ext(lib)][0] + " library",
	}
	s := Store{dir: dir, lock: lock{}}
	for local, text := range files {
		s.lock[local] = locked{sha256: sum(text), size: int64(len(text))}
		write(t, filepath.Join(dir, local), text)
	}
	if spoil != nil {
		spoil(t, dir)
	}
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	s := store(t, nil)
	got, err := s.Open(Embedding)
	if err != nil {
		t.Fatal(err)
	}
	want := Model{
		Name:      "bge-small-en-v1.5",
		SHA256:    sum(onnxText),
		Path:      filepath.Join(s.Dir(), "bge-small-en-v1.5", "model.onnx"),
		Tokenizer: filepath.Join(s.Dir(), "bge-small-en-v1.5", "tokenizer.json"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Open (-want +got):\n%s", d)
	}
	if got.Path != s.Path(Embedding) || got.SHA256 != s.SHA256(Embedding) {
		t.Errorf("Path, SHA256 = %q, %q; differ from Open's", s.Path(Embedding), s.SHA256(Embedding))
	}
	lib, err := s.Runtime()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(lib.Path); err != nil || sum(string(text)) != lib.SHA256 {
		t.Errorf("Runtime = %+v, which does not hash so (%v)", lib, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	const onnx = "bge-small-en-v1.5/model.onnx"
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir string)
		is    error
		want  string
	}{
		{"missing", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, onnx)); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist, "model.onnx: no such file"},
		{"missing tokenizer", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "bge-small-en-v1.5/tokenizer.json")); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist, "tokenizer.json: no such file"},
		{"truncated", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, onnx), onnxText[:5])
		}, ErrMismatch, "5 bytes, want 10"}, // 2 + " weights" = 10
		{"empty", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, onnx), "")
		}, ErrMismatch, "0 bytes, want 10"},
		{"one bit differs", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, onnx), onnxText[:9]+"r")
		}, ErrMismatch, "sha256 is " + sum(onnxText[:9]+"r")},
		{"a folder", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, onnx)); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, onnx), 0o755); err != nil {
				t.Fatal(err)
			}
		}, ErrMismatch, "not a regular file"},
		{"pickle in its place", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, onnx), "\x80\x04\x95 pickle")
		}, ErrMismatch, "looks like a pickle"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := store(t, tt.spoil).Open(Embedding)
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Open = %v; want %v with %q", err, tt.is, tt.want)
			}
			if got := hint.Of(err); got != "run scripts/fetch-models" {
				t.Errorf("hint = %q", got)
			}
		})
	}
}

// A pickle is refused even if a lock had its sha256 under an innocent name.
func TestPickleUnderRightSum(t *testing.T) {
	for _, text := range []string{"\x80\x02}q\x00.", "PK\x03\x04archive/data.pkl"} {
		s := store(t, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "bge-small-en-v1.5/model.onnx"), text)
		})
		s.lock["bge-small-en-v1.5/model.onnx"] = locked{sha256: sum(text), size: int64(len(text))}
		if _, err := s.Open(Embedding); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "pickle") {
			t.Errorf("Open of %q = %v; want a refusal that names pickles", text, err)
		}
	}
}

func TestRuntimeRefuses(t *testing.T) {
	lib, err := libraryName(runtime.GOOS)
	if err != nil {
		t.Skip("SKIP ", err)
	}
	s := store(t, func(t *testing.T, dir string) {
		write(t, filepath.Join(dir, "onnxruntime-1.32.0", lib), magic[filepath.Ext(lib)][0]+" librarz")
	})
	if _, err := s.Runtime(); !errors.Is(err, ErrMismatch) {
		t.Errorf("Runtime = %v; want ErrMismatch", err)
	}
}

func TestUnknownName(t *testing.T) {
	s := store(t, nil)
	if _, err := s.Open("gpt-9"); err == nil || !strings.Contains(err.Error(), "not in models.lock") {
		t.Errorf("Open = %v; want: not in models.lock", err)
	}
	if got := s.SHA256("gpt-9"); got != "" {
		t.Errorf("SHA256 = %q, want none", got)
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	models := filepath.Join(home, "models")
	write(t, filepath.Join(models, "x"), "")
	t.Setenv("MR_MODELS", models)
	s, err := Find("")
	if err != nil || s.Dir() != models {
		t.Errorf("Find by MR_MODELS = %q, %v; want %q", s.Dir(), err, models)
	}
	if _, err := s.Open(Embedding); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open in a folder without models = %v; want fs.ErrNotExist", err)
	}
	t.Setenv("MR_MODELS", "/elsewhere")
	if s, err := Find(models); err != nil || s.Dir() != models {
		t.Errorf("Find(dir) = %q, %v; want %q", s.Dir(), err, models)
	}
	if s, err := Find(""); !errors.Is(err, fs.ErrNotExist) || hint.Of(err) == "" || s.Dir() != "/elsewhere" {
		t.Errorf("Find of a missing folder = %q, %v; want fs.ErrNotExist with a hint", s.Dir(), err)
	}
	if _, err := Find(filepath.Join(models, "x")); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("Find of a file = %v; want: not a folder", err)
	}
	if runtime.GOOS == "linux" {
		t.Setenv("MR_MODELS", "")
		t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
		want := filepath.Join(home, "cache", "mobium-rag", "models")
		if s, _ := Find(""); s.Dir() != want {
			t.Errorf("Find by XDG_CACHE_HOME = %q, want %q", s.Dir(), want)
		}
	}
}

// The embedded lock names all models and, on every platform with a wheel, one library.
func TestEmbeddedLock(t *testing.T) {
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		l, err := parseLock(lockText, platform)
		if err != nil {
			t.Fatal(err)
		}
		goos, _, _ := strings.Cut(platform, "/")
		lib, err := libraryName(goos)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{runtimeDir + "/" + lib}
		for _, n := range []Name{Embedding, CrossEncoder, LateInteraction} {
			want = append(want, string(n)+"/model.onnx", string(n)+"/tokenizer.json")
		}
		for _, local := range want {
			if _, ok := l[local]; !ok {
				t.Errorf("%s: %s is missing", platform, local)
			}
		}
		if len(l) != len(want) {
			t.Errorf("%s: %d files, want %d", platform, len(l), len(want))
		}
	}
	want := map[Name]string{ // as published in the design
		Embedding:       "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
		CrossEncoder:    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
		LateInteraction: "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
	}
	for n, sum := range want {
		if got := (Store{lock: embedded}).SHA256(n); got != sum {
			t.Errorf("%s: sha256 %s, want %s", n, got, sum)
		}
	}
}

func TestParseLockRefuses(t *testing.T) {
	good := "file any w==1 " + sum("") + " 1 m a/b.onnx"
	tests := []struct{ text, want string }{
		{"file any w==1 x", "models.lock:1: want wheel or file and six columns"},
		{"\nfolder any w==1 " + sum("") + " 1 m a/b.onnx", "models.lock:2: want wheel or file"},
		{strings.Replace(good, " 1 ", " 0 ", 1), "size"},
		{strings.Replace(good, sum(""), sum("")[:62], 1), "not a sha256"},
		{strings.Replace(good, sum(""), strings.ToUpper(sum("")), 1), "not a sha256"},
		{strings.Replace(good, "a/b.onnx", "../b.onnx", 1), "not folder/name"},
		{strings.Replace(good, "a/b.onnx", "/b.onnx", 1), "not folder/name"},
		{strings.Replace(good, "a/b.onnx", "a/../b.onnx", 1), "not folder/name"},
		{strings.Replace(good, "b.onnx", "b.pkl", 1), "pickles are refused"},
		{strings.Replace(good, "b.onnx", "pytorch_model.bin", 1), "pickles are refused"},
		{good + "\n" + good, "models.lock:2: \"a/b.onnx\" is named twice"},
	}
	for _, tt := range tests {
		if _, err := parseLock(tt.text, "linux/amd64"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parseLock(%q) = %v; want %q", tt.text, err, tt.want)
		}
	}
	if l, err := parseLock(good, "linux/amd64"); err != nil || len(l) != 1 {
		t.Errorf("parseLock of the good line = %v, %v", l, err)
	}
}

// The real files, where they have been fetched.
func TestFetchedModels(t *testing.T) {
	s, err := Find("")
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	for _, n := range []Name{Embedding, CrossEncoder, LateInteraction} {
		if _, err := s.Open(n); err != nil {
			t.Errorf("Open(%s) = %v", n, err)
		}
	}
	if _, err := s.Runtime(); err != nil {
		t.Errorf("Runtime = %v", err)
	}
}

func BenchmarkOpen(b *testing.B) {
	s, err := Find("")
	if err != nil {
		b.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	for b.Loop() {
		if _, err := s.Open(Embedding); err != nil {
			b.Fatal(err)
		}
	}
}
