package score

import (
	"context"
	"errors"
	"fmt"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The metrics of reports; qrels add the share that is judged.
const (
	Metrics       = "recall@5,recall@20,MRR@10,nDCG@5,nDCG@10"
	GradedMetrics = Metrics + ",Judged@10"
)

// Retrieval scores ranked passages.
type Retrieval struct {
	// Set is the questions to score: the part of the golden set that lies in a half.
	Set    *golden.Set
	Corpus *golden.Corpus
	Suite  metric.Suite
	// Rankings is the number of random lists a question for the controls.
	Rankings int
	Seed     uint64
	// Ledger lists the systems that may be scored on headline questions; nil where there is none.
	Ledger *golden.Ledger
	// Run is the run record to write; commit, seed, inputs and notes are filled in.
	Run *record.Run
	// Warn is told what a user should know at once.
	Warn func(format string, args ...any)
}

// Stream reads hits and writes one stream: controls, scores, and the timings
// of the input. The refusals are reasons for a verdict of no: failed controls
// and hits that fell back; the stream is complete all the same.
func (r *Retrieval) Stream(ctx context.Context, in *record.Reader, out *record.Writer) (refusals []error, err error) {
	hits, err := r.read(in)
	if err != nil {
		return nil, err
	}
	if err := r.admit(hits); err != nil {
		return nil, err
	}
	questions, err := r.questions(hits)
	if err != nil {
		return nil, err
	}
	controls := &control.Retrieval{Suite: r.Suite, Questions: questions, Corpus: r.Corpus, Rankings: r.Rankings, Depth: max(1, hits.depth()), Seed: r.Seed}
	checks, err := controls.Run(ctx)
	if err != nil {
		return nil, err
	}
	scores := r.scores(hits, questions)

	run := *r.Run
	seed := r.Seed
	run.Commit, run.Seed, run.Inputs = r.Corpus.Commit, &seed, append(run.Inputs, hits.runs...)
	run.Notes = r.notes(hits, questions)
	if err := out.Start(&run); err != nil {
		return nil, err
	}
	for _, c := range checks {
		if err := out.Write(c); err != nil {
			return nil, err
		}
	}
	for _, s := range scores {
		if err := out.Write(s); err != nil {
			return nil, err
		}
	}
	for _, t := range hits.timings {
		if err := out.Write(t); err != nil {
			return nil, err
		}
	}
	return append(failed(checks), fellBack(hits)...), out.End()
}

// admit is nil unless headline questions are to be scored of a system that the ledger lacks.
func (r *Retrieval) admit(h *Hits) error {
	if r.Set.Half == golden.Tune || r.Ledger == nil {
		return nil
	}
	var bad []error
	for _, s := range h.systems {
		for _, recipe := range s.recipes {
			if recipe == "" {
				bad = append(bad, hint.Wrap(fmt.Errorf("the hits of system %q have no run record, so nothing says how they were made, and the headline half is closed to them", s.name),
					"score the stream as mr-index search or mr-rerank wrote it"))
				continue
			}
			bad = append(bad, r.Ledger.Admit(s.name, recipe))
		}
	}
	return errors.Join(bad...)
}

// questions are those that have gold. It is an error if no list is for any of them.
func (r *Retrieval) questions(h *Hits) ([]*golden.Question, error) {
	var all []*golden.Question
	met := false
	for _, q := range r.Set.Questions {
		if !q.Answerable() {
			continue
		}
		all = append(all, q)
		for _, s := range h.systems {
			met = met || s.lists[q.ID] != nil
		}
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("no question of the set (half %s) has gold: nothing can be scored", r.Set.Half)
	case !met:
		return nil, hint.Wrap(fmt.Errorf("the hits are for other questions: none of the %d to score is among them", len(all)),
			"compare the ids: the golden set's or qrels' first is %q", all[0].ID)
	}
	return all, nil
}

// failed are the controls that did.
func failed(checks []*record.Control) []error {
	var all []error
	for _, c := range checks {
		if c.OK == record.ControlFailed {
			all = append(all, fmt.Errorf("%s: control %s failed: expected %s, got %s (%s)", c.Metric, c.Control, c.Expect, c.Got, c.Reason))
		}
	}
	return all
}

func fellBack(h *Hits) []error {
	var all []error
	for _, s := range h.systems {
		n, why := 0, ""
		for _, l := range s.lists {
			if l.fallback != "" {
				n++
				if why == "" || l.fallback < why {
					why = l.fallback
				}
			}
		}
		if n > 0 {
			all = append(all, fmt.Errorf("%d of %d questions of system %s fell back to BM25: %s", n, len(s.lists), s.name, why))
		}
	}
	return all
}
