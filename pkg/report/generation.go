package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/grade"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// refusalMetrics are the two rows of the table of refusals.
var refusalMetrics = []struct {
	metric record.MetricName
	name   string
}{{grade.RefusedAnswerable, "answerable"}, {grade.RefusedUnanswerable, "unanswerable"}}

// ofAnswers says whether a part is about answers, and not about hits.
func (p *Part) ofAnswers() bool {
	return slices.ContainsFunc(p.Scores, func(s *record.Score) bool {
		return s.Metric == grade.RefusedAnswerable || s.Metric == grade.RefusedUnanswerable
	})
}

// answering are the systems that answered, without what fell back.
func (p *Part) answering() []record.SystemName {
	return names(p.Scores, func(s *record.Score) (record.SystemName, bool) {
		return s.System, s.System != record.FallbackSystem
	})
}

// refusalTable is 2×2 for each system: answered or refused, by whether the docs answer.
func (p *Part) refusalTable(pg *page) {
	var rows [][]string
	for _, system := range p.answering() {
		for _, r := range refusalMetrics {
			var answered, refused, unscored, failed int
			for _, s := range p.Scores {
				if s.System != system || s.Metric != r.metric {
					continue
				}
				switch {
				case s.Status == record.Unscored:
					unscored++
				case s.Value == nil:
					failed++
				case *s.Value == 0:
					answered++
				default:
					refused++
				}
			}
			if answered+refused+unscored+failed == 0 {
				continue
			}
			rate := "–"
			for _, iv := range p.means("") {
				if iv.System == system && iv.Metric == r.metric {
					rate = p.figure(iv)
				}
			}
			rows = append(rows, []string{text(string(system)), r.name, fmt.Sprint(answered), fmt.Sprint(refused), fmt.Sprint(unscored), fmt.Sprint(failed), rate})
		}
	}
	if len(rows) == 0 {
		return
	}
	pg.heading(3, "Refusals")
	pg.para("Right is to answer the answerable and to refuse the unanswerable. Neither rate says anything without the other.")
	pg.table([]string{"system", "questions", "answered>", "refused>", "unscored>", "error>", "share refused"}, rows)
}

// trouble is what a reader of one answer must know.
type trouble struct {
	score  *record.Score // one of the question's, for its names
	what   []string
	wanted []record.Need
	came   []record.SectionID
	missed []string // key facts
}

// shortfalls lists the answers of one system that fall short.
func (p *Part) shortfalls(pg *page) {
	pg.heading(3, "Answers that fall short")
	system := p.focus
	if system == "" {
		all := p.answering()
		if len(all) == 0 {
			return
		}
		system = all[0]
	}
	troubles, questions := p.troubles(system)
	pg.para("Of %s, %d of %d: refused or answered wrongly, failed, a need that is not cited, or a key fact that is not said.",
		text(string(system)), len(troubles), questions)
	var rows [][]string
	for _, t := range troubles[:min(maxMisses, len(troubles))] {
		cited := "–"
		if len(t.wanted) > 0 {
			cited = came(t.came)
		}
		rows = append(rows, []string{
			text(string(t.score.Question.ID)), text(t.score.Question.Text), dash(strings.Join(t.what, "<br>")),
			dash(wanted(t.wanted)), cited, dash(join(t.missed, "<br>")),
		})
	}
	pg.table([]string{"id", "question", "what", "not cited", "cited instead", "not said"}, rows)
	if more := len(troubles) - maxMisses; more > 0 {
		pg.para("And %d more.", more)
	}
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// troubles are those of a system's questions that have any, in the order of the scores, and the number of its questions.
func (p *Part) troubles(system record.SystemName) (short []*trouble, questions int) {
	var all []*trouble
	byID := map[record.QuestionID]*trouble{}
	for _, s := range p.Scores {
		if s.System != system {
			continue
		}
		t := byID[s.Question.ID]
		if t == nil {
			t = &trouble{score: s}
			byID[s.Question.ID] = t
			all = append(all, t)
		}
		t.add(s)
	}
	for _, t := range all {
		if len(t.what)+len(t.wanted)+len(t.missed) > 0 {
			short = append(short, t)
		}
	}
	return short, len(all)
}

// add takes what a score says of its question.
func (t *trouble) add(s *record.Score) {
	say := func(what string) {
		if !slices.Contains(t.what, what) {
			t.what = append(t.what, what)
		}
	}
	switch {
	case s.Status == record.Failed:
		say("error: " + text(s.Reason))
		return
	case s.Value == nil: // refused, which the rate of refusals says
		return
	}
	switch s.Metric {
	case grade.RefusedAnswerable:
		if *s.Value > 0 {
			say("refused, and the docs answer it")
		}
	case grade.RefusedUnanswerable:
		if *s.Value == 0 {
			say("answered, and the docs do not answer it")
		}
	case grade.Ungrounded:
		if *s.Value > 0 {
			say("cites nothing")
		}
	case grade.CitationRecall:
		t.wanted, t.came = s.Wanted, s.Came
	case grade.KeyFactCoverage:
		var extra struct {
			Missed []string `json:"missed"`
		}
		if err := json.Unmarshal(s.Extra, &extra); err == nil { // else nothing was missed, or another program wrote it
			t.missed = extra.Missed
		}
	}
}
