package embedtest

import (
	"errors"
	"math"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
)

var _ embed.Embedder = Fake{}

func TestFake(t *testing.T) {
	f := Fake{Size: 64, Window: 6}
	vector := func(text string) embed.Embedding {
		t.Helper()
		e, err := f.Embed(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		dot := 0.0
		for _, x := range e.Vector {
			dot += float64(x) * float64(x)
		}
		if len(e.Vector) != f.Dim() || math.Abs(dot-1) > 1e-6 {
			t.Errorf("%q: %d numbers of square length %v", text, len(e.Vector), dot)
		}
		return e
	}
	cosine := func(a, b string) float64 {
		sum, v, w := 0.0, vector(a).Vector, vector(b).Vector
		for i := range v {
			sum += float64(v[i]) * float64(w[i])
		}
		return sum
	}
	if c := cosine("How do I deploy?", "how  do i DEPLOY"); c < 1-1e-6 {
		t.Errorf("the same words: cosine %v", c)
	}
	near, far := cosine("how do I deploy", "how do I test"), cosine("how do I deploy", "pink elephants dance")
	if near < 0.5 || far > 0.4 {
		t.Errorf("three of four words shared: %v; none: %v", near, far)
	}
	if e := vector(""); e.Cut || e.Tokens != 0 {
		t.Errorf("empty text: %+v", e)
	}
	if e := vector("a b c d e f g"); !e.Cut || e.Tokens != 7 {
		t.Errorf("seven words in a window of six: cut %v, %d tokens", e.Cut, e.Tokens)
	}
	if cosine("a b c d e f g", "a b c d e f h") < 1-1e-6 {
		t.Error("words past the window are in the vector")
	}
	f.Err = errors.New("gone")
	if _, err := f.Embed(t.Context(), "a"); !errors.Is(err, f.Err) {
		t.Errorf("Embed = %v", err)
	}
}
