package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/judge/judgetest"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mr-judge": main})
}

var (
	block = regexp.MustCompile(`(?ms)^<<<([A-Z]\d*) ([0-9a-f]{12}).*?\n(.*?)\n([A-Z]\d*) ([0-9a-f]{12})>>>`)
	asked = regexp.MustCompile(`each of these sentences: (.*)\. Reply`)
)

// fakeServer is a server with the model m:1, which rules as a mind does, with quotes
// that are in the passages. A mind of nil talks prose.
type fakeServer struct {
	*httptest.Server
	calls atomic.Int32
	mu    sync.Mutex
	first string // the first prompt, for the tests to look at
}

// serve starts a server; before is called before each reply.
func serve(mind judgetest.Mind, before func()) *fakeServer {
	s := &fakeServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the asker was killed
		}
		switch {
		case r.URL.Path == "/api/tags":
			io.WriteString(w, `{"models":[{"name":"m:1","digest":"d1"}]}`)
		case r.URL.Path == "/api/show" && !strings.Contains(string(body), `"m:1"`):
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":"model not found"}`)
		case r.URL.Path == "/api/show":
			io.WriteString(w, `{"model_info":{"general.architecture":"a","a.context_length":32768}}`)
		default:
			before()
			content, err := json.Marshal(reply(mind, body))
			if err != nil {
				return
			}
			s.mu.Lock()
			if s.first == "" {
				s.first = string(body)
			}
			s.mu.Unlock()
			fmt.Fprintf(w, `{"message":{"role":"assistant","content":%s},"done":true,"done_reason":"stop","prompt_eval_count":30000,"eval_count":7}`+"\n", content)
			s.calls.Add(1)
		}
	}))
	return s
}

// reply reads the case out of a prompt and gives the mind's verdicts.
func reply(mind judgetest.Mind, body []byte) string {
	var chat struct {
		Messages []struct{ Content string }
	}
	if mind == nil || json.Unmarshal(body, &chat) != nil || len(chat.Messages) != 2 {
		return "ANSWER: C"
	}
	user := chat.Messages[1].Content
	c := judge.Case{}
	sentences := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(user, -1) {
		switch label, text := m[1], m[3]; label[0] {
		case 'Q':
			c.Question = text
		case 'A':
			c.Answer = text
		case 'P':
			c.Passages = append(c.Passages, record.Labelled{Label: label, Text: text})
		default:
			sentences[label] = text
		}
	}
	list := asked.FindStringSubmatch(user)
	if list == nil {
		mark := mind(record.Relevance, c)[0].Supported
		return fmt.Sprintf(`{"why":"So it is.","answers":%q}`, mark)
	}
	var verdicts []string
	for _, label := range strings.Split(list[1], ", ") {
		c.Answer = sentences[label]
		verdict, quote, passage := "no claim", "", ""
		for _, claim := range mind(record.Faithfulness, c) {
			verdict, quote, passage = "unsupported", claim.Quote, claim.Label
			if claim.Supported == record.Yes {
				verdict = "supported"
				if quote == "" { // a judge in the wrong can quote, too
					quote, passage = c.Passages[0].Text, c.Passages[0].Label
				}
			}
		}
		v, err := json.Marshal(map[string]string{"sentence": label, "label": passage, "quote": quote, "verdict": verdict})
		if err != nil {
			panic(err)
		}
		verdicts = append(verdicts, string(v))
	}
	return `{"verdicts":[` + strings.Join(verdicts, ",") + `]}`
}

// supplies writes answers, golden set, corpus and made-up answers into a folder.
func supplies(t testing.TB, dir string, n, wrong int) {
	t.Helper()
	m, err := judgetest.Material(n, wrong)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]record.Record{}
	for _, a := range m.Answers {
		files["answers.jsonl"] = append(files["answers.jsonl"], a)
	}
	for _, q := range m.Golden.Questions {
		files["golden.jsonl"] = append(files["golden.jsonl"], q.Record)
	}
	for _, p := range m.Corpus.Passages {
		files["corpus.jsonl"] = append(files["corpus.jsonl"], p)
	}
	for _, a := range m.MadeUp {
		files["madeup-engine.jsonl"] = append(files["madeup-engine.jsonl"], a)
	}
	for name, recs := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w := record.NewWriter(f)
		if err := w.Start(&record.Run{Tool: "test"}); err != nil {
			t.Fatal(err)
		}
		for _, rec := range recs {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestScripts(t *testing.T) {
	right := serve(judgetest.Right, func() {})
	t.Cleanup(right.Close)
	yes := serve(judgetest.Obeyer(judgetest.Right).Mind, func() {})
	t.Cleanup(yes.Close)
	prose := serve(nil, func() {})
	t.Cleanup(prose.Close)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			supplies(t, env.WorkDir, 30, 3)
			env.Setenv("OLLAMA_HOST", right.URL)
			env.Setenv("OBEYER", yes.URL)
			env.Setenv("PROSE", prose.URL)
			env.Setenv("MR_CACHE", "off")
			repo, err := filepath.Abs("../..")
			env.Setenv("REPO", repo)
			return err
		},
	})
}
