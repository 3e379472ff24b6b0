package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/score"
)

// Report is what is made of results.
type Report struct {
	*Results
	// Title of the page, and a remark under it, which may be empty.
	Title, Note string
	// Name is that of the page's file; the plots' names begin with it.
	Name string
	// System is the one whose misses and gains are listed, in the parts that have it; "" is the best of each.
	System record.SystemName
}

// File is a file to be written.
type File struct {
	Name string // without a folder
	Data []byte
}

// Files makes the page and its plots, the page last.
func (r *Report) Files() ([]File, error) {
	if err := r.focus(); err != nil {
		return nil, err
	}
	var p page
	var plots []File
	p.heading(1, text(r.Title))
	if r.Note != "" {
		p.para("%s", text(r.Note))
	}
	r.verdict(&p)
	r.glance(&p)
	r.measured(&p)
	r.controls(&p)
	for _, part := range r.Parts {
		drawn, err := r.part(&p, part)
		if err != nil {
			return nil, err
		}
		plots = append(plots, drawn...)
	}
	r.latency(&p)
	r.provenance(&p)
	return append(plots, File{r.Name, []byte(p.b.String())}), nil
}

// focus tells the parts which system to look at.
func (r *Report) focus() error {
	if r.System == "" {
		return nil
	}
	var all []string
	found := false
	for _, part := range r.Parts {
		for _, row := range rowsOf(part.means("")) {
			if !slices.Contains(all, string(row.system)) {
				all = append(all, string(row.system))
			}
			if row.system == r.System {
				part.focus, found = r.System, true
			}
		}
	}
	if !found {
		return fmt.Errorf("system %q has no interval; there are some of %s", r.System, strings.Join(all, ", "))
	}
	return nil
}

// part writes the figures of one part and returns its plots.
func (r *Report) part(p *page, part *Part) ([]File, error) {
	p.heading(2, capital(title(part.Half)))
	if says := r.chosen(part); says != "" {
		p.para("%s", says)
	}
	var notes []string
	for _, run := range part.Scored {
		for _, n := range run.Notes {
			notes = append(notes, text(n))
		}
	}
	p.list(notes)
	if part.ofJudges() {
		return r.judges(p, part)
	}
	part.systems(p)
	part.refusalTable(p)
	part.floorTable(p)
	part.kinds(p)
	part.differences(p)
	plots, err := r.plots(p, part)
	if part.ofAnswers() {
		part.shortfalls(p)
	} else {
		part.misses(p)
	}
	part.warnings(p)
	return plots, err
}

// chosen says which figures flatter: those on questions with which a choice
// was made. All questions are such where the set has halves: another half is
// on the page, or the scores were admitted by a ledger.
func (r *Report) chosen(part *Part) string {
	half, halves := part.Half, len(r.Parts) > 1 || part.byLedger()
	switch {
	case half == golden.Headline:
		return "These questions were kept aside until the systems had been chosen."
	case half == golden.Tune:
		return "**Chosen on this set**: systems were compared on these questions to choose among them, so the figures of those chosen are too high."
	case halves:
		return "**Chosen on this set**: a part of these questions was in view when the systems were chosen, so the figures of those chosen are somewhat too high."
	}
	return ""
}

// byLedger says whether a run of mr-score had a ledger of the headline half.
func (p *Part) byLedger() bool {
	for _, run := range slices.Concat(p.Scored, p.Estimated) {
		if scored := scoredBy(run); scored != nil && slices.ContainsFunc(scored.Notes, func(note string) bool {
			return strings.HasSuffix(note, " "+score.ByLedger)
		}) {
			return true
		}
	}
	return false
}

// verdict is the gate's.
func (r *Report) verdict(p *page) {
	why := r.refusals()
	if len(why) == 0 {
		controls, floors := 0, 0
		for _, part := range r.Parts {
			controls += len(part.Controls)
			for _, iv := range part.Intervals {
				if iv.Floor != nil {
					floors++
				}
			}
		}
		held := "no floor is set"
		if floors > 0 {
			held = count(floors, "floor holds", "floors hold")
		}
		p.para("**The gate passes**: %s as they must, %s.", count(controls, "control came out", "controls came out"), held)
		return
	}
	p.para("**The gate does not pass**:")
	for i := range why {
		why[i] = text(why[i])
	}
	p.list(why)
}

// controls is the table that comes before any figure.
func (r *Report) controls(p *page) {
	p.heading(2, "Controls")
	p.para("What each metric had to give on input whose outcome is known, and what it gave. A figure below stands only where all controls of its metric passed.")
	var rows [][]string
	remarks, judged, several := false, false, len(r.Parts) > 1
	for _, part := range r.Parts {
		part.judgeControls(p)
		part.agreementControls(p)
		for _, c := range part.rest() {
			remarks, judged = remarks || c.Reason != "", judged || c.Judge != ""
		}
	}
	for _, part := range r.Parts {
		for _, c := range part.rest() {
			ok := outcome(c)
			row := []string{text(string(c.Metric)), text(c.Control)}
			if c.System != "" {
				row[1] += " of " + text(string(c.System))
			}
			if judged {
				row = append(row, text(c.Judge))
			}
			if several {
				row = append(row, title(part.Half))
			}
			row = append(row, text(c.Expect), text(c.Got), fmt.Sprint(c.N), ok)
			if remarks {
				row = append(row, text(c.Reason))
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		if !slices.ContainsFunc(r.Parts, func(part *Part) bool { return len(part.Controls) > 0 }) {
			p.para("**None came.** Without controls no figure is shown.")
		}
		return
	}
	columns := []string{"metric", "control"}
	if judged {
		columns = append(columns, "judge")
	}
	if several {
		columns = append(columns, "on")
	}
	columns = append(columns, "expected", "got", "n>", "ok")
	if remarks {
		columns = append(columns, "remark")
	}
	p.table(columns, rows)
}

// outcome is that of a control, in bold where it does not pass.
func outcome(c *record.Control) string {
	if c.OK != record.ControlOK {
		return "**" + string(c.OK) + "**"
	}
	return string(c.OK)
}

// capital begins a heading.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// names are the values of f, each once, in order of appearance.
func names[T any, K comparable](items []T, f func(T) (K, bool)) []K {
	var all []K
	for _, item := range items {
		if k, ok := f(item); ok && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// plotName is the file name of a plot of a part.
func (r *Report) plotName(part *Part, kind string) string {
	base := strings.TrimSuffix(r.Name, filepath.Ext(r.Name))
	if len(r.Parts) > 1 {
		base += "-" + string(part.Half)
	}
	return base + "-" + kind + ".svg"
}
