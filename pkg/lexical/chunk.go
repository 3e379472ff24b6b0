package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a stretch of a text, in bytes.
type span struct{ from, to int }

// chunkWords is the most words a chunk has.
const chunkWords = 120

// chunks cuts a text into stretches of at most chunkWords words, at the ends of
// its sentences and lines where that can be done.
func chunks(text string) []span {
	var out []span
	var open span
	size := 0
	for _, u := range units(text) {
		n := len(strings.Fields(text[u.from:u.to]))
		if size > 0 && size+n > chunkWords {
			out, size = append(out, open), 0
		}
		if size == 0 {
			open.from = u.from
		}
		open.to, size = u.to, size+n
	}
	if size > 0 {
		out = append(out, open)
	}
	return out
}

// units are the sentences of a text line by line, those of more than chunkWords
// words in pieces.
func units(text string) []span {
	var out []span
	var open span
	size := 0
	words := fields(text)
	for i, w := range words {
		if size == 0 {
			open.from = w.from
		}
		open.to = w.to
		size++
		last := i == len(words)-1
		if last || size == chunkWords || ends(text[w.from:w.to]) || strings.Contains(text[w.to:words[i+1].from], "\n") {
			out, size = append(out, open), 0
		}
	}
	return out
}

// ends tells whether a word ends a sentence.
func ends(word string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, `"')]*_”’`))
	return r == '.' || r == '!' || r == '?'
}

// fields are the words between white space.
func fields(text string) []span {
	var out []span
	from := -1
	for i, r := range text {
		switch space := unicode.IsSpace(r); {
		case space && from >= 0:
			out, from = append(out, span{from, i}), -1
		case !space && from < 0:
			from = i
		}
	}
	if from >= 0 {
		out = append(out, span{from, len(text)})
	}
	return out
}
