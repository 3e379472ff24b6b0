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
		{"length 0", vector("a", 1, 0), vector("b", 0, 0), model1, `passage "b": expected a vector of length 1, got one of 0`, "divide a vector by its length"},
		{"length 5", vector("a", 1, 0), vector("b", 3, -4), model1, `passage "b": expected a vector of length 1, got one of 5`, ""},
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
