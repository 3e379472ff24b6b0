package boot

import (
	"context"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Job is an analysis from stream to stream.
type Job struct {
	Plan
	// Run is the run record to write; commit, seed and inputs are filled in.
	Run *record.Run
}

// Stream reads scores, pairs and controls to their end and writes one stream:
// the controls of differences, then the intervals. The refusals are reasons for
// a verdict of no; the stream is complete all the same.
func (j *Job) Stream(ctx context.Context, in *record.Reader, out *record.Writer) (refusals []error, err error) {
	input, err := Read(in)
	if err != nil {
		return nil, err
	}
	result, err := j.Analyse(input)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	run := *j.Run
	seed := j.Seed
	run.Seed, run.Inputs = &seed, input.Runs
	if len(input.Runs) > 0 && run.Commit == "" {
		run.Commit = input.Runs[0].Commit
	}
	if err := out.Start(&run); err != nil {
		return nil, err
	}
	for _, c := range result.Controls {
		if err := out.Write(c); err != nil {
			return nil, err
		}
	}
	for _, iv := range result.Intervals {
		if err := out.Write(iv); err != nil {
			return nil, err
		}
	}
	return result.Refusals, out.End()
}
