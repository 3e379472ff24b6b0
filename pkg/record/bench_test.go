package record

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// benchStream is a stream of passages as mr-embed writes them: 1 KB of text, 384 numbers.
func benchStream(b *testing.B) []byte {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	if err := w.Start(&Run{Tool: "bench"}); err != nil {
		b.Fatal(err)
	}
	p := &Passage{ID: "docs/A.md#a", Section: "docs/A.md#a", Path: "docs/A.md", Heading: "A", Headings: []string{"A"},
		Lines: [2]int{1, 9}, Text: strings.Repeat("A line of text.\n", 64), Vector: make(Vector, 384)}
	for i := range p.Vector {
		p.Vector[i] = float32(i) / 384
	}
	for range 1000 {
		if err := w.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := benchStream(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := NewReader(Source{"bench", bytes.NewReader(text)})
		for r.Scan() {
		}
		if err := r.Err(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	text := benchStream(b)
	r := NewReader(Source{"bench", bytes.NewReader(text)})
	var recs []Record
	for r.Scan() {
		if k := r.Record().Kind(); k != KindRun && k != KindEnd {
			recs = append(recs, r.Record())
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w := NewWriter(io.Discard)
		if err := w.Start(&Run{Tool: "bench"}); err != nil {
			b.Fatal(err)
		}
		for _, rec := range recs {
			if err := w.Write(rec); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.End(); err != nil {
			b.Fatal(err)
		}
	}
}
