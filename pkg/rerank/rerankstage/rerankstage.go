// Package rerankstage is mr-rerank as a library call: a filter that reranks the
// hits of a stream.
//
//	f := rerankstage.Filter{Reranker: &r, Run: run}
//	err := f.Stream(ctx, in, out) // a stage.Func
package rerankstage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/fuse"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/rerank"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// Filter reranks hits records, in the order they come.
//
//   - Timing records pass. Any other type is an error that names its line.
//   - A stage that the recipe names and no hit of a stream carries is an error,
//     and that stream is left without its end; unless all its questions fell
//     back to BM25.
type Filter struct {
	Reranker *rerank.Reranker
	// Run is the provenance, which each output stream starts with; its models are set.
	Run *record.Run
	// Timing adds a timing record to each stream, with the seconds of each
	// question. Questions then run one after another, as a user would ask them.
	Timing bool
	// Tick, if set, is called after each question.
	Tick func()
}

// ahead is how many questions are worked on at once: one more than the one in
// front, so that no core waits for its last pairs. Scorers bound the runs.
const ahead = 2

// Stream is the filter, a stage.Func.
func (f *Filter) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	run := *f.Run
	run.Models = nil
	for _, s := range f.Reranker.Scorers {
		run.Models = append(run.Models, s.Model())
	}
	workers := ahead
	if f.Timing {
		workers = 1
	}
	seal := seal{recipe: f.Reranker.Recipe, timing: f.Timing}
	err := stage.Pipe(stage.Map(&run, workers, f.one), seal.stream)(ctx, in, out)
	if err == nil {
		err = seal.inErr
	}
	return err
}

// itemTool marks the timing of a single question, which travels behind its
// record, so that seal meets it in the stream it belongs to.
const itemTool = "mr-rerank, one question"

// one reranks one record.
func (f *Filter) one(ctx context.Context, rec record.Record) ([]record.Record, error) {
	switch rec := rec.(type) {
	case *record.Timing:
		return []record.Record{rec}, nil
	case *record.Hits:
		start := time.Now()
		out, err := f.Reranker.Rerank(ctx, rec)
		if errors.Is(err, rerank.ErrInput) {
			return nil, &stage.InputError{Err: err}
		}
		if err != nil {
			return nil, err
		}
		if f.Tick != nil {
			f.Tick()
		}
		if !f.Timing {
			return []record.Record{out}, nil
		}
		return []record.Record{out, &record.Timing{Tool: itemTool, N: 1, Step: "rerank", Seconds: time.Since(start).Seconds()}}, nil
	}
	return nil, hint.Wrap(stage.Unexpected(rec, "hits"), "mr-index search writes them")
}

// seal passes streams on. Before the end of each it checks that every stage of
// the recipe had a vote, and sums up the times.
type seal struct {
	recipe fuse.Recipe
	timing bool

	inErr error                     // a stream that was left unclosed: the mapping says why
	seen  map[record.StageName]bool // stages of the stream's hits
	voted bool                      // the stream has hits that did not fall back
	times record.Timing
}

func (s *seal) stream(_ context.Context, in *record.Reader, out *record.Writer) error {
	for in.Scan() {
		if err := s.record(in.Record(), out); err != nil {
			return err
		}
	}
	s.inErr = in.Err()
	return nil
}

func (s *seal) record(rec record.Record, out *record.Writer) error {
	switch rec := rec.(type) {
	case *record.Run:
		s.seen, s.voted = map[record.StageName]bool{}, false
		s.times = record.Timing{Tool: rec.Tool, Step: "rerank"}
		return out.Start(rec)
	case *record.End:
		if err := s.check(); err != nil {
			return err
		}
		if s.timing {
			if err := out.Write(&s.times); err != nil {
				return err
			}
		}
		return out.End()
	case *record.Timing:
		if rec.Tool == itemTool {
			s.times.N++
			s.times.Seconds += rec.Seconds
			s.times.Each = append(s.times.Each, rec.Seconds)
			return nil
		}
	case *record.Hits:
		s.voted = s.voted || len(rec.Hits) > 0 && rec.Fallback == ""
		for _, h := range rec.Hits {
			for name := range h.Stages {
				s.seen[name] = true
			}
		}
	}
	return out.Write(rec)
}

// check fails where the recipe names a stage that no hit carries.
func (s *seal) check() error {
	if !s.voted {
		return nil
	}
	var missing, there []string
	for _, t := range s.recipe.Terms {
		if !s.seen[t.Stage] {
			missing = append(missing, string(t.Stage))
		}
	}
	if missing == nil {
		return nil
	}
	for name := range s.seen {
		there = append(there, string(name))
	}
	slices.Sort(there)
	err := fmt.Errorf("no hit carries the stage %s, which the fusion %s names", strings.Join(missing, " or "), fuse.Format(s.recipe.Terms))
	if there == nil {
		return hint.Wrap(err, "the hits carry no stage at all: mr-index search writes them")
	}
	more := ""
	if slices.Contains(missing, string(rerank.LateStage)) {
		more = ", or compute late here with -late"
	}
	return hint.Wrap(err, "the hits carry %s: name only these in -fuse, or search with the one that is missing%s", strings.Join(there, ", "), more)
}
