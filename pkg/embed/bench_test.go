package embed

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/cache"
)

// snapshot is every seventh passage of Mobium's docs, cut at blank lines to at
// most 1,800 characters, which is near enough to what mr-cut makes.
func snapshot(b *testing.B) []string {
	b.Helper()
	shared := os.Getenv("MR_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	var texts []string
	err := filepath.WalkDir(filepath.Join(shared, "mobium-docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		passage := ""
		for part := range strings.SplitSeq(string(page), "\n\n") {
			if len(passage)+len(part) > 1800 || strings.HasPrefix(part, "#") {
				texts = append(texts, passage)
				passage = ""
			}
			passage += part + "\n\n"
		}
		texts = append(texts, passage)
		return err
	})
	if err != nil {
		b.Skipf("SKIP needs the snapshot of Mobium's docs: %v", err)
	}
	var some []string
	for i, text := range texts {
		if strings.TrimSpace(text) != "" && i%7 == 0 {
			some = append(some, text)
		}
	}
	return some
}

// embedAll embeds texts with a caller a core.
func embedAll(b *testing.B, e Embedder, texts []string) (tokens int) {
	work := make(chan string)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for text := range work {
				out, err := e.Embed(b.Context(), text)
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				tokens += min(out.Tokens, MaxTokens)
				mu.Unlock()
			}
		})
	}
	for _, text := range texts {
		work <- text
	}
	close(work)
	wg.Wait()
	return tokens
}

// anonymous samples the process's anonymous memory until stopped, and returns the most it saw, in MB.
func anonymous() (stop func() float64) {
	done, most := make(chan struct{}), make(chan float64)
	go func() {
		peak := 0.0
		for {
			status, _ := os.ReadFile("/proc/self/status") // absent elsewhere: 0
			if _, rest, ok := bytes.Cut(status, []byte("RssAnon:")); ok {
				if kb, err := strconv.Atoi(string(bytes.Fields(rest)[0])); err == nil {
					peak = max(peak, float64(kb)/1000)
				}
			}
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(done); return <-most }
}

// BenchmarkSnapshot is bulk work: passages/s and tokens/s, and where
// MR_PYTHON names a Python with onnxruntime, tokenizers and numpy, the same
// texts in the same run through it: 2 threads, one text a run.
func BenchmarkSnapshot(b *testing.B) {
	texts := snapshot(b)
	e := mustOpen(b, &cache.Cache{}, Options{})
	embedAll(b, e, texts[:4]) // loads
	var ours, theirs time.Duration
	tokens := 0
	stop := anonymous()
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		tokens += embedAll(b, e, texts)
		ours += time.Since(start)
		if py := os.Getenv("MR_PYTHON"); py != "" {
			theirs += python(b, py, e, texts)
		}
	}
	n := float64(b.N * len(texts))
	b.ReportMetric(n/ours.Seconds(), "passages/s")
	b.ReportMetric(float64(tokens)/ours.Seconds(), "tokens/s")
	b.ReportMetric(float64(tokens)/n, "tokens/passage")
	b.ReportMetric(stop(), "peak-anon-MB")
	if theirs > 0 {
		b.ReportMetric(n/theirs.Seconds(), "python-passages/s")
		b.ReportMetric(theirs.Seconds()/ours.Seconds(), "x-python")
	}
}

// python is the time Python takes, start and loading apart.
func python(b *testing.B, path string, e *BiEncoder, texts []string) time.Duration {
	b.Helper()
	in, err := json.Marshal(texts)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, filepath.Join("testdata", "reference.py"), e.model.Path, e.model.Tokenizer)
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

// BenchmarkQuestion is the wait for one short text.
func BenchmarkQuestion(b *testing.B) {
	for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			e := mustOpen(b, &cache.Cache{}, Options{Threads: threads})
			for b.Loop() {
				if _, err := e.Embed(b.Context(), "How do I run the tests in parallel on two devices?"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is what a run waits for before its first text: cold, the
// files are checked and loaded; warm, only checked.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for _, kept := range []string{"off", dir} { // cold, then warm
		b.Run(map[string]string{"off": "cold", dir: "warm"}[kept], func(b *testing.B) {
			once := func() {
				c, err := cache.Open(kept, func(err error) { b.Error(err) })
				if err != nil {
					b.Fatal(err)
				}
				e := mustOpen(b, c, Options{})
				embedAll(b, e, []string{"text"})
				if err := errors.Join(e.Close(), c.Close()); err != nil {
					b.Fatal(err)
				}
			}
			once()
			for b.Loop() {
				once()
			}
		})
	}
}
