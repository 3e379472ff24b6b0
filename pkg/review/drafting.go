package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Drafting is the drafting of questions for sections that want one.
type Drafting struct {
	Paths  Paths
	Corpus *corpus.Corpus
	// Decisions are the rulings there are: a section whose proposal was rejected is left alone.
	Decisions []Decision
	// N is how many sections, Min the fewest characters one must have.
	N, Min int
	// Note is told what became of each section; it may be nil.
	Note func(section record.SectionID, id record.QuestionID, err error)
}

// Drafted counts what became of sections.
type Drafted struct{ Proposed, Skipped, Failed int }

// Sections are those to draft questions for, by the files as they are now.
func (d *Drafting) Sections() ([]SectionCover, error) {
	data, err := ReadData(d.Paths)
	if err != nil {
		return nil, err
	}
	cover := Cover(d.Corpus, data.Golden.Records, slices.Concat(data.Proposed.Records, data.NextPin.Records))
	want := slices.DeleteFunc(cover.Uncovered(d.Min), func(s SectionCover) bool { return rejected(d.Decisions, s.Section) })
	return want[:min(d.N, len(want))], nil
}

// Run drafts one question for each section and saves each at once, so that a
// run that is killed keeps what it has. What a model fails at is counted and
// noted, and the rest goes on.
func (d *Drafting) Run(ctx context.Context, asker Asker) (Drafted, error) {
	var n Drafted
	sections, err := d.Sections()
	if err != nil {
		return n, err
	}
	for _, s := range sections {
		id, err := d.one(ctx, asker, s.Section)
		var skipped *Skipped
		var fatal *fatalError
		switch {
		case ctx.Err() != nil:
			return n, ctx.Err()
		case errors.As(err, &fatal):
			return n, fatal.error
		case errors.As(err, &skipped):
			n.Skipped++
		case err != nil:
			n.Failed++
		default:
			n.Proposed++
		}
		if d.Note != nil {
			d.Note(s.Section, id, err)
		}
	}
	return n, nil
}

// fatalError is one of the files, not of a model.
type fatalError struct{ error }

// one drafts a question for a section and saves it.
func (d *Drafting) one(ctx context.Context, asker Asker, section record.SectionID) (record.QuestionID, error) {
	data, err := ReadData(d.Paths)
	if err != nil {
		return "", &fatalError{err}
	}
	taken := func(id record.QuestionID) bool {
		return slices.ContainsFunc(data.sets(), func(s *Set) bool { return s.Of(id) != nil })
	}
	known := slices.Concat(data.Golden.Records, data.Proposed.Records, data.NextPin.Records)
	g, err := NewChecker(d.Corpus, known, nil).Draft(ctx, asker, ProposalID(section, taken), section)
	if err != nil {
		return "", err
	}
	return g.ID, Change(d.Paths, func(now *Data) error {
		if err := now.Propose(g); err != nil { // another process was faster
			return err
		}
		if err := now.Write(); err != nil {
			return &fatalError{fmt.Errorf("the proposal was not saved: %w", err)}
		}
		return nil
	})
}
