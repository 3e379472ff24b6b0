package stage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// rename is a stage that adds a letter to every document's path, and keeps what it does not know.
func rename(tool, letter string) stage.Func {
	return stage.Map(&record.Run{Tool: tool}, 3, func(_ context.Context, rec record.Record) ([]record.Record, error) {
		doc, ok := rec.(*record.Document)
		if !ok {
			return nil, stage.Unexpected(rec, "a document")
		}
		switch doc.Path {
		case "fatal-" + tool:
			return nil, errors.New(tool + " is gone")
		case "bad-" + tool:
			return nil, stage.Bad("bad for %s", tool)
		}
		doc.Path += letter
		return []record.Record{doc}, nil
	})
}

func manyDocs(n int) string {
	var b strings.Builder
	fmt.Fprintln(&b, `{"type":"run","tool":"cut","version":"1"}`)
	for i := range n {
		fmt.Fprintf(&b, `{"type":"document","path":"d%d","text":%q,"mine":[%d.0]}`+"\n", i, strings.Repeat("x", i%900), i)
	}
	fmt.Fprintf(&b, `{"type":"end","counts":{"document":%d}}`+"\n", n)
	return b.String()
}

// TestPipeEqualsChain: filters side by side give, byte for byte, what they give one after another.
func TestPipeEqualsChain(t *testing.T) {
	in := manyDocs(300) + manyDocs(2)
	chained := in
	for _, fn := range []stage.Func{rename("one", "a"), rename("two", "b"), rename("three", "c")} {
		var err error
		if chained, err = run(fn, chained); err != nil {
			t.Fatal(err)
		}
	}
	piped, err := run(stage.Pipe(rename("one", "a"), rename("two", "b"), rename("three", "c")), in)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(chained, piped); d != "" {
		t.Errorf("piped differs from chained:\n%s", d)
	}
	if !strings.Contains(piped, `"path":"d299abc"`) || strings.Count(piped, "\n") != 306 {
		t.Errorf("the pipe did not do its work:\n%.500s", piped)
	}
}

func TestPipeOfOne(t *testing.T) {
	in := manyDocs(3)
	alone, err1 := run(rename("one", "a"), in)
	piped, err2 := run(stage.Pipe(rename("one", "a")), in)
	if err1 != nil || err2 != nil || alone != piped {
		t.Errorf("errors %v, %v; outputs\n%s\n%s", err1, err2, alone, piped)
	}
}

func TestPipeErrors(t *testing.T) {
	tests := []struct {
		name, reason string
		paths        []string
		want         []string // one an error, in order
	}{
		{
			"upstream fails", "the next one sees a cut stream, as with processes", []string{"x", "fatal-one"},
			[]string{"f1:3: one is gone", "pipe 1:2: the stream of one that starts at pipe 1:1 has no end record"},
		},
		{
			"downstream fails", "the one before was stopped, which is no error of its own", []string{"fatal-two"},
			[]string{"pipe 1:2: two is gone"},
		},
		{
			"bad input upstream", "both say it: the one by its line, the other by the missing end", []string{"bad-one", "y"},
			[]string{"f1:2: bad for one", "pipe 1:2: the stream of one that starts at pipe 1:1 has no end record"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Both keep the path as it is, so that a name can reach the second.
			_, err := run(stage.Pipe(rename("one", ""), rename("two", "")), stream("cut", tt.paths...))
			if err == nil {
				t.Fatalf("no error: %s", tt.reason)
			}
			var got []string
			for line := range strings.Lines(err.Error()) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), ": the stage before died")
				got = append(got, line)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, d)
			}
		})
	}
}

// TestPipeStopsUpstream: whatever the input, a filter whose reader has failed ends.
func TestPipeStopsUpstream(t *testing.T) {
	inputs := map[string]io.Reader{
		"endless input":                 &endless{},
		"input that falls silent later": io.MultiReader(strings.NewReader(docs("a", "fatal-two")), silent{}),
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			pipe := stage.Pipe(rename("one", ""), rename("between", ""), stage.Map(&record.Run{Tool: "two"}, 1,
				func(_ context.Context, rec record.Record) ([]record.Record, error) {
					if p := rec.(*record.Document).Path; p == "d7" || p == "fatal-two" {
						return nil, errors.New("two is gone")
					}
					return nil, nil
				}))
			err := within(t, "Pipe", func() error {
				return pipe(context.Background(), record.NewReader(record.Source{Name: "in", Reader: in}), record.NewWriter(io.Discard))
			})
			if err == nil || !strings.HasSuffix(err.Error(), ": two is gone") || strings.Contains(err.Error(), "\n") {
				t.Errorf("expected the one error of the last filter, got %v", err)
			}
			if _, canEnd := in.(*endless); canEnd {
				waitForGoroutines(t, before)
			}
		})
	}
}

// TestPipeStopsWhoLooksAtItsContext: a filter that ends with ctx.Err(), wrapped or not, says
// nothing of its own when it was stopped, and is an error when nobody stopped it.
func TestPipeStopsWhoLooksAtItsContext(t *testing.T) {
	waits := func(ctx context.Context, _ *record.Reader, _ *record.Writer) error {
		<-ctx.Done()
		return fmt.Errorf("in:3: %w", ctx.Err())
	}
	fails := func(context.Context, *record.Reader, *record.Writer) error { return errors.New("two is gone") }
	_, err := run(stage.Pipe(waits, fails), stream("cut", "a"))
	if err == nil || err.Error() != "two is gone" {
		t.Errorf("expected the error of the second filter alone, got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(stream("cut", "a"))})
	err = stage.Pipe(waits)(ctx, in, record.NewWriter(io.Discard))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled from outside: got %v", err)
	}
}

// TestPipeToAReaderThatLeaves: a filter that ends well without reading on is no success of the whole.
func TestPipeToAReaderThatLeaves(t *testing.T) {
	head := func(_ context.Context, in *record.Reader, _ *record.Writer) error {
		in.Scan()
		return nil
	}
	var out bytes.Buffer
	err := within(t, "Pipe", func() error {
		return stage.Pipe(rename("one", "a"), head)(context.Background(),
			record.NewReader(record.Source{Name: "in", Reader: &endless{}}), record.NewWriter(&out))
	})
	if err == nil || !strings.Contains(err.Error(), "the next stage has ended") {
		t.Errorf("expected the error of the filter that could not write, got %v", err)
	}
}

func TestPipeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := within(t, "Pipe", func() error {
		return stage.Pipe(rename("one", "a"), rename("two", "b"))(ctx,
			record.NewReader(record.Source{Name: "in", Reader: silent{}}), record.NewWriter(io.Discard))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("expected the context's error, got %v", err)
	}
}
