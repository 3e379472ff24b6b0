package quotation

import (
	"strings"
	"testing"
)

func TestBlock(t *testing.T) {
	var b strings.Builder
	Block(&b, "P1", "m", "a.md >\nTop", "one\ntwo\n\n")
	Block(&b, "S1", "m", "", "x")
	if want := "<<<P1 m a.md > Top\none\ntwo\nP1 m>>>\n\n<<<S1 m\nx\nS1 m>>>\n\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// Texts that run together alike have other digests.
func TestDigest(t *testing.T) {
	if Digest("ab", "c") == Digest("a", "bc") || Digest("a") != Digest("a") {
		t.Error("digests do not tell texts apart")
	}
}

// FuzzMarker: the marker is in none of the texts, also where one holds the marker of the others.
func FuzzMarker(f *testing.F) {
	f.Add("a", "b")
	f.Fuzz(func(t *testing.T, a, b string) {
		first := Marker(a, b)
		forged := b + first
		second := Marker(a, forged)
		if strings.Contains(a+"\x00"+forged, second) || strings.Contains(a+"\x00"+b, first) {
			t.Errorf("%q, %q hold their marker", a, forged)
		}
		if Marker(a, b) != first {
			t.Error("two markers for the same texts")
		}
	})
}
