package golden_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func reader(lines ...string) *record.Reader {
	return record.NewReader(record.Source{Name: "g.jsonl", Reader: strings.NewReader(strings.Join(lines, "\n"))})
}

// question is a golden line with the given gold.
func question(id, gold string) string {
	kind := "fact"
	if gold == "[]" {
		kind = "unanswerable"
	}
	return fmt.Sprintf(`{"type":"golden","id":%q,"question":"what?","kind":%q,"gold":%s}`, id, kind, gold)
}

// message is an error without the hint.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRead(t *testing.T) {
	tests := []struct {
		name   string
		lines  []string
		err    string
		reason string
	}{
		{"good", []string{question("q1", `["a",["b","c"]]`), question("q2", "[]")}, "", ""},
		{"overlap that can be met", []string{question("q1", `[["a","b"],["a"]]`)}, "", "b serves the first, a the second"},
		{"need no list can meet", []string{question("q1", `["a","a"]`)},
			`g.jsonl:1: question "q1": need 2 ["a"] cannot be met together with the others: a section serves one need, and theirs are taken`, "one section, two needs"},
		{"three needs on two sections", []string{question("q1", `[["a","b"],["b","a"],["a","b"]]`)},
			`g.jsonl:1: question "q1": need 3 ["a" "b"] cannot be met together with the others: a section serves one need, and theirs are taken`, "Hall's condition fails on all three together"},
		{"id twice", []string{question("q1", `["a"]`), "", question("q1", `["b"]`)},
			`g.jsonl:3: question "q1" was there already, at g.jsonl:1: ids are unique`, ""},
		{"section twice in a need", []string{question("q1", `[["a","a"]]`)}, `g.jsonl:1: question "q1": need 1 lists section "a" twice`, ""},
		{"other record", []string{`{"type":"question","id":"q1","text":"what?"}`}, "g.jsonl:1: expected golden records, got a question record", ""},
		{"every bad line", []string{question("q1", `["a","a"]`), question("q2", `["a","a"]`)},
			`g.jsonl:1: question "q1": need 2 ["a"] cannot be met together with the others: a section serves one need, and theirs are taken` + "\n" +
				`g.jsonl:2: question "q2": need 2 ["a"] cannot be met together with the others: a section serves one need, and theirs are taken`, ""},
		{"empty need", []string{question("q1", `[[]]`)}, "g.jsonl:1: bad golden record: need 1 lists no section: nothing can meet it", "pkg/record refuses it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := golden.Read(reader(tt.lines...))
			if diff := cmp.Diff(tt.err, message(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s%s", diff, tt.reason)
			}
		})
	}
}

func TestReadKeepsUnknownFields(t *testing.T) {
	set, err := golden.Read(reader(`{"type":"golden","id":"q1","question":"what?","kind":"fact","gold":["a"],"mood":{"x":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"mood":{"x":1}}`, string(set.Questions[0].Record.Extra)); diff != "" {
		t.Error(diff)
	}
}

func TestMatching(t *testing.T) {
	tests := []struct {
		gold   string
		list   string
		want   []float64
		reason string
	}{
		{`["a","b"]`, "x a b", []float64{0, 1, 1}, "one section a need"},
		{`[["a","b"],"c"]`, "b a c", []float64{1, 0, 1}, "a need gives its gain once, at its first section"},
		{`[["a","b"],["a"]]`, "a b", []float64{1, 1}, "a moves to the second need, b serves the first"},
		{`[["a"],["a","b"]]`, "a b", []float64{1, 1}, "the same with the needs the other way round"},
		{`[["a","b"],["a"]]`, "b a", []float64{1, 1}, ""},
		{`[["a","b"],["a"]]`, "a", []float64{1}, "a section serves one need"},
		{`[["a","b"],["b","c"],["c","d"]]`, "b c a d", []float64{1, 1, 1, 0}, "b, c and a meet all three: a takes need 1, b need 2, c need 3"},
		{`[["a"],["b"]]`, "a a b", []float64{1, 0, 1}, "a section that came before gains nothing"},
		{`[["a","b"],["a","b","c"]]`, "a a", []float64{1, 0}, "not even where another need would take it"},
	}
	for _, tt := range tests {
		t.Run(tt.gold+" "+tt.list, func(t *testing.T) {
			set, err := golden.Read(reader(question("q1", tt.gold)))
			if err != nil {
				t.Fatal(err)
			}
			m := golden.NewMatching(set.Questions[0])
			for range 2 { // Reset must leave nothing
				var got []float64
				for _, s := range strings.Fields(tt.list) {
					got = append(got, m.Add(record.SectionID(s)))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("gains (-want +got):\n%s%s", diff, tt.reason)
				}
				m.Reset()
			}
		})
	}
}

func TestFold(t *testing.T) {
	var list []golden.Ranked
	var want []record.SectionID
	for i := range 100 { // past the length at which a map takes over
		s := record.SectionID(fmt.Sprint("s", i%70))
		list = append(list, golden.Ranked{Passage: record.PassageID(fmt.Sprint(s, "~", i)), Section: s})
		if i < 70 {
			want = append(want, s)
		}
	}
	if diff := cmp.Diff(want, golden.Fold(list)); diff != "" {
		t.Errorf("long: %s", diff)
	}
	if diff := cmp.Diff([]record.SectionID{"a", "b"}, golden.Fold([]golden.Ranked{{"a~2", "a"}, {"b", "b"}, {"a~1", "a"}})); diff != "" {
		t.Errorf("short: %s", diff)
	}
}

func TestReadQrels(t *testing.T) {
	tests := []struct{ name, in, err string }{
		{"tabs and header", "query-id\tcorpus-id\tscore\nq1\td 1\t2\nq1\td2\t0\nq2\td1\t-1\n", ""},
		{"spaces", "q1 d1 2\n\nq1 d2 1\r\n", ""},
		{"trec", "q1 0 d1 2\n", ""},
		{"columns", "q1 d1\n", "qrels:1: expected query, document, grade, got 2 columns"},
		{"columns change", "q1 0 d1 2\nq1 d2 1\n", "qrels:2: expected 4 columns as in the lines before, got 3"},
		{"grade", "q1 d1 1\nq1 d2 high\nq1 d3 NaN\n", "qrels:2: expected a number as grade, got \"high\"\nqrels:3: expected a number as grade, got \"NaN\""},
		{"grade on the first line", "q1 d1 hgih\n", `qrels:1: expected a number as grade, got "hgih"`},
		{"header further down", "q1 d1 1\nquery document grade\n", `qrels:2: expected a number as grade, got "grade"`},
		{"twice", "q1 d1 1\nq1 d1 0\n", `qrels:2: query "q1" grades document "d1" twice`},
		{"nothing", "query doc grade\n", "qrels: no judgement: expected query, document and grade on each line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := golden.ReadQrels("qrels", strings.NewReader(tt.in))
			if diff := cmp.Diff(tt.err, message(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	set, err := golden.ReadQrels("qrels", strings.NewReader(tests[0].in))
	if err != nil {
		t.Fatal(err)
	}
	q1, q2 := set.Questions[0], set.Questions[1]
	if diff := cmp.Diff([]golden.Need{{Sections: []record.SectionID{"d 1"}, Gain: 2}}, q1.Needs); diff != "" {
		t.Errorf("q1: %s", diff)
	}
	if !q1.Judged("d2") || q1.Judged("d3") || q2.Answerable() || !q2.Judged("d1") {
		t.Error("a grade of 0 or less is a judgement and no need")
	}
	if want := (record.Pos{File: "qrels", Line: 4}); q2.Pos != want {
		t.Errorf("q2 is at %v, want %v", q2.Pos, want)
	}
}

func passage(id, section, path string) string {
	return fmt.Sprintf(`{"type":"passage","id":%q,"section":%q,"path":%q,"heading":"h","lines":[1,2],"commit":"c1","text":"t"}`, id, section, path)
}

func readCorpus(t *testing.T, unit golden.Unit, lines ...string) *golden.Corpus {
	t.Helper()
	c, err := corpus.Read(reader(lines...))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := golden.NewCorpus(c, unit)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestCorpus(t *testing.T) {
	lines := []string{passage("b", "b", "p.md"), passage("a~1", "a", "p.md"), passage("a~2", "a", "p.md")}
	c := readCorpus(t, golden.Sections, lines...)
	if diff := cmp.Diff([]record.SectionID{"a", "b"}, c.Sections); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]golden.Ranked{{"a~1", "a"}, {"a~2", "a"}}, c.Parts("a")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]record.SectionID{"p.md"}, readCorpus(t, golden.Pages, lines...).Sections); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		hit  record.Hit
		want string
	}{
		{record.Hit{Passage: "a~1", Section: "a", Commit: "c1"}, ""},
		{record.Hit{Passage: "z", Section: "z"}, `passage "z" is not in the corpus`},
		{record.Hit{Passage: "a~1", Section: "b"}, `passage "a~1" is a part of section "b", in the corpus of "a"`},
		{record.Hit{Passage: "b", Section: "b", Commit: "c2"}, `passage "b" is of commit c2, the corpus of c1`},
	} {
		if _, err := c.Locate(&tt.hit); message(err) != tt.want {
			t.Errorf("Locate(%+v): %v, want %s", tt.hit, err, tt.want)
		}
	}
	from, err := corpus.Read(reader(passage("a", "a", "")))
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[golden.Unit]string{golden.Pages: `passage "a" has no path to fold to`, "book": `expected unit section or page, got "book"`} {
		if _, err := golden.NewCorpus(from, unit); message(err) != want {
			t.Errorf("%s: %v, want %s", unit, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	set, err := golden.Read(reader(question("q1", `["a",["b","gone"]]`), question("q2", `["lost"]`), question("q3", "[]")))
	if err != nil {
		t.Fatal(err)
	}
	c := readCorpus(t, golden.Sections, passage("a", "a", ""), passage("b", "b", ""))
	want := `g.jsonl:1: question "q1": need 2 names section "gone", which the corpus does not have
g.jsonl:2: question "q2": need 1 names section "lost", which the corpus does not have`
	if diff := cmp.Diff(want, message(set.Check(c))); diff != "" {
		t.Error(diff)
	}
}

func TestHalf(t *testing.T) {
	// printf q001 | sha256sum starts with a8, printf q002 with ed, printf q006 with 2d: even, odd, odd.
	set, err := golden.Read(reader(question("q001", `["a"]`), question("q002", `["a"]`), question("q006", "[]")))
	if err != nil {
		t.Fatal(err)
	}
	ids := func(h golden.Half) []record.QuestionID {
		part, err := set.In(h)
		if err != nil {
			t.Fatal(err)
		}
		var ids []record.QuestionID
		for _, q := range part.Questions {
			ids = append(ids, q.ID)
		}
		if !part.Known("q001") || !part.Known("q002") || part.Known("q9") || part.Size() != 3 {
			t.Errorf("%s does not know the whole set", h)
		}
		return ids
	}
	got := map[golden.Half][]record.QuestionID{golden.Tune: ids(golden.Tune), golden.Headline: ids(golden.Headline), golden.All: ids(golden.All)}
	want := map[golden.Half][]record.QuestionID{golden.Tune: {"q001"}, golden.Headline: {"q002", "q006"}, golden.All: {"q001", "q002", "q006"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := set.In("both"); err == nil {
		t.Error("half both was accepted")
	}
}

func TestLedger(t *testing.T) {
	const commit = "933adc600000000000000000000000000000000a"
	run := &record.Run{Tool: "mr-rerank", Flags: map[string]string{"k": "20"}, Commit: "c1",
		Inputs: []*record.Run{{Tool: "mr-cut", Flags: map[string]string{"pin": "abc", "max": "1800"}}}}
	recipe := func(change func(*record.Run)) string {
		in := *run.Inputs[0]
		in.Flags = map[string]string{"pin": "abc", "max": "1800"}
		r := *run
		r.Inputs = []*record.Run{&in}
		change(&r)
		id, err := golden.Recipe(&r)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	base := recipe(func(*record.Run) {})
	if base != recipe(func(r *record.Run) { r.Commit, r.Inputs[0].Flags["pin"] = "c2", "def" }) {
		t.Error("the documents are a part of the recipe")
	}
	if base == recipe(func(r *record.Run) { r.Inputs[0].Flags["max"] = "900" }) || base == recipe(func(r *record.Run) { r.Models = []record.Model{{Name: "m"}} }) {
		t.Error("a flag upstream, or a model, is no part of the recipe")
	}

	entry := fmt.Sprintf(`{"system":"fused","recipe":%q,"commit":%q,"why":"best on the tune half"}`, base, commit)
	l, err := golden.ReadLedger("ledger", strings.NewReader(entry+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Admit("fused", base); err != nil {
		t.Error(err)
	}
	for _, err := range []error{l.Admit("fused", "other"), l.Admit("bm25", base)} {
		if err == nil || !strings.Contains(hint.Of(err), `{"system":"`) {
			t.Errorf("got %v with hint %q", err, hint.Of(err))
		}
	}
	bad := strings.Join([]string{entry, entry, `{"system":"x","recipe":"r","commit":"HEAD","why":"w"}`, `{"system":"x","note":1}`, `{"system":"x"}`,
		`{"system":"x","recipe":"r","commit":"` + strings.Repeat("0", 40) + `","why":"w"}`}, "\n")
	_, err = golden.ReadLedger("ledger", strings.NewReader(bad))
	for n, want := range map[int]string{2: "entered already", 3: "full id of the commit", 4: "unknown object member", 5: "an entry has", 6: `got "0000`} {
		if !strings.Contains(message(err), fmt.Sprintf("ledger:%d: ", n)) || !strings.Contains(message(err), want) {
			t.Errorf("line %d: %q is not said in:\n%v", n, want, err)
		}
	}
	if err == nil || errors.Unwrap(err) != nil && strings.Contains(err.Error(), "ledger:1:") {
		t.Errorf("line 1 is good: %v", err)
	}
}

// FuzzReadQrels: what is read is all that was there, each judgement once.
func FuzzReadQrels(f *testing.F) {
	f.Add("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
	f.Add("q1 0 d1 1\nq1 0 d2 0\n\nq2 0 d1 -1")
	f.Add("q d 1e400\n")
	f.Fuzz(func(t *testing.T, in string) {
		set, err := golden.ReadQrels("q", strings.NewReader(in))
		if err != nil {
			return
		}
		lines := 0
		for line := range strings.SplitSeq(in, "\n") {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		judged := 0
		for _, q := range set.Questions {
			judged += q.NJudged()
			if q.Answerable() != (len(q.Gains()) > 0) || len(q.Needs) > q.NJudged() {
				t.Errorf("query %q: %d needs of %d judged", q.ID, len(q.Needs), q.NJudged())
			}
			for _, g := range q.Gains() {
				if !(g > 0) {
					t.Errorf("query %q has a gain of %v", q.ID, g)
				}
			}
		}
		if judged != lines && judged != lines-1 { // a header
			t.Errorf("%d judgements of %d lines", judged, lines)
		}
	})
}
