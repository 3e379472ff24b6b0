// Package quotation puts texts into a prompt as data: between markers that none of
// the texts can hold, so that none can end its own quotation.
//
//	<<<P1 3f2a91c07b54 docs/SETUP.md > Parallel runs
//	…
//	P1 3f2a91c07b54>>>
package quotation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Marker is 12 hex digits drawn from the texts, and in none of them: the same
// for the same texts.
func Marker(texts ...string) string {
	all := strings.Join(texts, "\x00")
	for mark := Digest(texts...)[:12]; ; mark = Digest(mark)[:12] {
		if !strings.Contains(all, mark) {
			return mark
		}
	}
}

// Block quotes a text under a label. The title, which may be empty, stands
// beside the label, on one line.
func Block(b *strings.Builder, label, mark, title, text string) {
	open := strings.TrimRight(fmt.Sprintf("<<<%s %s %s", label, mark, OneLine(title)), " ")
	fmt.Fprintf(b, "%s\n%s\n%s %s>>>\n\n", open, strings.TrimRight(text, "\n"), label, mark)
}

// OneLine is a text with every run of white space as one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Digest is the sha256 of texts, each with its length in front.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
