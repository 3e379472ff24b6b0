package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// damage is what may happen to a file of an index, and what is said of it.
type damage struct {
	name string
	do   func(t *testing.T, gen string)
	want string
	hint string
}

func flip(name string, at int) func(*testing.T, string) {
	return func(t *testing.T, gen string) {
		path := filepath.Join(gen, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if at < 0 {
			at += len(text)
		}
		text[at] ^= 1
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func cut(name string, bytes int64) func(*testing.T, string) {
	return func(t *testing.T, gen string) {
		path := filepath.Join(gen, name)
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, info.Size()-bytes)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func lose(name string) func(*testing.T, string) {
	return func(t *testing.T, gen string) {
		if err := os.Remove(filepath.Join(gen, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func replace(name, old, new string) func(*testing.T, string) {
	return func(t *testing.T, gen string) {
		path := filepath.Join(gen, name)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s does not hold %q: %v", path, old, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rewrite puts another, whole file of vectors there.
func rewrite(model string, dim int, ids ...record.PassageID) func(*testing.T, string) {
	return func(t *testing.T, gen string) {
		err := writeVectors(filepath.Join(gen, vectorsName), model, dim, ids, func(int) ([]float32, error) { return make([]float32, dim), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamage(t *testing.T) {
	const store = "bleve/store/000000000002.zap"
	ids := []record.PassageID{"p0000", "p0001", "p0002"}
	derive, again := "mr-index derive", "build the index again"
	tests := []damage{
		{"vectors gone", lose(vectorsName), "vectors.f32: open ", derive},
		{"vectors short", cut(vectorsName, 1), "damaged: 227 bytes, expected 228", derive}, // 128 + 64 + 3·3·4
		{"vectors shorter than a header", cut(vectorsName, 101), "not a file of vectors", derive},
		{"magic", flip(vectorsName, 0), "not a file of vectors", derive},
		{"version", flip(vectorsName, 8), "version 0, expected 1", derive},
		{"header", flip(vectorsName, 40), "the header fails its checksum", derive},
		{"id", flip(vectorsName, 130), "the ids fail their checksum", derive},
		{"number", flip(vectorsName, -1), "the vectors fail their checksum", derive},
		{"another model", rewrite(model2.SHA256, 3, ids...), "from the model with sha256 222222222222, the index was built with 3 from m1 (111111111111)", derive},
		{"another length", rewrite(model1.SHA256, 4, ids...), "4 numbers from the model", derive},
		{"other passages", rewrite(model1.SHA256, 3, "p0000", "p0001", "p0003"), "its passages are not those of the index", derive},
		{"fewer passages", rewrite(model1.SHA256, 3, ids[:2]...), "its passages are not those of the index", derive},
		{"token vectors gone", lose(tokensName), "tokens.i8: ", again},
		{"token vectors", flip(tokensName, -70), "damaged", again},
		{"bleve gone", lose(store), store + ": ", again},
		{"bleve short", cut(store, 3), "damaged: ", again},
		{"bleve", flip(store, 100), "it fails its checksum", again},
		{"bleve's root", flip("bleve/store/root.bolt", 5000), "it fails its checksum", again},
		{"manifest gone", lose(manifestName), "is damaged", again},
		{"manifest of another format", replace(manifestName, `"format": 1`, `"format": 2`), "format 2, expected 1", again},
		{"unknown key", replace(manifestName, `"format"`, `"mine": 1, "format"`), "mine", again},
		{"manifest cut", cut(manifestName, 9), manifestName + ": ", again},
		{"manifest of more", replace(manifestName, `"passages": 3`, `"passages": 4`), "holds 3 passages, its manifest says 4", ""},
		{"a total missing", replace(manifestName, `"path"`, `"paths"`), "no total of the field path", again},
		{"manifest of none", replace(manifestName, `"passages": 3`, `"passages": 0`), "no passages", again},
		{"pointer", replace("../CURRENT", "gen-000001", "../../etc"), "expected the name of a generation", again},
		{"pointer to nothing", replace("../CURRENT", "gen-000001", "gen-000009"), "is damaged", again},
		{"pointer gone", lose("../CURRENT"), "there is no index in", "mr-index build"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dir(t)
			cfg := DefaultConfig()
			cfg.Encoder = fakeEncoder{}
			ps := withVectors(randomPassages(5, 3), 3)
			mustBuild(t, d, ps, cfg)
			whole := read(t, d, vectorsName)
			tt.do(t, filepath.Join(d, generation(1)))
			x, err := Open(d, DefaultBM25())
			if err == nil {
				err = errors.Join(errors.New("it was opened"), x.Close())
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint.Of(err), tt.hint) {
				t.Errorf("got %v, hint %q", err, hint.Of(err))
			}
			if tt.hint != derive {
				return
			}
			if err := Derive(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			opened(t, d)
			if read(t, d, vectorsName) != whole {
				t.Error("the derived file is another than the one that was built")
			}
		})
	}
}

func TestDeriveRefuses(t *testing.T) {
	d := dir(t)
	mustBuild(t, d, randomPassages(5, 3), DefaultConfig())
	if err := Derive(t.Context(), d); err == nil || !strings.Contains(err.Error(), "was built without vectors") {
		t.Errorf("got %v", err)
	}
	if err := Derive(t.Context(), dir(t)); err == nil {
		t.Error("derived from nothing")
	}
}
