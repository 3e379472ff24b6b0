package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/ollama/ollamatest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// A real server with a tiny model, which cannot judge. Its verdicts are not
// looked at: every record is valid, every status honest, the same run again asks
// nothing anew, and with an item a control nothing is established.
func TestLive(t *testing.T) {
	host := ollamatest.Start(t)
	dir := t.TempDir()
	supplies(t, dir, 2, 1)
	all, err := os.ReadFile(filepath.Join(dir, "answers.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "one.jsonl"), []byte(strings.Split(string(all), "\n")[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() (stdout, stderr string, err error) {
		cmd := exec.Command("mr-judge", "-judge", ollamatest.Model, "-controls", "1", "-num-ctx", "1536", "-deadline", "4m",
			"-golden", "golden.jsonl", "-corpus", "corpus.jsonl", "one.jsonl")
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), "OLLAMA_HOST="+host), &out, &errs
		err = cmd.Run()
		return out.String(), errs.String(), err
	}
	start := time.Now()
	out, warned, err := run()
	took := time.Since(start).Round(time.Second)
	stored, globErr := filepath.Glob(filepath.Join(dir, "data", "verdicts", "*", "*.jsonl"))
	if globErr != nil || len(stored) != 1 {
		t.Fatalf("kept files %v, %v; %s", stored, globErr, warned)
	}
	text, readErr := os.ReadFile(stored[0])
	if readErr != nil {
		t.Fatal(readErr)
	}
	if err != nil && strings.Contains(warned, "the deadline of 4m0s has passed") && out == "" {
		var kept []*record.Verdict
		if len(text) > 0 {
			kept, _ = honest(t, string(text))
		}
		t.Skipf("SKIP this machine is too slow for a whole run: %d verdicts in %v, all of them valid and kept", len(kept), took)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, warned)
	}
	verdicts, outcomes := honest(t, out)
	if len(verdicts) != 2+6+3 { // there is no other answer
		t.Errorf("%d verdicts, want 2 on the answer and 9 on controls", len(verdicts))
	}
	for _, m := range []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance} {
		for _, name := range record.JudgeControls(m) {
			want := record.ControlNotEstablished
			if name == record.Leaks && m != record.Relevance {
				want = record.ControlOK
			}
			if got := outcomes[string(m)+" "+name]; got != want {
				t.Errorf("control %s of %s: %q, want %q", name, m, got, want)
			}
		}
	}
	if !strings.Contains(warned, "is not established") {
		t.Errorf("nobody was warned: %s", warned)
	}
	t.Logf("%d verdicts in %v", len(verdicts), took)
	if strings.Contains(out, `"reason":"no reply`) {
		return // where no reply came it is asked again
	}
	if again, _, err := run(); err != nil || again != out {
		t.Errorf("the same run again gave other bytes, or %v", err)
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
			outcomes[string(rec.Metric)+" "+rec.Control] = rec.OK
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return verdicts, outcomes
}
