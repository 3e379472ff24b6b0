package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
)

// A run that is killed at any moment, and run again, ends with the bytes of one
// that was not. No verdict that came is lost, and none is there twice: the file
// of verdicts has as many lines as that of the unbroken run, and its lines.
func TestKilledRunsEndTheSame(t *testing.T) {
	dir := t.TempDir()
	supplies(t, dir, 8, 2)
	server := serve(judgetest.Right, func() { time.Sleep(15 * time.Millisecond) })
	defer server.Close()
	command := func(kept string, workers int) *exec.Cmd {
		cmd := exec.Command("mr-judge", "-judge", "m:1", "-repeat", "2", "-controls", "4", "-kept", kept, "-workers", fmt.Sprint(workers),
			"-golden", "golden.jsonl", "-corpus", "corpus.jsonl", "answers.jsonl")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "OLLAMA_HOST="+server.URL)
		return cmd
	}
	var want bytes.Buffer
	whole := command("unbroken", 1)
	whole.Stdout = &want
	if err := whole.Run(); err != nil { // four items a control establish nothing, and break nothing
		t.Fatalf("the unbroken run: %v", err)
	}
	calls := int(server.calls.Load())
	r := rand.New(rand.NewPCG(1, 1))
	for _, workers := range []int{1, 3} {
		server.calls.Store(0)
		name := fmt.Sprintf("killed%d", workers)
		kills := 0
		for done := false; !done; {
			var out, errs bytes.Buffer
			cmd := command(name, workers)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			limit := 60*time.Millisecond + time.Duration(r.IntN(150))*time.Millisecond
			if kills >= 20 { // the last run may take its time
				limit = time.Hour
			}
			stop := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }) // it may have ended
			err := cmd.Wait()
			stop.Stop()
			switch {
			case err == nil && kills < 20: // done before its time: begin anew, with other moments
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				server.calls.Store(0)
			case err == nil:
				done = true
				if out.String() != want.String() {
					t.Errorf("%d workers, after %d kills, other bytes came", workers, kills)
				}
			case strings.Contains(err.Error(), "killed"):
				kills++
				tear(t, filepath.Join(dir, name), r)
			default:
				t.Fatalf("%v\n%s", err, errs.String())
			}
		}
		t.Logf("%d workers: %d kills, %d replies for %d calls", workers, kills, server.calls.Load(), calls)
		if d := lines(t, filepath.Join(dir, name)); d != lines(t, filepath.Join(dir, "unbroken")) {
			t.Errorf("%d workers: the kept verdicts are not those of the unbroken run:\n%s", workers, d)
		}
		if n := int(server.calls.Load()); n > calls+2*kills*workers { // the one under way, and the one torn
			t.Errorf("%d workers: %d replies after %d kills for %d calls: a verdict that came was lost", workers, n, kills, calls)
		}
	}
}

// tear cuts into the last line of a file of verdicts, half of the time, as a kill
// in the middle of a write does.
func tear(t *testing.T, dir string, r *rand.Rand) {
	t.Helper()
	for _, name := range files(t, dir) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		last := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
		if r.IntN(2) == 0 || last == len(text) {
			continue
		}
		if err := os.Truncate(name, int64(last+r.IntN(len(text)-last))); err != nil {
			t.Fatal(err)
		}
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lines are those of the files of verdicts below a folder, sorted, since workers
// come to their ends in any order.
func lines(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	for _, name := range files(t, dir) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(string(text), "\n")...)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
