package verdict_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/verdict"
)

// TestScriptedJudges takes judges whose faults are known through the drawing of
// controls, the verdicts, their fold and the figures: a number is shown for the
// one that is right, and for no other.
func TestScriptedJudges(t *testing.T) {
	material, err := judgetest.Material(30, 8)
	if err != nil {
		t.Fatal(err)
	}
	metrics := []record.MetricName{record.Faithfulness, record.Relevance}
	drawn := judge.Draw(material, judge.Plan{Metrics: metrics, Repeats: 1, Controls: 20, Seed: 1})
	right := judgetest.Double{Called: "right", Mind: judgetest.Right}
	for _, tt := range []struct {
		judge              judge.Judge
		faithful, relevant string // a control that must have failed; "" for trusted
	}{
		{right, "", ""},
		{judgetest.Always(record.Yes), "random-passages failed", "other-answer failed"},
		{judgetest.Always(record.No), "verbatim failed", "key-facts failed"},
		{judgetest.CoinFlip(1), "verbatim failed", "key-facts failed"},
		{judgetest.VerbosityLover(judgetest.Right, 60), "padding failed", "padding failed"},
		{judgetest.Obeyer(judgetest.Right), "injection failed", "injection failed"},
	} {
		t.Run(tt.judge.Name(), func(t *testing.T) {
			bench := &judge.Bench{Judge: tt.judge, Workers: 1}
			verdicts, err := bench.Rule(context.Background(), append(drawn.Answers[:len(drawn.Answers):len(drawn.Answers)], drawn.Controls...))
			if err != nil {
				t.Fatal(err)
			}
			in := &boot.Input{Scores: verdict.Scores(verdicts), Controls: verdict.Fold(verdicts)}
			for _, leak := range drawn.Leaks {
				in.Controls = append(in.Controls, leak.Control(leak.Metric, tt.judge.Name()))
				if leak.Metric == record.Faithfulness {
					in.Controls = append(in.Controls, leak.Control(record.SupportedClaims, tt.judge.Name()))
				}
			}
			if err := boot.SealControls(in.Controls, in.Scores, nil); err != nil {
				t.Fatal(err)
			}
			plan := boot.Default()
			out, err := plan.Analyse(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, iv := range out.Intervals {
				want := tt.faithful
				if iv.Metric == record.Relevance {
					want = tt.relevant
				}
				if iv.Trusted != (want == "") || !strings.Contains(iv.Reason, want) || (iv.Value != nil) != iv.Trusted {
					t.Errorf("%s: trusted %v, value %v: %q, want %q", iv.Metric, iv.Trusted, iv.Value != nil, iv.Reason, want)
				}
				if iv.Trusted && iv.Metric == record.Faithfulness && iv.AskedFor == "" && *iv.Value != 22./30 {
					t.Errorf("8 of 30 answers are not faithful, and the judge that is right gives %v", *iv.Value)
				}
			}
		})
	}
}
