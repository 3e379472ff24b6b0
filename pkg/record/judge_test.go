package record

import "testing"

// TestDigest: whatever a rater sees is in it, what no rater sees is not, and texts do not run together.
func TestDigest(t *testing.T) {
	answer := func(change func(*Answer)) string {
		a := &Answer{
			Question: QuestionRef{ID: "q1", Text: "Why?"}, System: "fused", Model: "extract", Text: "Because.",
			Passages: []Labelled{{Label: "P1", Passage: "a#b", Text: "ab"}, {Label: "P2", Passage: "c#d", Text: "c"}},
		}
		change(a)
		return a.Digest()
	}
	same := answer(func(*Answer) {})
	tests := []struct {
		name   string
		change func(*Answer)
		same   bool
	}{
		{"question", func(a *Answer) { a.Question.Text = "How?" }, false},
		{"text", func(a *Answer) { a.Text = "Because" }, false},
		{"passage", func(a *Answer) { a.Passages[1].Text = "d" }, false},
		{"label", func(a *Answer) { a.Passages[1].Label = "P3" }, false},
		{"border of two passages", func(a *Answer) { a.Passages[0].Text, a.Passages[1].Text = "a", "bc" }, false},
		{"model", func(a *Answer) { a.Model = "ollama:x" }, true},
		{"id", func(a *Answer) { a.Question.ID = "q2" }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(tt.change); (got == same) != tt.same {
				t.Errorf("same digest: got %v, want %v", got == same, tt.same)
			}
		})
	}
}
