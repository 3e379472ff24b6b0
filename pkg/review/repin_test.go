package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

const moving = `{"type":"golden","id":"q1","question":"kept?","kind":"fact","gold":[["p.md#kept"]],"review":"Ann, 2026-11-01"}
{"type":"golden","id":"q2","question":"moved?","kind":"fact","gold":[["p.md#moved","p.md#kept"]],"review":"Ann, 2026-11-01","mine":1}
{"type":"golden","id":"q3","question":"changed?","kind":"fact","gold":[["p.md#changed"]],"review":"Ann, 2026-11-01","mine":1}
{"type":"golden","id":"q4","question":"vanished, with another?","kind":"fact","gold":[["p.md#gone","p.md#kept"]],"review":"Ann, 2026-11-01"}
{"type":"golden","id":"q5","question":"vanished?","kind":"multi","gold":[["p.md#gone"],["p.md#moved"]],"review":"draft"}
{"type":"golden","id":"q6","question":"renamed?","kind":"fact","gold":[["p.md#old-name"]],"review":"draft"}
{"type":"golden","id":"q7","question":"never?","kind":"unanswerable","gold":[],"review":"draft"}
{"type":"golden","id":"q8","question":"numbered anew?","kind":"fact","gold":[["p.md#note-1"]],"review":"draft"}
`

// fates are two corpora between which everything happens once.
func move(t *testing.T, d *Data, reopen bool) *Move {
	t.Helper()
	old := passages(t, "c1",
		"p.md#kept", "## Kept\nsame", "p.md#moved~1", "## Moved\nfirst", "p.md#moved~2", "second",
		"p.md#changed", "## Changed\nold text", "p.md#gone", "## Gone\nno more", "p.md#old-name", "## Old name\nits body",
		"p.md#note", "## Note\none", "p.md#note-1", "## Note\ntwo", "p.md#bare", "## Bare")
	now := passages(t, "c2",
		"p.md#kept", "## Kept\nsame", "r.md#moved~1", "## Moved\nfirst", "r.md#moved~2", "second",
		"p.md#changed", "## Changed\nnew text", "p.md#new-name", "## New name\nits body",
		"p.md#note", "## Note\ntwo", "p.md#note-1", "## Note\nthree", "s.md#bare", "## Bare")
	m, err := Repin(old, now, d, reopen)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRepin(t *testing.T) {
	const proposed = `{"type":"golden","id":"p1","question":"ready now?","kind":"fact","gold":[["p.md#new-name","p.md#kept"]],"review":"draft"}
{"type":"golden","id":"p2","question":"lost?","kind":"fact","gold":[["p.md#moved"]],"review":"draft"}
`
	const next = `{"type":"golden","id":"p3","question":"later?","kind":"fact","gold":[["z.md#z"]],"review":"draft"}
{"type":"golden","id":"q1","question":"kept?","kind":"fact","gold":[["p.md#elsewhere"]],"review":"draft","revises":"0123","why":["of an earlier pin"]}
`
	_, d := files(t, moving, proposed, next)
	m := move(t, d, false)
	var got []string
	for _, q := range m.Questions {
		got = append(got, strings.Join(append([]string{string(q.Question), flag(q.Revised, "revised"), flag(q.Reopen, "reopen")}, q.Why...), "|"))
	}
	want := []string{
		"q2|revised||p.md#moved moved to r.md#moved",
		"q3||reopen|the text of p.md#changed changed",
		"q4|revised|reopen|p.md#gone vanished",
		"q5||reopen|p.md#gone vanished|need 1 is left without gold: a person must find other gold, or drop the need or the question|p.md#moved moved to r.md#moved",
		"q6|revised|reopen|p.md#old-name has another heading and is p.md#new-name",
		"q8|revised||p.md#note-1 moved to p.md#note", // its id is there, with another text
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
	got = nil
	for _, p := range m.Proposals {
		var gold []string
		for _, f := range p.Gold {
			gold = append(gold, f.say())
		}
		got = append(got, strings.Join(append([]string{string(p.Question), string(p.Readiness)}, gold...), "|"))
	}
	if d := cmp.Diff([]string{"p1|became ready", "p2|lost gold|p.md#moved moved to r.md#moved", "p3|not ready|z.md#z was not there"}, got); d != "" {
		t.Errorf("proposals (-want +got):\n%s", d)
	}
	// s.md#bare is a heading alone, known from before; p.md#new-name is new with its heading.
	if d := cmp.Diff([]record.SectionID{"p.md#new-name"}, m.New); d != "" {
		t.Errorf("new (-want +got):\n%s", d)
	}
	if m.Kept != 1 || !cmp.Equal(m.Unanswerable, []record.QuestionID{"q7"}) {
		t.Errorf("kept %d, unanswerable %v", m.Kept, m.Unanswerable)
	}
	lines := strings.Split(strings.TrimSpace(string(m.NextPin.Bytes())), "\n")
	wantNext := []string{
		strings.Split(next, "\n")[0],
		`{"type":"golden","id":"q2","question":"moved?","kind":"fact","gold":[["r.md#moved","p.md#kept"]],"review":"draft","mine":1,"revises":"` + Content(d.Golden.Of("q2")) + `","why":["p.md#moved moved to r.md#moved"]}`,
		`{"type":"golden","id":"q4","question":"vanished, with another?","kind":"fact","gold":[["p.md#kept"]],"review":"draft","revises":"` + Content(d.Golden.Of("q4")) + `","why":["p.md#gone vanished"]}`,
		`{"type":"golden","id":"q6","question":"renamed?","kind":"fact","gold":[["p.md#new-name"]],"review":"draft","revises":"` + Content(d.Golden.Of("q6")) + `","why":["p.md#old-name has another heading and is p.md#new-name"]}`,
		`{"type":"golden","id":"q8","question":"numbered anew?","kind":"fact","gold":[["p.md#note"]],"review":"draft","revises":"` + Content(d.Golden.Of("q8")) + `","why":["p.md#note-1 moved to p.md#note"]}`,
	}
	if d := cmp.Diff(wantNext, lines); d != "" {
		t.Errorf("next pin (-want +got):\n%s", d)
	}
	if string(m.Golden.Bytes()) != moving || string(m.Proposed.Bytes()) != proposed {
		t.Error("the golden set or the proposals were changed")
	}
}

func flag(on bool, name string) string {
	if on {
		return name
	}
	return ""
}

// TestRepinTwice: the second time changes nothing, and what was proposed enters
// also after the question was opened again.
func TestRepinTwice(t *testing.T) {
	p, d := files(t, moving, "", "")
	approved := rule(t, d, "q3", Approve, nil)
	m := move(t, d, true)
	if err := m.Write(); err != nil {
		t.Fatal(err)
	}
	again, err := ReadData(p)
	if err != nil {
		t.Fatal(err)
	}
	second := move(t, again, true)
	if diff := second.Diff(); diff != "" {
		t.Errorf("a second time: %s", diff)
	}
	want := strings.NewReplacer(
		`"gold":[["p.md#changed"]],"review":"Ann, 2026-11-01","mine":1`, `"gold":[["p.md#changed"]],"review":"draft","mine":1,"reopened":"c2"`,
		`"gold":[["p.md#gone","p.md#kept"]],"review":"Ann, 2026-11-01"`, `"gold":[["p.md#gone","p.md#kept"]],"review":"draft","reopened":"c2"`,
	).Replace(moving)
	if d := cmp.Diff(want, readAll(t, p.Golden)); d != "" {
		t.Errorf("opened again (-want +got):\n%s", d)
	}
	decisions := []Decision{rule(t, again, "q4", Enter, nil), approved}
	a, err := Apply(again, decisions, nil)
	if err != nil || len(a.Done) != 1 || len(a.Refused) != 1 || a.Refused[0].Decision.Question != "q3" {
		t.Fatalf("%v, done %v, refused %v: the old approval counts no more", err, a.Done, a.Refused)
	}
	g := a.Golden.Of("q4")
	if line, err := Line(g); err != nil || string(line) != `{"type":"golden","id":"q4","question":"vanished, with another?","kind":"fact","gold":[["p.md#kept"]],"review":"Mara, 2026-12-01"}` {
		t.Errorf("%s, %v", line, err)
	}
	if a.NextPin.Of("q4") != nil || a.NextPin.Of("q2") == nil {
		t.Error("the change that entered is still proposed, or another is not")
	}
	b, err := Apply(a.Data, decisions[:1], nil)
	if err != nil || len(b.Done)+len(b.Refused) > 0 {
		t.Errorf("a second time: %v, %+v", err, b)
	}
}

// TestRevisionOfChangedQuestion: a proposed change of a question that was edited since does not enter.
func TestRevisionOfChangedQuestion(t *testing.T) {
	_, d := files(t, moving, "", "")
	m := move(t, d, false)
	enter := rule(t, m.Data, "q2", Enter, nil)
	_, edited := files(t, strings.Replace(moving, "moved?", "edited?", 1), "", "")
	edited.NextPin = m.NextPin
	a, err := Apply(edited, []Decision{enter}, nil)
	if err != nil || len(a.Refused) != 1 || a.Refused[0].Reason != "the question it is a change of changed since: rule on the question itself" {
		t.Errorf("%v, %+v", err, a.Refused)
	}
	if m.NextPin.Of("q2") == nil {
		t.Fatal("what was given was changed")
	}
	_, dropped := files(t, strings.Replace(moving, `"id":"q2"`, `"id":"q0"`, 1), "", "")
	dropped.NextPin = m.NextPin
	a, err = Apply(dropped, []Decision{enter}, nil)
	if err != nil || len(a.Refused) != 1 || a.Refused[0].Reason != "the question it is a change of is no longer there" {
		t.Errorf("%v, %+v", err, a.Refused)
	}
}

func TestMoveMarkdown(t *testing.T) {
	_, d := files(t, strings.Replace(moving, "moved?", "moved <b>*now*</b>?", 1), `{"type":"golden","id":"p1","question":"ready now?","kind":"fact","gold":[["p.md#new-name"]],"review":"draft"}`, "")
	got := move(t, d, true).Markdown()
	for _, want := range []string{
		"From `c1` to `c2`.\n\n1 questions keep all their gold as it is; 6 do not.",
		"\n## Gold that vanished\n\n", "\n- `q5`: vanished?\n  - p.md\\#gone vanished\n",
		"\n## Gold whose text changed\n\n", "- `q2`: moved \\<b\\>\\*now\\*\\</b\\>?\n  - p.md\\#moved moved to r.md\\#moved\n",
		"\n## Proposed questions\n\n- `p1`, became ready: ready now?\n",
		"the 1 unanswerable ones among them (`q7`).\n\n- `p.md#new-name`\n",
		"```diff\n--- ", `+{"type":"golden","id":"q3",`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	_, kept := files(t, strings.Split(moving, "\n")[0], "", "")
	if got := move(t, kept, true).Markdown(); !strings.HasSuffix(got, "\n## The change to the files\n\nNone.\n") {
		t.Errorf("nothing changed:\n%s", got)
	}
}
