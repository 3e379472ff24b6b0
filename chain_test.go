package mobiumrag_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/answer/answerstage"
	"github.com/mobiumdev/mobium-rag/pkg/cache"
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/embed/embedstage"
	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/index/indexstage"
	"github.com/mobiumdev/mobium-rag/pkg/late"
	"github.com/mobiumdev/mobium-rag/pkg/model"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/rerank/rerankstage"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

const (
	chainDocs = `{"type":"document","path":"docs/a.md","text":"# Daemon\n\nIt listens.\n\n## Stopping\n\nThe stop command ends the daemon.\n"}
{"type":"document","path":"docs/b.md","text":"# Phones\n\nScreens are rotated by hand.\n"}
`
	chainQuestions = `{"type":"golden","id":"q1","question":"How do I stop the daemon?","kind":"fact","gold":["docs/a.md#stopping"]}
{"type":"golden","id":"q2","question":"Who rotates the screen?","kind":"fact","gold":["docs/b.md#phones"]}
`
)

// TestChain: the stages chained in one process through io.Pipe write what the
// separate processes write, byte for byte. So a program can hold them all.
func TestChain(t *testing.T) {
	store, err := model.Find("")
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	dir := t.TempDir()
	shell := func(script, stdin string) []byte {
		t.Helper()
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader([]byte(stdin))
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "MR_MODELS="+store.Dir(), "MR_CACHE=off")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return out
	}
	if out, err := exec.Command("go", "build", "-o", dir, "./cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("the tools do not build: %v\n%s", err, out)
	}

	passages := shell("mr-cut | mr-embed -as passage", chainDocs)
	shell("mr-index build -index index", string(passages))
	answers := shell("mr-embed -as question | mr-index search -index index | tee hits | mr-rerank | mr-answer -engine extract", chainQuestions)

	// The flags are the command line's: those the processes say they had.
	hits, err := os.ReadFile(filepath.Join(dir, "hits"))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]*record.Run{}
	for _, stream := range [][]byte{passages, hits, answers} {
		provenance(t, stream, flags)
	}

	nothing := new(cache.Cache)
	bi, err := embed.Open(store, nothing, embed.Options{})
	closing(t, bi, err)
	encoder, err := late.Open(store, nothing, late.Options{})
	closing(t, encoder, err)
	cross, err := rerank.Open(store, nothing, 0)
	closing(t, cross, err)
	x, err := index.Open(filepath.Join(dir, "index"), index.DefaultBM25())
	closing(t, x, err)
	config := corpus.Default()
	cutter, err := corpus.New(config)
	if err != nil {
		t.Fatal(err)
	}
	terms, err := fuse.Parse("bm25,vector=0.5,late,cross-encoder")
	if err != nil {
		t.Fatal(err)
	}

	cut := &corpus.Job{Cutter: cutter, Source: cutter.Documents(), Run: flags["mr-cut"], Warn: t.Logf}
	embedPassages := &embedstage.Filter{Embedder: bi, As: embedstage.Passages, Context: embed.TrailContext, Run: flags["mr-embed passage"]}
	same(t, "mr-cut | mr-embed", passages, chainDocs, cut.Stream, embedPassages.Stream)

	embedQuestions := &embedstage.Filter{Embedder: bi, As: embedstage.Questions, Run: flags["mr-embed question"]}
	search := &indexstage.Search{Searcher: &index.Searcher{Engine: x, Encoder: encoder, System: "hybrid", Options: index.DefaultOptions()}, Run: flags["mr-index search"]}
	reranked := &rerankstage.Filter{Run: flags["mr-rerank"], Reranker: &rerank.Reranker{
		Scorers: []rerank.Scorer{cross}, Recipe: fuse.Recipe{Method: fuse.ByZScore, Terms: terms, K: 60},
		Depth: 20, Context: embed.TrailContext, System: "fused",
	}}
	extract := &answerstage.Filter{Engine: answer.Extract{Scorer: cross, Policy: answer.Default}, Passages: 5, Workers: 1, Run: flags["mr-answer"]}
	same(t, "mr-embed | mr-index | mr-rerank | mr-answer", answers, chainQuestions,
		embedQuestions.Stream, search.Stream, reranked.Stream, extract.Stream)
}

// provenance takes the runs of a stream apart, by tool.
func provenance(t *testing.T, stream []byte, flags map[string]*record.Run) {
	t.Helper()
	runs, _, err := stage.Collect(record.NewReader(record.Source{Name: "stream", Reader: bytes.NewReader(stream)}))
	if err != nil {
		t.Fatal(err)
	}
	for len(runs) > 0 {
		run := runs[0]
		runs = append(runs[1:], run.Inputs...)
		name := run.Tool
		if as := run.Flags["as"]; as != "" {
			name += " " + as
		}
		flags[name] = &record.Run{Tool: run.Tool, Flags: run.Flags, Models: run.Models, Prompts: run.Prompts}
	}
}

// same runs the stages in this process and compares what they write.
func same(t *testing.T, name string, want []byte, in string, fns ...stage.Func) {
	t.Helper()
	var out bytes.Buffer
	r := record.NewReader(record.Source{Name: "in", Reader: bytes.NewReader([]byte(in))})
	if err := stage.Pipe(fns...)(context.Background(), r, record.NewWriter(&out)); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if d := cmp.Diff(string(want), out.String()); d != "" {
		t.Errorf("%s differs from the separate processes:\n%s", name, d)
	}
}

func closing(t *testing.T, c interface{ Close() error }, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
