package grade

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/answer"
	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Answers scores the answers of one or more systems.
type Answers struct {
	Set *golden.Set
	// Corpus is what gold and citations must be in, and what random citations
	// are drawn from. Where it is nil, they are drawn from the sections that gold
	// and answers name.
	Corpus *golden.Corpus
	// Texts is the same corpus with its texts; nil with it.
	Texts *corpus.Corpus
	// Draws is the number of random answers a question for the controls.
	Draws int
	Seed  uint64
	// Run is the run record to write; commit, seed, inputs and notes are filled in.
	Run *record.Run
	// Warn is told what a user should know at once.
	Warn func(format string, args ...any)

	questions []*question
	byID      map[record.QuestionID]*question
	empty     int // key facts without a word to look for
	metrics   []metric

	// What the tests break, together with metrics:
	ask  func(context.Context, answer.Engine, *record.Hits, int) (*record.Answer, error)
	area func(answerable, unanswerable []float64) (float64, []float64, []float64)
}

// Files name what answers are scored against.
type Files struct {
	Golden string
	Corpus string // "" for none
	Unit   golden.Unit
	// Open opens a file of records.
	Open func(name string) (*record.Reader, error)
}

// Validate says what of the settings and files makes no sense.
func (g *Answers) Validate(f Files) error {
	switch {
	case f.Golden == "":
		return errors.New("expected -golden")
	case f.Unit != golden.Sections && f.Unit != golden.Pages:
		return fmt.Errorf("-unit: expected section or page, got %q", f.Unit)
	case f.Unit == golden.Pages && f.Corpus == "":
		return errors.New("-unit page needs -corpus")
	case g.Draws < 10:
		return fmt.Errorf("-draws: expected 10 or more, got %d", g.Draws)
	}
	return nil
}

// Load reads the files. A section that gold names and the corpus lacks is an error.
func (g *Answers) Load(f Files) error {
	in, err := f.Open(f.Golden)
	if err != nil {
		return err
	}
	if g.Set, err = golden.Read(in); err != nil || f.Corpus == "" {
		return err
	}
	if in, err = f.Open(f.Corpus); err != nil {
		return err
	}
	if g.Texts, err = corpus.Read(in); err != nil {
		return err
	}
	g.Run.Inputs = append(g.Run.Inputs, g.Texts.Runs...)
	if g.Corpus, err = golden.NewCorpus(g.Texts, f.Unit); err != nil {
		return err
	}
	return g.Set.Check(g.Corpus)
}

// prepare makes the questions ready.
func (g *Answers) prepare() {
	if g.metrics == nil {
		g.metrics = metrics()
	}
	if g.ask == nil {
		g.ask = answer.Answer
	}
	if g.area == nil {
		g.area = auc
	}
	g.questions, g.byID, g.empty = nil, map[record.QuestionID]*question{}, 0
	for _, q := range g.Set.Questions {
		made := &question{Question: q}
		for _, said := range q.Record.KeyFacts {
			f := keyfact.NewFact(q.Text, said)
			if f.Empty() {
				g.empty++
				continue
			}
			made.facts, made.said = append(made.facts, f), append(made.said, said)
		}
		g.questions, g.byID[q.ID] = append(g.questions, made), made
	}
}

// Stream reads answers and writes one stream: controls, scores, and the timings
// of the input. The refusals are reasons for a verdict of no: failed controls
// and answers from hits that fell back; the stream is complete all the same.
func (g *Answers) Stream(ctx context.Context, in *record.Reader, out *record.Writer) (refusals []error, err error) {
	g.prepare()
	all, err := g.read(in)
	if err != nil {
		return nil, err
	}
	var recs []record.Record
	scores := g.scores(all)
	checks, err := g.controls(ctx, all, scored(scores))
	if err != nil {
		return nil, err
	}
	for _, c := range checks {
		if c.OK == record.ControlFailed {
			refusals = append(refusals, fmt.Errorf("%s: control %s failed: expected %s, got %s (%s)", c.Metric, c.Control, c.Expect, c.Got, c.Reason))
		}
		recs = append(recs, c)
	}
	for _, s := range scores {
		recs = append(recs, s)
	}
	for _, t := range all.timings {
		recs = append(recs, t)
	}
	for _, s := range all.systems {
		if s.name == record.FallbackSystem {
			refusals = append(refusals, fmt.Errorf("%d questions were answered from hits that fell back to BM25", len(s.places)))
		}
	}
	return refusals, g.write(all, recs, out)
}

func (g *Answers) write(all *answers, recs []record.Record, out *record.Writer) error {
	run := *g.Run
	seed := g.Seed
	run.Seed, run.Inputs, run.Notes = &seed, append(run.Inputs, all.runs...), g.notes(all)
	if g.Corpus != nil {
		run.Commit = g.Corpus.Commit
	} else if len(all.runs) > 0 {
		run.Commit = all.runs[0].Commit
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

// scored are the metrics that any score is of.
func scored(scores []*record.Score) map[record.MetricName]bool {
	seen := map[record.MetricName]bool{}
	for _, s := range scores {
		seen[s.Metric] = true
	}
	return seen
}

// scores makes the records: by system, question and metric; refusal-auc last.
func (g *Answers) scores(all *answers) []*record.Score {
	var out []*record.Score
	for _, s := range all.systems {
		var items []*item
		counted := false // tokens
		for _, q := range g.questions {
			it := g.itemOf(all, s, q)
			if it == nil {
				continue
			}
			items = append(items, it)
			counted = counted || it.answer.PromptTokens+it.answer.AnswerTokens > 0
		}
		for _, it := range items {
			for _, m := range g.metrics {
				if (m.name == PromptTokens || m.name == AnswerTokens) && !counted {
					continue
				}
				if score := m.score(s.name, it); score != nil {
					explain(score, it)
					out = append(out, score)
				}
			}
		}
		out = append(out, g.areaScores(s.name, items)...)
	}
	return out
}

// itemOf is a question with the answer of a system, or with what stands for none;
// nil for a question that did not fall back, under the name of those that did.
func (g *Answers) itemOf(all *answers, s *system, q *question) *item {
	if it := s.items[q.ID]; it != nil {
		return it
	}
	none := &item{question: q, answer: &record.Answer{Status: record.Failed, Reason: NoAnswer}}
	if s.name == record.FallbackSystem {
		return nil
	}
	for _, other := range all.systems {
		if other.name == record.FallbackSystem && other.items[q.ID] != nil {
			none.answer = &record.Answer{Status: record.Unscored, Reason: FellBack}
		}
	}
	return none
}

// explain says of a score what a reader asks next: what was missed, what came instead.
func explain(s *record.Score, it *item) {
	if s.Status != record.Scored {
		return
	}
	switch s.Metric {
	case CitationPrecision, CitationRecall:
		if len(it.cited) == 0 {
			s.Warnings = []string{NoCitation}
		}
	}
	switch {
	case s.Metric == CitationRecall && *s.Value < 1:
		m := golden.NewMatching(it.Question)
		for _, section := range it.cited {
			m.Add(section)
		}
		for i, need := range it.Needs {
			if m.Server(i) == "" {
				s.Wanted = append(s.Wanted, need.Sections)
			}
		}
		s.Came = it.cited
	case s.Metric == KeyFactCoverage && *s.Value < 1:
		extra, err := json.Marshal(map[string][]string{"missed": it.missed()})
		if err != nil {
			panic(errors.Join(errors.New("grade: internal error: key facts that were read cannot be written"), err))
		}
		s.Extra = extra
	}
}
