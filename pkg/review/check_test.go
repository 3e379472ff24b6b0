package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// passages is a corpus of sections with their texts: id, text, id, text…
func passages(t *testing.T, commit record.Commit, pairs ...string) *corpus.Corpus {
	t.Helper()
	var b strings.Builder
	w := record.NewWriter(&b)
	if err := w.Start(&record.Run{Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		section, _, _ := strings.Cut(pairs[i], "~")
		path, _, _ := strings.Cut(section, "#")
		p := &record.Passage{ID: record.PassageID(pairs[i]), Section: record.SectionID(section), Path: path, Lines: [2]int{1, 1}, Commit: commit, Text: pairs[i+1], Headings: []string{"Title"}}
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Read(record.NewReader(record.Source{Name: "corpus", Reader: strings.NewReader(b.String())}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func needs(n ...record.Need) []record.Need { return n }

func TestCheck(t *testing.T) {
	c := passages(t, "c1",
		"p.md#wait~1", "Mobium waits up to ten seconds", "p.md#wait~2", "for the preview to leave the screen",
		"p.md#boot", "shut the simulator down and boot it again")
	q1 := &record.Golden{ID: "q1", Question: "How long does it wait for a preview?", AskedFor: record.Fact, Gold: needs(record.Need{"p.md#wait"})}
	q2 := &record.Golden{ID: "q2", Question: "What repairs the simulator that hangs at boot?", AskedFor: record.Fact, Gold: needs(record.Need{"p.md#boot"})}
	hits := &record.Hits{Question: record.QuestionRef{ID: "q2", Text: q2.Question}, System: "fused", Hits: []record.Hit{
		{Section: "p.md#wait", Rank: 1}, {Section: "p.md#wait", Rank: 2}, {Section: "p.md#boot", Rank: 3}}}
	ck := NewChecker(c, []*record.Golden{q2, q1}, []*record.Hits{hits})

	edit := func(g *record.Golden, change func(*record.Golden)) *record.Golden {
		n := *g
		change(&n)
		return &n
	}
	tests := []struct {
		name   string
		golden *record.Golden
		want   string // check, state, about, rank of what is not a good near-duplicate
		reason string
	}{
		{"as it stands", q1, "gold exists good p.md#wait 0\nrank of gold unknown 1 0", "no hits for q1"},
		{"ranks count sections once", q2, "gold exists good p.md#boot 0\nrank of gold good 1 2", "p.md#wait comes twice and is one"},
		{"a section's first part counts", edit(q2, func(g *record.Golden) { g.Gold = needs(record.Need{"p.md#wait"}) }),
			"gold exists good p.md#wait 0\nrank of gold good 1 1", ""},
		{"gold that is gone", edit(q1, func(g *record.Golden) { g.Gold = needs(record.Need{"p.md#wait", "p.md#gone"}) }),
			"gold exists good p.md#wait 0\ngold exists bad p.md#gone 0\nrank of gold unknown 1 0", ""},
		{"not retrieved", edit(q2, func(g *record.Golden) { g.Gold = needs(record.Need{"p.md#other"}) }),
			"gold exists bad p.md#other 0\nrank of gold bad 1 0", ""},
		{"other wording than retrieval had", edit(q2, func(g *record.Golden) { g.Question = "Simulator does not start; what now?" }),
			"gold exists good p.md#boot 0\nrank of gold unknown 1 0", ""},
		{"key facts", edit(q1, func(g *record.Golden) {
			g.KeyFacts = []string{"it waits 10 seconds until it has left the screen", "up to 12 seconds on the screen", "the user must press home", "yes"}
		}), "gold exists good p.md#wait 0\nkey fact in gold good it waits 10 seconds until it has left the screen 0\n" +
			"key fact in gold bad up to 12 seconds on the screen 0\nkey fact in gold bad the user must press home 0\n" +
			"key fact in gold unknown yes 0\nrank of gold unknown 1 0", "the first is in both parts together; the second has another number; yes has no word to look for"},
		{"near-duplicate", edit(q1, func(g *record.Golden) { g.ID, g.Question = "q9", "How long does the wait for that preview take?" }),
			"gold exists good p.md#wait 0\nnear-duplicate bad q1 0\nrank of gold unknown 1 0", "long, wait, preview; and how (a function word?), take: 3 of 4 or 4 of 5"},
		{"not of itself", edit(q1, func(g *record.Golden) { g.Question += " Please." }), "gold exists good p.md#wait 0\nrank of gold unknown 1 0", ""},
		{"unsound", edit(q1, func(g *record.Golden) { g.Gold = needs(record.Need{"p.md#wait"}, record.Need{"p.md#wait"}) }),
			"needs can be met bad  0\ngold exists good p.md#wait 0\ngold exists good p.md#wait 0\nrank of gold unknown 1 0\nrank of gold unknown 2 0", ""},
		{"unanswerable", &record.Golden{ID: "q8", Question: "Does it run on a watch?", AskedFor: record.Unanswerable, KeyFacts: []string{"the docs do not say"}},
			"key fact in gold unknown the docs do not say 0", "there is no gold to find it in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range ck.Check(tt.golden) {
				if f.Question != tt.golden.ID || f.Text == "" {
					t.Errorf("%+v", f)
				}
				if f.Check == NearDuplicate && f.State == Good {
					continue
				}
				got = append(got, strings.Join([]string{string(f.Check), string(f.State), f.About, string(rune('0' + f.Rank))}, " "))
			}
			if d := cmp.Diff(tt.want, strings.Join(got, "\n")); d != "" {
				t.Errorf("(-want +got):\n%s%s", d, tt.reason)
			}
		})
	}
}

// TestOverlap: the share of words in both among the words in either, by hand.
func TestOverlap(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"red green blue", "red green blue", 1},
		{"red green blue", "green red", 2.0 / 3},             // 2 in both, 3 in either
		{"red green blue", "red white black", 1.0 / 5},       // 1 in both, 5 in either
		{"greens", "The green?", 1},                          // stem, function word
		{"red", "blue", 0},                                   //
		{"what is it", "red", 0},                             // nothing but function words
		{"red 5", "red 6", 1},                                // numbers aside
		{"red green blue white", "red green blue pink", 0.6}, // 3 of 5
	}
	for _, tt := range tests {
		x := ask(&record.Golden{Question: tt.a})
		y := ask(&record.Golden{Question: tt.b})
		for _, got := range []float64{overlap(x, y), overlap(y, x)} {
			if d := got - tt.want; d > 1e-12 || d < -1e-12 {
				t.Errorf("%q, %q: got %v, want %v", tt.a, tt.b, got, tt.want)
			}
		}
	}
}

func TestCover(t *testing.T) {
	c := passages(t, "c1", "a.md#x~1", "αβ", "a.md#x~2", "c", "a.md#y", "d", "b.md#z", "e")
	golden := []*record.Golden{
		{ID: "q2", AskedFor: record.Fact, Gold: needs(record.Need{"a.md#x", "b.md#z"}), Review: "Mara, 2026-12-01"},
		{ID: "q1", AskedFor: record.Multi, Gold: needs(record.Need{"a.md#x"}, record.Need{"a.md#x", "a.md#gone"}), Review: "draft"},
		{ID: "q3", AskedFor: record.Unanswerable},
	}
	proposed := []*record.Golden{{ID: "p1", AskedFor: record.Fact, Gold: needs(record.Need{"a.md#y"})}}
	want := &Coverage{
		Commit: "c1",
		Sections: []SectionCover{
			{Section: "a.md#x", Path: "a.md", Headings: []string{"Title"}, Chars: 3, Questions: []record.QuestionID{"q1", "q2"}},
			{Section: "a.md#y", Path: "a.md", Headings: []string{"Title"}, Chars: 1, Questions: []record.QuestionID{}, Proposed: []record.QuestionID{"p1"}},
			{Section: "b.md#z", Path: "b.md", Headings: []string{"Title"}, Chars: 1, Questions: []record.QuestionID{"q2"}},
		},
		Files:   []FileCover{{"a.md", 2, 1, 2}, {"b.md", 1, 1, 1}},
		Kinds:   []KindCount{{record.Fact, 1, 1}, {record.Multi, 1, 0}, {record.Unanswerable, 1, 0}},
		Counts:  []QuestionsCount{{0, 1}, {1, 1}, {2, 1}},
		Missing: []record.SectionID{"a.md#gone"},
	}
	if d := cmp.Diff(want, Cover(c, golden, proposed)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
