package wordpiece

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// The hashes of this file's tests were made with Hugging Face tokenizers 0.23.3
// by testdata/reference.py, which also describes them.

var models = []model.Name{model.Embedding, model.CrossEncoder, model.LateInteraction}

// load returns the tokeniser of a fetched model.
func load(t testing.TB, name model.Name) *Tokenizer {
	t.Helper()
	store, err := model.Find("")
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	m, err := store.Open(name)
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	tok, err := Load(m.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// shared returns a path in the folder of texts that are not committed.
func shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("MR_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("SKIP needs the shared texts: set MR_SHARED: ", err)
	}
	return path
}

// lines returns the fields of each line of a file in testdata.
func lines(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.Fields(line))
	}
	return out
}

// digest is the one of reference.py.
type digest struct{ strings.Builder }

func (d *digest) word(s string) {
	if d.Len() > 0 {
		d.WriteByte(' ')
	}
	d.WriteString(s)
}

func (d *digest) ids(ids []int64) {
	for _, id := range ids {
		d.word(strconv.FormatInt(id, 10))
	}
}

func (d *digest) sum() string {
	h := sha256.Sum256([]byte(d.String()))
	return hex.EncodeToString(h[:8])
}

func digestIDs(ids []int64) string {
	var d digest
	d.ids(ids)
	return d.sum()
}

// words returns the text's words without looking for special tokens.
func (t *Tokenizer) words(text string) []string {
	var out []string
	c := cutter{rules: t.rules, maxChars: utf8.MaxRune, emit: func(word []byte, _ int) bool {
		out = append(out, string(word))
		return true
	}}
	c.cut(text)
	return out
}

func TestParity(t *testing.T) {
	f, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tokenizers []*Tokenizer
	for _, name := range models {
		tokenizers = append(tokenizers, load(t, name))
	}
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		var r struct {
			Text string  `json:"text"`
			Pair *string `json:"pair"`
			Max  int     `json:"max_length"`
			IDs  []int64 `json:"ids"`
			Type []int64 `json:"type_ids"`
		}
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatalf("tokens.jsonl:%d: %v", n+1, err)
		}
		for i, tok := range tokenizers {
			got := tok.Encode(r.Text, r.Max)
			if r.Pair != nil {
				got = tok.EncodePair(r.Text, *r.Pair, r.Max)
				if d := cmp.Diff(r.Type, got.TypeIDs); d != "" {
					t.Errorf("tokens.jsonl:%d: %s: types (-want +got):\n%s", n+1, models[i], d)
				}
			}
			if d := cmp.Diff(r.IDs, got.IDs); d != "" {
				t.Errorf("tokens.jsonl:%d: %s: %.60q (-want +got):\n%s", n+1, models[i], r.Text, d)
			}
		}
	}
	if n != 33 {
		t.Errorf("%d lines, want 33", n)
	}
}

// Every code point but surrogates, alone and between two letters: words and ids.
func TestEveryCodePoint(t *testing.T) {
	tok := load(t, model.Embedding)
	blocks := lines(t, "blocks.txt")
	if want := 0x1100 - 8; len(blocks) != want { // 17 planes of 256 blocks, less the surrogates' 8
		t.Fatalf("%d blocks, want %d", len(blocks), want)
	}
	for _, f := range blocks {
		block, err := strconv.ParseInt(f[0], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		var d digest
		for c := rune(block << 8); c < rune(block+1)<<8; c++ {
			for _, text := range []string{string(c), "a" + string(c) + "b"} {
				for _, w := range tok.words(text) {
					d.word(w)
				}
				d.ids(tok.Tokens(text))
			}
		}
		if got := d.sum(); got != f[1] {
			t.Errorf("U+%02X00 to U+%02XFF: digest %s, want %s", block, block, got, f[1])
		}
	}
}

// source is splitmix64, as in reference.py.
type source uint64

func (s *source) pick(n int) int {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(n))
}

const seed source = 0x6D6F6269756D

var (
	specials  = []string{"[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[cls]", "[CLS", "[[SEP]]", " [MASK] ", "[unused0]"}
	someMarks = []rune{0x1D165, 0x1D16D, 0x302E, 0x302F, 0x16FF0, 0x1E4EC, 0x1E4EE, 0x334, 0x345, 0x34F, 0x200D, 0x1D160}
	someWords = []string{"the", "Mobium", "déjà", "Ångström", "NAÏVE", "ﬁx", "İstanbul", "straße", "한국", "日本語", "don't", "e.g."}
	lengths   = []int{3, 4, 5, 16, 17, 64, 128, 511, 512}
)

// randomText is random_text of reference.py.
func randomText(s *source, special bool) string {
	var b strings.Builder
	kinds := 12
	if special {
		kinds++
	}
	for range 1 + s.pick(40) {
		switch kind := s.pick(kinds); kind {
		case 0:
			for range 1 + s.pick(8) {
				b.WriteRune(rune('a' + s.pick(26)))
			}
		case 1:
			b.WriteByte(' ')
		case 2:
			b.WriteRune(rune(32 + s.pick(95)))
		case 3:
			b.WriteRune(rune(0x80 + s.pick(0x1D0)))
		case 4:
			b.WriteRune(rune(0x300 + s.pick(0x70)))
		case 5:
			b.WriteRune(rune(0x250 + s.pick(0x2EB0)))
		case 6:
			b.WriteRune(rune(0x3100 + s.pick(0xA700)))
		case 7:
			b.WriteRune(rune(0xE000 + s.pick(0x2000)))
		case 8:
			b.WriteRune(rune(0x10000 + s.pick(0x20000)))
		case 9:
			c := rune(s.pick(0x110000 - 0x800))
			if c >= 0xD800 {
				c += 0x800 // past the surrogates
			}
			b.WriteRune(c)
		case 10:
			b.WriteRune(someMarks[s.pick(len(someMarks))])
		case 11:
			b.WriteString(someWords[s.pick(len(someWords))])
		default:
			b.WriteString(specials[s.pick(len(specials))])
		}
	}
	return b.String()
}

// randomWords is random_words of reference.py, which draws both lengths first.
func randomWords(s *source) string {
	few, many := s.pick(40), s.pick(700)
	n := []int{0, 1, 5, few, many}[s.pick(5)]
	words := make([]string, n)
	for i := range words {
		words[i] = someWords[s.pick(len(someWords))]
	}
	return strings.Join(words, " ")
}

func TestRandomTexts(t *testing.T) {
	tok := load(t, model.Embedding)
	want := lines(t, "random.txt")
	if len(want) != 4096 {
		t.Fatalf("%d lines, want 4096", len(want))
	}
	for i, f := range want {
		s := seed + source(i)
		text := randomText(&s, i%2 == 1)
		var d digest
		d.ids(tok.Encode(text, 0).IDs)
		if i%2 == 0 { // without special tokens the words are the reference's too
			for _, w := range tok.words(text) {
				d.word(w)
			}
		}
		if got := d.sum(); got != f[0] {
			t.Errorf("random.txt:%d: %+q: digest %s, want %s", i+1, text, got, f[0])
		}
	}
}

func TestTruncation(t *testing.T) {
	tok := load(t, model.CrossEncoder)
	want := lines(t, "pairs.txt")
	if len(want) != 1024 {
		t.Fatalf("%d lines, want 1024", len(want))
	}
	for i, f := range want {
		s := seed + 1_000_000 + source(i)
		a, b := randomWords(&s), randomWords(&s)
		length := lengths[s.pick(len(lengths))]
		whole, wholeA := tok.EncodePair(a, b, 0), tok.Encode(a, 0)
		pair, single := tok.EncodePair(a, b, length), tok.Encode(a, length)
		var d digest
		d.ids([]int64{int64(whole.Full), int64(wholeA.Full)})
		d.ids(pair.IDs)
		d.ids(pair.TypeIDs)
		d.ids(single.IDs)
		if got := d.sum(); got != f[0] {
			t.Errorf("pairs.txt:%d: %d and %d words cut at %d: digest %s, want %s",
				i+1, len(strings.Fields(a)), len(strings.Fields(b)), length, got, f[0])
		}
		if whole.Full != len(whole.IDs) || pair.Full > whole.Full || (pair.Full < whole.Full && pair.Full < 16*length) {
			t.Errorf("pairs.txt:%d: Full is %d of %d, cut at %d", i+1, pair.Full, whole.Full, length)
		}
	}
}

// Every page of the Mobium snapshot, whole and line by line.
func TestMobium(t *testing.T) {
	dir := shared(t, "mobium-docs")
	tok := load(t, model.Embedding)
	want := lines(t, "mobium.txt")
	if len(want) != 55 {
		t.Fatalf("%d pages, want 55", len(want))
	}
	for _, f := range want {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f[0])))
		if err != nil {
			t.Fatal(err)
		}
		ids := tok.Encode(string(data), 0).IDs
		var byLine []int64
		for _, line := range strings.Split(string(data), "\n") {
			byLine = append(byLine, tok.Encode(line, 0).IDs...)
		}
		got := []string{f[0], strconv.Itoa(len(ids)), digestIDs(ids), digestIDs(byLine)}
		if d := cmp.Diff(f, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", f[0], d)
		}
	}
}

// Every document (title, blank, text) and query of NFCorpus.
func TestNFCorpus(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"corpus.jsonl", "queries.jsonl"} {
		f, err := os.Open(shared(t, "ir", "nfcorpus", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			var r struct {
				ID    string `json:"_id"`
				Title string `json:"title"`
				Text  string `json:"text"`
			}
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			texts[r.ID] = r.Text
			if name == "corpus.jsonl" {
				texts[r.ID] = r.Title + " " + r.Text
			}
		}
		if err := sc.Err(); err != nil {
			t.Fatal(err)
		}
	}
	tok := load(t, model.Embedding)
	want := lines(t, "nfcorpus.txt")
	if len(want) != 3633+323 || len(texts) != len(want) {
		t.Fatalf("%d texts and %d hashes, want 3956", len(texts), len(want))
	}
	for _, f := range want {
		ids := tok.Encode(texts[f[0]], 0).IDs
		if got := fmt.Sprintf("%s %d %s", f[0], len(ids), digestIDs(ids)); got != strings.Join(f, " ") {
			t.Errorf("got %s, want %s", got, strings.Join(f, " "))
		}
	}
}
