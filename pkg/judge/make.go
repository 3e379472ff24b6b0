package judge

import (
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// The systems of answers that no system gave.
const (
	keyFactSystem record.SystemName = "key-facts"
	madeUpSystem  record.SystemName = "made-up"
)

// passagesOf are the passages a question's answer was given, or, where it has
// none that is used, the first five of its gold.
func (d *drawer) passagesOf(q *golden.Question) []record.Labelled {
	for _, a := range d.pool {
		if a.Question.ID == q.ID {
			return a.Passages
		}
	}
	var out []record.Labelled
	for _, need := range q.Needs {
		for _, s := range need.Sections {
			for _, p := range d.Corpus.Section(s) {
				if len(out) < 5 {
					out = append(out, labelled(len(out), p))
				}
			}
		}
	}
	return out
}

func labelled(i int, p *record.Passage) record.Labelled {
	return record.Labelled{
		Label: "P" + strconv.Itoa(i+1), Passage: p.ID, Section: p.Section, Path: p.Path,
		Headings: p.Headings, Lines: p.Lines, Text: p.Text,
	}
}

// asked are the questions with their passages, and no answer yet.
func (d *drawer) asked(m record.MetricName) []*Item {
	var out []*Item
	for _, q := range d.Golden.Questions {
		out = append(out, d.item(m, &record.Answer{
			Question: record.QuestionRef{ID: q.ID, Text: q.Text}, System: keyFactSystem, Passages: d.passagesOf(q),
		}))
	}
	return out
}

// madeUp are the invented answers, over the passages of their questions.
func (d *drawer) madeUp(m record.MetricName) []*Item {
	var out []*Item
	for _, a := range d.MadeUp {
		if q := d.questions[a.Question.ID]; q != nil {
			out = append(out, d.item(m, &record.Answer{
				Question: record.QuestionRef{ID: q.ID, Text: q.Text}, System: madeUpSystem, Text: a.Text, Passages: d.passagesOf(q),
			}))
		}
	}
	return out
}

// invented takes a made-up answer as it is.
func (d *drawer) invented(_ *rand.Rand, _, it *Item) bool {
	it.Expect = record.No
	return readable(it.Case.Passages)
}

// randomPassages puts passages under an answer that have nothing to do with it:
// of no section or page, and with no text, of its gold or its own.
func (d *drawer) randomPassages(r *rand.Rand, plain, it *Item) bool {
	near := d.near(it)
	it.Case.Passages = nil
	for _, i := range r.Perm(len(d.Corpus.Passages)) {
		p := d.Corpus.Passages[i]
		if len(it.Case.Passages) == len(plain.Case.Passages) {
			break
		}
		if !near.shares(p.Section, p.Path, d.bare(p.Text)) && strings.TrimSpace(p.Text) != "" {
			it.Case.Passages = append(it.Case.Passages, labelled(len(it.Case.Passages), p))
		}
	}
	it.Expect = record.No
	return len(it.Case.Passages) == len(plain.Case.Passages)
}

// altered changes one number, name or negation of an answer.
func (d *drawer) altered(r *rand.Rand, plain, it *Item) bool {
	texts := []string{bare(plain.Case.Answer)}
	for _, p := range plain.Case.Passages {
		texts = append(texts, d.bare(p.Text))
	}
	known := func(s string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return holds(text, s) })
	}
	text, plant := d.names.alter(r, plain.Case.Answer, known)
	it.Case.Answer, it.Planted, it.Expect = text, plant, record.No
	return plant != nil
}

// verbatim makes an answer of up to three sentences of the passages.
func verbatim(r *rand.Rand, plain, it *Item) bool {
	var all []string
	for _, p := range plain.Case.Passages {
		text := bare(p.Text)
		for _, s := range sentence.Split(p.Text) {
			if !s.Code && selfContained(s.Text) && holds(text, s.Text) && !slices.Contains(all, s.Text) {
				all = append(all, s.Text)
			}
		}
	}
	chosen := r.Perm(len(all))
	chosen = chosen[:min(3, len(chosen))]
	slices.Sort(chosen)
	var said []string
	for _, i := range chosen {
		said = append(said, all[i])
	}
	it.Case.Answer, it.Expect = strings.Join(said, " "), record.Yes
	return len(said) > 0
}

// selfContained tells whether a sentence is a statement in prose.
func selfContained(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	words := len(strings.Fields(s))
	return unicode.IsUpper(first) && strings.HasSuffix(s, ".") && words >= 6 && words <= 40 && !strings.ContainsAny(s, "|?")
}

// otherAnswer gives a question the answer to another, with that one's passages.
// They share no gold, and what the answer cites is no gold of the question. Each
// answer is given once, so that one odd answer makes one miss.
func (d *drawer) otherAnswer() func(r *rand.Rand, plain, it *Item) bool {
	given := map[record.QuestionID]bool{}
	return func(r *rand.Rand, _, it *Item) bool {
		q := d.questions[it.Question.ID]
		if !q.Answerable() {
			return false
		}
		for _, i := range r.Perm(len(d.pool)) {
			b := d.pool[i]
			other := d.questions[b.Question.ID]
			if !given[other.ID] && other.Answerable() && other.ID != q.ID && !answers(b, other, q) {
				given[other.ID] = true
				it.Case.Answer, it.Case.Passages, it.Donor, it.Expect = b.Text, b.Passages, other.ID, record.No
				return true
			}
		}
		return false
	}
}

// answers tells whether an answer to other might be one to q.
func answers(b *record.Answer, other, q *golden.Question) bool {
	for _, need := range other.Needs {
		for _, s := range need.Sections {
			if len(q.Serves(s)) > 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(b.Citations, func(c record.Citation) bool { return len(q.Serves(c.Section)) > 0 })
}

// keyFacts are the facts of a golden question as its answer.
func (d *drawer) keyFacts(_ *rand.Rand, _, it *Item) bool {
	q := d.questions[it.Question.ID]
	if !q.Answerable() || q.Record == nil || len(q.Record.KeyFacts) == 0 {
		return false
	}
	var said []string
	for _, fact := range q.Record.KeyFacts {
		first, n := utf8.DecodeRuneInString(fact)
		said = append(said, string(unicode.ToUpper(first))+strings.TrimRight(fact[n:], ".")+".")
	}
	it.Case.Answer, it.Expect = strings.Join(said, " "), record.Yes
	return true
}

// neighbourhood is what an answer's gold and passages take up.
type neighbourhood struct {
	sections map[record.SectionID]bool
	pages    map[string]bool
	texts    map[string]bool // bare
}

func (n *neighbourhood) add(s record.SectionID, page, text string) {
	n.sections[s], n.texts[text] = true, true
	if page != "" {
		n.pages[path.Clean(page)] = true
	}
}

func (n *neighbourhood) shares(s record.SectionID, page, text string) bool {
	return n.sections[s] || page != "" && n.pages[path.Clean(page)] || n.texts[text]
}

// near is the neighbourhood of an item's answer as it was given.
func (d *drawer) near(it *Item) *neighbourhood {
	n := &neighbourhood{map[record.SectionID]bool{}, map[string]bool{}, map[string]bool{}}
	section := func(s record.SectionID) {
		for _, part := range d.Corpus.Section(s) {
			n.add(part.Section, part.Path, d.bare(part.Text))
		}
	}
	given := d.real[realKey(it.Metric, &record.Answer{Question: it.Question, System: it.System, Model: it.Model})]
	for _, p := range given.Case.Passages {
		n.add(p.Section, p.Path, d.bare(p.Text))
		section(p.Section)
	}
	for _, need := range d.questions[it.Question.ID].Needs {
		for _, s := range need.Sections {
			section(s)
		}
	}
	return n
}

// bare is the bare form of a passage's text, remembered.
func (d *drawer) bare(text string) string {
	b, ok := d.bares[text]
	if !ok {
		b = bare(text)
		d.bares[text] = b
	}
	return b
}
