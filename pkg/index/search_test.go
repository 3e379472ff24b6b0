package index

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// fourPassages is an index of four passages in two dimensions.
//
//	            alpha (words)   vector   dot with (1, 0)
//	a           1               (0, 1)   0
//	b           2               (1, 0)   1
//	c           0               (1, 0)   1
//	d           0               (-1, 0)  -1
func fourPassages(t *testing.T, vectors, tokens bool) *Index {
	t.Helper()
	ps := []*record.Passage{
		passage("c", "gamma", "C"), passage("a", "alpha beta", "A"), passage("d", "delta", "D"), passage("b", "alpha alpha", "B"),
	}
	if vectors {
		for _, p := range ps {
			p.Vector = map[record.PassageID]record.Vector{"a": {0, 1}, "b": {1, 0}, "c": {1, 0}, "d": {-1, 0}}[p.ID]
		}
	}
	cfg := DefaultConfig()
	cfg.Context, cfg.LateContext = "none", "none"
	if tokens {
		cfg.Encoder = fakeEncoder{}
	}
	return built(t, ps, cfg)
}

func searcher(x *Index, terms ...fuse.Term) Searcher {
	s := Searcher{Engine: x, Encoder: fakeEncoder{}, System: "sys", Options: DefaultOptions()}
	if len(terms) > 0 {
		s.Fusion.Terms = terms
	}
	return s
}

func leg(name record.StageName) fuse.Term { return fuse.Term{Stage: name, Weight: 1} }

var alpha = &record.Question{ID: "q", Text: "Alpha?", Vector: record.Vector{1, 0}}

// brief is a hit as "id rank bm25-rank vector-rank late-rank", 0 for none.
func brief(hits *record.Hits) (out []string) {
	digit := func(n int) string { return string(rune('0' + n)) }
	for _, h := range hits.Hits {
		s := string(h.Passage) + " " + digit(h.Rank)
		for _, leg := range []record.StageName{LegBM25, LegVector, LegLate} {
			s += " " + digit(h.Stages[leg].Rank)
		}
		out = append(out, s)
	}
	return out
}

func TestLegs(t *testing.T) {
	x := fourPassages(t, true, true)
	tests := []struct {
		name   string
		terms  []fuse.Term
		change func(*Options)
		want   []string
		reason string
	}{
		{"bm25", []fuse.Term{leg(LegBM25)}, nil, []string{"b 1 1 0 0", "a 2 2 0 0"}, "what does not match is no hit"},
		{"vector", []fuse.Term{leg(LegVector)}, nil, []string{"b 1 0 1 0", "c 2 0 2 0", "a 3 0 3 0", "d 4 0 4 0"}, "b and c tie: by id"},
		{"k", []fuse.Term{leg(LegVector)}, func(o *Options) { o.K, o.Depth = 1, 1 }, []string{"b 1 0 1 0"}, "the tie is cut at b"},
		{"late", []fuse.Term{leg(LegLate)}, nil, []string{"a 1 0 0 1", "b 2 0 0 2", "d 3 0 0 3", "c 4 0 0 4"}, "both of a and b hold alpha: they tie"},
		{"hybrid", []fuse.Term{leg(LegBM25), leg(LegVector)}, nil, []string{"b 1 1 1 0", "a 2 2 3 0", "c 3 0 2 0", "d 4 0 4 0"}, ""},
		{"depth 1", []fuse.Term{leg(LegBM25), leg(LegVector)}, func(o *Options) { o.K, o.Depth = 1, 1 }, []string{"b 1 1 1 0"}, "both legs name b alone"},
		{"complete", []fuse.Term{leg(LegBM25), leg(LegVector), leg(LegLate)}, func(o *Options) { o.K, o.Depth = 2, 2 },
			[]string{"b 1 1 1 2", "a 2 2 3 1"}, "a is the vectors' third, beyond the depth, and has its score all the same"},
		{"not complete", []fuse.Term{leg(LegBM25), leg(LegVector), leg(LegLate)}, func(o *Options) { o.K, o.Depth, o.Complete = 2, 2, false },
			[]string{"b 1 1 1 2", "a 2 2 0 1"}, ""},
		{"late candidates", []fuse.Term{leg(LegBM25), leg(LegLate)}, func(o *Options) { o.LateCandidates = 1 },
			[]string{"b 1 1 0 1", "a 2 2 0 0"}, "late interaction sees bm25's first alone"},
		{"section-rrf", []fuse.Term{leg(LegBM25), leg(LegVector)}, func(o *Options) { o.Fusion.Method = fuse.BySectionRank },
			[]string{"b 1 1 1 0", "a 2 2 3 0", "c 3 0 2 0", "d 4 0 4 0"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := searcher(x, tt.terms...)
			s.Fusion.Method = fuse.ByRank
			if tt.change != nil {
				tt.change(&s.Options)
			}
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			hits, err := s.Search(t.Context(), alpha)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, brief(hits)); d != "" || hits.Fallback != "" {
				t.Errorf("%s, fallback %q (-want +got):\n%s", tt.reason, hits.Fallback, d)
			}
			if err := hits.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHit: a hit carries what the passage says of itself, and scores that are the legs' own.
func TestHit(t *testing.T) {
	s := searcher(fourPassages(t, true, false), leg(LegVector), leg(LegBM25))
	s.Fusion.Method, s.Fusion.K, s.K = fuse.ByRank, 1, 1
	hits, err := s.Search(t.Context(), alpha)
	if err != nil {
		t.Fatal(err)
	}
	want := &record.Hits{Question: record.QuestionRef{ID: "q", Text: "Alpha?"}, System: "sys", Hits: []record.Hit{{
		Passage: "b", Section: "b", Path: "b", Heading: "B", Headings: []string{"B"}, Lines: [2]int{1, 2}, Commit: "c0ffee00",
		Rank: 1, Score: 1, Text: "alpha alpha", // 1/(1+1) from each leg
		Stages: map[record.StageName]record.StageScore{
			// 4 passages of 6 words: N 4, df 2, idf ln(1 + 2.5/2.5) = ln 2; tf 2, length 2, average 1.5:
			// 2·2.2/(2 + 1.2·(0.25 + 0.75·2/1.5)) = 4.4/3.5
			LegBM25:   {Score: math.Ln2 * 4.4 / 3.5, Rank: 1},
			LegVector: {Score: 1, Rank: 1},
		},
	}}}
	for leg, s := range hits.Hits[0].Stages {
		if math.Abs(s.Score-want.Hits[0].Stages[leg].Score) < 1e-12 {
			hits.Hits[0].Stages[leg] = want.Hits[0].Stages[leg]
		}
	}
	if d := cmp.Diff(want, hits); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFallback(t *testing.T) {
	bare := &record.Question{ID: "q", Text: "alpha"}
	hybrid := []fuse.Term{leg(LegBM25), leg(LegVector), leg(LegLate)}
	tests := []struct {
		name            string
		vectors, tokens bool
		terms           []fuse.Term
		q               *record.Question
		noEncoder       error
		want            string
	}{
		{"nothing lacks", true, true, hybrid, alpha, nil, ""},
		{"no vectors in the index", false, true, hybrid, alpha, nil, "the index has no vectors"},
		{"no vector in the question", true, true, hybrid, bare, nil, "the question has no vector"},
		{"none in either", false, false, hybrid[1:2], bare, nil, "the index has no vectors"},
		{"no token vectors", true, false, hybrid, alpha, nil, "the index has no token vectors"},
		{"no model", true, true, hybrid, alpha, errors.New("model.onnx: no such file"), "no model for late interaction: model.onnx: no such file"},
		{"late needs no vector", false, true, []fuse.Term{leg(LegBM25), leg(LegLate)}, bare, nil, ""},
		{"bm25 needs nothing", false, false, hybrid[:1], bare, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := searcher(fourPassages(t, tt.vectors, tt.tokens), tt.terms...)
			if tt.noEncoder != nil {
				s.Encoder, s.NoEncoder = nil, tt.noEncoder
			}
			hits, err := s.Search(t.Context(), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			if hits.Fallback != tt.want {
				t.Errorf("fallback %q, want %q", hits.Fallback, tt.want)
			}
			if tt.want == "" {
				return
			}
			if d := cmp.Diff([]string{"b 1 1 0 0", "a 2 2 0 0"}, brief(hits)); d != "" {
				t.Errorf("hits (-want +got):\n%s", d)
			}
		})
	}
}

func TestNoHits(t *testing.T) {
	x := fourPassages(t, true, true)
	s := searcher(x, leg(LegBM25))
	hits, err := s.Search(t.Context(), &record.Question{ID: "q", Text: "the of and"})
	if err != nil || hits.Hits == nil || len(hits.Hits) != 0 {
		t.Errorf("stop words alone: %+v, %v", hits, err)
	}
	s = searcher(x, leg(LegBM25), leg(LegLate))
	s.LateCandidates = 5
	hits, err = s.Search(t.Context(), &record.Question{ID: "q", Text: "the of and"})
	if err != nil || len(hits.Hits) != 0 {
		t.Errorf("no candidates for late interaction: %+v, %v", hits, err)
	}
}

func TestBadQuestions(t *testing.T) {
	s := searcher(fourPassages(t, true, true))
	for _, tt := range []struct {
		v    record.Vector
		want string
	}{
		{record.Vector{1, 0, 0}, `question "q": a vector of 3 numbers, those of the index have 2`},
		{record.Vector{1, float32(math.NaN())}, `question "q": element 1 of the vector is NaN`},
		{record.Vector{0, 0}, `question "q": expected a vector of length 1, got one of 0`},
		{record.Vector{3, 4}, `question "q": expected a vector of length 1, got one of 5`}, // √(9+16)
		{record.Vector{0, 1.0011}, `question "q": expected a vector of length 1, got one of 1.001`},
	} {
		_, err := s.Search(t.Context(), &record.Question{ID: "q", Text: "alpha", Vector: tt.v})
		var bad QuestionError
		if !errors.As(err, &bad) || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	s := searcher(fourPassages(t, true, true))
	run := func(m ...record.Model) *record.Run { return &record.Run{Tool: "t", Models: m} }
	for _, tt := range []struct {
		name string
		run  *record.Run
		ok   bool
	}{
		{"no run", nil, true},
		{"a run that names no model", run(), true},
		{"the model", run(model1), true},
		{"another", run(model2), false},
		{"another before the last tool", &record.Run{Tool: "t", Inputs: []*record.Run{run(), run(model2)}}, false},
		{"the nearest counts", &record.Run{Tool: "t", Models: []record.Model{model1}, Inputs: []*record.Run{run(model2)}}, true},
	} {
		err := s.Check(tt.run)
		if (err == nil) != tt.ok || err != nil && (hint.Of(err) == "" || !strings.Contains(err.Error(), "from model m2 (222222222222), those of the index from m1 (111111111111)")) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	words := searcher(fourPassages(t, true, true), leg(LegBM25))
	if err := words.Check(run(model2)); err != nil {
		t.Errorf("bm25 asks for no model: %v", err)
	}
	s.Encoder = otherEncoder{}
	if err := s.Check(nil); err == nil || !strings.Contains(err.Error(), "token vectors of the index are from model m2") {
		t.Errorf("an encoder of another model: %v", err)
	}
	for want, ok := range map[record.Commit]bool{"c0ffee00": true, "c0ffee0": true, "c0ffee": false, "c0ffee01": false, "": false} {
		if err := s.Engine.Manifest().CheckCommit(want); (err == nil) != ok {
			t.Errorf("commit %q: %v", want, err)
		}
	}
}

type otherEncoder struct{ fakeEncoder }

func (otherEncoder) Model() record.Model { return model1 }

func TestOptionsValidate(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"no leg":         func(o *Options) { o.Fusion.Terms = nil },
		"unknown leg":    func(o *Options) { o.Fusion.Terms = []fuse.Term{leg("cross-encoder")} },
		"unknown method": func(o *Options) { o.Fusion.Method = "x" },
		"k 0":            func(o *Options) { o.K = 0 },
		"depth 0":        func(o *Options) { o.Depth = 0 },
		"candidates -1":  func(o *Options) { o.LateCandidates = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
