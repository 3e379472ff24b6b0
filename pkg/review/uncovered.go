package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Uncovered are the sections that most want a question: those with the fewest,
// then those of the pages with the fewest for each section, then the longest;
// ties by id. Sections shorter than min characters, and those that a proposed
// question has already, are left out; so are those with more than a question.
func (c *Coverage) Uncovered(min int) []SectionCover {
	share := map[string]float64{}
	for _, f := range c.Files {
		share[f.Path] = float64(f.Questions) / float64(f.Sections)
	}
	var all []SectionCover
	for _, s := range c.Sections {
		if s.Chars >= min && len(s.Questions) <= 1 && len(s.Proposed) == 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b SectionCover) int {
		return cmp.Or(cmp.Compare(len(a.Questions), len(b.Questions)), cmp.Compare(share[a.Path], share[b.Path]),
			cmp.Compare(b.Chars, a.Chars), cmp.Compare(a.Section, b.Section))
	})
	return all
}

// Todo is a list of sections to write questions for, as Markdown.
func Todo(sections []SectionCover) string {
	var b strings.Builder
	b.WriteString("# Sections to write questions for\n\n")
	if len(sections) == 0 {
		b.WriteString("None: every section has a question, or one that is proposed.\n")
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "- [ ] %s (%d questions, %d characters)", code(string(s.Section)), len(s.Questions), s.Chars)
		if len(s.Headings) > 0 {
			fmt.Fprintf(&b, ": %s", prose(strings.Join(s.Headings, " > ")))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Markdown is the coverage as a page.
func (c *Coverage) Markdown() string {
	var b strings.Builder
	b.WriteString("# Coverage\n\nWhich sections of the docs")
	if c.Commit != "" {
		fmt.Fprintf(&b, " at `%s`", c.Commit)
	}
	b.WriteString(" questions have as gold.\n\n| Kind | Questions | Reviewed |\n|---|---|---|\n")
	for _, k := range c.Kinds {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", k.Kind, k.Questions, k.Reviewed)
	}
	b.WriteString("\n| Questions of a section | Sections |\n|---|---|\n")
	for _, n := range c.Counts {
		fmt.Fprintf(&b, "| %d | %d |\n", n.Questions, n.Sections)
	}
	b.WriteString("\n| Page | Sections | with a question | Questions |\n|---|---|---|---|\n")
	for _, f := range c.Files {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", prose(f.Path), f.Sections, f.Covered, f.Questions)
	}
	if len(c.Missing) > 0 {
		b.WriteString("\nGold that the docs do not have:\n\n")
		for _, s := range c.Missing {
			fmt.Fprintf(&b, "- %s\n", code(string(s)))
		}
	}
	b.WriteString("\n## Sections\n\n| Section | Questions | Proposed |\n|---|---|---|\n")
	for _, s := range c.Sections {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", prose(string(s.Section)), codes(s.Questions), codes(s.Proposed))
	}
	return b.String()
}
