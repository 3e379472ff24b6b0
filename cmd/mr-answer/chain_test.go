package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// documents are what the chain is tried on.
var documents = map[string]string{
	"ops.md": "# Operations\n\n## Stopping\n\nThe stop command ends the daemon. It waits for 90 seconds.\n\n" +
		"## Snapshots\n\nA snapshot is kept for 30 days. Old snapshots are purged at night.\n",
	"config.md": "# Configuration\n\n## Ports\n\nThe daemon listens on port 7070. Set `port` to change it.\n\n" +
		"## Logs\n\nLogs go to a file of their own. They are rotated every week.\n",
}

// chain is the programs of a pipeline, with an index of documents.
type chain struct {
	t   *testing.T
	dir string
	env []string
}

// newChain builds every tool and an index. It needs the models.
func newChain(t *testing.T) *chain {
	t.Helper()
	store, err := model.Find("")
	if err == nil {
		_, err = os.Stat(store.Path(model.CrossEncoder))
	}
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models")
	}
	c := &chain{t: t, dir: t.TempDir()}
	c.env = append(os.Environ(), "MR_MODELS="+store.Dir(), "MR_CACHE="+filepath.Join(c.dir, "cache"), "PATH="+c.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	build := exec.Command("go", "build", "-o", c.dir+string(os.PathSeparator), "./cmd/...")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var docs strings.Builder
	for _, path := range []string{"config.md", "ops.md"} {
		line, err := json.Marshal(map[string]string{"type": "document", "path": path, "text": documents[path]})
		if err != nil {
			t.Fatal(err)
		}
		docs.Write(append(line, '\n'))
	}
	c.write("docs.jsonl", docs.String())
	c.run(`mr-cut docs.jsonl > corpus.jsonl; mr-embed -as passage < corpus.jsonl | mr-index build -index index`)
	return c
}

func (c *chain) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run runs a line of shell and returns what it wrote. It must succeed.
func (c *chain) run(line string, env ...string) (stdout, stderr string) {
	c.t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", line)
	cmd.Dir, cmd.Env = c.dir, append(c.env, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("%s: %v\n%s", line, err, errs.String())
	}
	return out.String(), errs.String()
}

// golden is a set of two questions with this kind, gold and key facts.
func golden(kind, gold, facts string) string {
	var b strings.Builder
	for i, q := range []string{"How do I stop the daemon?", "How long is a snapshot kept?"} {
		fmt.Fprintf(&b, `{"type":"golden","id":"q%d","question":%q,"kind":%q,"gold":%s,"key_facts":%s}`+"\n", i+1, q, kind, gold, facts)
	}
	return b.String()
}

// From the golden set to the answers nothing but id and question passes: with
// other gold, kind and key facts, every prompt and every answer has the same bytes.
func TestGoldReachesNoEngine(t *testing.T) {
	c := newChain(t)
	var mu sync.Mutex
	var prompts []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		switch r.URL.Path {
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"m:1","digest":"d1"}]}`)
		case "/api/show":
			io.WriteString(w, `{"model_info":{"general.architecture":"a","a.context_length":8192}}`)
		default:
			mu.Lock()
			prompts = append(prompts, string(body))
			mu.Unlock()
			io.WriteString(w, `{"message":{"content":"{\"refused\":false,\"reason\":\"\",\"sentences\":[{\"text\":\"So.\",\"labels\":[\"P1\"]}]}"},"done":true,"done_reason":"stop","prompt_eval_count":2000,"eval_count":7}`+"\n")
		}
	}))
	defer server.Close()
	c.write("one.jsonl", golden("fact", `["ops.md#stopping"]`, `["SECRETONE is said"]`))
	c.write("two.jsonl", golden("unanswerable", `[]`, `["SECRETTWO, and 90 seconds"]`))
	var answers [][2]string
	for _, name := range []string{"one.jsonl", "two.jsonl"} {
		c.run("mr-embed -as question < " + name + " | mr-index search -index index | mr-rerank > hits.jsonl")
		asked, _ := c.run("mr-answer -engine ollama:m:1 -cache off hits.jsonl", "OLLAMA_HOST="+server.URL)
		quoted, _ := c.run("mr-answer -engine extract -cache off hits.jsonl")
		answers = append(answers, [2]string{asked, quoted})
	}
	if answers[0] != answers[1] {
		t.Errorf("other gold gave other answers:\n%s\n%s", answers[0], answers[1])
	}
	if len(prompts) != 4 || prompts[0] != prompts[2] || prompts[1] != prompts[3] {
		t.Errorf("other gold gave other prompts: %q", prompts)
	}
	for _, text := range append(prompts, answers[0][0], answers[0][1]) {
		if strings.Contains(text, "SECRET") || strings.Contains(text, "key_facts") {
			t.Errorf("a key fact came through:\n%s", text)
		}
	}
	if !strings.Contains(prompts[0], "The stop command ends the daemon") {
		t.Errorf("the prompt lacks the passage:\n%s", prompts[0])
	}
}
