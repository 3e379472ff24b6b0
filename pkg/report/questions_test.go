package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestTally: repeats of a question count once, by their mean; where the scores
// are not those that the interval counted, nothing is said.
func TestTally(t *testing.T) {
	score := func(q, system string, v float64) *record.Score {
		return &record.Score{Question: record.QuestionRef{ID: record.QuestionID(q)}, System: record.SystemName(system), Metric: "m", Value: &v, Status: record.Scored, AskedFor: record.Fact}
	}
	p := &Part{Half: golden.All, Scores: []*record.Score{
		// q1: (0 + 1)/2 against 0.5, the same. q2: (1 + 1)/2 against (0 + 1)/2, won. q3: 0 against 1, lost. q4: one system alone.
		score("q1", "a", 0), score("q1", "a", 1), score("q1", "b", 0.5),
		score("q2", "a", 1), score("q2", "a", 1), score("q2", "b", 0), score("q2", "b", 1),
		score("q3", "b", 1), score("q3", "a", 0),
		score("q4", "a", 1),
		{Question: record.QuestionRef{ID: "q4"}, System: "b", Metric: "m", Status: record.Unscored, Reason: "timed out"},
	}}
	tests := []struct {
		reason string
		n      int
		kind   record.QuestionKind
		want   string
	}{
		{"three questions have both", 3, "", "1 / 1 / 1"},
		{"and are of this kind", 3, record.Fact, "1 / 1 / 1"},
		{"none is of that kind", 3, record.Multi, "–"},
		{"the interval counted more than came", 4, "", "–"},
	}
	for _, tt := range tests {
		got := p.tally(&record.Interval{Metric: "m", System: "a", Baseline: "b", N: tt.n, AskedFor: tt.kind})
		if got != tt.want {
			t.Errorf("%s: expected %s, got %s", tt.reason, tt.want, got)
		}
	}
	want := []gain{{"q1", 0}, {"q2", 0.5}, {"q3", -1}}
	if d := cmp.Diff(want, p.gains(&record.Interval{Metric: "m", System: "a", Baseline: "b"}), cmp.AllowUnexported(gain{})); d != "" {
		t.Errorf("gains (-want +got):\n%s", d)
	}
}

// TestManyMisses: the table has an end, and says so. So have the bars of the plot.
func TestManyMisses(t *testing.T) {
	p := &Part{Half: golden.All, Controls: []*record.Control{
		{Metric: "recall@5", Control: "oracle", OK: record.ControlOK}, {Metric: "recall@5", Control: "random", OK: record.ControlOK},
		{Metric: "recall@5", Control: "A against A", OK: record.ControlOK}, {Metric: "recall@5", Control: "planted +0.1", OK: record.ControlOK},
	}}
	const n = maxMisses + 7
	for i := range n {
		for system, v := range map[string]float64{"a": 0, "b": float64(i%5) / 4} {
			p.Scores = append(p.Scores, &record.Score{Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprint("q", i))}, System: record.SystemName(system),
				Metric: "recall@5", Value: &v, Status: record.Scored, Wanted: []record.Need{{"w"}}})
		}
	}
	zero := 0.0
	p.Intervals = []*record.Interval{
		{Metric: "recall@5", System: "a", N: n, Value: &zero, Trusted: true},
		{Metric: "recall@5", System: "a", Baseline: "b", N: n, Value: &zero, Trusted: true},
	}
	var pg page
	p.misses(&pg)
	want := "And 7 more."
	if lines := strings.Count(pg.b.String(), "\n| q"); lines != maxMisses || strings.Count(pg.b.String(), want) != 1 {
		t.Errorf("%d lines, expected %d and %q", lines, maxMisses, want)
	}
	_, _, chart := gainPerQuestion(p)
	svg, err := chart.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(svg), ">q"); got != maxBars {
		t.Errorf("%d bars, expected %d", got, maxBars)
	}
}
