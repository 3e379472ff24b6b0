package reviewweb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/review"
	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

// noon is the clock of the tests.
func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

const passages = `{"type":"passage","id":"a.md#stop","section":"a.md#stop","path":"a.md","heading":"Stop","headings":["A","Stop"],"lines":[1,3],"commit":"c1","text":"## Stop\n\nUse the stop command. See [start](#start)."}
{"type":"passage","id":"a.md#start","section":"a.md#start","path":"a.md","heading":"Start","headings":["A","Start"],"lines":[4,6],"commit":"c1","text":"## Start\n\nUse the start command."}
`

const questions = `{"type":"golden","id":"q1","question":"How is it stopped?","kind":"fact","gold":[["a.md#stop"]],"key_facts":["the stop command"],"review":"draft","mine":1e2}
{"type":"golden","id":"q2","question":"Who begins?","kind":"fact","gold":[["a.md#gone"]],"review":"Ada, 2026-11-01"}
`

func records(text string) *record.Reader {
	return record.NewReader(record.Source{Name: "records", Reader: strings.NewReader(text)})
}

// golden is a site on files in a folder of their own.
func golden(t *testing.T, by string) (*reviewweb.Golden, http.Handler) {
	t.Helper()
	dir := t.TempDir()
	c, err := corpus.Read(records(passages))
	if err != nil {
		t.Fatal(err)
	}
	sections, err := reviewweb.NewSections(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sections.Close(); err != nil {
			t.Error(err)
		}
	})
	g := &reviewweb.Golden{
		Paths: review.Paths{Golden: filepath.Join(dir, "golden.jsonl"), Proposed: filepath.Join(dir, "proposed.jsonl"), NextPin: filepath.Join(dir, "next.jsonl")},
		Store: review.Store{Path: filepath.Join(dir, "review", "decisions.json")}, Sections: sections, Depth: 5, By: by, Now: noon,
	}
	write(t, g.Paths.Golden, questions)
	site, err := g.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return g, site
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ask sends one request and returns the status and the answer. A body makes it a POST.
func ask(t *testing.T, site http.Handler, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	if body != "" {
		r = httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(text)
}

// member is one member of a JSON object, as JSON.
func member(t *testing.T, text string, path ...string) string {
	t.Helper()
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		text = string(object[name])
	}
	return text
}

func TestGoldenSite(t *testing.T) {
	g, site := golden(t, "Ada")
	status, list := ask(t, site, "/api/golden", "")
	want := `[{"id":"q1","question":"How is it stopped?","kind":"fact","from":"set","review":"draft"},{"id":"q2","question":"Who begins?","kind":"fact","from":"set","review":"Ada, 2026-11-01"}]`
	if d := cmp.Diff(want, member(t, list, "questions")); d != "" || status != 200 {
		t.Errorf("%d (-want +got):\n%s", status, d)
	}
	if status, _ := ask(t, site, "/api/golden?version="+member(t, list, "version"), ""); status != 204 {
		t.Errorf("nothing new is %d, want 204", status)
	}

	_, q1 := ask(t, site, "/api/golden/question?id=q1", "")
	if d := cmp.Diff(`[[{"id":"a.md#stop","known":true,"path":"a.md","headings":["A","Stop"],"lines":[1,3],"parts":["\u003ch4\u003eStop\u003c/h4\u003e\n\u003cp\u003eUse the stop command. See \u003cbutton type=\"button\" class=\"link\" data-section=\"a.md#start\"\u003estart\u003c/button\u003e.\u003c/p\u003e\n"],"rank":1}]]`, escaped(member(t, q1, "needs"))); d != "" {
		t.Errorf("gold (-want +got):\n%s", d)
	}
	base := member(t, q1, "base")
	decide := func(action, more string, seen int) (int, string) {
		return ask(t, site, "/api/golden/decide", fmt.Sprintf(`{"question":"q1","action":%q,"base":%s,"seen":%d%s}`, action, base, seen, more))
	}
	for _, tt := range []struct {
		name, action, more string
		seen, status       int
		says               string
	}{
		{"a note on what stays undecided", "remark", `,"note":"ask Ann"`, 0, 200, ""},
		{"a remark of nothing", "remark", "", 1, 422, "needs a note"},
		{"approve", "approve", `,"note":"fine"`, 1, 200, ""},
		{"the same from a window that has not seen it", "drop", "", 1, 409, "Ada ruled on question \"q1\" meanwhile: approve"},
		{"over it", "drop", "", 2, 200, ""},
		{"an edit without a record", "edit", "", 3, 422, "needs the golden record"},
		{"an edit that leaves no gold", "edit", `,"golden":{"id":"q1","question":"Why?","kind":"fact","gold":[]}`, 3, 422, "needs gold"},
		{"an edit of another id", "edit", `,"golden":{"id":"q9","question":"Why?","kind":"fact","gold":[["a.md#stop"]]}`, 3, 422, "ids are not changed"},
		{"an unknown action", "approved", "", 3, 422, "expected action"},
		{"an edit", "edit", `,"golden":{"id":"q1","question":"How does it stop?","kind":"fact","gold":["a.md#stop"]}`, 3, 200, ""},
		{"taken back", "withdraw", "", 4, 200, ""},
		{"an unknown member", "approve", `,"what":1`, 0, 422, "what"},
	} {
		status, said := decide(tt.action, tt.more, tt.seen)
		if status != tt.status || !strings.Contains(said, strings.ReplaceAll(tt.says, `"`, `\"`)) {
			t.Errorf("%s: %d %s\nwant %d, %q", tt.name, status, said, tt.status, tt.says)
		}
		if tt.action == "remark" && status == 200 && (strings.Contains(said, `"action":"remark","by"`) || !strings.Contains(said, `"note":"ask Ann"`)) {
			t.Errorf("%s: the question counts as ruled on, or its note is lost: %s", tt.name, said)
		}
		if status == 409 && member(t, said, "now", "action") != `"approve"` {
			t.Errorf("%s: what is there now is not told: %s", tt.name, said)
		}
	}
	history, err := os.ReadFile(filepath.Join(filepath.Dir(g.Store.Path), "history.jsonl"))
	if n := bytes.Count(history, []byte("\n")); err != nil || n != 5 {
		t.Errorf("%d changes in the history, want remark, approve, drop, edit and withdraw: %v", n, err)
	}
}

// escaped writes < and > as encoding/json does, whatever wrote the text.
func escaped(s string) string { return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(s) }

// TestGoldenChangesUnderThePage: files that change are read again; a ruling on
// a record that changed is refused, and one that was made before is stale.
func TestGoldenChangesUnderThePage(t *testing.T) {
	g, site := golden(t, "Ada")
	_, q1 := ask(t, site, "/api/golden/question?id=q1", "")
	ruling := fmt.Sprintf(`{"question":"q1","action":"approve","base":%s,"seen":0}`, member(t, q1, "base"))
	if status, said := ask(t, site, "/api/golden/decide", ruling); status != 200 {
		t.Fatal(status, said)
	}
	write(t, g.Paths.Golden, strings.Replace(questions, "How is it stopped?", "How is it ended?", 1))
	_, list := ask(t, site, "/api/golden", "")
	if want := `"id":"q1","question":"How is it ended?","kind":"fact","from":"set","review":"draft","action":"approve","by":"Ada","seq":1,"stale":true`; !strings.Contains(list, want) {
		t.Errorf("the list is %s\nwithout %s", list, want)
	}
	status, said := ask(t, site, "/api/golden/decide", strings.Replace(ruling, `"seen":0`, `"seen":1`, 1))
	if status != 409 || !strings.Contains(said, "changed since it was shown") {
		t.Errorf("%d %s", status, said)
	}
	write(t, g.Paths.Proposed, `{"type":"golden","id":"p1","question":"When?","kind":"unanswerable","gold":[],"review":"draft","why":["nobody asked"]}
{"type":"golden","id":"q2","question":"Who starts?","kind":"fact","gold":[["a.md#start"]],"review":"draft"}
`)
	_, list = ask(t, site, "/api/golden", "")
	for _, want := range []string{`"id":"p1","question":"When?","kind":"unanswerable","from":"proposed"`, `"id":"q2","question":"Who starts?","kind":"fact","from":"change"`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list is %s\nwithout %s", list, want)
		}
	}
	_, q2 := ask(t, site, "/api/golden/question?id=q2", "")
	if got := member(t, q2, "instead", "question"); got != `"Who begins?"` {
		t.Errorf("the question as it stands is %s", got)
	}
	write(t, g.Paths.Golden, "{\n")
	if status, said := ask(t, site, "/api/golden", ""); status != 500 || !strings.Contains(said, "golden.jsonl:1: ") {
		t.Errorf("a damaged file: %d %s", status, said)
	}
}

func TestNameIsAskedFor(t *testing.T) {
	_, site := golden(t, "")
	_, q1 := ask(t, site, "/api/golden/question?id=q1", "")
	ruling := fmt.Sprintf(`{"question":"q1","action":"approve","base":%s,"seen":0}`, member(t, q1, "base"))
	if status, said := ask(t, site, "/api/golden/decide", ruling); status != 422 || !strings.Contains(said, "who are you?") {
		t.Errorf("%d %s", status, said)
	}
	for body, want := range map[string]int{`{"by":" "}`: 422, `{"by":"a\nb"}`: 422, `{"by":" Ben "}`: 200} {
		if status, said := ask(t, site, "/api/by", body); status != want {
			t.Errorf("%s: %d %s", body, status, said)
		}
	}
	if status, said := ask(t, site, "/api/golden/decide", ruling); status != 200 || !strings.Contains(said, `"by":"Ben"`) {
		t.Errorf("%d %s", status, said)
	}
}

// answered is two answers with a judge's readings of the first, and one of a control.
func answered() ([]*record.Answer, []*record.Verdict) {
	var answers []*record.Answer
	for i, text := range []string{"By stop.", "By start."} {
		answers = append(answers, &record.Answer{
			Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprint("q", i+1)), Text: "How?"}, System: "secret-system", Model: "secret-model", Status: record.Scored,
			Passages: []record.Labelled{{Label: "P1", Passage: "a.md#stop", Section: "a.md#stop", Text: "Use the *stop* command."}},
			Text:     text, Sentences: []record.Sentence{{Text: text, Labels: []string{"P1"}}},
		})
	}
	verdict := func(judge string, control string, metric record.MetricName) *record.Verdict {
		return &record.Verdict{Key: "k", Question: answers[0].Question, Judge: judge, Metric: metric, Answer: answers[0].Digest(), Control: control,
			Claims: []record.Claim{{Claim: "it is stopped by " + judge, Supported: record.Yes}}, Mark: record.Yes, Status: record.Scored}
	}
	return answers, []*record.Verdict{verdict("m:2", "", record.Relevance), verdict("m:1", "", record.Relevance), verdict("m:1", "", record.Faithfulness), verdict("m:3", record.MadeUp, record.Faithfulness)}
}

func labels(t *testing.T, blind bool) (*reviewweb.Labels, http.Handler) {
	t.Helper()
	answers, verdicts := answered()
	if blind {
		verdicts = nil
	}
	l := &reviewweb.Labels{
		Drawn: []review.Drawn{{Answer: answers[0], Weight: 0.5}, {Answer: answers[1], Weight: 1}}, All: answers, Verdicts: verdicts, Blind: blind,
		Store: label.Store{Path: filepath.Join(t.TempDir(), "labels.json")}, By: "Ada", Now: noon,
	}
	site, err := l.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return l, site
}

func TestLabelsSite(t *testing.T) {
	l, site := labels(t, false)
	_, first := ask(t, site, "/api/labels/answer?place=0", "")
	want := `{"place":0,"question":"q1","text":"How?","sentences":[{"html":"<p>By stop.</p>\n","labels":["P1"]}],"passages":[{"label":"P1","passage":"a.md#stop","html":"<p>Use the <em>stop</em> command.</p>\n"}],"judges":["m:1","m:2"]}`
	if d := cmp.Diff(want, first); d != "" {
		t.Errorf("what a rater sees, and nothing of system, model or readings (-want +got):\n%s", d)
	}
	for _, tt := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"mark", "mark", `{"place":0,"question":"q1","faithful":"yes","seen":0}`, 200, `"faithful":"yes"`},
		{"from a window that has not seen it", "mark", `{"place":0,"question":"q1","faithful":"no","seen":0}`, 409, "elsewhere meanwhile"},
		{"a mark there is not", "mark", `{"place":0,"question":"q1","faithful":"maybe","seen":1}`, 422, "expected the mark"},
		{"another question", "mark", `{"place":0,"question":"q2","faithful":"no","seen":1}`, 404, ""},
		{"no such place", "mark", `{"place":2,"question":"q2","faithful":"no","seen":1}`, 404, ""},
		{"a judge that read no answer", "open", `{"place":0,"question":"q1","faithful":"yes","seen":1,"judge":"m:3"}`, 404, ""},
		{"no readings without the record", "open", `{"place":0,"question":"q1","faithful":"yes","seen":0,"judge":"m:1"}`, 409, ""},
		{"open", "open", `{"place":0,"question":"q1","faithful":"yes","seen":1,"judge":"m:1"}`, 200, `"readings":[{"metric":"faithfulness","repeat":0,"mark":"yes","status":"scored","claims":[{"claim":"it is stopped by m:1","supported":"yes"}]},{"metric":"relevance"`},
		{"opened stays", "mark", `{"place":0,"question":"q1","faithful":"no","relevant":"can't tell","note":"n","seen":2}`, 200, `"opened":["m:1"]`},
	} {
		status, said := ask(t, site, "/api/labels/"+tt.path, tt.body)
		if status != tt.status || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %d %s\nwant %d, %s", tt.name, status, said, tt.status, tt.says)
		}
		if status != 200 && strings.Contains(said, "it is stopped by") {
			t.Errorf("%s: a reading was told though nothing was kept of it: %s", tt.name, said)
		}
	}
	answers, _ := answered()
	got, err := os.ReadFile(l.Store.Path)
	if err != nil {
		t.Fatal(err)
	}
	wantFile := `{"labels":[
{"question":"q1","system":"secret-system","answer":"` + answers[0].Digest() + `","rater":"Ada","faithful":"no","relevant":"can't tell","note":"n","opened":["m:1"],"weight":0.5,"at":"2026-12-01T12:00:00Z","seq":3}
]}
`
	if d := cmp.Diff(wantFile, string(got)); d != "" {
		t.Errorf("the file (-want +got):\n%s", d)
	}
	// Another rater sees none of it.
	if status, said := ask(t, site, "/api/by", `{"by":"Ben"}`); status != 200 {
		t.Fatal(status, said)
	}
	if _, list := ask(t, site, "/api/labels", ""); strings.Contains(list, "faithful") || !strings.Contains(list, `"by":"Ben"`) {
		t.Errorf("Ben is shown %s", list)
	}
}

// TestBlind: there is no reading, and no way to ask for one.
func TestBlind(t *testing.T) {
	l, site := labels(t, true)
	if _, first := ask(t, site, "/api/labels/answer?place=0", ""); strings.Contains(first, "judges") {
		t.Errorf("judges are named: %s", first)
	}
	if status, _ := ask(t, site, "/api/labels/open", `{"place":0,"question":"q1","seen":0,"judge":"m:1"}`); status != 404 {
		t.Errorf("asking for a reading is %d, want 404", status)
	}
	if status, said := ask(t, site, "/api/labels/mark", `{"place":1,"question":"q2","relevant":"yes","seen":0}`); status != 200 {
		t.Error(status, said)
	}
	if got, err := os.ReadFile(l.Store.Path); err != nil || !strings.Contains(string(got), `"blind":true`) || strings.Contains(string(got), "weight") {
		t.Errorf("%v: %s", err, got)
	}
	_, verdicts := answered()
	if _, err := (&reviewweb.Labels{Blind: true, Verdicts: verdicts}).Handler(); err == nil {
		t.Error("blind with readings is served")
	}
}

// TestStaleLabels are counted for their rater, and no answer carries them.
func TestStaleLabels(t *testing.T) {
	l, site := labels(t, false)
	for _, x := range []label.Label{
		{Question: "q1", Answer: "another", Rater: "Ada", Faithful: label.Yes}, {Question: "q1", Answer: "another", Rater: "Ben", Faithful: label.Yes},
	} {
		if _, err := l.Store.Put(x, 0); err != nil {
			t.Fatal(err)
		}
	}
	_, list := ask(t, site, "/api/labels", "")
	if member(t, list, "stale") != "1" || strings.Contains(list, "faithful") {
		t.Errorf("the list is %s", list)
	}
}
