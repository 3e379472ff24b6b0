package wordpiece

import (
	"slices"
	"unicode/utf8"
)

// cutter normalises text and cuts it into words.
//
// Invariants:
//   - word holds the pending word in UTF-8, its marks in canonical order, or any
//     prefix of it once it has more than maxChars characters: it is [UNK] then.
//   - From run on, word holds only marks that later marks may move before.
type cutter struct {
	rules    *rules
	maxChars int
	// emit takes a word and its number of characters; it must not keep the
	// slice, and returns whether to go on.
	emit func(word []byte, chars int) bool

	word  []byte
	chars int
	run   int
}

// cut emits the words of a text and reports whether emit wants more.
func (c *cutter) cut(text string) bool {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		rule := c.rules.of(r)
		switch rule.kind {
		case keep:
			if r >= hangulFirst && r <= hangulLast {
				c.hangul(r)
			} else {
				c.letter(r)
			}
		case drop:
		case border:
			c.run = len(c.word)
		case mark:
			c.mark(r, rule.arg)
		case to:
			if !c.result(r + rule.arg) {
				return false
			}
		case list:
			for _, r := range rule.list {
				if !c.result(r) {
					return false
				}
			}
		case space:
			if !c.flush() {
				return false
			}
		case punct, alone:
			if !c.single(r + rule.arg) {
				return false
			}
		}
	}
	return c.flush()
}

// result adds a code point that others were mapped to.
func (c *cutter) result(r rune) bool {
	switch rule := c.rules.of(r); rule.kind {
	case punct:
		return c.single(r)
	case mark:
		c.mark(r, rule.arg)
	default:
		c.letter(r)
	}
	return true
}

func (c *cutter) letter(r rune) {
	if c.chars++; c.chars > c.maxChars {
		return
	}
	c.word = utf8.AppendRune(c.word, r)
	c.run = len(c.word)
}

// mark inserts a combining mark before those of a higher rank in its run, which
// is the Canonical Ordering Algorithm of Unicode (section 3.11).
func (c *cutter) mark(r, rank rune) {
	if c.chars++; c.chars > c.maxChars {
		return
	}
	at := c.run
	for at < len(c.word) {
		other, size := utf8.DecodeRune(c.word[at:])
		if c.rules.of(other).arg > rank {
			break
		}
		at += size
	}
	c.word = slices.Insert(c.word, at, []byte(string(r))...)
}

const (
	hangulFirst = 0xAC00
	hangulLast  = 0xD7A3
)

// hangul adds a syllable as its two or three letters (Unicode, section 3.12).
func (c *cutter) hangul(r rune) {
	s := r - hangulFirst
	c.letter(0x1100 + s/588)
	c.letter(0x1161 + s%588/28)
	if s%28 != 0 {
		c.letter(0x11A7 + s%28)
	}
}

// single emits the pending word, then a word of one character.
func (c *cutter) single(r rune) bool {
	if !c.flush() {
		return false
	}
	c.letter(r)
	return c.flush()
}

func (c *cutter) flush() bool {
	if c.chars == 0 {
		return true
	}
	more := c.emit(c.word, c.chars)
	c.word, c.chars, c.run = c.word[:0], 0, 0
	return more
}
