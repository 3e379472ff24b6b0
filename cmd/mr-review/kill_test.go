package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

const (
	kills   = 20
	clients = 2
	shares  = 5 // questions of each client
)

// TestKilledServersLoseNothing: the server is killed at any moment, by SIGKILL,
// while two pages rule. The file is valid, and holds of each question the last
// ruling that was answered for, or the one that was under way.
func TestKilledServersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var set, passages strings.Builder
	for i := range clients * shares {
		fmt.Fprintf(&set, `{"type":"golden","id":"q%d","question":"Question %d?","kind":"fact","gold":[["a.md#stop"]],"review":"draft"}`+"\n", i, i)
	}
	passages.WriteString(`{"type":"passage","id":"a.md#stop","section":"a.md#stop","path":"a.md","heading":"Stop","lines":[1,1],"commit":"c1","text":"stop"}` + "\n")
	file(t, filepath.Join(dir, "golden.jsonl"), set.String())
	file(t, filepath.Join(dir, "corpus.jsonl"), passages.String())
	store := review.Store{Path: filepath.Join(dir, "review", "decisions.json")}

	var pages [clients]page
	for i := range pages {
		pages[i] = page{first: i * shares, answered: map[string]string{}, sent: map[string]string{}}
	}
	r := rand.New(rand.NewPCG(1, 1))
	underWay, answered := 0, 0
	for range kills {
		cmd := exec.Command("mr-review", "golden", "-no-open", "-by", "Ada", "-golden", filepath.Join(dir, "golden.jsonl"), "-proposed", "", "-next-pin", "",
			"-corpus", filepath.Join(dir, "corpus.jsonl"), "-decisions", store.Path)
		cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // a killed program takes nothing away
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said, err := bufio.NewReader(errs).ReadString('\n')
		if err != nil || !strings.HasPrefix(said, "mr-review: http://127.0.0.1:") {
			t.Fatalf("%v: the program says %q", err, said)
		}
		var done sync.WaitGroup
		for i := range pages {
			done.Go(func() { pages[i].rule(t, strings.TrimSpace(strings.TrimPrefix(said, "mr-review: "))) })
		}
		time.AfterFunc(time.Duration(r.IntN(250_000))*time.Microsecond, func() { _ = cmd.Process.Kill() }) // Wait tells
		done.Wait()
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the server was not killed: %v", err)
		}
		f, err := store.Load()
		if err != nil {
			t.Fatalf("after a kill the file is damaged: %v", err)
		}
		answered = 0
		for i := range pages {
			underWay += pages[i].check(t, f)
			answered += pages[i].n
		}
	}
	t.Logf("%d kills, %d rulings answered for, %d under way when the server was killed", kills, answered, underWay)
	if answered == 0 || underWay == 0 {
		t.Error("no ruling was answered for, or none was under way at a kill: the test shows nothing")
	}
}

// page rules on its questions, one request after another, until the server is gone.
type page struct {
	first, n int
	// The notes of the last rulings by question: answered for, and sent.
	answered, sent map[string]string
}

func (p *page) rule(t *testing.T, url string) {
	base, token, _ := strings.Cut(url, "#")
	for i := 0; ; i++ {
		id := fmt.Sprint("q", p.first+i%shares)
		var now struct {
			Base     string `json:"base"`
			Decision *struct {
				Seq int `json:"seq"`
			} `json:"decision"`
		}
		if !request(t, http.MethodGet, base+"api/golden/question?id="+id, token, nil, &now) {
			return
		}
		seen := 0
		if now.Decision != nil {
			seen = now.Decision.Seq
		}
		p.sent[id] = fmt.Sprint(id, " ", p.n, " ", i)
		body := fmt.Appendf(nil, `{"question":%q,"action":%q,"base":%q,"note":%q,"seen":%d}`, id, []string{"approve", "drop"}[i%2], now.Base, p.sent[id], seen)
		if !request(t, http.MethodPost, base+"api/golden/decide", token, body, &now) {
			return
		}
		p.answered[id] = p.sent[id]
		p.n++
	}
}

// check compares what the file holds, and returns how many rulings were under way.
func (p *page) check(t *testing.T, f *review.File) (underWay int) {
	for i := range shares {
		id := fmt.Sprint("q", p.first+i)
		got := ""
		for _, d := range f.Decisions {
			if string(d.Question) == id {
				got = d.Note
			}
		}
		if p.sent[id] != p.answered[id] {
			underWay++
		}
		if got != p.answered[id] && got != p.sent[id] {
			t.Errorf("question %s has the ruling %q: expected %q, which was answered for, or %q, which was under way", id, got, p.answered[id], p.sent[id])
		}
		p.answered[id], p.sent[id] = got, got
	}
	return underWay
}

// request asks the server, and is false when it is gone.
func request(t *testing.T, method, url, token string, body []byte, into any) bool {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return false
	}
	r.Header.Set(reviewweb.TokenHeader, token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	err = json.NewDecoder(answer.Body).Decode(into)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return false // it was cut off
	}
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %d", method, url, answer.StatusCode)
		return false
	}
	return true
}
