package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// input is what the streams of mr-judge hold.
type input struct {
	verdicts []*record.Verdict
	controls []*record.Control
	runs     []*record.Run
	timings  []*record.Timing

	seen    map[string]record.Pos // of verdicts and controls
	answers map[string]judged     // by question and system
}

// judged is the answer that a verdict was on.
type judged struct {
	digest string
	pos    record.Pos
}

// read reads verdict and control records to their end; every bad one is named by its line.
func read(in *record.Reader) (*input, error) {
	all := &input{seen: map[string]record.Pos{}, answers: map[string]judged{}}
	for in.Scan() {
		var err error
		switch rec := in.Record().(type) {
		case *record.Run:
			err = all.run(rec)
		case *record.Timing:
			all.timings = append(all.timings, rec)
		case *record.End:
		case *record.Verdict:
			err = all.verdict(rec, in.Pos())
		case *record.Control:
			all.controls = append(all.controls, rec)
			err = all.once(in.Pos(), "control %s of %s and judge %q", rec.Control, rec.Metric, rec.Judge)
		default:
			err = fmt.Errorf("expected verdict and control records, got a %s record", rec.Kind())
		}
		if err != nil {
			in.Reject(err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(all.verdicts) == 0 {
		return nil, errors.New("nothing to compare: no verdict record came")
	}
	return all, nil
}

// run is nil if a stream is of the corpus of those before it.
func (in *input) run(run *record.Run) error {
	in.runs = append(in.runs, run)
	for _, first := range in.runs {
		if first.Commit != "" && run.Commit != "" && first.Commit != run.Commit {
			return hint.Wrap(fmt.Errorf("the stream is of corpus commit %q, one before of %q: their verdicts cannot stand side by side", run.Commit, first.Commit),
				"judge all answers over one corpus, or compare each by itself")
		}
	}
	return nil
}

func (in *input) verdict(v *record.Verdict, pos record.Pos) error {
	in.verdicts = append(in.verdicts, v)
	if err := in.once(pos, "verdict %d of judge %q on %s of question %q, system %q, control %q, answer %.12s", v.Repeat, v.Judge, v.Metric, v.Question.ID, SystemOf(v), v.Control, v.Answer); err != nil {
		return err
	}
	if why := contradiction(v); why != "" {
		return hint.Wrap(fmt.Errorf("the verdict of judge %q contradicts itself: %s", v.Judge, why), "give verdicts as mr-judge writes them")
	}
	if v.Control != "" {
		return nil
	}
	key := fmt.Sprintf("%q %q", v.Question.ID, SystemOf(v))
	if first, ok := in.answers[key]; ok && first.digest != v.Answer {
		return hint.Wrap(fmt.Errorf("the verdict is on another answer of system %q to question %q than the one at %v: the answer or its passages have changed", SystemOf(v), v.Question.ID, first.pos),
			"give the verdicts of one set of answers: run mr-judge again for the judges that have not seen it")
	} else if !ok {
		in.answers[key] = judged{v.Answer, pos}
	}
	return nil
}

// contradiction is how a verdict is belied by what it holds, "" if it is not.
func contradiction(v *record.Verdict) string {
	if v.Status != record.Scored {
		return ""
	}
	rejected := slices.ContainsFunc(v.Claims, func(c record.Claim) bool { return c.Supported != record.Yes })
	if v.Metric == record.Faithfulness && len(v.Claims) > 0 && rejected != (v.Mark == record.No) {
		return fmt.Sprintf("mark %s, and %d of %d claims supported", v.Mark, supported(v.Claims), len(v.Claims))
	}
	must := record.Mark("")
	switch v.Control {
	case record.MadeUp, record.RandomPassages, record.Altered, record.OtherAnswer:
		must = record.No
	case record.Verbatim, record.KeyFactsAnswer:
		must = record.Yes
	}
	if must != "" && v.Expect != must {
		return fmt.Sprintf("control %s expects %s, and must be %s", v.Control, v.Expect, must)
	}
	return ""
}

// once is an error where the same thing came before.
func (in *input) once(pos record.Pos, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if at, ok := in.seen[what]; ok {
		return hint.Wrap(fmt.Errorf("%s came before, at %v", what, at), "give each stream of mr-judge once, and one run of each judge")
	}
	in.seen[what] = pos
	return nil
}

// checked returns the controls that came, which must be those of the verdicts
// that came, and behind them those that the verdicts give and nobody wrote. Such
// do not pass: with them went what tells whether verdicts are missing.
func (in *input) checked() ([]*record.Control, error) {
	type key struct{ judge, metric, control string }
	name := func(c *record.Control) key { return key{c.Judge, string(c.Metric), c.Control} }
	came := map[key]*record.Control{}
	for _, c := range in.controls {
		came[name(c)] = c
	}
	all := in.controls
	var bad []error
	said := map[string]bool{}
	const whole = "give whole streams of mr-judge: a control stands with the verdicts that it was reckoned from"
	for _, want := range Fold(in.verdicts) {
		got := came[name(want)]
		switch {
		case got == nil:
			if want.OK == record.ControlOK {
				want.OK, want.Reason = record.ControlNotEstablished, also("its record did not come with the verdicts, of which some may be missing: give whole streams of mr-judge", want.Reason)
			}
			all = append(all, want)
		case got.OK != want.OK || got.N != want.N || got.Misses != want.Misses:
			bad = append(bad, hint.Wrap(fmt.Errorf("control %s of %s and judge %q says %s with %d of %d missed, its verdicts give %s with %d of %d", got.Control, got.Metric, got.Judge, got.OK, got.Misses, got.N, want.OK, want.Misses, want.N),
				whole))
		case boot.Sealed(got) != boot.Sealed(want):
			other := fmt.Sprintf("the controls of %s and judge %q are of other verdicts (%s) than came (%s): some were left out, added or changed", got.Metric, got.Judge, cmp.Or(boot.Sealed(got), "they do not say which"), boot.Sealed(want))
			if !said[other] {
				said[other] = true
				bad = append(bad, hint.Wrap(errors.New(other), whole))
			}
		}
	}
	return all, errors.Join(bad...)
}
