package verdict

import (
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/label"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Pairs makes the pair records of the verdicts on answers and of people's
// labels: by metric, then by raters, then by answer in the order of the verdicts.
//
//   - Judges with each other, by their first repeat.
//   - A judge with itself, as "judge, again", each two of its repeats.
//   - A judge (rater A) with each person (rater B); independent unless the person
//     opened a reading of a judge of its family.
//   - Two persons; independent unless both opened readings of one family.
//
// The warnings name what took no part: stale labels, labels on answers that no
// judge was given, and how many could not tell.
func Pairs(verdicts []*record.Verdict, labels []label.Label) (pairs []*record.Pair, warnings []string) {
	items := itemsOf(verdicts)
	people, warnings := attach(items, labels)
	var judges []string
	for _, v := range verdicts {
		if v.Control == "" && !slices.Contains(judges, v.Judge) {
			judges = append(judges, v.Judge)
		}
	}
	for _, metric := range []record.MetricName{record.Faithfulness, record.Relevance} {
		w := pairing{items, metric, &pairs}
		for i, a := range judges {
			w.repeats(a)
			for _, b := range judges[i+1:] {
				w.judges(a, b)
			}
		}
		for i, p := range people {
			for _, j := range judges {
				w.person(j, p)
			}
			for _, q := range people[i+1:] {
				w.people(p, q)
			}
		}
	}
	return pairs, warnings
}

// item is one answer of one system with all its marks.
type item struct {
	question record.QuestionRef
	system   record.SystemName
	answer   string // the digest
	marks    map[rated]map[int]record.Mark
	labels   map[string]*label.Label // by rater
}

// itemsOf sorts the verdicts on answers by answer, in the order in which they begin.
func itemsOf(verdicts []*record.Verdict) []*item {
	type key struct {
		question record.QuestionID
		system   record.SystemName
		answer   string
	}
	var all []*item
	byKey := map[key]*item{}
	for _, v := range verdicts {
		if v.Control != "" {
			continue
		}
		k := key{v.Question.ID, SystemOf(v), v.Answer}
		it := byKey[k]
		if it == nil {
			it = &item{v.Question, k.system, v.Answer, map[rated]map[int]record.Mark{}, map[string]*label.Label{}}
			byKey[k] = it
			all = append(all, it)
		}
		if v.Status != record.Scored {
			continue
		}
		who := rated{v.Judge, v.Metric}
		if it.marks[who] == nil {
			it.marks[who] = map[int]record.Mark{}
		}
		it.marks[who][v.Repeat] = v.Mark
	}
	return all
}

// attach gives the labels to the answers that they are of, the later one of a
// rater in place of the earlier, and returns the raters in order.
func attach(items []*item, labels []label.Label) (people, warnings []string) {
	unsure := 0
	for i := range labels {
		l := &labels[i]
		found, known := false, false
		for _, it := range items {
			if it.question.ID != l.Question {
				continue
			}
			known = known || it.system == l.System || len(l.System) < len(it.system) && it.system[:len(l.System)+1] == l.System+"/"
			if it.answer == l.Answer {
				it.labels[l.Rater], found = l, true
			}
		}
		switch {
		case found && !slices.Contains(people, l.Rater):
			people = append(people, l.Rater)
		case found:
		case known:
			warnings = append(warnings, fmt.Sprintf("stale label: question %q, system %q, by %s: the answer or its passages have changed since, so it is not used", l.Question, l.System, l.Rater))
		default:
			warnings = append(warnings, fmt.Sprintf("label without a verdict: question %q, system %q, by %s: no judge was given this answer, so it is not used", l.Question, l.System, l.Rater))
		}
	}
	for _, it := range items {
		for _, l := range it.labels {
			if l.Faithful == label.CantTell || l.Relevant == label.CantTell {
				unsure++
			}
		}
	}
	if unsure > 0 {
		warnings = append(warnings, fmt.Sprintf("%d labels say %q of a metric, and pair with nothing there", unsure, label.CantTell))
	}
	return people, warnings
}

// mark is what a person says of a metric, "" for nothing that counts.
func mark(l *label.Label, metric record.MetricName) record.Mark {
	choice := l.Faithful
	if metric == record.Relevance {
		choice = l.Relevant
	}
	switch choice {
	case label.Yes:
		return record.Yes
	case label.No:
		return record.No
	}
	return ""
}

// pairing writes the pairs of one metric.
type pairing struct {
	items  []*item
	metric record.MetricName
	out    *[]*record.Pair
}

func (w pairing) add(it *item, a, b string, markA, markB record.Mark, independent bool, weight float64) {
	if markA == "" || markB == "" {
		return
	}
	*w.out = append(*w.out, &record.Pair{
		Question: it.question, System: it.system, Metric: w.metric, RaterA: a, RaterB: b, MarkA: markA, MarkB: markB, Independent: independent, Weight: weight,
	})
}

func (w pairing) repeats(judge string) {
	for _, it := range w.items {
		marks := it.marks[rated{judge, w.metric}]
		var have []int
		for repeat := range marks {
			have = append(have, repeat)
		}
		slices.Sort(have)
		for i, a := range have {
			for _, b := range have[i+1:] {
				w.add(it, judge, judge+boot.Again, marks[a], marks[b], true, 0)
			}
		}
	}
}

func (w pairing) judges(a, b string) {
	for _, it := range w.items {
		w.add(it, a, b, it.marks[rated{a, w.metric}][0], it.marks[rated{b, w.metric}][0], true, 0)
	}
}

func (w pairing) person(judge, person string) {
	for _, it := range w.items {
		if l := it.labels[person]; l != nil {
			w.add(it, judge, person, it.marks[rated{judge, w.metric}][0], mark(l, w.metric), !opened(l, Family(judge)), l.Weight)
		}
	}
}

func (w pairing) people(a, b string) {
	for _, it := range w.items {
		x, y := it.labels[a], it.labels[b]
		if x == nil || y == nil {
			continue
		}
		together := slices.ContainsFunc(x.Opened, func(judge string) bool { return opened(y, Family(judge)) })
		w.add(it, a, b, mark(x, w.metric), mark(y, w.metric), !together, x.Weight)
	}
}

// opened says whether a rater saw a reading of a judge of a family.
func opened(l *label.Label, family string) bool {
	return slices.ContainsFunc(l.Opened, func(judge string) bool { return Family(judge) == family })
}
