package golden

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Entry is a system that was, or is about to be, scored on the headline half.
type Entry struct {
	System record.SystemName `json:"system"`
	// Recipe is of the runs that made its hits (Recipe).
	Recipe string `json:"recipe"`
	// Commit is the commit of this project in which the choice was made.
	Commit record.Commit `json:"commit"`
	// Why says why it was chosen.
	Why string `json:"why"`
}

// Ledger lists every system that was ever scored on a headline half. A system
// is entered, and the entry committed, before it is scored: so the number of
// entries says how often that half was looked at, and lines are only ever added.
type Ledger struct {
	Name    string
	Entries []Entry
}

// ReadLedger reads a ledger: one entry a line, in JSON. An empty one is empty.
func ReadLedger(name string, r io.Reader) (*Ledger, error) {
	l := &Ledger{Name: name}
	var bad []error
	seen := map[string]int{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e Entry
		err := json.Unmarshal(lines.Bytes(), &e, json.RejectUnknownMembers(true))
		switch key := string(e.System) + "\x00" + e.Recipe; {
		case err != nil:
		case e.System == "" || e.Recipe == "" || e.Why == "":
			err = errors.New("an entry has system, recipe, commit and why")
		case !isCommit(e.Commit):
			err = fmt.Errorf("expected the full id of the commit of the choice, got %q", e.Commit)
		case seen[key] > 0:
			err = fmt.Errorf("system %q with this recipe is entered already, on line %d", e.System, seen[key])
		default:
			seen[key] = n
			l.Entries = append(l.Entries, e)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%v: %w", record.Pos{File: name, Line: n}, err))
		}
	}
	if err := lines.Err(); err != nil {
		bad = append(bad, fmt.Errorf("%s: %w", name, err))
	}
	return l, errors.Join(bad...)
}

// isCommit accepts a full id. One digit throughout is git's name for no commit,
// or somebody's for any.
func isCommit(c record.Commit) bool {
	raw, err := hex.DecodeString(string(c))
	return err == nil && (len(raw) == 20 || len(raw) == 32) && strings.Trim(string(c), string(c[:1])) != ""
}

// Admit is nil if the system with this recipe is entered. The error's hint is the line to enter.
func (l *Ledger) Admit(system record.SystemName, recipe string) error {
	for _, e := range l.Entries {
		if e.System == system && e.Recipe == recipe {
			return nil
		}
	}
	line, err := json.Marshal(Entry{system, recipe, "<full id of the commit that makes the choice>", "<why it was chosen>"})
	if err != nil {
		return err
	}
	return hint.Wrap(fmt.Errorf("system %q with recipe %s is not in %s: the headline half is scored once a system is chosen, not to choose one", system, recipe, l.Name),
		"choose on the tune half (-half tune), commit the choice, then add the line and commit it: %s", line)
}

// Recipe is a digest of how hits were made: tools, flags, models and prompts of
// their run and of the runs before it. The documents are not a part of it:
// neither commit nor pin. Hits without a run have no recipe: "".
func Recipe(run *record.Run) (string, error) {
	if run == nil {
		return "", nil
	}
	raw, err := json.Marshal(stripped(run), json.Deterministic(true))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

type recipe struct {
	Tool    string
	Flags   map[string]string
	Models  []record.Model
	Prompts map[string]string
	Seed    *uint64
	Inputs  []recipe
}

func stripped(run *record.Run) recipe {
	r := recipe{Tool: run.Tool, Flags: map[string]string{}, Models: run.Models, Prompts: run.Prompts, Seed: run.Seed}
	for name, value := range run.Flags {
		if name != "pin" {
			r.Flags[name] = value
		}
	}
	for _, in := range run.Inputs {
		r.Inputs = append(r.Inputs, stripped(in))
	}
	return r
}
