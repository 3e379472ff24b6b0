package index

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// collection is a public test collection in BEIR's form.
type collection struct {
	docs    []*record.Passage
	queries []*record.Question
	grades  map[record.QuestionID]map[record.PassageID]float64
}

// loadCollection reads MR_SHARED/ir/name, and skips the test where it is not
// there. Cranfield's grades say 1 for the best and 4 for the least: any counts as 1.
func loadCollection(t testing.TB, name string) collection {
	t.Helper()
	shared := cmp.Or(os.Getenv("MR_SHARED"), "../../../shared")
	dir := filepath.Join(shared, "ir", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIP needs the collection %s: %v", dir, err)
	}
	c := collection{grades: map[record.QuestionID]map[record.PassageID]float64{}}
	type line struct {
		ID    string         `json:"_id"`
		Title string         `json:"title"`
		Text  string         `json:"text"`
		Rest  jsontext.Value `json:",embed"`
	}
	each := func(file string, use func(line)) {
		f, err := os.Open(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for dec := jsontext.NewDecoder(f); dec.PeekKind() == '{'; {
			var l line
			if err := json.UnmarshalDecode(dec, &l); err != nil {
				t.Fatal(file, err)
			}
			use(l)
		}
	}
	each("corpus.jsonl", func(l line) {
		p := passage(l.ID, l.Text)
		if l.Title != "" {
			p.Heading, p.Headings = l.Title, []string{l.Title}
		}
		c.docs = append(c.docs, p)
	})
	each("queries.jsonl", func(l line) {
		c.queries = append(c.queries, &record.Question{ID: record.QuestionID(l.ID), Text: l.Text})
	})
	text, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		f := strings.Fields(l)
		grade, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if q := record.QuestionID(f[0]); grade > 0 {
			if c.grades[q] == nil {
				c.grades[q] = map[record.PassageID]float64{}
			}
			if name == "cranfield" {
				grade = 1
			}
			c.grades[q][record.PassageID(f[1])] = grade
		}
	}
	return c
}

// ndcg10 is nDCG@10 with gain = grade, as trec_eval has it, for one question.
func ndcg10(grades map[record.PassageID]float64, hits []record.Hit) float64 {
	var ideal []float64
	for _, g := range grades {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	got, best := 0.0, 0.0
	for i := range 10 {
		if i < len(hits) {
			got += grades[hits[i].Passage] / math.Log2(float64(i+2))
		}
		if i < len(ideal) {
			best += ideal[i] / math.Log2(float64(i+2))
		}
	}
	return got / best
}

// TestCollections holds BM25, as the tools have it by default, to what is known of these collections.
func TestCollections(t *testing.T) {
	for name, floor := range map[string]float64{"nfcorpus": 0.31, "cranfield": 0.33} {
		t.Run(name, func(t *testing.T) {
			c := loadCollection(t, name)
			got := meanNDCG(t, built(t, c.docs, DefaultConfig()), c)
			t.Logf("nDCG@10 %.4f", got)
			if got < floor {
				t.Errorf("nDCG@10 %.4f, expected %.2f or more", got, floor)
			}
		})
	}
}

func meanNDCG(t *testing.T, x *Index, c collection) float64 {
	t.Helper()
	s := Searcher{Engine: x, System: "bm25", Options: DefaultOptions()}
	s.Fusion.Terms = []fuse.Term{{Stage: LegBM25, Weight: 1}}
	s.K = 10
	sum, n := 0.0, 0
	for _, q := range c.queries {
		if c.grades[q.ID] == nil {
			continue
		}
		hits, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		sum += ndcg10(c.grades[q.ID], hits.Hits)
		n++
	}
	return sum / float64(n)
}
