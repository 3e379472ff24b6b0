package review

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

const at = "2026-12-01T09:30:00Z"

// files writes golden, proposed and next-pin files and reads them; "" is no file.
func files(t *testing.T, golden, proposed, next string) (Paths, *Data) {
	t.Helper()
	dir := t.TempDir()
	p := Paths{filepath.Join(dir, "golden.jsonl"), filepath.Join(dir, "proposed.jsonl"), filepath.Join(dir, "next.jsonl")}
	for path, text := range map[string]string{p.Golden: golden, p.Proposed: proposed, p.NextPin: next} {
		if text == "" && path != p.Golden {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := ReadData(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, d
}

// rule is a ruling on what the data has now.
func rule(t *testing.T, d *Data, id record.QuestionID, a Action, change func(*Decision)) Decision {
	t.Helper()
	one := Decision{Question: id, Action: a, By: "Mara", At: at}
	if change != nil {
		change(&one)
	}
	one, err := Rule(d.Current(id, a), one)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// edited sets the golden record of a ruling.
func edited(g *record.Golden, change func(*record.Golden)) func(*Decision) {
	return func(d *Decision) {
		c := *g
		change(&c)
		d.Golden = &c
	}
}

const three = `{"type":"golden","id":"q1","question":"one?","kind":"fact","gold":["a"],"key_facts":["\u0078"],"review":"draft","mine":{"n":1.0}}
{"id":"q2",  "type":"golden","question":"two?","kind":"unanswerable","gold":[],"key_facts":[],"review":"draft"}

{"type":"golden","id":"q3","question":"three?","kind":"fact","gold":[["a","b"]],"review":"Ann, 2026-11-01"}
`

func TestApply(t *testing.T) {
	const proposed = `{"type":"golden","id":"q9","question":"nine?","kind":"fact","gold":[["a"]],"review":"draft","why":["no question covers it"],"model":"m"}
{"type":"golden","id":"q8","question":"eight?","kind":"fact","gold":[["b"]],"review":"draft"}
{"type":"golden","id":"q7","question":"seven?","kind":"fact","gold":[["b"]],"review":"draft"}
`
	p, d := files(t, three, proposed, "")
	decisions := []Decision{
		rule(t, d, "q9", Enter, nil),
		rule(t, d, "q1", Approve, func(d *Decision) { d.Found = "the page says two things"; d.Note = "for us" }),
		rule(t, d, "q2", Edit, edited(d.Golden.Of("q2"), func(g *record.Golden) {
			g.AskedFor, g.Gold, g.KeyFacts, g.Review = record.Multi, []record.Need{{"a"}, {"b"}}, []string{"<it>"}, "whatever"
		})),
		rule(t, d, "q3", Drop, nil),
		rule(t, d, "q8", Enter, edited(d.Proposed.Of("q8"), func(g *record.Golden) { g.Question = "eight, then?" })),
		rule(t, d, "q7", Reject, nil),
	}
	// A remark changes nothing, whatever became of its question.
	remark := rule(t, d, "q2", Remark, func(d *Decision) { d.Note = "ask Ann" })
	remark.Base = "another"
	if a, err := Apply(d, []Decision{remark}, nil); err != nil || len(a.Done)+len(a.Refused) > 0 || a.Diff() != "" {
		t.Fatalf("a remark: %v, %+v", err, a)
	}
	a, err := Apply(d, decisions, nil)
	if err != nil || len(a.Refused) > 0 {
		t.Fatalf("%v, %+v", err, a.Refused)
	}
	if err := a.Write(); err != nil {
		t.Fatal(err)
	}
	// Members keep their places and their spelling: q1's gold stays a plain string,
	// its 1.0 is not written 1, and its \u0078 not x; q2's blanks between members go, its order stays.
	want := `{"type":"golden","id":"q1","question":"one?","kind":"fact","gold":["a"],"key_facts":["\u0078"],"found":"the page says two things","review":"Mara, 2026-12-01","mine":{"n":1.0}}
{"id":"q2","type":"golden","question":"two?","kind":"multi","gold":[["a"],["b"]],"key_facts":["<it>"],"review":"Mara, 2026-12-01"}

{"type":"golden","id":"q8","question":"eight, then?","kind":"fact","gold":[["b"]],"review":"Mara, 2026-12-01"}
{"type":"golden","id":"q9","question":"nine?","kind":"fact","gold":[["a"]],"review":"Mara, 2026-12-01","model":"m"}
`
	got := readAll(t, p.Golden)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("golden (-want +got):\n%s", d)
	}
	if got := readAll(t, p.Proposed); got != "" {
		t.Errorf("still proposed: %q", got)
	}
	if _, err := os.Stat(p.NextPin); !os.IsNotExist(err) {
		t.Errorf("a file was made that nothing is in: %v", err)
	}
	patched(t, p, map[string]string{p.Golden: three, p.Proposed: proposed}, map[string]string{p.Golden: want, p.Proposed: ""}, a.Diff())

	again, err := ReadData(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Apply(again, decisions, nil)
	if err != nil || len(b.Done)+len(b.Refused) > 0 || b.Diff() != "" {
		t.Errorf("a second time: %v, done %+v, refused %+v, diff %q", err, b.Done, b.Refused, b.Diff())
	}
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// patched holds the diff against git: it must make the new files of the old ones.
func patched(t *testing.T, p Paths, before, after map[string]string, diff string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIP needs git")
	}
	dir := filepath.Dir(p.Golden)
	for path, text := range before {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "apply", "--unidiff-zero", "-p0")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(diff, dir+"/", ""))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s\n%s", err, out, diff)
	}
	for path, text := range after {
		got, err := os.ReadFile(path)
		if err != nil && !(os.IsNotExist(err) && text == "") {
			t.Fatal(err)
		}
		if d := cmp.Diff(text, string(got)); d != "" {
			t.Errorf("what git makes of the diff (-want +got):\n%s\n%s", d, diff)
		}
	}
}

// TestDiffs holds diffs of every shape against git.
func TestDiffs(t *testing.T) {
	lines := func(ids ...int) string {
		var b strings.Builder
		for _, i := range ids {
			fmt.Fprintf(&b, `{"type":"golden","id":"q%d","question":"%d?","kind":"fact","gold":[["a"]],"review":"draft"}`+"\n", i, i)
		}
		return b.String()
	}
	tests := []struct {
		name, golden, proposed string
		drop, approve, enter   []record.QuestionID
		hunks                  string // of the golden set, as GNU diff -U0 heads them
	}{
		{"first", lines(1, 2, 3), "", []record.QuestionID{"q1"}, nil, nil, "@@ -1 +0,0 @@"},
		{"last", lines(1, 2, 3), "", []record.QuestionID{"q3"}, nil, nil, "@@ -3 +2,0 @@"},
		{"all", lines(1, 2, 3), "", []record.QuestionID{"q1", "q2", "q3"}, nil, nil, "@@ -1,3 +0,0 @@"},
		{"two apart", lines(1, 2, 3, 4, 5), "", []record.QuestionID{"q2"}, []record.QuestionID{"q4"}, nil, "@@ -2 +1,0 @@ @@ -4 +3 @@"},
		{"drop beside change", lines(1, 2, 3, 4), "", []record.QuestionID{"q2"}, []record.QuestionID{"q1", "q3"}, nil, "@@ -1,3 +1,2 @@"},
		{"append", lines(1), lines(2, 3), nil, nil, []record.QuestionID{"q2", "q3"}, "@@ -1,0 +2,2 @@"},
		{"append to nothing", "", lines(2), nil, nil, []record.QuestionID{"q2"}, "@@ -0,0 +1 @@"},
		{"append to a line without end", strings.TrimSuffix(lines(1, 2), "\n"), lines(3), nil, nil, []record.QuestionID{"q3"}, "@@ -2 +2,2 @@"},
		{"change a line without end", strings.TrimSuffix(lines(1, 2), "\n"), "", nil, []record.QuestionID{"q2"}, nil, "@@ -2 +2 @@"},
		{"drop and append", lines(1, 2), lines(3), []record.QuestionID{"q2"}, nil, []record.QuestionID{"q3"}, "@@ -2 +2 @@"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, d := files(t, tt.golden, tt.proposed, "")
			var decisions []Decision
			for a, ids := range map[Action][]record.QuestionID{Drop: tt.drop, Approve: tt.approve, Enter: tt.enter} {
				for _, id := range ids {
					decisions = append(decisions, rule(t, d, id, a, nil))
				}
			}
			a, err := Apply(d, decisions, nil)
			if err != nil || len(a.Refused) > 0 || len(a.Done) != len(decisions) {
				t.Fatalf("%v, %+v", err, a.Refused)
			}
			var hunks []string
			diff, _, _ := strings.Cut(a.Diff(), "--- "+p.Proposed)
			for line := range strings.Lines(diff) {
				if strings.HasPrefix(line, "@@") {
					hunks = append(hunks, strings.TrimSpace(line))
				}
			}
			if d := cmp.Diff(tt.hunks, strings.Join(hunks, " ")); d != "" {
				t.Errorf("hunks (-want +got):\n%s", d)
			}
			patched(t, p, map[string]string{p.Golden: tt.golden, p.Proposed: tt.proposed},
				map[string]string{p.Golden: string(a.Golden.Bytes()), p.Proposed: string(a.Proposed.Bytes())}, a.Diff())
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	const proposed = `{"type":"golden","id":"q9","question":"nine?","kind":"fact","gold":[["gone"]],"review":"draft"}` + "\n"
	const other = `{"type":"golden","id":"q9","question":"another nine?","kind":"fact","gold":[["a"]],"review":"draft"}` + "\n"
	passages := `{"type":"passage","id":"a","section":"a","path":"p","heading":"","lines":[1,1],"text":"x"}` + "\n" +
		`{"type":"passage","id":"b","section":"b","path":"p","heading":"","lines":[1,1],"text":"x"}` + "\n"
	c, err := corpus.Read(record.NewReader(record.Source{Name: "c", Reader: strings.NewReader(passages)}))
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	same := func(s string) string { return s }
	tests := []struct {
		name             string
		decide           func(*testing.T, *Data) Decision
		golden, proposed func(string) string // what happens before it is applied
		reason           string
	}{
		{"approve, text changed", func(t *testing.T, d *Data) Decision { return rule(t, d, "q1", Approve, nil) },
			change("one?", "One?"), same, "the question changed since: rule on it again"},
		{"drop, unknown member changed", func(t *testing.T, d *Data) Decision { return rule(t, d, "q1", Drop, nil) },
			change("1.0", "2.0"), same, "the question changed since: rule on it again"},
		{"approve, opened again", func(t *testing.T, d *Data) Decision { return rule(t, d, "q1", Approve, nil) },
			change(`"review":"draft"`, `"review":"draft","reopened":"abc"`), same, "the question changed since: rule on it again"},
		{"approve, gone", func(t *testing.T, d *Data) Decision { return rule(t, d, "q1", Approve, nil) },
			change(`"id":"q1"`, `"id":"q0"`), same, "the golden set has no such question"},
		{"edit to gold that is not there", func(t *testing.T, d *Data) Decision {
			return rule(t, d, "q1", Edit, edited(d.Golden.Of("q1"), func(g *record.Golden) { g.Gold = []record.Need{{"a", "nowhere"}} }))
		}, same, same, `the corpus does not have the gold ["nowhere"]`},
		{"edit to needs that cannot be met", func(t *testing.T, d *Data) Decision {
			return rule(t, d, "q1", Edit, edited(d.Golden.Of("q1"), func(g *record.Golden) { g.Gold = []record.Need{{"a"}, {"a"}} }))
		}, same, same, `question "q1": need 2 ["a"] cannot be met together with the others: a section serves one need, and theirs are taken`},
		{"enter, gold newer than the pin", func(t *testing.T, d *Data) Decision { return rule(t, d, "q9", Enter, nil) },
			same, same, `the corpus does not have the gold ["gone"]`},
		{"enter, no longer proposed", func(t *testing.T, d *Data) Decision { return rule(t, d, "q9", Enter, nil) },
			same, func(string) string { return "" }, "the question is no longer proposed"},
		{"enter, proposal changed", func(t *testing.T, d *Data) Decision { return rule(t, d, "q9", Enter, nil) },
			same, change("nine?", "9?"), "the proposal changed since: rule on it again"},
		{"enter, id taken", func(t *testing.T, d *Data) Decision {
			return rule(t, d, "q9", Enter, edited(d.Proposed.Of("q9"), func(g *record.Golden) { g.Gold = []record.Need{{"a"}} }))
		}, func(s string) string { return s + other }, same, "the golden set has another question of that id: give the proposal a new one"},
		{"entered and changed since", func(t *testing.T, d *Data) Decision { return rule(t, d, "q9", Enter, nil) },
			func(s string) string { return s + other }, func(string) string { return "" }, "the question entered, and changed since: rule on it again"},
		{"made by hand", func(t *testing.T, d *Data) Decision {
			one := rule(t, d, "q1", Approve, nil)
			one.Found = "put in later"
			return one
		}, same, same, "the decision does not make what it says it does ("},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, d := files(t, three, proposed, "")
			decision := tt.decide(t, d)
			_, d = files(t, tt.golden(three), tt.proposed(proposed), "")
			a, err := Apply(d, []Decision{decision}, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Refused) != 1 || !strings.HasPrefix(a.Refused[0].Reason, tt.reason) {
				t.Errorf("got %+v, want %q", a.Refused, tt.reason)
			}
			if len(a.Done) > 0 || a.Diff() != "" {
				t.Errorf("something was changed: %s", a.Diff())
			}
		})
	}
}

// TestApplyGoesOn: a process that was killed between its two writes left the
// question in both files; the next one takes it out of the second.
func TestApplyGoesOn(t *testing.T) {
	const proposed = `{"type":"golden","id":"q9","question":"nine?","kind":"fact","gold":[["a"]],"review":"draft","why":["x"]}` + "\n"
	p, d := files(t, three, proposed, "")
	decisions := []Decision{rule(t, d, "q9", Enter, nil)}
	a, err := Apply(d, decisions, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Golden, a.Golden.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if d, err = ReadData(p); err != nil {
		t.Fatal(err)
	}
	b, err := Apply(d, decisions, nil)
	if err != nil || len(b.Refused) > 0 || len(b.Proposed.Bytes()) > 0 || !bytes.Equal(a.Golden.Bytes(), b.Golden.Bytes()) {
		t.Errorf("%v, %+v, %s", err, b.Refused, b.Diff())
	}
}

// TestMobiumFileStays: without a decision the committed set stays as it is, to the byte.
func TestMobiumFileStays(t *testing.T) {
	text, err := os.ReadFile("../../data/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSet("golden.jsonl", text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, s.Bytes()) {
		t.Error("it is not written as it was read")
	}
	d := &Data{Golden: s, Proposed: &Set{}, NextPin: &Set{}}
	for _, g := range s.Records { // what is ruled on changes in its review alone
		a, err := Apply(d, []Decision{rule(t, d, g.ID, Approve, nil)}, nil)
		if err != nil || len(a.Done) != 1 {
			t.Fatalf("%v, %+v", err, a)
		}
		back := strings.Replace(string(a.Golden.Bytes()), `"review":"Mara, 2026-12-01"`, `"review":"`+g.Review+`"`, 1)
		if back != string(text) {
			t.Errorf("%s: more than the review changed: %s", g.ID, a.Diff())
		}
	}
}

func TestReadSetRefuses(t *testing.T) {
	good := `{"type":"golden","id":"q1","question":"one?","kind":"fact","gold":["a"]}`
	tests := []struct{ name, in, err string }{
		{"nothing", "", ""},
		{"blank", "\n \n", ""},
		{"id twice", good + "\n\n" + good, `g:3: question "q1" was there already, at g:1: ids are unique`},
		{"not JSON", good + "\n{", "g:2: not JSON: "},
		{"no golden record", good + "\n" + `{"type":"question","id":"q2","text":"two?"}`, "g:2: expected golden records alone, got a question record"},
		{"a stream", `{"type":"run","tool":"x","version":"1"}` + "\n" + good + "\n" + `{"type":"end","counts":{"golden":1}}`, "g:1: expected golden records alone, got a run record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadSet("g", []byte(tt.in))
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}
