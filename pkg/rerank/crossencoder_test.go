package rerank

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/onnx"
)

// findModels skips where the model is not there; a model that is broken fails.
func findModels(t testing.TB) model.Store {
	t.Helper()
	store, err := model.Find("")
	if err == nil {
		_, err = store.Open(model.CrossEncoder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func openEncoder(t testing.TB, c *cache.Cache, workers int) *CrossEncoder {
	t.Helper()
	x, err := Open(findModels(t), c, workers)
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

type pair struct {
	Query string  `json:"query"`
	Text  string  `json:"text"`
	Logit float64 `json:"logit"`
}

func pairs(t testing.TB) []pair {
	raw, err := os.ReadFile("testdata/rerank.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var ps []pair
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return ps
}

// The references are of a CPU with VNNI. Elsewhere long inputs come out a
// little different, since int8 products round otherwise.
func TestParity(t *testing.T) {
	ps := pairs(t)
	if len(ps) != 8 {
		t.Fatalf("%d references, want 8", len(ps))
	}
	x := openEncoder(t, &cache.Cache{}, 0)
	strict, worst := 0, 0.0
	for _, p := range ps {
		got, err := x.Score(t.Context(), p.Query, []string{p.Text})
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(got[0] - p.Logit)
		worst = max(worst, off)
		if off <= 0.01 {
			strict++
		} else {
			t.Logf("%q, text of %d bytes: logit %.4f, reference %.4f", p.Query, len(p.Text), got[0], p.Logit)
		}
	}
	t.Logf("%d of %d within 0.01, the worst off by %.4f", strict, len(ps), worst)
	need := 8
	if !onnx.VNNI() {
		need = 6
	}
	if strict < need || worst > 0.1 {
		t.Errorf("%d of 8 are within 0.01, want %d; the worst is off by %.4f, limit 0.1", strict, need, worst)
	}
}

// Scores are the same bits alone or together, on one worker or many, cache off, cold and warm.
func TestCrossEncoderIsAFunctionOfThePair(t *testing.T) {
	const question = "how do I stop the daemon?"
	texts := []string{"Run mobium stop.", "Bananas are yellow.", strings.Repeat("A tap under an alert. ", 60), "", "Run mobium stop."}
	dir := t.TempDir()
	var want []float64
	for _, tt := range []struct {
		name    string
		cache   bool
		workers int
	}{{"off", false, 1}, {"off, four at once", false, 4}, {"cold", true, 2}, {"warm", true, 2}} {
		c := &cache.Cache{}
		if tt.cache {
			var err error
			if c, err = cache.Open(dir, func(err error) { t.Error(err) }); err != nil {
				t.Fatal(err)
			}
		}
		x := openEncoder(t, c, tt.workers)
		got, err := x.Score(t.Context(), question, texts)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
			alone, err := x.Score(t.Context(), question, texts[2:3])
			if err != nil || alone[0] != got[2] {
				t.Errorf("alone %v, among others %v (%v)", alone, got[2], err)
			}
			if got[0] != got[4] || got[0] <= got[1] {
				t.Errorf("the same text twice %v and %v, a worse one %v", got[0], got[4], got[1])
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		if tt.name == "warm" && x.loaded != nil {
			t.Error("a warm cache loaded the model")
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A model that always says the same is found out, here by a cache filled with one score.
func TestDeadModel(t *testing.T) {
	dir := t.TempDir()
	open := func() *cache.Cache {
		c, err := cache.Open(dir, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	x := openEncoder(t, c, 0)
	long := strings.Repeat("word ", 600)
	texts := []string{"one", "two", "ONE", long, long + "and more"}
	for _, text := range texts {
		c.Store(x.space.Key("q", text), cache.Floats([]float32{0.5}))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	x.cache = open()
	defer x.cache.Close() // in a folder of the test's own
	for _, tt := range []struct {
		texts  []string
		dead   bool
		reason string
	}{
		{texts[:2], true, "two texts"},
		{texts[:1], false, "one text"},
		{[]string{"one", "ONE"}, false, "the model sees no difference"},
		{texts[3:], false, "the model does not see where they differ"},
		{nil, false, "nothing to score"},
	} {
		_, err := x.Score(t.Context(), "q", tt.texts)
		if (err != nil) != tt.dead || err != nil && !strings.Contains(err.Error(), "is dead") {
			t.Errorf("%s: %v", tt.reason, err)
		}
	}
}

func TestCrossEncoderCancelledAndClosed(t *testing.T) {
	x := openEncoder(t, &cache.Cache{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Score(ctx, "q", []string{"a", "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Score(t.Context(), "q", []string{"a"}); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestOpenWithoutModel(t *testing.T) {
	store, err := model.Find(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(store, &cache.Cache{}, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open in an empty folder: %v", err)
	}
}

// Late scores are those of the encoder, and tell a good passage from a bad one.
func TestLate(t *testing.T) {
	store := findModels(t)
	e, err := late.Open(store, &cache.Cache{}, late.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() // nothing follows
	texts := []string{"Bananas are yellow.", "Run mobium stop to end the daemon."}
	got, err := Late{e}.Score(t.Context(), "how do I stop the daemon?", texts)
	if err != nil {
		t.Fatal(err)
	}
	q, err1 := e.Query(t.Context(), "how do I stop the daemon?")
	p, err2 := e.Passage(t.Context(), texts[1])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if got[1] != float64(late.MaxSim(q, p)) || got[0] >= got[1] {
		t.Errorf("scores %v", got)
	}
}
