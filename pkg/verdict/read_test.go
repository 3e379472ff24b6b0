package verdict

import (
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// TestChecked: a control is of the verdicts that came, or there is no control.
func TestChecked(t *testing.T) {
	all := func() *input {
		in := &input{verdicts: append(control(record.Relevance, record.OtherAnswer, record.No, 20, 0), control(record.Relevance, record.Padding, record.Yes, 20, 3)...)}
		for _, v := range in.verdicts[30:40] { // answers, all of them no
			v.Control, v.Expect, v.Mark = "", "", record.No
		}
		in.controls = Fold(in.verdicts)
		return in
	}
	for _, tt := range []struct {
		name   string
		change func(*input)
		want   string // the beginning of the error, or the outcome of other-answer
	}{
		{"as they are", func(*input) {}, "yes"},
		{"an answer left out", func(in *input) { in.verdicts = in.verdicts[:39] }, `the controls of relevance and judge "j" are of other verdicts (40 verdicts, `},
		{"an answer's mark changed", func(in *input) { in.verdicts[39].Mark = record.Yes }, `the controls of relevance and judge "j" are of other verdicts (40 verdicts, `},
		{"another answer judged", func(in *input) { in.verdicts[39].Answer = "new" }, `the controls of relevance and judge "j" are of other verdicts (40 verdicts, `},
		{"the record of the control left out", func(in *input) { in.controls = in.controls[1:] }, "not established"},
		{"and the misses too", func(in *input) { in.controls, in.verdicts = nil, in.verdicts[3:] }, "not established"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := all()
			tt.change(in)
			controls, err := in.checked()
			got := ""
			for _, c := range controls {
				if c.Control == record.OtherAnswer {
					got = string(c.OK)
				}
			}
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestContradiction: a verdict is believed no mark against its own claims, and no
// control another mark than it must get.
func TestContradiction(t *testing.T) {
	yes, no := record.Claim{Claim: "a", Supported: record.Yes}, record.Claim{Claim: "b", Supported: record.No}
	for _, tt := range []struct {
		v    record.Verdict
		want string
	}{
		{record.Verdict{Metric: record.Faithfulness, Mark: record.Yes, Claims: []record.Claim{yes}}, ""},
		{record.Verdict{Metric: record.Faithfulness, Mark: record.No, Claims: []record.Claim{yes, no}}, ""},
		{record.Verdict{Metric: record.Faithfulness, Mark: record.No}, ""},
		{record.Verdict{Metric: record.Relevance, Mark: record.Yes, Claims: []record.Claim{no}}, ""},
		{record.Verdict{Metric: record.Faithfulness, Mark: record.Yes, Claims: []record.Claim{yes, no}}, "mark yes, and 1 of 2 claims supported"},
		{record.Verdict{Metric: record.Faithfulness, Mark: record.No, Claims: []record.Claim{yes}}, "mark no, and 1 of 1 claims supported"},
		{record.Verdict{Metric: record.Relevance, Mark: record.Yes, Control: record.OtherAnswer, Expect: record.Yes}, "control other-answer expects yes, and must be no"},
		{record.Verdict{Metric: record.Relevance, Mark: record.No, Control: record.KeyFactsAnswer, Expect: record.No}, "control key-facts expects no, and must be yes"},
		{record.Verdict{Metric: record.Relevance, Mark: record.No, Control: record.Padding, Expect: record.No}, ""},
	} {
		tt.v.Status = record.Scored
		if got := contradiction(&tt.v); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.v, got, tt.want)
		}
	}
	if got := contradiction(&record.Verdict{Status: record.Unscored, Control: record.MadeUp}); got != "" {
		t.Errorf("without a mark: %q", got)
	}
}
