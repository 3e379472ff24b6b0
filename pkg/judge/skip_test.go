package judge

import (
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// What is not judged, and why: never a yes for want of anything to check
// (deepeval#2248: faithfulness was 1.0 over the passages [""]), never a no.
func TestSkip(t *testing.T) {
	passages := func(texts ...string) (out []record.Labelled) {
		for i, text := range texts {
			out = append(out, labelled(i, &record.Passage{Text: text}))
		}
		return out
	}
	const none = "the answer has no passage with a text"
	tests := []struct {
		name                string
		answer              record.Answer
		faithful, relevance string
	}{
		{"a good one", record.Answer{Status: record.Scored, Text: "A.", Passages: passages("p")}, "", ""},
		{"one blank passage of two", record.Answer{Status: record.Scored, Text: "A.", Passages: passages("", "p")}, "", ""},
		{"no passage", record.Answer{Status: record.Scored, Text: "A."}, none, ""},
		{"an empty passage", record.Answer{Status: record.Scored, Text: "A.", Passages: passages("")}, none, ""},
		{"white space", record.Answer{Status: record.Scored, Text: "A.", Passages: passages(" \n\t", "\u00a0")}, none, ""},
		{"an empty answer", record.Answer{Status: record.Scored, Text: " \n", Passages: passages("p")}, "the answer is empty", "the answer is empty"},
		{"a refusal", record.Answer{Status: record.Scored, Refused: true, Passages: passages("p")}, "refused", "refused"},
		{"an error", record.Answer{Status: record.Failed, Reason: "no server"}, "the answer has status error: no server", "the answer has status error: no server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := skip(record.Faithfulness, &tt.answer); got != tt.faithful {
				t.Errorf("faithfulness: %q, want %q", got, tt.faithful)
			}
			if got := skip(record.Relevance, &tt.answer); got != tt.relevance {
				t.Errorf("relevance: %q, want %q", got, tt.relevance)
			}
			if d := (&drawer{}).usable(&tt.answer); d {
				t.Error("a control can be drawn from an answer to an unknown question")
			}
		})
	}
}
