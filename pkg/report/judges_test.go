package report

import (
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/lexical"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

const lexicalScore = `{"type":"score","question":{"id":"q1"},"system":"s","judge":"lexical","metric":"faithfulness","value":1,"status":"scored"}` + "\n"

// TestAttribution: a judge without a model has its figures on claims that others
// labelled, whatever its controls say; another judge has none.
func TestAttribution(t *testing.T) {
	f, ok := lexical.Measured("lexical")
	if !ok {
		t.Fatal("no figures of lexical are committed")
	}
	page, _ := makePage(t, []byte(lexicalScore))
	if want := "| lexical | " + f.Collection; !strings.Contains(page, want) || !strings.Contains(page, decimal(f.AUC)) || !strings.Contains(page, decimal(f.MacroF1)) {
		t.Errorf("the page does not show the figures:\n%s", page)
	}
	page, _ = makePage(t, []byte(strings.Replace(lexicalScore, "lexical", "ollama:x", 1)))
	if strings.Contains(page, f.Collection) {
		t.Error("the figures of another judge are shown")
	}
}

// TestJudgeWithoutControls: marks alone are no figure, and it is said.
func TestJudgeWithoutControls(t *testing.T) {
	const interval = `{"type":"interval","metric":"faithfulness","system":"s","judge":"lexical","stat":"mean","n":1,"n_unscored":0,"n_error":0,"value":1,"level":0.95,"trusted":true}` + "\n"
	leaks := strings.ReplaceAll(`{"type":"control","metric":"faithfulness","judge":"lexical","control":"leaks","expect":"0 leaks","got":"0 leaks","n":60,"ok":"yes"}`, "\n", "") + "\n"
	for _, tt := range []struct{ name, in, want string }{
		{"none", lexicalScore + interval, "**untrusted**: no controls seen"},
		{"one", leaks + lexicalScore + interval, "**untrusted**: controls that must stand behind it were not seen: made-up, random-passages, altered, verbatim, padding, injection"},
	} {
		page, _ := makePage(t, []byte(tt.in))
		if !strings.Contains(page, tt.want) || !strings.Contains(page, "**untrusted**: not seen: ") {
			t.Errorf("%s: the page does not say %q:\n%s", tt.name, tt.want, page)
		}
	}
}

// TestPooledPairs: with several systems the pairs of all of them together have a line too.
func TestPooledPairs(t *testing.T) {
	pair := func(system, a, b string) string {
		return `{"type":"pair","question":{"id":"q1"},"system":"` + system + `","metric":"relevance","rater_a":"j","rater_b":"Ada","mark_a":"` + a + `","mark_b":"` + b + `","independent":true}` + "\n"
	}
	kappa := func(system string) string {
		return `{"type":"interval","metric":"relevance","system":"` + system + `","judge":"j and Ada","stat":"kappa","n":1,"n_unscored":0,"n_error":0,"level":0.95,"trusted":false,"reason":"undefined (one label only)"}` + "\n"
	}
	score := strings.Replace(strings.Replace(lexicalScore, "lexical", "j", 1), "faithfulness", "relevance", 1)
	page, _ := makePage(t, []byte(score+pair("s", "yes", "yes")+pair("t", "no", "yes")+kappa("s")+kappa("t")+kappa("all")))
	for _, want := range []string{
		"| relevance | j | Ada | s | 1 | 1 | 1 | 0 | 0 | 0 |", "| relevance | j | Ada | t | 1 | 1 | 0 | 0 | 1 | 0 |", "| relevance | j | Ada | all | 2 | 2 | 1 | 0 | 1 | 0 |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}

// TestBeliedControl: a control that says yes against its own numbers has failed, as for mr-boot.
func TestBeliedControl(t *testing.T) {
	const control = `{"type":"control","metric":"faithfulness","judge":"lexical","control":"made-up","expect":"no","got":"no 18, yes 2","n":20,"misses":2,"ok":"yes"}` + "\n"
	page, _ := makePage(t, []byte(control+lexicalScore))
	if !strings.Contains(page, "**broken**: made-up") || !strings.Contains(page, "it says yes, but 2 of 20 are wrong") {
		t.Errorf("the page believes the control:\n%s", page)
	}
}

// TestGlanceHeedsTheFigures: controls that pass do not stand at the top of a page
// whose figures are withheld because the controls are of other marks.
func TestGlanceHeedsTheFigures(t *testing.T) {
	in := lexicalScore
	for _, name := range record.JudgeControls(record.Faithfulness) {
		in += `{"type":"control","metric":"faithfulness","judge":"lexical","control":"` + name + `","expect":"x","got":"x","n":20,"ok":"yes"}` + "\n"
	}
	const interval = `{"type":"interval","metric":"faithfulness","system":"s","judge":"lexical","stat":"mean","n":1,"n_unscored":0,"n_error":0,"level":0.95,`
	for says, want := range map[string]string{
		`"value":1,"trusted":true}`:                                         "| lexical | controls pass |",
		`"trusted":false,"reason":"its controls stand behind other marks"}`: "| lexical | **untrusted**: see its marks |",
	} {
		if page, _ := makePage(t, []byte(in+interval+says+"\n")); !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}
