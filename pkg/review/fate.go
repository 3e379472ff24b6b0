package review

import (
	"fmt"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Fate is what became of a section between two commits.
type Fate string

// The fates. The text of a section is that of its passages, so the headings
// above it may change without it.
const (
	Kept    Fate = "kept"
	Moved   Fate = "moved"        // the same text, under other ids
	Renamed Fate = "renamed"      // the same text but for its first line, the heading, under other ids
	Changed Fate = "text changed" // the same id
	Gone    Fate = "vanished"
	Absent  Fate = "was not there" // at either commit
	Arrived Fate = "is there now"
)

// SectionFate is a section of a question's gold with what became of it.
type SectionFate struct {
	Section record.SectionID `json:"section"`
	Fate    Fate             `json:"fate"`
	// To is where its text stands now, when it moved or was renamed.
	To []record.SectionID `json:"to,omitempty"`
}

// texts are the sections of a corpus with their texts, parts joined.
func texts(c *corpus.Corpus) map[record.SectionID]string {
	all := make(map[record.SectionID]string, len(c.Sections))
	for _, id := range c.Sections {
		var parts []string
		for _, p := range c.Section(id) {
			parts = append(parts, p.Text)
		}
		all[id] = strings.Join(parts, "\n\n")
	}
	return all
}

// body is a text less its first line, "" where nothing else is in it.
func body(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(rest)
}

// whereabouts prepares the look-up of texts. A heading without text says
// nothing about where it went, and is not looked up.
func (m *mover) whereabouts(now *corpus.Corpus) {
	m.known, m.byText, m.byBody = map[string]bool{}, map[string][]record.SectionID{}, map[string][]record.SectionID{}
	m.revised = map[record.QuestionID]bool{}
	for _, text := range m.old {
		m.known[text] = true
	}
	for _, id := range now.Sections {
		text := m.now[id]
		if b := body(text); b != "" {
			m.byText[text] = append(m.byText[text], id)
			m.byBody[b] = append(m.byBody[b], id)
		}
	}
}

// fate is what became of a section.
func (m *mover) fate(id record.SectionID) SectionFate {
	was, before := m.old[id]
	is, after := m.now[id]
	f := SectionFate{Section: id}
	switch {
	case !before && after:
		f.Fate = Arrived
	case !before:
		f.Fate = Absent
	case after && was == is:
		f.Fate = Kept
	case len(m.byText[was]) > 0:
		f.Fate, f.To = Moved, m.byText[was]
	case after:
		f.Fate = Changed
	case len(m.byBody[body(was)]) > 0:
		f.Fate, f.To = Renamed, m.byBody[body(was)]
	default:
		f.Fate = Gone
	}
	return f
}

// say says what became of a section in a sentence.
func (f SectionFate) say() string {
	var to []string
	for _, s := range f.To {
		to = append(to, string(s))
	}
	switch f.Fate {
	case Moved:
		return fmt.Sprintf("%s moved to %s", f.Section, strings.Join(to, ", "))
	case Renamed:
		return fmt.Sprintf("%s has another heading and is %s", f.Section, strings.Join(to, ", "))
	case Changed:
		return fmt.Sprintf("the text of %s changed", f.Section)
	}
	return fmt.Sprintf("%s %s", f.Section, f.Fate)
}
