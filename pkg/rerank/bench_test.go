package rerank

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
)

// snapshot is some 70 passages of Mobium's docs, cut at blank lines to at most
// 1,800 characters, which is near enough to what mr-cut makes.
func snapshot(b *testing.B) []string {
	b.Helper()
	shared := os.Getenv("MR_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	var texts []string
	n := 0
	err := filepath.WalkDir(filepath.Join(shared, "mobium-docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		passage := ""
		for part := range strings.SplitSeq(string(page)+"\n\n#", "\n\n") {
			if len(passage)+len(part) > 1800 || strings.HasPrefix(part, "#") {
				if n++; n%17 == 0 {
					texts = append(texts, passage)
				}
				passage = ""
			}
			passage += part + "\n\n"
		}
		return err
	})
	if err != nil {
		b.Skipf("SKIP needs the snapshot of Mobium's docs: %v", err)
	}
	return texts
}

// BenchmarkPairs scores passages for one question, a run a core, and where
// MR_PYTHON names a Python with onnxruntime, tokenizers and numpy, the same
// pairs in the same run through it: 2 threads, one pair a run.
func BenchmarkPairs(b *testing.B) {
	const question = "How do I run the tests in parallel on two devices?"
	texts := snapshot(b)
	x := openEncoder(b, &cache.Cache{}, 0)
	l, err := x.load()
	if err != nil {
		b.Fatal(err)
	}
	tokens := 0
	for _, text := range texts {
		tokens += len(l.tokenizer.EncodePair(question, text, maxTokens).IDs)
	}
	var ours, theirs time.Duration
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		if _, err := x.Score(b.Context(), question, texts); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(start)
		if py := os.Getenv("MR_PYTHON"); py != "" {
			theirs += python(b, py, x, append([]string{question}, texts...))
		}
	}
	n := float64(b.N * len(texts))
	b.ReportMetric(n/ours.Seconds(), "pairs/s")
	b.ReportMetric(float64(tokens)/float64(len(texts)), "tokens/pair")
	if theirs > 0 {
		b.ReportMetric(n/theirs.Seconds(), "python-pairs/s")
		b.ReportMetric(theirs.Seconds()/ours.Seconds(), "x-python")
	}
}

// python is the time Python takes, start and loading apart.
func python(b *testing.B, path string, x *CrossEncoder, question []string) time.Duration {
	b.Helper()
	in, err := json.Marshal(question)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, filepath.Join("testdata", "reference.py"), x.model.Path, x.model.Tokenizer)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var seconds float64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		b.Fatalf("%s: %q", cmd, out)
	}
	return time.Duration(seconds * float64(time.Second))
}
