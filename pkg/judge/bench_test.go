package judge_test

import (
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func BenchmarkDraw(b *testing.B) {
	m, err := judgetest.Material(40, 4)
	if err != nil {
		b.Fatal(err)
	}
	plan := judge.Plan{Metrics: []record.MetricName{record.Faithfulness, record.Relevance}, Repeats: 1, Controls: 20, Seed: 1}
	for b.Loop() {
		judge.Draw(m, plan)
	}
}
