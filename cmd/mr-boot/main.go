// Mr-boot says how sure the scores are: a mean with its interval for each system
// and metric, differences from a baseline with their p, and no number at all
// where the controls of the metric do not pass.
//
//	mr-boot -baseline bi-encoder -floor hybrid:recall@5=0.7 < scores.jsonl > intervals.jsonl
//
// In: score, pair and control records. Timing records are passed over; any
// other type is an error. So are streams of two corpora or golden sets, two
// scores of one question, system and retrieval metric, and a value of such a
// metric that is not from 0 to 1.
//
// Out: control records of the differences (A against A gives exactly 0, a
// planted +0.1 is found), then interval records: by metric, over all questions
// and by kind of question, for each system, and for each system less the
// -baseline. An interval holds n, what was unscored or failed, value, lo and hi,
// method, resamples and seed, warnings, and of a difference p and p_holm. One
// that is not trusted holds the reason and no number.
//
// The interval of a mean is Wilson's where all values are 0 or 1, else BCa over
// 10,000 resamples of the questions. All repeats of a question are drawn
// together; two systems must have the same questions to be compared, joined by
// id. p is by random signs (exact up to 16 differences that are not 0), p_holm
// corrected over the systems of a metric. pkg/boot has the sources, and how
// often the intervals hold what they should.
//
// The statistics (-stat): all, which is what the input allows; of scores mean,
// and ratio where they carry their denominator "of"; of pair records kappa with
// its 2×2 table, base-rate (the second rater's yes), TPR and TNR (where that one
// is a person, the share of their yes and no that the judge says too), flips
// (between repeats of a judge); of both together corrected, a judge's rate after
// Rogan and Gladen, and PPI. In -stat all a judge's mean is the raw rate, with the
// corrected one beside it.
//
// A corrected rate is withheld, with the number of labels that would do, unless
// 10 labels of yes and 10 of no are independent of the judge's family and TPR +
// TNR − 1 is surely above 0. That is no verdict of no.
//
// The verdict is no (exit 3) when a control failed, is not established or was
// not seen in the stream of the scores, by each judge where they are of judges; when the controls of a retrieval metric
// were of another number of questions; when hits fell back to BM25; when a floor is not held; when more than
// -max-unscored of a system's scores have no value. Floors are also read from a
// file, one SYSTEM:METRIC=VALUE a line, # for comments: floors are only raised.
//
// Examples:
//
//	mr-score retrieval -golden g.jsonl -corpus c.jsonl hits.jsonl | mr-boot -floors data/floors.txt
//	mr-score agreement -labels review/labels.json verdicts.jsonl | mr-boot
//	mr-boot scores.jsonl | jq -r 'select(.type=="interval" and .trusted) | [.system,.metric,.kind,.value,.lo,.hi] | @tsv'
//
// Exit codes: 0 done, 1 failed, 2 misuse, 3 the verdict is no (the output is complete).
package main

import (
	"context"
	_ "embed"
	"errors"
	"os"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/tool"
)

//go:embed main.go
var source string

func main() { tool.Main("mr-boot", source, run) }

func run(ctx context.Context, t *tool.Tool) error {
	job := &boot.Job{Plan: boot.Default()}
	t.Flags.StringVar(&job.Stat, "stat", job.Stat, "`statistic`: all, mean, ratio, kappa, TPR, TNR, base-rate, flips, corrected or PPI")
	t.Flags.StringVar(&job.Method, "method", job.Method, "of the bootstrap: BCa or percentile")
	t.Flags.Float64Var(&job.Level, "level", job.Level, "nominal coverage of the intervals")
	t.Flags.IntVar(&job.Resamples, "resamples", job.Resamples, "how many, and random signs for p")
	t.Flags.Uint64Var(&job.Seed, "seed", job.Seed, "of resamples and signs")
	t.Flags.StringVar((*string)(&job.Baseline), "baseline", "", "`system` that every other is compared with")
	t.Flags.Var(&job.Floors, "floor", "`SYSTEM:METRIC=VALUE` that a mean must reach; repeat for more")
	floors := t.Flags.String("floors", "", "`file` of floors, one a line")
	t.Flags.Float64Var(&job.MaxUnscored, "max-unscored", job.MaxUnscored, "`share` of scores without a value that is let pass")
	if err := t.Parse(true); err != nil {
		return err
	}
	if *floors != "" {
		text, err := os.Open(*floors)
		if err != nil {
			return err
		}
		more, err := boot.ReadFloors(*floors, text)
		if err := errors.Join(err, text.Close()); err != nil {
			return err
		}
		job.Floors = append(job.Floors, more...)
	}
	if err := job.Validate(); err != nil {
		return tool.Misusef("%w", err)
	}
	job.Run = t.Provenance("floors")
	job.Run.Flags["floor"] = job.Floors.String()
	in, err := t.Input()
	if err != nil {
		return err
	}
	refusals, err := job.Stream(ctx, in, t.Output())
	for _, why := range refusals {
		err = errors.Join(err, tool.Refuse(why))
	}
	return err
}
