package review

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Refusal is a ruling that was not applied, and why.
type Refusal struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason"`
}

// Applied is what decisions make of the data.
type Applied struct {
	// Data is the files as they shall be: Diff and Write are its methods.
	*Data
	// Done are the decisions that changed something, in the order of their questions.
	Done []Decision
	// Refused are those about a question that changed since or is gone, and those
	// whose result would be no sound question.
	Refused []Refusal
}

// Apply makes the change and writes nothing. With a corpus, a question whose
// gold it does not have is not written. Proposed questions that enter are
// appended in the order of their ids.
//
// It is idempotent: a decision that was applied before changes nothing, and is
// not refused.
func Apply(d *Data, decisions []Decision, c *corpus.Corpus) (*Applied, error) {
	a := &applier{Applied: &Applied{Data: &Data{d.Golden, d.Proposed, d.NextPin}}, corpus: c}
	decisions = slices.Clone(decisions)
	slices.SortFunc(decisions, func(a, b Decision) int { return strings.Compare(string(a.Question), string(b.Question)) })
	for _, one := range decisions {
		done, err := a.apply(&one)
		var refused refusal
		switch {
		case errors.As(err, &refused):
			a.Refused = append(a.Refused, Refusal{one, refused.Error()})
		case err != nil:
			return nil, err
		case done:
			a.Done = append(a.Done, one)
		}
	}
	return a.Applied, nil
}

type refusal struct{ error }

func refusef(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

type applier struct {
	*Applied
	corpus *corpus.Corpus
}

// apply applies one decision, and tells whether something changed.
func (a *applier) apply(d *Decision) (bool, error) {
	switch d.Action {
	case Approve, Edit, Drop:
		return a.onGolden(d)
	case Enter, Reject:
		return a.onProposed(d)
	}
	return false, nil // withdrawn, or undecided
}

func (a *applier) onGolden(d *Decision) (bool, error) {
	now := a.Golden.Of(d.Question)
	switch {
	case now == nil && d.Action == Drop:
		return false, nil
	case now == nil:
		return false, refusef("the golden set has no such question")
	case d.Result != "" && Hash(now) == d.Result:
		return false, nil
	case Hash(now) != d.Base:
		return false, refusef("the question changed since: rule on it again")
	}
	after, err := a.outcome(d, now)
	if err != nil {
		return false, err
	}
	a.Golden = a.Golden.changed()
	if after == nil {
		a.Golden.remove(d.Question)
		return true, nil
	}
	return true, a.Golden.replace(after)
}

func (a *applier) onProposed(d *Decision) (bool, error) {
	from := &a.Proposed
	if a.Proposed.Of(d.Question) == nil {
		from = &a.NextPin
	}
	proposed, now := (*from).Of(d.Question), a.Golden.Of(d.Question)
	there := d.Action == Enter && now != nil && Hash(now) == d.Result
	switch {
	case proposed == nil && (there || d.Action == Reject):
		return false, nil
	case proposed == nil && now != nil:
		return false, refusef("the question entered, and changed since: rule on it again")
	case proposed == nil:
		return false, refusef("the question is no longer proposed")
	case there && Hash(proposed) != d.Base: // it entered before; this is another proposal
		return false, nil
	case Hash(proposed) != d.Base:
		return false, refusef("the proposal changed since: rule on it again")
	}
	if d.Action == Enter && !there {
		after, err := a.outcome(d, proposed)
		if err != nil {
			return false, err
		}
		if err := a.enter(after, proposed, now); err != nil {
			return false, err
		}
	}
	*from = (*from).changed()
	(*from).remove(d.Question)
	return true, nil
}

// enter puts a proposed question into the set, or in the place of the one it is a change of.
func (a *applier) enter(after, proposed, now *record.Golden) error {
	of, err := revises(proposed)
	if err != nil {
		return err
	}
	switch {
	case now == nil && of != "":
		return refusef("the question it is a change of is no longer there")
	case now != nil && of == "":
		return refusef("the golden set has another question of that id: give the proposal a new one")
	case now != nil && of != Content(now):
		return refusef("the question it is a change of changed since: rule on the question itself")
	}
	a.Golden = a.Golden.changed()
	if now != nil {
		return a.Golden.replace(after)
	}
	return a.Golden.add(after)
}

// outcome is what a decision makes of a record, checked.
func (a *applier) outcome(d *Decision, now *record.Golden) (*record.Golden, error) {
	after, err := d.Outcome(now)
	if err != nil {
		return nil, refusal{err}
	}
	if after == nil {
		return nil, nil
	}
	if Hash(after) != d.Result {
		return nil, refusef("the decision does not make what it says it does (result %s, expected %s): rule on the question again", Hash(after), d.Result)
	}
	if err := Sound(after); err != nil {
		return nil, refusal{err}
	}
	if gone := missing(a.corpus, after); len(gone) > 0 {
		return nil, refusef("the corpus does not have the gold %q", gone)
	}
	return after, nil
}

// Sound is nil if a golden set can hold the record: no need names a section
// twice, and some list meets all needs.
func Sound(g *record.Golden) error {
	text, err := Line(g)
	if err != nil {
		return err
	}
	const name = "record"
	if _, err = golden.Read(record.NewReader(record.Source{Name: name, Reader: bytes.NewReader(text)})); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), name+":1: "))
	}
	return nil
}

// missing are the gold sections that a corpus does not have, none without a corpus.
func missing(c *corpus.Corpus, g *record.Golden) []record.SectionID {
	if c == nil {
		return nil
	}
	var gone []record.SectionID
	for _, need := range g.Gold {
		for _, s := range need {
			if len(c.Section(s)) == 0 {
				gone = append(gone, s)
			}
		}
	}
	return gone
}

// Content is the hash of a question less its review and what Repin does to
// it, so that a proposed change outlasts the question's being opened again.
func Content(g *record.Golden) string {
	c := *g
	c.Review = ""
	var err error
	if c.Extra, err = without(g.Extra, passing); err != nil {
		panic("review: internal error: a golden record with bad extra members: " + err.Error())
	}
	return Hash(&c)
}

// revises is the content of the question that a proposal is a change of, "" for a new question.
func revises(g *record.Golden) (string, error) {
	all, err := members(g.Extra)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if m.name == Revises {
			var hash string
			if err := json.Unmarshal(m.value, &hash); err != nil {
				return "", refusef("the proposal's %q is no hash", Revises)
			}
			return hash, nil
		}
	}
	return "", nil
}
