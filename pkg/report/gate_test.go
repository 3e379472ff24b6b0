package report

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// a small evaluation: two systems, 30 questions, one metric.
type evaluation struct {
	recs []record.Record
	plan boot.Plan
}

func small() *evaluation {
	e := &evaluation{plan: boot.Default()}
	e.plan.Resamples, e.plan.Baseline = 200, "vector"
	for _, name := range []string{"oracle", "random"} {
		e.recs = append(e.recs, &record.Control{Metric: "recall@5", Control: name, Expect: "it", Got: "it", N: 30, OK: record.ControlOK})
	}
	for i := range 30 {
		for j, system := range []record.SystemName{"bm25", "vector"} {
			v := float64((i*7+j*3)%3) / 2
			e.recs = append(e.recs, &record.Score{Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprint("q", i))},
				System: system, Metric: "recall@5", Value: &v, Status: record.Scored, AskedFor: record.Fact})
		}
	}
	return e
}

func (e *evaluation) unscored(n int) *evaluation {
	for _, rec := range e.recs {
		if s, ok := rec.(*record.Score); ok && n > 0 {
			s.Value, s.Status, s.Reason = nil, record.Unscored, "timed out"
			n--
		}
	}
	return e
}

func (e *evaluation) control(name string, ok record.Outcome) *evaluation {
	for _, rec := range e.recs {
		if c, is := rec.(*record.Control); is && c.Control == name {
			c.OK = ok
		}
	}
	return e
}

func (e *evaluation) without(drop func(record.Record) bool) *evaluation {
	e.recs = slices.DeleteFunc(e.recs, drop)
	return e
}

func (e *evaluation) floor(s string) *evaluation {
	if err := e.plan.Floors.Set(s); err != nil {
		panic(err)
	}
	return e
}

// streams are what mr-score and mr-boot write, and the reasons for which mr-boot exits 3.
func (e *evaluation) streams(t *testing.T) (all string, refusals []string) {
	t.Helper()
	var scored, estimated bytes.Buffer
	w := record.NewWriter(&scored)
	seed := uint64(1)
	steps := []error{w.Start(&record.Run{Tool: "mr-score retrieval", Flags: map[string]string{"half": "all"}, Commit: "c0ffee", Seed: &seed})}
	for _, rec := range e.recs {
		steps = append(steps, w.Write(rec))
	}
	for _, err := range append(steps, w.End()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	job := &boot.Job{Plan: e.plan, Run: &record.Run{Tool: "mr-boot", Flags: map[string]string{"floor": e.plan.Floors.String(), "max-unscored": fmt.Sprint(e.plan.MaxUnscored)}}}
	why, err := job.Stream(context.Background(), record.NewReader(record.Source{Name: "scores", Reader: bytes.NewReader(scored.Bytes())}), record.NewWriter(&estimated))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range why {
		refusals = append(refusals, err.Error())
	}
	return scored.String() + estimated.String(), refusals
}

// TestGateAgreesWithBoot: the page says that the gate passes just when mr-boot exits 0.
func TestGateAgreesWithBoot(t *testing.T) {
	fallback := small()
	v := 0.5
	fallback.plan.Baseline = ""
	fallback.recs = append(fallback.recs, &record.Score{Question: record.QuestionRef{ID: "q0"}, System: record.FallbackSystem, Metric: "recall@5", Value: &v, Status: record.Scored})
	filtered := small()
	first := filtered.recs[2].(*record.Score)
	first.Value, first.Status, first.Reason = nil, record.Unscored, "fell back to BM25: no model"
	belied := small()
	belied.recs[0].(*record.Control).Misses = 3
	blind := small()
	for _, rec := range blind.recs[:2] {
		rec.(*record.Control).Value = &v
	}
	isControl := func(name string) func(record.Record) bool {
		return func(rec record.Record) bool {
			c, ok := rec.(*record.Control)
			return ok && (name == "" || c.Control == name)
		}
	}
	tests := []struct {
		name string
		e    *evaluation
		want []string // what the page gives as reasons
	}{
		{"all is well", small(), nil},
		{"floor holds", small().floor("bm25:recall@5=0.2"), nil},
		{"floor not reached", small().floor("bm25:recall@5=0.9"), []string{"floor bm25:recall@5=0.9 is not reached: the mean is 0.5000 over 30 questions"}},
		{"floor of nobody", small().floor("bm26:recall@5=0.1"), []string{"floor bm26:recall@5=0.1 is not shown to hold: no such score came"}},
		{"two floors", small().floor("bm25:recall@5=0.1").floor("bm25:MRR@10=0.1"), []string{"floor bm25:MRR@10=0.1 is not shown to hold: no such score came"}},
		{"control failed", small().control("oracle", record.ControlFailed), []string{"recall@5: control oracle failed"}},
		{"control not established", small().control("random", record.ControlNotEstablished), []string{"recall@5: control random is not established"}},
		{"no control", small().without(isControl("")), []string{"recall@5 is not trusted: no controls seen"}},
		{"half a control", small().without(isControl("random")), []string{"recall@5 is not trusted: control oracle was seen without random"}},
		{"floor behind a failed control", small().control("oracle", record.ControlFailed).floor("bm25:recall@5=0.1"),
			[]string{"recall@5: control oracle failed", "floor bm25:recall@5=0.1 is not shown to hold: broken"}},
		{"few unscored", small().unscored(3), nil},
		{"many unscored", small().unscored(8), []string{"recall@5 of bm25: 4 of 30 scores have no value, which is too many", "recall@5 of vector: 4 of 30 scores have no value, which is too many"}},
		{"fell back", fallback, []string{"1 question fell back to BM25"}},
		{"fell back, and filtered", filtered, []string{"1 question fell back to BM25"}},
		{"control belied by its numbers", belied, []string{"recall@5: control oracle failed"}},
		{"oracle equals random", blind, []string{"recall@5 is not trusted: not established: oracle gives 0.5000 and random 0.5000, so the metric cannot tell good lists from chance here"}},
		{"questions taken away", small().without(func(rec record.Record) bool {
			s, ok := rec.(*record.Score)
			return ok && s.Question.ID == "q7"
		}), []string{"recall@5 is not trusted: 30 questions stood behind the controls, 29 have scores"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			streams, refusals := tt.e.streams(t)
			results, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(streams)}))
			if err != nil {
				t.Fatal(err)
			}
			got := results.refusals()
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("reasons (-want +got):\n%s", d)
			}
			if (len(got) == 0) != (len(refusals) == 0) {
				t.Errorf("mr-boot says %q", refusals)
			}
		})
	}
}

// TestDifferenceControlsAreKnown: the names by which they are told from others are mr-boot's.
func TestDifferenceControlsAreKnown(t *testing.T) {
	streams, _ := small().streams(t)
	results, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(streams)}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range results.Parts[0].Controls[2:] {
		got = append(got, c.Control)
	}
	if d := cmp.Diff(differenceControls, got); d != "" {
		t.Errorf("controls of differences (-known +mr-boot's):\n%s", d)
	}
}
