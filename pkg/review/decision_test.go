package review

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestRule(t *testing.T) {
	_, d := files(t, three, "", "")
	q1 := d.Golden.Of("q1")
	now := func(change func(*Decision)) Decision {
		one := Decision{Question: "q1", Action: Approve, By: "Mara", At: at}
		change(&one)
		return one
	}
	tests := []struct {
		name     string
		decision Decision
		err      string
	}{
		{"good", now(func(*Decision) {}), ""},
		{"no person", now(func(d *Decision) { d.By = " " }), `question "q1": "by" must name the person, on one line`},
		{"called draft", now(func(d *Decision) { d.By = "draft" }), `question "q1": a person called "draft" cannot be told from a question that nobody reviewed`},
		{"local time", now(func(d *Decision) { d.At = "2026-12-01T09:30:00+02:00" }), `question "q1": expected "at" as RFC 3339 in UTC, such as 2026-12-01T09:30:00Z, got "2026-12-01T09:30:00+02:00"`},
		{"no action", now(func(d *Decision) { d.Action = "" }), `question "q1": expected action approve, edit, drop, enter, reject, withdraw or remark, got ""`},
		{"edit of nothing", now(func(d *Decision) { d.Action = Edit }), `question "q1": action edit needs the golden record as it shall be`},
		{"approve with a record", now(func(d *Decision) { d.Golden = q1 }), `question "q1": action approve carries a golden record: only edit and enter do`},
		{"remark", now(func(d *Decision) { d.Action, d.Note = Remark, "ask Ann" }), ""},
		{"remark without a note", now(func(d *Decision) { d.Action, d.Note = Remark, " " }), `question "q1": a remark needs a note`},
		{"remark with a defect", now(func(d *Decision) { d.Action, d.Note, d.Found = Remark, "ask Ann", "stale" }), `question "q1": a remark carries a defect of the docs: it is kept with a ruling`},
		{"another id", now(func(d *Decision) {
			d.Action, d.Golden = Edit, &record.Golden{ID: "q2", Question: "x", AskedFor: record.Unanswerable}
		}), `question "q1": the golden record is of question "q2": ids are not changed`},
		{"bad record", now(func(d *Decision) {
			d.Action, d.Golden = Edit, &record.Golden{ID: "q1", Question: "x", AskedFor: record.Fact}
		}), `question "q1": golden: kind fact needs gold: list at least one need, or make it unanswerable`},
		{"another question", now(func(d *Decision) { d.Question = "q2" }), `the ruling is on question "q2", the record is of "q1"`},
		{"stale", now(func(d *Decision) { d.Base = "0123" }), `question "q1" changed since it was shown`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Rule(q1, tt.decision)
			msg := ""
			if err != nil {
				msg = err.Error()
			}
			if d := cmp.Diff(tt.err, msg); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			var stale *Stale
			if errors.As(err, &stale) != (tt.name == "stale") || stale != nil && stale.Now != Hash(q1) {
				t.Errorf("stale: %+v", stale)
			}
			if err == nil && (got.Base != Hash(q1) || (got.Result == "") != (tt.decision.Action == Remark) || got.Result == got.Base) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestStore: two windows; the file is right to the byte.
func TestStore(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "review", "decisions.json")}
	_, d := files(t, three, "", "")
	first := rule(t, d, "q3", Approve, func(d *Decision) { d.Note = "ask <Ann>" })
	saved, err := s.Put(first, 0)
	if err != nil || saved.Seq != 1 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if _, err := s.Put(rule(t, d, "q1", Edit, edited(d.Golden.Of("q1"), func(g *record.Golden) { g.Question = "one, then?" })), 0); err != nil {
		t.Fatal(err)
	}
	var conflict *Conflict
	if _, err := s.Put(rule(t, d, "q3", Drop, nil), 0); !errors.As(err, &conflict) || conflict.Theirs.Seq != 1 {
		t.Errorf("the other window's ruling was replaced unseen: %v", err)
	}
	want := `{"decisions":[
{"question":"q1","action":"edit","base":"` + Hash(d.Golden.Of("q1")) + `","result":"RESULT","golden":{"type":"golden","id":"q1","question":"one, then?","kind":"fact","gold":[["a"]],"key_facts":["x"],"review":"draft","mine":{"n":1.0}},"by":"Mara","at":"2026-12-01T09:30:00Z","seq":2},
{"question":"q3","action":"approve","base":"` + Hash(d.Golden.Of("q3")) + `","result":"` + saved.Result + `","note":"ask <Ann>","by":"Mara","at":"2026-12-01T09:30:00Z","seq":1}
]}
`
	f, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, "RESULT", f.Of("q1").Result, 1)
	if d := cmp.Diff(want, readAll(t, s.Path)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if string(f.Of("q1").Golden.Extra) != `{"mine":{"n":1.0}}` {
		t.Errorf("unknown members were not kept: %s", f.Of("q1").Golden.Extra)
	}
	if _, err := s.Put(Decision{Question: "q3", Action: Withdraw, By: "Mara", At: at}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(first, 1); !errors.As(err, &conflict) || conflict.Theirs != nil {
		t.Errorf("a ruling withdrawn elsewhere: %v", err)
	}
	if f, err = s.Load(); err != nil || len(f.Decisions) != 1 || f.Of("q3") != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if got := strings.Count(readAll(t, filepath.Join(filepath.Dir(s.Path), "history.jsonl")), "\n"); got != 3 {
		t.Errorf("%d lines of history, want 3", got)
	}
}

func TestReadDecisionsRefuses(t *testing.T) {
	good := `{"question":"q1","action":"approve","base":"b","result":"r","by":"Mara","at":"` + at + `","seq":1}`
	tests := []struct{ name, line, err string }{
		{"good", strings.Replace(good, "q1", "q2", 1), ""},
		{"two on one question", good, "d.json:3: the same was given already, on line 2: keep one"},
		{"no result", `{"question":"q2","action":"approve","base":"b","by":"Mara","at":"` + at + `","seq":1}`, `d.json:3: question "q2": "result" is missing: Rule gives it`},
		{"no base", `{"question":"q2","action":"drop","by":"Mara","at":"` + at + `","seq":1}`, `d.json:3: question "q2": "base" is missing or empty`},
		{"golden is a string", `{"question":"q2","action":"enter","base":"b","golden":"x","by":"Mara","at":"` + at + `","seq":1}`, "d.json:3: "},
		{"unknown member", strings.Replace(good, "by", "bye", 1), "d.json:3: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("d.json", strings.NewReader("{\"decisions\":[\n"+good+",\n"+tt.line+"\n]}\n"))
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}
