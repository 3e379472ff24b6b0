package indexstage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// Search answers every question of its input with hits.
//
//   - It takes question and golden records, and passes timing records on. Of a
//     golden record it sees id and text alone.
//   - Each stream of the input becomes one of the output, whose run carries the
//     run of the questions and the one that built the index.
//   - Questions are answered one after another, each on all cores.
type Search struct {
	Searcher *index.Searcher
	// Run is the provenance; its commit and models are set.
	Run *record.Run
	// Timing adds a timing record at the end of each stream: the seconds of each question.
	Timing bool
	// Load, where it is not 0, is how long opening took; Timing writes it once.
	Load time.Duration
	// Tick, if set, is called after each question.
	Tick func()

	fallbacks int
	why       string
}

// Fallbacks is how many questions so far BM25 stood in for, and the first one's reason.
func (s *Search) Fallbacks() (n int, why string) { return s.fallbacks, s.why }

// Stream is the filter, a stage.Func.
func (s *Search) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	w := searching{Search: s, in: in, out: out, seen: map[record.QuestionID]record.Pos{}, load: s.Load}
	for ctx.Err() == nil && in.Scan() {
		if err := w.record(ctx, in.Record()); err != nil {
			return fmt.Errorf("%v: %w", in.Pos(), err)
		}
	}
	if err := errors.Join(in.Err(), context.Cause(ctx)); err != nil {
		return err
	}
	if err := w.start(nil); err != nil {
		return err
	}
	return w.finish()
}

// searching is the state of one Stream.
type searching struct {
	*Search
	in   *record.Reader
	out  *record.Writer
	seen map[record.QuestionID]record.Pos
	load time.Duration
	open bool // a stream is being written
	done bool // its input has ended
	cut  bool // a stream was left without its end, for bad input: nothing may follow it
	each []float64
}

func (w *searching) record(ctx context.Context, rec record.Record) error {
	switch rec := rec.(type) {
	case *record.Run:
		if err := w.finish(); err != nil {
			return err
		}
		if err := w.Searcher.Check(rec); err != nil {
			w.in.Reject(err)
			return nil
		}
		return w.start(rec)
	case *record.End:
		w.done = true // written when more follows, or the whole input is known to be good
		return nil
	}
	if w.done {
		if err := w.finish(); err != nil {
			return err
		}
	}
	var q *record.Question
	switch rec := rec.(type) {
	case *record.Timing:
		return w.write(rec)
	case *record.Question:
		q = rec
	case *record.Golden:
		q = rec.AsQuestion()
	default:
		w.in.Reject(stage.Unexpected(rec, "a question or golden record"))
		return nil
	}
	if at, ok := w.seen[q.ID]; ok {
		w.in.Reject(fmt.Errorf("question %q was asked already, at %v", q.ID, at))
		return nil
	}
	w.seen[q.ID] = w.in.Pos()
	start := time.Now()
	hits, err := w.Searcher.Search(ctx, q)
	var bad index.QuestionError
	if errors.As(err, &bad) {
		w.in.Reject(err)
		return nil
	}
	if err != nil {
		return err
	}
	w.each = append(w.each, time.Since(start).Seconds())
	if hits.Fallback != "" {
		if w.fallbacks++; w.fallbacks == 1 {
			w.why = hits.Fallback
		}
	}
	if w.Tick != nil {
		w.Tick()
	}
	return w.write(hits)
}

func (w *searching) write(rec record.Record) error {
	if err := w.start(nil); err != nil || w.cut {
		return err
	}
	return w.out.Write(rec)
}

// start opens a stream unless one is open.
func (w *searching) start(input *record.Run) error {
	if w.open || w.cut {
		return nil
	}
	w.open = true
	m := w.Searcher.Engine.Manifest()
	run := *w.Run
	run.Commit, run.Models, run.Inputs = m.Commit, nil, nil
	if m.Vectors != nil && m.Vectors.Model != (record.Model{}) && w.Searcher.Stands(index.LegVector) {
		run.Models = append(run.Models, m.Vectors.Model)
	}
	if m.Late != nil && w.Searcher.Stands(index.LegLate) {
		run.Models = append(run.Models, m.Late.Model)
	}
	for _, r := range []*record.Run{input, m.Run} {
		if r != nil {
			run.Inputs = append(run.Inputs, r)
		}
	}
	return w.out.Start(&run)
}

// finish closes the open stream, if there is one. One that lacks hits for bad
// input is left without its end, so that the next stage sees it.
func (w *searching) finish() error {
	w.cut = w.cut || w.in.Damaged()
	if !w.open || w.cut {
		return nil
	}
	if w.Timing {
		if w.load > 0 {
			if err := w.timing("load", w.load.Seconds()); err != nil {
				return err
			}
			w.load = 0
		}
		if err := w.timing("search", w.each...); err != nil {
			return err
		}
	}
	w.open, w.done, w.each = false, false, nil
	return w.out.End()
}

func (w *searching) timing(step string, each ...float64) error {
	t := &record.Timing{Tool: w.Run.Tool, Step: step, N: len(each), Each: each}
	for _, s := range each {
		t.Seconds += s
	}
	return w.out.Write(t)
}
