// Package embedtest stands in for a bi-encoder in tests of what uses one. It
// needs no model.
package embedtest

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Fake is an embed.Embedder of hashed bags of words: every word adds a random
// direction of its own, so texts that share words are near.
//
// Invariants:
//   - The vector is a function of the text's words (letters and digits, lower
//     case) and Size alone, the same in every process; it is of unit length.
//   - A text without words has a vector too.
type Fake struct {
	// Size is the length of a vector; 0 is 384.
	Size int
	// Window is the number of words read, 0 for all.
	Window int
	// Err is returned by Embed, if set.
	Err error
}

// Model is a name that no real model has.
func (f Fake) Model() record.Model {
	return record.Model{Name: "fake", SHA256: strings.Repeat("f", 64)}
}

// Dim is the length of a vector.
func (f Fake) Dim() int {
	if f.Size == 0 {
		return 384
	}
	return f.Size
}

// Embed implements embed.Embedder.
func (f Fake) Embed(ctx context.Context, text string) (embed.Embedding, error) {
	if err := ctx.Err(); err != nil {
		return embed.Embedding{}, err
	}
	if f.Err != nil {
		return embed.Embedding{}, f.Err
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	e := embed.Embedding{Tokens: len(words)}
	if e.Cut = f.Window > 0 && len(words) > f.Window; e.Cut {
		words = words[:f.Window]
	}
	sum := make([]float64, f.Dim())
	add(sum, "", 0.1)
	for _, w := range words {
		add(sum, w, 1)
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	e.Vector = make(record.Vector, len(sum))
	for i, x := range sum {
		e.Vector[i] = float32(x / math.Sqrt(norm))
	}
	return e, nil
}

// add adds the word's direction.
func add(sum []float64, word string, weight float64) {
	h := fnv.New64a()
	h.Write([]byte(word))
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	for i := range sum {
		sum[i] += float64(weight * rng.NormFloat64()) // never fused: the same bits on every CPU
	}
}
