package wordpiece

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// tiny is a tokenizer.json with a handful of words; edit spoils it.
func tiny(edit ...string) string {
	text := fmt.Sprintf(`{"version":"1.0","truncation":null,"padding":null,
		"added_tokens":[
			{"id":101,"content":"[CLS]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
			{"id":102,"content":"[SEP]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
			{"id":103,"content":"[MASK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
		"normalizer":%s,"pre_tokenizer":%s,"post_processor":%s,"decoder":null,
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":5,
			"vocab":{"[UNK]":100,"[CLS]":101,"[SEP]":102,"[MASK]":103,
				"a":1,"ab":2,"##b":3,"##bc":4,"##c":5,"é":6,"e":7,"中":8,"[":9,"]":10,"cls":11,"ß":12,"##ß":13,".":14,"zz":15}}}`,
		normalizer, preTokenizer, postProcessor)
	for i := 0; i < len(edit); i += 2 {
		if !strings.Contains(text, edit[i]) {
			panic("nothing to edit: " + edit[i])
		}
		text = strings.Replace(text, edit[i], edit[i+1], 1)
	}
	return text
}

func tinyTokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := parse([]byte(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestTokens(t *testing.T) {
	tok := tinyTokenizer(t)
	tests := []struct {
		text, reason string
		want         []int64
	}{
		{"", "nothing", nil},
		{"  \t\r\n\u2028", "blanks only", nil},
		{"ab", "a whole word", []int64{2}},
		{"abbc", "longest piece first, from the left", []int64{2, 4}},
		{"abcx", "a rest without a piece makes the whole word unknown", []int64{100}},
		{"abbbb", "5 characters are allowed", []int64{2, 3, 3, 3}},
		{"abbbbb", "6 are not", []int64{100}},
		{"A\u0301B", "accent and capitals go", []int64{2}},
		{"É e\u0301 é", "both encodings, small and capital", []int64{7, 7, 7}},
		{"a中b", "an ideograph parts words; b is not a whole word", []int64{1, 8, 100}},
		{"a.b", "so does punctuation", []int64{1, 14, 100}},
		{"a\u037Eb;", "U+037E decomposes to a semicolon, which is not in the vocabulary", []int64{1, 100, 100, 100}},
		{"a\u200db", "a zero-width joiner goes", []int64{2}},
		{"a\x00b\uFFFD", "so do NUL and U+FFFD", []int64{2}},
		{"a\xffb\xc3", "and bytes that are not UTF-8", []int64{2}},
		{"aẞ", "the capital sharp s has a small one", []int64{1, 13}},
		{"a[MASK]b", "a special token parts words", []int64{1, 103, 100}},
		{"[[CLS]]", "in brackets", []int64{9, 101, 10}},
		{"[cls] [CLS", "small or unclosed it is none", []int64{9, 11, 10, 9, 11}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tok.Tokens(tt.text)); d != "" {
			t.Errorf("%q: %s (-want +got):\n%s", tt.text, tt.reason, d)
		}
	}
}

func TestCombiningOrder(t *testing.T) {
	tok := tinyTokenizer(t)
	// Combining classes: U+1D165 216, U+1D16D 226, U+0334 1 (removed), U+034F 0 (removed).
	tests := []struct{ text, want, reason string }{
		{"x\U0001D16D\U0001D165", "x\U0001D165\U0001D16D", "226 moves behind 216"},
		{"x\U0001D165\U0001D16D", "x\U0001D165\U0001D16D", "in order"},
		{"x\U0001D16D\u0334\U0001D165", "x\U0001D165\U0001D16D", "across a mark that goes"},
		{"x\U0001D16D\u200D\U0001D165", "x\U0001D165\U0001D16D", "across a control, which goes first"},
		{"x\U0001D16D\u034F\U0001D165", "x\U0001D16D\U0001D165", "not across a mark of class 0"},
		{"x\U0001D16Dy\U0001D165", "x\U0001D16Dy\U0001D165", "not across a letter"},
		{"\U0001D16D\U0001D165", "\U0001D165\U0001D16D", "at the start of a word"},
	}
	for _, tt := range tests {
		if d := cmp.Diff([]string{tt.want}, tok.words(tt.text)); d != "" {
			t.Errorf("%+q: %s (-want +got):\n%s", tt.text, tt.reason, d)
		}
	}
}

func TestEncode(t *testing.T) {
	tok := tinyTokenizer(t)
	tests := []struct {
		max  int
		want Encoding
	}{
		{0, Encoding{IDs: []int64{101, 1, 7, 2, 4, 102}, TypeIDs: make([]int64, 6), Full: 6}},
		{6, Encoding{IDs: []int64{101, 1, 7, 2, 4, 102}, TypeIDs: make([]int64, 6), Full: 6}},
		{5, Encoding{IDs: []int64{101, 1, 7, 2, 102}, TypeIDs: make([]int64, 5), Full: 6}}, // in the middle of a word
		{2, Encoding{IDs: []int64{101, 102}, TypeIDs: make([]int64, 2), Full: 6}},
		{1, Encoding{IDs: []int64{101, 102}, TypeIDs: make([]int64, 2), Full: 6}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tok.Encode("a é abbc", tt.max)); d != "" {
			t.Errorf("max %d (-want +got):\n%s", tt.max, d)
		}
	}
}

func TestEncodePair(t *testing.T) {
	tok := tinyTokenizer(t)
	got := tok.EncodePair("a a a a", "e e", 6) // 3 left: 4 and 2 become 1 and 1, the odd one goes to the longer
	want := Encoding{IDs: []int64{101, 1, 1, 102, 7, 102}, TypeIDs: []int64{0, 0, 0, 0, 1, 1}, Full: 9}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got = tok.EncodePair("a", "e", 1)
	want = Encoding{IDs: []int64{101, 102, 102}, TypeIDs: []int64{0, 0, 1}, Full: 5}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestLongestFirst(t *testing.T) {
	tests := []struct{ a, b, room, wantA, wantB int }{
		{3, 4, 7, 3, 4},   // fits
		{3, 9, 10, 3, 7},  // only the longer loses
		{9, 3, 10, 7, 3},  //
		{9, 9, 10, 5, 5},  // both
		{9, 8, 9, 5, 4},   // the odd one to the longer
		{8, 9, 9, 4, 5},   //
		{9, 9, 9, 4, 5},   // or to the second
		{20, 3, 9, 6, 3},  //
		{20, 30, 9, 4, 5}, // either alone is too long
		{30, 20, 9, 5, 4}, //
		{5, 30, 9, 4, 5},  // 5 + 5 > 9
		{0, 30, 9, 0, 9},  // nothing beside it
		{30, 30, 0, 0, 0}, //
		{1200, 1200, 509, 254, 255},
	}
	for _, tt := range tests {
		a, b := longestFirst(tt.a, tt.b, tt.room)
		if a != tt.wantA || b != tt.wantB {
			t.Errorf("longestFirst(%d, %d, %d) = %d, %d; want %d, %d", tt.a, tt.b, tt.room, a, b, tt.wantA, tt.wantB)
		}
	}
}

// A long text is not read to its end, and the count says at least 16 times max.
func TestFullOfLongText(t *testing.T) {
	tok := tinyTokenizer(t)
	if got := tok.Encode(strings.Repeat("a ", 157), 10).Full; got != 159 {
		t.Errorf("Full = %d, want 159: exact below 160", got)
	}
	long := strings.Repeat("a ", 1_000_000)
	if got := tok.Encode(long, 10).Full; got != 162 { // 16·10 counted, and the two special ones
		t.Errorf("Full = %d, want 162", got)
	}
	if got := tok.EncodePair("a", long, 10).Full; got != 164 { // 1 + 16·10 + 3
		t.Errorf("Full of a pair = %d, want 164", got)
	}
	// Both long: the odd token (7 left) still goes to the longer one, which is the first here.
	got := tok.EncodePair(strings.Repeat("a ", 500), strings.Repeat("e ", 499), 10)
	if d := cmp.Diff([]int64{101, 1, 1, 1, 1, 102, 7, 7, 7, 102}, got.IDs); d != "" {
		t.Errorf("pair of long texts (-want +got):\n%s", d)
	}
	got = tok.EncodePair(strings.Repeat("a ", 500), strings.Repeat("e ", 501), 10)
	if d := cmp.Diff([]int64{101, 1, 1, 1, 102, 7, 7, 7, 7, 102}, got.IDs); d != "" {
		t.Errorf("pair of long texts (-want +got):\n%s", d)
	}
}

// A word is not kept longer than it can matter.
func TestLongWord(t *testing.T) {
	tok := tinyTokenizer(t)
	var kept int
	c := cutter{rules: tok.rules, maxChars: 100, emit: func(word []byte, chars int) bool {
		kept = cap(word)
		if chars != 1_000_000 {
			t.Errorf("%d characters, want 1,000,000", chars)
		}
		return true
	}}
	c.cut(strings.Repeat("é", 1_000_000))
	if kept > 1024 {
		t.Errorf("%d bytes kept for a word that is unknown anyway", kept)
	}
}

func TestID(t *testing.T) {
	tok := tinyTokenizer(t)
	if id, ok := tok.ID("##bc"); !ok || id != 4 {
		t.Errorf("ID(##bc) = %d, %v", id, ok)
	}
	if id, ok := tok.ID("[MASK]"); !ok || id != 103 {
		t.Errorf("ID([MASK]) = %d, %v", id, ok)
	}
	if id, ok := tok.ID("nope"); ok {
		t.Errorf("ID(nope) = %d", id)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		edit []string
		want string
	}{
		{[]string{`"version"`, `"virsion"`}, "not a tokenizer.json that is understood"},
		{[]string{`{"version"`, `{"version`}, "not a tokenizer.json that is understood"},
		{[]string{`"lowercase":true`, `"lowercase":false`}, "normalizer is "},
		{[]string{`"strip_accents":null`, `"strip_accents":false`}, "normalizer is "},
		{[]string{`"normalizer":` + normalizer, `"normalizer":null`}, "normalizer is null"},
		{[]string{`"normalizer":` + normalizer + `,`, ``}, "normalizer is missing"},
		{[]string{"BertPreTokenizer", "Whitespace"}, "pre_tokenizer is "},
		{[]string{`"type_id":1`, `"type_id":0`}, "post_processor is "},
		{[]string{`"WordPiece"`, `"BPE"`}, "model is BPE"},
		{[]string{`"##"`, `"@@"`}, "model is WordPiece"},
		{[]string{`word":5`, `word":0`}, "0 characters a word"},
		{[]string{`"[CLS]":101`, `"[CLS]":99`}, "vocab: [CLS] must be 101"},
		{[]string{`"[UNK]":100,`, ``}, "vocab: [UNK] is missing"},
		{[]string{`{"id":103`, `{"id":104`}, "added_tokens[2]"},
		{[]string{`"rstrip":false`, `"rstrip":true`}, "added_tokens[0]"},
		{[]string{`"normalized":false`, `"normalized":true`}, "added_tokens[0]"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		if err := os.WriteFile(path, []byte(tiny(tt.edit...)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: Load = %v; want %q", tt.edit, err, tt.want)
		}
	}
	if _, err := Load("/nowhere/tokenizer.json"); err == nil {
		t.Error("Load of a missing file gave no error")
	}
}

func TestParseRulesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"# x\n41":          "unicode.txt:2: want LO HI STEP KIND",
		"5A 41 1 drop":     "no range",
		"41 110000 1 drop": "no range",
		"41 5A 0 drop":     "no range",
		"41 5A 1 fly":      `unknown kind "fly"`,
		"41 5A 1 to":       "to takes 1 values, got 0",
		"41 5A 1 drop 3":   "drop takes 0 values, got 1",
		"41 5A 1 list 4G":  "list: ",
	} {
		if _, err := parseRules(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseRules(%q) = %v; want %q", text, err, want)
		}
	}
}

// Eight callers on one tokeniser, with a cache that overflows, get what one gets.
func TestConcurrent(t *testing.T) {
	tok := load(t, model.Embedding)
	texts := make([]string, 2000)
	want := make([][]int64, len(texts))
	alone := load(t, model.Embedding)
	for i := range texts {
		s := seed + source(i)
		texts[i] = randomText(&s, true)
		want[i] = alone.Tokens(texts[i])
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range texts {
				i := (i + 250*g) % len(texts)
				if got := tok.Tokens(texts[i]); !slices.Equal(got, want[i]) {
					t.Errorf("%+q: %v, want %v", texts[i], got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestCache(t *testing.T) {
	tok := tinyTokenizer(t)
	for range 2 { // computed, then remembered
		if d := cmp.Diff([]int64{15, 3, 100, 100}, tok.Tokens("zzb z zzx")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if len(tok.cache) != 3 {
		t.Errorf("%d words cached, want 3", len(tok.cache))
	}
	for i := len(tok.cache); i < cacheWords; i++ {
		tok.Tokens("y" + strconv.FormatInt(int64(i), 36))
	}
	if len(tok.cache) != cacheWords {
		t.Errorf("%d words cached, want %d", len(tok.cache), cacheWords)
	}
	if d := cmp.Diff([]int64{100}, tok.Tokens("yyyyy")); d != "" || len(tok.cache) != 1 {
		t.Errorf("past the bound: %d words cached, want 1 (-want +got):\n%s", len(tok.cache), d)
	}
}
