package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mr-rerank": main})
}

func TestScripts(t *testing.T) {
	models := haveModels()
	if models == "" {
		t.Log("SKIP parts that need models: run scripts/fetch-models")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MR_MODELS", models)
			env.Setenv("MR_CACHE", filepath.Join(env.WorkDir, "cache"))
			return nil
		},
		Condition: func(cond string) (bool, error) { // the only one: models
			return models != "", nil
		},
	})
}

// haveModels is the folder of the models, "" where they are not.
func haveModels() string {
	store, err := model.Find("")
	if err != nil {
		return ""
	}
	for _, name := range []model.Name{model.CrossEncoder, model.LateInteraction} {
		if _, err := os.Stat(store.Path(name)); err != nil {
			return ""
		}
	}
	dir, err := filepath.Abs(store.Dir())
	if err != nil {
		return ""
	}
	return dir
}

const hits = `{"type":"hits","question":{"id":"q1","text":"How do I stop it?"},"system":"hybrid","hits":[` +
	`{"passage":"p#a","section":"p#a","rank":1,"score":2,"stages":{"bm25":{"score":2,"rank":1},"vector":{"score":0.1,"rank":2},"late":{"score":20,"rank":1}},"text":"Bananas are yellow."},` +
	`{"passage":"p#b","section":"p#b","rank":2,"score":1,"stages":{"bm25":{"score":1,"rank":2},"vector":{"score":0.2,"rank":1},"late":{"score":19,"rank":2}},"text":"Run stop."}]}` + "\n"

// The examples of the manual run, and write streams.
func TestExamples(t *testing.T) {
	models := haveModels()
	if models == "" {
		t.Skip("SKIP needs models: run scripts/fetch-models")
	}
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("SKIP needs jq")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hits.jsonl"), []byte(hits), 0o600); err != nil {
		t.Fatal(err)
	}
	_, examples, _ := strings.Cut(source, "// Examples:\n")
	examples, _, _ = strings.Cut(examples, "// Exit codes")
	n := 0
	for line := range strings.Lines(examples) {
		line, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			continue
		}
		n++
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MR_MODELS="+models, "MR_CACHE="+filepath.Join(dir, "cache"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "{") && !strings.HasPrefix(string(out), `"p#`) {
			t.Errorf("%s%v: %s", line, err, out)
		}
	}
	if n != 4 {
		t.Errorf("%d examples were found, want 4", n)
	}
}
