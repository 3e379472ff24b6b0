package review

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// population is 90 answers, of them 10 doubtful, and 10 that cannot be drawn;
// and the mark of each, which is mostly yes but for the doubtful.
func population() (answers []*record.Answer, doubtful func(*record.Answer) bool, mark func(*record.Answer) float64, mean float64) {
	kind := map[*record.Answer]int{}
	for i := range 100 {
		a := &record.Answer{Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%03d", i))}, System: "fused", Model: "m", Text: "x", Status: record.Scored}
		switch {
		case i%20 == 19:
			a.Refused, a.Text = true, ""
		case i%20 == 18:
			a.Status, a.Reason = record.Failed, "gone"
		}
		kind[a] = i
		answers = append(answers, a)
	}
	doubtful = func(a *record.Answer) bool { return kind[a]%8 == 3 }
	mark = func(a *record.Answer) float64 {
		if doubtful(a) && kind[a]%3 != 0 || kind[a]%11 == 5 {
			return 0
		}
		return 1
	}
	n := 0.0
	for _, a := range answers {
		if !a.Refused && a.Status == record.Scored {
			n++
			mean += mark(a)
		}
	}
	return answers, doubtful, mark, mean / n
}

func TestDraw(t *testing.T) {
	answers, doubtful, _, _ := population()
	tests := []struct {
		name       string
		n          int
		oversample bool
		want       [2]int // drawn of the rest, of the doubtful
		weights    [2]float64
	}{
		// 90 can be drawn: 80, and 10 doubtful.
		{"even", 20, false, [2]int{20, 0}, [2]float64{1, 0}},
		{"half and half", 18, true, [2]int{9, 9}, [2]float64{80. / 9 * 18 / 90, 10. / 9 * 18 / 90}},
		{"all the doubtful there are", 30, true, [2]int{20, 10}, [2]float64{80. / 20 * 30 / 90, 30. / 90}},
		{"two", 2, true, [2]int{1, 1}, [2]float64{80. * 2 / 90, 10. * 2 / 90}},
		{"all", 500, true, [2]int{80, 10}, [2]float64{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Sampling{N: tt.n, Seed: 7}
			if tt.oversample {
				s.Doubtful = doubtful
			}
			drawn, err := Draw(answers, s)
			if err != nil {
				t.Fatal(err)
			}
			var got [2]int
			sum := 0.0
			seen := map[*record.Answer]bool{}
			for _, d := range drawn {
				part := 0
				if d.Doubtful {
					part = 1
				}
				got[part]++
				sum += d.Weight
				if math.Abs(d.Weight-tt.weights[part]) > 1e-12 {
					t.Fatalf("weight %v, want %v", d.Weight, tt.weights[part])
				}
				if seen[d.Answer] || d.Answer.Refused || d.Answer.Status != record.Scored || tt.oversample && d.Doubtful != doubtful(d.Answer) {
					t.Fatalf("drawn wrongly: %+v", d.Answer)
				}
				seen[d.Answer] = true
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if math.Abs(sum-float64(len(drawn))) > 1e-9 {
				t.Errorf("the weights add up to %v, want %d", sum, len(drawn))
			}
			again, err := Draw(answers, s)
			if err != nil || !cmp.Equal(drawn, again) {
				t.Errorf("another draw of the same seed differs: %v", err)
			}
		})
	}
	for name, s := range map[string]Sampling{"none": {N: 0}, "one of two parts": {N: 1, Doubtful: doubtful}} {
		if _, err := Draw(answers, s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Draw(answers[19:20], Sampling{N: 1}); err == nil {
		t.Error("a refusal was drawn")
	}
}

// TestDrawIsStable: twenty stay among forty, and an answer more changes one place at most.
func TestDrawIsStable(t *testing.T) {
	answers, _, _, _ := population()
	draw := func(answers []*record.Answer, n int) map[*record.Answer]bool {
		drawn, err := Draw(answers, Sampling{N: n, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		set := map[*record.Answer]bool{}
		for _, d := range drawn {
			set[d.Answer] = true
		}
		return set
	}
	twenty, forty, more := draw(answers[1:], 20), draw(answers[1:], 40), draw(answers, 20)
	gone := 0
	for a := range twenty {
		if !forty[a] {
			t.Errorf("%s is among 20, and not among 40", a.Question.ID)
		}
		if !more[a] {
			gone++
		}
	}
	if gone > 1 {
		t.Errorf("one answer more changed %d places", gone)
	}
}

// TestDrawIsWithoutBias draws 4,000 times: the weighted mean of the marks comes
// out at the mean over all answers, the plain mean does not.
func TestDrawIsWithoutBias(t *testing.T) {
	answers, doubtful, mark, mean := population()
	const draws = 4000
	var weighted, plain, square float64
	for seed := range uint64(draws) {
		drawn, err := Draw(answers, Sampling{N: 20, Seed: seed, Doubtful: doubtful})
		if err != nil {
			t.Fatal(err)
		}
		var sum, weights, even float64
		for _, d := range drawn {
			sum += d.Weight * mark(d.Answer)
			weights += d.Weight
			even += mark(d.Answer)
		}
		weighted += sum / weights / draws
		square += sum / weights * sum / weights / draws
		plain += even / float64(len(drawn)) / draws
	}
	se := math.Sqrt((square - weighted*weighted) / draws)
	t.Logf("mean %.4f, weighted %.4f (standard error %.4f), plain %.4f", mean, weighted, se, plain)
	if math.Abs(weighted-mean) > 4*se {
		t.Errorf("the weighted mean is %.4f, want %.4f within 4 standard errors of %.4f", weighted, mean, se)
	}
	if math.Abs(plain-mean) < 20*se {
		t.Errorf("the plain mean is %.4f: this population cannot show a bias", plain)
	}
}

func TestDoubt(t *testing.T) {
	score := func(x float64) *float64 { return &x }
	var answers []*record.Answer
	for i := range 12 {
		a := &record.Answer{Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%d", i)), Text: fmt.Sprint(i)}, System: "s", Model: "m", Status: record.Scored}
		a.RefusalScore = score(float64(i))
		answers = append(answers, a)
	}
	answers[0].Refused, answers[1].Refused = true, true // 10 are given: the lowest fifth is q2 and q3
	answers[11].Model = "other"                         // and of these, which are one, itself; 9 are left: two are a fifth, rounded up
	verdict := func(i int, judge string, metric record.MetricName, mark record.Mark) *record.Verdict {
		v := &record.Verdict{Judge: judge, Metric: metric, Answer: answers[i].Digest(), Mark: mark, Status: record.Scored}
		if mark == "" {
			v.Status = record.Unscored
		}
		return v
	}
	control := verdict(8, "a", record.Faithfulness, "")
	control.Control = record.Padding
	doubt := Doubt(answers, []*record.Verdict{
		verdict(4, "a", record.Faithfulness, record.Yes), verdict(4, "b", record.Faithfulness, record.No), // they disagree
		verdict(5, "a", record.Faithfulness, record.Yes), verdict(5, "a", record.Relevance, record.No), // two metrics
		verdict(6, "a", record.Faithfulness, ""),                                                         // unscored
		verdict(7, "a", record.Faithfulness, record.No), verdict(7, "a", record.Faithfulness, record.No), // of one mind
		control,
	})
	var got []record.QuestionID
	for _, a := range answers {
		if doubt(a) {
			got = append(got, a.Question.ID)
		}
	}
	if d := cmp.Diff([]record.QuestionID{"q2", "q3", "q4", "q6", "q11"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
