// Package judgestage is mr-judge as a library call: from answers to verdicts,
// with the controls of every judge.
package judgestage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/verdict"
)

// Stage judges a set of answers by several judges.
//
//   - The judges work one after another, so that two large models do not drive
//     each other out of memory; nothing is written until all are done.
//   - Out comes one stream: run, the verdicts on the real answers (by answer, then
//     judge, metric and repeat), those on the controls (by item, then judge), and
//     the control records. The same for any Workers.
type Stage struct {
	Files
	judge.Plan
	// Judges rule; Open opens the store of one, nil for none.
	Judges []judge.Judge
	Open   func(set, judge string) (*judge.Store, error)
	// Workers is how many items a judge is asked at once.
	Workers int
	// Run is the provenance; notes, inputs, models and prompts are filled in.
	Run *record.Run
	// Warn hears what a reader must know, Begin, if set, how many items a judge is
	// still to be asked about and how many calls that takes of a model, at most and
	// repair tries aside.
	Warn  func(format string, args ...any)
	Begin func(judge string, items, calls int)
	// Tick, if set, is called after each item.
	Tick func()
}

// Stream judges. The refusals are the controls that failed: the output is complete.
func (s *Stage) Stream(ctx context.Context, in *record.Reader, out *record.Writer) (refusals []error, err error) {
	read, err := s.read(in)
	if err != nil {
		return nil, err
	}
	drawn := judge.Draw(judge.Material{Answers: read.answers, Golden: s.gold, Corpus: s.corpus, MadeUp: s.madeUp}, s.Plan)
	s.warn(read, drawn)
	all := slices.Concat(drawn.Answers, drawn.Controls)
	rulings := make([][]*record.Verdict, len(s.Judges))
	for i, j := range s.Judges {
		if rulings[i], err = s.rule(ctx, j, judge.SetID(read.answers), all); err != nil {
			return nil, fmt.Errorf("%s: %w", j.Name(), err)
		}
	}
	return s.write(s.provenance(read), drawn, all, rulings, out)
}

// provenance is the run record: what judged, with which prompts, on what.
func (s *Stage) provenance(read *reading) *record.Run {
	run := *s.Run
	run.Seed, run.Commit, run.Notes = &s.Seed, s.corpus.Commit, read.notes
	run.Inputs = slices.Concat(s.corpus.Runs, read.runs)
	run.Prompts = judge.PromptHashes()
	for _, j := range s.Judges {
		run.Models = append(run.Models, record.Model{Name: j.Name(), SHA256: j.Model().SHA256})
		run.Prompts["version of "+j.Name()] = j.Version()
	}
	if len(s.madeUp) > 0 {
		run.Prompts["made-up answers"] = judge.SetID(s.madeUp)
	}
	return &run
}

// rule has one judge rule on all items.
func (s *Stage) rule(ctx context.Context, j judge.Judge, set string, items []*judge.Item) (verdicts []*record.Verdict, err error) {
	b := &judge.Bench{Judge: j, Workers: s.Workers, Tick: s.Tick}
	if s.Open != nil {
		if b.Store, err = s.Open(set, j.Name()); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, b.Store.Close()) }()
		if n := b.Store.Torn; n > 0 {
			s.Warn("%s: the last line was torn, %d bytes are cut off: its verdict is asked for again", b.Store.Path, n)
		}
	}
	if s.Begin != nil {
		missing, calls := b.Missing(items)
		s.Begin(j.Name(), missing, calls)
	}
	verdicts, err = b.Rule(ctx, items)
	if err != nil && b.Store != nil {
		err = hint.Wrap(err, "%s", orKept(hint.Of(err)))
	}
	return verdicts, err
}

// orKept is the hint an error has, or what is true of every run that is broken off.
func orKept(h string) string {
	if h != "" {
		return h
	}
	return "the verdicts that came are kept: run it again and it goes on from there"
}

// warn says what will be missing or doubtful.
func (s *Stage) warn(read *reading, drawn *judge.Drawn) {
	for _, note := range read.notes {
		s.Warn("%s", note)
	}
	for _, j := range s.Judges {
		for _, model := range read.models {
			if f := verdict.Family(j.Name()); f != "" && f == verdict.Family(model) {
				s.Warn("%s judges answers of %s: both are of the family %s, and judges favour their own", j.Name(), model, f)
			}
		}
	}
	n := map[string]int{}
	for _, it := range drawn.Controls {
		n[it.Control+" of "+string(it.Metric)]++
	}
	for _, m := range s.Metrics {
		for _, name := range record.JudgeControls(m) {
			if have := n[name+" of "+string(m)]; name != record.Leaks && have < 15 {
				s.Warn("the control %s of %s has %d items: under 15 it is not established, and no number of %s is trusted", name, m, have, m)
			}
		}
	}
}

// write writes the stream, and returns the controls that failed.
func (s *Stage) write(run *record.Run, drawn *judge.Drawn, all []*judge.Item, rulings [][]*record.Verdict, out *record.Writer) (refusals []error, err error) {
	if err := out.Start(run); err != nil {
		return nil, err
	}
	var verdicts []*record.Verdict
	perAnswer := len(s.Metrics) * s.Repeats
	for from := 0; from < len(all); {
		to := from + 1
		if from < len(drawn.Answers) {
			to = from + perAnswer
		}
		for _, ruling := range rulings {
			verdicts = append(verdicts, ruling[from:to]...)
		}
		from = to
	}
	for _, v := range verdicts {
		if err := out.Write(v); err != nil {
			return nil, err
		}
	}
	controls := verdict.Fold(verdicts)
	for _, j := range s.Judges {
		for _, leak := range drawn.Leaks {
			controls = append(controls, leak.Control(leak.Metric, j.Name()))
			if leak.Metric == record.Faithfulness {
				controls = append(controls, leak.Control(record.SupportedClaims, j.Name()))
			}
		}
	}
	for _, c := range controls {
		if err := out.Write(c); err != nil {
			return nil, err
		}
		if c.OK == record.ControlFailed {
			refusals = append(refusals, fmt.Errorf("%s is broken in %s: control %s wants %s, got %s", c.Judge, c.Metric, c.Control, c.Expect, c.Got))
		}
	}
	return refusals, out.End()
}
