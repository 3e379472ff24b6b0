package boot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The members of a control that say what it stands behind: a judge's the scores
// of its metric, one of agreement the pairs of its two raters, and which of the
// two are judges. A number is shown only where just these came with it: marks
// that were dropped, added or changed behind a control are no longer those that
// the control is of. It is no signature: it sees mistakes, and not a forger.
const (
	behindMember = "behind"
	judgesMember = "judges"
)

// Seal tells records from others: their number, and a hash that does not depend on their order.
func Seal(what string, lines []string) string {
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("%d %s, sha256 %s", len(lines), what, hex.EncodeToString(sum[:8]))
}

// Sealed is what a control says it stands behind, "" for nothing.
func Sealed(c *record.Control) string {
	var m struct {
		Behind string `json:"behind"`
	}
	if len(c.Extra) == 0 || json.Unmarshal(c.Extra, &m) != nil {
		return ""
	}
	return m.Behind
}

// SetSeal writes what a control stands behind.
func SetSeal(c *record.Control, seal string) error { return setMember(c, behindMember, seal) }

func setMember(c *record.Control, name string, value any) error {
	members := map[string]jsontext.Value{}
	var err error
	if len(c.Extra) > 0 {
		err = json.Unmarshal(c.Extra, &members)
	}
	text, merr := json.Marshal(value)
	members[name] = text
	extra, xerr := json.Marshal(members, json.Deterministic(true))
	c.Extra = extra
	return errors.Join(err, merr, xerr)
}

// SealControls writes into the controls of judges and of agreement which scores
// and pairs they stand behind.
func SealControls(controls []*record.Control, scores []*record.Score, pairs []*record.Pair) error {
	judges := map[string]bool{}
	for _, s := range scores {
		judges[s.Judge] = true
	}
	var errs []error
	for _, c := range controls {
		switch {
		case ofAgreement(c):
			mine := pairsOfRaters(pairs, c.Metric, c.Judge)
			errs = append(errs, SetSeal(c, sealPairs(mine)))
			known := []string{}
			if len(mine) > 0 {
				for _, rater := range []string{mine[0].RaterA, mine[0].RaterB} {
					if judges[rater] {
						known = append(known, rater)
					}
				}
			}
			errs = append(errs, setMember(c, judgesMember, known))
		case slices.Contains(record.JudgeControls(c.Metric), c.Control):
			errs = append(errs, SetSeal(c, sealScores(scoresOf(scores, measure{c.Metric, c.Judge}))))
		}
	}
	return errors.Join(errs...)
}

func ofAgreement(c *record.Control) bool {
	return record.JudgeControls(c.Metric) != nil && (c.Control == Itself || c.Control == Permuted)
}

func scoresOf(scores []*record.Score, m measure) []*record.Score {
	var all []*record.Score
	for _, s := range scores {
		if s.Metric == m.metric && s.Judge == m.judge {
			all = append(all, s)
		}
	}
	return all
}

func pairsOfRaters(pairs []*record.Pair, metric record.MetricName, both string) []*record.Pair {
	var all []*record.Pair
	for _, p := range pairs {
		if p.Metric == metric && Raters(p.RaterA, p.RaterB) == both {
			all = append(all, p)
		}
	}
	return all
}

// sealScores does not depend on how a program prints the last digits of a number.
func sealScores(scores []*record.Score) string {
	lines := []string{}
	for _, s := range scores {
		value := "-"
		if s.Value != nil {
			value = fmt.Sprintf("%.9g", *s.Value)
		}
		lines = append(lines, fmt.Sprintf("%q %q %q %q %q %s %q %s %.9g", s.Question.ID, s.AskedFor, s.System, s.Judge, s.Metric, s.Status, s.Reason, value, s.Of))
	}
	return Seal("scores", lines)
}

func sealPairs(pairs []*record.Pair) string {
	lines := []string{}
	for _, p := range pairs {
		lines = append(lines, fmt.Sprintf("%q %q %q %q %q %s %s %v %.9g", p.Question.ID, p.System, p.Metric, p.RaterA, p.RaterB, p.MarkA, p.MarkB, p.Independent, p.Weight))
	}
	return Seal("pairs", lines)
}

// behindOthers is why controls do not stand behind what came, whose seal is given; nil if they do.
func behindOthers(controls []*record.Control, came string) []string {
	var all []string
	for _, c := range controls {
		why := ""
		switch said := Sealed(c); said {
		case came:
		case "":
			why = "its controls do not say which marks they stand behind"
		default:
			why = fmt.Sprintf("its controls stand behind other marks (%s) than came (%s)", said, came)
		}
		if why != "" && !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	return all
}

// called says whether a control of agreement calls a rater a judge.
func called(c *record.Control, rater string) bool {
	var m struct {
		Judges []string `json:"judges"`
	}
	return ofAgreement(c) && len(c.Extra) > 0 && json.Unmarshal(c.Extra, &m) == nil && slices.Contains(m.Judges, rater)
}
