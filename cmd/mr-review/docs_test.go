package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

// manual is a page of docs, and what someone might put there.
const manual = `# Manual

The manual of a thing.

## Boot

Press the power key for 3 seconds. Booting takes 90 seconds.

## Stop

Use the stop command. It saves first. See [boot](#boot).

## Evil

<script>document.title = "pwned"; fetch("https://evil.example/script")</script>

Some <img src="https://evil.example/img" onerror="document.title='pwned'"> text, and a
[trap](javascript:document.title='pwned') and ![a picture](https://evil.example/picture.png).

<svg onload="document.title='pwned'"></svg>
`

// The golden set, a line each, with members that the program does not know.
const (
	q1 = `{"type":"golden","id":"q1","question":"How long does it boot?","kind":"fact","gold":[["manual.md#boot"]],"key_facts":["booting takes 90 seconds"],"review":"draft","since":1.50}`
	q2 = `{"type":"golden","id":"q2","question":"What is a trap?","kind":"fact","gold":[["manual.md#evil"]],"review":"draft","since":2.50}`
	q3 = `{"type":"golden","id":"q3","question":"How is it stopped, and begun again?","kind":"multi","gold":[["manual.md#stop"],["manual.md#boot"]],"key_facts":["the stop command","the power key"],"review":"draft"}`
	q4 = `{"type":"golden","id":"q4","question":"Who made it?","kind":"unanswerable","gold":[],"review":"draft"}`
	p1 = `{"type":"golden","id":"p1","question":"Does stopping save?","kind":"fact","gold":[["manual.md#stop"]],"review":"draft"}`
)

// noon is the clock of the tests.
func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

// hash is of a golden record as its line is written: the first 8 bytes of the sha256.
func hash(line string) string {
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:8])
}

// cut cuts pages given by path and text.
func cut(tb testing.TB, pages map[string]string) *corpus.Corpus {
	tb.Helper()
	cutter, err := corpus.New(corpus.Default())
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	out := record.NewWriter(&b)
	if err := out.Start(&record.Run{Tool: "test"}); err != nil {
		tb.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		passages, err := cutter.CutPage(corpus.Page{Path: path, Text: []byte(pages[path])})
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range passages {
			p.Commit = "c1"
			if err := out.Write(p); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := out.End(); err != nil {
		tb.Fatal(err)
	}
	c, err := corpus.Read(record.NewReader(record.Source{Name: "corpus", Reader: &b}))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// goldenSite is the golden page on files in a folder of their own.
func goldenSite(tb testing.TB, c *corpus.Corpus, set, proposed, by string) (dir, url string) {
	tb.Helper()
	dir = tb.TempDir()
	file(tb, filepath.Join(dir, "golden.jsonl"), set)
	file(tb, filepath.Join(dir, "proposed.jsonl"), proposed)
	sections, err := reviewweb.NewSections(context.Background(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := sections.Close(); err != nil {
			tb.Error(err)
		}
	})
	site := &reviewweb.Golden{
		Paths: review.Paths{Golden: filepath.Join(dir, "golden.jsonl"), Proposed: filepath.Join(dir, "proposed.jsonl"), NextPin: filepath.Join(dir, "next.jsonl")},
		Store: review.Store{Path: filepath.Join(dir, "review", "decisions.json")}, Sections: sections, Depth: 20, By: by, Now: noon,
	}
	handler, err := site.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	return dir, served(tb, handler)
}

// answered is two answers, with a judge's reading of the second.
func answered() ([]*record.Answer, *record.Verdict) {
	var answers []*record.Answer
	for i, text := range []string{"Use the **stop** command.", "It boots <script>document.title='pwned'</script> for 90 seconds."} {
		answers = append(answers, &record.Answer{
			Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprint("q", i+1)), Text: fmt.Sprintf("Question %d?", i+1)}, System: "s", Model: "extract", Status: record.Scored,
			Passages:  []record.Labelled{{Label: "P1", Passage: "manual.md#stop", Section: "manual.md#stop", Text: "Use the stop command. [x](javascript:alert(1))"}},
			Text:      text,
			Sentences: []record.Sentence{{Text: text, Labels: []string{"P1"}}},
		})
	}
	return answers, &record.Verdict{Key: "k", Question: answers[1].Question, Judge: "ollama:m", Metric: record.Faithfulness, Answer: answers[1].Digest(),
		Claims: []record.Claim{{Claim: "a claim that the judge read", Supported: record.No}}, Mark: record.No, Status: record.Scored}
}

// labelsSite is the labels page of two answers; blind where there is no reading.
func labelsSite(tb testing.TB, path string, answers []*record.Answer, reading *record.Verdict) (url string) {
	tb.Helper()
	l := &reviewweb.Labels{All: answers, Blind: reading == nil, Store: label.Store{Path: path}, By: "Ada", Now: noon,
		Drawn: []review.Drawn{{Answer: answers[0], Weight: 1.5}, {Answer: answers[1], Weight: 0.5}}}
	if reading != nil {
		l.Verdicts = []*record.Verdict{reading}
	}
	handler, err := l.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	return served(tb, handler)
}

func file(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func contents(tb testing.TB, path ...string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// review runs a command of the program in this process, and returns its code and output.
func command(tb testing.TB, args ...string) (code int, out, errs string) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	code = tool.New("mr-review", source, args, strings.NewReader(""), &stdout, &stderr).Run(tb.Context(), run)
	return code, stdout.String(), stderr.String()
}
