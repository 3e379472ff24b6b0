package boot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Input is what is analysed.
type Input struct {
	Scores   []*record.Score
	Pairs    []*record.Pair
	Controls []*record.Control
	// Runs are the runs of the streams they came in.
	Runs []*record.Run

	origins map[record.Record]origin // what has none came in one block without a run
}

// Read reads score, pair and control records. Timing records are passed over.
// What cannot stand side by side is an error: streams of different corpora or
// golden sets, two scores of one list, scores of a run and others outside of any.
func Read(r *record.Reader) (*Input, error) {
	all := newReading()
	in := all.in
	for r.Scan() {
		var err error
		switch rec := r.Record().(type) {
		case *record.Run:
			err = all.run(rec, r.Pos())
		case *record.Score:
			err = all.score(rec, originOf(r))
		case *record.Pair:
			err = all.pair(rec, originOf(r))
		case *record.Control:
			err = all.control(rec, originOf(r))
		case *record.End, *record.Timing:
		default:
			err = fmt.Errorf("expected score, pair and control records, got a %s record", rec.Kind())
		}
		if err != nil {
			r.Reject(err)
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if len(in.Scores)+len(in.Pairs) == 0 {
		return nil, errors.New("nothing to analyse: no score and no pair record came")
	}
	return in, all.mixed()
}

// unit is one question under one system and measure: all its repeats.
type unit struct {
	id       record.QuestionID
	kind     record.QuestionKind
	values   []float64
	of       []float64
	unscored int
	refused  int // of those unscored
	failed   int
	warnings []string
}

// refused is why an answer is not judged that is none.
const refused = "refused"

// mean is of the repeats that were scored.
func (u *unit) mean() float64 {
	sum := 0.0
	for _, v := range u.values {
		sum += v
	}
	return sum / float64(len(u.values))
}

// measure is what trust is about: a metric, and the judge where it is one's.
type measure struct {
	metric record.MetricName
	judge  string
}

func (m measure) String() string {
	if m.judge == "" {
		return string(m.metric)
	}
	return string(m.metric) + " of " + m.judge
}

// series is one measure of one system: its questions in the order of their ids.
type series struct {
	measure
	system record.SystemName
	units  []*unit
}

// collect sorts scores into series, in the order in which they begin.
func collect(scores []*record.Score) ([]*series, error) {
	type key struct {
		measure
		system record.SystemName
	}
	var all []*series
	byKey := map[key]*series{}
	units := map[*series]map[record.QuestionID]*unit{}
	for _, rec := range scores {
		k := key{measure{rec.Metric, rec.Judge}, rec.System}
		s := byKey[k]
		if s == nil {
			s = &series{measure: k.measure, system: rec.System}
			byKey[k], units[s] = s, map[record.QuestionID]*unit{}
			all = append(all, s)
		}
		u := units[s][rec.Question.ID]
		if u == nil {
			u = &unit{id: rec.Question.ID, kind: rec.AskedFor}
			units[s][u.id] = u
			s.units = append(s.units, u)
		}
		if u.kind != rec.AskedFor {
			return nil, fmt.Errorf("question %q is of kind %q and of kind %q", u.id, u.kind, rec.AskedFor)
		}
		u.add(rec)
	}
	for _, s := range all {
		slices.SortFunc(s.units, func(a, b *unit) int { return cmp.Compare(a.id, b.id) })
	}
	return all, nil
}

func (u *unit) add(rec *record.Score) {
	for _, w := range rec.Warnings {
		if !slices.Contains(u.warnings, w) {
			u.warnings = append(u.warnings, w)
		}
	}
	switch rec.Status {
	case record.Unscored:
		u.unscored++
		if rec.Reason == refused {
			u.refused++
		}
	case record.Failed:
		u.failed++
	default:
		u.values = append(u.values, *rec.Value)
		u.of = append(u.of, cmp.Or(rec.Of, 1))
	}
}

// of returns the part of the series of one kind of question; all of it for "".
func (s *series) of(kind record.QuestionKind) *series {
	if kind == "" {
		return s
	}
	part := &series{measure: s.measure, system: s.system}
	for _, u := range s.units {
		if u.kind == kind {
			part.units = append(part.units, u)
		}
	}
	return part
}

// means are the values of the questions that have one.
func (s *series) means() []float64 {
	var values []float64
	for _, u := range s.units {
		if len(u.values) > 0 {
			values = append(values, u.mean())
		}
	}
	return values
}

// counts adds up what has no value.
func (s *series) counts() (unscored, failed int) {
	for _, u := range s.units {
		unscored += u.unscored
		failed += u.failed
	}
	return unscored, failed
}

// refusals counts what is unscored because there was no answer to judge.
func (s *series) refusals() int {
	n := 0
	if s.judge != "" {
		for _, u := range s.units {
			n += u.refused
		}
	}
	return n
}

// warnings counts the questions that each warning is about.
func (s *series) warnings() []string {
	n := map[string]int{}
	for _, u := range s.units {
		for _, w := range u.warnings {
			n[w]++
		}
	}
	var all []string
	for w, k := range n {
		all = append(all, fmt.Sprintf("%d of %d questions: %s", k, len(s.units), w))
	}
	slices.Sort(all)
	return all
}
