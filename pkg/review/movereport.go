package review

import (
	"fmt"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// maxNew bounds the list of new sections in a report.
const maxNew = 100

// Markdown is the report of a move: what a person reads before they move the pin.
func (m *Move) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Moving the pin\n\nFrom `%s` to `%s`.\n\n", m.From, m.To)
	fmt.Fprintf(&b, "%d questions keep all their gold as it is; %d do not. Nothing here has changed the golden set but what the diff at the end shows.\n", m.Kept, len(m.Questions))
	m.section(&b, "Gold that vanished", "A person must find other gold for these, or drop them.", func(q QuestionFate) bool { return q.has(Gone, Absent) })
	m.section(&b, "Gold whose text changed", "Read these again: does the section still answer?", func(q QuestionFate) bool { return q.has(Changed, Renamed, Arrived) })
	m.section(&b, "Gold that moved", "The same text stands under another id. The change is proposed, and enters when a person says so.", func(q QuestionFate) bool { return q.has(Moved) })
	if len(m.Proposals) > 0 {
		b.WriteString("\n## Proposed questions\n\n")
		for _, p := range m.Proposals {
			fmt.Fprintf(&b, "- %s, %s: %s", code(string(p.Question)), p.Readiness, prose(p.Text))
			for _, f := range p.Gold {
				fmt.Fprintf(&b, " %s.", prose(f.say()))
			}
			b.WriteString("\n")
		}
	}
	if len(m.New) > 0 {
		fmt.Fprintf(&b, "\n## New sections\n\n%d sections are new. Gold that was complete may not be any more: look for questions that one of them answers too", len(m.New))
		if len(m.Unanswerable) > 0 {
			fmt.Fprintf(&b, ", the %d unanswerable ones among them (%s)", len(m.Unanswerable), codes(m.Unanswerable))
		}
		b.WriteString(".\n\n")
		for i, id := range m.New {
			if i == maxNew {
				fmt.Fprintf(&b, "- and %d more\n", len(m.New)-maxNew)
				break
			}
			fmt.Fprintf(&b, "- %s\n", code(string(id)))
		}
	}
	b.WriteString("\n## The change to the files\n\n")
	if diff := m.Diff(); diff != "" {
		fence := "```"
		for strings.Contains(diff, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "%sdiff\n%s%s\n", fence, diff, fence)
	} else {
		b.WriteString("None.\n")
	}
	return b.String()
}

// section lists the questions of one sort, each with all that became of its gold.
func (m *Move) section(b *strings.Builder, title, text string, of func(QuestionFate) bool) {
	first := true
	for _, q := range m.Questions {
		if !of(q) {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n## %s\n\n%s\n\n", title, text)
			first = false
		}
		fmt.Fprintf(b, "- %s: %s\n", code(string(q.Question)), prose(q.Text))
		for _, why := range q.Why {
			fmt.Fprintf(b, "  - %s\n", prose(why))
		}
	}
}

func (q QuestionFate) has(fates ...Fate) bool {
	for _, g := range q.Gold {
		for _, f := range fates {
			if g.Fate == f {
				return true
			}
		}
	}
	return false
}

// code is a text as Markdown's code, which no text breaks out of.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

func codes(ids []record.QuestionID) string {
	var all []string
	for _, id := range ids {
		all = append(all, code(string(id)))
	}
	return strings.Join(all, ", ")
}

// prose is a text as Markdown's text on one line: its punctuation means nothing.
func prose(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_[]<>#|~&!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
