package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Results is what the streams hold.
type Results struct {
	// Parts are of the headline half, of all questions, of the tune half, those that are there.
	Parts []*Part
	// Runs are all runs, those of inputs too: each once, and what it read before it.
	Runs    []*record.Run
	Timings []*record.Timing
	Golden  []*record.Golden
	// Passages and Sections are counted where passage records came.
	Passages, Sections int
}

// Part is what was found on one part of the golden set.
type Part struct {
	Half      golden.Half
	Scores    []*record.Score
	Controls  []*record.Control
	Intervals []*record.Interval
	// Pairs and Verdicts are of judges and people.
	Pairs    []*record.Pair
	Verdicts []*record.Verdict
	// Scored and Estimated are the runs of the score and of the interval records, each once.
	Scored, Estimated []*record.Run

	focus record.SystemName // the one that lists are of; "" is the best
}

// Read reads score, control, interval, pair, verdict and timing records, and
// passage and golden records to count them.
func Read(in *record.Reader) (*Results, error) {
	c := collector{out: &Results{}, parts: map[golden.Half]*Part{}, seen: map[string]record.Pos{}, at: map[*record.Interval]record.Pos{}, runs: map[string]bool{}, sections: map[record.SectionID]bool{}}
	for in.Scan() {
		if err := c.add(in.Record(), in.Run(), in.Pos()); err != nil {
			in.Reject(err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	c.out.Sections = len(c.sections)
	for _, half := range halves {
		if p := c.parts[half]; p != nil {
			c.out.Parts = append(c.out.Parts, p)
		}
	}
	if err := c.out.check(); err != nil {
		return nil, err
	}
	return c.out, c.claims()
}

// halves are in the order of a page.
var halves = []golden.Half{golden.Headline, golden.All, golden.Tune}

type collector struct {
	out      *Results
	parts    map[golden.Half]*Part
	seen     map[string]record.Pos
	at       map[*record.Interval]record.Pos
	runs     map[string]bool
	sections map[record.SectionID]bool
}

func (c *collector) add(rec record.Record, run *record.Run, pos record.Pos) error {
	part := func() *Part { return c.part(halfOf(run)) }
	switch rec := rec.(type) {
	case *record.Run:
		if half := halfOf(rec); !slices.Contains(halves, half) {
			return fmt.Errorf("a run of mr-score has half %q, expected tune, headline or all", half)
		}
		return c.addRun(rec)
	case *record.End:
	case *record.Score:
		p := part()
		p.Scores, p.Scored = append(p.Scores, rec), with(p.Scored, run)
	case *record.Control:
		p := part()
		if c.passedOn(rec, p.Half) {
			return nil
		}
		if why := boot.Contradiction(rec); rec.OK == record.ControlOK && why != "" {
			rec.OK, rec.Reason = record.ControlFailed, "it says yes, but "+why
		}
		p.Controls = append(p.Controls, rec)
		return c.once(pos, "control %q of metric %q, system %q, judge %q (half %s)", rec.Control, rec.Metric, rec.System, rec.Judge, p.Half)
	case *record.Interval:
		p := part()
		c.at[rec] = pos
		p.Intervals, p.Estimated = append(p.Intervals, rec), with(p.Estimated, run)
		return c.once(pos, "interval of metric %q, system %q, baseline %q, judge %q, stat %q, kind %q (half %s)", rec.Metric, rec.System, rec.Baseline, rec.Judge, rec.Stat, rec.AskedFor, p.Half)
	case *record.Pair:
		p := part()
		p.Pairs = append(p.Pairs, rec)
	case *record.Verdict:
		p := part()
		p.Verdicts = append(p.Verdicts, rec)
		return c.once(pos, "verdict %d of judge %q on %s of question %q, control %q, answer %.12s (half %s)", rec.Repeat, rec.Judge, rec.Metric, rec.Question.ID, rec.Control, rec.Answer+string(rec.System)+rec.Model, p.Half)
	case *record.Timing:
		c.out.Timings = append(c.out.Timings, rec)
	case *record.Passage:
		c.out.Passages++
		c.sections[rec.Section] = true
	case *record.Golden:
		c.out.Golden = append(c.out.Golden, rec)
		return c.once(pos, "golden question %q", rec.ID)
	default:
		return hint.Wrap(fmt.Errorf("expected score, control, interval, pair, verdict, timing, passage and golden records, got a %s record", rec.Kind()),
			"score hits with mr-score retrieval, then give its output and that of mr-boot")
	}
	return nil
}

// passedOn says whether a judge's control came before as it is now: mr-score
// agreement passes on those of mr-judge, and both may be given.
func (c *collector) passedOn(rec *record.Control, half golden.Half) bool {
	if rec.Judge == "" {
		return false
	}
	plain := *rec
	plain.Extra = nil // each says what it stands behind: verdicts there, scores here
	key, err := json.Marshal(&plain, json.Deterministic(true))
	what := string(half) + string(key)
	if _, ok := c.seen[what]; ok || err != nil {
		return ok
	}
	c.seen[what] = record.Pos{}
	return false
}

// once is an error where the same thing came before: two runs of a tool cannot both be right.
func (c *collector) once(pos record.Pos, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if at, ok := c.seen[what]; ok {
		return hint.Wrap(fmt.Errorf("%s came before, at %v", what, at), "give the output of one run of each tool for a half")
	}
	c.seen[what] = pos
	return nil
}

func (c *collector) part(half golden.Half) *Part {
	p := c.parts[half]
	if p == nil {
		p = &Part{Half: half}
		c.parts[half] = p
	}
	return p
}

// addRun adds a run behind those it read, each once.
func (c *collector) addRun(run *record.Run) error {
	for _, in := range run.Inputs {
		if err := c.addRun(in); err != nil {
			return err
		}
	}
	key, err := digest(run)
	if err == nil && !c.runs[key] {
		c.runs[key] = true
		c.out.Runs = append(c.out.Runs, run)
	}
	return err
}

// digest is equal for equal runs.
func digest(run *record.Run) (string, error) {
	raw, err := json.Marshal(run, json.Deterministic(true))
	return string(raw), err
}

func with(runs []*record.Run, run *record.Run) []*record.Run {
	if run == nil || slices.Contains(runs, run) {
		return runs
	}
	return append(runs, run)
}

// halfOf is the half that a stream is about: the run of mr-score says it.
func halfOf(run *record.Run) golden.Half {
	if scored := scoredBy(run); scored != nil {
		return golden.Half(cmp.Or(scored.Flags["half"], string(golden.All)))
	}
	return golden.All
}

// scoredBy is the run of mr-score behind a run, nil if there is none.
func scoredBy(run *record.Run) *record.Run {
	if run == nil {
		return nil
	}
	if strings.HasPrefix(run.Tool, "mr-score") {
		return run
	}
	for _, in := range run.Inputs {
		if found := scoredBy(in); found != nil {
			return found
		}
	}
	return nil
}

// check is nil where the streams belong together.
func (r *Results) check() error {
	if len(r.Parts) == 0 {
		return hint.Wrap(errors.New("no score, control or interval record came: there is nothing to report"),
			"mr-report -o report.md scores.jsonl intervals.jsonl")
	}
	var first *record.Run
	for _, p := range r.Parts {
		for _, run := range p.Scored {
			switch {
			case run.Commit == "":
			case first == nil:
				first = run
			case first.Commit != run.Commit:
				return hint.Wrap(fmt.Errorf("scores of two corpora came, of commits %s and %s", first.Commit, run.Commit), "make a report for each")
			}
		}
		if err := p.fresh(); err != nil {
			return err
		}
	}
	return nil
}

// fresh is nil unless the intervals are known to be of other scores than those that are here.
func (p *Part) fresh() error {
	var read []string
	for _, run := range p.Estimated {
		for _, in := range run.Inputs {
			key, err := digest(in)
			if err != nil {
				return err
			}
			read = append(read, key)
		}
	}
	if len(read) == 0 {
		return nil
	}
	for _, run := range p.Scored {
		key, err := digest(run)
		if err != nil {
			return err
		}
		if !slices.Contains(read, key) {
			return hint.Wrap(fmt.Errorf("the intervals (half %s) are not of these scores: %s ran with other flags or inputs than when they were computed", p.Half, run.Tool),
				"run mr-boot again on the scores that you give to mr-report")
		}
	}
	return nil
}
