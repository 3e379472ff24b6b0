package grade

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func reader(name, text string) *record.Reader {
	return record.NewReader(record.Source{Name: name, Reader: strings.NewReader(text)})
}

// The set: q1 needs a; q2 needs b or c, and d; q3 has no answer.
const set = `{"type":"golden","id":"q1","question":"How long is it kept?","kind":"fact","gold":["a"],"key_facts":["a snapshot stays 30 days","old snapshots are purged"]}
{"type":"golden","id":"q2","question":"Who reads them?","kind":"multi","gold":[["b","c"],"d"],"key_facts":["members of the backup group","yes"]}
{"type":"golden","id":"q3","question":"What does it cost?","kind":"unanswerable","gold":[]}
`

const passages = `{"type":"passage","id":"a~1","section":"a","path":"p.md","heading":"","lines":[1,1],"commit":"c1","text":"A snapshot stays 30 days. Old ones are purged."}
{"type":"passage","id":"a~2","section":"a","path":"p.md","heading":"","lines":[2,2],"commit":"c1","text":"More of a."}
{"type":"passage","id":"b","section":"b","path":"p.md","heading":"","lines":[3,3],"commit":"c1","text":"Members of the backup group."}
{"type":"passage","id":"c","section":"c","path":"q.md","heading":"","lines":[1,1],"commit":"c1","text":"The backup group."}
{"type":"passage","id":"d","section":"d","path":"q.md","heading":"","lines":[2,2],"commit":"c1","text":"And the owner."}
{"type":"passage","id":"e","section":"e","path":"r.md","heading":"","lines":[1,1],"commit":"c1","text":"Something else."}
{"type":"passage","id":"f","section":"f","path":"r.md","heading":"","lines":[2,2],"commit":"c1","text":"Something else again."}
`

// given are the passages of every answer below.
const given = `[{"label":"P1","passage":"a~1","section":"a","text":"t"},{"label":"P2","passage":"a~2","section":"a","text":"t"},{"label":"P3","passage":"b","section":"b","text":"t"},{"label":"P4","passage":"c","section":"c","text":"t"},{"label":"P5","passage":"e","section":"e","text":"t"}]`

var sections = map[string][2]string{"P1": {"a~1", "a"}, "P2": {"a~2", "a"}, "P3": {"b", "b"}, "P4": {"c", "c"}, "P5": {"e", "e"}}

// line is an answer record; more are its fields beside.
func line(id, system, more string, cited ...string) string {
	var cites []string
	for _, label := range cited {
		p := sections[label]
		cites = append(cites, fmt.Sprintf(`{"label":%q,"passage":%q,"section":%q}`, label, p[0], p[1]))
	}
	if !strings.Contains(more, `"status"`) {
		more += `,"status":"scored"`
	}
	return fmt.Sprintf(`{"type":"answer","question":{"id":%q},"system":%q,"model":"m","passages":%s,"citations":[%s],%s}`+"\n",
		id, system, given, strings.Join(cites, ","), strings.TrimPrefix(more, ","))
}

func grader(t *testing.T, withCorpus bool) *Answers {
	t.Helper()
	g := &Answers{Draws: 200, Seed: 1, Run: &record.Run{Tool: "test"}}
	files := Files{Golden: "g", Unit: golden.Sections, Open: func(name string) (*record.Reader, error) {
		return reader(name, map[string]string{"g": set, "c": passages}[name]), nil
	}}
	if withCorpus {
		files.Corpus = "c"
	}
	if err := g.Load(files); err != nil {
		t.Fatal(err)
	}
	return g
}

// graded are the records of a stream by type.
type graded struct {
	run      *record.Run
	scores   []*record.Score
	controls []*record.Control
	refusals []error
	text     string
}

func grade(t *testing.T, g *Answers, lines ...string) graded {
	t.Helper()
	var b bytes.Buffer
	refusals, err := g.Stream(context.Background(), reader("a.jsonl", strings.Join(lines, "")), record.NewWriter(&b))
	if err != nil {
		t.Fatal(err)
	}
	out := graded{refusals: refusals, text: b.String()}
	in := reader("out", b.String())
	for in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			out.run = rec
		case *record.Score:
			out.scores = append(out.scores, rec)
		case *record.Control:
			out.controls = append(out.controls, rec)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// table is the scores of a system, by metric and question.
func (g graded) table(system record.SystemName) map[string]string {
	out := map[string]string{}
	for _, s := range g.scores {
		if s.System != system {
			continue
		}
		cell := string(s.Status) + " " + s.Reason
		if s.Value != nil {
			cell = fmt.Sprintf("%.4g", *s.Value)
			if s.Of != 0 {
				cell += fmt.Sprintf(" of %g", s.Of)
			}
		}
		out[string(s.Metric)+" "+string(s.Question.ID)] = cell
	}
	return out
}

func TestScores(t *testing.T) {
	const fact = `"text":"It stays for 30 days, a snapshot."`
	for _, tc := range []struct {
		name  string
		lines []string
		want  map[string]string
	}{
		{"answered, cited in part, and refused rightly", []string{
			// q1: P1 and P2 are two passages of a, P5 is off: 2 of 3; the need is met. One of two facts.
			line("q1", "s", fact, "P1", "P2", "P5"),
			// q2: b and c serve the one need, d is not cited: 1 of 2. "yes" is no fact to look for.
			line("q2", "s", `"text":"The backup group."`, "P3", "P4"),
			line("q3", "s", `"text":"","refused":true`),
		}, map[string]string{
			"refused-answerable q1": "0", "refused-answerable q2": "0", "refused-unanswerable q3": "1",
			"citation-precision q1": "0.6667 of 3", "citation-precision q2": "1 of 2",
			"citation-recall q1": "1 of 1", "citation-recall q2": "0.5 of 2",
			"key-fact-coverage q1": "0.5 of 2", "key-fact-coverage q2": "1 of 1",
			"answer-words q1": "7", "answer-words q2": "3",
			"dropped-citations q1": "0", "dropped-citations q2": "0", "dropped-citations q3": "0",
			"ungrounded q1": "0", "ungrounded q2": "0", "ungrounded q3": "0",
		}},
		{"refused wrongly, answered wrongly, without citation", []string{
			line("q1", "s", `"text":"","refused":true`),
			line("q2", "s", `"text":"Nobody.","ungrounded":true,"dropped_citations":["P8","P9"],"prompt_tokens":40,"answer_tokens":3`),
			line("q3", "s", `"text":"Ten.","answer_tokens":1`, "P1"),
		}, map[string]string{
			"refused-answerable q1": "1", "refused-answerable q2": "0", "refused-unanswerable q3": "0",
			"citation-precision q1": "unscored refused", "citation-precision q2": "0",
			"citation-recall q1": "unscored refused", "citation-recall q2": "0 of 2",
			"key-fact-coverage q1": "unscored refused", "key-fact-coverage q2": "0 of 1",
			"answer-words q1": "unscored refused", "answer-words q2": "1",
			"dropped-citations q1": "0", "dropped-citations q2": "2", "dropped-citations q3": "0",
			"ungrounded q1": "0", "ungrounded q2": "1", "ungrounded q3": "0",
			"prompt-tokens q1": "0", "prompt-tokens q2": "40", "prompt-tokens q3": "0",
			"answer-tokens q1": "0", "answer-tokens q2": "3", "answer-tokens q3": "1",
		}},
		{"a crash is no refusal, and neither is silence", []string{
			line("q1", "s", `"text":"","status":"error","reason":"boom"`),
			line("q2", "s", `"text":"","status":"unscored","reason":"late"`),
		}, map[string]string{
			"refused-answerable q1": "error boom", "refused-answerable q2": "unscored late", "refused-unanswerable q3": "error no answer record came",
			"citation-precision q1": "error boom", "citation-precision q2": "unscored late",
			"citation-recall q1": "error boom", "citation-recall q2": "unscored late",
			"key-fact-coverage q1": "error boom", "key-fact-coverage q2": "unscored late",
			"answer-words q1": "error boom", "answer-words q2": "unscored late",
			"dropped-citations q1": "error boom", "dropped-citations q2": "unscored late", "dropped-citations q3": "error no answer record came",
			"ungrounded q1": "error boom", "ungrounded q2": "unscored late", "ungrounded q3": "error no answer record came",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, withCorpus := range []bool{true, false} {
				got := grade(t, grader(t, withCorpus), tc.lines...)
				if d := cmp.Diff(tc.want, got.table("s/m")); d != "" {
					t.Errorf("corpus %v (-want +got):\n%s", withCorpus, d)
				}
				if len(got.refusals) > 0 {
					t.Errorf("corpus %v: %v", withCorpus, got.refusals)
				}
			}
		})
	}
}

// Every metric that is scored has its controls in the stream, before the scores.
func TestEveryMetricIsControlled(t *testing.T) {
	got := grade(t, grader(t, true), line("q1", "s", `"text":"x","refusal_score":2,"answer_tokens":1`, "P1"),
		line("q2", "s", `"text":"x","refusal_score":1`, "P1"), line("q3", "s", `"text":"","refused":true,"refusal_score":1`))
	names := map[string][]string{}
	for _, c := range got.controls {
		names[string(c.Metric)] = append(names[string(c.Metric)], c.Control)
		if c.OK != record.ControlOK {
			t.Errorf("%s %s: %s (expected %s, got %s: %s)", c.Metric, c.Control, c.OK, c.Expect, c.Got, c.Reason)
		}
	}
	refusal := []string{"oracle", "random", "always-refuser", "never-refuser", "crash"}
	cites := []string{"oracle", "random", "half", "uncited"}
	want := map[string][]string{
		"refused-unanswerable": refusal, "refused-answerable": refusal,
		"refusal-auc":        {"oracle", "random", "reversed", "one score"},
		"citation-precision": cites, "citation-recall": cites,
		"key-fact-coverage": {"own facts", "other facts", "echo", "altered numbers"},
		"dropped-citations": {"planted label", "clean"}, "ungrounded": {"planted label", "clean"},
		"answer-words": {"planted length"}, "prompt-tokens": {"planted length"}, "answer-tokens": {"planted length"},
	}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if i, j := strings.LastIndex(got.text, `"type":"control"`), strings.Index(got.text, `"type":"score"`); i > j {
		t.Error("a control stands behind a score")
	}
	// AUC: q1 has 2 and q2 1, q3 1: (1 + 1/2)/2. Their shares are 1 and 1/2, q3's is
	// 3/4: 3/4 + 3/2·√2·1/4 = 1.28, 3/4 - 1.06/2 = 0.22, 3/4 + 3·0.
	for id, want := range map[string]string{"q1": "1.28", "q2": "0.2197", "q3": "0.75"} {
		if v := got.table("s/m")["refusal-auc "+id]; v != want {
			t.Errorf("refusal-auc of %s is %s, want %s", id, v, want)
		}
	}
	if again := grade(t, grader(t, true), line("q1", "s", `"text":"x","refusal_score":2,"answer_tokens":1`, "P1"),
		line("q2", "s", `"text":"x","refusal_score":1`, "P1"), line("q3", "s", `"text":"","refused":true,"refusal_score":1`)); again.text != got.text {
		t.Error("the same input gave other bytes")
	}
}

func TestNotes(t *testing.T) {
	var warned []string
	g := grader(t, true)
	g.Warn = func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
	got := grade(t, g, line("q1", "s", `"text":"","refused":true`), line("q9", "s", `"text":"x"`), line("q3", "s", `"text":"","status":"error","reason":"boom"`))
	want := []string{
		"2 of 3 questions have gold, 1 are to be refused",
		"s/m: of 2 answerable 0 answered, 1 refused, 1 neither; of 1 unanswerable 0 answered, 0 refused, 1 neither",
		`s/m: answers to 1 unknown questions are ignored, the first is "q9"`,
		"s/m: 2 of 3 questions have no answer that can be scored",
		"1 key facts have no word to look for and are left out",
		// q1's section says both of its facts; q2's needs are served by b and d, which say the one
		"the gold sections, quoted whole, say 1.0000 of the key facts (2 questions): the rule finds no more in the docs' own words",
	}
	if d := cmp.Diff(want, got.run.Notes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[2:5], warned); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	if got.run.Commit != "c1" || got.run.Seed == nil {
		t.Errorf("commit %q, seed %v", got.run.Commit, got.run.Seed)
	}
}

// What was missed stands in the record, for whoever reads it next.
func TestScoresExplain(t *testing.T) {
	got := grade(t, grader(t, true), line("q1", "s", `"text":"Old ones are purged."`), line("q2", "s", `"text":"x"`, "P4", "P5"))
	for _, want := range []string{
		`"metric":"citation-recall","value":0.5,"status":"scored","of":2,"kind":"multi","wanted":[["d"]],"came":["c","e"]}`,
		`"metric":"citation-precision","value":0,"status":"scored","warnings":["no citation, which counts 0"]`,
		`"missed":["a snapshot stays 30 days"]`,
	} {
		if !strings.Contains(got.text, want) {
			t.Errorf("no %s in\n%s", want, got.text)
		}
	}
}

// Answers from hits that fell back are the fallback system's, and leave their question unscored under their own.
func TestFallback(t *testing.T) {
	got := grade(t, grader(t, true), line("q1", "s", `"text":"x"`, "P1"), line("q2", "bm25-fallback", `"text":"x"`, "P3"))
	table := got.table("s/m")
	if table["refused-answerable q2"] != "unscored "+FellBack || table["refused-answerable q1"] != "0" {
		t.Errorf("under its own system: %v", table)
	}
	fallen := got.table("bm25-fallback")
	if fallen["citation-recall q2"] != "0.5 of 2" || fallen["refused-answerable q1"] != "" {
		t.Errorf("as fallback: %v", fallen)
	}
	if len(got.refusals) != 1 || !strings.Contains(got.refusals[0].Error(), "1 questions were answered from hits that fell back") {
		t.Errorf("refusals %v", got.refusals)
	}
}

func TestBadInput(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"another record", `{"type":"question","id":"q1","text":"x"}`, "a.jsonl:1: expected answer records, got a question record"},
		{"twice", line("q1", "s", `"text":"x"`) + line("q1", "s", `"text":"y"`), `a.jsonl:2: system "s/m" has an answer to question "q1" already, at a.jsonl:1`},
		{"a citation that was not given", strings.Replace(line("q1", "s", `"text":"x"`, "P1"), `"citations":[{"label":"P1","passage":"a~1"`, `"citations":[{"label":"P1","passage":"f"`, 1),
			`a.jsonl:1: citation P1 of passage "f", which is not among those given`},
		{"another corpus", strings.ReplaceAll(line("q1", "s", `"text":"x"`, "P1"), "a~1", "z"), `a.jsonl:1: passage "z" is not in the corpus`},
		{"other questions", line("q8", "s", `"text":"x"`), "the answers are to other questions: none is in the golden set"},
		{"cut", `{"type":"run","tool":"mr-answer","version":"1"}` + "\n" + line("q1", "s", `"text":"x"`), "has no end record"},
		{"no answer", `{"type":"run","tool":"mr-answer","version":"1"}` + "\n" + `{"type":"end","counts":{}}`, "nothing to score: no answer record came"},
	} {
		var b bytes.Buffer
		_, err := grader(t, true).Stream(context.Background(), reader("a.jsonl", tc.text), record.NewWriter(&b))
		if err == nil || !strings.Contains(err.Error(), tc.want) || b.Len() > 0 {
			t.Errorf("%s: %v, wrote %d bytes; want an error with %q and nothing", tc.name, err, b.Len(), tc.want)
		}
	}
}

// Mr-boot takes the stream as it is: every metric trusted, proportions by Wilson.
func TestIntervals(t *testing.T) {
	got := grade(t, grader(t, true), full...)
	plan := boot.Default()
	plan.MaxUnscored = 1
	var b bytes.Buffer
	job := &boot.Job{Plan: plan, Run: &record.Run{Tool: "test"}}
	refusals, err := job.Stream(context.Background(), reader("scores", got.text), record.NewWriter(&b))
	if err != nil || len(refusals) > 0 {
		t.Fatal(err, refusals)
	}
	values := map[string]string{}
	in := reader("intervals", b.String())
	for in.Scan() {
		if iv, ok := in.Record().(*record.Interval); ok && iv.AskedFor == "" {
			values[string(iv.Metric)] = "untrusted: " + iv.Reason
			if iv.Value != nil {
				values[string(iv.Metric)] = fmt.Sprintf("%.4g of %d by %s", *iv.Value, iv.N, iv.Method)
			}
		}
	}
	want := map[string]string{
		"refused-unanswerable": "1 of 1 by Wilson", "refused-answerable": "0 of 2 by Wilson",
		"refusal-auc":        "1 of 3 by Wilson",
		"citation-precision": "0.5 of 2 by Wilson", "citation-recall": "0.5 of 2 by Wilson",
		"key-fact-coverage": "0 of 2 by Wilson", "answer-words": "1 of 2 by Wilson",
		"dropped-citations": "0 of 3 by Wilson", "ungrounded": "0 of 3 by Wilson",
		"prompt-tokens": "0 of 3 by Wilson", "answer-tokens": "0.3333 of 3 by Wilson",
	}
	if d := cmp.Diff(want, values); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Pages: gold names paths, and citations fold to them.
func TestPages(t *testing.T) {
	g := &Answers{Draws: 200, Seed: 1, Run: &record.Run{Tool: "test"}}
	err := g.Load(Files{Golden: "g", Corpus: "c", Unit: golden.Pages, Open: func(name string) (*record.Reader, error) {
		return reader(name, map[string]string{"g": `{"type":"golden","id":"q1","question":"x?","kind":"fact","gold":["q.md"]}`, "c": passages}[name]), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := grade(t, g, line("q1", "s", `"text":"x"`, "P3", "P4"))
	if table := got.table("s/m"); table["citation-precision q1"] != "0.5 of 2" || len(got.refusals) > 0 {
		t.Errorf("%v, %v", table, got.refusals)
	}
}
