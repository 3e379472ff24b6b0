package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// Space is what values were computed with, all but the text.
type Space struct {
	// Kind says what the values are: vector, tokens, logit, answer.
	Kind string
	// Model is the sha256 of the model file.
	Model string
	// Params is whatever else a value depends on: maximal length, instruction,
	// version of its encoding, and the build of the runtime (onnx.Build).
	Params string
}

// Key names a value.
type Key struct {
	kind string
	sum  [sha256.Size]byte
}

// Key is the key of the value computed from texts, in this order. Keys are
// equal just when space and texts are.
func (s Space) Key(texts ...string) Key {
	h := sha256.New()
	var n [8]byte
	for _, field := range append([]string{s.Kind, s.Model, s.Params}, texts...) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(field)))
		h.Write(n[:])
		h.Write([]byte(field))
	}
	k := Key{kind: s.Kind}
	h.Sum(k.sum[:0])
	return k
}

// Floats encodes numbers as little-endian float32.
func Floats(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// ParseFloats decodes what Floats encoded, if it holds n numbers.
func ParseFloats(b []byte, n int) ([]float32, error) {
	if len(b) != 4*n {
		return nil, fmt.Errorf("expected %d float32 in %d bytes, got %d bytes", n, 4*n, len(b))
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
