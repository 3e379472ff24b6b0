package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// large is a corpus of 5,000 sections and 1,000 questions on it.
func large(b *testing.B) (*corpus.Corpus, []*record.Golden) {
	b.Helper()
	var text strings.Builder
	w := record.NewWriter(&text)
	if err := w.Start(&record.Run{Tool: "test"}); err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		id := fmt.Sprintf("docs/p%d.md#s%d", i/20, i)
		p := &record.Passage{ID: record.PassageID(id), Section: record.SectionID(id), Path: fmt.Sprintf("docs/p%d.md", i/20), Lines: [2]int{1, 9},
			Text: strings.Repeat(fmt.Sprintf("The simulator number %d waits for the preview. ", i), 25)}
		if err := w.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		b.Fatal(err)
	}
	c, err := corpus.Read(record.NewReader(record.Source{Name: "c", Reader: strings.NewReader(text.String())}))
	if err != nil {
		b.Fatal(err)
	}
	var golden []*record.Golden
	for i := range 1000 {
		golden = append(golden, &record.Golden{ID: record.QuestionID(fmt.Sprintf("q%04d", i)), AskedFor: record.Fact, Gold: []record.Need{{c.Sections[5*i]}},
			Question: fmt.Sprintf("My phone %d shows nothing when I press the button of the %d. screen, why?", i, i), KeyFacts: []string{"it waits for the preview"}, Review: Unreviewed})
	}
	return c, golden
}

// BenchmarkNewChecker is what the page waits for once.
func BenchmarkNewChecker(b *testing.B) {
	c, golden := large(b)
	for b.Loop() {
		NewChecker(c, golden, nil)
	}
}

// BenchmarkCheck is what a question waits for when it is shown or edited.
func BenchmarkCheck(b *testing.B) {
	c, golden := large(b)
	ck := NewChecker(c, golden, nil)
	for i := 0; b.Loop(); i++ {
		ck.Check(golden[i%len(golden)])
	}
}

// BenchmarkPut is a ruling saved beside 1,000 others, on this disk.
func BenchmarkPut(b *testing.B) {
	_, golden := large(b)
	s := Store{b.TempDir() + "/decisions.json"}
	seen := map[record.QuestionID]int{}
	put := func(g *record.Golden) {
		d, err := Rule(g, Decision{Question: g.ID, Action: Edit, Golden: g, By: "Mara", At: at})
		if err == nil {
			d, err = s.Put(d, seen[g.ID])
		}
		if err != nil {
			b.Fatal(err)
		}
		seen[g.ID] = d.Seq
	}
	for _, g := range golden {
		put(g)
	}
	for i := 0; b.Loop(); i++ {
		put(golden[i%len(golden)])
	}
}

// BenchmarkApply is 1,000 rulings applied to 1,000 questions.
func BenchmarkApply(b *testing.B) {
	c, golden := large(b)
	var text strings.Builder
	var decisions []Decision
	for _, g := range golden {
		line, err := Line(g)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(append(line, '\n'))
		d, err := Rule(g, Decision{Question: g.ID, Action: Approve, By: "Mara", At: at})
		if err != nil {
			b.Fatal(err)
		}
		decisions = append(decisions, d)
	}
	set, err := ReadSet("g", []byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a, err := Apply(&Data{set, &Set{}, &Set{}}, decisions, c)
		if err != nil || len(a.Done) != len(golden) {
			b.Fatal(err, len(a.Refused))
		}
	}
}
