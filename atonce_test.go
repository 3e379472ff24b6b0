package mobiumrag_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/model"
)

// TestAtOnce: two mr-embed and four mr-index search share cache and index.
// Both mr-embed are held in the middle of their input until all searches have
// ended, so a search that waited for them would never end. All of them write
// what they write alone, and none complains of the cache.
func TestAtOnce(t *testing.T) {
	store, err := model.Find("")
	if err != nil {
		t.Skip("SKIP needs models: run scripts/fetch-models: ", err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "./cmd/mr-cut", "./cmd/mr-embed", "./cmd/mr-index").CombinedOutput(); err != nil {
		t.Fatalf("the tools do not build: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a deadlock shall end
	defer cancel()
	command := func(cache, script string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
		cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "MR_MODELS="+store.Dir(), "MR_CACHE="+cache)
		said := new(bytes.Buffer)
		cmd.Stderr = said
		return cmd, said
	}
	shell := func(cache, script, stdin string) (string, error) {
		cmd, said := command(cache, script)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil || said.Len() > 0 {
			return "", fmt.Errorf("%s: %v\n%s", script, err, said)
		}
		return string(out), nil
	}
	alone := func(script, stdin string) string {
		t.Helper()
		out, err := shell("off", script, stdin)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}

	const embed, search = "mr-embed -as passage", "mr-embed -as question | mr-index search -index index"
	var docs strings.Builder
	for i := range 120 { // half of them fill the 64 KiB that mr-embed writes at once, twice
		fmt.Fprintf(&docs, `{"type":"document","path":"docs/%d.md","text":"# Page %d\n\nThe daemon number %d is stopped by the stop command.\n"}`+"\n", i, i, i*i)
	}
	passages := alone("mr-cut | jq -c 'select(.type==\"passage\")'", docs.String())
	embedded := alone(embed, passages)
	alone("mr-index build -index index", embedded)
	found := alone(search, chainQuestions)

	half := strings.Index(passages[len(passages)/2:], "\n") + len(passages)/2 + 1
	type held struct {
		cmd  *exec.Cmd
		said *bytes.Buffer
		in   io.WriteCloser
		out  *bufio.Reader
		got  string
	}
	var embeds [2]held
	for i := range embeds {
		h := &embeds[i]
		h.cmd, h.said = command("cache", embed)
		if h.in, err = h.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		stdout, err := h.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		h.out = bufio.NewReader(stdout)
		if err := h.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(h.in, passages[:half]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range embeds { // the run record and a passage: it is in the middle
		for range 2 {
			line, err := embeds[i].out.ReadString('\n')
			if err != nil {
				t.Fatalf("mr-embed ended early: %v", err)
			}
			embeds[i].got += line
		}
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			switch out, err := shell("cache", search, chainQuestions); {
			case err != nil:
				t.Error(err)
			case out != found:
				t.Errorf("a search beside others differs from one alone:\n%s\nalone:\n%s", out, found)
			}
		})
	}
	wg.Wait()

	for i := range embeds {
		h := &embeds[i]
		if _, err := io.WriteString(h.in, passages[half:]); err != nil {
			t.Errorf("mr-embed ended early: %v", err)
		}
		if err := h.in.Close(); err != nil {
			t.Error(err)
		}
		rest, err := io.ReadAll(h.out)
		if err != nil {
			t.Error(err)
		}
		if err := h.cmd.Wait(); err != nil || h.said.Len() > 0 {
			t.Errorf("mr-embed: %v\n%s", err, h.said)
		}
		if h.got+string(rest) != embedded {
			t.Error("mr-embed beside others differs from one alone")
		}
	}
}
