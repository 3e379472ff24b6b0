// Package indexstage is mr-index as library calls: filters on streams of records.
//
//	build := indexstage.Build{Dir: "data/index", Config: index.DefaultConfig()}
//	search := indexstage.Search{Searcher: s, Run: run}
//	err := stage.Pipe(embed.Stream, search.Stream, rerank.Stream)(ctx, in, out)
package indexstage

import (
	"context"
	"errors"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/index"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// Build makes an index of all passages of its input.
type Build struct {
	Dir string
	// Config is how; its Run is the provenance, to which inputs and models are added.
	Config index.Config
	// Encoder, if set, opens the encoder once it is known whether the passages
	// have vectors. It may return nil.
	Encoder func(vectors bool) (index.Encoder, error)
	// Timing writes a stream with timing records; without it nothing is written.
	Timing bool
	// Text, if set, is called where the index can be searched by BM25 alone.
	Text func()
}

// Stream is the filter, a stage.Func. It takes passage and timing records.
// A bad record, and any error, leaves the index there was.
func (b *Build) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	corpus := new(index.Corpus)
	var inputs []*record.Run
	for ctx.Err() == nil && in.Scan() {
		switch rec := in.Record().(type) {
		case *record.Run:
			inputs = append(inputs, rec)
		case *record.End, *record.Timing:
		case *record.Passage:
			if err := corpus.Add(rec, index.VectorModel(in.Run()), in.Pos().String()); err != nil {
				in.Reject(err)
			}
		default:
			in.Reject(stage.Unexpected(rec, "a passage"))
		}
	}
	if err := errors.Join(in.Err(), context.Cause(ctx)); err != nil {
		return err
	}
	cfg := b.Config
	run := *cfg.Run
	run.Inputs, cfg.Run = inputs, &run
	if b.Encoder != nil {
		var err error
		if cfg.Encoder, err = b.Encoder(corpus.HasVectors()); err != nil {
			return err
		}
	}
	if cfg.Encoder != nil {
		run.Models = []record.Model{cfg.Encoder.Model()}
	}
	start := time.Now()
	m, err := index.Build(ctx, b.Dir, corpus, cfg)
	if err != nil {
		return err
	}
	if b.Text != nil && m.Vectors == nil && m.Late == nil {
		b.Text()
	}
	if !b.Timing {
		return nil
	}
	return write(out, cfg.Run, &record.Timing{Tool: cfg.Run.Tool, Step: "build", N: m.Passages, Seconds: time.Since(start).Seconds()})
}

func write(out *record.Writer, run *record.Run, recs ...record.Record) error {
	if err := out.Start(run); err != nil {
		return err
	}
	for _, rec := range recs {
		if err := out.Write(rec); err != nil {
			return err
		}
	}
	return out.End()
}
