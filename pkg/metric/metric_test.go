package metric_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func suite(t testing.TB, names string) metric.Suite {
	t.Helper()
	s, err := metric.ParseSuite(names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func question(t testing.TB, gold string) *golden.Question {
	t.Helper()
	line := fmt.Sprintf(`{"type":"golden","id":"q","question":"what?","kind":"multi","gold":%s}`, gold)
	set, err := golden.Read(record.NewReader(record.Source{Name: "g", Reader: strings.NewReader(line)}))
	if err != nil {
		t.Fatal(err)
	}
	return set.Questions[0]
}

// ranked makes a list of passages: "a~1" is a part of section a.
func ranked(list string) []golden.Ranked {
	var out []golden.Ranked
	for _, id := range strings.Fields(list) {
		section, _, _ := strings.Cut(id, "~")
		out = append(out, golden.Ranked{Passage: record.PassageID(id), Section: record.SectionID(section)})
	}
	return out
}

func TestGolden(t *testing.T) {
	tests := []struct {
		name, gold, list, metric string
		want                     float64
		reason                   string
	}{
		{"first of five", `["a"]`, "x y a", "recall@5", 1, ""},
		{"past the cut", `["a"]`, "x y a", "recall@2", 0, ""},
		{"share of needs", `["a","b","c"]`, "a x b", "recall@5", 2. / 3, ""},
		{"alternatives are one need", `[["a","b"],"c"]`, "a b x", "recall@5", 1. / 2, "b adds nothing"},
		{"folded, then cut", `["a"]`, "x~1 x~2 x~3 y~1 a~2", "recall@3", 1, "x, y, a"},
		{"first part wins", `["a"]`, "x a~2 y a~1", "MRR", 1. / 2, "a stands where its first part is"},
		{"passages, then folded", `["a"]`, "x~1 x~2 x~3 x~4 y a", "recall@5p", 0, "a is the sixth passage, though the third section"},
		{"passages reach it", `["a","b"]`, "a~1 a~2 x y b", "recall@5p", 1, ""},
		{"same section in two needs", `[["a","b"],["a","c"]]`, "a x", "recall@5", 1. / 2, "a section serves one need"},
		{"MRR", `["a"]`, "x y z a", "MRR", 1. / 4, ""},
		{"MRR past the cut", `["a"]`, "x y z a", "MRR@3", 0, ""},
		{"MRR at the cut", `["a"]`, "x y a", "MRR@3", 1. / 3, ""},
		{"nDCG of one need", `["a"]`, "x a", "nDCG@5", 1 / math.Log2(3), "ideal is 1"},
		{"nDCG, a need once", `[["a","b"]]`, "a b", "nDCG@5", 1, "b brings no second gain"},
		{"nDCG, ideal from all needs", `["a","b"]`, "a x", "nDCG@5", 1 / (1 + 1/math.Log2(3)), "1 of 2 found is less than 1"},
		{"nDCG, ideal is cut", `["a","b","c"]`, "a b", "nDCG@2", 1, "min(k, needs) gains"},
		{"P", `["a","b"]`, "a x b", "P@5", 2. / 5, "over k, though the list is shorter"},
		{"nothing came", `["a"]`, "", "nDCG@10", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := suite(t, tt.metric).For(question(t, tt.gold))(ranked(tt.list))[0]
			if math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("%s of %q = %v, want %v: %s", tt.metric, tt.list, got, tt.want, tt.reason)
			}
		})
	}
}

func TestJudged(t *testing.T) {
	set, err := golden.ReadQrels("qrels", strings.NewReader("q a 1\nq b 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	score := suite(t, "Judged@2,Judged@10").For(set.Questions[0])
	for list, want := range map[string][]float64{
		"b x a":   {1. / 2, 2. / 3}, // of the documents there, though they are fewer than k
		"x y":     {0, 0},
		"":        {0, 0},
		"a b x y": {1, 2. / 4},
	} {
		if diff := gocmp.Diff(want, score(ranked(list))); diff != "" {
			t.Errorf("%q: %s", list, diff)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{"RECALL@5": "recall@5", "recall@5p": "recall@5p", "mrr": "MRR", "ndcg@10": "nDCG@10", "map": "MAP", "p@5": "P@5"} {
		m, err := metric.Parse(in)
		if err != nil || string(m.Name()) != want {
			t.Errorf("Parse(%q) = %s, %v, want %s", in, m.Name(), err, want)
		}
	}
	for _, in := range []string{"", "recall", "recall@0", "recall@-1", "recall@5q", "MAP@5", "F1@3", "P", "judged", "Judged@5p", "nDCG@5p", "MRR@5p", "recall@99999999999"} {
		if _, err := metric.Parse(in); err == nil {
			t.Errorf("Parse(%q) was accepted", in)
		}
	}
	if _, err := metric.ParseSuite("recall@5, Recall@5"); err == nil {
		t.Error("a metric was accepted twice")
	}
	if suite(t, "recall@5,MAP").Fits(false) == nil || suite(t, "recall@5,MAP").Fits(true) != nil {
		t.Error("MAP is for qrels alone")
	}
}

// trec is a line of testdata/trec.jsonl, made with pytrec_eval.
type trec struct {
	Query  string
	Qrels  map[string]float64
	Run    map[string]float64
	Expect map[string]float64
}

var trecNames = map[string]string{
	"map": "MAP", "recip_rank": "MRR", "P_5": "P@5", "recall_5": "recall@5", "recall_10": "recall@10",
	"ndcg_cut_5": "nDCG@5", "ndcg_cut_10": "nDCG@10",
}

// TestTrecEval compares with trec_eval, whose order is by score, then id, both descending.
func TestTrecEval(t *testing.T) {
	compared := 0
	for _, line := range readTrec(t) {
		var qrels strings.Builder
		for doc, grade := range line.Qrels {
			fmt.Fprintln(&qrels, line.Query, doc, grade)
		}
		set, err := golden.ReadQrels("qrels", strings.NewReader(qrels.String()))
		if err != nil {
			t.Fatal(err)
		}
		var docs []string
		for doc := range line.Run {
			docs = append(docs, doc)
		}
		slices.SortFunc(docs, func(a, b string) int {
			return cmp.Or(cmp.Compare(line.Run[b], line.Run[a]), cmp.Compare(b, a))
		})
		list := ranked(strings.Join(docs, " "))
		for name := range trecNames {
			want := line.Expect[name] // 0 for the two queries with no run
			got := suite(t, trecNames[name]).For(set.Questions[0])(list)[0]
			if !gocmp.Equal(want, got, cmpopts.EquateApprox(0, 5e-5)) {
				t.Errorf("%s: %s = %.6f, trec_eval gives %.6f", line.Query, name, got, want)
			}
			compared++
		}
	}
	if compared < 30*7 {
		t.Errorf("compared %d values, expected 7 for each of 30 queries", compared)
	}
}

func readTrec(t *testing.T) []trec {
	f, err := os.Open("testdata/trec.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []trec
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l trec
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzScore holds for any list: values lie between 0 and 1, do not change with
// the order of the needs, and do not fall when passages are added at the end.
func FuzzScore(f *testing.F) {
	f.Add("ab cd", "abcxyz")
	f.Add("ab a bc", "bbaacc")
	f.Add("a b c d e f", "xaybzc")
	f.Fuzz(func(t *testing.T, needs, list string) {
		var gold [][]string
		for _, need := range strings.Fields(needs) {
			var sections []string
			for _, r := range need {
				if s := string(r); r < 0x80 && !slices.Contains(sections, s) {
					sections = append(sections, s)
				}
			}
			if len(sections) > 0 {
				gold = append(gold, sections)
			}
		}
		if len(gold) == 0 || len(gold) > 8 || len(list) > 40 {
			return
		}
		read := func() *golden.Question {
			raw, err := json.Marshal(map[string]any{"type": "golden", "id": "q", "question": "?", "kind": "multi", "gold": gold})
			if err != nil {
				t.Fatal(err)
			}
			set, err := golden.Read(record.NewReader(record.Source{Name: "g", Reader: strings.NewReader(string(raw))}))
			if err != nil {
				return nil // a need no list can meet
			}
			return set.Questions[0]
		}
		q := read()
		if q == nil {
			return
		}
		slices.Reverse(gold)
		turned := read()
		if turned == nil {
			t.Fatal("the order of the needs decides whether they can be met")
		}
		s := suite(t, "recall@1,recall@5,P@3,MRR,MRR@2,nDCG,nDCG@3,recall@4p")
		score, other := s.For(q), s.For(turned)
		var passages []golden.Ranked
		before := make([]float64, len(s))
		for i, r := range []byte(list) {
			passages = append(passages, golden.Ranked{Passage: record.PassageID(fmt.Sprint(i)), Section: record.SectionID(r)})
			got := slices.Clone(score(passages))
			for j, v := range got {
				if !(v >= 0 && v <= 1+1e-12) || v < before[j]-1e-12 {
					t.Fatalf("%s = %v after %v at passage %d", s[j].Name(), v, before[j], i)
				}
			}
			if diff := gocmp.Diff(got, other(passages), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Fatalf("the order of the needs matters:\n%s", diff)
			}
			before = got
		}
	})
}

func BenchmarkScore(b *testing.B) {
	s := suite(b, "recall@5,recall@20,MRR@10,nDCG@5,nDCG@10")
	score := s.For(question(b, `["s3",["s9","s50"],"s70"]`))
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("s%d~%d", i/2*3, i))
	}
	list := ranked(strings.Join(ids, " "))
	b.ReportAllocs()
	for b.Loop() {
		score(list)
	}
}
