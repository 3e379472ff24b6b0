package corpus

import (
	"context"
	"time"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Job is the whole of a cutting, from a source to a stream of passages.
type Job struct {
	*Cutter
	Source Source
	// Run is the run record to write; the commit and the inputs are filled in.
	Run *record.Run
	// Warn is told of pages that were left out though their name is a page's.
	Warn func(format string, args ...any)
	// Timing adds timing records.
	Timing bool
}

// Stream cuts and writes one stream. Nothing is written unless all is good.
func (j *Job) Stream(ctx context.Context, in *record.Reader, out *record.Writer) error {
	start := time.Now()
	set, err := j.Source(ctx, in)
	if err != nil {
		return err
	}
	read := time.Now()
	passages, err := j.Cut(set)
	if err != nil {
		return err
	}
	cut := time.Now()
	for _, note := range set.Notes {
		if j.Warn != nil {
			j.Warn("%s", note)
		}
	}
	run := *j.Run
	run.Commit, run.Inputs, run.Notes = set.Commit, set.Inputs, set.Notes
	if err := out.Start(&run); err != nil {
		return err
	}
	for _, p := range passages {
		if err := out.Write(p); err != nil {
			return err
		}
	}
	if j.Timing {
		for _, t := range []*record.Timing{
			{Tool: run.Tool, Step: "read", N: len(set.Pages), Seconds: read.Sub(start).Seconds()},
			{Tool: run.Tool, Step: "cut", N: len(passages), Seconds: cut.Sub(read).Seconds()},
		} {
			if err := out.Write(t); err != nil {
				return err
			}
		}
	}
	return out.End()
}
