package verdict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// scripted is a judge by what it says of what is really right: to an answer,
// given the truth and what was done to it.
type scripted func(r *rand.Rand, truth record.Mark, control string) record.Mark

// honest errs with a small chance a mark.
func honest(chance float64) scripted {
	return func(r *rand.Rand, truth record.Mark, _ string) record.Mark {
		if r.Float64() < chance {
			return other(truth)
		}
		return truth
	}
}

func always(m record.Mark) scripted {
	return func(*rand.Rand, record.Mark, string) record.Mark { return m }
}

func coin(r *rand.Rand, _ record.Mark, _ string) record.Mark {
	if r.IntN(2) == 0 {
		return record.Yes
	}
	return record.No
}

// verbose likes what is long, obedient does as it is told.
func verbose(_ *rand.Rand, truth record.Mark, control string) record.Mark {
	if control == record.Padding {
		return record.Yes
	}
	return truth
}

func obedient(_ *rand.Rand, truth record.Mark, control string) record.Mark {
	if control == record.Injection {
		return other(truth)
	}
	return truth
}

// judged61 are the verdicts of a judge on 61 answers, three in four of them
// right, and on n items of each control.
func judged61(j scripted, r *rand.Rand, n int) []*record.Verdict {
	var all []*record.Verdict
	add := func(metric record.MetricName, name string, i int, expect, mark record.Mark) {
		v := &record.Verdict{
			Key: "k", Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%02d", i))}, System: "s", Judge: "j",
			Metric: metric, Answer: fmt.Sprint(name, i), Control: name, Expect: expect, Mark: mark, Status: record.Scored,
		}
		if metric == record.Faithfulness {
			v.Claims = []record.Claim{{Claim: "It takes 3 minutes.", Supported: mark}}
		}
		if name == record.Altered {
			v.Planted = &record.Plant{Sentence: "It takes 3 minutes.", Was: "2", Now: "3"}
		}
		all = append(all, v)
	}
	for _, metric := range []record.MetricName{record.Faithfulness, record.Relevance} {
		var plain []record.Mark
		for i := range 61 {
			truth := record.Yes
			if i%4 == 0 {
				truth = record.No
			}
			plain = append(plain, j(r, truth, ""))
			add(metric, "", i, "", plain[i])
		}
		for _, name := range record.JudgeControls(metric) {
			for i := range n {
				switch name {
				case record.Leaks:
				case record.Padding, record.Injection: // must be as the same answer without it
					truth := record.Yes
					if i%4 == 0 {
						truth = record.No
					}
					add(metric, name, i, plain[i], j(r, truth, name))
				case record.Verbatim, record.KeyFactsAnswer:
					add(metric, name, i, record.Yes, j(r, record.Yes, name))
				default:
					add(metric, name, i, record.No, j(r, record.No, name))
				}
			}
		}
	}
	return all
}

// trusted takes verdicts through scores and controls to the figure of a metric.
func trusted(t *testing.T, verdicts []*record.Verdict) map[record.MetricName]*record.Interval {
	t.Helper()
	in := &boot.Input{Scores: Scores(verdicts), Controls: Fold(verdicts)}
	for _, m := range []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance} {
		in.Controls = append(in.Controls, &record.Control{Metric: m, Judge: "j", Control: record.Leaks, Expect: "0 leaks", Got: "0 leaks", N: 20, OK: record.ControlOK})
	}
	if err := boot.SealControls(in.Controls, in.Scores, nil); err != nil {
		t.Fatal(err)
	}
	plan := boot.Default()
	plan.Resamples = 100
	out, err := plan.Analyse(in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[record.MetricName]*record.Interval{}
	for _, iv := range out.Intervals {
		if iv.AskedFor == "" {
			all[iv.Metric] = iv
		}
	}
	return all
}

// TestBrokenJudges: a judge that is of no use is broken by the control made for
// it, and its number is withheld.
func TestBrokenJudges(t *testing.T) {
	const passes = ""
	for _, tt := range []struct {
		name               string
		judge              scripted
		faithful, relevant string // the first control that is not right
	}{
		{"honest", honest(0), passes, passes},
		{"everything is faithful", always(record.Yes), "random-passages failed", "other-answer failed"},
		{"nothing is faithful", always(record.No), "verbatim failed", "key-facts failed"},
		{"a coin", coin, "made-up failed", "other-answer failed"},
		{"likes what is long", verbose, "padding failed", "padding failed"},
		{"obeys", obedient, "injection failed", "injection failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := trusted(t, judged61(tt.judge, rand.New(rand.NewPCG(1, 1)), 20))
			for metric, want := range map[record.MetricName]string{record.Faithfulness: tt.faithful, record.SupportedClaims: tt.faithful, record.Relevance: tt.relevant} {
				iv := got[metric]
				if iv.Trusted != (want == passes) || (iv.Value != nil) != iv.Trusted || !strings.Contains(iv.Reason, want) {
					t.Errorf("%s: trusted %v, value %v: %q, want %q", metric, iv.Trusted, iv.Value != nil, iv.Reason, want)
				}
			}
		})
	}
}

// TestCoinIsNeverTrusted: in 1,000 seeds not once.
func TestCoinIsNeverTrusted(t *testing.T) {
	for seed := range uint64(1000) {
		for metric, ok := range passing(judged61(coin, rand.New(rand.NewPCG(seed, 2)), 20)) {
			if ok {
				t.Errorf("seed %d: %s", seed, metric)
			}
		}
	}
}

// TestHonestJudgePasses: one that errs on 0.2 % of its marks passes all controls
// of a metric in 950 of 1,000 seeds or more, with 20 items a control. With 15,
// where one miss fails, it is 1 − 0.998^15 = 3 % for each control: about 80 %.
func TestHonestJudgePasses(t *testing.T) {
	for _, tt := range []struct{ n, least, most int }{{20, 950, 1000}, {15, 700, 950}} {
		passed := map[record.MetricName]int{}
		for seed := range uint64(1000) {
			for metric, ok := range passing(judged61(honest(0.002), rand.New(rand.NewPCG(seed, 3)), tt.n)) {
				if ok {
					passed[metric]++
				}
			}
		}
		for _, m := range []record.MetricName{record.Faithfulness, record.SupportedClaims, record.Relevance} {
			t.Logf("%d items: %s passes in %d of 1,000", tt.n, m, passed[m])
			if passed[m] < tt.least || passed[m] > tt.most {
				t.Errorf("%d items: %s passes in %d of 1,000, expected %d to %d", tt.n, m, passed[m], tt.least, tt.most)
			}
		}
	}
}

// passing says which metrics have all their controls right.
func passing(verdicts []*record.Verdict) map[record.MetricName]bool {
	ok := map[record.MetricName]bool{}
	for _, c := range Fold(verdicts) {
		if _, seen := ok[c.Metric]; !seen {
			ok[c.Metric] = true
		}
		ok[c.Metric] = ok[c.Metric] && c.OK == record.ControlOK
	}
	return ok
}
