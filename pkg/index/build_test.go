package index

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var (
	model1 = record.Model{Name: "m1", SHA256: strings.Repeat("1", 64)}
	model2 = record.Model{Name: "m2", SHA256: strings.Repeat("2", 64)}
)

// corpusOf adds all passages, which are from model1 where they have vectors.
func corpusOf(t testing.TB, ps []*record.Passage) *Corpus {
	t.Helper()
	c := new(Corpus)
	for _, p := range ps {
		if err := c.Add(p, model1, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// built is an open index of the passages.
func built(t testing.TB, ps []*record.Passage, cfg Config) *Index {
	t.Helper()
	d := dir(t)
	mustBuild(t, d, ps, cfg)
	return opened(t, d)
}

func mustBuild(t testing.TB, dir string, ps []*record.Passage, cfg Config) {
	t.Helper()
	if cfg.Warn == nil {
		cfg.Warn = func(err error) { t.Error(err) }
	}
	if _, err := Build(t.Context(), dir, corpusOf(t, ps), cfg); err != nil {
		t.Fatal(err)
	}
}

func opened(t testing.TB, dir string) *Index {
	t.Helper()
	x, err := Open(dir, DefaultBM25())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// withVectors gives each passage a unit vector of dim numbers, every third the same.
func withVectors(ps []*record.Passage, dim int) []*record.Passage {
	rng := rand.New(rand.NewPCG(9, 9))
	for i, p := range ps {
		p.Vector = unit(rng, dim)
		if i%3 == 2 {
			p.Vector = ps[2].Vector
		}
	}
	return ps
}

func unit(rng *rand.Rand, dim int) record.Vector {
	v, sum := make(record.Vector, dim), 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// fakeEncoder gives each word a token vector by its letters.
type fakeEncoder struct{ before func() }

func (fakeEncoder) Model() record.Model { return model2 }

func (e fakeEncoder) Passages(ctx context.Context, texts []string) (out []late.Matrix, err error) {
	for _, text := range texts {
		m, err := e.Query(ctx, text)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func (e fakeEncoder) Query(ctx context.Context, text string) (late.Matrix, error) {
	if e.before != nil {
		e.before()
	}
	var rows []float32
	for _, word := range strings.Fields(text) {
		row := make([]float32, 64)
		for _, r := range strings.ToLower(word) {
			row[r%64]++
		}
		rows = append(rows, row...)
	}
	m, err := late.Quantise(rows, 64)
	return m, errors.Join(err, ctx.Err())
}

// names are the entries of a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestCorpusRefuses(t *testing.T) {
	vector := func(id string, v ...float32) *record.Passage {
		p := passage(id, "text")
		p.Vector = v
		return p
	}
	other := passage("b", "text")
	other.Commit = "other000"
	nan := float32(math.NaN())
	tests := []struct {
		name          string
		first, second *record.Passage
		model         record.Model // of the second
		want, hint    string
	}{
		{"id twice", passage("a", "text"), passage("a", "other"), model1, `passage "a" is there already, at f:1`, ""},
		{"another commit", passage("a", "text"), other, model1, `passage "b" is of commit "other000", the one at f:1 of "c0ffee00"`, "one commit"},
		{"no vector", vector("a", 1), passage("b", "text"), model1, `passage "b" has no vector, the one at f:1 has a`, "all passages through mr-embed"},
		{"a vector", passage("a", "text"), vector("b", 1), model1, `passage "b" has a vector, the one at f:1 has no`, "or none"},
		{"another length", vector("a", 1, 0), vector("b", 1), model1, `passage "b" has a vector of 1 numbers, the one at f:1 of 2`, ""},
		{"NaN", vector("a", 1, 0), vector("b", 1, nan), model1, `passage "b": element 1 of the vector is NaN`, ""},
		{"infinite", vector("a", 1, 0), vector("b", float32(math.Inf(-1)), 0), model1, `element 0 of the vector is -Inf`, ""},
		{"another model", vector("a", 1, 0), vector("b", 1, 0), model2, `the vector of passage "b" is from model m2 (222222222222), the one at f:1 from m1 (111111111111)`, "one mr-embed"},
		{"zero byte", passage("a", "text"), passage("b\x00c", "text"), model1, "zero byte", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := new(Corpus)
			if err := c.Add(tt.first, model1, "f:1"); err != nil {
				t.Fatal(err)
			}
			err := c.Add(tt.second, tt.model, "f:2")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint.Of(err), tt.hint) {
				t.Errorf("got %v, hint %q", err, hint.Of(err))
			}
			if len(c.passages) != 1 {
				t.Error("what was refused is in the corpus")
			}
		})
	}
	d := dir(t)
	if _, err := Build(t.Context(), d, new(Corpus), DefaultConfig()); err == nil || !strings.Contains(err.Error(), "no passages") || hint.Of(err) == "" {
		t.Errorf("an empty corpus: %v", err)
	}
	if _, err := os.Stat(d); err == nil {
		t.Error("an empty corpus left a folder behind")
	}
}

// TestReplace: an index that is open stays as it is while builds replace it,
// and goes once nobody reads it.
func TestReplace(t *testing.T) {
	d := dir(t)
	mustBuild(t, d, []*record.Passage{passage("one", "alpha")}, DefaultConfig())
	first, err := Open(d, DefaultBM25())
	if err != nil {
		t.Fatal(err)
	}
	mustBuild(t, d, []*record.Passage{passage("two", "alpha")}, DefaultConfig())
	second := opened(t, d)
	for x, want := range map[*Index]record.PassageID{first: "one", second: "two"} {
		if p, err := x.Passage(t.Context(), want); err != nil || p.Text != "alpha" {
			t.Errorf("%s: %v, %v", want, p, err)
		}
	}
	if d := cmp.Diff([]string{"CURRENT", "LOCK", "gen-000001", "gen-000002"}, names(t, d)); d != "" {
		t.Errorf("while the first is open (-want +got):\n%s", d)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, d, []*record.Passage{passage("three", "alpha")}, DefaultConfig())
	if d := cmp.Diff([]string{"CURRENT", "LOCK", "gen-000002", "gen-000003"}, names(t, d)); d != "" {
		t.Errorf("once the first is closed (-want +got):\n%s", d)
	}
}

// TestFailedBuild: whatever fails, the index there was stays, and nothing of the new one.
func TestFailedBuild(t *testing.T) {
	d := dir(t)
	mustBuild(t, d, []*record.Passage{passage("one", "alpha")}, DefaultConfig())
	before := names(t, d)
	cancelled, cancel := context.WithCancel(t.Context())
	cfg := DefaultConfig()
	cfg.Encoder = fakeEncoder{before: cancel}
	if _, err := Build(cancelled, d, corpusOf(t, randomPassages(1, 100)), cfg); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	cfg = DefaultConfig()
	cfg.Analysis = "de"
	if _, err := Build(t.Context(), d, corpusOf(t, randomPassages(1, 2)), cfg); err == nil {
		t.Error("an unknown analysis was accepted")
	}
	if d := cmp.Diff(before, names(t, d)); d != "" {
		t.Errorf("folder (-before +after):\n%s", d)
	}
	if _, err := opened(t, d).Passage(t.Context(), "one"); err != nil {
		t.Error(err)
	}
}

// TestTwoBuilds: the one that comes second is refused, and the first is not disturbed.
func TestTwoBuilds(t *testing.T) {
	d := dir(t)
	cfg := DefaultConfig()
	tried := false
	cfg.Encoder = fakeEncoder{before: func() {
		if tried {
			return
		}
		tried = true
		_, err := Build(t.Context(), d, corpusOf(t, []*record.Passage{passage("second", "x")}), DefaultConfig())
		if err == nil || !strings.Contains(err.Error(), "another build of") || hint.Of(err) == "" {
			t.Errorf("the second build: %v", err)
		}
	}}
	mustBuild(t, d, []*record.Passage{passage("first", "x")}, cfg)
	if _, err := opened(t, d).Passage(t.Context(), "first"); err != nil || !tried {
		t.Error(err)
	}
}

// TestSameHits: the order of the passages, the batches and the number of cores
// change no byte of the files beside bleve's, and no bit of the hits.
func TestSameHits(t *testing.T) {
	ps := withVectors(randomPassages(5, 400), 24)
	question := &record.Question{ID: "q", Text: "wa1 wb2 wc3 wd4", Vector: ps[2].Vector}
	type outcome struct {
		Hits            *record.Hits
		Vectors, Tokens string
		Manifest        Manifest
	}
	run := func(ps []*record.Passage, batch, procs int) outcome {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		cfg := DefaultConfig()
		cfg.Encoder, cfg.Batch = fakeEncoder{}, batch
		d := dir(t)
		mustBuild(t, d, ps, cfg)
		x := opened(t, d)
		s := Searcher{Engine: x, Encoder: fakeEncoder{}, System: "hybrid", Options: DefaultOptions()}
		hits, err := s.Search(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		m := *x.Manifest()
		m.Files = nil
		return outcome{hits, read(t, d, vectorsName), read(t, d, tokensName), m}
	}
	want := run(slices.Clone(ps), 0, 1)
	if len(want.Hits.Hits) != 40 {
		t.Fatalf("%d hits", len(want.Hits.Hits))
	}
	slices.Reverse(ps)
	for _, procs := range []int{1, 8} {
		if d := cmp.Diff(want, run(slices.Clone(ps), 17, procs)); d != "" {
			t.Errorf("GOMAXPROCS %d (-want +got):\n%s", procs, d)
		}
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, generation(1), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStored: bleve gives back what it was given, unknown fields too.
func TestStored(t *testing.T) {
	p := passage("docs/A.md#b~2", "text\n\ttwo", "A", "B")
	p.Section, p.SHA256, p.Vector = "docs/A.md#b", "aa", record.Vector{0.6, -0.8}
	p.Extra = []byte(`{"mine":[1.0,"é"]}`)
	x := built(t, []*record.Passage{p, withOther(p)}, DefaultConfig())
	got, err := x.Passage(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := *p
	want.Type, want.Vector = record.KindPassage, nil
	if d := cmp.Diff(&want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	v, err := storedVector(x.lexical.reader, p.ID)
	if err != nil || !slices.Equal(v, p.Vector) {
		t.Errorf("vector %v, %v", v, err)
	}
	if _, err := x.Passage(t.Context(), "nowhere"); err == nil || !strings.Contains(err.Error(), "is not in the index") {
		t.Errorf("no such passage: %v", err)
	}
}

func withOther(p *record.Passage) *record.Passage {
	other := *p
	other.ID = "other"
	return &other
}

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
