package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestClaims: bm25 has 1 and 0.5, whose mean is 0.75; vector has 0 and one without a value.
func TestClaims(t *testing.T) {
	const scores = `{"type":"score","question":{"id":"q1"},"system":"bm25","metric":"recall@5","value":1,"status":"scored","kind":"fact"}
{"type":"score","question":{"id":"q2"},"system":"bm25","metric":"recall@5","value":0.5,"status":"scored","kind":"multi"}
{"type":"score","question":{"id":"q1"},"system":"vector","metric":"recall@5","value":0,"status":"scored","kind":"fact"}
{"type":"score","question":{"id":"q2"},"system":"vector","metric":"recall@5","status":"error","reason":"boom","kind":"multi"}
`
	const judged = `{"type":"score","question":{"id":"q1"},"system":"bm25","judge":"j","metric":"recall@5","value":0,"status":"scored","kind":"fact"}` + "\n"
	const changed = ": the interval was changed, or is of other scores"
	for _, tt := range []struct{ name, scores, interval, want string }{
		{"its mean", scores, `"metric":"recall@5","system":"bm25","n":2,"value":0.75,"trusted":true`, ""},
		{"within rounding", scores, `"metric":"recall@5","system":"bm25","n":2,"value":0.7500000001,"trusted":true`, ""},
		{"of one kind", scores, `"metric":"recall@5","system":"bm25","kind":"multi","n":1,"value":0.5,"trusted":true`, ""},
		{"a difference", scores, `"metric":"recall@5","system":"bm25","baseline":"vector","n":1,"value":1,"trusted":true`, ""},
		{"not a mean", scores, `"metric":"recall@5","system":"bm25","stat":"ratio","n":2,"value":0.3,"trusted":true`, ""},
		{"of a judge's pairs", scores, `"metric":"faithfulness","system":"bm25","judge":"j and k","stat":"kappa","n":2,"value":0.3,"trusted":true`, ""},
		{"its mean, by a judge", scores + judged, `"metric":"recall@5","system":"bm25","judge":"j","n":1,"value":0,"trusted":true`, ""},
		{"another value, by a judge", scores + judged, `"metric":"recall@5","system":"bm25","judge":"j","n":1,"value":0.5,"trusted":true`,
			`in:6: the interval of recall@5 of system "bm25" and judge "j" says 0.5 over 1 questions, its scores 0 over 1` + changed},
		{"no such judge", scores, `"metric":"recall@5","system":"bm25","judge":"j","n":2,"value":0.75,"trusted":true`,
			`in:5: an interval of recall@5 of system "bm25" and judge "j", of which no score came (half all)`},
		{"no scores came", "", `"metric":"recall@5","system":"bm25","n":2,"value":0.9,"trusted":true`, ""},
		{"another value", scores, `"metric":"recall@5","system":"bm25","n":2,"value":0.76,"trusted":true`,
			`in:5: the interval of recall@5 of system "bm25" says 0.76 over 2 questions, its scores 0.75 over 2` + changed},
		{"another n", scores, `"metric":"recall@5","system":"bm25","n":3,"value":0.75,"trusted":true`,
			`in:5: the interval of recall@5 of system "bm25" says 0.75 over 3 questions, its scores 0.75 over 2` + changed},
		{"another difference", scores, `"metric":"recall@5","system":"bm25","baseline":"vector","kind":"fact","n":1,"value":0.75,"trusted":true`,
			`in:5: the interval of recall@5 of system "bm25" less "vector", fact questions says 0.75 over 1 questions, its scores 1 over 1` + changed},
		{"no such metric", scores, `"metric":"MRR@10","system":"bm25","n":2,"value":0.75,"trusted":true`,
			`in:5: an interval of MRR@10 of system "bm25", of which no score came (half all)`},
		{"no such baseline", scores, `"metric":"recall@5","system":"bm25","baseline":"late","n":2,"trusted":false,"reason":"x"`,
			`in:5: an interval of recall@5 of system "late", of which no score came (half all)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.scores + `{"type":"interval","n_unscored":0,"n_error":0,"level":0.95,` + tt.interval + "}\n"
			_, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(in)}))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestClaimsOfPairs: of 40 pairs 18 yes by both, 18 no, 2 yes by j alone, 2 by
// Ada: kappa 0.8, TPR and TNR 0.9. The judge says yes to 20 of 40, so that its
// rate is 0.5 however corrected.
func TestClaimsOfPairs(t *testing.T) {
	var in strings.Builder
	for i := range 40 {
		a, b := "yes", "yes"
		if i%2 == 1 {
			a, b = "no", "no"
		}
		if i < 4 {
			b = map[string]string{"yes": "no", "no": "yes"}[b]
		}
		value := map[string]int{"yes": 1, "no": 0}[a]
		fmt.Fprintf(&in, `{"type":"score","question":{"id":"q%d"},"system":"s","judge":"j","metric":"relevance","value":%d,"status":"scored"}`+"\n", i, value)
		fmt.Fprintf(&in, `{"type":"pair","question":{"id":"q%d"},"system":"s","metric":"relevance","rater_a":"j","rater_b":"Ada","mark_a":%q,"mark_b":%q,"independent":true}`+"\n", i, a, b)
	}
	for _, tt := range []struct {
		raters, stat string
		value        float64
		want         string // a part of the error
	}{
		{"j and Ada", "kappa", 0.8, ""}, {"j and Ada", "TPR", 0.9, ""}, {"j and Ada", "TNR", 0.9, ""}, {"j and Ada", "base-rate", 0.5, ""},
		{"j and Ada", "corrected", 0.5, ""}, {"j and Ada", "PPI", 0.5, ""},
		{"j and Ada", "kappa", 0.84, `kappa in relevance of j and Ada, system "s", is 0.84, and 0.8 by the 40 pairs that came: the interval was changed, or is of other pairs`},
		{"j and Ada", "TPR", 0.92, "TPR in relevance of j and Ada"}, {"j and Ada", "TNR", 0.92, "TNR in"}, {"j and Ada", "base-rate", 0.6, "base-rate in"},
		{"j and Ada", "corrected", 0.55, "corrected in"}, {"j and Ada", "PPI", 0.55, "PPI in"},
		{"j and Bob", "kappa", 0.8, `an interval of kappa of j and Bob of system "s", of which no pair came`},
	} {
		line := fmt.Sprintf(`{"type":"interval","metric":"relevance","system":"s","judge":%q,"stat":%q,"n":40,"n_unscored":0,"n_error":0,"value":%v,"level":0.95,"trusted":true}`+"\n", tt.raters, tt.stat, tt.value)
		_, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(in.String() + line)}))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s of %s %v: got %v, want %q", tt.stat, tt.raters, tt.value, err, tt.want)
		}
	}
}
