package review

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Action is what a person rules.
type Action string

// The actions. The first three are on a question of the set, the next two on a
// proposed one; a withdrawal takes back the ruling on either. A remark is a note
// on a question of either kind that stays undecided: Apply passes over it.
const (
	Approve  Action = "approve"
	Edit     Action = "edit"
	Drop     Action = "drop"
	Enter    Action = "enter"
	Reject   Action = "reject"
	Withdraw Action = "withdraw"
	Remark   Action = "remark"
)

// Unreviewed is the review member of a question that nobody has reviewed.
const Unreviewed = "draft"

// Decision is one person's ruling on one question. Rule makes one that Put takes.
type Decision struct {
	Question record.QuestionID `json:"question"`
	Action   Action            `json:"action"`
	// Base is the hash of the record it was made on.
	Base string `json:"base"`
	// Result is the hash of the record as Apply will write it, "" where it will be gone.
	Result string `json:"result,omitempty"`
	// Golden is the question as it shall be: for edit, and for enter where the
	// proposal is not taken as it stands. Its review and its unknown members do
	// not matter: the record's own are kept.
	Golden *record.Golden `json:"golden,omitempty"`
	// Found, where not empty, becomes the question's found: a defect in the docs.
	Found string `json:"found,omitempty"`
	// Note is for other reviewers. It stays here.
	Note string `json:"note,omitempty"`
	By   string `json:"by"`
	// At is when, RFC 3339 in UTC.
	At string `json:"at"`
	// Seq is the ruling's number in the history, from 1. Put gives it.
	Seq int `json:"seq"`
}

// Hash is of everything in a golden record.
func Hash(g *record.Golden) string {
	line, err := Line(g)
	if err != nil {
		panic("review: internal error: a golden record has no JSON: " + err.Error())
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:8])
}

// Line is a golden record as one line of JSON, without the newline.
func Line(g *record.Golden) ([]byte, error) {
	c := *g
	c.Type = record.KindGolden
	return json.Marshal(&c, json.Deterministic(true), jsontext.PreserveRawStrings(true))
}

// Stale is the error of a ruling on a record that is no longer what it was.
type Stale struct {
	Question record.QuestionID
	// Now is the record's hash.
	Now string
}

func (s *Stale) Error() string {
	return fmt.Sprintf("question %q changed since it was shown", s.Question)
}

// saved says what keeps a ruling out of the file.
func (d *Decision) saved() error {
	err := d.validate()
	switch d.Action {
	case Approve, Edit, Enter:
		if d.Result == "" {
			err = errors.Join(err, fmt.Errorf("question %q: \"result\" is missing: Rule gives it", d.Question))
		}
	}
	return err
}

// Rule completes a ruling on the record that is now in the golden set, or
// among the proposals: it sets Base and Result, and says what is wrong with it.
// A Base that is already set must be the record's, or the error is a *Stale.
// A withdrawal needs no completing: its question may be gone.
func Rule(now *record.Golden, d Decision) (Decision, error) {
	hash := Hash(now)
	if d.Base != "" && d.Base != hash {
		return d, &Stale{Question: d.Question, Now: hash}
	}
	d.Base, d.Result = hash, ""
	if err := d.validate(); err != nil {
		return d, err
	}
	after, err := d.Outcome(now)
	if err != nil {
		return d, err
	}
	if after != nil {
		d.Result = Hash(after)
	}
	return d, nil
}

// Outcome is the record that the ruling makes of the one it was made on, nil
// where it makes none.
func (d *Decision) Outcome(now *record.Golden) (*record.Golden, error) {
	if now.ID != d.Question {
		return nil, fmt.Errorf("the ruling is on question %q, the record is of %q", d.Question, now.ID)
	}
	var g record.Golden
	switch d.Action {
	case Drop, Reject, Withdraw, Remark:
		return nil, nil
	case Approve:
		g = *now
	case Edit, Enter:
		g = *now
		if d.Golden != nil {
			g = *d.Golden
			g.Extra = now.Extra
		}
	}
	if d.Found != "" {
		g.Found = d.Found
	}
	g.Review = d.stamp()
	var err error
	if g.Extra, err = without(g.Extra, passing); err != nil {
		return nil, fmt.Errorf("question %q: %w", d.Question, err)
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("question %q: %s", d.Question, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return &g, nil
}

// stamp is the review member of a question that was ruled on: NAME, DATE.
func (d *Decision) stamp() string { return d.By + ", " + d.At[:len("2006-01-02")] }

// validate says what the ruling lacks.
func (d *Decision) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.Question == "" {
		bad(`"question" is missing or empty`)
	}
	switch d.Action {
	case Approve, Drop, Reject, Withdraw, Remark:
		if d.Golden != nil {
			bad("action %s carries a golden record: only edit and enter do", d.Action)
		}
		if d.Action == Remark && strings.TrimSpace(d.Note) == "" {
			bad("a remark needs a note")
		}
		if d.Action == Remark && d.Found != "" {
			bad("a remark carries a defect of the docs: it is kept with a ruling")
		}
	case Edit:
		if d.Golden == nil {
			bad("action edit needs the golden record as it shall be")
		}
	case Enter:
	default:
		bad("expected action approve, edit, drop, enter, reject, withdraw or remark, got %q", d.Action)
	}
	if d.Golden != nil {
		if d.Golden.ID != d.Question {
			bad("the golden record is of question %q: ids are not changed", d.Golden.ID)
		}
		if err := d.Golden.Validate(); err != nil {
			bad("golden: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	if d.Base == "" && d.Action != Withdraw {
		bad(`"base" is missing or empty`)
	}
	if strings.TrimSpace(d.By) == "" || strings.ContainsAny(d.By, "\n\r") {
		bad(`"by" must name the person, on one line`)
	} else if d.By == Unreviewed {
		bad("a person called %q cannot be told from a question that nobody reviewed", Unreviewed)
	}
	if at, err := time.Parse(time.RFC3339, d.At); err != nil || !strings.HasSuffix(d.At, "Z") {
		bad("expected \"at\" as RFC 3339 in UTC, such as 2026-12-01T09:30:00Z, got %q", d.At)
	} else if at.Year() < 1000 {
		bad("\"at\" is %q", d.At)
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("question %q: %w", d.Question, errors.Join(errs...))
}
