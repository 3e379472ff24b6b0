package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Agreement turns streams of verdicts into scores, controls and pairs.
type Agreement struct {
	// Permutations is how often labels are permuted for the negative control.
	Permutations int
	Seed         uint64
	// Labels are people's, of all files in their order.
	Labels []label.Label
	// Warn hears what was left out.
	Warn func(format string, args ...any)
	// Run is the run record to write; commit, seed, notes and inputs are filled in.
	Run *record.Run
}

// Load reads files of labels; the digest of each goes into the run record.
func (g *Agreement) Load(names []string, open func(string) (io.ReadCloser, error)) error {
	var all string
	for _, name := range names {
		in, err := open(name)
		if err != nil {
			return err
		}
		h := sha256.New()
		file, err := label.Read(name, io.TeeReader(in, h))
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
		g.Labels = append(g.Labels, file.Labels...)
		all = also(all, hex.EncodeToString(h.Sum(nil)))
	}
	if all != "" {
		g.Run.Flags["labels"] = all
	}
	return nil
}

// Stream reads verdicts and controls to their end and writes one stream: the
// controls, those of agreement, the scores, the pairs, and the timings of the
// input. The refusals are controls that failed; the stream is complete all the same.
func (g *Agreement) Stream(ctx context.Context, in *record.Reader, out *record.Writer) (refusals []error, err error) {
	all, err := read(in)
	if err != nil {
		return nil, err
	}
	controls, err := all.checked()
	if err != nil {
		return nil, err
	}
	if err := g.strangers(all.verdicts); err != nil {
		return nil, err
	}
	pairs, notes := Pairs(all.verdicts, g.Labels)
	notes = append(notes, kinship(all.verdicts)...)
	controls = append(controls, g.controls(pairs)...)
	scores := Scores(all.verdicts)
	if err := boot.SealControls(controls, scores, pairs); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var recs []record.Record
	for _, c := range controls {
		recs = append(recs, c)
		if c.OK == record.ControlFailed {
			refusals = append(refusals, refusal(c))
		}
	}
	for _, s := range scores {
		recs = append(recs, s)
	}
	for _, p := range pairs {
		recs = append(recs, p)
	}
	for _, t := range all.timings {
		recs = append(recs, t)
	}
	for _, n := range notes {
		if g.Warn != nil {
			g.Warn("%s", n)
		}
	}
	return refusals, g.write(all.runs, notes, recs, out)
}

// kinship names the judges that are of the family of the model whose answers they judge.
func kinship(verdicts []*record.Verdict) []string {
	var all []string
	for _, v := range verdicts {
		ok := strings.Contains(v.Model, ":") // an engine without a model has no family
		if f := Family(v.Judge); !ok || v.Control != "" || f != Family(v.Model) {
			continue
		}
		if note := fmt.Sprintf("%s judges answers of %s: both are of the family %s, and judges favour their own", v.Judge, v.Model, Family(v.Judge)); !slices.Contains(all, note) {
			all = append(all, note)
		}
	}
	return all
}

func refusal(c *record.Control) error {
	return fmt.Errorf("%s of %s: control %s failed: expected %s, got %s (%s)", c.Metric, c.Judge, c.Control, c.Expect, c.Got, c.Reason)
}

// machine says whether a name is one that mr-judge gives a judge.
func machine(name string) bool {
	scheme, _, ok := strings.Cut(name, ":")
	return ok && (scheme == "ollama" || scheme == "claude-cli") || Family(name) == "lexical"
}

// folded is a name without what nobody sees a difference in.
func folded(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// strangers is nil unless a person goes by the name of a judge, of this stream or another.
func (g *Agreement) strangers(verdicts []*record.Verdict) error {
	judges := map[string]bool{}
	for _, v := range verdicts {
		judges[folded(v.Judge)] = true
	}
	var bad []error
	said := map[string]bool{}
	for _, l := range g.Labels {
		if name := folded(strings.TrimSuffix(l.Rater, boot.Again)); (judges[name] || machine(name)) && !said[l.Rater] {
			said[l.Rater] = true
			bad = append(bad, hint.Wrap(fmt.Errorf("a label is by %q, which is the name of a judge: labels are people's", l.Rater),
				"give the person a name of their own in the file of labels"))
		}
	}
	return errors.Join(bad...)
}

func (g *Agreement) write(runs []*record.Run, notes []string, recs []record.Record, out *record.Writer) error {
	run := *g.Run
	seed := g.Seed
	run.Seed, run.Inputs, run.Notes = &seed, append(run.Inputs, runs...), notes
	for _, r := range runs {
		if run.Commit == "" {
			run.Commit = r.Commit
		}
	}
	if err := out.Start(&run); err != nil {
		return err
	}
	for _, rec := range recs {
		if err := out.Write(rec); err != nil {
			return err
		}
	}
	return out.End()
}
