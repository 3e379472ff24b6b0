package wordpiece

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// The oracle is BERT's tokenization.py (Devlin et al. 2018) written down again,
// step by step over whole strings, on Go's Unicode tables and x/text. It shares
// no code with the package. Texts with a code point that Go's tables treat
// otherwise are left out; testdata/blocks.txt covers those.

func oracleTokens(vocab map[string]int, text string) []int64 {
	var ids []int64
	for text != "" {
		at, special := len(text), ""
		for _, s := range []string{"[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"} {
			if i := strings.Index(text, s); i >= 0 && i < at {
				at, special = i, s
			}
		}
		for _, w := range oracleWords(text[:at]) {
			ids = append(ids, oraclePieces(vocab, w)...)
		}
		if special != "" {
			ids = append(ids, int64(vocab[special]))
		}
		text = text[at+len(special):]
	}
	return ids
}

func oracleWords(text string) []string {
	var b strings.Builder
	for _, c := range text { // clean_text and tokenize_chinese_chars
		switch {
		case c == '\t' || c == '\n' || c == '\r' || unicode.IsSpace(c) && !unicode.Is(unicode.Cc, c):
			b.WriteByte(' ')
		case c == utf8.RuneError || unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co):
		case oracleIdeograph(c):
			b.WriteString(" " + string(c) + " ")
		default:
			b.WriteRune(c)
		}
	}
	var words []string
	for _, w := range strings.Fields(norm.NFD.String(b.String())) {
		word := ""
		for _, c := range w {
			if unicode.Is(unicode.Mn, c) {
				continue
			}
			c = unicode.ToLower(c)
			if c < 0x80 && !unicode.IsLetter(c) && !unicode.IsDigit(c) || unicode.Is(unicode.P, c) {
				words = append(words, word, string(c))
				word = ""
				continue
			}
			word += string(c)
		}
		words = append(words, word)
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// oracleIdeograph has the ranges of tokenization.py, but for the start of CJK
// Extension E, where Hugging Face has 2B920 in place of 2B820.
func oracleIdeograph(c rune) bool {
	for _, r := range [][2]rune{{0x4E00, 0x9FFF}, {0x3400, 0x4DBF}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
		{0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF}, {0x2F800, 0x2FA1F}} {
		if r[0] <= c && c <= r[1] {
			return true
		}
	}
	return false
}

func oraclePieces(vocab map[string]int, word string) []int64 {
	chars := []rune(word)
	if len(chars) > 100 {
		return []int64{int64(vocab["[UNK]"])}
	}
	var ids []int64
	for start := 0; start < len(chars); {
		end := len(chars)
		for ; end > start; end-- {
			piece := string(chars[start:end])
			if start > 0 {
				piece = "##" + piece
			}
			if id, ok := vocab[piece]; ok {
				ids = append(ids, int64(id))
				break
			}
		}
		if end == start {
			return []int64{int64(vocab["[UNK]"])}
		}
		start = end
	}
	return ids
}

// oracleCovers reports whether Go's tables and Hugging Face's agree on the text:
// on each code point alone, and on where x/text breaks long runs of marks.
func oracleCovers(tok *Tokenizer, text string) bool {
	for _, c := range text {
		for _, s := range []string{string(c), "a" + string(c) + "b"} {
			if !slices.Equal(tok.words(s), oracleWords(s)) {
				return false
			}
		}
		// Marks that stay have another combining class where Go's tables are newer.
		if tok.rules.of(c).kind == mark && norm.NFD.PropertiesString(string(c)).CCC() == 0 {
			return false
		}
	}
	const joiner = "\u034F" // x/text puts one after 30 marks in a row
	return strings.Count(norm.NFD.String(text), joiner) == strings.Count(text, joiner)
}

func FuzzEncode(f *testing.F) {
	for _, s := range append(append([]string{"", "a", "Café [MASK]ab", "\xff[CLS]\xc3", "x\U0001D16D\u0334\U0001D165", "한국 日本"}, specials...), someWords...) {
		f.Add(s, "the other text", uint16(9))
	}
	for i := range 64 {
		s := seed + 2_000_000 + source(i)
		a, b := randomText(&s, true), randomText(&s, true)
		f.Add(a, b, uint16(s.pick(80)))
	}
	tok := load(f, model.Embedding)
	f.Fuzz(func(t *testing.T, a, b string, max16 uint16) {
		ids := tok.Tokens(a)
		for _, id := range ids {
			if id < 0 || id >= int64(len(tok.vocab)) {
				t.Fatalf("id %d out of range", id)
			}
		}
		if valid := strings.ToValidUTF8(a, "\uFFFD"); oracleCovers(tok, valid) {
			if want := oracleTokens(tok.vocab, valid); !slices.Equal(ids, want) {
				t.Errorf("Tokens(%+q) = %v, the oracle says %v", a, ids, want)
			}
		}
		// A blank parts texts, so that tokens add up.
		if sum := slices.Concat(ids, tok.Tokens(b)); !slices.Equal(sum, tok.Tokens(a+" "+b)) {
			t.Errorf("Tokens(%+q + blank + %+q) is not the sum of both", a, b)
		}
		checkCut(t, tok, a, b, int(max16))
	})
}

// checkCut checks what Encode and EncodePair promise about cutting.
func checkCut(t *testing.T, tok *Tokenizer, a, b string, max int) {
	t.Helper()
	ids, idsB := tok.Tokens(a), tok.Tokens(b)
	whole := tok.Encode(a, 0)
	if want := slices.Concat([]int64{cls}, ids, []int64{sep}); !slices.Equal(whole.IDs, want) || whole.Full != len(want) {
		t.Errorf("Encode(%+q, 0) = %v, %d; want %v", a, whole.IDs, whole.Full, want)
	}
	cut := tok.Encode(a, max)
	if n := len(cut.IDs); max >= 2 && n != min(max, len(whole.IDs)) || !slices.Equal(cut.IDs[:n-1], whole.IDs[:n-1]) || cut.IDs[n-1] != sep {
		t.Errorf("Encode(%+q, %d) = %v is no prefix of %v", a, max, cut.IDs, whole.IDs)
	}
	if cut.Full != whole.Full && (cut.Full > whole.Full || cut.Full < countFactor*max) {
		t.Errorf("Encode(%+q, %d).Full = %d of %d", a, max, cut.Full, whole.Full)
	}
	pair := tok.EncodePair(a, b, max)
	second := slices.Index(pair.TypeIDs, 1)
	first, rest := pair.IDs[1:second-1], pair.IDs[second:len(pair.IDs)-1]
	if pair.IDs[0] != cls || pair.IDs[second-1] != sep || pair.IDs[len(pair.IDs)-1] != sep || len(pair.TypeIDs) != len(pair.IDs) {
		t.Errorf("EncodePair(%+q, %+q, %d) = %+v is not [CLS] a [SEP] b [SEP]", a, b, max, pair)
	}
	if !slices.Equal(first, ids[:len(first)]) || !slices.Equal(rest, idsB[:len(rest)]) {
		t.Errorf("EncodePair(%+q, %+q, %d) = %v holds no prefixes of both", a, b, max, pair.IDs)
	}
	if max >= 3 && len(pair.IDs) != min(max, len(ids)+len(idsB)+3) {
		t.Errorf("EncodePair(%+q, %+q, %d) has %d tokens", a, b, max, len(pair.IDs))
	}
	if d := len(first) - len(rest); max >= 3 && (d > 1 && len(rest) < len(idsB) || d < -1 && len(first) < len(ids)) {
		t.Errorf("EncodePair(%+q, %+q, %d): the shorter text lost tokens first: %d and %d", a, b, max, len(first), len(rest))
	}
}

func benchmark(b *testing.B, text string, max int) {
	tok := load(b, model.Embedding)
	b.SetBytes(int64(len(text)))
	tokens := 0
	for b.Loop() {
		tokens += len(tok.Encode(text, max).IDs)
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
}

func BenchmarkEncode(b *testing.B) {
	b.Run("markdown", func(b *testing.B) { benchmark(b, mobiumText(b), 0) })
	b.Run("5MB_cut_at_512", func(b *testing.B) {
		text := mobiumText(b)
		benchmark(b, strings.Repeat(text, 5_000_000/len(text)+1), 512)
	})
	b.Run("unseen_words", func(b *testing.B) {
		var text strings.Builder
		for i := range 4000 {
			s := seed + source(i)
			text.WriteString(randomText(&s, false))
		}
		benchmark(b, text.String(), 0)
	})
}

func BenchmarkLoad(b *testing.B) {
	store, err := model.Find("")
	if err != nil {
		b.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	m, err := store.Open(model.Embedding)
	if err != nil {
		b.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	for b.Loop() {
		if _, err := Load(m.Tokenizer); err != nil {
			b.Fatal(err)
		}
	}
}

// mobiumText is all pages of the Mobium snapshot in one.
func mobiumText(b *testing.B) string {
	var all []byte
	err := filepath.WalkDir(shared(b, "mobium-docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return string(all)
}
