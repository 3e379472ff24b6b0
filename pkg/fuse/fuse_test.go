package fuse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// hit makes a hit of a section with what the stages gave it.
func hit(passage, section string, stages map[record.StageName]record.StageScore) record.Hit {
	return record.Hit{Passage: record.PassageID(passage), Section: record.SectionID(section), Stages: stages}
}

type stages = map[record.StageName]record.StageScore

// ranked is what a test compares: a passage at its place with its score.
type ranked struct {
	Passage record.PassageID
	Rank    int
	Score   float64
}

func list(hits []record.Hit) []ranked {
	var out []ranked
	for _, h := range hits {
		out = append(out, ranked{h.Passage, h.Rank, h.Score})
	}
	return out
}

var approx = cmpopts.EquateApprox(0, 1e-12)

func TestMethods(t *testing.T) {
	hits := func() []record.Hit {
		return []record.Hit{
			hit("a", "A", stages{"bm25": {Score: 9, Rank: 1}, "vector": {Score: 0.5, Rank: 4}}),
			hit("b", "B", stages{"bm25": {Score: 7, Rank: 2}}),
			hit("c", "C", stages{"vector": {Score: 0.8, Rank: 1}}),
			hit("d", "D", nil),
		}
	}
	both := []Term{{"bm25", 1}, {"vector", 2}}
	tests := []struct {
		name   string
		recipe Recipe
		want   []ranked
		reason string
	}{
		{"rrf", Recipe{ByRank, both, 1}, []ranked{
			{"c", 1, 1},       // 2/(1+1)
			{"a", 2, 0.9},     // 1/(1+1) + 2/(1+4)
			{"b", 3, 1.0 / 3}, // 1/(1+2)
			{"d", 4, 0},
		}, "ranks are those in the stage's own list, not among these hits"},
		{"rrf k 0", Recipe{ByRank, both, 0}, []ranked{
			{"c", 1, 2}, // 2/1
			{"a", 2, 1.5}, {"b", 3, 0.5}, {"d", 4, 0},
		}, "1/1 + 2/4 = 1.5"},
		{"rrf of a stage nobody has", Recipe{ByRank, []Term{{"late", 1}}, 60}, []ranked{
			{"a", 1, 0}, {"b", 2, 0}, {"c", 3, 0}, {"d", 4, 0},
		}, "all tie, so ids decide"},
		// bm25: 9 7 7 7 (lowest for c, d): mean 7.5, deviation √((2.25+3·0.25)/4) = √0.75: a 1.5/√0.75 = √3, else −1/√3.
		// vector: 0.5 0.5 0.8 0.5: the same shape, c √3, else −1/√3.
		{"zscore", Recipe{ByZScore, both, 0}, []ranked{
			{"c", 1, 2*math.Sqrt(3) - 1/math.Sqrt(3)},
			{"a", 2, math.Sqrt(3) - 2/math.Sqrt(3)},
			{"b", 3, -3 / math.Sqrt(3)}, {"d", 4, -3 / math.Sqrt(3)},
		}, "no score counts as the lowest"},
		{"minmax", Recipe{ByMinMax, both, 0}, []ranked{
			{"c", 1, 2}, {"a", 2, 1}, {"b", 3, 0}, {"d", 4, 0},
		}, "one stage's best each, weighted"},
		{"last", Recipe{ByLast, both[1:], 0}, []ranked{
			{"c", 1, 0.8}, {"a", 2, 0.5}, {"b", 3, -0.5}, {"d", 4, -1.5},
		}, "the stage's own score; who has none follows in the order there was"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.recipe.Validate(); err != nil {
				t.Fatal(err)
			}
			got := hits()
			tt.recipe.Apply(got)
			if d := cmp.Diff(tt.want, list(got), approx); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, d)
			}
		})
	}
}

func TestSectionRRF(t *testing.T) {
	// Stage x ranks A's parts 1 and 2, B's only part 3; stage y finds A's second part alone.
	hits := []record.Hit{
		hit("B", "B", stages{"x": {Rank: 3}}),
		hit("A~1", "A", stages{"x": {Rank: 1}}),
		hit("A~2", "A", stages{"x": {Rank: 2}, "y": {Rank: 1}}),
	}
	terms := []Term{{"x", 1}, {"y", 1}}
	SectionRRF(hits, terms, 1)
	want := []ranked{
		// By RRF A~2 (1/3 + 1/2) is A's best part. Section A is 1st by x and 1st by y.
		{"A~2", 1, 1},
		// A~1 keeps its own 1/(1+1); B is x's 2nd section: 1/(1+2), not 1/(1+3).
		{"A~1", 2, 0.5},
		{"B", 3, 1.0 / 3},
	}
	if d := cmp.Diff(want, list(hits), approx); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSectionRRFRanksOutsideTheList(t *testing.T) {
	// The stage's 1st and 2nd hit are not among these: ranks count them still.
	hits := []record.Hit{
		hit("A~1", "A", stages{"x": {Rank: 3}}),
		hit("A~2", "A", stages{"x": {Rank: 5}}),
		hit("B", "B", stages{"x": {Rank: 9}}),
	}
	SectionRRF(hits, []Term{{"x", 1}}, 0)
	want := []ranked{{"A~1", 1, 1.0 / 3}, {"A~2", 2, 1.0 / 5}, {"B", 3, 1.0 / 8}}
	if d := cmp.Diff(want, list(hits), approx); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRank(t *testing.T) {
	hits := []record.Hit{
		hit("c", "C", stages{"ce": {Score: 1}}),
		hit("a", "A", stages{"ce": {Score: 1}}),
		hit("b", "B", stages{"ce": {Score: -2}}),
		hit("e", "E", nil),
		hit("d", "D", stages{"ce": {Score: 3}}),
	}
	Rank(hits, "ce")
	var got []int
	for _, h := range hits {
		got = append(got, h.Stages["ce"].Rank)
	}
	if d := cmp.Diff([]int{3, 2, 4, 0, 1}, got); d != "" {
		t.Errorf("ranks of c a b e d (-want +got):\n%s", d)
	}
	if hits[3].Stages != nil {
		t.Error("a hit without the stage was given it")
	}
}

func TestBehind(t *testing.T) {
	got := Behind([]record.Hit{{Passage: "z", Score: 0.5}}, []record.Hit{{Passage: "b", Score: 7}, {Passage: "a", Score: 6}})
	want := []ranked{{"z", 1, 0.5}, {"b", 2, -0.5}, {"a", 3, -1.5}}
	if d := cmp.Diff(want, list(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]ranked{{"b", 1, 7}}, list(Behind(nil, []record.Hit{{Passage: "b", Score: 7}}))); d != "" {
		t.Errorf("behind nothing (-want +got):\n%s", d)
	}
}

// Properties of every method on random lists: nothing lost, ranks 1…n, scores
// never rise, and the same result whatever the order the hits came in.
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 500 {
		n := rng.IntN(12)
		var hits []record.Hit
		for i := range n {
			s := stages{}
			for _, name := range []record.StageName{"x", "y", "z"} {
				if rng.IntN(3) > 0 {
					s[name] = record.StageScore{Score: float64(rng.IntN(4)) / 3}
				}
			}
			hits = append(hits, hit(string(rune('a'+i)), string(rune('A'+i/3)), s))
		}
		for _, name := range []record.StageName{"x", "y", "z"} {
			Rank(hits, name)
		}
		for _, m := range []Method{ByRank, BySectionRank, ByZScore, ByMinMax} {
			r := Recipe{m, []Term{{"x", 1}, {"y", 0.3}, {"z", 2}}, 7}
			one, two := append([]record.Hit(nil), hits...), append([]record.Hit(nil), hits...)
			rng.Shuffle(n, func(i, j int) { two[i], two[j] = two[j], two[i] })
			r.Apply(one)
			r.Apply(two)
			if d := cmp.Diff(list(one), list(two)); d != "" {
				t.Fatalf("trial %d, %s: order matters (-one +two):\n%s", trial, m, d)
			}
			seen := map[record.PassageID]bool{}
			for i, h := range one {
				seen[h.Passage] = true
				if h.Rank != i+1 || i > 0 && h.Score > one[i-1].Score || math.IsNaN(h.Score) {
					t.Fatalf("trial %d, %s: hit %d is %v after %v", trial, m, i, list(one[i:i+1]), list(one[max(0, i-1):i]))
				}
			}
			if len(one) != n || len(seen) != n {
				t.Fatalf("trial %d, %s: %d hits became %d", trial, m, n, len(seen))
			}
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		in     string
		want   []Term
		reason string
	}{
		{"bm25,vector,late=2,cross-encoder", []Term{{"bm25", 1}, {"vector", 1}, {"late", 2}, {"cross-encoder", 1}}, ""},
		{" bm25 , vector=0.5", []Term{{"bm25", 1}, {"vector", 0.5}}, "blanks around a stage"},
		{"", nil, "nothing named"},
		{"bm25,", nil, "an empty stage"},
		{"bm25,bm25=2", nil, "twice"},
		{"bm25=0", nil, "no vote"},
		{"bm25=-1", nil, "a vote against"},
		{"bm25=NaN", nil, "not a number"},
		{"bm25=+Inf", nil, "not finite"},
		{"bm25=", nil, "no weight"},
		{"bm25=1=2", nil, "two weights"},
		{"bm 25", nil, "a blank inside a name"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.in)
		if (err != nil) != (tt.want == nil) {
			t.Errorf("Parse(%q): error %v (%s)", tt.in, err, tt.reason)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("Parse(%q), %s (-want +got):\n%s", tt.in, tt.reason, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("bm25,vector=2,late=0.25")
	f.Add("a=1e300,b=1e-300")
	f.Fuzz(func(t *testing.T, s string) {
		terms, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(Format(terms))
		if err != nil {
			t.Fatalf("Format gave %q: %v", Format(terms), err)
		}
		if d := cmp.Diff(terms, again); d != "" {
			t.Fatalf("%q (-once +twice):\n%s", s, d)
		}
	})
}

func TestValidate(t *testing.T) {
	one := []Term{{"x", 1}}
	for _, r := range []Recipe{
		{"borda", one, 1}, {ByRank, nil, 1}, {ByRank, one, -1}, {ByRank, one, math.NaN()}, {ByRank, one, math.Inf(1)},
		{ByLast, []Term{{"x", 1}, {"y", 1}}, 1},
	} {
		if r.Validate() == nil {
			t.Errorf("%v was accepted", r)
		}
	}
}
