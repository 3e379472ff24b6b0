package embedstage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/embed/embedstage"
	"github.com/mobiumdev/mobium-rag/pkg/embed/embedtest"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

var _ stage.Func = (&embedstage.Filter{}).Stream

// fake is the fake in 2 dimensions, so that lines stay short.
var fake = embedtest.Fake{Size: 2}

func filter(as embedstage.Kind) *embedstage.Filter {
	return &embedstage.Filter{Embedder: fake, As: as, Run: &record.Run{Tool: "mr-embed"}}
}

func run(t *testing.T, f *embedstage.Filter, input ...string) (string, error) {
	t.Helper()
	var sources []record.Source
	for i, text := range input {
		sources = append(sources, record.Source{Name: fmt.Sprintf("f%d", i+1), Reader: strings.NewReader(text)})
	}
	var out bytes.Buffer
	err := f.Stream(t.Context(), record.NewReader(sources...), record.NewWriter(&out))
	return out.String(), err
}

func mustRun(t *testing.T, f *embedstage.Filter, input ...string) []record.Record {
	t.Helper()
	text, err := run(t, f, input...)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func parse(t *testing.T, text string) (recs []record.Record) {
	t.Helper()
	in := record.NewReader(record.Source{Name: "out", Reader: strings.NewReader(text)})
	for in.Scan() {
		recs = append(recs, in.Record())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return recs
}

func vector(t *testing.T, text string) record.Vector {
	t.Helper()
	e, err := fake.Embed(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return e.Vector
}

const passage = `{"type":"passage","id":"a#b~1","section":"a#b","path":"a","heading":"B","headings":["A","B"],"lines":[3,9],"commit":"c0","text":"the text","sha256":"41a1f654dc79a9ac645afa553c31d51fd115eca8dd1cb9e6c67ae03e52718e8b","mood":{"x":[1,2]}}` + "\n"

func TestPassages(t *testing.T) {
	tests := []struct {
		name    string
		context embed.Context
		input   string
		text    string // whose vector is wanted
	}{
		{"text alone", embed.NoContext, passage, "the text"},
		{"with its trail", embed.TrailContext, passage, "A B the text"},
		{"a vector that was there", embed.NoContext, strings.Replace(passage, `"mood"`, `"vector":[5,5,5],"mood"`, 1), "the text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := filter(embedstage.Passages)
			f.Context = tt.context
			got := mustRun(t, f, tt.input)
			want := parse(t, passage)[0].(*record.Passage)
			want.Vector = vector(t, tt.text)
			wanted := []record.Record{
				&record.Run{Tool: "mr-embed", Version: record.Version, Models: []record.Model{fake.Model()}},
				want,
				&record.End{Counts: map[record.Kind]int{record.KindPassage: 1}},
			}
			if d := cmp.Diff(wanted, got, cmpopts.IgnoreFields(record.Base{}, "Type"), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Nothing of a golden record but id and question is in the output, at any place.
func TestGoldGoesNoFurther(t *testing.T) {
	input := `{"type":"golden","id":"g1","question":"how to leave","kind":"fact","gold":["SECRET#1"],"key_facts":["SECRET2"],"found":"SECRET3","review":"SECRET4","note":"SECRET5"}` + "\n"
	out, err := run(t, filter(embedstage.Questions), input)
	if err != nil {
		t.Fatal(err)
	}
	if i := strings.Index(out, "SECRET"); i >= 0 {
		t.Errorf("gold went on: %s", out[i:])
	}
	recs := parse(t, out)
	want := &record.Question{ID: "g1", Text: "how to leave", Vector: vector(t, "how to leave")}
	if d := cmp.Diff(want, recs[1], cmpopts.IgnoreFields(record.Base{}, "Type"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestQuestions(t *testing.T) {
	f := filter(embedstage.Questions)
	f.Instruction = "Represent: "
	recs := mustRun(t, f, `{"type":"question","id":"q1","text":"why","asked_by":"ann"}`+"\n")
	q := recs[1].(*record.Question)
	if d := cmp.Diff(vector(t, "represent why"), q.Vector); d != "" {
		t.Errorf("vector of instruction and question (-want +got):\n%s", d)
	}
	if q.Text != "why" || !strings.Contains(string(q.Extra), `"asked_by":"ann"`) {
		t.Errorf("text %q, unknown fields %s", q.Text, q.Extra)
	}
}

func TestWrongType(t *testing.T) {
	const (
		question = `{"type":"question","id":"q","text":"why"}` + "\n"
		document = `{"type":"document","path":"p","text":"x"}` + "\n"
	)
	tests := []struct {
		name  string
		as    embedstage.Kind
		input string
		want  string
		hint  string
	}{
		{"question as passage", embedstage.Passages, passage + question, "f1:2: expected a passage, got a question record", "-as question"},
		{"passage as question", embedstage.Questions, question + passage, "f1:2: expected a question or golden record, got a passage record", "-as passage"},
		{"document", embedstage.Passages, document, "f1:1: expected a passage, got a document record", ""},
		{"question without text", embedstage.Questions, `{"type":"question","id":"q","text":" "}`, "f1:1: ", ""},
		{"no such type", embedstage.Passages, `{"type":"poem"}`, "f1:1: unknown record type", ""},
	}
	for _, timing := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, timing %v", tt.name, timing), func(t *testing.T) {
				f := filter(tt.as)
				f.Timing = timing
				out, err := run(t, f, tt.input)
				if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one that starts with %q", err, tt.want)
				}
				if h := hint.Of(err); !strings.Contains(h, tt.hint) {
					t.Errorf("hint %q, want %q", h, tt.hint)
				}
				if strings.Contains(out, `"type":"end"`) {
					t.Errorf("a stream that lacks a record was closed:\n%s", out)
				}
			})
		}
	}
}

func TestEmbedderFails(t *testing.T) {
	f := filter(embedstage.Passages)
	broken := errors.New("the model is gone")
	f.Embedder = embedtest.Fake{Err: broken}
	if _, err := run(t, f, passage); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f1:1: passage a#b~1: ") {
		t.Errorf("error %v", err)
	}
}

func many(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"run","tool":"mr-cut","version":"1"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"passage","id":"p#%d","section":"p#%d","path":"p","heading":"","lines":[1,2],"text":"text %d"}`+"\n", i, i, i%7)
	}
	fmt.Fprintf(&b, `{"type":"end","counts":{"passage":%d}}`+"\n", n)
	return b.String()
}

// slow takes longer the earlier it is called, so that results come out of order.
type slow struct{ embedtest.Fake }

func (s slow) Embed(ctx context.Context, text string) (embed.Embedding, error) {
	time.Sleep(time.Duration(len(text)%3) * time.Millisecond)
	return s.Fake.Embed(ctx, text)
}

func TestSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	input := many(200)
	var want string
	for _, cores := range []int{1, 2, 8} {
		for _, workers := range []int{0, 1, 5} {
			runtime.GOMAXPROCS(cores)
			f := filter(embedstage.Passages)
			f.Embedder, f.Workers = slow{fake}, workers
			got, err := run(t, f, input, input)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d cores, %d workers: other bytes", cores, workers)
			}
		}
	}
}

// twoStep says every second text was cached, and how long each took.
type twoStep struct{ embedtest.Fake }

func (s twoStep) Embed(ctx context.Context, text string) (embed.Embedding, error) {
	e, err := s.Fake.Embed(ctx, text)
	n := time.Duration(text[len(text)-1] - '0')
	e.Cached, e.Took = n%2 == 1, n*time.Second
	return e, err
}

func (twoStep) LoadTime() time.Duration { return 250 * time.Millisecond }

func TestTiming(t *testing.T) {
	earlier := &record.Timing{Tool: "mr-cut", Step: "cut", N: 4, Seconds: 1}
	input := strings.Replace(many(5), `{"type":"end","counts":{"passage":5}}`,
		`{"type":"timing","tool":"mr-cut","step":"cut","n":4,"seconds":1}`+"\n"+`{"type":"end","counts":{"passage":5,"timing":1}}`, 1)
	f := filter(embedstage.Passages)
	f.Embedder, f.Timing, f.Workers = twoStep{fake}, true, 3
	var got [][]record.Record
	var rest []record.Record
	for _, rec := range mustRun(t, f, input, many(1)) {
		switch rec := rec.(type) {
		case *record.Run:
			got = append(got, nil)
			rest = append(rest, rec)
		case *record.Timing:
			got[len(got)-1] = append(got[len(got)-1], rec)
		case *record.Passage:
			rest = append(rest, rec)
		}
	}
	want := [][]record.Record{{
		earlier,
		&record.Timing{Tool: "mr-embed", Step: "load", N: 1, Seconds: 0.25},
		&record.Timing{Tool: "mr-embed", Step: "embed", N: 3, Seconds: 6, Each: []float64{0, 2, 4}},
		&record.Timing{Tool: "mr-embed", Step: "cache", N: 2, Seconds: 4, Each: []float64{1, 3}},
	}, {
		&record.Timing{Tool: "mr-embed", Step: "embed", N: 1, Seconds: 0, Each: []float64{0}},
	}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(record.Base{}, "Type"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("timing by stream (-want +got):\n%s", d)
	}

	plain := filter(embedstage.Passages)
	plain.Embedder = twoStep{fake}
	var untimed []record.Record
	for _, rec := range mustRun(t, plain, input, many(1)) {
		switch rec.(type) {
		case *record.Run, *record.Passage:
			untimed = append(untimed, rec)
		}
	}
	if d := cmp.Diff(untimed, rest); d != "" {
		t.Errorf("the rest of the output, without and with timing (-without +with):\n%s", d)
	}
}

// crowd counts how many texts are embedded at once.
type crowd struct {
	embedtest.Fake
	inside atomic.Int32
	most   atomic.Int32
}

func (c *crowd) Embed(ctx context.Context, text string) (embed.Embedding, error) {
	n := c.inside.Add(1)
	defer c.inside.Add(-1)
	time.Sleep(time.Millisecond)
	if n > c.most.Load() {
		c.most.Store(n)
	}
	return c.Fake.Embed(ctx, text)
}

func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	question := strings.Repeat(`{"type":"question","id":"q","text":"why"}`+"\n", 60)
	tests := []struct {
		name    string
		as      embedstage.Kind
		timing  bool
		workers int
		input   string
		want    int32
	}{
		{"passages", embedstage.Passages, false, 0, many(60), embedstage.MaxWorkers},
		{"as many as asked for", embedstage.Passages, false, 20, many(60), 20},
		{"questions", embedstage.Questions, false, 0, question, embedstage.MaxWorkers},
		{"timed questions one by one", embedstage.Questions, true, 0, question, 1},
		{"timed questions as asked for", embedstage.Questions, true, 3, question, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, c := filter(tt.as), &crowd{Fake: fake}
			f.Embedder, f.Timing, f.Workers = c, tt.timing, tt.workers
			mustRun(t, f, tt.input)
			if got := c.most.Load(); got > tt.want || tt.want > 1 && got < 2 {
				t.Errorf("%d texts at once, want at most %d, and not one by one", got, tt.want)
			}
		})
	}
}

func TestLong(t *testing.T) {
	f := filter(embedstage.Passages)
	f.Embedder = embedtest.Fake{Size: 2, Window: 2}
	ticks := 0
	f.Tick = func() { ticks++ } // never twice at once
	text := func(id, text string) string {
		return fmt.Sprintf(`{"type":"passage","id":%q,"section":"s","path":"p","heading":"","lines":[1,1],"text":%q}`+"\n", id, text)
	}
	mustRun(t, f, text("a", "one two")+text("d", "one two three four")+text("c", "one two three four")+text("b", "one two three"))
	if d := cmp.Diff(embedstage.Long{Texts: 3, All: 4, ID: "c", Tokens: 4}, f.Long()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if ticks != 4 {
		t.Errorf("%d ticks for 4 texts", ticks)
	}
}

func TestEmpty(t *testing.T) {
	got, err := run(t, filter(embedstage.Passages), many(0))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, `{"type":"run"`) || !strings.HasSuffix(got, `{"type":"end","counts":{}}`+"\n") {
		t.Errorf("an empty stream gave %s", got)
	}
	if _, err := run(t, filter(embedstage.Passages), ""); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an input without a stream: %v", err)
	}
}

func TestCutStream(t *testing.T) {
	input := many(5)
	input = input[:strings.LastIndex(input, `{"type":"end"`)]
	for _, timing := range []bool{false, true} {
		f := filter(embedstage.Passages)
		f.Timing = timing
		out, err := run(t, f, input)
		if err == nil || !strings.Contains(err.Error(), "f1:6: the stream of mr-cut") || strings.Contains(out, `"type":"end"`) {
			t.Errorf("timing %v: error %v, output\n%s", timing, err, out)
		}
	}
}
