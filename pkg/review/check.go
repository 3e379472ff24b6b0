package review

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/keyfact"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// CheckName names a check of a question.
type CheckName string

// The checks.
const (
	// GoldExists is one finding for each section of the gold: is it in the corpus?
	GoldExists CheckName = "gold exists"
	// FactInGold is one for each key fact: does the text of the gold say it (pkg/keyfact)?
	FactInGold CheckName = "key fact in gold"
	// NearDuplicate is one for each question whose words are nearly the same, or
	// one that says there is none.
	NearDuplicate CheckName = "near-duplicate"
	// GoldRank is one for each need: where in the hits does a section stand that serves it?
	GoldRank CheckName = "rank of gold"
	// NeedsMet is one where no list can meet all needs, or a need names a section twice.
	NeedsMet CheckName = "needs can be met"
)

// Duplicate is the share of words from which two questions count as nearly the
// same: words in both over words in either (Jaccard), stemmed, function words
// and numbers aside. The two most alike of Mobium's 61 questions have 0.21, of
// the 56 on this project's docs 0.27; one word changed among four is 0.6.
const Duplicate = 0.5

// State is how a check came out.
type State string

// The states. Unknown is neither: there is nothing to check against.
const (
	Good    State = "good"
	Bad     State = "bad"
	Unknown State = "unknown"
)

// Finding is what one check says of one question.
type Finding struct {
	Question record.QuestionID `json:"question"`
	Check    CheckName         `json:"check"`
	State    State             `json:"state"`
	// About is the section, the key fact, the other question, or the need's number from 1.
	About string `json:"about,omitempty"`
	// Rank is of gold in the hits by sections, from 1; 0 where it is not among them.
	Rank int `json:"rank,omitzero"`
	// Share is of the words in common, or of a fact's words in the gold.
	Share float64 `json:"share,omitzero"`
	// Text says it in a sentence.
	Text string `json:"text"`
}

// Checker checks questions against a corpus and against each other. It may be
// used from several goroutines.
type Checker struct {
	corpus    *corpus.Corpus
	texts     map[record.SectionID]string
	questions []asked
	hits      map[record.QuestionID]*record.Hits
}

// asked is a question with its words, to be looked for and to be looked at.
type asked struct {
	id    record.QuestionID
	words keyfact.Fact
	text  keyfact.Text
}

func ask(g *record.Golden) asked {
	return asked{g.ID, keyfact.NewFact("", g.Question), keyfact.Read(g.Question)}
}

// NewChecker takes the corpus at the pin, the questions of the golden set and
// those proposed, and the hits of one system, none or some. A hits record must
// ask the question's own text, else it counts as none.
func NewChecker(c *corpus.Corpus, questions []*record.Golden, hits []*record.Hits) *Checker {
	ck := &Checker{corpus: c, texts: map[record.SectionID]string{}, hits: map[record.QuestionID]*record.Hits{}}
	for _, s := range c.Sections {
		ck.texts[s] = sectionText(c.Section(s))
	}
	for _, g := range questions {
		ck.questions = append(ck.questions, ask(g))
	}
	slices.SortStableFunc(ck.questions, func(a, b asked) int { return cmp.Compare(a.id, b.id) })
	for _, h := range hits {
		ck.hits[h.Question.ID] = h
	}
	return ck
}

// sectionText is what the passages of a section say, with their trail of headings.
func sectionText(parts []*record.Passage) string {
	var b strings.Builder
	for i, p := range parts {
		if i == 0 {
			b.WriteString(p.Trail())
		}
		b.WriteString("\n" + p.Text)
	}
	return b.String()
}

// Check checks a question as it stands, or as it shall be: it need not be one
// of those the checker knows, and is not held against its own id.
func (c *Checker) Check(g *record.Golden) []Finding {
	return slices.Concat(c.sound(g), c.exists(g), c.facts(g), c.duplicates(g), c.ranks(g))
}

func (c *Checker) sound(g *record.Golden) []Finding {
	err := g.Validate()
	if err == nil {
		err = Sound(g)
	}
	if err == nil {
		return nil
	}
	return []Finding{{Question: g.ID, Check: NeedsMet, State: Bad, Text: strings.ReplaceAll(err.Error(), "\n", "; ")}}
}

func (c *Checker) exists(g *record.Golden) []Finding {
	var all []Finding
	for i, need := range g.Gold {
		for _, s := range need {
			f := Finding{Question: g.ID, Check: GoldExists, State: Good, About: string(s), Text: fmt.Sprintf("need %d: %s is in the docs at the pin", i+1, s)}
			if _, ok := c.texts[s]; !ok {
				f.State, f.Text = Bad, fmt.Sprintf("need %d: the docs at the pin have no section %s", i+1, s)
			}
			all = append(all, f)
		}
	}
	return all
}

// facts looks for each key fact in the sections of the gold, all of them
// together: one fact may be put together from two.
func (c *Checker) facts(g *record.Golden) []Finding {
	var b strings.Builder
	known := false
	for _, need := range g.Gold {
		for _, s := range need {
			if text, ok := c.texts[s]; ok {
				known = true
				b.WriteString(text + "\n\n")
			}
		}
	}
	gold := keyfact.Read(b.String())
	var all []Finding
	for _, said := range g.KeyFacts {
		f := Finding{Question: g.ID, Check: FactInGold, About: said}
		fact := keyfact.NewFact(g.Question, said)
		switch {
		case !known || fact.Empty():
			f.State, f.Text = Unknown, "there is no gold to find the fact in"
			if known {
				f.Text = "the fact has no word to look for"
			}
		case fact.In(gold):
			f.State, f.Share, f.Text = Good, fact.Share(gold), fmt.Sprintf("the gold says it: %.0f %% of its words, and all of its numbers", 100*fact.Share(gold))
		default:
			f.State, f.Share, f.Text = Bad, fact.Share(gold), fmt.Sprintf("the gold may not say it: %.0f %% of its words%s", 100*fact.Share(gold), c.numbers(fact, gold))
		}
		all = append(all, f)
	}
	return all
}

// numbers names the numbers of a fact that a text lacks.
func (c *Checker) numbers(fact keyfact.Fact, text keyfact.Text) string {
	var gone []string
	for _, n := range fact.Numbers() {
		if !keyfact.NewFact("", n).In(text) {
			gone = append(gone, n)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return ", and not the number " + strings.Join(gone, ", ")
}

func (c *Checker) duplicates(g *record.Golden) []Finding {
	mine := ask(g)
	var all []Finding
	for _, q := range c.questions {
		if q.id == g.ID {
			continue
		}
		if share := overlap(mine, q); share >= Duplicate {
			all = append(all, Finding{Question: g.ID, Check: NearDuplicate, State: Bad, About: string(q.id), Share: share,
				Text: fmt.Sprintf("%s asks nearly the same: %.0f %% of the words are in both", q.id, 100*share)})
		}
	}
	if all == nil {
		all = []Finding{{Question: g.ID, Check: NearDuplicate, State: Good, Text: "no other question asks nearly the same"}}
	}
	return all
}

// overlap is Jaccard's coefficient of the words of two questions. Of the words
// A and B and those in both, C, it is C/(A+B-C); with a = C/A and b = C/B that
// is ab/(a+b-ab).
func overlap(p, q asked) float64 {
	a, b := p.words.Share(q.text), q.words.Share(p.text)
	if a*b == 0 || p.words.Empty() || q.words.Empty() {
		return 0
	}
	return a * b / (a + b - a*b)
}

// ranks says where the best section of each need stands, sections counted once.
func (c *Checker) ranks(g *record.Golden) []Finding {
	h := c.hits[g.ID]
	rank := map[record.SectionID]int{}
	if h != nil {
		for _, hit := range h.Hits {
			if rank[hit.Section] == 0 {
				rank[hit.Section] = len(rank) + 1
			}
		}
	}
	var all []Finding
	for i, need := range g.Gold {
		f := Finding{Question: g.ID, Check: GoldRank, About: strconv.Itoa(i + 1)}
		for _, s := range need {
			if r := rank[s]; r > 0 && (f.Rank == 0 || r < f.Rank) {
				f.Rank = r
			}
		}
		switch {
		case h == nil:
			f.State, f.Text = Unknown, "no retrieval was run for the question"
		case h.Question.Text != "" && h.Question.Text != g.Question:
			f.State, f.Rank, f.Text = Unknown, 0, "retrieval was run for another wording of the question"
		case f.Rank == 0:
			f.State, f.Text = Bad, fmt.Sprintf("need %d is not among the %d sections that %s finds", i+1, len(rank), h.System)
		default:
			f.State, f.Text = Good, fmt.Sprintf("need %d is at rank %d of %s", i+1, f.Rank, h.System)
		}
		all = append(all, f)
	}
	return all
}
