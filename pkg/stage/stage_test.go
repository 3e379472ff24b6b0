package stage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// answer turns documents into questions; the document "bad" is bad input and
// "fatal" is the stage's own failure. It is slower the earlier it is called.
func answer(_ context.Context, rec record.Record) ([]record.Record, error) {
	doc, ok := rec.(*record.Document)
	if !ok {
		return nil, stage.Unexpected(rec, "a document")
	}
	switch doc.Path {
	case "bad":
		return nil, stage.Bad("document %q cannot be asked", doc.Path)
	case "fatal":
		return nil, errors.New("the model is gone")
	case "none":
		return nil, nil
	case "invalid":
		return []record.Record{&record.Question{}}, nil
	}
	return []record.Record{
		&record.Question{ID: record.QuestionID(doc.Path), Text: "first"},
		&record.Question{ID: record.QuestionID(doc.Path + "'"), Text: "second"},
	}, nil
}

func run(fn stage.Func, files ...string) (string, error) {
	var sources []record.Source
	for i, text := range files {
		sources = append(sources, record.Source{Name: fmt.Sprintf("f%d", i+1), Reader: strings.NewReader(text)})
	}
	var out bytes.Buffer
	err := fn(context.Background(), record.NewReader(sources...), record.NewWriter(&out))
	return out.String(), err
}

func docs(paths ...string) string {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, `{"type":"document","path":%q,"text":""}`+"\n", p)
	}
	return b.String()
}

func stream(tool string, paths ...string) string {
	return fmt.Sprintf(`{"type":"run","tool":%q,"version":"1","commit":"c-%s"}`+"\n", tool, tool) + docs(paths...) +
		fmt.Sprintf(`{"type":"end","counts":{"document":%d}}`+"\n", len(paths))
}

// shape is an output with a word a line: the tool and its input's tool, the question's id, the number of questions.
func shape(t *testing.T, out string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(out) {
		r := record.NewReader(record.Source{Name: "out", Reader: strings.NewReader(line)})
		if !r.Scan() {
			if !strings.HasPrefix(line, `{"type":"end"`) {
				t.Fatalf("the output has a bad line: %v", r.Err())
			}
			fmt.Fprintf(&b, "end ")
			continue
		}
		switch rec := r.Record().(type) {
		case *record.Run:
			fmt.Fprintf(&b, "run(%s@%s", rec.Tool, rec.Commit)
			for _, in := range rec.Inputs {
				fmt.Fprintf(&b, "<%s", in.Tool)
			}
			b.WriteString(") ")
		case *record.Question:
			fmt.Fprintf(&b, "%s ", rec.ID)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestMap(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		in     []string
		want   string
		err    string // "" for none; every line of it must be there
	}{
		{
			name: "one stream", reason: "the run carries the run and the commit of its input",
			in: []string{stream("cut", "a", "b")}, want: "run(ask@c-cut<cut) a a' b b' end",
		},
		{
			name: "cat of streams", reason: "what is written for (cat a b) is what is written for a, then for b",
			in:   []string{stream("one", "a") + stream("two", "b")},
			want: "run(ask@c-one<one) a a' end run(ask@c-two<two) b b' end",
		},
		{
			name: "two files", reason: "files are a cat",
			in:   []string{stream("one", "a"), stream("two", "b")},
			want: "run(ask@c-one<one) a a' end run(ask@c-two<two) b b' end",
		},
		{
			name: "records outside of any run", reason: "a hand-made file needs no run, the output has one",
			in: []string{docs("a", "b")}, want: "run(ask@) a a' b b' end",
		},
		{
			name: "loose, stream, loose", reason: "loose records never join a stream's",
			in:   []string{docs("a") + stream("one", "b") + docs("c")},
			want: "run(ask@) a a' end run(ask@c-one<one) b b' end run(ask@) c c' end",
		},
		{
			name: "stream without records", reason: "it was whole, and so is what stands for it",
			in: []string{stream("cut")}, want: "run(ask@c-cut<cut) end",
		},
		{
			name: "records without results", reason: "n of the output is the output's own",
			in: []string{stream("cut", "none", "a")}, want: "run(ask@c-cut<cut) a a' end",
		},
		{
			name: "bad records", reason: "each is named, the rest is written, and the stream does not end",
			in: []string{stream("cut", "bad", "a", "bad")}, want: "run(ask@c-cut<cut) a a'",
			err: "f1:2: document \"bad\" cannot be asked\nf1:4: document \"bad\" cannot be asked",
		},
		{
			name: "bad record, then another stream", reason: "a stream that lacks records must not look whole",
			in:   []string{stream("one", "bad", "a") + stream("two", "b", "bad")},
			want: "run(ask@c-one<one) a a'",
			err:  "f1:2: document \"bad\" cannot be asked\nf1:7: document \"bad\" cannot be asked",
		},
		{
			name: "bad line, then another stream", reason: "the same where the reader found it",
			in:   []string{stream("one", "a") + "{\n" + stream("two", "b")},
			want: "run(ask@c-one<one) a a'",
			err:  "f1:4: not JSON",
		},
		{
			name: "only bad records", reason: "nothing is written, which the next stage takes for a failure",
			in: []string{docs("bad")}, want: "", err: "f1:1: document \"bad\" cannot be asked",
		},
		{
			name: "wrong type", reason: "another tool's stream is bad input",
			in:  []string{`{"type":"question","id":"q","text":"?"}` + "\n"},
			err: "f1:1: expected a document, got a question record",
		},
		{
			name: "cut stream", reason: "what came through is passed on, the end is not",
			in:   []string{strings.TrimSuffix(stream("cut", "a", "b"), `{"type":"end","counts":{"document":2}}`+"\n")},
			want: "run(ask@c-cut<cut) a a' b b'",
			err:  "f1:3: the stream of cut that starts at f1:1 has no end record",
		},
		{
			name: "fatal error", reason: "it stops at once, with the place",
			in: []string{stream("cut", "a", "fatal", "b")}, want: "run(ask@c-cut<cut) a a'",
			err: "f1:3: the model is gone",
		},
		{
			name: "invalid result", reason: "a stage that makes a bad record is stopped",
			in: []string{stream("cut", "invalid")}, want: "run(ask@c-cut<cut)",
			err: "f1:2: record: refusing to write a bad question record",
		},
		{
			name: "empty input", reason: "a stage that wrote nothing at all has failed",
			in: []string{""}, err: "f1:0: the input is empty",
		},
	}
	for _, tt := range tests {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, workers), func(t *testing.T) {
				out, err := run(stage.Map(&record.Run{Tool: "ask"}, workers, answer), tt.in...)
				if d := cmp.Diff(tt.want, shape(t, out)); d != "" {
					t.Errorf("%s (-want +got):\n%s", tt.reason, d)
				}
				if (err != nil) != (tt.err != "") {
					t.Fatalf("%s: error is %v, expected %q", tt.reason, err, tt.err)
				}
				for line := range strings.Lines(tt.err) {
					if line = strings.TrimSpace(line); !strings.Contains(err.Error(), line) {
						t.Errorf("%s: error %q lacks %q", tt.reason, err, line)
					}
				}
			})
		}
	}
}

// TestMapOrder: results come in the order of the input however the calls end,
// and the bytes are the same for any number of workers.
func TestMapOrder(t *testing.T) {
	const n = 500
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("d%03d", i)
	}
	var want string
	for _, workers := range []int{1, 2, 8, 64} {
		var mu sync.Mutex
		var calls, most, atOnce int
		late := func(ctx context.Context, rec record.Record) ([]record.Record, error) {
			mu.Lock()
			calls++
			mine := calls
			atOnce++
			most = max(most, atOnce)
			mu.Unlock()
			if mine%7 == 0 { // hold some up, so that later ones overtake
				time.Sleep(time.Millisecond)
			}
			out, err := answer(ctx, rec)
			mu.Lock()
			atOnce--
			mu.Unlock()
			return out, err
		}
		got, err := run(stage.Map(&record.Run{Tool: "ask"}, workers, late), stream("cut", paths...))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = got
			if strings.Count(got, `"type":"question"`) != 2*n {
				t.Fatalf("expected %d questions", 2*n)
			}
		}
		if got != want {
			t.Errorf("the output with %d workers differs from that with one", workers)
		}
		if most > workers {
			t.Errorf("%d calls at once with %d workers", most, workers)
		}
		if workers > 1 && most == 1 {
			t.Errorf("%d workers never worked side by side: the order was not put to the test", workers)
		}
	}
}

// endless is an input that goes on for ever; silent is one that never says anything.
type endless struct {
	n    int
	rest string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = docs(fmt.Sprintf("d%d", e.n))
		e.n++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

type silent struct{ forever chan struct{} }

func (s silent) Read([]byte) (int, error) { <-s.forever; return 0, io.EOF }

// within fails the test if fn does not end.
func within(t *testing.T, what string, fn func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

func TestMapStopsOnEndlessInput(t *testing.T) {
	tests := []struct {
		name string
		in   io.Reader
		fn   stage.Mapper
		want string
	}{
		{"fatal error", &endless{}, func(_ context.Context, rec record.Record) ([]record.Record, error) {
			if rec.(*record.Document).Path == "d40" {
				return nil, errors.New("the model is gone")
			}
			return nil, nil
		}, "in:41: the model is gone"},
		{"fatal error before a silence", io.MultiReader(strings.NewReader(docs("a", "fatal")), silent{}), answer, "in:2: the model is gone"},
		{"fatal error while others hang", &endless{}, func(ctx context.Context, rec record.Record) ([]record.Record, error) {
			if rec.(*record.Document).Path == "d0" {
				return nil, errors.New("the model is gone")
			}
			<-ctx.Done() // as a call to a model should
			return nil, ctx.Err()
		}, "in:1: the model is gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			err := within(t, "Map", func() error {
				return stage.Map(&record.Run{Tool: "ask"}, 4, tt.fn)(context.Background(),
					record.NewReader(record.Source{Name: "in", Reader: tt.in}), record.NewWriter(io.Discard))
			})
			if err == nil || err.Error() != tt.want {
				t.Errorf("expected %q, got %v", tt.want, err)
			}
			if _, canEnd := tt.in.(*endless); canEnd {
				waitForGoroutines(t, before)
			}
		})
	}
}

// waitForGoroutines fails the test where more goroutines stay than there were.
func waitForGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 2000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines were left running", runtime.NumGoroutine()-before)
}

func TestMapStopsWhenCancelled(t *testing.T) {
	for name, in := range map[string]io.Reader{"endless input": &endless{}, "silent input": silent{}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(10*time.Millisecond, cancel)
			err := within(t, "Map", func() error {
				return stage.Map(&record.Run{Tool: "ask"}, 2, answer)(ctx,
					record.NewReader(record.Source{Name: "in", Reader: in}), record.NewWriter(io.Discard))
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("expected the context's error, got %v", err)
			}
		})
	}
}

// limited is a writer that fails after n bytes, as a full disk does.
type limited struct{ n int }

var errFull = errors.New("no space left")

func (l *limited) Write(p []byte) (int, error) {
	if l.n -= len(p); l.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestMapStopsWhenOutputFails(t *testing.T) {
	err := within(t, "Map", func() error {
		return stage.Map(&record.Run{Tool: "ask"}, 2, answer)(context.Background(),
			record.NewReader(record.Source{Name: "in", Reader: &endless{}}), record.NewWriter(&limited{n: 1000}))
	})
	if !errors.Is(err, errFull) {
		t.Errorf("expected %v, got %v", errFull, err)
	}
}

func TestCollect(t *testing.T) {
	in := docs("x") + stream("one", "a") + stream("two", "b")
	runs, recs, err := stage.Collect(record.NewReader(record.Source{Name: "f", Reader: strings.NewReader(in)}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.Tool)
	}
	for _, r := range recs {
		got = append(got, fmt.Sprintf("%v %s", r.Pos, r.Record.(*record.Document).Path))
	}
	if d := cmp.Diff([]string{"one", "two", "f:1 x", "f:3 a", "f:6 b"}, got); d != "" {
		t.Errorf("runs and records (-want +got):\n%s", d)
	}
	if _, _, err := stage.Collect(record.NewReader(record.Source{Name: "f", Reader: strings.NewReader(in + "{}\n")})); err == nil {
		t.Error("a bad line was let through")
	}
}
