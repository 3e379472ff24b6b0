package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// control makes n control verdicts of judge j, the first misses of them wrong.
func control(metric record.MetricName, name string, expect record.Mark, n, misses int) []*record.Verdict {
	var all []*record.Verdict
	for i := range n {
		v := &record.Verdict{
			Key: "k", Question: record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%02d", i))}, System: "s", Judge: "j",
			Metric: metric, Answer: fmt.Sprint(i), Control: name, Expect: expect, Mark: expect, Status: record.Scored,
		}
		if i < misses {
			v.Mark = other(expect)
		}
		v.Claims = []record.Claim{{Claim: "It takes 3 minutes.", Supported: v.Mark}}
		if name == record.Altered {
			v.Planted = &record.Plant{Sentence: "It takes 3 minutes.", Was: "2", Now: "3"}
		}
		all = append(all, v)
	}
	return all
}

func other(m record.Mark) record.Mark {
	if m == record.Yes {
		return record.No
	}
	return record.Yes
}

// TestRule: the upper bound of Wilson's 95 % interval, z² = 3.8415: with none
// missed z²/(n+z²), which is 0.204 for 15; for one of n see pkg boot's TestWilson.
func TestRule(t *testing.T) {
	for _, tt := range []struct {
		n, misses int
		hi        float64
		want      record.Outcome
	}{
		{0, 0, math.NaN(), record.ControlNotEstablished},
		{14, 0, 0.2153, record.ControlNotEstablished},
		{14, 14, 1, record.ControlNotEstablished},
		{15, 0, 0.2039, record.ControlOK},
		{15, 1, 0.2982, record.ControlFailed},
		{18, 0, 0.1759, record.ControlOK},
		{18, 1, 0.2576, record.ControlFailed},
		{19, 1, 0.2464, record.ControlOK},
		{20, 1, 0.2361, record.ControlOK},
		{20, 2, 0.3010, record.ControlFailed},
		{20, 20, 1, record.ControlFailed},
		{26, 2, 0.2414, record.ControlOK},
	} {
		c := find(t, Fold(control(record.Relevance, record.OtherAnswer, record.No, tt.n, tt.misses)), record.Relevance, record.OtherAnswer, tt.n > 0)
		if c == nil {
			continue
		}
		if c.OK != tt.want || c.N != tt.n || c.Misses != tt.misses || math.Abs(*c.Hi-tt.hi) > 1e-4 {
			t.Errorf("%d of %d missed: %s, n %d, misses %d, upper bound %.4f; want %s and %.4f", tt.misses, tt.n, c.OK, c.N, c.Misses, *c.Hi, tt.want, tt.hi)
		}
		if (c.OK == record.ControlOK) != (c.Reason == "") {
			t.Errorf("%d of %d missed: %s with reason %q", tt.misses, tt.n, c.OK, c.Reason)
		}
	}
}

func find(t *testing.T, all []*record.Control, metric record.MetricName, name string, must bool) *record.Control {
	t.Helper()
	for _, c := range all {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if c.Metric == metric && c.Control == name {
			return c
		}
	}
	if must {
		t.Errorf("no control %s of %s", name, metric)
	}
	return nil
}

// TestFoldNames: what a judge was asked for has all its controls, drawn or not.
func TestFoldNames(t *testing.T) {
	var got []string
	verdicts := append(control(record.Relevance, record.Padding, record.Yes, 20, 0), control(record.Faithfulness, record.Verbatim, record.Yes, 20, 0)...)
	verdicts[0].Judge, verdicts[0].Control, verdicts[0].Expect = "another", "", ""
	for _, c := range Fold(verdicts) {
		got = append(got, fmt.Sprintf("%s %s %s: %s", c.Judge, c.Metric, c.Control, c.OK))
	}
	open := ": not established"
	want := []string{
		"another relevance other-answer" + open, "another relevance key-facts" + open, "another relevance padding" + open, "another relevance injection" + open,
		"j faithfulness made-up" + open, "j faithfulness random-passages" + open, "j faithfulness altered" + open, "j faithfulness verbatim: yes",
		"j faithfulness padding" + open, "j faithfulness injection" + open,
		"j supported-claims made-up" + open, "j supported-claims random-passages" + open, "j supported-claims altered" + open, "j supported-claims verbatim: yes",
		"j supported-claims padding" + open, "j supported-claims injection" + open,
		"j relevance other-answer" + open, "j relevance key-facts" + open, "j relevance padding: yes", "j relevance injection" + open,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFold(t *testing.T) {
	unscored := func(all []*record.Verdict, n int) []*record.Verdict {
		for _, v := range all[:n] {
			v.Status, v.Mark, v.Reason = record.Unscored, "", "timed out"
		}
		return all
	}
	half := control(record.Faithfulness, record.MadeUp, record.No, 20, 0)
	for _, v := range half { // rejected, with 2 of 3 claims called supported
		v.Claims = append(v.Claims, record.Claim{Claim: "a", Supported: record.Yes}, record.Claim{Claim: "b", Supported: record.Yes})
	}
	coarse := control(record.Faithfulness, record.Altered, record.No, 20, 0)
	for _, v := range coarse[:2] { // another claim is rejected
		v.Claims = []record.Claim{{Claim: "It takes 3 minutes.", Supported: record.Yes}, {Claim: "There is a log.", Supported: record.No}}
	}
	again := control(record.Relevance, record.OtherAnswer, record.No, 40, 2)
	for i, v := range again {
		v.Repeat = i % 2
	}
	for _, tt := range []struct {
		name     string
		verdicts []*record.Verdict
		metric   record.MetricName
		want     record.Control
	}{
		{"all right", control(record.Faithfulness, record.MadeUp, record.No, 20, 0), record.Faithfulness,
			record.Control{Control: record.MadeUp, Expect: "no", Got: "no 20", N: 20, OK: record.ControlOK}},
		{"failed", control(record.Faithfulness, record.MadeUp, record.No, 20, 5), record.Faithfulness,
			record.Control{Control: record.MadeUp, Expect: "no", Got: "no 15, yes 5", N: 20, Misses: 5, OK: record.ControlFailed,
				Reason: "5 of 20 missed, up to 0.469 of all, and more than 0.25 is too many"}},
		{"unscored are not counted", unscored(control(record.Faithfulness, record.Verbatim, record.Yes, 20, 0), 3), record.Faithfulness,
			record.Control{Control: record.Verbatim, Expect: "yes", Got: "yes 17", N: 17, OK: record.ControlOK, Reason: "3 of 20 unscored: timed out 3"}},
		{"too many unscored", unscored(control(record.Faithfulness, record.Verbatim, record.Yes, 20, 0), 6), record.Faithfulness,
			record.Control{Control: record.Verbatim, Expect: "yes", Got: "yes 14", N: 14, OK: record.ControlNotEstablished,
				Reason: "14 scored items, 15 are needed; 0 missed; 6 of 20 unscored: timed out 6"}},
		{"the wrong claim rejected", coarse, record.Faithfulness,
			record.Control{Control: record.Altered, Expect: "no, and the altered claim rejected", Got: "no 20", N: 20, Misses: 2, OK: record.ControlFailed,
				Reason: "2 of 20 missed, up to 0.301 of all, and more than 0.25 is too many; rejected, but not for the altered claim 2"}},
		{"most claims supported, by the mark", half, record.Faithfulness,
			record.Control{Control: record.MadeUp, Expect: "no", Got: "no 20", N: 20, OK: record.ControlOK}},
		{"most claims supported, by the share", half, record.SupportedClaims,
			record.Control{Control: record.MadeUp, Expect: "no, and at most half of the claims supported", Got: "no 20", N: 20, Misses: 20, OK: record.ControlFailed,
				Reason: "20 of 20 missed, up to 1.000 of all, and more than 0.25 is too many; more than half of the claims called supported 20"}},
		{"repeats do not add to n", again, record.Relevance,
			record.Control{Control: record.OtherAnswer, Expect: "no", Got: "no 19, yes 1", N: 20, Misses: 1, OK: record.ControlOK}},
		{"moved by padding", control(record.Relevance, record.Padding, record.No, 20, 9), record.Relevance,
			record.Control{Control: record.Padding, Expect: "the mark without it", Got: "from no to yes 9, the same 11", N: 20, Misses: 9, OK: record.ControlFailed,
				Reason: "9 of 20 missed, up to 0.658 of all, and more than 0.25 is too many"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Metric, tt.want.Judge = tt.metric, "j"
			got := find(t, Fold(tt.verdicts), tt.metric, tt.want.Control, true)
			if d := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(record.Control{}, "Base", "Value", "Lo", "Hi")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRejects(t *testing.T) {
	const sentence = "Set retries to 13 in config.yaml, which must not be empty."
	for _, tt := range []struct {
		name, now string
		claims    string // - rejected, + supported
		want      bool
	}{
		{"the sentence", "13", "-" + sentence, true},
		{"accepted", "13", "+" + sentence, false},
		{"a part of it", "13", "-Retries is set to 13.|+config.yaml must not be empty.", true},
		{"the other part", "13", "+Retries is set to 13.|-The file lies elsewhere.", false},
		{"another number that holds it", "13", "-Port 8130 is open.|+" + sentence, false},
		{"its word in another claim", "not", "-It does not run on Sundays.|+" + sentence, false},
		{"said in other words", "13", "-The number of retries in config.yaml is thirteen.|+A log is written.", true},
		{"nothing planted but left out", "", "-" + sentence + "|+A log is written.", true},
		{"nothing in common", "13", "-A log is written.", false},
		{"no claim", "13", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var claims []record.Claim
			for _, c := range strings.Split(tt.claims, "|") {
				if c == "" {
					continue
				}
				supported := record.Yes
				if c[0] == '-' {
					supported = record.No
				}
				claims = append(claims, record.Claim{Claim: c[1:], Supported: supported})
			}
			if got := rejects(claims, &record.Plant{Sentence: sentence, Was: "3", Now: tt.now}); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if rejects([]record.Claim{{Claim: "a", Supported: record.No}}, nil) {
		t.Error("nothing is known to be planted, and it was found")
	}
}

func TestFamily(t *testing.T) {
	for judge, want := range map[string]string{
		"ollama:qwen2.5:14b": "qwen", "ollama:qwen3:8b": "qwen", "ollama:mistral-small:24b": "mistral", "ollama:llama3.1:8b": "llama",
		"ollama:hf.co/Qwen/Qwen2.5-7B-GGUF:Q4": "qwen", "claude-cli:claude-opus-4-1": "claude", "claude-cli:opus": "claude",
		"lexical": "lexical", "lexical+ce": "lexical", "ollama:4x": "4x", "": "",
		"qwen2.5:14b": "qwen", "Ollama:Qwen2.5:14b": "qwen", "llama3": "llama", "mistral-small:24b": "mistral", "ollama:mixtral:8x7b": "mistral",
		"ollama:deepseek-r1-distill-qwen:7b": "qwen", "ollama:codellama:7b": "llama", "ollama:gemma2:9b": "gemma", "ollama:smollm2:135m": "smollm",
	} {
		if got := Family(judge); got != want {
			t.Errorf("%s: %s, want %s", judge, got, want)
		}
	}
}

// verdict is one of judge j on question q.
func verdict(judge, question, answer string, repeat int, mark record.Mark) *record.Verdict {
	v := &record.Verdict{
		Key: "k", Question: record.QuestionRef{ID: record.QuestionID(question)}, System: "two-stage", Model: "extract", Judge: judge, AskedFor: record.Fact,
		Metric: record.Faithfulness, Answer: answer, Repeat: repeat, Mark: mark, Status: record.Scored,
	}
	if mark == "" {
		v.Status, v.Reason = record.Unscored, "refused"
	}
	return v
}

func TestScores(t *testing.T) {
	yes := verdict("a", "q1", "d1", 0, record.Yes)
	yes.Claims = []record.Claim{{Supported: record.Yes}, {Supported: record.Yes}}
	no := verdict("a", "q1", "d1", 1, record.No)
	no.Claims = []record.Claim{{Supported: record.Yes}, {Supported: record.No}, {Supported: record.Yes}, {Supported: record.Yes}}
	relevant := verdict("b", "q1", "d1", 0, record.Yes)
	relevant.Metric = record.Relevance
	made := control(record.Faithfulness, record.MadeUp, record.No, 1, 0)[0]
	var got []string
	for _, s := range Scores([]*record.Verdict{yes, made, no, relevant, verdict("a", "q2", "d2", 0, ""), verdict("a", "q3", "d3", 0, record.Yes)}) {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		value := "–"
		if s.Value != nil {
			value = fmt.Sprint(*s.Value)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %s of %v %s %s", s.Question.ID, s.System, s.Judge, s.Metric, value, s.Of, s.Reason, s.AskedFor))
	}
	want := []string{
		"q1 two-stage/extract a faithfulness 1 of 0  fact", "q1 two-stage/extract a supported-claims 1 of 2  fact",
		"q1 two-stage/extract a faithfulness 0 of 0  fact", "q1 two-stage/extract a supported-claims 0.75 of 4  fact",
		"q1 two-stage/extract b relevance 1 of 0  fact",
		"q2 two-stage/extract a faithfulness – of 0 refused fact", "q2 two-stage/extract a supported-claims – of 0 refused fact",
		"q3 two-stage/extract a faithfulness 1 of 0  fact", "q3 two-stage/extract a supported-claims – of 0 the judge names no claim fact",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPairs(t *testing.T) {
	const qwen, other = "ollama:qwen2.5:14b", "lexical"
	verdicts := []*record.Verdict{
		verdict(qwen, "q1", "d1", 0, record.Yes), verdict(qwen, "q1", "d1", 1, record.No), verdict(qwen, "q1", "d1", 2, record.Yes),
		verdict(other, "q1", "d1", 0, record.No),
		verdict(qwen, "q2", "d2", 0, record.No), verdict(other, "q2", "d2", 0, ""),
		verdict(qwen, "q3", "d3", 0, record.Yes), verdict(other, "q3", "d3", 0, record.Yes),
		control(record.Faithfulness, record.MadeUp, record.No, 1, 0)[0],
	}
	of := func(question, answer, rater string, faithful label.Choice, opened ...string) label.Label {
		return label.Label{Question: record.QuestionID(question), System: "two-stage/extract", Answer: answer, Rater: rater, Faithful: faithful, Opened: opened}
	}
	weighted := of("q3", "d3", "Ada", label.No, "ollama:qwen3:8b")
	weighted.Weight = 2.5
	labels := []label.Label{
		of("q1", "d1", "Ada", label.No), of("q1", "d1", "Ada", label.Yes), // the later one stands
		of("q2", "d2", "Ada", label.CantTell), weighted,
		of("q1", "d1", "Bob", label.Yes, "lexical+ce"), of("q3", "d3", "Bob", label.Yes, qwen),
		of("q2", "old", "Ada", label.Yes), of("q9", "d9", "Bob", label.Yes),
	}
	pairs, warnings := Pairs(verdicts, labels)
	var got []string
	for _, p := range pairs {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		got = append(got, fmt.Sprintf("%s %s: %s %s, %s %s, %v %v", p.Question.ID, p.System, p.RaterA, p.MarkA, p.RaterB, p.MarkB, p.Independent, p.Weight))
	}
	s := " two-stage/extract: "
	want := []string{
		"q1" + s + qwen + " yes, " + qwen + ", again no, true 0",
		"q1" + s + qwen + " yes, " + qwen + ", again yes, true 0",
		"q1" + s + qwen + " no, " + qwen + ", again yes, true 0",
		"q1" + s + qwen + " yes, lexical no, true 0",
		"q3" + s + qwen + " yes, lexical yes, true 0",
		"q1" + s + qwen + " yes, Ada yes, true 0",
		"q3" + s + qwen + " yes, Ada no, false 2.5", // Ada opened a reading of qwen3
		"q1" + s + "lexical no, Ada yes, true 0",
		"q3" + s + "lexical yes, Ada no, true 2.5",
		"q1" + s + "Ada yes, Bob yes, true 0",
		"q3" + s + "Ada no, Bob yes, false 2.5", // both opened one of qwen
		"q1" + s + qwen + " yes, Bob yes, true 0",
		"q3" + s + qwen + " yes, Bob yes, false 0",
		"q1" + s + "lexical no, Bob yes, false 0", // lexical+ce is of the family
		"q3" + s + "lexical yes, Bob yes, true 0",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{
		`stale label: question "q2", system "two-stage/extract", by Ada: the answer or its passages have changed since, so it is not used`,
		`label without a verdict: question "q9", system "two-stage/extract", by Bob: no judge was given this answer, so it is not used`,
		`1 labels say "can't tell" of a metric, and pair with nothing there`,
	}, warnings); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
