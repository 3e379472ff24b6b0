package boot

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func number(v float64) *float64 { return &v }

// scores makes the score records of one metric of one system; questions are q00, q01…
func scores(system, metric string, values ...float64) []*record.Score {
	var all []*record.Score
	for i, v := range values {
		all = append(all, &record.Score{
			Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%02d", i))},
			System:   record.SystemName(system), Metric: record.MetricName(metric), Value: number(v), Status: record.Scored,
		})
	}
	return all
}

// controls are the two of a metric, with the outcome of each.
func controls(metric string, oracle, random record.Outcome) []*record.Control {
	return []*record.Control{
		{Metric: record.MetricName(metric), Control: "oracle", OK: oracle, Expect: "1", Got: "0.9"},
		{Metric: record.MetricName(metric), Control: "random", OK: random, Expect: "0.01", Got: "0.5", Reason: "random is off its expectation"},
	}
}

func good(metric string) []*record.Control {
	c := controls(metric, record.ControlOK, record.ControlOK)
	c[1].Reason = ""
	return c
}

// sealed has controls that say nothing of it stand behind what came.
func sealed(t *testing.T, in *Input) {
	t.Helper()
	var open []*record.Control
	for _, c := range in.Controls {
		if c.Extra == nil {
			open = append(open, c)
		}
	}
	if err := SealControls(open, in.Scores, in.Pairs); err != nil {
		t.Fatal(err)
	}
}

func analyse(t *testing.T, p Plan, in *Input) *Result {
	t.Helper()
	sealed(t, in)
	out, err := p.Analyse(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, iv := range out.Intervals {
		if err := iv.Validate(); err != nil {
			t.Errorf("%+v: %v", iv, err)
		}
	}
	for _, c := range out.Controls {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	return out
}

func refusals(out *Result) []string {
	var all []string
	for _, err := range out.Refusals {
		all = append(all, err.Error())
	}
	return all
}

// TestMean: 0 and 1 take Wilson's interval; other values BCa; by kind too.
func TestMean(t *testing.T) {
	in := &Input{Scores: scores("s", "recall@5", slices.Repeat([]float64{1, 0, 1, 1}, 6)...), Controls: of(24, "recall@5")}
	for i, s := range in.Scores {
		s.AskedFor = record.Fact
		if i < 4 {
			s.AskedFor = record.Multi
		}
	}
	in.Scores[2].Value = number(0.5)
	out := analyse(t, Default(), in)
	if len(out.Intervals) != 3 || len(out.Refusals) > 0 {
		t.Fatalf("%d intervals, refusals %v", len(out.Intervals), refusals(out))
	}
	all, fact, multi := out.Intervals[0], out.Intervals[1], out.Intervals[2]
	if all.Method != MethodBCa || all.N != 24 || *all.Value != 17.5/24 || *all.Seed != 1 || all.Resamples != 10000 || !(*all.Lo < *all.Value && *all.Value < *all.Hi) {
		t.Errorf("all: %+v", all)
	}
	lo, hi := Wilson(15, 20, 0.95)
	if fact.Method != MethodWilson || fact.AskedFor != record.Fact || *fact.Value != 15./20 || *fact.Lo != lo || *fact.Hi != hi || fact.Seed != nil {
		t.Errorf("fact: %+v", fact)
	}
	if multi.AskedFor != record.Multi || multi.N != 4 || !slices.Contains(multi.Warnings, "n is small: 4 questions") {
		t.Errorf("multi: %+v", multi)
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		lo, hi *float64
		want   []string
	}{
		{"one value", []float64{0.4}, nil, nil, []string{"n is 1: one question says nothing of others"}},
		{"one success", []float64{1}, number(1 / 4.8415), number(1), []string{"n is 1: one question says nothing of others"}},
		{"all equal", slices.Repeat([]float64{0.3}, 30), number(0.3), number(0.3), []string{"all values are equal: the sample shows no spread"}},
		{"equal but for rounding", append(slices.Repeat([]float64{0.3}, 30), 0.1+0.2), number(0.3), number(0.3), []string{"all values are equal: the sample shows no spread"}},
		{"all 0", slices.Repeat([]float64{0}, 20), number(0), number(3.8415 / 23.8415), []string{"all values are equal: the sample shows no spread"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			iv := analyse(t, Default(), &Input{Scores: scores("s", "m", tt.values...), Controls: good("m")}).Intervals[0]
			if diff := cmp.Diff([]any{tt.lo, tt.hi, tt.want}, []any{iv.Lo, iv.Hi, iv.Warnings}, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
				t.Error(diff)
			}
		})
	}
	in := &Input{Scores: scores("s", "m", slices.Repeat([]float64{0, 0.5}, 15)...), Controls: good("m")}
	in.Scores[3].Warnings = []string{"no hits", "list shorter than the cut-off"}
	in.Scores[7].Warnings = []string{"no hits"}
	want := []string{"1 of 30 questions: list shorter than the cut-off", "2 of 30 questions: no hits"}
	if diff := cmp.Diff(want, analyse(t, Default(), in).Intervals[0].Warnings); diff != "" {
		t.Error(diff)
	}
}

// TestTrust: a broken or uncontrolled metric keeps its evidence and loses its number.
func TestTrust(t *testing.T) {
	tests := []struct {
		name     string
		controls []*record.Control
		reason   string
	}{
		{"good", good("m"), ""},
		{"none", nil, "no controls seen"},
		{"of another metric", good("other"), "no controls seen"},
		{"random failed", controls("m", record.ControlOK, record.ControlFailed), "control random failed: expected 0.01, got 0.5 (random is off its expectation)"},
		{"oracle failed", controls("m", record.ControlFailed, record.ControlOK), "control oracle failed: expected 1, got 0.9"},
		{"not established", controls("m", record.ControlOK, record.ControlNotEstablished), "control random is not established: expected 0.01, got 0.5 (random is off its expectation)"},
		{"one half", good("m")[:1], "control oracle was seen without random"},
		{"the other half", good("m")[1:], "control random was seen without oracle"},
		{"of another kind", []*record.Control{{Metric: "m", Control: "made-up", OK: record.ControlOK}}, ""},
		{"of another system", append(good("m"), &record.Control{Metric: "m", System: "x", Control: "planted", OK: record.ControlFailed}), ""},
		{"of this system", append(good("m"), &record.Control{Metric: "m", System: "s", Control: "planted", OK: record.ControlFailed, Expect: "1", Got: "2"}), "control planted failed: expected 1, got 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Default()
			p.Floors = []Floor{{"s", "m", 0.1}}
			in := &Input{Scores: scores("s", "m", slices.Repeat([]float64{0, 0.5}, 15)...), Controls: tt.controls}
			out := analyse(t, p, in)
			iv := out.Intervals[0]
			if iv.Reason != tt.reason || iv.Trusted != (tt.reason == "") || iv.N != 30 {
				t.Errorf("trusted %v, n %d: %q, want %q", iv.Trusted, iv.N, iv.Reason, tt.reason)
			}
			if !iv.Trusted && (iv.Value != nil || iv.Lo != nil || iv.Hi != nil) {
				t.Error("a number is left")
			}
			var want []string
			if tt.reason != "" {
				want = []string{"m is not trusted: " + tt.reason, "floor s:m=0.1 is not shown to hold: " + tt.reason}
			}
			if diff := cmp.Diff(want, refusals(out)); diff != "" {
				t.Error(diff)
			}
		})
	}
	small := controls("m", record.ControlOK, record.ControlOK) // passes, and has something to say
	small[1].Reason = "the corpus is too small"
	iv := analyse(t, Default(), &Input{Scores: scores("s", "m", 0, 1), Controls: small}).Intervals[0]
	if !iv.Trusted || !slices.Contains(iv.Warnings, "random: the corpus is too small") {
		t.Errorf("%v, warnings %q", iv.Trusted, iv.Warnings)
	}
}

func TestUnscored(t *testing.T) {
	in := &Input{Scores: scores("s", "m", slices.Repeat([]float64{0, 1, 0.5}, 10)...), Controls: good("m")}
	for i, status := range map[int]record.Status{3: record.Unscored, 4: record.Unscored, 5: record.Failed} {
		in.Scores[i].Value, in.Scores[i].Status, in.Scores[i].Reason = nil, status, "timed out"
	}
	p := Default()
	out := analyse(t, p, in)
	iv := out.Intervals[0]
	if iv.N != 27 || iv.NUnscored != 2 || iv.NError != 1 || len(out.Refusals) > 0 {
		t.Errorf("n %d, unscored %d, error %d, %v", iv.N, iv.NUnscored, iv.NError, refusals(out))
	}
	p.MaxUnscored = 0.09
	want := []string{"m of s: 2 unscored and 1 errors of 30 are 10.0 %, and more than 9.0 % is too many"}
	if diff := cmp.Diff(want, refusals(analyse(t, p, in))); diff != "" {
		t.Error(diff)
	}
	for _, s := range in.Scores {
		s.Value, s.Status, s.Reason = nil, record.Unscored, "no judge"
	}
	iv = analyse(t, p, in).Intervals[0]
	if iv.Trusted || iv.Reason != "no question has a value" || iv.NUnscored != 30 {
		t.Errorf("%+v", iv)
	}
}

// TestRepeatsStayTogether: the same rows twice must not make the interval narrower,
// and the order of the rows changes nothing.
func TestRepeatsStayTogether(t *testing.T) {
	values := sample(40)
	once := &Input{Scores: scores("s", "m", values...), Controls: good("m")}
	twice := &Input{Scores: append(scores("s", "m", values...), scores("s", "m", values...)...), Controls: good("m")}
	slices.Reverse(twice.Scores)
	a, b := analyse(t, Default(), once).Intervals[0], analyse(t, Default(), twice).Intervals[0]
	if a.N != 40 || b.N != 40 {
		t.Errorf("n %d and %d, want 40 questions", a.N, b.N)
	}
	if diff := cmp.Diff([]*float64{a.Value, a.Lo, a.Hi}, []*float64{b.Value, b.Lo, b.Hi}, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// TestDifference: a constant difference is found exactly, in whatever order the rows come.
func TestDifference(t *testing.T) {
	base := sample(30)
	better := slices.Clone(base)
	for i := range better {
		better[i] += 0.1
	}
	in := &Input{Controls: good("m")}
	in.Scores = append(scores("better", "m", better...), scores("base", "m", base...)...)
	slices.Reverse(in.Scores)
	p := Default()
	p.Baseline = "base"
	out := analyse(t, p, in)
	d := out.Intervals[len(out.Intervals)-1]
	want := &record.Interval{Metric: "m", System: "better", Baseline: "base", Stat: "mean", N: 30, Level: 0.95, Method: MethodBCa, Resamples: 10000,
		Value: number(0.1), Lo: number(0.1), Hi: number(0.1), Seed: d.Seed, P: number(1. / 10001), PHolm: number(1. / 10001), Trusted: true,
		Warnings: []string{"all values are equal: the sample shows no spread"}}
	if diff := cmp.Diff(want, d, cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreUnexported(record.Base{})); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, c := range out.Controls {
		got = append(got, fmt.Sprintf("%s %s of %s: %s", c.Control, c.OK, c.System, c.Got))
	}
	if len(got) != 2 || got[0] != "A against A yes of base: 0.0000 [0.0000, 0.0000], p 1.0000" || !strings.HasPrefix(got[1], "planted +0.1 yes of base: 0.1000 [0.08") {
		t.Errorf("controls: %q", got)
	}
}

func TestHolmOverSystems(t *testing.T) {
	base := slices.Repeat([]float64{0}, 20)
	gains := func(n int) []float64 { return append(slices.Repeat([]float64{1}, n), base[n:]...) }
	in := &Input{Controls: good("m")}
	for i, s := range [][]float64{base, gains(5), gains(8), gains(6)} {
		in.Scores = append(in.Scores, scores([]string{"base", "five", "eight", "six"}[i], "m", s...)...)
	}
	p := Default()
	p.Baseline = "base"
	got := map[record.SystemName][2]float64{}
	for _, iv := range analyse(t, p, in).Intervals {
		if iv.Baseline != "" {
			got[iv.System] = [2]float64{*iv.P, *iv.PHolm}
		}
	}
	// p is 2/2^n; Holm: 3·2/2^8, 2·2/2^6, 1·2/2^5, each no smaller than the one before.
	want := map[record.SystemName][2]float64{"eight": {2. / 256, 6. / 256}, "six": {2. / 64, 4. / 64}, "five": {2. / 32, 4. / 64}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Error(diff)
	}
}

// TestBrokenDifferences pairs wrongly, and wants the controls of differences to say so.
func TestBrokenDifferences(t *testing.T) {
	turned := func(a, b *series) ([]pairing, error) {
		pairs, err := pair(a, b)
		first := pairs[0].b
		for i := range pairs[1:] {
			pairs[i].b = pairs[i+1].b
		}
		pairs[len(pairs)-1].b = first
		return pairs, err
	}
	swapped := func(a, b *series) ([]pairing, error) { return pair(b, a) }
	half := func(a, b *series) ([]pairing, error) {
		pairs, err := pair(a, b)
		return pairs[:5], err
	}
	for _, tt := range []struct {
		name string
		join func(a, b *series) ([]pairing, error)
		want []string
	}{
		{"sound", pair, nil},
		{"each question with the next one's", turned, []string{sameControl}},
		{"baseline and system swapped", swapped, []string{plantedControl}},
		{"questions lost", half, []string{plantedControl}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Default()
			p.Baseline, p.join = "base", tt.join
			values := sample(21)
			in := &Input{Scores: append(scores("base", "m", values...), scores("s", "m", values...)...), Controls: good("m")}
			out := analyse(t, p, in)
			var failed []string
			for _, c := range out.Controls {
				if c.OK == record.ControlFailed {
					failed = append(failed, c.Control)
				}
			}
			for _, want := range tt.want {
				if !slices.Contains(failed, want) {
					t.Errorf("%s did not fail; failed: %q", want, failed)
				}
			}
			d := out.Intervals[len(out.Intervals)-1]
			if d.Trusted != (len(tt.want) == 0) || (len(out.Refusals) == 0) != (len(tt.want) == 0) {
				t.Errorf("difference trusted: %v, refusals %v", d.Trusted, refusals(out))
			}
			if !out.Intervals[0].Trusted {
				t.Error("the mean itself has nothing to do with it")
			}
		})
	}
}

func TestPairingErrors(t *testing.T) {
	p := Default()
	p.Baseline = "base"
	base, s := scores("base", "m", 0, 1, 0), scores("s", "m", 1, 1, 1)
	for _, tt := range []struct {
		name string
		in   []*record.Score
		err  string
	}{
		{"system lacks a question", append(slices.Clone(base), s[:2]...), `m of base and s cannot be paired: s lacks "q02"`},
		{"baseline lacks a question", append(slices.Clone(base[1:]), s...), `m of base and s cannot be paired: base lacks "q00"`},
		{"no such baseline", s, `baseline "base" has no scores; there are some of s`},
		{"baseline lacks a metric", append(slices.Clone(base), scores("s", "n", 1, 1, 1)...), `baseline "base" has no n`},
	} {
		_, err := p.Analyse(&Input{Scores: tt.in, Controls: append(good("m"), good("n")...)})
		if err == nil || err.Error() != tt.err {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
		}
	}
	// An unscored question takes no part in the pair, and is counted.
	s[1].Value, s[1].Status, s[1].Reason = nil, record.Unscored, "fell back"
	p.MaxUnscored = 1
	out := analyse(t, p, &Input{Scores: append(slices.Clone(base), s...), Controls: good("m")})
	if d := out.Intervals[len(out.Intervals)-1]; d.N != 2 || d.NUnscored != 1 {
		t.Errorf("n %d, unscored %d", d.N, d.NUnscored)
	}
}

func TestFallbackFailsTheGate(t *testing.T) {
	p := Default()
	p.Baseline = "base"
	in := &Input{Controls: good("m"), Scores: append(scores("base", "m", 0, 1, 0), scores("s", "m", 0, 1, 0)...)}
	in.Scores = append(in.Scores, scores(string(record.FallbackSystem), "m", 1)...)
	out := analyse(t, p, in)
	want := []string{`1 questions fell back to BM25 (system bm25-fallback), the first is "q00"`}
	if diff := cmp.Diff(want, refusals(out)); diff != "" {
		t.Error(diff)
	}
	if iv := out.Intervals[2]; iv.System != record.FallbackSystem || !iv.Trusted {
		t.Errorf("it is scored none the less: %+v", iv)
	}
}

func TestFloors(t *testing.T) {
	in := &Input{Scores: scores("ollama:x", "m", 0, 0.5, 1), Controls: good("m")}
	for floor, want := range map[string][]string{
		"ollama:x:m=0.5":  nil,
		"ollama:x:m=0.51": {"floor ollama:x:m=0.51 is not reached: the mean is 0.5000 over 3 questions"},
		"y:m=0.1":         {"floor y:m=0.1 is not shown to hold: no such score came"},
	} {
		f, err := ParseFloor(floor)
		if err != nil {
			t.Fatal(err)
		}
		p := Default()
		p.Floors = []Floor{f}
		out := analyse(t, p, in)
		if diff := cmp.Diff(want, refusals(out)); diff != "" {
			t.Error(diff)
		}
		if f.System == "ollama:x" && *out.Intervals[0].Floor != f.Value {
			t.Error("the interval does not carry its floor")
		}
	}
	for _, bad := range []string{"", "m=1", ":m=1", "s:=1", "s:m", "s:m=", "s:m=NaN", "s:m=x"} {
		if f, err := ParseFloor(bad); err == nil {
			t.Errorf("ParseFloor(%q) = %v", bad, f)
		}
	}
	got, err := ReadFloors("f", strings.NewReader("# first run\n\ns:m=0.5 # measured 0.52\n"))
	if err != nil || len(got) != 1 || got[0] != (Floor{"s", "m", 0.5}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ReadFloors("f", strings.NewReader("s:m=0.5\ns:m\n")); err == nil || !strings.HasPrefix(err.Error(), "f:2: expected a floor") {
		t.Error(err)
	}
	if _, err := ReadFloors("f", strings.NewReader("s:m=0.5\ns:m=0.6\n")); err == nil {
		t.Error("two floors were accepted")
	}
}

// FuzzParseFloor: what is read is written the same, and read again.
func FuzzParseFloor(f *testing.F) {
	f.Add("hybrid:recall@5=0.7")
	f.Add("ollama:x:m=-1e3")
	f.Add("a:b=0x1p-2")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseFloor(text)
		if err != nil {
			return
		}
		b, err := ParseFloor(a.String())
		if err != nil || a != b {
			t.Errorf("%q is %+v, written %q, read %+v, %v", text, a, a, b, err)
		}
	})
}

// TestCommittedFloors reads the floors of each corpus.
func TestCommittedFloors(t *testing.T) {
	files, err := filepath.Glob("../../data/floors*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("SKIP no floors are committed yet")
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if floors, err := ReadFloors(name, f); err != nil || len(floors) == 0 {
			t.Errorf("%s: %d floors, %v", name, len(floors), err)
		}
	}
}

func TestRatioStat(t *testing.T) {
	in := &Input{Scores: scores("s", "m", 1, 0.5, 0.25), Controls: good("m")}
	for i, of := range []float64{1, 2, 4} {
		in.Scores[i].Of = of
	}
	p := Default()
	p.Stat = StatRatio
	iv := analyse(t, p, in).Intervals[0] // (1 + 1 + 1)/(1 + 2 + 4)
	if math.Abs(*iv.Value-3./7) > 1e-12 || iv.Method != MethodBCa {
		t.Errorf("%+v", iv)
	}
}

func pairs(metric, marks string) []*record.Pair {
	var all []*record.Pair
	for i, m := range strings.Fields(marks) {
		mark := func(b byte) record.Mark {
			if b == 'y' {
				return record.Yes
			}
			return record.No
		}
		all = append(all, &record.Pair{Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%02d", i))}, Metric: record.MetricName(metric),
			RaterA: "judge", RaterB: "person", MarkA: mark(m[0]), MarkB: mark(m[1]), Independent: true})
	}
	return all
}

func TestKappaStat(t *testing.T) {
	p := Default()
	p.Stat = StatKappa
	for _, tt := range []struct {
		name, marks string
		value       *float64
		interval    bool
		reason      string
		warning     string
	}{
		// Agreed 18/20; rates 0.5 and 0.5, by chance 0.5: 0.4/0.5.
		{"defined", strings.Repeat("yy nn ", 9) + "yn ny", number(0.8), true, "", ""},
		{"one label", strings.Repeat("yy ", 20), nil, false, "undefined (one label only)", ""},
		// A resample without the single no is undefined: (19/20)^20 = 36 %.
		{"nearly one label", strings.Repeat("yy ", 19) + "nn", number(1), false, "", "no interval: 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := analyse(t, p, &Input{Pairs: pairs("m", tt.marks), Controls: good("m")})
			iv := out.Intervals[0]
			if diff := cmp.Diff([]any{tt.value, tt.reason, tt.interval, "judge and person", 20}, []any{iv.Value, iv.Reason, iv.Lo != nil, iv.Judge, iv.N}, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Error(diff)
			}
			if tt.warning != "" && !strings.Contains(strings.Join(iv.Warnings, "\n"), tt.warning) {
				t.Errorf("warnings: %q", iv.Warnings)
			}
			if len(out.Refusals) > 0 {
				t.Errorf("undefined is no failure: %v", refusals(out))
			}
		})
	}
}

func TestCorrectedStat(t *testing.T) {
	p := Default()
	p.Stat = StatCorrected
	// The judge says yes to 24 of 40. Where the person marked: TPR 9/10, TNR 8/10. (0.6 + 0.8 - 1)/0.7.
	in := &Input{
		Scores:   scores("s", "m", slices.Repeat([]float64{1, 0, 1, 0, 1}, 8)...),
		Pairs:    pairs("m", strings.Repeat("yy ", 9)+"ny "+strings.Repeat("nn ", 8)+"yn yn"),
		Controls: good("m"),
	}
	iv := analyse(t, p, in).Intervals[0]
	if iv.N != 40 || math.Abs(*iv.Value-0.4/0.7) > 1e-12 || iv.Lo == nil || !(*iv.Lo < *iv.Value && *iv.Value < *iv.Hi) || *iv.Hi-*iv.Lo < 0.3 {
		t.Errorf("%+v", iv)
	}
	in.Pairs[0].RaterB = "another"
	if _, err := p.Analyse(in); err == nil {
		t.Error("two persons were mixed")
	}
	in.Pairs = nil
	if _, err := p.Analyse(in); err == nil {
		t.Error("corrected by nothing")
	}
}

func TestValidatePlan(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"stat":      func(p *Plan) { p.Stat = "median" },
		"method":    func(p *Plan) { p.Method = "t" },
		"level":     func(p *Plan) { p.Level = 1 },
		"NaN":       func(p *Plan) { p.Level = math.NaN() },
		"resamples": func(p *Plan) { p.Resamples = 10 },
		"unscored":  func(p *Plan) { p.MaxUnscored = 2 },
		"baseline":  func(p *Plan) { p.Stat, p.Baseline = StatRatio, "b" },
		"floors":    func(p *Plan) { p.Floors = []Floor{{"s", "m", 1}, {"s", "m", 0}} },
	} {
		p := Default()
		change(&p)
		if p.Validate() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestRead(t *testing.T) {
	read := func(text string) (*Input, error) {
		return Read(record.NewReader(record.Source{Name: "s", Reader: strings.NewReader(text)}))
	}
	const score = `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","value":1,"status":"scored"}`
	if in, err := read(score); err != nil || len(in.Scores) != 1 {
		t.Errorf("%v, %v", in, err)
	}
	for text, want := range map[string]string{
		score + "\n" + `{"type":"question","id":"q","text":"?"}`:                              "s:2: expected score, pair and control records, got a question record",
		strings.Replace(score, "1", "null", 1):                                                "s:1: ",
		`{"type":"control","metric":"m","control":"c","ok":"yes","expect":"","got":"","n":1}`: "nothing to analyse: no score and no pair record came",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
