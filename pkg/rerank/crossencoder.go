package rerank

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/onnx"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/wordpiece"
)

const (
	maxTokens = 512 // the model's window, for question and passage together
	// format is the version of a cached value: the logit as one float32.
	format = "v1"
)

// CrossEncoder reads question and passage together. Its files are checked when
// it is opened, and loaded with the first pair that the cache does not hold.
type CrossEncoder struct {
	model   model.Model
	library model.Library
	cache   *cache.Cache
	space   cache.Space
	slots   chan struct{} // one a run

	mu     sync.Mutex // of what follows
	loaded *loaded
	closed bool
}

type loaded struct {
	session   *onnx.Session
	tokenizer *wordpiece.Tokenizer
}

// CrossEncoderStage is the stage its scores go under.
const CrossEncoderStage record.StageName = "cross-encoder"

// Open checks the files of the cross-encoder in store. C may be a zero cache.
// At most workers pairs are scored at once, whatever the number of callers; 0 is
// GOMAXPROCS.
func Open(store model.Store, c *cache.Cache, workers int) (*CrossEncoder, error) {
	m, err := store.Open(model.CrossEncoder)
	if err != nil {
		return nil, err
	}
	lib, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &CrossEncoder{
		model:   m,
		library: lib,
		cache:   c,
		space: cache.Space{
			Kind:   "logit",
			Model:  m.SHA256,
			Params: fmt.Sprintf("%s pair longest-first max=%d %s", format, maxTokens, onnx.Build(lib.SHA256)),
		},
		slots: make(chan struct{}, workers),
	}, nil
}

// load returns the model, which it loads the first time.
func (x *CrossEncoder) load() (*loaded, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, onnx.ErrClosed
	}
	if x.loaded != nil {
		return x.loaded, nil
	}
	tok, err := wordpiece.Load(x.model.Tokenizer)
	if err != nil {
		return nil, err
	}
	s, err := onnx.Open(x.library.Path, x.model.Path, onnx.Options{Output: "logits"})
	if err != nil {
		return nil, err
	}
	x.loaded = &loaded{s, tok}
	return x.loaded, nil
}

// Stage is cross-encoder.
func (*CrossEncoder) Stage() record.StageName { return CrossEncoderStage }

// Model is the name of the model with the sha256 of its file.
func (x *CrossEncoder) Model() record.Model {
	return record.Model{Name: string(x.model.Name), SHA256: x.model.SHA256}
}

// Score implements Scorer. A model that gives the same score to all of several
// different texts is broken, which is an error.
func (x *CrossEncoder) Score(ctx context.Context, question string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	errs := make([]error, len(texts))
	var wg sync.WaitGroup
	for i, text := range texts {
		x.slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-x.slots }()
			scores[i], errs[i] = x.pair(ctx, question, text)
		})
	}
	wg.Wait()
	if err := first(errs); err != nil {
		return nil, err
	}
	return scores, x.alive(question, texts, scores)
}

// first is the error of the first text that has one: which of several runs failed first is chance.
func first(errs []error) error {
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}

// pair scores one text.
func (x *CrossEncoder) pair(ctx context.Context, question, text string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	key := x.space.Key(question, text)
	if raw, ok := x.cache.Load(key); ok {
		if v, err := cache.ParseFloats(raw, 1); err == nil {
			return float64(v[0]), nil
		} // else it is computed again and replaced
	}
	l, err := x.load()
	if err != nil {
		return 0, err
	}
	enc := l.tokenizer.EncodePair(question, text, maxTokens)
	out, err := l.session.Run(ctx, onnx.Input{IDs: enc.IDs, Types: enc.TypeIDs})
	if err != nil {
		return 0, err
	}
	if len(out.Data) != 1 || math.IsNaN(float64(out.Data[0])) || math.IsInf(float64(out.Data[0]), 0) {
		return 0, fmt.Errorf("%s gave %v for a pair, expected one finite logit", x.model.Path, out.Data)
	}
	x.cache.Store(key, cache.Floats(out.Data))
	return float64(out.Data[0]), nil
}

// alive refuses scores that are all the same although the model saw different tokens.
func (x *CrossEncoder) alive(question string, texts []string, scores []float64) error {
	for i := range texts {
		if scores[i] != scores[0] {
			return nil
		}
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] }) {
		return nil
	}
	l, err := x.load()
	if err != nil {
		return err
	}
	ids := func(text string) []int64 { return l.tokenizer.EncodePair(question, text, maxTokens).IDs }
	for _, text := range texts {
		if !slices.Equal(ids(text), ids(texts[0])) {
			return hint.Wrap(fmt.Errorf("%s is dead: it gave %d different passages the same score %v", x.model.Name, len(texts), scores[0]),
				"run scripts/fetch-models, then this once with -cache off")
		}
	}
	return nil
}

// Close frees the model, if it was loaded. The cache stays the caller's.
func (x *CrossEncoder) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.loaded == nil {
		return nil
	}
	return x.loaded.session.Close()
}
