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
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// drafts are what the scripted server says to a prompt that holds the key.
var drafts = map[string]string{
	"alpha words": `{"skip":false,"reason":"","question":"My simulator hangs at boot. What now?","key_facts":["shut it down and boot it again"]}`,
	"beta words":  `{"skip":true,"reason":"a list of links","question":"","key_facts":[]}`,
	"gamma words": `{"skip":false,"reason":"","question":"How long does it wait for the screen?","key_facts":["it waits 90 days"]}`,
	"delta words": `Sure! Here is a question.`,
}

// scripted is a server that answers like an Ollama with the model m:1, and keeps
// the last request in the script's folder.
func scripted(dir string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		switch {
		case r.URL.Path == "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"m:1","digest":"d1"}]}`)
			return
		case r.URL.Path == "/api/show" && strings.Contains(string(body), `"m:1"`):
			fmt.Fprint(w, `{"model_info":{"general.architecture":"a","a.context_length":8192}}`)
			return
		case r.URL.Path == "/api/show":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"model not found"}`)
			return
		}
		if err := os.WriteFile(filepath.Join(dir, "request.json"), body, 0o600); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		for word, say := range drafts {
			if strings.Contains(string(body), word) {
				content, _ := json.Marshal(say)
				fmt.Fprintf(w, `{"message":{"role":"assistant","content":%s},"done":true,"done_reason":"stop","prompt_eval_count":900,"eval_count":7}`+"\n", content)
				return
			}
		}
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":"no script"}`)
	}))
}

// TestWork runs the commands that serve no page.
func TestWork(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/work", RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			server := scripted(env.WorkDir)
			env.Defer(server.Close)
			env.Setenv("OLLAMA_HOST", server.URL)
			golden, err := os.ReadFile("../../data/golden.jsonl")
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "mobium.jsonl"), golden, 0o666)
		},
	})
}
