package boot

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestWithheld: what labels must be like before they correct anything.
func TestWithheld(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct {
		name, marks, labels string
		opened              bool // by whoever labelled
		want                string
	}{
		{"enough", repeat("yn", 30), repeat("yy ", 10) + repeat("nn ", 10), false, ""},
		// No label of no: 10 of them at a share of 1/22 are 220.
		{"one class", repeat("y", 60), repeat("yy ", 20), false, "withheld: 20 independent labels yes and 0 no, 10 of each are needed: about 220 labels in all would do, drawn as these were"},
		// 4 of 35: at a share of 5/37 10 are 74.
		{"few of a class", repeat("y", 60), repeat("yy ", 31) + repeat("nn ", 4), false, "withheld: 31 independent labels yes and 4 no, 10 of each are needed: about 74 labels in all would do, drawn as these were"},
		{"9 of a class", repeat("yn", 30), repeat("yy ", 10) + repeat("nn ", 9), false, "withheld: 10 independent labels yes and 9 no, 10 of each are needed: about 21 labels in all would do, drawn as these were"},
		{"none independent", repeat("yn", 30), repeat("yy ", 20) + repeat("nn ", 20), true, "withheld: no label is independent of the judge's family"},
		// TPR 0.6 of 20, TNR 0.6 of 20. Wilson's lower bound is 0.3866: 0.2 − √2·0.2134 = −0.102.
		// Enough: 1.96²·(2·(13/22)(9/22)/0.5)/0.2² = 92.9.
		{"not surely better than chance", repeat("yn", 30), repeat("yy ", 12) + repeat("ny ", 8) + repeat("nn ", 12) + repeat("yn ", 8), false,
			"withheld: TPR 0.600 and TNR 0.600: TPR + TNR − 1 is 0.200, from -0.102 on, and must be above 0: about 93 labels in all would do if the rates stay as they are, by the normal approximation"},
		{"a coin", repeat("yn", 30), repeat("yy ny nn yn ", 10), false,
			"withheld: TPR 0.500 and TNR 0.500: TPR + TNR − 1 is 0.000, from -0.284 on, and must be above 0: no number of labels would do, the judge is not better than chance"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := &Input{
				Scores:   marksOf("j", "s", tt.marks),
				Pairs:    pairsOf("j", "Ada", "s", tt.labels),
				Controls: slices.Concat(judgeControls("j", nil), agreeing("j", "Ada")),
			}
			for _, p := range in.Pairs {
				p.Independent = !tt.opened
			}
			out := analyse(t, Default(), in)
			for _, iv := range out.Intervals {
				if (iv.Stat == StatCorrected || iv.Stat == StatPPI) && iv.Reason != tt.want {
					t.Errorf("%s:\n got %q\nwant %q", iv.Stat, iv.Reason, tt.want)
				}
			}
			if len(out.Refusals) > 0 {
				t.Errorf("too few labels are no failure: %v", refusals(out))
			}
		})
	}
}

// TestCutOff: nothing is cut off in silence.
func TestCutOff(t *testing.T) {
	repeat := strings.Repeat
	correct := func(marks, labels string) *record.Interval {
		p := Default()
		p.Stat = StatCorrected
		return analyse(t, p, &Input{
			Scores:   marksOf("j", "s", marks),
			Pairs:    pairsOf("j", "Ada", "s", labels),
			Controls: slices.Concat(judgeControls("j", nil), agreeing("j", "Ada")),
		}).Intervals[0]
	}
	// TPR 0.9, TNR 0.8; the judge's rate is 20 of 20 labelled… and 56 of 60: (0.9333 + 0.8 − 1)/0.7 = 1.048.
	high := correct(repeat("y", 18)+"nn"+repeat("y", 38)+"nn", repeat("yy ", 18)+"ny ny "+repeat("nn ", 16)+"yn yn yn yn")
	if *high.Value != 1 || *high.Hi != 1 || !slices.Contains(high.Warnings, "the correction gives 1.048, cut off at 1") ||
		!slices.ContainsFunc(high.Warnings, func(w string) bool {
			return strings.HasSuffix(w, " resamples are outside of 0 to 1, where the interval is cut off")
		}) {
		t.Errorf("%v [%v, %v] %q", *high.Value, *high.Lo, *high.Hi, high.Warnings)
	}
	// The judge never says yes, and should of one in ten: (0 + 0.8 − 1)/0.7 is far below 0.
	low := correct(repeat("n", 60), repeat("yy ", 18)+"ny ny "+repeat("nn ", 16)+"yn yn yn yn")
	if low.Trusted || !strings.HasPrefix(low.Reason, "withheld: the correction gives -0.286 [") || !strings.HasSuffix(low.Reason, "which is no rate: labels and marks contradict each other") {
		t.Errorf("%v %q", low.Value, low.Reason)
	}
	if !Excused(low) {
		t.Error("the gate would not let it pass")
	}
}

// TestWeights: weights of unevenly drawn answers count in the rates, and their
// unevenness against the certainty: 10 of weight 1 and 10 of weight 9 are
// 100²/820 = 12.2 labels.
func TestWeights(t *testing.T) {
	c := class{}
	for i := range 20 {
		w := 1.0
		if i%2 == 1 {
			w = 9
		}
		c.n++
		c.weight += w
		c.squares += w * w
	}
	if got := c.effective(); fmt.Sprintf("%.2f", got) != "12.20" {
		t.Error(got)
	}
	in := pairsOf("j", "Ada", "s", strings.Repeat("yy ny ", 10)+strings.Repeat("nn ", 10))
	for _, p := range in {
		if p.MarkA == record.Yes {
			p.Weight = 9
		}
	}
	p := Default()
	p.Stat = StatTPR // 90 of 100
	out := analyse(t, p, &Input{Pairs: in, Controls: slices.Concat(judgeControls("j", nil), agreeing("j", "Ada"))})
	if d := cmp.Diff([]string{"s j and Ada, TPR: 0.900 n 20 BCa"}, shown(out)); d != "" {
		t.Error(d)
	}
}

// TestCorrectedCoverage simulates how often the interval of a corrected rate
// holds the true rate, in percent, where the labels bear a correction; the
// package doc must say what comes out.
func TestCorrectedCoverage(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	p := Default()
	p.Resamples = 500
	for _, row := range []struct {
		marks, labels int
		tpr, tnr      float64
	}{{61, 61, 0.9, 0.8}, {200, 61, 0.9, 0.8}, {200, 61, 0.97, 0.95}} {
		line := fmt.Sprintf("//	%3d marks, %2d labels, TPR %.2f, TNR %.2f  ", row.marks, row.labels, row.tpr, row.tnr)
		for i, stat := range []Stat{Corrected, Powered} {
			if i == 1 {
				line += "  "
			}
			for _, rate := range []float64{0.3, 0.5, 0.7} {
				r := rand.New(rand.NewPCG(9, uint64(row.marks)))
				made, hits := 0, 0
				for range 400 {
					s, by := drawn2(r, row.marks, row.labels, row.tpr, row.tnr, rate)
					if by.free.short(0.95) != "" {
						continue
					}
					made++
					iv := &record.Interval{Stat: StatCorrected}
					keepWithin(iv, p.fill(iv, s.beside(by.free.rows, stat), ""))
					if iv.Lo != nil && *iv.Lo <= rate && rate <= *iv.Hi {
						hits++
					}
				}
				percent := 100 * float64(hits) / float64(made)
				mark := " "
				if percent < 92 || percent > 98 {
					mark = "*"
				}
				line += fmt.Sprintf("%6.1f%s", percent, mark)
			}
		}
		if line = strings.TrimRight(line, " "); !strings.Contains(string(doc), line+"\n") {
			t.Errorf("the package doc does not say\n%s", line)
		}
	}
}

// drawn2 draws a judge's marks and a person's labels of the first of them.
func drawn2(r *rand.Rand, marks, labels int, tpr, tnr, rate float64) (*series, *raters) {
	mark := func(b bool) record.Mark {
		if b {
			return record.Yes
		}
		return record.No
	}
	s, by := &series{}, newRaters("m", "", "judge", "person")
	for i := range marks {
		truth := r.Float64() < rate
		says := r.Float64() < tpr
		if !truth {
			says = r.Float64() >= tnr
		}
		u := &unit{id: record.QuestionID(fmt.Sprintf("q%03d", i)), values: []float64{0}, of: []float64{1}}
		if says {
			u.values[0] = 1
		}
		s.units = append(s.units, u)
		if i < labels {
			by.add(&record.Pair{Question: record.QuestionRef{ID: u.id}, MarkA: mark(says), MarkB: mark(truth), Independent: true}, stream{})
		}
	}
	return s, by
}
