package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/boot"
	"github.com/mobiumdev/mobium-rag/pkg/control"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// The words that stand in place of a figure.
const (
	broken         = "broken"
	notEstablished = "not established"
	untrusted      = "untrusted"
	noValue        = "no value"
	withheld       = "withheld"
)

// standing says whether a figure may be shown; where word is not "", why not.
type standing struct{ word, why string }

func (s standing) shown() bool { return s.word == "" }

// differenceControls are those that mr-boot runs on differences.
var differenceControls = []string{"A against A", "planted +0.1"}

// standing judges an interval by the controls that are in the streams, and by mr-boot.
func (p *Part) standing(iv *record.Interval) standing {
	var failed, open, seen []string
	seenDifferences := 0
	raters := p.ratersOf(iv)
	for _, c := range p.Controls {
		ofDifferences := slices.Contains(differenceControls, c.Control)
		if c.Metric != iv.Metric || ofDifferences && iv.Baseline == "" ||
			c.Judge != "" && !slices.Contains(raters, c.Judge) ||
			c.System != "" && c.System != iv.System && c.System != iv.Baseline {
			continue
		}
		if ofDifferences {
			seenDifferences++
		} else {
			seen = append(seen, c.Control)
		}
		said := evidence(c)
		switch { // in short where there are tables of the controls, and of another rater the name alone
		case c.Judge != "" && c.Judge != iv.Judge:
			said = "judge " + c.Judge + ": " + c.Control
		case slices.Contains(record.JudgeControls(c.Metric), c.Control):
			said = fmt.Sprintf("%s missed %d of %d", c.Control, c.Misses, c.N)
		}
		switch {
		case c.OK == record.ControlFailed:
			failed = append(failed, said)
		case c.OK == record.ControlNotEstablished && c.Reason != boot.OneLabel:
			open = append(open, said)
		}
	}
	unseen := p.unseen(iv, raters)
	switch {
	case len(failed) > 0:
		return standing{broken, strings.Join(failed, "; ")}
	case len(open) > 0:
		return standing{notEstablished, strings.Join(open, "; ")}
	case !iv.Trusted && valueless(iv):
		return standing{noValue, iv.Reason}
	case !iv.Trusted && boot.Excused(iv):
		return standing{withheld, strings.TrimPrefix(iv.Reason, "withheld: ")}
	case !iv.Trusted:
		return standing{untrusted, iv.Reason}
	case len(seen) == 0:
		return standing{untrusted, "no controls seen"}
	case unseen != "":
		return standing{untrusted, unseen}
	case slices.Contains(seen, control.Oracle) != slices.Contains(seen, control.Random):
		return standing{untrusted, "of the controls oracle and random only one was seen"}
	case iv.Baseline != "" && seenDifferences < len(differenceControls):
		return standing{untrusted, "no controls of differences seen"}
	case iv.Value == nil:
		return standing{noValue, "the record holds none"}
	}
	return standing{}
}

// valueless says that nothing is wrong but that there is no value.
func valueless(iv *record.Interval) bool {
	return strings.HasPrefix(iv.Reason, "undefined (") || iv.N == 0 && !boot.Excused(iv)
}

// evidence is what a control should have given, and what it gave.
func evidence(c *record.Control) string {
	s := fmt.Sprintf("%s: expected %s, got %s", c.Control, c.Expect, c.Got)
	if c.Reason != "" {
		s += " (" + c.Reason + ")"
	}
	return s
}

// figure is an interval as a table shows it.
func (p *Part) figure(iv *record.Interval) string {
	if s := p.standing(iv); !s.shown() {
		return "**" + s.word + "**: " + text(s.why)
	}
	number := decimal
	if iv.Baseline != "" {
		number = signed
	}
	if iv.Lo == nil || iv.Hi == nil {
		return number(*iv.Value) + " (no interval)"
	}
	return fmt.Sprintf("%s [%s, %s]", number(*iv.Value), number(*iv.Lo), number(*iv.Hi))
}
