package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// A Name is the folder of a model below the models folder, and its name in run records.
type Name string

// The models of models.lock.
const (
	Embedding       Name = "bge-small-en-v1.5"         // bi-encoder: text → 384 numbers, CLS pooling
	CrossEncoder    Name = "ms-marco-MiniLM-L-12-v2"   // (question, passage) → one logit
	LateInteraction Name = "answerai-colbert-small-v1" // text → 384 numbers a token
)

// runtimeDir is the folder of the ONNX Runtime library in models.lock.
const runtimeDir = "onnxruntime-1.32.0"

// ErrMismatch is wrapped by every error about a file that is there but is not
// the file of the lock: truncated, corrupt, another version, a pickle.
// A file or folder that is not there wraps [fs.ErrNotExist] instead.
var ErrMismatch = errors.New("not the file that models.lock names")

const fetch = "run scripts/fetch-models"

// Store is a folder of model files. The zero value is not usable; see [Find].
type Store struct {
	dir  string
	lock lock
}

// Model is one checked model.
type Model struct {
	Name      Name
	SHA256    string // of model.onnx, hex: the model's identity in run records and cache keys
	Path      string // of model.onnx
	Tokenizer string // path of tokenizer.json, checked too
}

// Library is the checked shared library of ONNX Runtime.
type Library struct {
	Name   string // onnxruntime-1.32.0
	SHA256 string // hex; differs by platform
	Path   string
}

// Find returns the store at dir. An empty dir stands for $MR_MODELS, and where
// that is not set for mobium-rag/models in [os.UserCacheDir].
//
// Only the folder must exist; its files are looked at when they are opened. If
// it does not, the error wraps [fs.ErrNotExist] and the store is usable all the
// same: each file is then reported as missing.
func Find(dir string) (Store, error) {
	if dir == "" {
		dir = os.Getenv("MR_MODELS")
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return Store{}, hint.Wrap(fmt.Errorf("models folder: %w", err), "set MR_MODELS to the folder that scripts/fetch-models filled")
		}
		dir = filepath.Join(cache, "mobium-rag", "models")
	}
	s := Store{dir: dir, lock: embedded}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return s, hint.Wrap(fmt.Errorf("models folder: %w", err), fetch)
	case !info.IsDir():
		return s, hint.Wrap(fmt.Errorf("models folder: %s: not a folder", dir), "name one with MR_MODELS or -models")
	}
	return s, nil
}

// Dir is the folder of the store.
func (s Store) Dir() string { return s.dir }

// Path is where the model's model.onnx belongs, whether it is there or not.
func (s Store) Path(n Name) string { return s.file(n, "model.onnx") }

// SHA256 is what the model's model.onnx must hash to, "" for a name that the
// lock does not know. It reads no file.
func (s Store) SHA256(n Name) string { return s.lock[string(n)+"/model.onnx"].sha256 }

// Open checks model.onnx and tokenizer.json of a model and returns their paths.
// It reads both to their end: some 35 MB a model.
func (s Store) Open(n Name) (Model, error) {
	sum, err := s.check(string(n) + "/model.onnx")
	if err != nil {
		return Model{}, err
	}
	if _, err := s.check(string(n) + "/tokenizer.json"); err != nil {
		return Model{}, err
	}
	return Model{Name: n, SHA256: sum, Path: s.Path(n), Tokenizer: s.file(n, "tokenizer.json")}, nil
}

// Runtime checks the ONNX Runtime library of this platform and returns its path.
func (s Store) Runtime() (Library, error) {
	local, err := libraryName(runtime.GOOS)
	if err != nil {
		return Library{}, err
	}
	sum, err := s.check(runtimeDir + "/" + local)
	if err != nil {
		return Library{}, err
	}
	return Library{Name: runtimeDir, SHA256: sum, Path: s.file(runtimeDir, local)}, nil
}

func libraryName(goos string) (string, error) {
	switch goos {
	case "linux":
		return "libonnxruntime.so", nil
	case "darwin":
		return "libonnxruntime.dylib", nil
	case "windows":
		return "onnxruntime.dll", nil
	}
	return "", fmt.Errorf("%s: no ONNX Runtime for %s in models.lock", runtimeDir, goos)
}

func (s Store) file(n Name, name string) string {
	return filepath.Join(s.dir, string(n), name)
}

// check reads the file with the lock's local name to its end and returns its
// sha256, which is the lock's, or an error.
func (s Store) check(local string) (string, error) {
	want, ok := s.lock[local]
	if !ok {
		return "", fmt.Errorf("%s: not in models.lock for %s/%s", local, runtime.GOOS, runtime.GOARCH)
	}
	path := filepath.Join(s.dir, filepath.FromSlash(local))
	f, err := os.Open(path)
	if err != nil {
		return "", hint.Wrap(fmt.Errorf("model file: %w", err), fetch)
	}
	defer f.Close() // read only: nothing to lose
	mismatch := func(format string, args ...any) error {
		return hint.Wrap(fmt.Errorf("%s: %w: "+format, append([]any{path, ErrMismatch}, args...)...), fetch)
	}
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("model file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", mismatch("not a regular file")
	}
	if info.Size() != want.size {
		return "", mismatch("%d bytes, want %d (truncated or another version)", info.Size(), want.size)
	}
	head := make([]byte, min(headBytes, want.size))
	if _, err := io.ReadFull(f, head); err != nil {
		return "", fmt.Errorf("model file: %s: %w", path, err)
	}
	if err := accept(local, head); err != nil {
		return "", mismatch("%w", err)
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("model file: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want.sha256 {
		return "", mismatch("sha256 is %s, want %s (corrupt or another version)", got, want.sha256)
	}
	return want.sha256, nil
}
