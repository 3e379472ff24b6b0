package index

import (
	"slices"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// corpusOf adds all passages, which are from model m1 where they have vectors.
func corpusOf(t testing.TB, ps []*record.Passage) *Corpus {
	t.Helper()
	c := new(Corpus)
	for _, p := range slices.Clone(ps) {
		if err := c.Add(p, model1, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

var model1 = record.Model{Name: "m1", SHA256: "1111111111111111111111111111111111111111111111111111111111111111"}

// built is an open index of the passages.
func built(t testing.TB, ps []*record.Passage, cfg Config) *Index {
	t.Helper()
	d := dir(t)
	if _, err := Build(t.Context(), d, corpusOf(t, ps), cfg); err != nil {
		t.Fatal(err)
	}
	return opened(t, d)
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
