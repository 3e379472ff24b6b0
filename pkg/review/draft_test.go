package review

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// model replies to a prompt by a word that is in it.
type model struct {
	replies map[string]string
	asked   []string
}

func (m *model) Name() string { return "ollama:m" }

func (m *model) Ask(_ context.Context, p Prompt) (string, error) {
	m.asked = append(m.asked, p.User)
	for word, reply := range m.replies {
		if strings.Contains(p.User, word) {
			return reply, nil
		}
	}
	return "", errors.New("no reply")
}

func TestDraft(t *testing.T) {
	c := passages(t, "c1", "p.md#wait~1", "Mobium waits up to ten seconds", "p.md#wait~2", "for the preview to leave the screen")
	there := &record.Golden{ID: "q1", Question: "How long until that preview disappears again?", AskedFor: record.Unanswerable}
	ck := NewChecker(c, []*record.Golden{there}, nil)
	reply := func(question, facts string) string {
		return `{"skip":false,"reason":"","question":"` + question + `","key_facts":[` + facts + `]}`
	}
	const good = `"it waits up to 10 seconds"`
	tests := []struct{ name, reply, err string }{
		{"good", reply("My tap landed on something else.  Why?", good), ""},
		{"skip", `{"skip":true,"reason":"a list of\nlinks","question":"","key_facts":[]}`, "nothing to ask: a list of links"},
		{"prose", "Sure! Here is one: Why?", "the reply is not of the schema: "},
		{"member missing", `{"skip":false,"question":"Why is it so slow?"}`, "the reply is not of the schema: skip, question and key_facts are needed"},
		{"member more", `{"skip":false,"reason":"","question":"Why is it so slow?","key_facts":[` + good + `],"x":1}`, "the reply is not of the schema: "},
		{"skips and asks", `{"skip":true,"reason":"","question":"Why is it so slow?","key_facts":[]}`, "the reply skips the section and asks at once"},
		{"too short", reply("Why?", good), "expected a question of 15 to 400 characters, got 4"},
		{"too long", reply(strings.Repeat("why ", 101)+"?", good), "expected a question of 15 to 400 characters, got 405"},
		{"no fact", reply("Why is it so slow?", ""), "expected one to 4 key facts, got 0"},
		{"five facts", reply("Why is it so slow?", strings.Repeat(good+",", 4)+good), "expected one to 4 key facts, got 5"},
		{"empty fact", reply("Why is it so slow?", good+`,"yes"`), `expected key facts of up to 300 characters that say something, got "yes"`},
		{"fact the section does not say", reply("Why is it so slow?", good+`,"it waits up to 30 seconds"`), "the draft is not taken: key fact in gold: the gold may not say it: 100 % of its words, and not the number 30"},
		{"asked already", reply("How long until the preview disappears?", good), "the draft is not taken: near-duplicate: q1 asks nearly the same: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &model{replies: map[string]string{"Mobium": tt.reply}}
			g, err := ck.Draft(t.Context(), m, "p1", "p.md#wait")
			if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Fatalf("got %v, want %q", err, tt.err)
			}
			var skipped *Skipped
			if errors.As(err, &skipped) != (tt.name == "skip") {
				t.Errorf("skipped: %v", skipped)
			}
			if err != nil {
				return
			}
			line, err := Line(g)
			want := `{"type":"golden","id":"p1","question":"My tap landed on something else. Why?","kind":"fact","gold":[["p.md#wait"]],"key_facts":["it waits up to 10 seconds"],"review":"draft","why":["drafted by ollama:m: no question covered p.md#wait"]}`
			if d := cmp.Diff(want, string(line)); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
			if p := m.asked[0]; !strings.Contains(p, "p.md > Title\nMobium waits up to ten seconds\n\nfor the preview to leave the screen\n") {
				t.Errorf("the prompt lacks the section: %s", p)
			}
		})
	}
	if !strings.Contains(draftSystem, `"key_facts": {"type": "array"`) || strings.Contains(draftSystem, "{{") {
		t.Error("the schema is not in the prompt")
	}
}

func TestDrafting(t *testing.T) {
	long := strings.Repeat("word ", 20)
	c := passages(t, "c1", "a.md#asked", "alpha "+long, "a.md#todo", "beta "+long, "a.md#longer", "gamma "+long+long, "b.md#todo", "delta "+long,
		"b.md#short", "x", "b.md#proposed", "epsilon "+long, "b.md#rejected", "zeta "+long)
	golden := `{"type":"golden","id":"q1","question":"alpha?","kind":"fact","gold":[["a.md#asked"]],"review":"draft"}` + "\n"
	proposed := `{"type":"golden","id":"mine","question":"epsilon?","kind":"fact","gold":[["b.md#proposed"]],"review":"draft"}` + "\n"
	p, _ := files(t, golden, proposed, "")
	free := func(record.QuestionID) bool { return false }
	d := &Drafting{Paths: p, Corpus: c, N: 10, Min: 50, Decisions: []Decision{{Question: ProposalID("b.md#rejected", free), Action: Reject}}}
	sections, err := d.Sections()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sections {
		got = append(got, string(s.Section))
	}
	// b.md has no question, a.md one for three sections; within a page the longer first; then those with one.
	if d := cmp.Diff([]string{"b.md#todo", "a.md#longer", "a.md#todo", "a.md#asked"}, got); d != "" {
		t.Errorf("sections (-want +got):\n%s", d)
	}
	m := &model{replies: map[string]string{
		"delta ": `{"skip":false,"reason":"","question":"What shall I do with delta now?","key_facts":["delta word"]}`,
		"gamma ": `{"skip":true,"reason":"nothing","question":"","key_facts":[]}`,
		"beta ":  `{"skip":false,"reason":"","question":"What shall I do with beta?","key_facts":["zebra"]}`,
		"alpha ": `{"skip":false,"reason":"","question":"How do I get rid of alpha?","key_facts":["alpha word"]}`,
	}}
	var notes []string
	d.Note = func(s record.SectionID, id record.QuestionID, err error) {
		notes = append(notes, string(s)+" "+string(id))
	}
	n, err := d.Run(t.Context(), m)
	if err != nil || n != (Drafted{2, 1, 1}) {
		t.Fatalf("%+v, %v", n, err)
	}
	delta, alpha := ProposalID("b.md#todo", free), ProposalID("a.md#asked", free)
	if d := cmp.Diff([]string{"b.md#todo " + string(delta), "a.md#longer ", "a.md#todo ", "a.md#asked " + string(alpha)}, notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	want := proposed +
		`{"type":"golden","id":"` + string(delta) + `","question":"What shall I do with delta now?","kind":"fact","gold":[["b.md#todo"]],"key_facts":["delta word"],"review":"draft","why":["drafted by ollama:m: no question covered b.md#todo"]}` + "\n" +
		`{"type":"golden","id":"` + string(alpha) + `","question":"How do I get rid of alpha?","kind":"fact","gold":[["a.md#asked"]],"key_facts":["alpha word"],"review":"draft","why":["drafted by ollama:m: no question covered a.md#asked"]}` + "\n"
	if d := cmp.Diff(want, readAll(t, p.Proposed)); d != "" {
		t.Errorf("proposed (-want +got):\n%s", d)
	}
	if got := readAll(t, p.Golden); got != golden {
		t.Errorf("the golden set was changed: %s", got)
	}
	if n, err := d.Run(t.Context(), m); err != nil || n != (Drafted{0, 1, 1}) || readAll(t, p.Proposed) != want {
		t.Errorf("a second time: %+v, %v", n, err)
	}
}

func TestProposalID(t *testing.T) {
	taken := map[record.QuestionID]bool{}
	first := ProposalID("a#b", func(id record.QuestionID) bool { return taken[id] })
	taken[first] = true
	second := ProposalID("a#b", func(id record.QuestionID) bool { return taken[id] })
	if first == second || second != first+"-2" || len(first) != 9 {
		t.Errorf("%s, %s", first, second)
	}
	_, d := files(t, three, "", "")
	if err := d.Propose(&record.Golden{ID: "q1", Question: "x", AskedFor: record.Unanswerable}); err == nil {
		t.Error("a question of the set was proposed over")
	}
}

func TestCoverageMarkdown(t *testing.T) {
	c := passages(t, "c1", "a|b.md#x", "one", "a|b.md#y", "two")
	cover := Cover(c, []*record.Golden{{ID: "q1", AskedFor: record.Fact, Gold: needs(record.Need{"a|b.md#x", "gone#z"})}}, nil)
	got := cover.Markdown()
	for _, want := range []string{
		" at `c1`", "| fact | 1 | 0 |\n", "| 0 | 1 |\n| 1 | 1 |\n", "| a\\|b.md | 2 | 1 | 1 |\n", "- `gone#z`\n", "| a\\|b.md\\#x | `q1` |  |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if got, want := Todo(cover.Uncovered(1)), "# Sections to write questions for\n\n- [ ] `a|b.md#y` (0 questions, 3 characters): Title\n- [ ] `a|b.md#x` (1 questions, 3 characters): Title\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
