package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mr-answer": main})
}

// replies are what the scripted server says to a prompt that holds the key.
var replies = map[string]string{
	"How is it stopped?":   `{"refused":false,"reason":"","sentences":[{"text":"By stop.","labels":["P1"]},{"text":"Or by kill.","labels":["[P1, P2]"]}]}`,
	"What is not said?":    `{"refused":true,"reason":"No passage says it.","sentences":[]}`,
	"Who cites P9?":        `{"refused":false,"reason":"","sentences":[{"text":"Me.","labels":["P9"]}]}`,
	"Who talks?":           `Sure! Here is the answer: 42.`,
	"Who does both?":       `{"refused":true,"reason":"x","sentences":[{"text":"y","labels":["P1"]}]}`,
	"Who refuses in prose": `{"refused":false,"reason":"","sentences":[{"text":"I cannot answer that.","labels":[]}]}`,
}

// scripted is a server that answers like an Ollama with the model m:1, and
// writes every prompt it is sent, and how many, into dir.
func scripted(t testscript.T, dir string) *httptest.Server {
	var calls atomic.Int32
	reply := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if r.URL.Path == "/api/tags" {
			io.WriteString(w, `{"models":[{"name":"m:1","digest":"d1"}]}`)
			return
		}
		if r.URL.Path == "/api/show" {
			if !strings.Contains(string(body), `"m:1"`) {
				w.WriteHeader(http.StatusNotFound)
				io.WriteString(w, `{"error":"model not found"}`)
				return
			}
			io.WriteString(w, `{"model_info":{"general.architecture":"a","a.context_length":8192}}`)
			return
		}
		n := calls.Add(1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("prompt%d", n)), body, 0o600); err != nil {
			t.Log(err)
		}
		for q, say := range replies {
			if strings.Contains(string(body), q) {
				content, _ := json.Marshal(say)
				fmt.Fprintf(w, `{"message":{"role":"assistant","content":%s},"done":true,"done_reason":"stop","prompt_eval_count":900,"eval_count":7}`+"\n", content)
				return
			}
		}
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":"no script"}`)
	}
	return httptest.NewServer(http.HandlerFunc(reply))
}

func TestScripts(t *testing.T) {
	models := ""
	if store, err := model.Find(""); err == nil {
		if _, err := os.Stat(store.Path(model.CrossEncoder)); err == nil {
			models = store.Dir()
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MR_MODELS", models)
			env.Setenv("MR_CACHE", filepath.Join(env.WorkDir, "cache"))
			s := scripted(env.T(), env.WorkDir)
			env.Defer(s.Close)
			env.Setenv("OLLAMA_HOST", s.URL)
			env.Setenv("MOBIUM_RAG_MODEL", "m:1")
			repo, err := filepath.Abs("../..")
			env.Setenv("REPO", repo)
			return err
		},
		Condition: func(cond string) (bool, error) { // the only one: models
			return models != "", nil
		},
	})
}
