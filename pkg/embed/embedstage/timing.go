package embedstage

import (
	"context"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/embed"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/stage"
)

// The steps of a timing record. Each holds the seconds of the single texts in
// the order of the stream.
const (
	stepLoad  = "load"  // of the model, in the first stream that needed it
	stepEmbed = "embed" // tokens, and a run of the model
	stepCache = "cache" // texts whose vectors were there
)

// itemTool marks the timing of a single text on its way to fold.
const itemTool = "mr-embed, one text"

// item is the timing of one text. It travels behind its record, so that fold
// meets it in the stream it belongs to.
func item(emb embed.Embedding) *record.Timing {
	step := stepEmbed
	if emb.Cached {
		step = stepCache
	}
	return &record.Timing{Tool: itemTool, Step: step, N: 1, Seconds: emb.Took.Seconds()}
}

// timed is fn with the timings of single texts folded into records at the end of each stream.
func (f *Filter) timed(tool string, fn stage.Func) stage.Func {
	return func(ctx context.Context, in *record.Reader, out *record.Writer) error {
		fold := &folding{tool: tool, load: f.loadTime}
		err := stage.Pipe(fn, fold.stream)(ctx, in, out)
		if err == nil {
			err = fold.inErr
		}
		return err
	}
}

// loadTime is how long the model took to load, where the embedder knows it.
func (f *Filter) loadTime() time.Duration {
	if e, ok := f.Embedder.(interface{ LoadTime() time.Duration }); ok {
		return e.LoadTime()
	}
	return 0
}

type folding struct {
	tool   string
	load   func() time.Duration
	loaded bool  // written
	inErr  error // a stream that fn left unclosed: fn itself says why
	embed  record.Timing
	cache  record.Timing
}

func (f *folding) stream(_ context.Context, in *record.Reader, out *record.Writer) error {
	for in.Scan() {
		if err := f.record(in.Record(), out); err != nil {
			return err
		}
	}
	f.inErr = in.Err()
	return nil
}

func (f *folding) record(rec record.Record, out *record.Writer) error {
	switch rec := rec.(type) {
	case *record.Run:
		f.embed = record.Timing{Tool: f.tool, Step: stepEmbed}
		f.cache = record.Timing{Tool: f.tool, Step: stepCache}
		return out.Start(rec)
	case *record.End:
		return f.end(out)
	case *record.Timing:
		if rec.Tool == itemTool {
			f.add(rec)
			return nil
		}
	}
	return out.Write(rec)
}

func (f *folding) add(item *record.Timing) {
	sum := &f.embed
	if item.Step == stepCache {
		sum = &f.cache
	}
	sum.N++
	sum.Seconds += item.Seconds
	sum.Each = append(sum.Each, item.Seconds)
}

// end writes what was summed up and closes the stream.
func (f *folding) end(out *record.Writer) error {
	if d := f.load(); d > 0 && !f.loaded {
		f.loaded = true
		if err := out.Write(&record.Timing{Tool: f.tool, Step: stepLoad, N: 1, Seconds: d.Seconds()}); err != nil {
			return err
		}
	}
	for _, t := range []record.Timing{f.embed, f.cache} {
		if t.N == 0 {
			continue
		}
		if err := out.Write(&t); err != nil {
			return err
		}
	}
	return out.End()
}
