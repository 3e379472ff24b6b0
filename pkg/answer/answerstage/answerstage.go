// Package answerstage is mr-answer as a library call: a filter from hits to answers.
//
//	f := answerstage.Filter{Engine: e, Passages: 5, Run: run}
//	err := f.Stream(ctx, in, out) // a stage.Func
package answerstage

import (
	"context"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// Filter answers the question of every hits record.
//
//   - Timing records pass. Any other type is an error that names its line.
//   - Answers come out in the order of their hits, for any Workers.
//   - An engine that fails gives an answer record with status error; Tally counts them.
type Filter struct {
	Engine   answer.Engine
	Passages int // the first so many hits are shown to the engine
	// Run is the provenance, which each output stream starts with.
	Run     *record.Run
	Workers int
	// Tick, if set, is called after each question.
	Tick func()

	mu    sync.Mutex
	tally Tally
}

// Tally is what became of the questions.
type Tally struct {
	Questions, Refused, Failed, Ungrounded, Dropped int
	// Reason is that of one failure.
	Reason string
}

// Tally sums up the questions seen so far.
func (f *Filter) Tally() Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tally
}

// Stream is the filter, a stage.Func.
func (f *Filter) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	return stage.Map(f.Run, f.Workers, f.one)(ctx, in, out)
}

func (f *Filter) one(ctx context.Context, rec record.Record) ([]record.Record, error) {
	switch rec := rec.(type) {
	case *record.Timing:
		return []record.Record{rec}, nil
	case *record.Hits:
		a, err := answer.Answer(ctx, f.Engine, rec, f.Passages)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, stage.Bad("%w", err)
		}
		f.count(a)
		return []record.Record{a}, nil
	}
	return nil, hint.Wrap(stage.Unexpected(rec, "a hits record"), "search first: mr-embed -as question | mr-index search | mr-rerank | mr-answer")
}

func (f *Filter) count(a *record.Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tally.Questions++
	f.tally.Dropped += len(a.DroppedCitations)
	switch {
	case a.Status == record.Failed:
		f.tally.Failed++
		f.tally.Reason = a.Reason
	case a.Refused:
		f.tally.Refused++
	case a.Ungrounded:
		f.tally.Ungrounded++
	}
	if f.Tick != nil {
		f.Tick()
	}
}
