package indexstage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/index/indexstage"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

var (
	_ stage.Func = (&indexstage.Build{}).Stream
	_ stage.Func = (&indexstage.Search{}).Stream
)

const passages = `{"type":"run","tool":"mr-cut","version":"1","commit":"c0ffee00"}
{"type":"passage","id":"a#1","section":"a#1","path":"a","heading":"","lines":[1,2],"commit":"c0ffee00","text":"deploy"}
{"type":"timing","tool":"mr-cut","step":"cut","n":1,"seconds":1}
{"type":"end","counts":{"passage":1,"timing":1}}
`

func run(t *testing.T, fn stage.Func, inputs ...string) (string, error) {
	t.Helper()
	var sources []record.Source
	for i, text := range inputs {
		sources = append(sources, record.Source{Name: fmt.Sprintf("f%d", i+1), Reader: strings.NewReader(text)})
	}
	var out bytes.Buffer
	err := fn(t.Context(), record.NewReader(sources...), record.NewWriter(&out))
	return out.String(), err
}

func build(t *testing.T, inputs ...string) (dir, out string, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "index")
	cfg := index.DefaultConfig()
	cfg.Run = &record.Run{Tool: "mr-index build"}
	b := indexstage.Build{Dir: dir, Config: cfg, Timing: true}
	out, err = run(t, b.Stream, inputs...)
	return dir, out, err
}

func searcher(t *testing.T) *indexstage.Search {
	t.Helper()
	dir, _, err := build(t, passages)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(dir, index.DefaultBM25())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &index.Searcher{Engine: x, System: "bm25", Options: index.DefaultOptions()}
	s.Fusion.Terms = []fuse.Term{{Stage: index.LegBM25, Weight: 1}}
	return &indexstage.Search{Searcher: s, Run: &record.Run{Tool: "mr-index search"}}
}

// outline is a stream as the types of its records, with the ids of questions.
func outline(t *testing.T, out string) (parts []string) {
	t.Helper()
	in := record.NewReader(record.Source{Name: "out", Reader: strings.NewReader(out)})
	for in.Scan() {
		s := string(in.Record().Kind())
		if h, ok := in.Record().(*record.Hits); ok {
			s += " " + string(h.Question.ID)
		}
		parts = append(parts, s)
	}
	return parts
}

func TestBuild(t *testing.T) {
	_, out, err := build(t, passages)
	if err != nil || !strings.Contains(out, `"inputs":[{"type":"run","tool":"mr-cut"`) {
		t.Errorf("%v: %s", err, out)
	}
	if d := cmp.Diff([]string{"run", "timing", "end"}, outline(t, out)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	_, out, err = build(t, passages, passages)
	if err == nil || err.Error() != `f2:2: passage "a#1" is there already, at f1:2` || out != "" {
		t.Errorf("twice: %v: %s", err, out)
	}
}

func question(id, text string) string {
	return fmt.Sprintf(`{"type":"question","id":%q,"text":%q}`+"\n", id, text)
}

func stream(records ...string) string {
	return `{"type":"run","tool":"mr-embed","version":"1"}` + "\n" + strings.Join(records, "") +
		fmt.Sprintf(`{"type":"end","counts":{"question":%d}}`, len(records)) + "\n"
}

func TestSearchStreams(t *testing.T) {
	one, two, bad := question("q1", "deploy"), question("q2", "deploy"), question("q3", " ")
	tests := []struct {
		name  string
		input []string
		want  string
		err   string
	}{
		{"a stream", []string{stream(one, two)}, "run, hits q1, hits q2, end", ""},
		{"outside of any", []string{one + two}, "run, hits q1, hits q2, end", ""},
		{"two streams", []string{stream(one), stream(two)}, "run, hits q1, end, run, hits q2, end", ""},
		{"records, then a stream", []string{one, stream(two)}, "run, hits q1, end, run, hits q2, end", ""},
		{"a stream, then records", []string{stream(one), two}, "run, hits q1, end, run, hits q2, end", ""},
		{"a stream of nothing", []string{stream()}, "run, end", ""},
		{"bad input cuts its stream and what follows", []string{stream(one, bad), stream(two)}, "run, hits q1", "f1:3: "},
		{"good streams before it stand", []string{stream(one), stream(bad, two)}, "run, hits q1, end, run, hits q2", "f2:2: "},
		{"the same question again", []string{stream(one), stream(one)}, "run, hits q1, end, run", `f2:2: question "q1" was asked already, at f1:2`},
		{"no end", []string{strings.TrimSuffix(stream(one), `{"type":"end","counts":{"question":1}}`+"\n")}, "run, hits q1", "f1:2: the stream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := run(t, searcher(t).Stream, tt.input...)
			if d := cmp.Diff(tt.want, strings.Join(outline(t, out), ", ")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

// TestPipe: in one process as in two.
func TestPipe(t *testing.T) {
	s := searcher(t)
	apart, err := run(t, s.Stream, stream(question("q1", "deploy"), question("q2", "leave")))
	if err != nil {
		t.Fatal(err)
	}
	pass := func(_ context.Context, in *record.Reader, out *record.Writer) error {
		for in.Scan() {
			var err error
			switch rec := in.Record().(type) {
			case *record.Run:
				err = out.Start(rec)
			case *record.End:
				err = out.End()
			default:
				err = out.Write(rec)
			}
			if err != nil {
				return err
			}
		}
		return in.Err()
	}
	joined, err := run(t, stage.Pipe(pass, s.Stream, pass), stream(question("q1", "deploy"), question("q2", "leave")))
	if err != nil || joined != apart {
		t.Errorf("%v (-apart +joined):\n%s", err, cmp.Diff(apart, joined))
	}
}

// TestCancelled: a search that is stopped writes no end.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	in := record.NewReader(record.Source{Name: "f", Reader: strings.NewReader(stream(question("q1", "deploy")))})
	err := searcher(t).Stream(ctx, in, record.NewWriter(&out))
	if !errors.Is(err, context.Canceled) || strings.Contains(out.String(), `"end"`) {
		t.Errorf("%v: %s", err, out.String())
	}
}
