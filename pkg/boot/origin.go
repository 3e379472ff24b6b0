package boot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// stream is what controls and scores must share: a run, or, where records were
// filtered out of theirs, the source.
type stream struct {
	run  *record.Run
	file string // "" of a run
}

// origin is where a record was read.
type origin struct {
	stream
	pos record.Pos
}

func originOf(r *record.Reader) origin {
	o := origin{stream{run: r.Run()}, r.Pos()}
	if o.run == nil {
		o.file = o.pos.File
	}
	return o
}

// reading holds input records against each other.
type reading struct {
	in     *Input
	first  *record.Run // of the streams
	at     record.Pos  // of first
	scored map[cell]record.Pos
	texts  map[record.QuestionID]said
	loose  map[record.MetricName]record.Pos // the first score outside of any run
	kept   map[record.MetricName]record.Pos // the first score of a run
	random map[record.MetricName]drawnBy
	judged map[string]origin // the first score or pair of a judge on an answer
}

// drawnBy is a random control of a run.
type drawnBy struct {
	*record.Control
	origin
}

// cell is what has one value in a retrieval metric.
type cell struct {
	metric   record.MetricName
	system   record.SystemName
	question record.QuestionID
}

type said struct {
	text string
	pos  record.Pos
}

func newReading() *reading {
	return &reading{
		in:     &Input{origins: map[record.Record]origin{}},
		scored: map[cell]record.Pos{}, texts: map[record.QuestionID]said{},
		loose: map[record.MetricName]record.Pos{}, kept: map[record.MetricName]record.Pos{},
		random: map[record.MetricName]drawnBy{}, judged: map[string]origin{},
	}
}

// run is nil if a stream is of the corpus and the questions of the first.
func (r *reading) run(run *record.Run, pos record.Pos) error {
	r.in.Runs = append(r.in.Runs, run)
	if r.first == nil {
		r.first, r.at = run, pos
		return nil
	}
	differs := func(what, a, b string) error {
		return hint.Wrap(fmt.Errorf("the stream is of %s %q, the one at %v of %q: their scores cannot stand side by side", what, b, r.at, a),
			"analyse each by itself, or score both on the same corpus and golden set")
	}
	if a, b := r.first.Commit, run.Commit; a != "" && b != "" && a != b {
		return differs("corpus commit", string(a), string(b))
	}
	for _, name := range []string{"golden", "qrels"} {
		if a, b := r.first.Flags[name], run.Flags[name]; a != "" && b != "" && a != b {
			return differs(name, a, b)
		}
	}
	if a, b := cut(r.first), cut(run); a != "" && b != "" && a != b {
		return differs("a corpus cut with", a, b)
	}
	return nil
}

// cut is how the corpus of a stream came about but for the length of passages,
// which sections do not depend on; "" where no input says.
func cut(run *record.Run) string {
	for _, in := range run.Inputs {
		if in.Tool != "mr-cut" {
			continue
		}
		all := []string{"commit=" + string(in.Commit)}
		for _, name := range slices.Sorted(maps.Keys(in.Flags)) {
			if name != "max" {
				all = append(all, name+"="+in.Flags[name])
			}
		}
		return strings.Join(all, " ")
	}
	return ""
}

// score is nil if a score can stand beside those before it.
func (r *reading) score(rec *record.Score, o origin) error {
	r.in.Scores = append(r.in.Scores, rec)
	r.in.origins[rec] = o
	first := r.kept
	if o.run == nil {
		first = r.loose
	}
	if _, ok := first[rec.Metric]; !ok {
		first[rec.Metric] = o.pos
	}
	if before, ok := r.texts[rec.Question.ID]; !ok && rec.Question.Text != "" {
		r.texts[rec.Question.ID] = said{rec.Question.Text, o.pos}
	} else if ok && rec.Question.Text != "" && rec.Question.Text != before.text {
		return fmt.Errorf("question %q is %q, and %q at %v: the scores are of two golden sets", rec.Question.ID, rec.Question.Text, before.text, before.pos)
	}
	if record.JudgeControls(rec.Metric) != nil {
		return r.once(o, true, "%s of judge %q on question %q and system %s", rec.Metric, rec.Judge, rec.Question.ID, rec.System)
	}
	if !retrieval(rec.Metric) {
		return nil
	}
	if rec.Value != nil && !(*rec.Value >= 0 && *rec.Value <= 1) {
		return fmt.Errorf("%s of question %q and system %s: expected a value from 0 to 1, got %v", rec.Metric, rec.Question.ID, rec.System, *rec.Value)
	}
	at := cell{rec.Metric, rec.System, rec.Question.ID}
	if before, ok := r.scored[at]; ok {
		return hint.Wrap(fmt.Errorf("%s of question %q and system %s has a score already, at %v", rec.Metric, rec.Question.ID, rec.System, before),
			"a system has one list a question: give each stream once, and each system a name of its own")
	}
	r.scored[at] = o.pos
	return nil
}

// pair is nil if a pair can stand beside those before it. Twice the same label is one label.
func (r *reading) pair(rec *record.Pair, o origin) error {
	r.in.Pairs = append(r.in.Pairs, rec)
	r.in.origins[rec] = o
	if !(rec.Weight >= 0) || math.IsInf(rec.Weight, 0) {
		return fmt.Errorf("%s of question %q by %s: expected a weight of 0 or more, got %v", rec.Metric, rec.Question.ID, Raters(rec.RaterA, rec.RaterB), rec.Weight)
	}
	return r.once(o, rec.RaterB == rec.RaterA+Again, "a pair of %q with %q in %s on question %q and system %s", rec.RaterA, rec.RaterB, rec.Metric, rec.Question.ID, rec.System)
}

// once is an error where the same thing came before, of one stream too unless it may be repeated there.
func (r *reading) once(o origin, repeats bool, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	before, ok := r.judged[what]
	if !ok {
		r.judged[what] = o
		return nil
	}
	if repeats && before.stream == o.stream {
		return nil
	}
	return hint.Wrap(fmt.Errorf("%s came before, at %v", what, before.pos), "give the output of mr-score agreement once; it takes the streams of all judges together")
}

// control is nil unless a control shows that its stream is of other gold than
// the first: random lists of one seed give one value on one golden set. Cut-offs
// of passages and lists without one depend on more, and are not compared.
func (r *reading) control(rec *record.Control, o origin) error {
	r.in.Controls = append(r.in.Controls, rec)
	r.in.origins[rec] = o
	_, at, cut := strings.Cut(string(rec.Metric), "@")
	if !cut || strings.HasSuffix(at, "p") || !retrieval(rec.Metric) || rec.Control != control.Random || rec.Value == nil || o.run == nil || o.run.Seed == nil {
		return nil
	}
	first, ok := r.random[rec.Metric]
	if !ok {
		r.random[rec.Metric] = drawnBy{rec, o}
		return nil
	}
	same := first.N == rec.N && *first.run.Seed == *o.run.Seed
	for _, name := range []string{"half", "rankings", "unit"} {
		same = same && first.run.Flags[name] == o.run.Flags[name]
	}
	if same && math.Abs(*first.Value-*rec.Value) > rounding {
		return hint.Wrap(fmt.Errorf("random lists of one seed give %s %v here and %v at %v: the streams are of two golden sets", rec.Metric, *rec.Value, *first.Value, first.pos),
			"analyse each by itself, or score both on the same golden set")
	}
	return nil
}

// mixed names a metric that has scores of a run and scores outside of any.
func (r *reading) mixed() error {
	for _, rec := range r.in.Scores {
		loose, ok := r.loose[rec.Metric]
		kept, both := r.kept[rec.Metric]
		if ok && both {
			return hint.Wrap(fmt.Errorf("%v: %s has a score outside of any run, and one of a run at %v: no control stands behind both", loose, rec.Metric, kept),
				"give whole streams, or filtered records with their controls alone")
		}
	}
	return nil
}

// retrieval says whether a metric is of ranked lists, by its name: recall@5,
// P@5, MRR, nDCG@10, MAP, Judged@10.
func retrieval(name record.MetricName) bool {
	kind, _, _ := strings.Cut(string(name), "@")
	kind = strings.TrimSpace(kind)
	for _, k := range []metric.Kind{metric.Recall, metric.Precision, metric.MRR, metric.NDCG, metric.MAP, metric.Judged} {
		if strings.EqualFold(kind, string(k)) {
			return true
		}
	}
	return false
}
