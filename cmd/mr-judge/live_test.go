package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/askollama"
	"github.com/mobiumdev/mobium-rag/pkg/ollama"
	"github.com/mobiumdev/mobium-rag/pkg/ollama/ollamatest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A real server with a tiny model, which cannot judge, and is slow. Its verdicts
// are not looked at: every record is valid, every status honest, the same run
// again asks nothing anew, and with an item a control nothing is established.
func TestLive(t *testing.T) {
	host := ollamatest.Start(t)
	dir := t.TempDir()
	supplies(t, dir, 2, 1)
	run := func() (stdout, stderr string, err error) {
		cmd := exec.Command("mr-judge", "-judge", ollamatest.Model, "-metrics", "relevance", "-controls", "1", "-num-ctx", "1024", "-deadline", "4m",
			"-golden", "golden.jsonl", "-corpus", "corpus.jsonl", "answers.jsonl")
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), "OLLAMA_HOST="+host), &out, &errs
		err = cmd.Run()
		return out.String(), errs.String(), err
	}
	start := time.Now()
	out, warned, err := run()
	took := time.Since(start).Round(time.Second)
	if err != nil && strings.Contains(warned, "the deadline of 4m0s has passed") && out == "" {
		t.Logf("this machine is too slow for 6 verdicts in %v, and the run says so and reports nothing", took)
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, warned)
	}
	verdicts, outcomes := honest(t, out)
	if len(verdicts) != 2+4 {
		t.Errorf("%d verdicts, want 2 on the answers and 4 on controls", len(verdicts))
	}
	for _, name := range record.JudgeControls(record.Relevance) {
		want := record.ControlNotEstablished
		if name == record.Leaks {
			want = record.ControlOK
		}
		if got := outcomes[name]; got != want {
			t.Errorf("control %s: %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(warned, "is not established") {
		t.Errorf("nobody was warned: %s", warned)
	}
	t.Logf("%d verdicts in %v", len(verdicts), took)
	if !strings.Contains(out, `"reason":"no reply`) { // where no reply came it is asked again
		if again, _, err := run(); err != nil || again != out {
			t.Errorf("the same run again gave other bytes, or %v", err)
		}
	}
	oneFaithful(t, host)
}

// oneFaithful asks for one verdict on faithfulness, whose prompt takes the tiny
// model minutes: a reading, or the reason why there is none.
func oneFaithful(t *testing.T, host string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := ollama.Connect(ctx, ollamatest.Model, ollama.Options{Host: host, NumCtx: 1536})
	if err != nil {
		t.Fatal(err)
	}
	got, err := judge.New(askollama.Asker{Client: client}).Faithful(ctx, judge.Case{
		Question: "How long does it wait?", Answer: "It waits for 90 seconds.",
		Passages: []record.Labelled{{Label: "P1", Text: "The stop command waits for 90 seconds."}},
	})
	switch {
	case err != nil:
		t.Logf("no verdict, and it says why: %v", err)
	case len(got.Claims) == 1 && (got.Mark == record.Yes) == (got.Claims[0].Supported == record.Yes):
		t.Logf("a verdict: %+v", got)
	default:
		t.Errorf("got %+v", got)
	}
}

// honest reads records that must be valid.
func honest(t *testing.T, text string) (verdicts []*record.Verdict, outcomes map[string]record.Outcome) {
	t.Helper()
	in := record.NewReader(record.Source{Name: "out", Reader: strings.NewReader(text)})
	outcomes = map[string]record.Outcome{}
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			if len(rec.Models) != 1 || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(rec.Models[0].SHA256) {
				t.Errorf("the run names %v", rec.Models)
			}
		case *record.Verdict:
			verdicts = append(verdicts, rec)
			t.Logf("%s %s %s: %s %s %q", rec.Question.ID, rec.Metric, rec.Control, rec.Status, rec.Mark, rec.Reason)
		case *record.Control:
			outcomes[rec.Control] = rec.OK
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return verdicts, outcomes
}
