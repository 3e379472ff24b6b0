// Package embedstage is mr-embed as a library call: a filter that gives every
// passage or question of a stream its vector.
//
//	f := embedstage.Filter{Embedder: e, As: embedstage.Questions, Run: run}
//	err := f.Stream(ctx, in, out) // a stage.Func
package embedstage

import (
	"context"
	"runtime"
	"sync"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// Kind is what the records of a stream are embedded as.
type Kind string

// The kinds.
const (
	Passages  Kind = "passage"
	Questions Kind = "question"
)

// Filter gives every record of a stream its vector.
//
//   - As Passages it takes passage records and changes nothing but the vector,
//     which is computed anew where there was one.
//   - As Questions it takes question records, likewise, and golden records, of
//     which it keeps id and text alone: gold goes no further.
//   - Timing records pass. Any other type is an error that names its line.
//   - Records come out in the order they came in, the same bytes for any Workers.
type Filter struct {
	Embedder embed.Embedder
	As       Kind
	Context  embed.Context // of passages
	// Instruction stands in front of questions.
	Instruction string
	// Run is the provenance, which each output stream starts with; its models are set.
	Run *record.Run
	// Workers is the number of texts at once; 0 is GOMAXPROCS, at most MaxWorkers.
	Workers int
	// Timing adds timing records at the end of each stream. Questions then run one
	// after another where Workers is 0: their seconds are those of one alone.
	Timing bool
	// Tick, if set, is called after each text.
	Tick func()

	mu   sync.Mutex
	long Long
}

// MaxWorkers bounds the default number of workers: each holds up to 35 MB.
const MaxWorkers = 12

// Long is what was said of texts longer than the model reads.
type Long struct {
	// Texts is how many there were, of All.
	Texts, All int
	// ID is the longest, the first by id of several, with Tokens tokens.
	ID     string
	Tokens int
}

// Long sums up the texts seen so far.
func (f *Filter) Long() Long {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.long
}

// Stream is the filter, a stage.Func.
func (f *Filter) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	run := *f.Run
	run.Models = []record.Model{f.Embedder.Model()}
	fn := stage.Map(&run, f.workers(), f.one)
	if f.Timing {
		fn = f.timed(run.Tool, fn)
	}
	return fn(ctx, in, out)
}

func (f *Filter) workers() int {
	switch {
	case f.Workers > 0:
		return f.Workers
	case f.Timing && f.As == Questions:
		return 1
	}
	return min(runtime.GOMAXPROCS(0), MaxWorkers)
}

// one embeds one record.
func (f *Filter) one(ctx context.Context, rec record.Record) ([]record.Record, error) {
	var out record.Record
	var id string
	var emb embed.Embedding
	var err error
	switch rec := rec.(type) {
	case *record.Timing:
		return []record.Record{rec}, nil
	case *record.Passage:
		if f.As != Passages {
			return nil, f.unexpected(rec)
		}
		id = string(rec.ID)
		out, emb, err = embed.Passage(ctx, f.Embedder, rec, f.Context)
	case *record.Question, *record.Golden:
		if f.As != Questions {
			return nil, f.unexpected(rec)
		}
		q := asQuestion(rec)
		id = string(q.ID)
		out, emb, err = embed.Question(ctx, f.Embedder, q, f.Instruction)
	default:
		return nil, f.unexpected(rec)
	}
	if err != nil {
		return nil, err
	}
	f.saw(id, emb)
	if f.Timing {
		return []record.Record{out, item(emb)}, nil
	}
	return []record.Record{out}, nil
}

// asQuestion is the question alone of a record that has one.
func asQuestion(rec record.Record) *record.Question {
	if g, ok := rec.(*record.Golden); ok {
		return g.AsQuestion()
	}
	return rec.(*record.Question)
}

func (f *Filter) unexpected(rec record.Record) error {
	want, other := "a passage", Questions
	if f.As == Questions {
		want, other = "a question or golden record", Passages
	}
	err := stage.Unexpected(rec, want)
	switch rec.(type) {
	case *record.Passage, *record.Question, *record.Golden:
		return hint.Wrap(err, "run mr-embed -as %s", other)
	}
	return err
}

func (f *Filter) saw(id string, emb embed.Embedding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.long.All++
	if emb.Cut {
		f.long.Texts++
		if emb.Tokens > f.long.Tokens || emb.Tokens == f.long.Tokens && id < f.long.ID {
			f.long.ID, f.long.Tokens = id, emb.Tokens
		}
	}
	if f.Tick != nil {
		f.Tick()
	}
}
