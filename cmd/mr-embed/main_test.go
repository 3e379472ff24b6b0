package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mr-embed": main})
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
	if _, err := os.Stat(store.Path(model.Embedding)); err != nil {
		return ""
	}
	dir, err := filepath.Abs(store.Dir())
	if err != nil {
		return ""
	}
	return dir
}
