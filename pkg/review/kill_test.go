//go:build unix

package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestHelperPut is no test: the process that the tests here start and kill. It
// rules on its questions one after another, and says each number it was given.
func TestHelperPut(t *testing.T) {
	path := os.Getenv("REVIEW_TEST_PUT")
	if path == "" {
		return // nobody to write for
	}
	prefix, s := os.Getenv("REVIEW_TEST_PREFIX"), Store{path}
	for i := range 50 {
		id := record.QuestionID(fmt.Sprintf("%s%d", prefix, i))
		g := &record.Golden{ID: id, Question: strings.Repeat("long? ", 200), AskedFor: record.Unanswerable}
		d, err := Rule(g, Decision{Question: id, Action: Approve, By: "Mara", At: at})
		if err == nil {
			d, err = s.Put(d, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("saved %s %d\n", id, d.Seq)
	}
}

// TestHelperApply is no test: it enters the proposals, over and over.
func TestHelperApply(t *testing.T) {
	dir := os.Getenv("REVIEW_TEST_APPLY")
	if dir == "" {
		return
	}
	p := Paths{filepath.Join(dir, "golden.jsonl"), filepath.Join(dir, "proposed.jsonl"), ""}
	f, err := Store{filepath.Join(dir, "decisions.json")}.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Decisions { // one at a time, so that there is much to be killed in
		err := Change(p, func(d *Data) error {
			a, err := Apply(d, f.Decisions[i:i+1], nil)
			if err != nil || len(a.Refused) > 0 {
				return errors.Join(err, fmt.Errorf("refused %+v", a.Refused))
			}
			return a.Write()
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("saved", i, 0)
	}
}

func process(t *testing.T, name string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+name+"$")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// saved reads what a process says it saved, up to n, and all that is left where n is negative.
func saved(out *bufio.Scanner, n int, into map[record.QuestionID]int) {
	for n != 0 && out.Scan() {
		if f := strings.Fields(out.Text()); len(f) == 3 && f[0] == "saved" {
			into[record.QuestionID(f[1])], _ = strconv.Atoi(f[2])
			n--
		}
	}
}

// TestKilledPut kills a process at 20 points spread over its saving: the file
// is whole, and has every ruling that was answered for; so has the history.
func TestKilledPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.json")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	answered := map[record.QuestionID]int{}
	killed := 0
	for try := range 20 {
		cmd, out := process(t, "TestHelperPut", "REVIEW_TEST_PUT="+path, fmt.Sprintf("REVIEW_TEST_PREFIX=try%02d-", try))
		saved(out, 1+rng.IntN(10), answered)
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond) // to a point within a save
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		saved(out, -1, answered)
		if cmd.Wait() != nil {
			killed++
		}
		f, err := Store{path}.Load()
		if err != nil {
			t.Fatalf("after kill %d: %v", try+1, err)
		}
		for id, seq := range answered {
			if d := f.Of(id); d == nil || d.Seq != seq {
				t.Fatalf("after kill %d: the ruling on %s was lost", try+1, id)
			}
		}
		if extra := len(f.Decisions) - len(answered); extra > killed {
			t.Fatalf("%d rulings more than were answered for", extra)
		}
	}
	history := readAll(t, filepath.Join(filepath.Dir(path), "history.jsonl"))
	for id := range answered {
		if !strings.Contains(history, `"question":"`+string(id)+`"`) {
			t.Errorf("%s is not in the history", id)
		}
	}
	t.Logf("%d of 20 processes were killed; %d rulings were answered for", killed, len(answered))
	if killed < 10 {
		t.Errorf("only %d of 20 processes were killed in time: this shows too little", killed)
	}
}

// TestTwoProcesses: rulings on different questions, put at the same time, are all there.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.json")
	var wg sync.WaitGroup
	for _, prefix := range []string{"left", "right"} {
		cmd, out := process(t, "TestHelperPut", "REVIEW_TEST_PUT="+path, "REVIEW_TEST_PREFIX="+prefix)
		wg.Go(func() {
			saved(out, -1, map[record.QuestionID]int{})
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v", prefix, err)
			}
		})
	}
	wg.Wait()
	f, err := Store{path}.Load()
	if err != nil {
		t.Fatal(err)
	}
	seqs := map[int]bool{}
	for _, d := range f.Decisions {
		seqs[d.Seq] = true
	}
	if len(f.Decisions) != 100 || len(seqs) != 100 {
		t.Errorf("%d rulings with %d numbers, want 100", len(f.Decisions), len(seqs))
	}
}

// TestKilledApply kills the entering of 16 proposals at 20 points: every file
// is whole, each question is in one of the two at least, and applying again ends the work.
func TestKilledApply(t *testing.T) {
	dir := t.TempDir()
	p := Paths{filepath.Join(dir, "golden.jsonl"), filepath.Join(dir, "proposed.jsonl"), ""}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var proposals strings.Builder
	for i := range 16 {
		fmt.Fprintf(&proposals, `{"type":"golden","id":"n%02d","question":"what is %d?","kind":"fact","gold":["a"],"review":"draft"}`+"\n", i, i)
	}
	proposed, err := ReadSet("p", []byte(proposals.String()))
	if err != nil {
		t.Fatal(err)
	}
	s := Store{filepath.Join(dir, "decisions.json")}
	for _, g := range proposed.Records {
		d, err := Rule(g, Decision{Question: g.ID, Action: Enter, By: "Mara", At: at})
		if err == nil {
			_, err = s.Put(d, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := 0
	for try := range 20 {
		for path, text := range map[string]string{p.Golden: three, p.Proposed: proposals.String()} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd, out := process(t, "TestHelperApply", "REVIEW_TEST_APPLY="+dir)
		saved(out, 1+rng.IntN(8), map[record.QuestionID]int{})
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Microsecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		saved(out, -1, map[record.QuestionID]int{})
		if cmd.Wait() != nil {
			killed++
		}
		d, err := ReadData(p)
		if err != nil {
			t.Fatalf("after kill %d: %v", try+1, err)
		}
		for _, g := range proposed.Records {
			if d.Golden.Of(g.ID) == nil && d.Proposed.Of(g.ID) == nil {
				t.Fatalf("after kill %d: %s is in neither file", try+1, g.ID)
			}
		}
		cmd, out = process(t, "TestHelperApply", "REVIEW_TEST_APPLY="+dir)
		saved(out, -1, map[record.QuestionID]int{})
		if err := cmd.Wait(); err != nil {
			t.Fatalf("applying again after kill %d: %v", try+1, err)
		}
		if d, err = ReadData(p); err != nil || len(d.Golden.Records) != 19 || len(d.Proposed.Records) != 0 {
			t.Fatalf("after applying again: %v, %d questions, %d proposed", err, len(d.Golden.Records), len(d.Proposed.Records))
		}
		if _, err := os.Stat(p.Golden + ".lock"); !os.IsNotExist(err) {
			t.Errorf("the lock of a killed process was left behind: %v", err)
		}
	}
	if killed < 10 {
		t.Errorf("only %d of 20 processes were killed in time: this shows too little", killed)
	}
}
