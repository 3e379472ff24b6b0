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
	testscript.Main(m, map[string]func(){"mr-index": main})
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
	if _, err := os.Stat(store.Path(model.LateInteraction)); err != nil {
		return ""
	}
	dir, err := filepath.Abs(store.Dir())
	if err != nil {
		return ""
	}
	return dir
}

// The examples of the manual run, one after another.
func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("SKIP needs jq")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl":    `{"type":"passage","id":"p#a","section":"p#a","path":"p","heading":"A","headings":["P","A"],"lines":[1,2],"text":"how to deploy"}`,
		"questions.jsonl": `{"type":"question","id":"q","text":"How do I deploy?"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, examples, _ := strings.Cut(source, "// Examples:\n")
	examples, _, _ = strings.Cut(examples, "// Exit codes")
	want := []string{"", `"passage":"p#a"`, `["hybrid","the index has no vectors","p#a"]`}
	for line := range strings.Lines(examples) {
		line, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			continue
		}
		if len(want) == 0 {
			t.Fatalf("an example too many: %s", line)
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want[0]) || want[0] == "" && len(out) > 0 {
			t.Errorf("%s%v: %s", line, err, out)
		}
		want = want[1:]
	}
	if len(want) > 0 {
		t.Errorf("%d examples are missing", len(want))
	}
}
