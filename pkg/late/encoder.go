package late

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/onnx"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/wordpiece"
)

const (
	dim       = 384
	maxTokens = 512 // the model's window, markers included
	// queryTokens is the length up to which queries are padded with [MASK].
	queryTokens = 32
	// format is the version of a cached value: a block of the file of token vectors.
	format = "v1"
)

// The markers that the model was trained with, behind [CLS].
const (
	queryMarker   = "[unused0]"
	passageMarker = "[unused1]"
)

// Padding is how a query shorter than 32 tokens is filled up with [MASK], whose
// vectors stand for words the query might have had (query augmentation, section
// 3.2 of the paper).
type Padding string

// The paddings.
const (
	// Masked padding is not attended to; its vectors match all the same. It
	// was the best on the sets we measured, and is the default.
	Masked Padding = "masked"
	// Attended padding is, as in the paper.
	Attended Padding = "attended"
	// NoPadding leaves queries as long as they are.
	NoPadding Padding = "none"
)

// ParsePadding is the padding named s; "" is the default.
func ParsePadding(s string) (Padding, error) {
	switch p := Padding(s); p {
	case "":
		return Masked, nil
	case Masked, Attended, NoPadding:
		return p, nil
	}
	return "", fmt.Errorf("expected padding masked, attended or none, got %q", s)
}

// Options of an encoder; the zero value is what the tools use.
type Options struct {
	Padding Padding // of queries
	// Workers is the number of texts encoded at once, whatever the number of
	// callers; 0 is GOMAXPROCS.
	Workers int
}

// Encoder is answerai-colbert-small-v1. Its files are checked when it is opened,
// and loaded with the first text that the cache does not hold. It is safe for
// concurrent use.
type Encoder struct {
	model   model.Model
	library model.Library
	padding Padding
	cache   *cache.Cache
	build   string
	slots   chan struct{} // one a run

	mu     sync.Mutex // of what follows
	loaded *loaded
	closed bool
}

type loaded struct {
	session              *onnx.Session
	tokenizer            *wordpiece.Tokenizer
	query, passage, mask int64 // ids of the markers and of [MASK]
}

// Open checks the files of the model in store. C may be a zero cache.
func Open(store model.Store, c *cache.Cache, opts Options) (*Encoder, error) {
	padding, err := ParsePadding(string(opts.Padding))
	if err != nil {
		return nil, err
	}
	m, err := store.Open(model.LateInteraction)
	if err != nil {
		return nil, err
	}
	lib, err := store.Runtime()
	if err != nil {
		return nil, err
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	return &Encoder{model: m, library: lib, padding: padding, cache: c,
		build: onnx.Build(lib.SHA256), slots: make(chan struct{}, opts.Workers)}, nil
}

// Model is the name of the model with the sha256 of its file.
func (e *Encoder) Model() record.Model {
	return record.Model{Name: string(e.model.Name), SHA256: e.model.SHA256}
}

// Dim is 384.
func (e *Encoder) Dim() int { return dim }

// Query encodes a question: [CLS] [unused0] tokens [SEP], padded. What is past
// 512 tokens is cut off.
func (e *Encoder) Query(ctx context.Context, text string) (Matrix, error) {
	return e.encode(ctx, "query "+string(e.padding), text, func(l *loaded) onnx.Input {
		ids := withMarker(l.tokenizer.Encode(text, maxTokens-1).IDs, l.query)
		mask := slices.Repeat([]int64{1}, len(ids))
		for e.padding != NoPadding && len(ids) < queryTokens {
			ids = append(ids, l.mask)
			if e.padding == Attended {
				mask = append(mask, 1)
			} else {
				mask = append(mask, 0)
			}
		}
		return onnx.Input{IDs: ids, Mask: mask}
	})
}

// Passage encodes a passage: [CLS] [unused1] tokens [SEP]. What is past 512
// tokens is cut off.
func (e *Encoder) Passage(ctx context.Context, text string) (Matrix, error) {
	return e.encode(ctx, "passage", text, func(l *loaded) onnx.Input {
		return onnx.Input{IDs: withMarker(l.tokenizer.Encode(text, maxTokens-1).IDs, l.passage)}
	})
}

// Passages encodes several at once.
func (e *Encoder) Passages(ctx context.Context, texts []string) ([]Matrix, error) {
	ms := make([]Matrix, len(texts))
	errs := make([]error, len(texts))
	var wg sync.WaitGroup
	for i, text := range texts {
		wg.Go(func() { ms[i], errs[i] = e.Passage(ctx, text) })
	}
	wg.Wait()
	for _, err := range errs { // the first text's: which run failed first is chance
		if err != nil {
			return nil, err
		}
	}
	return ms, nil
}

// withMarker puts the marker behind [CLS].
func withMarker(ids []int64, marker int64) []int64 {
	return slices.Insert(slices.Clone(ids), 1, marker)
}

func (e *Encoder) encode(ctx context.Context, as, text string, input func(*loaded) onnx.Input) (Matrix, error) {
	e.slots <- struct{}{}
	defer func() { <-e.slots }()
	if err := ctx.Err(); err != nil {
		return Matrix{}, err
	}
	space := cache.Space{
		Kind:   "tokens",
		Model:  e.model.SHA256,
		Params: fmt.Sprintf("%s %s max=%d %s", format, as, maxTokens, e.build),
	}
	key := space.Key(text)
	if raw, ok := e.cache.Load(key); ok {
		if m, ok := parseBlock(raw, dim); ok {
			return m, nil
		} // else it is computed again and replaced
	}
	l, err := e.load()
	if err != nil {
		return Matrix{}, err
	}
	out, err := l.session.Run(ctx, input(l))
	if err != nil {
		return Matrix{}, err
	}
	if w := out.Shape[len(out.Shape)-1]; w != dim {
		return Matrix{}, fmt.Errorf("%s gave vectors of %d numbers, expected %d", e.model.Path, w, dim)
	}
	m, err := Quantise(out.Data, dim)
	if err != nil {
		return Matrix{}, fmt.Errorf("%s: %w", e.model.Path, err)
	}
	e.cache.Store(key, appendBlock(nil, m))
	return m, nil
}

// load returns the model, which it loads the first time.
func (e *Encoder) load() (*loaded, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, onnx.ErrClosed
	}
	if e.loaded != nil {
		return e.loaded, nil
	}
	tok, err := wordpiece.Load(e.model.Tokenizer)
	if err != nil {
		return nil, err
	}
	var ids [3]int64
	for i, name := range []string{queryMarker, passageMarker, "[MASK]"} {
		ok := false
		if ids[i], ok = tok.ID(name); !ok {
			return nil, fmt.Errorf("%s has no token %s", e.model.Tokenizer, name)
		}
	}
	s, err := onnx.Open(e.library.Path, e.model.Path, onnx.Options{Output: "last_hidden_state"})
	if err != nil {
		return nil, err
	}
	e.loaded = &loaded{session: s, tokenizer: tok, query: ids[0], passage: ids[1], mask: ids[2]}
	return e.loaded, nil
}

// Close frees the model, if it was loaded. The cache stays the caller's.
func (e *Encoder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.loaded == nil {
		return nil
	}
	return e.loaded.session.Close()
}
