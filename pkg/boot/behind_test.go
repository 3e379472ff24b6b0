package boot

import (
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// of are the two controls of a retrieval metric on n questions, as pkg/control writes them.
func of(n int, metric record.MetricName) []*record.Control {
	return []*record.Control{
		{Metric: metric, Control: "oracle", OK: record.ControlOK, Expect: "1", Got: "1.0000", Value: number(1), N: n},
		{Metric: metric, Control: "random", OK: record.ControlOK, Expect: "0.10000 ± 0.01000 (4 standard errors)", Got: "0.10200",
			Value: number(0.102), Lo: number(0.092), Hi: number(0.112), N: 1000 * n},
	}
}

// TestBehind: controls that say yes and do not stand behind the scores.
func TestBehind(t *testing.T) {
	for _, tt := range []struct {
		name   string
		metric record.MetricName
		change func(oracle, random *record.Control)
		want   string
	}{
		{"as they are", "recall@5", func(_, _ *record.Control) {}, ""},
		{"the most that can be reached", "recall@1", func(o, _ *record.Control) {
			o.Expect, o.Got, o.Value = "0.9200, the most any list can reach", "0.9200", number(0.92)
		}, ""},
		{"without values", "recall@5", func(o, r *record.Control) { o.Value, r.Value, r.Lo, r.Hi = nil, nil, nil, nil }, ""},
		{"fewer questions", "recall@5", func(o, _ *record.Control) { o.N = 3 }, "3 questions stood behind the controls, 4 have scores"},
		{"more questions", "recall@5", func(o, _ *record.Control) { o.N = 7 }, "7 questions stood behind the controls, 4 have scores"},
		{"no questions", "recall@5", func(o, _ *record.Control) { o.N = 0 }, "control oracle failed: expected 1, got 1.0000 (it says yes, but n is 0, so nothing was tried)"},
		{"no lists", "recall@5", func(_, r *record.Control) { r.N = 0 }, "control random failed: expected 0.10000 ± 0.01000 (4 standard errors), got 0.10200 (it says yes, but n is 0, so nothing was tried)"},
		{"misses", "recall@5", func(o, _ *record.Control) { o.Misses = 1 }, "control oracle failed: expected 1, got 1.0000 (it says yes, but 1 of 4 questions are off)"},
		{"oracle below 1", "recall@5", func(o, _ *record.Control) { o.Got, o.Value = "0.2000", number(0.2) }, "control oracle failed: expected 1, got 0.2000 (it says yes, but the two differ)"},
		{"oracle below 1 in words", "recall@5", func(o, _ *record.Control) { o.Got, o.Value = "0.2", nil }, "control oracle failed: expected 1, got 0.2 (it says yes, but the two differ)"},
		{"another value", "recall@5", func(o, _ *record.Control) { o.Value = number(0.2) }, "control oracle failed: expected 1, got 1.0000 (it says yes, but its value is 0.2)"},
		{"random off its expectation", "recall@5", func(_, r *record.Control) { r.Expect = "0.00700" },
			"control random failed: expected 0.00700, got 0.10200 (it says yes, but what is expected is outside of [0.09200, 0.11200])"},
		{"outside of its interval", "claims", func(_, r *record.Control) { r.Hi = number(0.1) },
			"control random failed: expected 0.10000 ± 0.01000 (4 standard errors), got 0.10200 (it says yes, but its value is outside of its interval)"},
		{"names nobody knows", "MRR", func(o, r *record.Control) { o.Control, r.Control = "made-up", "too" }, "of the controls oracle and random neither was seen"},
		{"a space behind the name", "nDCG ", func(o, r *record.Control) { o.Control, r.Control = "made-up", "too" }, "of the controls oracle and random neither was seen"},
		{"names of another metric", "claims", func(o, r *record.Control) { o.Control, r.Control = "made-up", "too" }, ""},
		{"no way to come out otherwise", "recall@20", func(_, r *record.Control) {
			r.Expect, r.Got, r.Value, r.Lo, r.Hi = "1.00000 ± 0.00000", "1.00000", number(1), number(1), number(1)
		}, "not established: oracle gives 1.0000 and random 1.0000, so the metric cannot tell good lists from chance here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := &Input{Scores: scores("s", string(tt.metric), 0, 1, 1, 1), Controls: of(4, tt.metric)}
			tt.change(in.Controls[0], in.Controls[1])
			out := analyse(t, Default(), in)
			if iv := out.Intervals[0]; iv.Reason != tt.want || iv.Trusted != (tt.want == "") || (iv.Value != nil) != iv.Trusted {
				t.Errorf("trusted %v: %q, want %q", iv.Trusted, iv.Reason, tt.want)
			}
			if (len(out.Refusals) == 0) != (tt.want == "") {
				t.Errorf("refusals: %q", refusals(out))
			}
		})
	}
}
