package wordpiece

import (
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sugarme/tokenizer/model"
	sugarme "github.com/sugarme/tokenizer/model/wordpiece"
)

// The parts of a tokenizer.json that this package implements, in canonical JSON
// (RFC 8785). Any other content would be tokenised wrongly, and is refused.
const (
	normalizer    = `{"clean_text":true,"handle_chinese_chars":true,"lowercase":true,"strip_accents":null,"type":"BertNormalizer"}`
	preTokenizer  = `{"type":"BertPreTokenizer"}`
	postProcessor = `{"pair":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}},` +
		`{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"[SEP]","type_id":1}}],` +
		`"single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],` +
		`"special_tokens":{"[CLS]":{"id":"[CLS]","ids":[101],"tokens":["[CLS]"]},"[SEP]":{"id":"[SEP]","ids":[102],"tokens":["[SEP]"]}},"type":"TemplateProcessing"}`
)

// config is a tokenizer.json. Truncation and padding are the caller's affair, and
// the decoder is not used.
type config struct {
	Version       string         `json:"version"`
	Truncation    jsontext.Value `json:"truncation"`
	Padding       jsontext.Value `json:"padding"`
	AddedTokens   []addedToken   `json:"added_tokens"`
	Normalizer    jsontext.Value `json:"normalizer"`
	PreTokenizer  jsontext.Value `json:"pre_tokenizer"`
	PostProcessor jsontext.Value `json:"post_processor"`
	Decoder       jsontext.Value `json:"decoder"`
	Model         struct {
		Type     string         `json:"type"`
		Unk      string         `json:"unk_token"`
		Prefix   string         `json:"continuing_subword_prefix"`
		MaxChars int            `json:"max_input_chars_per_word"`
		Vocab    map[string]int `json:"vocab"`
	} `json:"model"`
}

type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// Load reads a tokenizer.json. One that describes anything but an uncased BERT
// WordPiece tokeniser is refused.
func Load(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parse(data []byte) (*Tokenizer, error) {
	var c config
	if err := json.Unmarshal(data, &c, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("not a tokenizer.json that is understood: %w", err)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		vocab:    c.Model.Vocab,
		unk:      int64(c.Model.Vocab[c.Model.Unk]),
		maxChars: c.Model.MaxChars,
		rules:    loadRules(),
		cache:    map[string][]int64{},
	}
	for _, a := range c.AddedTokens {
		t.special = append(t.special, a.Content)
		t.firsts += a.Content[:1]
	}
	// Where two begin alike, the longer one wins.
	slices.SortFunc(t.special, func(a, b string) int { return len(b) - len(a) })
	t.firsts = string(slices.Compact([]byte(t.firsts)))
	vocab := model.Vocab(c.Model.Vocab)
	t.model = sugarme.NewWordPieceBuilder().Vocab(&vocab).UnkToken(c.Model.Unk).
		ContinuingSubwordPrefix(c.Model.Prefix).MaxInputCharsPerWord(c.Model.MaxChars).Build()
	return t, nil
}

func (c *config) check() error {
	for _, part := range []struct {
		name string
		got  jsontext.Value
		want string
	}{
		{"normalizer", c.Normalizer, normalizer},
		{"pre_tokenizer", c.PreTokenizer, preTokenizer},
		{"post_processor", c.PostProcessor, postProcessor},
	} {
		got := part.got.Clone()
		if len(got) == 0 {
			return fmt.Errorf("%s is missing", part.name)
		}
		if err := got.Canonicalize(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if string(got) != part.want {
			return fmt.Errorf("%s is %s, want %s", part.name, got, part.want)
		}
	}
	m := c.Model
	if m.Type != "WordPiece" || m.Unk != "[UNK]" || m.Prefix != "##" || m.MaxChars <= 0 {
		return fmt.Errorf("model is %s with %q, %q and %d characters a word, want WordPiece with \"[UNK]\", \"##\" and some", m.Type, m.Unk, m.Prefix, m.MaxChars)
	}
	for token, want := range map[string]int{"[CLS]": int(cls), "[SEP]": int(sep)} {
		if id, ok := m.Vocab[token]; !ok || id != want {
			return fmt.Errorf("vocab: %s must be %d", token, want)
		}
	}
	if _, ok := m.Vocab[m.Unk]; !ok {
		return fmt.Errorf("vocab: %s is missing", m.Unk)
	}
	for i, a := range c.AddedTokens {
		if id, ok := m.Vocab[a.Content]; !ok || id != a.ID || a.Content == "" {
			return fmt.Errorf("added_tokens[%d]: %q with id %d is not so in the vocab", i, a.Content, a.ID)
		}
		if a.SingleWord || a.LStrip || a.RStrip || a.Normalized || !a.Special {
			return fmt.Errorf("added_tokens[%d]: %q must be special and neither single_word, lstrip, rstrip nor normalized", i, a.Content)
		}
		if a.Content[0] >= utf8.RuneSelf {
			return fmt.Errorf("added_tokens[%d]: %q must begin in ASCII", i, a.Content)
		}
	}
	return nil
}
