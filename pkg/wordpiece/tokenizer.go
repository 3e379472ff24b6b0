package wordpiece

import (
	"strings"
	"sync"

	sugarme "github.com/sugarme/tokenizer/model/wordpiece"
)

// Tokenizer is one model's vocabulary. It is safe for concurrent use.
type Tokenizer struct {
	vocab    map[string]int
	special  []string // tokens that are matched in the text itself
	firsts   string   // their first bytes
	unk      int64
	maxChars int
	rules    *rules
	model    sugarme.WordPiece

	mu    sync.RWMutex
	cache map[string][]int64 // pieces of words that are not in the vocabulary as a whole
}

// The ids that the template of a tokenizer.json must have; see readConfig.
const (
	cls int64 = 101
	sep int64 = 102
)

// cacheWords bounds the cache: some 3 MB.
const cacheWords = 1 << 15

// countFactor says how far past max a text is counted.
const countFactor = 16

// Encoding is a text, or a pair of texts, as a model takes it.
type Encoding struct {
	IDs     []int64
	TypeIDs []int64 // as long as IDs; 1 for the second text of a pair and its [SEP], else 0
	// Full is the number of tokens before cutting, special ones included. It is
	// exact up to 16 times max; a longer text is not read to its end, and Full is
	// then a lower bound above that.
	Full int
}

// Encode returns [CLS] text [SEP], cut on the right to max tokens. A max of 0
// means no cut, a max below 2 leaves the two special tokens.
func (t *Tokenizer) Encode(text string, max int) Encoding {
	keep, stop := limits(max, 2)
	ids, n := t.append([]int64{cls}, text, keep, stop)
	ids = append(ids, sep)
	return Encoding{IDs: ids, TypeIDs: make([]int64, len(ids)), Full: n + 2}
}

// EncodePair returns [CLS] a [SEP] b [SEP], cut to max tokens by the strategy
// "longest first": the longer of the two loses tokens on its right until they are
// equally long, then both do. A max of 0 means no cut, a max below 3 leaves the
// three special tokens.
//
// a is always counted to its end: the odd token goes to the longer text.
func (t *Tokenizer) EncodePair(a, b string, max int) Encoding {
	keep, stop := limits(max, 3)
	idsA, nA := t.append(nil, a, keep, unlimited)
	if stop != unlimited && stop < nA {
		stop = nA // as far as is needed to see which is longer
	}
	idsB, nB := t.append(nil, b, keep, stop)
	full := nA + nB + 3
	if keep != unlimited {
		cutA, cutB := longestFirst(nA, nB, keep)
		idsA, idsB = idsA[:cutA], idsB[:cutB]
	}
	ids := make([]int64, 0, len(idsA)+len(idsB)+3)
	ids = append(ids, cls)
	ids = append(ids, idsA...)
	ids = append(ids, sep)
	second := len(ids)
	ids = append(ids, idsB...)
	ids = append(ids, sep)
	types := make([]int64, len(ids))
	for i := second; i < len(ids); i++ {
		types[i] = 1
	}
	return Encoding{IDs: ids, TypeIDs: types, Full: full}
}

// Tokens returns the ids of the text alone, with nothing added and nothing cut.
func (t *Tokenizer) Tokens(text string) []int64 {
	ids, _ := t.append(nil, text, unlimited, unlimited)
	return ids
}

// ID returns the id of a token as it stands in the vocabulary ("##ing", "[MASK]").
func (t *Tokenizer) ID(token string) (int64, bool) {
	id, ok := t.vocab[token]
	return int64(id), ok
}

const unlimited = -1

// limits returns how many tokens of a text to keep beside added special ones,
// and after how many to stop counting.
func limits(max, added int) (keep, stop int) {
	if max <= 0 {
		return unlimited, unlimited
	}
	if max < added {
		max = added
	}
	return max - added, countFactor * max
}

// longestFirst returns how much of two texts of a and b tokens fits into room,
// as truncate_encodings of tokenizers does.
func longestFirst(a, b, room int) (int, int) {
	if a+b <= room {
		return a, b
	}
	short, long := min(a, b), max(a, b)
	if short > room {
		long = short
	} else {
		long = max(short, room-short)
	}
	if short+long > room {
		short = room / 2
		long = short + room%2
	}
	if a > b {
		return long, short
	}
	return short, long
}

// append appends the first keep ids of text to dst and returns the number of all
// of them, or one of at least stop as soon as that is reached.
func (t *Tokenizer) append(dst []int64, text string, keep, stop int) ([]int64, int) {
	n := 0
	var buf [16]int64
	add := func(ids []int64) bool {
		n += len(ids)
		if keep != unlimited && len(ids) > keep {
			ids = ids[:keep]
		}
		dst = append(dst, ids...)
		if keep != unlimited {
			keep -= len(ids)
		}
		return stop == unlimited || n < stop
	}
	c := cutter{rules: t.rules, maxChars: t.maxChars, emit: func(word []byte, chars int) bool {
		return add(t.pieces(buf[:0], word, chars))
	}}
	for text != "" {
		at, token := t.nextSpecial(text)
		if !c.cut(text[:at]) {
			break
		}
		if token != "" && !add(append(buf[:0], int64(t.vocab[token]))) {
			break
		}
		text = text[at+len(token):]
	}
	return dst, n
}

// nextSpecial returns where the first special token of the text begins and which
// it is, or the text's length and "".
func (t *Tokenizer) nextSpecial(text string) (int, string) {
	for at := 0; ; at++ {
		i := strings.IndexAny(text[at:], t.firsts)
		if i < 0 {
			return len(text), ""
		}
		at += i
		for _, s := range t.special {
			if strings.HasPrefix(text[at:], s) {
				return at, s
			}
		}
	}
}

// pieces appends the ids of one word, which has that many characters.
func (t *Tokenizer) pieces(dst []int64, word []byte, chars int) []int64 {
	if chars > t.maxChars {
		return append(dst, t.unk)
	}
	if id, ok := t.vocab[string(word)]; ok {
		return append(dst, int64(id))
	}
	t.mu.RLock()
	ids, ok := t.cache[string(word)]
	t.mu.RUnlock()
	if ok {
		return append(dst, ids...)
	}
	tokens, err := t.model.Tokenize(string(word))
	if err != nil {
		panic("wordpiece: " + err.Error()) // only without [UNK], which readConfig requires
	}
	ids = make([]int64, len(tokens))
	for i, token := range tokens {
		ids[i] = int64(token.Id)
	}
	t.mu.Lock()
	if len(t.cache) >= cacheWords {
		clear(t.cache)
	}
	t.cache[string(word)] = ids
	t.mu.Unlock()
	return append(dst, ids...)
}
