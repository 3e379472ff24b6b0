package embed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/onnx"
)

func mustOpen(t testing.TB, c *cache.Cache, opts Options) *BiEncoder {
	t.Helper()
	store, err := model.Find("")
	var b *BiEncoder
	if err == nil {
		b, err = Open(store, c, opts)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIP needs models: run scripts/fetch-models")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

type reference struct {
	Text   string    `json:"text"`
	Vector []float64 `json:"vector"`
}

// references are texts with the vectors that onnxruntime (Python) gives with
// the same model, one text a run, on a CPU with VNNI.
func references(t testing.TB) []reference {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "embeddings.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var refs []reference
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(refs) != 28 {
		t.Fatalf("%d references, want 28", len(refs))
	}
	return refs
}

func cosine(a []float64, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * float64(b[i])
	}
	return sum
}

// With VNNI every vector must agree with its reference. Other kernels round
// otherwise, which int8 activations amplify on long texts: there 90 % must, and
// the rest come near.
func TestParity(t *testing.T) {
	const strict, loose, share = 0.9999, 0.998, 0.9
	b := mustOpen(t, &cache.Cache{}, Options{})
	refs := references(t)
	agree := 0
	for _, r := range refs {
		e, err := b.Embed(t.Context(), r.Text)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%.40q (%d tokens)", r.Text, e.Tokens)
		if len(r.Vector) != b.Dim() || len(e.Vector) != b.Dim() {
			t.Fatalf("%s: %d numbers, reference %d, want %d", name, len(e.Vector), len(r.Vector), b.Dim())
		}
		switch c := cosine(r.Vector, e.Vector); {
		case c >= strict:
			agree++
		case onnx.VNNI() || !(c >= loose):
			t.Errorf("%s: cosine %.6f with the reference", name, c)
		default:
			t.Logf("%s: cosine %.6f with the reference", name, c)
		}
	}
	t.Logf("%d of %d at cosine %v, VNNI %v", agree, len(refs), strict, onnx.VNNI())
	if float64(agree) < share*float64(len(refs)) {
		t.Errorf("%d of %d reach %v, want 90 %%", agree, len(refs), strict)
	}
}

// A vector is the same bits alone, among others, in any order, by any number
// of callers and threads, and with the cache cold, warm and off.
func TestSameBits(t *testing.T) {
	refs := references(t)
	want := make([]Embedding, len(refs))
	alone := mustOpen(t, &cache.Cache{}, Options{})
	for i, r := range refs {
		var err error
		if want[i], err = alone.Embed(t.Context(), r.Text); err != nil {
			t.Fatal(err)
		}
		if want[i].Cached {
			t.Errorf("text %d comes from a cache that is off", i)
		}
	}
	dir := t.TempDir()
	tests := []struct {
		name    string
		cache   string
		threads int
		callers int
		others  int // texts among them
		cached  bool
	}{
		{"among a thousand, 8 callers", "off", 1, 8, 1000, false},
		{"8 threads", "off", 8, 1, 0, false},
		{"cold", dir, 1, 2, 0, false},
		{"warm", dir, 1, 2, 0, true},
	}
	for n, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := cache.Open(tt.cache, func(err error) { t.Error(err) })
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			b := mustOpen(t, c, Options{Threads: tt.threads})
			work := make(chan int)
			go func() {
				for _, i := range rand.New(rand.NewPCG(uint64(n), 0)).Perm(len(refs) + tt.others) {
					work <- i
				}
				close(work)
			}()
			var wg sync.WaitGroup
			for range tt.callers {
				wg.Go(func() {
					for i := range work {
						if i >= len(refs) {
							if _, err := b.Embed(t.Context(), fmt.Sprint("other ", i)); err != nil {
								t.Error(err)
							}
							continue
						}
						e, err := b.Embed(t.Context(), refs[i].Text)
						if err != nil {
							t.Error(err)
							continue
						}
						if d := cmp.Diff(want[i].Vector, e.Vector); d != "" || e.Tokens != want[i].Tokens || e.Cut != want[i].Cut {
							t.Errorf("text %d, %d tokens, alone %d (-want +got):\n%s", i, e.Tokens, want[i].Tokens, d)
						}
						if e.Cached != tt.cached {
							t.Errorf("text %d: cached %v", i, e.Cached)
						}
					}
				})
			}
			wg.Wait()
			if loaded := b.LoadTime() > 0; loaded == tt.cached {
				t.Errorf("model loaded: %v", loaded)
			}
		})
	}
}

// The window ends at 512 tokens: what comes after changes nothing but the count.
func TestWindow(t *testing.T) {
	b := mustOpen(t, &cache.Cache{}, Options{})
	full := strings.Repeat("word ", MaxTokens-2) // and [CLS] and [SEP]
	tests := []struct {
		name, text string
		tokens     int
		cut        bool
	}{
		{"full", full, MaxTokens, false},
		{"one more", full + "lost", MaxTokens + 1, true},
		{"twice", full + full, 2*MaxTokens - 2, true},
		{"empty", "", 2, false},
	}
	var first Embedding
	for i, tt := range tests {
		e, err := b.Embed(t.Context(), tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if e.Tokens != tt.tokens || e.Cut != tt.cut {
			t.Errorf("%s: %d tokens, cut %v; want %d, %v", tt.name, e.Tokens, e.Cut, tt.tokens, tt.cut)
		}
		if i == 0 {
			first = e
		}
		if same := cmp.Equal(first.Vector, e.Vector); same != (tt.text != "") {
			t.Errorf("%s: the vector of the first 512 tokens: %v", tt.name, same)
		}
	}
}

func TestEmbedRefuses(t *testing.T) {
	b := mustOpen(t, &cache.Cache{}, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Embed(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Embed(t.Context(), "a"); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	store, err := model.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(store, &cache.Cache{}, Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(hint.Of(err), "fetch-models") {
		t.Errorf("no model: %v, hint %q", err, hint.Of(err))
	}
	path := store.Path(model.Embedding)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("\x08 not the model"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(store, &cache.Cache{}, Options{})
	if !errors.Is(err, model.ErrMismatch) || !strings.Contains(err.Error(), path) || !strings.Contains(hint.Of(err), "fetch-models") {
		t.Errorf("corrupt model: %v, hint %q", err, hint.Of(err))
	}
}
