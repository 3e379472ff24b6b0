package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const questions = 20

// slow is a server that takes a while for a reply, and counts them.
func slow(t *testing.T, calls *atomic.Int32) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil { // the asker was killed
			return
		}
		switch r.URL.Path {
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"m:1","digest":"d1"}]}`)
		case "/api/show":
			io.WriteString(w, `{"model_info":{"general.architecture":"a","a.context_length":8192}}`)
		default:
			time.Sleep(40 * time.Millisecond)
			n := bytes.Count(body, []byte("?"))
			fmt.Fprintf(w, `{"message":{"role":"assistant","content":"{\"refused\":false,\"reason\":\"\",\"sentences\":[{\"text\":\"By %d.\",\"labels\":[\"P1\"]}]}"},"done":true,"done_reason":"stop","prompt_eval_count":900,"eval_count":7}`+"\n", n)
			calls.Add(1)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// A run that is killed at any moment, and run again, ends with the answers of
// one that was not; no reply that came is asked for twice.
func TestKilledRunsEndTheSame(t *testing.T) {
	dir := t.TempDir()
	var hits strings.Builder
	for i := range questions {
		fmt.Fprintf(&hits, `{"type":"hits","question":{"id":"q%d","text":"How%s"},"system":"s","hits":[{"passage":"a#x","section":"a#x","path":"a","rank":1,"score":1,"text":"use the stop command"}]}`+"\n", i, strings.Repeat("?", i+1))
	}
	input := filepath.Join(dir, "hits.jsonl")
	if err := os.WriteFile(input, []byte(hits.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int32
	server := slow(t, &calls)
	command := func(cache string, workers int) *exec.Cmd {
		cmd := exec.Command("mr-answer", "-engine", "ollama:m:1", "-workers", fmt.Sprint(workers), input)
		cmd.Env = append(os.Environ(), "OLLAMA_HOST="+server.URL, "MR_CACHE="+filepath.Join(dir, cache))
		return cmd
	}
	want, err := command("unbroken", 1).Output()
	if err != nil || bytes.Count(want, []byte(`,"text":"By `)) != questions {
		t.Fatalf("the unbroken run: %v\n%s", err, want)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, workers := range []int{1, 3} {
		calls.Store(0)
		kills := 0
		for done := false; !done; {
			var out, errs bytes.Buffer
			cmd := command(fmt.Sprintf("killed%d", workers), workers)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			limit := 30*time.Millisecond + time.Duration(r.IntN(200))*time.Millisecond
			if kills >= 20 { // a machine so slow that it never gets to the end
				limit = time.Hour
			}
			stop := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }) // it may have ended
			err := cmd.Wait()
			stop.Stop()
			switch {
			case err == nil:
				done = true
				if d := out.String(); d != string(want) {
					t.Errorf("%d workers, after %d kills:\n%s\nwant\n%s", workers, kills, d, want)
				}
			case strings.Contains(err.Error(), "killed"):
				kills++
			default:
				t.Fatalf("%v\n%s", err, errs.String())
			}
		}
		t.Logf("%d workers: %d kills, %d replies for %d questions", workers, kills, calls.Load(), questions)
		if kills == 0 {
			t.Error("no run was killed: the test shows nothing")
		}
		if n := int(calls.Load()); n > questions+kills*workers {
			t.Errorf("%d workers: %d replies after %d kills, want at most %d: a reply that came was not kept", workers, n, kills, questions+kills*workers)
		}
	}
}
