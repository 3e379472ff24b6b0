package boot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// marksOf are a judge's marks on q00, q01… of a system: y, n, and - for a refusal.
func marksOf(judge, system, marks string) []*record.Score {
	var all []*record.Score
	for i, m := range marks {
		s := &record.Score{
			Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%02d", i))}, System: record.SystemName(system), Judge: judge,
			Metric: record.Faithfulness, Status: record.Scored,
		}
		switch m {
		case 'y':
			s.Value = number(1)
		case 'n':
			s.Value = number(0)
		case '-':
			s.Status, s.Reason = record.Unscored, refused
		default:
			s.Status, s.Reason = record.Unscored, "timed out"
		}
		all = append(all, s)
	}
	return all
}

// judgeControls are all that a judge must have, 20 items each; change alters one by its name.
func judgeControls(judge string, change map[string]func(*record.Control)) []*record.Control {
	var all []*record.Control
	for _, name := range record.JudgeControls(record.Faithfulness) {
		c := &record.Control{Metric: record.Faithfulness, Judge: judge, Control: name, Expect: "x", Got: "y", N: 20, OK: record.ControlOK}
		if f := change[name]; f != nil {
			f(c)
		}
		if c.Control != "" {
			all = append(all, c)
		}
	}
	return all
}

func agreeing(a, b string) []*record.Control {
	return []*record.Control{
		{Metric: record.Faithfulness, Judge: Raters(a, b), Control: Itself, Expect: "1", Got: "1", N: 20, OK: record.ControlOK},
		{Metric: record.Faithfulness, Judge: Raters(a, b), Control: Permuted, Expect: "0", Got: "0", N: 20, OK: record.ControlOK},
	}
}

// pairsOf are marks of two raters on q00, q01… of a system: yy, yn, ny, nn.
func pairsOf(a, b, system, marks string) []*record.Pair {
	all := pairs(string(record.Faithfulness), marks)
	for _, p := range all {
		p.RaterA, p.RaterB, p.System = a, b, record.SystemName(system)
	}
	return all
}

// shown lists intervals as "metric system judge stat: value", or the reason.
func shown(out *Result) []string {
	var all []string
	for _, iv := range out.Intervals {
		came := iv.Reason
		if iv.Value != nil {
			came = fmt.Sprintf("%.3f n %d %s", *iv.Value, iv.N, iv.Method)
		}
		all = append(all, fmt.Sprintf("%s %s, %s: %s", iv.System, iv.Judge, iv.Stat, came))
	}
	return all
}

// TestJudgeTrust: a judge is trusted by its own controls, all of them, and by its own alone.
func TestJudgeTrust(t *testing.T) {
	fail := func(c *record.Control) { c.OK, c.Misses, c.Got = record.ControlFailed, 20, "yes 20" }
	const random = "random-passages"
	for _, tt := range []struct {
		name, want string
		controls   []*record.Control
	}{
		{"all pass", "", judgeControls("j", nil)},
		{"none", "no controls seen", nil},
		{"another judge's", "no controls seen", judgeControls("k", nil)},
		{"that name no judge", "controls that a judge must have were not seen: " + strings.Join(record.JudgeControls(record.Faithfulness), ", "), judgeControls("", nil)},
		{"failed", "control random-passages failed: expected x, got yes 20", judgeControls("j", map[string]func(*record.Control){random: fail})},
		{"another judge's failed", "", slices.Concat(judgeControls("j", nil), judgeControls("k", map[string]func(*record.Control){random: fail}))},
		{"not established", "control altered is not established: expected x, got y", judgeControls("j", map[string]func(*record.Control){record.Altered: func(c *record.Control) { c.OK = record.ControlNotEstablished }})},
		{"left out", "controls that a judge must have were not seen: altered, leaks", judgeControls("j", map[string]func(*record.Control){
			record.Altered: func(c *record.Control) { c.Control = "" }, record.Leaks: func(c *record.Control) { c.Control = "" }})},
		{"says yes, too many wrong", "control made-up failed: expected x, got y (it says yes, but 2 of 20 are wrong)",
			judgeControls("j", map[string]func(*record.Control){record.MadeUp: func(c *record.Control) { c.Misses = 2 }})},
		{"says yes, too few", "control made-up failed: expected x, got y (it says yes, but n is 14, and 15 are needed)",
			judgeControls("j", map[string]func(*record.Control){record.MadeUp: func(c *record.Control) { c.N = 14 }})},
		{"says yes, leaks", "control leaks failed: expected x, got y (it says yes, but 1 were found)",
			judgeControls("j", map[string]func(*record.Control){record.Leaks: func(c *record.Control) { c.Misses = 1 }})},
		{"says yes, no leak looked for", "control leaks failed: expected x, got y (it says yes, but n is 0, so nothing was tried)",
			judgeControls("j", map[string]func(*record.Control){record.Leaks: func(c *record.Control) { c.N = 0 }})},
		{"says yes, none missed, and its share says otherwise", "control made-up failed: expected x, got y (it says yes, but its share missed is 0.35, and 0 of 20 another)",
			judgeControls("j", map[string]func(*record.Control){record.MadeUp: func(c *record.Control) { c.Value = number(0.35) }})},
		{"one missed is let pass", "", judgeControls("j", map[string]func(*record.Control){record.MadeUp: func(c *record.Control) { c.Misses = 1 }})},
		{"oracle and random are no judge's controls", "controls that a judge must have were not seen: " + strings.Join(record.JudgeControls(record.Faithfulness), ", "), good("faithfulness")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := analyse(t, Default(), &Input{Scores: marksOf("j", "s", strings.Repeat("yyn", 10)), Controls: tt.controls})
			iv := out.Intervals[0]
			if iv.Reason != tt.want || iv.Judge != "j" || iv.Trusted != (tt.want == "") {
				t.Errorf("trusted %v: %q, want %q", iv.Trusted, iv.Reason, tt.want)
			}
			var refused []string
			if tt.want != "" {
				refused = []string{"faithfulness of j is not trusted: " + tt.want}
			}
			if d := cmp.Diff(refused, refusals(out)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestControlsOfTheStream: a judge's controls of another stream do not speak for its marks.
func TestControlsOfTheStream(t *testing.T) {
	in := &Input{Scores: marksOf("j", "s", strings.Repeat("yyn", 10)), Controls: judgeControls("j", nil), origins: map[record.Record]origin{}}
	for _, c := range in.Controls {
		in.origins[c] = origin{stream: stream{file: "old.jsonl"}}
	}
	if iv := analyse(t, Default(), in).Intervals[0]; iv.Reason != "no controls seen" {
		t.Errorf("%v %q", iv.Trusted, iv.Reason)
	}
}

func TestRefusalsAreNoFaultOfTheJudge(t *testing.T) {
	out := analyse(t, Default(), &Input{Scores: marksOf("j", "s", strings.Repeat("y", 20)+strings.Repeat("-", 20)), Controls: judgeControls("j", nil)})
	iv := out.Intervals[0]
	if len(out.Refusals) > 0 || iv.N != 20 || iv.NUnscored != 20 || !slices.Contains(iv.Warnings, "20 of the unscored are refusals, which are not judged") {
		t.Errorf("n %d, unscored %d, %q, refusals %v", iv.N, iv.NUnscored, iv.Warnings, refusals(out))
	}
	out = analyse(t, Default(), &Input{Scores: marksOf("j", "s", strings.Repeat("y", 17)+"???"+strings.Repeat("-", 20)), Controls: judgeControls("j", nil)})
	want := []string{"faithfulness of s by j: 3 unscored and 0 errors of 20 are 15.0 %, and more than 10.0 % is too many"}
	if d := cmp.Diff(want, refusals(out)); d != "" {
		t.Error(d)
	}
}

// TestAll: one run gives means, agreement and corrected rates; those of a broken
// judge are withheld everywhere, and it is said once.
func TestAll(t *testing.T) {
	// The judge says yes to 30 of 60; of the labelled 40: 18 yy, 2 ny, 18 nn, 2 yn.
	marks := strings.Repeat("y", 18) + "nn" + strings.Repeat("n", 18) + "yy" + strings.Repeat("yn", 10)
	labels := strings.Repeat("yy ", 18) + "ny ny " + strings.Repeat("nn ", 18) + "yn yn"
	in := &Input{
		Scores: slices.Concat(marksOf("j", "s", marks), marksOf("k", "s", strings.Repeat("y", 60))),
		Pairs: slices.Concat(
			pairsOf("j", "j"+Again, "s", strings.Repeat("yy ", 19)+"yn"),
			pairsOf("j", "k", "s", strings.Repeat("yy ny ", 15)),
			pairsOf("j", "Ada", "s", labels),
		),
		Controls: slices.Concat(judgeControls("j", nil), judgeControls("k", map[string]func(*record.Control){
			record.RandomPassages: func(c *record.Control) { c.OK, c.Got = record.ControlFailed, "yes 20" },
		}), agreeing("j", "j"+Again), agreeing("j", "k"), agreeing("j", "Ada")),
	}
	out := analyse(t, Default(), in)
	const broken = "control random-passages failed: expected x, got yes 20"
	want := []string{
		"s j, mean: 0.500 n 60 Wilson",
		"s k, mean: " + broken,
		"s j and j, again, kappa: 0.000 n 20 ", // agreed 0.95, by chance 0.95 too; (19/20)^20 of the resamples have one label
		"s j and j, again, flips: 0.050 n 20 Wilson",
		"s j and k, kappa: judge k: control random-passages failed",
		"s j and k, base-rate: judge k: control random-passages failed",
		"s j and Ada, kappa: 0.800 n 40 BCa", // agreed 0.9, by chance 0.5
		"s j and Ada, base-rate: 0.500 n 40 Wilson",
		"s j and Ada, TPR: 0.900 n 20 Wilson",
		"s j and Ada, TNR: 0.900 n 20 Wilson",
		"s j and Ada, corrected: 0.500 n 60 BCa", // (0.5 + 0.9 − 1)/0.8
		"s j and Ada, PPI: 0.500 n 60 BCa",       // 0.5 + 0.5 − 0.5
	}
	if d := cmp.Diff(want, shown(out)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"faithfulness of k is not trusted: " + broken}, refusals(out)); d != "" {
		t.Error(d)
	}
	if table := string(out.Intervals[6].Extra); table != `{"table":{"yes_yes":18,"yes_no":2,"no_yes":2,"no_no":18}}` {
		t.Error(table)
	}
	if kappa := out.Intervals[4]; kappa.Stat != StatKappa || kappa.Extra != nil {
		t.Errorf("the marks of a judge that is not trusted are told: %s", kappa.Extra)
	}
	for _, iv := range out.Intervals {
		if iv.Stat == StatCorrected {
			if !slices.Contains(iv.Warnings, "by 20 independent labels yes and 20 no: TPR 0.900, TNR 0.900") || !(*iv.Hi-*iv.Lo > 0.25) {
				t.Errorf("%+v", iv)
			}
		}
	}
}

// TestAgreementControls: without them, or where one fails, no agreement is shown.
func TestAgreementControls(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		controls   []*record.Control
	}{
		{"both", "", agreeing("j", "Ada")},
		{"none", "the control of agreement itself was not seen; the control of agreement permuted was not seen", nil},
		{"of others", "the control of agreement itself was not seen; the control of agreement permuted was not seen", agreeing("k", "Ada")},
		{"permuted failed", "control permuted failed: expected 0, got 0", []*record.Control{agreeing("j", "Ada")[0],
			{Metric: record.Faithfulness, Judge: "j and Ada", Control: Permuted, Expect: "0", Got: "0", OK: record.ControlFailed}}},
		{"itself says yes at 0.9", "control itself failed: expected 1, got 1 (it says yes, but kappa is not 1)", []*record.Control{agreeing("j", "Ada")[1],
			{Metric: record.Faithfulness, Judge: "j and Ada", Control: Itself, Expect: "1", Got: "1", Value: number(0.9), OK: record.ControlOK}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Default()
			p.Stat = StatKappa
			in := &Input{
				Pairs:    pairsOf("j", "Ada", "s", strings.Repeat("yy nn yy nn yn ", 6)),
				Controls: append(judgeControls("j", nil), tt.controls...),
			}
			if iv := analyse(t, p, in).Intervals[0]; iv.Reason != tt.want {
				t.Errorf("got  %q\nwant %q", iv.Reason, tt.want)
			}
		})
	}
}

// TestPooled: where there are several systems, all of them together come too; a question is drawn whole.
func TestPooled(t *testing.T) {
	p := Default()
	p.Stat = StatKappa
	in := &Input{
		Pairs:    slices.Concat(pairsOf("j", "Ada", "s", strings.Repeat("yy nn ", 10)), pairsOf("j", "Ada", "t", strings.Repeat("yn ny ", 10))),
		Controls: slices.Concat(judgeControls("j", nil), agreeing("j", "Ada")),
	}
	want := []string{"s j and Ada, kappa: 1.000 n 20 BCa", "t j and Ada, kappa: -1.000 n 20 BCa", "all j and Ada, kappa: 0.000 n 20 BCa"}
	got := shown(analyse(t, p, in))
	for i := range got { // BCa is undefined where all resamples agree
		got[i] = strings.TrimSuffix(strings.TrimSuffix(got[i], "percentile"), "BCa")
		want[i] = strings.TrimSuffix(want[i], "BCa")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestFloorOfJudges: a floor on a judge's metric is held by every judge's marks.
func TestFloorOfJudges(t *testing.T) {
	p := Default()
	p.Floors = Floors{{"s", record.Faithfulness, 0.6}}
	in := &Input{Scores: slices.Concat(marksOf("j", "s", strings.Repeat("yyyn", 10)), marksOf("k", "s", strings.Repeat("yn", 20))),
		Controls: slices.Concat(judgeControls("j", nil), judgeControls("k", nil))}
	out := analyse(t, p, in)
	if d := cmp.Diff([]string{"floor s:faithfulness=0.6 is not reached: the mean is 0.5000 over 40 questions"}, refusals(out)); d != "" {
		t.Error(d)
	}
	if out.Intervals[0].Floor == nil || out.Intervals[1].Floor == nil || math.Abs(*out.Intervals[0].Value-0.75) > 1e-12 {
		t.Errorf("%v", shown(out))
	}
}

// TestDifferencesByJudge: systems are compared by the marks of one judge at a time.
func TestDifferencesByJudge(t *testing.T) {
	p := Default()
	p.Baseline = "s"
	in := &Input{Scores: slices.Concat(marksOf("j", "s", strings.Repeat("yn", 20)), marksOf("j", "t", strings.Repeat("yy", 20)), marksOf("k", "s", strings.Repeat("n", 40)), marksOf("k", "t", strings.Repeat("n", 40))),
		Controls: slices.Concat(judgeControls("j", nil), judgeControls("k", nil))}
	want := []string{"s j, mean: 0.500 n 40 Wilson", "t j, mean: 1.000 n 40 Wilson", "t j, mean: 0.500 n 40 BCa",
		"s k, mean: 0.000 n 40 Wilson", "t k, mean: 0.000 n 40 Wilson", "t k, mean: 0.000 n 40 BCa"}
	if d := cmp.Diff(want, shown(analyse(t, p, in))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
