package embed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/onnx"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/wordpiece"
)

// MaxTokens is the window of the model: what it reads of a text, [CLS] and [SEP] included.
const MaxTokens = 512

const (
	dim = 384
	// format is the version of a cached value: the vector, then 4 bytes of token count.
	format = "v1"
)

// BiEncoder is bge-small-en-v1.5. Its files are checked when it is opened, and
// loaded with the first text that the cache does not hold: a warm run loads none.
type BiEncoder struct {
	library model.Library
	model   model.Model
	cache   *cache.Cache
	space   cache.Space
	threads int

	mu     sync.Mutex // of what follows
	loaded *loaded
	err    error // of loading
	closed bool
}

type loaded struct {
	session   *onnx.Session
	tokenizer *wordpiece.Tokenizer
	took      time.Duration
}

// Options of a bi-encoder; the zero value suits bulk work with a caller a core.
type Options struct {
	// Threads of a single text; 0 is 1. More change no bit, and help where one
	// text must be quick and cores idle.
	Threads int
}

// Open checks the files of the bi-encoder in store. C may be a zero cache.
func Open(store model.Store, c *cache.Cache, opts Options) (*BiEncoder, error) {
	m, err := store.Open(model.Embedding)
	if err != nil {
		return nil, err
	}
	lib, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	b := &BiEncoder{library: lib, model: m, cache: c, threads: opts.Threads}
	b.space = cache.Space{
		Kind:   "vector",
		Model:  m.SHA256,
		Params: fmt.Sprintf("%s cls unit max=%d %s", format, MaxTokens, onnx.Build(lib.SHA256)),
	}
	return b, nil
}

// load loads the model with the first call; others wait for it.
func (b *BiEncoder) load() (*loaded, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return nil, onnx.ErrClosed
	case b.loaded == nil && b.err == nil:
		b.loaded, b.err = b.open()
	}
	return b.loaded, b.err
}

func (b *BiEncoder) open() (*loaded, error) {
	start := time.Now()
	tok, err := wordpiece.Load(b.model.Tokenizer)
	if err != nil {
		return nil, err
	}
	s, err := onnx.Open(b.library.Path, b.model.Path, onnx.Options{Output: "last_hidden_state", Threads: b.threads})
	if err != nil {
		return nil, err
	}
	return &loaded{s, tok, time.Since(start)}, nil
}

// Model is the name of the model with the sha256 of its file.
func (b *BiEncoder) Model() record.Model {
	return record.Model{Name: string(b.model.Name), SHA256: b.model.SHA256}
}

// Dim is 384.
func (b *BiEncoder) Dim() int { return dim }

// LoadTime is how long loading the model took, 0 while it is not loaded.
func (b *BiEncoder) LoadTime() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded == nil {
		return 0
	}
	return b.loaded.took
}

// Embed implements Embedder.
func (b *BiEncoder) Embed(ctx context.Context, text string) (Embedding, error) {
	if err := ctx.Err(); err != nil {
		return Embedding{}, err
	}
	start := time.Now()
	key := b.space.Key(text)
	if raw, ok := b.cache.Load(key); ok {
		if e, err := parse(raw); err == nil {
			e.Cached, e.Took = true, time.Since(start)
			return e, nil
		} // else it is computed again and replaced
	}
	l, err := b.load()
	if err != nil {
		return Embedding{}, err
	}
	start = time.Now()
	enc := l.tokenizer.Encode(text, MaxTokens)
	out, err := l.session.Run(ctx, onnx.Input{IDs: enc.IDs, Types: enc.TypeIDs})
	if err != nil {
		return Embedding{}, err
	}
	v, err := unit(out.Row(0))
	if err != nil {
		return Embedding{}, err
	}
	b.cache.Store(key, binary.LittleEndian.AppendUint32(cache.Floats(v), uint32(enc.Full)))
	return Embedding{Vector: v, Tokens: enc.Full, Cut: enc.Full > MaxTokens, Took: time.Since(start)}, nil
}

func parse(raw []byte) (Embedding, error) {
	n := len(raw) - 4
	if n < 0 {
		return Embedding{}, errors.New("short value")
	}
	v, err := cache.ParseFloats(raw[:n], dim)
	if err != nil {
		return Embedding{}, err
	}
	tokens := int(binary.LittleEndian.Uint32(raw[n:]))
	return Embedding{Vector: v, Tokens: tokens, Cut: tokens > MaxTokens}, nil
}

// unit scales v to unit length, in float64.
func unit(v []float32) (record.Vector, error) {
	if len(v) != dim {
		return nil, fmt.Errorf("the model gave %d numbers, expected %d", len(v), dim)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, fmt.Errorf("the model gave a vector of length %v", norm)
	}
	out := make(record.Vector, dim)
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out, nil
}

// Close frees the model, if it was loaded. The cache stays the caller's.
func (b *BiEncoder) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.loaded == nil {
		return nil
	}
	return b.loaded.session.Close()
}
