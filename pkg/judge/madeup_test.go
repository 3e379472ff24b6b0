package judge

import (
	"os"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func file(t *testing.T, name string) *record.Reader {
	t.Helper()
	f, err := os.Open("../../data/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return record.NewReader(record.Source{Name: name, Reader: f})
}

// The committed made-up answers: at least 20 for each golden set, one a
// question, to its questions in its words, without a key fact, and not one
// template: no two begin alike, and their lengths differ.
func TestMadeUpAnswers(t *testing.T) {
	for name, gold := range map[string]string{"madeup-mobium.jsonl": "golden.jsonl", "madeup-embedded.jsonl": "golden-embedded.jsonl"} {
		set, err := golden.Read(file(t, gold))
		if err != nil {
			t.Fatal(err)
		}
		facts := map[record.QuestionID][]string{}
		for _, q := range set.Questions {
			facts[q.ID] = q.Record.KeyFacts
		}
		in := file(t, name)
		begins, asked, lengths := map[string]bool{}, map[record.QuestionID]bool{}, map[int]bool{}
		for in.Scan() {
			a, ok := in.Record().(*record.Answer)
			if !ok {
				t.Fatalf("%v: not an answer", in.Pos())
			}
			if set.Text(a.Question.ID) != a.Question.Text || asked[a.Question.ID] {
				t.Errorf("%v: question %s is not asked so, or has two answers", in.Pos(), a.Question.ID)
			}
			for _, f := range facts[a.Question.ID] {
				if Holds(a.Text, f) {
					t.Errorf("%v: it says the key fact %q", in.Pos(), f)
				}
			}
			begin := strings.Join(strings.Fields(a.Text)[:3], " ")
			if begins[begin] {
				t.Errorf("%v: two answers begin with %q", in.Pos(), begin)
			}
			begins[begin], asked[a.Question.ID] = true, true
			lengths[len(strings.Fields(a.Text))] = true
		}
		if err := in.Err(); err != nil {
			t.Fatal(err)
		}
		if len(asked) < 20 || len(lengths) < 10 {
			t.Errorf("%s: %d answers of %d lengths, want 20 and 10", name, len(asked), len(lengths))
		}
	}
}
