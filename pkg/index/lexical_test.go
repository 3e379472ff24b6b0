package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// passage makes a passage of a page whose id is its section's.
func passage(id, text string, headings ...string) *record.Passage {
	p := &record.Passage{ID: record.PassageID(id), Section: record.SectionID(id), Path: id, Text: text, Headings: headings, Lines: [2]int{1, 2}, Commit: "c0ffee00"}
	if len(headings) > 0 {
		p.Heading = headings[len(headings)-1]
	}
	return p
}

// randomPassages have 1 to 60 words drawn unevenly from 200, and up to 2 headings.
func randomPassages(seed uint64, n int) []*record.Passage {
	rng := rand.New(rand.NewPCG(seed, 1))
	word := func() string { return fmt.Sprintf("w%c%d", 'a'+rng.IntN(1+rng.IntN(20)), rng.IntN(10)) }
	text := func(words int) string {
		s := ""
		for range words {
			s += word() + " "
		}
		return s
	}
	var out []*record.Passage
	for i := range n {
		p := passage(fmt.Sprintf("p%04d", i), text(1+rng.IntN(60)))
		for range rng.IntN(3) {
			p.Headings = append(p.Headings, text(1+rng.IntN(4)))
		}
		out = append(out, p)
	}
	return out
}

// bleveIndex holds the passages in memory, put in by batches, after which some are taken out.
func bleveIndex(t *testing.T, ps []*record.Passage, batch int, deleted ...record.PassageID) *lexical {
	t.Helper()
	b, err := bleve.NewUsing("", newMapping(English), "scorch", "scorch", nil)
	if err != nil {
		t.Fatal(err)
	}
	for chunk := range slices.Chunk(ps, batch) {
		group := b.NewBatch()
		for _, p := range chunk {
			doc, err := document(p, embed.NoContext)
			if err == nil {
				err = group.Index(string(p.ID), doc)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Batch(group); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range deleted {
		if err := b.Delete(string(id)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := openLexical(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// direct computes BM25 from the texts alone.
func direct(m *mapping.IndexMappingImpl, p BM25, ps []*record.Passage, question string) map[record.PassageID]float64 {
	analyse := func(text string) (terms []string) {
		for _, token := range m.AnalyzerNamed(m.DefaultAnalyzer).Analyze([]byte(text)) {
			terms = append(terms, string(token.Term))
		}
		return terms
	}
	scores := map[record.PassageID]float64{}
	for _, f := range p.Fields {
		var docs [][]string
		total := 0
		for _, p := range ps {
			text := map[string]string{fieldText: p.Text, fieldHeadings: p.Trail(), fieldPath: p.Path}[f.Name]
			docs = append(docs, analyse(text))
			total += len(docs[len(docs)-1])
		}
		n, average := float64(len(ps)), float64(total)/float64(len(ps))
		for _, term := range analyse(question) {
			df := 0.0
			for _, d := range docs {
				if slices.Contains(d, term) {
					df++
				}
			}
			for i, d := range docs {
				tf := 0.0
				for _, t := range d {
					if t == term {
						tf++
					}
				}
				if tf > 0 {
					scores[ps[i].ID] += f.Boost * math.Log(1+(n-df+0.5)/(df+0.5)) * tf * (p.K1 + 1) / (tf + p.K1*(1-p.B+p.B*float64(len(d))/average))
				}
			}
		}
	}
	return scores
}

func scoresOf(t *testing.T, l *lexical, p BM25, question string) map[record.PassageID]float64 {
	t.Helper()
	scores, err := l.score(context.Background(), p, question)
	if err != nil {
		t.Fatal(err)
	}
	out := map[record.PassageID]float64{}
	for row, s := range scores {
		if !math.IsNaN(s) {
			out[l.ids[row]] = s
		}
	}
	return out
}

// far returns the largest difference of two sets of scores, +Inf where they score different passages.
func far(a, b map[record.PassageID]float64) float64 {
	worst := 0.0
	for id, s := range a {
		other, ok := b[id]
		if !ok {
			return math.Inf(1)
		}
		worst = max(worst, math.Abs(s-other))
	}
	if len(a) != len(b) {
		return math.Inf(1)
	}
	return worst
}

// TestBM25ByHand: two passages, "alpha beta beta" and "alpha"; N = 2, average length 2.
// For beta: df 1, idf ln(1 + 1.5/1.5) = ln 2; tf 2, length 3:
// 2·2.2/(2 + 1.2·(0.25 + 0.75·3/2)) = 4.4/3.65; score 0.693147·1.205479 = 0.835574.
// For alpha: df 2, idf ln(1 + 0.5/2.5) = ln 1.2; tf 1, length 1:
// 2.2/(1 + 1.2·(0.25 + 0.75·1/2)) = 2.2/1.75; score 0.182322·1.257143 = 0.229204.
func TestBM25ByHand(t *testing.T) {
	l := bleveIndex(t, []*record.Passage{passage("a", "alpha beta beta"), passage("b", "alpha")}, 1)
	if got := scoresOf(t, l, DefaultBM25(), "beta?"); far(got, map[record.PassageID]float64{"a": 0.835574}) > 1e-6 {
		t.Errorf("beta: %v", got)
	}
	if got := scoresOf(t, l, DefaultBM25(), "the alpha")["b"]; math.Abs(got-0.229204) > 1e-6 {
		t.Errorf("alpha in b: %v", got)
	}
	if got := scoresOf(t, l, DefaultBM25(), "alpha the alpha")["b"]; math.Abs(got-2*0.229204) > 1e-6 {
		t.Errorf("alpha twice in b: %v", got)
	}
	if d := cmp.Diff(Totals{fieldText: 4, fieldHeadings: 0, fieldPath: 1}, l.totals); d != "" { // the paths are a, a stop word, and b
		t.Errorf("totals (-want +got):\n%s", d)
	}
}

// TestSameScores: however the passages lie in segments, whatever their order,
// and with others deleted, okapi gives the bits of one segment and agrees with
// a direct computation; bleve's formula, which we feed the totals, moves by no
// more than 1e-6.
func TestSameScores(t *testing.T) {
	ps := randomPassages(1, 300)
	shuffled := slices.Clone(ps)
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(ps), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	var gone []record.PassageID
	more := slices.Clone(shuffled)
	for i, p := range randomPassages(3, 60) {
		p.ID = record.PassageID(fmt.Sprintf("x%d", i))
		more = slices.Insert(more, i*5, p)
		gone = append(gone, p.ID)
	}
	one := bleveIndex(t, ps, len(ps))
	others := map[string]*lexical{
		"batches of 1":   bleveIndex(t, ps, 1),
		"batches of 7":   bleveIndex(t, ps, 7),
		"another order":  bleveIndex(t, shuffled, 50),
		"with deletions": bleveIndex(t, more, 90, gone...),
	}
	all := []Field{{fieldText, 1}, {fieldHeadings, 0.7}, {fieldPath, 0.2}}
	for _, p := range []BM25{
		DefaultBM25(), {K1: 0.9, B: 0.4, Fields: all, Scoring: Okapi}, {K1: 0, B: 1, Fields: all, Scoring: Okapi},
		{K1: 1.2, B: 0.75, Fields: all, Scoring: Bleve}, {K1: 1.2, B: 0.75, Fields: all[:1], Scoring: Bleve},
	} {
		for _, question := range []string{"wa1", "wa1 wb2 p0003 wc3 wa1 nowhere", "wd4 we5 wf6 wg7 p0007 wh8 wa0 wa1 wa2"} {
			want := scoresOf(t, one, p, question)
			if len(want) == 0 {
				t.Fatalf("%q matches nothing", question)
			}
			if p.Scoring == Okapi {
				if d := far(want, direct(newMapping(English), p, ps, question)); d > 1e-9 {
					t.Errorf("%+v %q: %v off the direct computation", p, question, d)
				}
			}
			for name, l := range others {
				d := far(want, scoresOf(t, l, p, question))
				if limit := map[Scoring]float64{Okapi: 0, Bleve: 1e-6}[p.Scoring]; d > limit {
					t.Errorf("%s %q, %s: %v off one segment", p.Scoring, question, name, d)
				}
			}
		}
	}
}

// TestTotalsMatter is the control of TestSameScores: left to itself, bleve gives
// scores that move with the batches.
func TestTotalsMatter(t *testing.T) {
	ps := randomPassages(1, 300)
	search := func(batch int) map[record.PassageID]float64 {
		l := bleveIndex(t, ps, batch)
		q := bleve.NewMatchQuery("wa1 wb2")
		q.SetField(fieldText)
		found, err := l.bleve.Search(bleve.NewSearchRequestOptions(q, len(ps), 0, false))
		if err != nil {
			t.Fatal(err)
		}
		out := map[record.PassageID]float64{}
		for _, h := range found.Hits {
			out[record.PassageID(h.ID)] = h.Score
		}
		return out
	}
	if d := far(search(300), search(7)); d < 1e-3 {
		t.Errorf("bleve's own average gives the same scores in any batches (%v off): the totals are for nothing", d)
	}
}

func TestQuestions(t *testing.T) {
	l := bleveIndex(t, []*record.Passage{passage("a", "alpha+beta"), passage("b", "alpha", "Gamma")}, 2)
	long := ""
	for i := range 5000 {
		long += fmt.Sprintf("word%d alpha ", i)
	}
	text, both := DefaultBM25(), BM25{K1: 1.2, B: 0.75, Fields: []Field{{fieldText, 1}, {fieldHeadings, 1}}, Scoring: Okapi}
	tests := []struct {
		question string
		p        BM25
		want     []record.PassageID
		reason   string
	}{
		{"and the of", text, nil, "stop words alone match nothing"},
		{"?!", text, nil, "no words at all"},
		{`-alpha "beta" text:alpha^2 OR (`, text, []record.PassageID{"a", "b"}, "no query syntax"},
		{"gamma", text, nil, "headings are another field"},
		{"gamma", both, []record.PassageID{"b"}, ""},
		{long, text, []record.PassageID{"a", "b"}, "10,000 words"},
	}
	for _, tt := range tests {
		for _, scoring := range []Scoring{Okapi, Bleve} {
			tt.p.Scoring = scoring
			var got []record.PassageID
			for id := range scoresOf(t, l, tt.p, tt.question) {
				got = append(got, id)
			}
			if slices.Sort(got); !slices.Equal(got, tt.want) {
				t.Errorf("%s %.40q: got %v, want %v (%s)", scoring, tt.question, got, tt.want, tt.reason)
			}
		}
	}
}

func TestBM25Validate(t *testing.T) {
	fields := DefaultBM25().Fields
	for _, p := range []BM25{
		{-1, 0.75, fields, Okapi}, {math.NaN(), 0.75, fields, Okapi}, {math.Inf(1), 0.75, fields, Okapi},
		{1.2, 1.1, fields, Okapi}, {1.2, -0.1, fields, Okapi}, {1.2, 0.75, nil, Okapi},
		{1.2, 0.75, fields, "tfidf"}, {0.9, 0.75, fields, Bleve},
	} {
		if p.Validate() == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
	for _, s := range []string{"", "body", "text,text", "text=0", "text=x", "text,", "text=Inf"} {
		if f, err := ParseFields(s); err == nil {
			t.Errorf("fields %q gave %v", s, f)
		}
	}
	got, err := ParseFields("text, headings=0.5")
	if err != nil || !slices.Equal(got, []Field{{fieldText, 1}, {fieldHeadings, 0.5}}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func dir(t testing.TB) string { return filepath.Join(t.TempDir(), "index") }
