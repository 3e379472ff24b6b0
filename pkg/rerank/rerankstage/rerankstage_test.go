package rerankstage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/rerank/rerankstage"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

var _ stage.Func = (&rerankstage.Filter{}).Stream

// lengths is a scorer that likes long texts.
type lengths struct{ err error }

func (lengths) Stage() record.StageName { return "length" }
func (lengths) Model() record.Model     { return record.Model{Name: "lengths", SHA256: "00"} }
func (l lengths) Score(_ context.Context, _ string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, t := range texts {
		scores[i] = float64(len(t))
	}
	return scores, l.err
}

func filter(fusion string, scorers ...rerank.Scorer) *rerankstage.Filter {
	terms, err := fuse.Parse(fusion)
	if err != nil {
		panic(err)
	}
	return &rerankstage.Filter{
		Run:      &record.Run{Tool: "mr-rerank"},
		Reranker: &rerank.Reranker{Scorers: scorers, System: "new", Recipe: fuse.Recipe{Method: fuse.ByRank, Terms: terms, K: 1}},
	}
}

func run(t *testing.T, f *rerankstage.Filter, input string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := f.Stream(t.Context(), record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(input)}), record.NewWriter(&out))
	return out.String(), err
}

// hits is a hits record of passages a (short) and b (long), which bm25 found in this order.
func hits(question string) string {
	return `{"type":"hits","question":{"id":"` + question + `","text":"why"},"system":"old","hits":[` +
		`{"passage":"a","section":"a","rank":1,"score":2,"stages":{"bm25":{"score":2,"rank":1}},"text":"x","mood":1},` +
		`{"passage":"b","section":"b","rank":2,"score":1,"stages":{"bm25":{"score":1,"rank":2}},"text":"xyz"}],"mood":{"y":2}}` + "\n"
}

func stream(tool string, records ...string) string {
	return `{"type":"run","tool":"` + tool + `","version":"1"}` + "\n" + strings.Join(records, "") +
		fmt.Sprintf(`{"type":"end","counts":{"hits":%d}}`+"\n", len(records))
}

func TestStream(t *testing.T) {
	got, err := run(t, filter("length", lengths{}), stream("s1", hits("q1"))+stream("s2"))
	if err != nil {
		t.Fatal(err)
	}
	models := `"models":[{"name":"lengths","sha256":"00"}]`
	want := `{"type":"run","tool":"mr-rerank","version":"1",` + models + `,"inputs":[{"type":"run","tool":"s1","version":"1"}]}` + "\n" +
		`{"type":"hits","question":{"id":"q1","text":"why"},"system":"new","hits":[` +
		`{"passage":"b","section":"b","rank":1,"score":0.5,"stages":{"bm25":{"score":1,"rank":2},"length":{"score":3,"rank":1}},"text":"xyz"},` +
		`{"passage":"a","section":"a","rank":2,"score":0.3333333333333333,"stages":{"bm25":{"score":2,"rank":1},"length":{"score":1,"rank":2}},"text":"x","mood":1}],"mood":{"y":2}}` + "\n" +
		`{"type":"end","counts":{"hits":1}}` + "\n" +
		`{"type":"run","tool":"mr-rerank","version":"1",` + models + `,"inputs":[{"type":"run","tool":"s2","version":"1"}]}` + "\n" +
		`{"type":"end","counts":{}}` + "\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStreamErrors(t *testing.T) {
	noText := strings.Replace(hits("q2"), `"text":"xyz"`, `"text":""`, 1)
	fallback := strings.Replace(hits("q"), `"system"`, `"fallback":"no model","system"`, 1)
	tests := []struct {
		name   string
		filter *rerankstage.Filter
		input  string
		want   string // "" is success
		hint   string
	}{
		{"a stage that nobody has", filter("bm25,vektor"), stream("s", hits("q")), "no hit carries the stage vektor, which the fusion bm25,vektor names", "the hits carry bm25: name only these"},
		{"a stage that only another stream has", filter("bm25,vector"), stream("s", strings.ReplaceAll(hits("q"), "bm25", "vector")) + stream("s", hits("q")), "no hit carries the stage bm25", "the hits carry vector"},
		{"that stage, after a fallback", filter("bm25,vector"), stream("s", fallback), "", ""},
		{"that stage, where there is no hit", filter("bm25,vector"), stream("s", `{"type":"hits","question":{"id":"q"},"system":"s","hits":[]}`+"\n"), "", ""},
		{"a stage that one question of two has", filter("bm25,vector"), stream("s", hits("q1"), strings.ReplaceAll(hits("q2"), "bm25", "vector")), "", ""},
		{"no text", filter("length", lengths{}), stream("s", hits("q1"), noText, hits("q3")), "in:3: question q2: these hits cannot be reranked: passage b has no text", "mr-index search writes the texts"},
		{"another type", filter("bm25"), `{"type":"question","id":"q","text":"why"}` + "\n", "in:1: expected hits, got a question record", "mr-index search writes them"},
		{"cut off", filter("bm25"), strings.SplitAfter(stream("s", hits("q")), "]")[0], "in:2: ", ""},
		{"without its end", filter("bm25"), strings.TrimSuffix(stream("s", hits("q")), `{"type":"end","counts":{"hits":1}}`+"\n"), "has no end record", "run the stage before"},
		{"twice the same passage", filter("bm25"), strings.ReplaceAll(hits("q"), `"passage":"b"`, `"passage":"a"`), `in:1: bad hits record: passage "a" is ranked twice`, ""},
		{"the model fails", filter("length", lengths{errors.New("boom")}), stream("s", hits("q1"), hits("q2")), "in:2: question q1: boom", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := run(t, tt.filter, tt.input)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if err != nil && strings.Count(err.Error(), "\n") > 0 && tt.name != "cut off" {
				t.Errorf("more than one thing is said: %v", err)
			}
			if !strings.Contains(hint.Of(err), tt.hint) {
				t.Errorf("hint %q, want %q", hint.Of(err), tt.hint)
			}
			if ended := strings.HasSuffix(out, `}`+"\n") && strings.Contains(lastLine(out), `"type":"end"`); ended != (err == nil) {
				t.Errorf("the stream has an end: %v; the error is %v", ended, err)
			}
		})
	}
}

// Every bad record is named, and the good ones come out.
func TestAllBadRecordsAreNamed(t *testing.T) {
	noText := strings.Replace(hits("q2"), `"text":"xyz"`, `"text":""`, 1)
	out, err := run(t, filter("length", lengths{}), noText+hits("q3")+noText)
	if err == nil || !strings.Contains(err.Error(), "in:1: question q2") || !strings.Contains(err.Error(), "in:3: question q2") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out, `"id":"q3"`) {
		t.Errorf("the good record is missing in %s", out)
	}
}

func lastLine(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func TestTiming(t *testing.T) {
	f := filter("length", lengths{})
	f.Timing = true
	search := `{"type":"timing","tool":"mr-index search","step":"search","n":1,"seconds":2}` + "\n"
	in := stream("s", hits("q1"), hits("q2"))
	in = strings.Replace(in, `{"type":"end","counts":{"hits":2}}`, strings.TrimSpace(search)+"\n"+`{"type":"end","counts":{"hits":2,"timing":1}}`, 1)
	out, err := run(t, f, in+stream("s", hits("q3")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	r := record.NewReader(record.Source{Name: "out", Reader: strings.NewReader(out)})
	for r.Scan() {
		switch rec := r.Record().(type) {
		case *record.Timing:
			sum := 0.0
			for _, s := range rec.Each {
				sum += s
				if s <= 0 {
					t.Errorf("a question took %v seconds", s)
				}
			}
			if rec.Tool == "mr-rerank" && sum != rec.Seconds {
				t.Errorf("%v seconds are not the sum of %v", rec.Seconds, rec.Each)
			}
			got = append(got, fmt.Sprint(rec.Tool, " ", rec.Step, " ", rec.N, " ", len(rec.Each)))
		default:
			got = append(got, string(rec.Kind()))
		}
	}
	want := []string{"run", "hits", "hits", "mr-index search search 1 0", "mr-rerank rerank 2 2", "end", "run", "hits", "mr-rerank rerank 1 1", "end"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

// The same bytes on any number of cores, and a tick a question.
func TestDeterministic(t *testing.T) {
	var records []string
	for i := range 50 {
		records = append(records, hits(fmt.Sprint("q", i)))
	}
	input := stream("s", records...)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want string
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		ticks := make(chan bool, 100)
		f := filter("length,bm25=0.3", lengths{})
		f.Tick = func() { ticks <- true }
		got, err := run(t, f, input)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = got
		}
		if got != want || len(ticks) != 50 {
			t.Errorf("on %d: same bytes %v, %d ticks", procs, got == want, len(ticks))
		}
	}
}
