package rerank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// lengths is a scorer that likes long texts, and keeps what it was shown.
type lengths struct {
	shown []string
	score func(text string) float64
	err   error
}

func (*lengths) Stage() record.StageName { return "length" }
func (*lengths) Model() record.Model     { return record.Model{Name: "lengths"} }
func (l *lengths) Score(_ context.Context, question string, texts []string) ([]float64, error) {
	var scores []float64
	for _, t := range texts {
		l.shown = append(l.shown, question+": "+t)
		x := float64(len(t))
		if l.score != nil {
			x = l.score(t)
		}
		scores = append(scores, x)
	}
	return scores, l.err
}

func candidates() *record.Hits {
	h := &record.Hits{Question: record.QuestionRef{ID: "q", Text: "why"}, System: "hybrid", Fallback: "no model"}
	for i, text := range []string{"bb", "a", "ccc", "dddd"} {
		h.Hits = append(h.Hits, record.Hit{
			Passage: record.PassageID(text[:1]), Section: record.SectionID(text[:1]), Rank: i + 1, Score: float64(-i),
			Headings: []string{"Page", "H"}, Text: text,
			Stages: map[record.StageName]record.StageScore{"bm25": {Score: float64(9 - i), Rank: i + 1}},
		})
	}
	return h
}

// list is the order, each passage with its score and its rank by length.
func list(h *record.Hits) string {
	var b strings.Builder
	for i, hit := range h.Hits {
		if hit.Rank != i+1 {
			return fmt.Sprintf("hit %d has rank %d", i, hit.Rank)
		}
		fmt.Fprintf(&b, "%s %.3g #%d, ", hit.Passage, hit.Score, hit.Stages["length"].Rank)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func TestRerank(t *testing.T) {
	last := fuse.Recipe{Method: fuse.ByLast, Terms: []fuse.Term{{Stage: "length", Weight: 1}}}
	both := fuse.Recipe{Method: fuse.ByRank, K: 1, Terms: []fuse.Term{{Stage: "length", Weight: 1}, {Stage: "bm25", Weight: 3}}}
	tests := []struct {
		name  string
		r     Reranker
		want  string
		shown string
	}{
		{"all", Reranker{Recipe: last}, "d 4 #1, c 3 #2, b 2 #3, a 1 #4", "why: bb|why: a|why: ccc|why: dddd"},
		{"two deep", Reranker{Recipe: last, Depth: 2}, "b 2 #1, a 1 #2, c 0 #0, d -1 #0", "why: bb|why: a"},
		{"three deep", Reranker{Recipe: last, Depth: 3}, "c 3 #1, b 2 #2, a 1 #3, d 0 #0", "why: bb|why: a|why: ccc"},
		{"deeper than the list", Reranker{Recipe: last, Depth: 9}, "d 4 #1, c 3 #2, b 2 #3, a 1 #4", "why: bb|why: a|why: ccc|why: dddd"},
		{"with trail", Reranker{Recipe: last, Depth: 1, Context: embed.TrailContext}, "b 11 #1, a 10 #0, c 9 #0, d 8 #0", "why: Page > H\nbb"},
		// b: 1/(1+3) + 3/(1+1) = 1.75; a: 1/5 + 3/3 = 1.2; d: 1/2 + 3/5 = 1.1; c: 1/3 + 3/4 = 1.083.
		{"fused", Reranker{Recipe: both}, "b 1.75 #3, a 1.2 #4, d 1.1 #1, c 1.08 #2", "why: bb|why: a|why: ccc|why: dddd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &lengths{}
			tt.r.Scorers, tt.r.System = []Scorer{s}, "new"
			in := candidates()
			got, err := tt.r.Rerank(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, list(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.shown, strings.Join(s.shown, "|")); d != "" {
				t.Errorf("shown to the model (-want +got):\n%s", d)
			}
			if got.System != "new" || got.Fallback != "no model" || got.Question != in.Question {
				t.Errorf("system %q, fallback %q, question %v", got.System, got.Fallback, got.Question)
			}
			if d := cmp.Diff(candidates(), in); d != "" {
				t.Errorf("the input was changed (-want +got):\n%s", d)
			}
		})
	}
}

// What an earlier run gave goes, in the hits that are left out now too.
func TestRerankAgain(t *testing.T) {
	r := Reranker{Scorers: []Scorer{&lengths{}}, System: "new", Recipe: fuse.Recipe{Method: fuse.ByLast, Terms: []fuse.Term{{Stage: "length", Weight: 1}}}}
	once, err := r.Rerank(t.Context(), candidates())
	if err != nil {
		t.Fatal(err)
	}
	r.Depth = 2
	twice, err := r.Rerank(t.Context(), once)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("d 4 #1, c 3 #2, b 2 #0, a 1 #0", list(twice)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRerankNothing(t *testing.T) {
	s := &lengths{err: errors.New("asked for nothing")}
	r := Reranker{Scorers: []Scorer{s}, System: "new", Recipe: fuse.Recipe{Method: fuse.ByRank, Terms: []fuse.Term{{Stage: "length", Weight: 1}}}}
	got, err := r.Rerank(t.Context(), &record.Hits{Question: record.QuestionRef{ID: "q"}, System: "old", Hits: []record.Hit{}})
	if err != nil || len(got.Hits) != 0 || got.System != "new" {
		t.Errorf("no hits became %v, %v", got, err)
	}
}

func TestRerankRefuses(t *testing.T) {
	recipe := fuse.Recipe{Method: fuse.ByRank, Terms: []fuse.Term{{Stage: "length", Weight: 1}}}
	boom := errors.New("boom")
	tests := []struct {
		name   string
		scorer *lengths
		change func(*record.Hits)
		input  bool
		want   string
	}{
		{"passage without text", &lengths{}, func(h *record.Hits) { h.Hits[2].Text = "" }, true, "question q: these hits cannot be reranked: passage c has no text"},
		{"question without text", &lengths{}, func(h *record.Hits) { h.Question.Text = "" }, true, "the question has no text"},
		{"scorer fails", &lengths{err: boom}, func(*record.Hits) {}, false, "question q: boom"},
		{"not a number", &lengths{score: func(string) float64 { return math.NaN() }}, func(*record.Hits) {}, false, "lengths gave passage b the score NaN"},
	}
	for _, tt := range tests {
		h := candidates()
		tt.change(h)
		_, err := (&Reranker{Scorers: []Scorer{tt.scorer}, Recipe: recipe}).Rerank(t.Context(), h)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrInput) != tt.input {
			t.Errorf("%s: %v, want %q, the input's fault: %v", tt.name, err, tt.want, tt.input)
		}
	}
	// Text that no scorer sees is not missed.
	h := candidates()
	h.Hits[2].Text, h.Question.Text = "", ""
	r := Reranker{Recipe: fuse.Recipe{Method: fuse.ByRank, Terms: []fuse.Term{{Stage: "bm25", Weight: 1}}}}
	if _, err := r.Rerank(t.Context(), h); err != nil {
		t.Errorf("fusion alone: %v", err)
	}
	h.Question.Text = "why"
	r = Reranker{Scorers: []Scorer{&lengths{}}, Recipe: recipe, Depth: 2}
	if _, err := r.Rerank(t.Context(), h); err != nil {
		t.Errorf("a text below the depth: %v", err)
	}
	r.Depth = 0
	if _, err := r.Rerank(t.Context(), h); hint.Of(err) == "" {
		t.Error("no hint with missing text")
	}
}
