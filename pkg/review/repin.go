package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// QuestionFate is a question some of whose gold did not stay as it was.
type QuestionFate struct {
	Question record.QuestionID `json:"question"`
	Text     string            `json:"text"`
	// Gold are the sections that did not stay.
	Gold []SectionFate `json:"gold"`
	// Revised says that a change of its gold is proposed; if not, and gold moved
	// or vanished, a person must find other gold: Why says so.
	Revised bool `json:"revised"`
	// Reopen says that a person must read it again: a text changed, or is gone.
	Reopen bool `json:"reopen"`
	// Why says each thing in a sentence.
	Why []string `json:"why"`
}

// Readiness is what a pin means to proposed questions.
type Readiness string

// The kinds of readiness: is all gold of a proposed question there?
const (
	BecameReady Readiness = "became ready"
	Ready       Readiness = "ready as before"
	LostGold    Readiness = "lost gold"
	NotReady    Readiness = "not ready"
)

// ProposalFate is a proposed question with its readiness, and the gold that is not there.
type ProposalFate struct {
	Question  record.QuestionID `json:"question"`
	Text      string            `json:"text"`
	File      string            `json:"file"`
	Readiness Readiness         `json:"readiness"`
	Gold      []SectionFate     `json:"gold,omitempty"`
}

// Move is what moving the pin does to gold. Its Data is the files as they would
// be: changed are the proposed changes in the file of the next pin and, where it
// was asked for, the questions opened again.
type Move struct {
	*Data     `json:"-"`
	From, To  record.Commit
	Kept      int // questions with gold, all of which stayed
	Questions []QuestionFate
	Proposals []ProposalFate
	// New are the sections whose id and text are new: they may answer questions
	// whose gold was complete, and unanswerable ones.
	New          []record.SectionID
	Unanswerable []record.QuestionID
}

// Repin compares the gold of all questions at two commits. It writes nothing.
//
// A question whose gold moved gets a proposed change with the same id in the
// file of the next pin, in place of one that an earlier Repin made; one of an
// earlier Repin that no longer says anything is taken out. With reopen, a
// reviewed question some of whose gold changed or vanished is a draft again,
// and its member "reopened" names the new commit, so that the ruling that
// approved it before does not count for it.
func Repin(old, now *corpus.Corpus, d *Data, reopen bool) (*Move, error) {
	m := &mover{old: texts(old), now: texts(now), Move: &Move{Data: &Data{d.Golden, d.Proposed, d.NextPin}, From: old.Commit, To: now.Commit}}
	if old.Commit == now.Commit && old.Commit != "" {
		return nil, fmt.Errorf("both corpora are of commit %s: there is no move", old.Commit)
	}
	m.whereabouts(now)
	for _, g := range d.Golden.Records {
		if g.AskedFor == record.Unanswerable {
			m.Unanswerable = append(m.Unanswerable, g.ID)
			continue
		}
		if err := m.question(g, reopen); err != nil {
			return nil, err
		}
	}
	for _, g := range d.NextPin.Records { // changes that are no longer called for
		if of, err := revises(g); err != nil {
			return nil, fmt.Errorf("question %q: %w", g.ID, err)
		} else if of != "" && !m.revised[g.ID] {
			m.NextPin = m.NextPin.changed()
			m.NextPin.remove(g.ID)
		}
	}
	for _, s := range []*Set{d.Proposed, d.NextPin} {
		for _, g := range s.Records {
			if of, _ := revises(g); of == "" {
				m.Proposals = append(m.Proposals, m.proposal(g, s.Name))
			}
		}
	}
	slices.SortFunc(m.Proposals, func(a, b ProposalFate) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.File, b.File))
	})
	for _, id := range now.Sections {
		text := m.now[id]
		if _, ok := m.old[id]; !ok && !m.known[text] {
			m.New = append(m.New, id)
		}
	}
	return m.Move, nil
}

type mover struct {
	*Move
	old, now map[record.SectionID]string
	known    map[string]bool               // the old texts
	byText   map[string][]record.SectionID // at the new commit
	byBody   map[string][]record.SectionID // less their first line
	revised  map[record.QuestionID]bool
}

// question looks at one question of the set.
func (m *mover) question(g *record.Golden, reopen bool) error {
	q := QuestionFate{Question: g.ID, Text: g.Question}
	moved, hole := false, false
	var gold []record.Need
	for i, need := range g.Gold {
		var after record.Need
		for _, id := range need {
			f := m.fate(id)
			after = append(after, m.place(f)...)
			if f.Fate == Kept {
				continue
			}
			q.Gold, q.Why = append(q.Gold, f), append(q.Why, f.say())
			moved = moved || f.Fate != Changed && f.Fate != Arrived
			q.Reopen = q.Reopen || f.Fate != Moved
		}
		if after = unique(after); len(after) == 0 {
			hole = true
			q.Why = append(q.Why, fmt.Sprintf("need %d is left without gold: a person must find other gold, or drop the need or the question", i+1))
		}
		gold = append(gold, after)
	}
	if len(q.Gold) == 0 {
		m.Kept++
		return nil
	}
	if moved && !hole {
		if err := m.revise(g, gold, &q); err != nil {
			return err
		}
	}
	m.Questions = append(m.Questions, q)
	if !reopen || !q.Reopen || !Reviewed(g) {
		return nil
	}
	open := *g
	open.Review = Unreviewed
	var err error
	if open.Extra, err = with(g.Extra, Reopened, string(m.To)); err != nil {
		return err
	}
	m.Golden = m.Golden.changed()
	return m.Golden.replace(&open)
}

// place is where a section of gold stands now, nothing if it is gone.
func (m *mover) place(f SectionFate) []record.SectionID {
	switch f.Fate {
	case Kept, Changed, Arrived:
		return []record.SectionID{f.Section}
	}
	return f.To
}

func unique(need record.Need) record.Need {
	var once record.Need
	for _, s := range need {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// revise proposes other gold for a question.
func (m *mover) revise(g *record.Golden, gold []record.Need, q *QuestionFate) error {
	change := *g
	change.Gold, change.Review = gold, Unreviewed
	var err error
	if change.Extra, err = without(g.Extra, passing); err == nil {
		change.Extra, err = with(change.Extra, Revises, Content(g))
	}
	if err == nil {
		change.Extra, err = with(change.Extra, Why, q.Why)
	}
	if err != nil {
		return err
	}
	if err := Sound(&change); err != nil {
		q.Why = append(q.Why, fmt.Sprintf("the gold as it moved is not sound (%v): a person must set it right", err))
		return nil
	}
	if there := m.NextPin.Of(g.ID); there != nil {
		of, err := revises(there)
		if err != nil {
			return fmt.Errorf("question %q: %w", g.ID, err)
		}
		if of == "" {
			q.Why = append(q.Why, fmt.Sprintf("%s proposes another question of that id: give it a new one", m.NextPin.Name))
			return nil
		}
	}
	q.Revised, m.revised[g.ID] = true, true
	if there := m.NextPin.Of(g.ID); there != nil && Hash(there) == Hash(&change) {
		return nil
	} else if there != nil {
		m.NextPin = m.NextPin.changed()
		return m.NextPin.replace(&change)
	}
	m.NextPin = m.NextPin.changed()
	return m.NextPin.add(&change)
}

// proposal looks at one proposed question.
func (m *mover) proposal(g *record.Golden, file string) ProposalFate {
	p := ProposalFate{Question: g.ID, Text: g.Question, File: file}
	before, after := true, true
	for _, need := range g.Gold {
		for _, id := range need {
			_, was := m.old[id]
			_, is := m.now[id]
			before, after = before && was, after && is
			if !is {
				p.Gold = append(p.Gold, m.fate(id))
			}
		}
	}
	switch {
	case after && before:
		p.Readiness = Ready
	case after:
		p.Readiness = BecameReady
	case before:
		p.Readiness = LostGold
	default:
		p.Readiness = NotReady
	}
	return p
}
