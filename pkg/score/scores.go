package score

import (
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/metric"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The warnings of scores. mr-boot counts the questions that have each.
const (
	NoHits    = "no hits, which counts 0"
	ShortList = "list shorter than the cut-off"
)

// FellBack begins the reason of a score that a system lacks since its hits fell
// back. mr-boot knows them by it.
const FellBack = "fell back to BM25: "

// maxCame bounds the sections that explain a miss.
const maxCame = 10

// scores makes the records: by system, question and metric; then those that fell back.
func (r *Retrieval) scores(h *Hits, questions []*golden.Question) []*record.Score {
	var all, fallen []*record.Score
	for _, q := range questions {
		for _, s := range h.systems {
			if l := s.lists[q.ID]; l != nil && l.fallback != "" { // one list stands for all of them
				fallen = append(fallen, r.question(record.FallbackSystem, q, l, r.Suite.For(q))...)
				break
			}
		}
	}
	for _, s := range h.systems {
		for _, q := range questions {
			l := s.lists[q.ID]
			if l != nil && l.fallback != "" {
				all = append(all, r.unscored(s.name, q, l)...)
				continue
			}
			all = append(all, r.question(s.name, q, l, r.Suite.For(q))...)
		}
	}
	return append(all, fallen...)
}

// question scores one list; nil is none.
func (r *Retrieval) question(name record.SystemName, q *golden.Question, l *list, score metric.Scorer) []*record.Score {
	if l == nil {
		l = &list{}
	}
	sections := len(golden.Fold(l.ranked))
	var all []*record.Score
	for i, value := range score(l.ranked) {
		m := r.Suite[i]
		s := &record.Score{Question: ref(q, l), System: name, Metric: m.Name(), Value: &value, Status: record.Scored, AskedFor: q.Kind}
		got, most := sections, len(r.Corpus.Sections)
		if m.Passages {
			got, most = len(l.ranked), len(r.Corpus.Passages)
		}
		switch {
		case len(l.ranked) == 0:
			s.Warnings = []string{NoHits}
		case got < min(m.Cut, most):
			s.Warnings = []string{ShortList}
		}
		if !r.Set.Graded && (m.Kind != metric.MRR || value == 0) {
			s.Wanted, s.Came = miss(q, m, l.ranked)
		}
		all = append(all, s)
	}
	return all
}

// ref names a question; qrels have no text, hits do.
func ref(q *golden.Question, l *list) record.QuestionRef {
	if q.Text == "" {
		return record.QuestionRef{ID: q.ID, Text: l.question.Text}
	}
	return record.QuestionRef{ID: q.ID, Text: q.Text}
}

// miss returns the needs that a list does not meet within the cut, and the
// first sections that came instead; nothing where all are met.
func miss(q *golden.Question, m metric.Metric, ranked []golden.Ranked) (wanted []record.Need, came []record.SectionID) {
	if m.Passages {
		ranked = ranked[:min(m.Cut, len(ranked))]
	}
	came = golden.Fold(ranked)
	if m.Cut > 0 {
		came = came[:min(m.Cut, len(came))]
	}
	matching := golden.NewMatching(q)
	for _, s := range came {
		matching.Add(s)
	}
	for i, need := range q.Needs {
		if matching.Server(i) == "" {
			wanted = append(wanted, need.Sections)
		}
	}
	if wanted == nil {
		return nil, nil
	}
	return wanted, came[:min(maxCame, len(came))]
}

func (r *Retrieval) unscored(name record.SystemName, q *golden.Question, l *list) []*record.Score {
	var all []*record.Score
	for _, m := range r.Suite {
		all = append(all, &record.Score{Question: ref(q, l), System: name, Metric: m.Name(), Status: record.Unscored,
			Reason: FellBack + l.fallback, AskedFor: q.Kind})
	}
	return all
}
