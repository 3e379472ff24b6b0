package score_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/score"
)

// Three questions over a corpus of 60 sections: s0 has three parts.
const goldenSet = `{"type":"golden","id":"q1","question":"first?","kind":"fact","gold":["s1"]}
{"type":"golden","id":"q2","question":"second?","kind":"multi","gold":["s2",["s3","s4"]]}
{"type":"golden","id":"q3","question":"third?","kind":"unanswerable","gold":[]}
`

func corpusText() string {
	var b strings.Builder
	for i := range 60 {
		parts := 1
		if i == 0 {
			parts = 3
		}
		for p := range parts {
			fmt.Fprintf(&b, `{"type":"passage","id":"s%d~%d","section":"s%d","path":"page%d.md","heading":"","lines":[1,1],"commit":"c1","text":"t"}`+"\n", i, p, i, i/10)
		}
	}
	return b.String()
}

// hits is a line: the list is of passages, "s0~1"; each scores one less than the one before.
func hits(system, question, list, extra string) string {
	var all []string
	for i, id := range strings.Fields(list) {
		section, _, _ := strings.Cut(id, "~")
		if !strings.Contains(id, "~") {
			id += "~0"
		}
		all = append(all, fmt.Sprintf(`{"passage":%q,"section":%q,"commit":"c1","rank":%d,"score":%d}`, id, section, i+1, 100-i))
	}
	return fmt.Sprintf(`{"type":"hits","question":{"id":%q},"system":%q,"hits":[%s]%s}`+"\n", question, system, strings.Join(all, ","), extra)
}

// asks is a line of hits that carries the question's text.
func asks(line, text string) string {
	return strings.Replace(line, `"},"system"`, fmt.Sprintf(`","text":%q},"system"`, text), 1)
}

type outcome struct {
	run      *record.Run
	scores   []*record.Score
	controls []*record.Control
	refusals []string
	warnings []string
	err      error
}

// config changes what a run is given.
type config struct {
	golden, qrels, metrics, ledger string
	unit                           golden.Unit
	half                           golden.Half
}

func run(t *testing.T, c config, in string) outcome {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		if text == "" {
			return ""
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if c.golden == "" && c.qrels == "" {
		c.golden = goldenSet
	}
	if c.unit == "" {
		c.unit = golden.Sections
	}
	if c.half == "" {
		c.half = golden.All
	}
	suite, err := score.ParseMetrics(c.metrics, c.qrels != "")
	if err != nil {
		t.Fatal(err)
	}
	var o outcome
	r := &score.Retrieval{Suite: suite, Rankings: 200, Seed: 1, Run: &record.Run{Tool: "mr-score retrieval"},
		Warn: func(format string, args ...any) { o.warnings = append(o.warnings, fmt.Sprintf(format, args...)) }}
	o.err = r.Load(score.Files{Golden: write("golden", c.golden), Qrels: write("qrels", c.qrels), Corpus: write("corpus", corpusText()),
		Ledger: write("ledger", c.ledger), Unit: c.unit, Half: c.half,
		Open: func(name string) (*record.Reader, error) {
			text, err := os.ReadFile(name)
			return record.NewReader(record.Source{Name: filepath.Base(name), Reader: bytes.NewReader(text)}), err
		}})
	if o.err != nil {
		return o
	}
	var out bytes.Buffer
	refusals, err := r.Stream(context.Background(), record.NewReader(record.Source{Name: "hits", Reader: strings.NewReader(in)}), record.NewWriter(&out))
	for _, why := range refusals {
		o.refusals = append(o.refusals, why.Error())
	}
	if o.err = err; err != nil {
		return o
	}
	back := record.NewReader(record.Source{Name: "out", Reader: &out})
	for back.Scan() {
		switch rec := back.Record().(type) {
		case *record.Run:
			o.run = rec
		case *record.Score:
			o.scores = append(o.scores, rec)
		case *record.Control:
			o.controls = append(o.controls, rec)
		}
	}
	if err := back.Err(); err != nil {
		t.Fatalf("what was written does not read: %v", err)
	}
	return o
}

// lines are the scores in short: system question metric value, then what else there is.
func (o outcome) lines() []string {
	var all []string
	for _, s := range o.scores {
		line := fmt.Sprintf("%s %s %s", s.System, s.Question.ID, s.Metric)
		if s.Value != nil {
			line += fmt.Sprintf(" %.3f", *s.Value)
		} else {
			line += " " + string(s.Status) + ": " + s.Reason
		}
		if s.AskedFor != "" {
			line += " " + string(s.AskedFor)
		}
		if len(s.Wanted) > 0 {
			line += fmt.Sprintf(" wanted %v came %v", s.Wanted, s.Came)
		}
		for _, w := range s.Warnings {
			line += " (" + w + ")"
		}
		all = append(all, line)
	}
	return all
}

const long = " s10 s11 s12 s13 s14"

func TestScores(t *testing.T) {
	o := run(t, config{metrics: "recall@5,MRR@10,recall@5p"},
		hits("a", "q1", "s0~0 s0~1 s0~2 s5 s6 s1"+long, "")+hits("a", "q2", "s9 s3"+long, "")+hits("a", "q3", "s1", "")+
			hits("b", "q1", "", "")+hits("b", "q2", "s4 s2", "")+hits("b", "q3", "s1", ""))
	if o.err != nil {
		t.Fatal(o.err)
	}
	want := []string{
		"a q1 recall@5 1.000 fact", // s0 s5 s6 s1
		"a q1 MRR@10 0.250 fact (list shorter than the cut-off)",
		"a q1 recall@5p 0.000 fact wanted [[s1]] came [s0 s5 s6]",
		"a q2 recall@5 0.500 multi wanted [[s2]] came [s9 s3 s10 s11 s12]",
		"a q2 MRR@10 0.500 multi (list shorter than the cut-off)",
		"a q2 recall@5p 0.500 multi wanted [[s2]] came [s9 s3 s10 s11 s12]",
		"b q1 recall@5 0.000 fact wanted [[s1]] came [] (no hits, which counts 0)",
		"b q1 MRR@10 0.000 fact wanted [[s1]] came [] (no hits, which counts 0)",
		"b q1 recall@5p 0.000 fact wanted [[s1]] came [] (no hits, which counts 0)",
		"b q2 recall@5 1.000 multi (list shorter than the cut-off)",
		"b q2 MRR@10 1.000 multi (list shorter than the cut-off)",
		"b q2 recall@5p 1.000 multi (list shorter than the cut-off)",
	}
	if diff := cmp.Diff(want, o.lines()); diff != "" {
		t.Error(diff)
	}
	notes := []string{
		"2 of 3 questions have gold and are scored, 1 have none and take no part",
		"no ledger was given: how many systems were ever scored on these questions is not known",
		"system a: 2 of 2 lists hold fewer than 10 sections, the deepest cut-off",
		"system b: 1 of 2 questions have no hits and count 0",
		"system b: 1 of 2 lists hold fewer than 10 sections, the deepest cut-off",
	}
	if diff := cmp.Diff(notes, o.run.Notes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(notes[2:], o.warnings); diff != "" {
		t.Errorf("warnings: %s", diff)
	}
	if o.run.Commit != "c1" || *o.run.Seed != 1 {
		t.Errorf("run: %+v", o.run)
	}
	var controls []string
	for _, c := range o.controls {
		controls = append(controls, fmt.Sprintf("%s %s %s %d", c.Metric, c.Control, c.OK, c.N))
	}
	if diff := cmp.Diff([]string{"recall@5 oracle yes 2", "recall@5 random yes 400", "MRR@10 oracle yes 2", "MRR@10 random yes 400", "recall@5p oracle yes 2", "recall@5p random yes 400"}, controls); diff != "" {
		t.Error(diff)
	}
	if len(o.refusals) > 0 {
		t.Error(o.refusals)
	}
}

func TestQuestions(t *testing.T) {
	// A question that no system was asked counts 0; one that is not in the set is ignored.
	o := run(t, config{metrics: "recall@5"}, hits("a", "q1", "s1"+long, "")+hits("a", "q8", "elsewhere", "")+hits("a", "q9", "s1", ""))
	if diff := cmp.Diff([]string{"a q1 recall@5 1.000 fact", "a q2 recall@5 0.000 multi wanted [[s2] [s3 s4]] came [] (no hits, which counts 0)"}, o.lines()); diff != "" {
		t.Error(diff, o.err)
	}
	want := []string{
		`system a: hits of 2 unknown questions are ignored, the first is "q8"`,
		"system a: 1 of 2 questions have no hits and count 0",
	}
	if diff := cmp.Diff(want, o.warnings); diff != "" {
		t.Error(diff)
	}
}

func TestTies(t *testing.T) {
	in := `{"type":"hits","question":{"id":"q1","text":"first?"},"system":"a","hits":[{"passage":"s5~0","section":"s5","commit":"c1","rank":1,"score":2},{"passage":"s1~0","section":"s1","commit":"c1","rank":2,"score":2},{"passage":"s6~0","section":"s6","commit":"c1","rank":3,"score":1}]}` + "\n"
	o := run(t, config{metrics: "MRR"}, in)
	if diff := cmp.Diff("a q1 MRR 0.500 fact", o.lines()[0]); diff != "" {
		t.Errorf("the order given is kept: %s", diff)
	}
	if want := "system a: 1 of 3 hits have the score of the one before, and keep the order given"; !strings.Contains(strings.Join(o.run.Notes, "\n"), want) {
		t.Errorf("notes: %q", o.run.Notes)
	}
}

func TestFallback(t *testing.T) {
	o := run(t, config{metrics: "recall@5"},
		hits("a", "q1", "s1"+long, `,"fallback":"no model"`)+hits("a", "q2", "s2"+long, "")+
			hits("b", "q1", "s7"+long, `,"fallback":"no model"`)+hits("b", "q2", "s2"+long, ""))
	want := []string{
		"a q1 recall@5 unscored: fell back to BM25: no model fact",
		"a q2 recall@5 0.500 multi wanted [[s3 s4]] came [s2 s10 s11 s12 s13]",
		"b q1 recall@5 unscored: fell back to BM25: no model fact",
		"b q2 recall@5 0.500 multi wanted [[s3 s4]] came [s2 s10 s11 s12 s13]",
		"bm25-fallback q1 recall@5 1.000 fact",
	}
	if diff := cmp.Diff(want, o.lines()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1 of 2 questions of system a fell back to BM25: no model", "1 of 2 questions of system b fell back to BM25: no model"}, o.refusals); diff != "" {
		t.Error(diff)
	}
}

func TestErrors(t *testing.T) {
	ok := hits("a", "q1", "s1", "")
	for _, tt := range []struct {
		name string
		c    config
		in   string
		err  string
	}{
		{"gold not in the corpus", config{golden: strings.Replace(goldenSet, `"s2"`, `"s99"`, 1), half: golden.Tune}, ok,
			`golden:2: question "q2": need 1 names section "s99", which the corpus does not have`},
		{"golden id twice", config{golden: goldenSet + strings.SplitAfter(goldenSet, "\n")[0]}, ok, `golden:4: question "q1" was there already, at golden:1: ids are unique`},
		{"system twice", config{}, ok + ok, `hits:2: system "a" has hits for question "q1" already, at hits:1`},
		{"another corpus", config{}, hits("a", "q1", "s77", ""), `hits:1: passage "s77~0" is not in the corpus`},
		{"no commit", config{}, ok + strings.Replace(hits("a", "q2", "s1", ""), `"commit":"c1",`, "", 1), `hits:2: passage "s1~0" carries no commit, the corpus is of c1`},
		{"different questions", config{}, ok + hits("a", "q2", "s1", "") + hits("b", "q1", "s1", ""), `systems a and b were asked different questions: b lacks "q2"`},
		{"another text", config{}, asks(ok, "first?") + asks(hits("a", "q2", "s1", ""), "2nd?"), `hits:2: question "q2": hits ask "2nd?", the golden set asks "second?"`},
		{"another text, other half", config{half: golden.Tune}, asks(ok, "1st?"), `hits:1: question "q1": hits ask "1st?", the golden set asks "first?"`},
		{"two texts", config{qrels: "q1 s1 1\n"}, ok + asks(hits("b", "q1", "s1", ""), "this?") + asks(hits("c", "q1", "s1", ""), "that?"),
			`hits:3: question "q1": hits ask "that?", those of system "b" at hits:2 ask "this?"`},
		{"disjoint", config{}, hits("a", "q7", "s1", ""), "the hits are for other questions: none of the 2 to score is among them"},
		{"disjoint qrels", config{qrels: "x s1 1\n"}, ok, "the hits are for other questions: none of the 1 to score is among them"},
		{"no gold", config{golden: strings.SplitAfter(goldenSet, "\n")[2]}, ok, "no question of the set (half all) has gold: nothing can be scored"},
		{"other record", config{}, `{"type":"question","id":"q","text":"?"}`, "hits:1: expected hits records, got a question record"},
		{"nothing", config{}, `{"type":"timing","tool":"x","step":"y","n":1,"seconds":1}`, "nothing to score: no hits record came"},
		{"reserved name", config{}, hits("bm25-fallback", "q1", "s1", ""), `hits:1: "bm25-fallback" is what fallback hits are scored as, and no system's name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := run(t, tt.c, tt.in)
			if o.err == nil || o.err.Error() != tt.err {
				t.Errorf("got %v, want %s", o.err, tt.err)
			}
		})
	}
}

func TestQrels(t *testing.T) {
	o := run(t, config{qrels: "q1 s1 3\nq1 s2 1\nq1 s3 0\nq2 s4 0\n", metrics: "nDCG@5,MAP,Judged@5"}, asks(hits("a", "q1", "s3 s1"+long, ""), "asked"))
	// DCG 3/log2(3), ideal 3 + 1/log2(3): 1.8928/3.6309. MAP 1/2 of 2 documents. 2 of 5 judged.
	want := []string{"a q1 nDCG@5 0.521", "a q1 MAP 0.250", "a q1 Judged@5 0.400"}
	if diff := cmp.Diff(want, o.lines()); diff != "" {
		t.Error(diff, o.err)
	}
	if o.scores[0].Question.Text != "asked" || o.run.Notes[0] != "1 of 2 questions have gold and are scored, 1 have none and take no part" {
		t.Errorf("%q, %q", o.scores[0].Question.Text, o.run.Notes)
	}
}

func TestPages(t *testing.T) {
	o := run(t, config{qrels: "q1 page1.md 1\n", unit: golden.Pages, metrics: "MRR"}, hits("a", "q1", "s0~0 s5 s9 s17 s20", ""))
	if diff := cmp.Diff([]string{"a q1 MRR 0.500"}, o.lines()); diff != "" { // page0, page1, page2
		t.Error(diff, o.err)
	}
}

// TestLedger: the headline half is closed to systems that are not in the ledger.
func TestLedger(t *testing.T) {
	if golden.HalfOf("q4") != golden.Headline || golden.HalfOf("q1") != golden.Headline {
		t.Fatal("q1 and q4 were meant to lie in the headline half")
	}
	set := strings.Replace(goldenSet, `"q2"`, `"q4"`, 1)
	stream := func(k string) string {
		return `{"type":"run","tool":"mr-index search","version":"` + record.Version + `","flags":{"k":"` + k + `"}}` + "\n" +
			hits("a", "q1", "s1"+long, "") + hits("a", "q4", "s2"+long, "") + `{"type":"end","counts":{"hits":2}}` + "\n"
	}
	refused := run(t, config{golden: set, half: golden.Headline, ledger: "\n", metrics: "recall@5"}, stream("20"))
	line := hint.Of(refused.err)
	if refused.err == nil || !strings.Contains(line, `{"system":"a","recipe":"`) {
		t.Fatalf("got %v, hint %q", refused.err, line)
	}
	entry := strings.Replace(line[strings.Index(line, "{"):], "<full id of the commit that makes the choice>", strings.Repeat("0a", 20), 1)
	for _, half := range []golden.Half{golden.Headline, golden.All} {
		o := run(t, config{golden: set, half: half, ledger: entry, metrics: "recall@5"}, stream("20"))
		if o.err != nil || len(o.scores) != 2 || !strings.Contains(strings.Join(o.run.Notes, "\n"), "1 systems were ever scored on the headline half, by its ledger") {
			t.Errorf("half %s: %v, run %v", half, o.err, o.run)
		}
		for name, in := range map[string]string{"another recipe": stream("30"), "no recipe": hits("a", "q1", "s1", "")} {
			if o := run(t, config{golden: set, half: half, ledger: entry, metrics: "recall@5"}, in); o.err == nil {
				t.Errorf("half %s: %s was scored", half, name)
			}
		}
	}
	if o := run(t, config{golden: set, half: golden.Headline, metrics: "recall@5"}, stream("20")); o.err == nil {
		t.Error("the headline half was scored without a ledger")
	}
	// q5 is in the tune half.
	set = strings.Replace(set, `"q1"`, `"q5"`, 1)
	if golden.HalfOf("q5") != golden.Tune {
		t.Fatal("q5 was meant to lie in the tune half")
	}
	o := run(t, config{golden: set, half: golden.Tune, ledger: "\n", metrics: "recall@5"}, hits("a", "q5", "s1"+long, "")+hits("a", "q4", "s2"+long, ""))
	if diff := cmp.Diff([]string{"a q5 recall@5 1.000 fact"}, o.lines()); diff != "" {
		t.Errorf("%s %v", diff, o.err)
	}
	if len(o.warnings) > 0 || o.run.Notes[0] != "half tune: 2 of 3 questions" {
		t.Errorf("questions of the other half are not unknown: %q, %q", o.warnings, o.run.Notes)
	}
}

func TestDefaultMetrics(t *testing.T) {
	for graded, want := range map[bool]string{false: score.Metrics, true: score.GradedMetrics} {
		s, err := score.ParseMetrics("", graded)
		if err != nil || s.String() != want {
			t.Errorf("%v, %v", s, err)
		}
	}
	if _, err := score.ParseMetrics("MAP", false); err == nil {
		t.Error("MAP of a golden set")
	}
}

func BenchmarkStream(b *testing.B) {
	var in strings.Builder
	list := make([]string, 40)
	for i := range list {
		list[i] = fmt.Sprintf("s%d", i)
	}
	var set strings.Builder
	for i := range 200 {
		id := fmt.Sprintf("q%d", i)
		fmt.Fprintf(&set, `{"type":"golden","id":%q,"question":"?","kind":"fact","gold":["s%d"]}`+"\n", id, i%60)
		in.WriteString(hits("a", id, strings.Join(list, " "), `,"text":"`+strings.Repeat("words ", 2000)+`"`))
	}
	dir := b.TempDir()
	for name, text := range map[string]string{"golden": set.String(), "corpus": corpusText()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	suite, err := score.ParseMetrics("", false)
	if err != nil {
		b.Fatal(err)
	}
	r := &score.Retrieval{Suite: suite, Rankings: 10, Run: &record.Run{Tool: "mr-score"}}
	if err := r.Load(score.Files{Golden: filepath.Join(dir, "golden"), Corpus: filepath.Join(dir, "corpus"), Unit: golden.Sections, Half: golden.All,
		Open: func(name string) (*record.Reader, error) {
			text, err := os.ReadFile(name)
			return record.NewReader(record.Source{Name: name, Reader: bytes.NewReader(text)}), err
		}}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(in.Len()))
	for b.Loop() {
		if _, err := r.Stream(context.Background(), record.NewReader(record.Source{Name: "hits", Reader: strings.NewReader(in.String())}), record.NewWriter(&bytes.Buffer{})); err != nil {
			b.Fatal(err)
		}
	}
}
