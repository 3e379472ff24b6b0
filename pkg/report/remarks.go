package report

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// measured says what the figures are about.
func (r *Report) measured(p *page) {
	p.heading(2, "What was measured")
	var items []string
	for _, c := range names(r.Parts, func(part *Part) (record.Commit, bool) {
		for _, run := range part.Scored {
			if run.Commit != "" {
				return run.Commit, true
			}
		}
		return "", false
	}) {
		items = append(items, "Corpus at commit "+code(string(c)))
	}
	if r.Passages > 0 {
		items = append(items, fmt.Sprintf("%s of %s", count(r.Passages, "passage", "passages"), count(r.Sections, "section", "sections")))
	}
	for _, part := range r.Parts {
		if s := part.asked(); s != "" {
			items = append(items, capital(title(part.Half))+": "+s)
		}
	}
	items = append(items, r.goldenSet()...)
	for _, run := range r.Runs {
		for _, m := range run.Models {
			item := "Model " + text(m.Name)
			if m.SHA256 != "" {
				item += ", sha256 " + code(m.SHA256)
			}
			if !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	items = append(items, r.prompts()...)
	items = append(items, r.seeds()...)
	if len(items) == 0 {
		p.para("The streams hold no run record that would say it.")
	}
	p.list(items)
}

// prompts are those that were given to models, by their digests.
func (r *Report) prompts() []string {
	var all []string
	for _, run := range r.Runs {
		for _, name := range slices.Sorted(maps.Keys(run.Prompts)) {
			if item := "Prompt " + text(name) + ", sha256 " + code(run.Prompts[name]); !slices.Contains(all, item) {
				all = append(all, item)
			}
		}
	}
	return all
}

// asked counts the questions that were scored, by kind.
func (p *Part) asked() string {
	seen := map[record.QuestionID]bool{}
	kinds := map[record.QuestionKind]int{}
	for _, s := range p.Scores {
		if !seen[s.Question.ID] {
			seen[s.Question.ID] = true
			kinds[s.AskedFor]++
		}
	}
	if len(seen) == 0 {
		return ""
	}
	var parts []string
	for _, k := range []record.QuestionKind{record.Fact, record.Multi, record.Unanswerable} {
		if kinds[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", kinds[k], k))
		}
	}
	s := count(len(seen), "question scored", "questions scored")
	if len(parts) > 0 {
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	return s
}

// goldenSet says how far the golden set was reviewed, where it came along.
func (r *Report) goldenSet() []string {
	if len(r.Golden) == 0 {
		return nil
	}
	drafts, unanswerable := 0, 0
	for _, g := range r.Golden {
		if g.Review == "" || g.Review == "draft" {
			drafts++
		}
		if g.AskedFor == record.Unanswerable {
			unanswerable++
		}
	}
	review := "all reviewed by a person"
	if drafts > 0 {
		review = fmt.Sprintf("**%d of them draft: not yet reviewed by a person**", drafts)
	}
	return []string{fmt.Sprintf("Golden set: %s, %d of them unanswerable, %s", count(len(r.Golden), "question", "questions"), unanswerable, review)}
}

// seeds are those of each tool.
func (r *Report) seeds() []string {
	var all []string
	for _, run := range r.Runs {
		if run.Seed == nil {
			continue
		}
		if item := fmt.Sprintf("Seed of %s: %d", text(run.Tool), *run.Seed); !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// warnings lists what mr-boot warns of, each with what it is about.
func (p *Part) warnings(pg *page) {
	type about struct {
		warning string
		kind    record.QuestionKind
		systems string
	}
	var order []about
	metrics := map[about][]string{}
	for _, iv := range p.Intervals {
		for _, w := range iv.Warnings {
			systems := string(iv.System)
			if iv.Baseline != "" {
				systems += " − " + string(iv.Baseline)
			}
			if iv.Judge != "" {
				systems += " (" + iv.Judge + ")"
			}
			a := about{w, iv.AskedFor, systems}
			if metrics[a] == nil {
				order = append(order, a)
			}
			name := string(iv.Metric)
			if ofPairs(iv) {
				name = iv.Stat + " of " + name
			}
			metrics[a] = append(metrics[a], name)
		}
	}
	// One line for all systems that a warning has with the same metrics.
	var items []string
	done := map[about]bool{}
	for _, a := range order {
		if done[a] {
			continue
		}
		var systems []string
		for _, b := range order {
			if b.warning == a.warning && b.kind == a.kind && slices.Equal(metrics[a], metrics[b]) {
				systems = append(systems, text(b.systems))
				done[b] = true
			}
		}
		of := ""
		if a.kind != "" {
			of = string(a.kind) + " questions, "
		}
		items = append(items, fmt.Sprintf("%s%s of %s: %s", of, join(metrics[a], ", "), strings.Join(systems, ", "), text(a.warning)))
	}
	if len(items) > 0 {
		pg.heading(3, "Warnings")
		pg.list(items)
	}
}

// latency is from timing records alone.
func (r *Report) latency(p *page) {
	columns := []string{"tool", "step", "system", "n>", "p50>", "p95>", "longest>"}
	var rows [][]string
	for _, t := range r.Timings {
		if len(t.Each) > 0 {
			each := slices.Sorted(slices.Values(t.Each))
			rows = append(rows, []string{
				text(t.Tool), text(t.Step), text(string(t.System)), fmt.Sprint(len(each)),
				seconds(quantile(each, 0.5)), seconds(quantile(each, 0.95)), seconds(each[len(each)-1]),
			})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading(2, "Latency")
	p.para("Of a single question, on the machine that ran, with its cores and cache as they were.")
	p.table(columns, rows)
}

// quantile is the nearest rank: the smallest value that is no smaller than a share q of all.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func seconds(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.1f ms", 1000*s)
	}
	return fmt.Sprintf("%.2f s", s)
}

// provenance lists every run once, with the lines of those it read.
func (r *Report) provenance(p *page) {
	if len(r.Runs) == 0 {
		return
	}
	p.heading(2, "Provenance")
	p.para("Every run that had a part in the figures, with the flags that change its output.")
	line := map[string]int{}
	var rows [][]string
	for i, run := range r.Runs {
		key, _ := digest(run) // Read has computed it once
		line[key] = i + 1
		var from []string
		for _, in := range run.Inputs {
			key, _ := digest(in)
			if n := fmt.Sprint(line[key]); !slices.Contains(from, n) {
				from = append(from, n)
			}
		}
		read := "–"
		if len(from) > 0 {
			read = strings.Join(from, ", ")
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), text(run.Tool), flags(run), read})
	}
	p.table([]string{"run>", "tool", "flags", "read"}, rows)
}

// flags are those of a run, by name; a path of this machine is cut to its last element.
func flags(run *record.Run) string {
	var all []string
	keys := make([]string, 0, len(run.Flags))
	for k := range run.Flags {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := run.Flags[k]
		if v == "" {
			continue
		}
		if filepath.IsAbs(v) {
			v = "…/" + filepath.Base(v)
		}
		all = append(all, code("-"+k+" "+v))
	}
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, "<br>")
}
