package ollama

import (
	"strings"
	"unicode/utf8"
)

// controlToken is llama.cpp's type of a token that steers the model: the end of
// a turn, the start of the system's.
const controlToken = 3

// known are spellings of control tokens that some models' files give another type.
var known = []string{
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>",
	"<|begin_of_text|>", "<|end_of_text|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>",
	"[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[TOOL_CALLS]", "<<SYS>>", "<</SYS>>",
	"<start_of_turn>", "<end_of_turn>", "<s>", "</s>", "<think>", "</think>", "<tool_call>", "</tool_call>",
}

// spellings returns the control tokens of a model, as /api/show lists them when
// it is asked for all, and those that are known.
func spellings(info map[string]any) []string {
	tokens, _ := info["tokenizer.ggml.tokens"].([]any)
	types, _ := info["tokenizer.ggml.token_type"].([]any)
	all := append([]string{}, known...)
	for i, t := range types {
		if n, ok := t.(float64); !ok || n != controlToken || i >= len(tokens) {
			continue
		}
		if s, ok := tokens[i].(string); ok && breakable(s) {
			all = append(all, s)
		}
	}
	return all
}

// breakable tells whether a space behind the first character makes another text of it.
func breakable(s string) bool {
	r := []rune(s)
	return len(r) > 1 && r[0] != ' ' && r[1] != ' '
}

// inert puts a space behind the first character of every control token that a
// text spells out. A server turns the spelling into the token wherever it stands:
// a quoted page that holds <|im_end|> would end the user's turn, and could go on
// as the system.
func (c *Client) inert(text string) string {
	for _, s := range c.control {
		for strings.Contains(text, s) {
			_, n := utf8.DecodeRuneInString(s)
			text = strings.ReplaceAll(text, s, s[:n]+" "+s[n:])
		}
	}
	return text
}
