package answer

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// overlap scores a text by the words of the question it holds.
type overlap struct{}

func (overlap) Score(_ context.Context, q string, texts []string) ([]float64, error) {
	out := make([]float64, len(texts))
	for i, text := range texts {
		for _, w := range strings.Fields(q) {
			if strings.Contains(text, w) {
				out[i]++
			}
		}
	}
	return out, nil
}

func TestExtract(t *testing.T) {
	passages := []record.Labelled{
		{Label: "P1", Text: "The daemon listens. It stops with the stop command. Nothing else."},
		{Label: "P2", Headings: []string{"Guide", "Stopping"}, Text: "To stop the daemon run:\n\n```\nx stop daemon\n```\n\nUnrelated."},
	}
	for _, tc := range []struct {
		name, question string
		policy         Policy
		want           []record.Sentence
		refused        bool
	}{
		{"the best sentence", "run stop daemon", Policy{Threshold: 1, Margin: 0, Sentences: 3},
			[]record.Sentence{{Text: "To stop the daemon run:", Labels: []string{"P2"}}}, false},
		{"a sentence brings its paragraph, once", "stop command", Policy{Threshold: 1, Margin: 1, Sentences: 2},
			[]record.Sentence{{Text: "The daemon listens. It stops with the stop command. Nothing else.", Labels: []string{"P1"}}}, false},
		{"code comes with the line that introduces it", "x stop daemon", Policy{Threshold: 1, Margin: 0, Sentences: 1},
			[]record.Sentence{{Text: "To stop the daemon run:\nx stop daemon", Labels: []string{"P2"}}}, false},
		{"a margin brings more, best passage first", "run stop daemon", Policy{Threshold: 1, Margin: 2, Sentences: 3},
			[]record.Sentence{
				{Text: "To stop the daemon run:", Labels: []string{"P2"}},
				{Text: "x stop daemon", Labels: []string{"P2"}},
				{Text: "The daemon listens. It stops with the stop command. Nothing else.", Labels: []string{"P1"}},
			}, false},
		{"below the threshold", "upload limit", Policy{Threshold: 1, Margin: 2, Sentences: 3}, nil, true},
	} {
		got, err := Extract{overlap{}, tc.policy}.Answer(context.Background(), Request{tc.question, passages})
		if err != nil {
			t.Fatal(err)
		}
		if got.Refused != tc.refused || got.Refused && got.Reason == "" {
			t.Errorf("%s: refused %v %q, want %v", tc.name, got.Refused, got.Reason, tc.refused)
		}
		if d := cmp.Diff(tc.want, got.Sentences); d != "" {
			t.Errorf("%s:\n%s", tc.name, d)
		}
	}
}

// A sentence counts for as much as its passage: of two that say the same, the one
// whose surroundings fit the question is quoted.
func TestExtractHearsThePassage(t *testing.T) {
	passages := []record.Labelled{
		{Label: "P1", Text: "Run x stop. It is about tea."},
		{Label: "P2", Text: "Run x stop. The daemon ends and leaves no trace."},
	}
	// For "stop daemon" the sentences score 1, 0 and 1, 1, the passages 1 and 2: the
	// means are 1, 0.5 and 1.5, 1.5.
	got, err := Extract{overlap{}, Policy{Threshold: 1.5, Margin: 0.4, Sentences: 1}}.Answer(context.Background(), Request{"stop daemon", passages})
	if err != nil {
		t.Fatal(err)
	}
	want := []record.Sentence{{Text: "Run x stop. The daemon ends and leaves no trace.", Labels: []string{"P2"}}}
	if d := cmp.Diff(want, got.Sentences); d != "" || got.Refused {
		t.Errorf("refused %v (-want +got):\n%s", got.Refused, d)
	}
	if got.Score == nil || *got.Score != 1.5 {
		t.Errorf("refusal score %v, want 1.5", got.Score)
	}
}

// What Extract quotes is in the passage it cites, word for word.
func TestExtractQuotesVerbatim(t *testing.T) {
	passages := []record.Labelled{{Label: "P1", Text: "- One *is*\n  here.\n- Two `a. b`.\n\n| k | v |\n|---|---|\n| one | 1 |\n"}}
	got, err := Extract{overlap{}, Policy{Threshold: -1, Margin: 9, Sentences: 9}}.Answer(context.Background(), Request{"One", passages})
	if err != nil || len(got.Sentences) != 4 {
		t.Fatalf("%+v, %v; want 4 sentences", got, err)
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "|", " ")), " ") }
	for _, s := range got.Sentences {
		if !strings.Contains(squeeze(passages[0].Text), squeeze(s.Text)) {
			t.Errorf("%q is not in the passage", s.Text)
		}
	}
}
