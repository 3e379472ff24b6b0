package judge

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var anyWord = regexp.MustCompile(`[\p{L}\p{N}]+`)

// FuzzSentences: every word of an answer is in some sentence: nothing escapes the judge.
func FuzzSentences(f *testing.F) {
	for _, s := range []string{
		"One. Two.", "# Head\n\ntext", "Head\n===\n", "<!-- hidden -->", "a\n\n[x]: port-9\n\nb", "```go\ncode\n# no\n```\n", "~~~\n~~~\nx",
		"| a | b |\n|--|--|\n| c | d |", "- a\n  - b\n\n    c", "<div>x</div>", "    indented", "a  \nb", "> # q", "1. # one\n", "* ---\n", "<!-- a\n\nb -->", "\t# x",
		"```a b", "``` info\nx\n```", "[a]: <b c>\n", "<script>x</script>", "<?php x ?>", "a\r\nb", "\u2028x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		said := strings.Join(Sentences(answer), "\n")
		for line := range strings.Lines(answer) {
			line = marker.ReplaceAllString(strings.TrimSpace(line), "")
			for _, w := range anyWord.FindAllString(line, -1) {
				if !strings.Contains(said, w) {
					t.Errorf("%q of %q is in no sentence: %q", w, answer, Sentences(answer))
				}
			}
		}
	})
}

// FuzzReadFaithful: whatever a model replies, a reading has at most a claim a
// sentence, each a sentence of the answer, and none supported without its quote.
func FuzzReadFaithful(f *testing.F) {
	f.Add(verdicts(one("S1", "P1", "waits for 90 seconds", "supported"), one("S2", "", "", "unsupported")))
	f.Add(`{"verdicts":[{"sentence":"S1"}]}`)
	f.Add(`[]`)
	f.Add("null")
	sentences := Sentences(two.Answer)
	f.Fuzz(func(t *testing.T, reply string) {
		claims, err := readFaithful([]byte(reply), two, sentences, 0, 2)
		if err != nil {
			if claims != nil {
				t.Error("an error comes with claims")
			}
			return
		}
		if len(claims) > 2 {
			t.Errorf("%d claims of two sentences", len(claims))
		}
		for _, c := range claims {
			if c.Claim != sentences[0] && c.Claim != sentences[1] {
				t.Errorf("claim %q is not of the answer", c.Claim)
			}
			if c.Supported == record.Yes && quoted(two.Passages, c.Label, c.Quote) != nil {
				t.Errorf("supported by %s", fmt.Sprintf("%q of %q", c.Quote, c.Label))
			}
		}
	})
}
