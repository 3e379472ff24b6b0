package index

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// zipfText is n words of a vocabulary of 50,000 that are spread as words are.
func zipfText(rng *rand.Rand, n int) string {
	z := rand.NewZipf(rng, 1.1, 20, 50_000)
	var b strings.Builder
	for range n {
		for id := z.Uint64() + 26; id > 0; id /= 26 {
			b.WriteByte(byte('a' + id%26))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// synthetic are n passages of 50 to 250 words with vectors of 384.
func synthetic(n int) *Corpus {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	c := new(Corpus)
	for i := range n {
		p := passage(fmt.Sprintf("docs/page%05d.md#section-%d", i/10, i%10), zipfText(rng, 50+rng.IntN(200)), zipfText(rng, 4))
		p.Vector = unit(rng, 384)
		if err := c.Add(p, model1, "synthetic"); err != nil {
			panic(err)
		}
	}
	return c
}

// benchIndexes are built once for all rounds of a benchmark.
var benchIndexes sync.Map

func benchIndex(b *testing.B, n int) *Index {
	if x, ok := benchIndexes.Load(n); ok {
		return x.(*Index)
	}
	d := filepath.Join(b.TempDir(), "index") // stays mapped when the folder goes
	start := time.Now()
	if _, err := Build(b.Context(), d, synthetic(n), DefaultConfig()); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d passages: built in %v", n, time.Since(start).Round(time.Millisecond))
	start = time.Now()
	x, err := Open(d, DefaultBM25())
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d passages: opened in %v", n, time.Since(start).Round(time.Millisecond))
	benchIndexes.Store(n, x)
	return x
}

// BenchmarkSearch times questions of 12 words, one at a time, by leg, with 40 hits each.
func BenchmarkSearch(b *testing.B) {
	legs := map[string][]fuse.Term{"bm25": {leg(LegBM25)}, "vector": {leg(LegVector)}, "hybrid": {leg(LegBM25), leg(LegVector)}}
	for _, n := range []int{1_000, 100_000} {
		for _, name := range []string{"bm25", "vector", "hybrid"} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				s := Searcher{Engine: benchIndex(b, n), System: "s", Options: DefaultOptions()}
				s.Fusion.Terms = legs[name]
				rng := rand.New(rand.NewPCG(2, 2))
				var each []time.Duration
				for b.Loop() {
					q := &record.Question{ID: "q", Text: zipfText(rng, 12), Vector: unit(rng, 384)}
					start := time.Now()
					if _, err := s.Search(b.Context(), q); err != nil {
						b.Fatal(err)
					}
					each = append(each, time.Since(start))
				}
				slices.Sort(each)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(each[len(each)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(each[len(each)*95/100].Microseconds()), "p95-µs")
			})
		}
	}
}

// BenchmarkBuild makes an index of 10,000 passages with vectors, without late interaction.
func BenchmarkBuild(b *testing.B) {
	c := synthetic(10_000)
	for b.Loop() {
		if _, err := Build(b.Context(), filepath.Join(b.TempDir(), "index"), c, DefaultConfig()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "passages/s")
}
