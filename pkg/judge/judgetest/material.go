package judgetest

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mobiumdev/mobium-rag/pkg/corpus"
	"github.com/mobiumdev/mobium-rag/pkg/golden"
	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// subject is in every claim of Material.
const subject = "engine"

// Material is n questions about an engine, each on a page of its own, with
// answers that stand on their passages and made-up ones that do not. The first
// wrong of the answers are not faithful.
func Material(n, wrong int) (judge.Material, error) {
	var pages, questions []string
	var m judge.Material
	for i := range n {
		topic := topicName(i)
		path := fmt.Sprintf("docs/%s.md", topic)
		facts := []string{
			fmt.Sprintf("The %s of the engine is held by %d bolts and is not painted.", topic, 20+3*i),
			fmt.Sprintf("It takes `tool-%s` and %d minutes to take the %s out of the engine.", letters(i), 100+7*i, topic),
			fmt.Sprintf("Every engine has a spare %s in its left hand box.", topic),
		}
		pages = append(pages, line(&record.Passage{
			Base: record.Base{Type: record.KindPassage}, ID: record.PassageID(path + "#a"), Section: record.SectionID(path + "#a"),
			Path: path, Text: strings.Join(facts, " "),
		}))
		question := record.QuestionRef{ID: record.QuestionID(fmt.Sprintf("q%03d", i)), Text: fmt.Sprintf("How is the %s fixed?", topic)}
		questions = append(questions, line(&record.Golden{
			Base: record.Base{Type: record.KindGolden}, ID: question.ID, Question: question.Text, AskedFor: record.Fact,
			Gold: []record.Need{{record.SectionID(path + "#a")}}, KeyFacts: []string{fmt.Sprintf("the %s of the engine is held by bolts", topic)},
		}))
		text := facts[0] + " " + facts[1]
		if i < wrong {
			text += fmt.Sprintf(" The %s of the engine is made of wood.", topic)
		}
		m.Answers = append(m.Answers, &record.Answer{
			Question: question, System: "system", Model: "model", Text: text, Status: record.Scored,
			Passages: []record.Labelled{{Label: "P1", Passage: record.PassageID(path + "#a"), Section: record.SectionID(path + "#a"), Path: path, Text: strings.Join(facts, " ")}},
		})
		m.MadeUp = append(m.MadeUp, &record.Answer{
			Question: question, System: "made-up", Model: "invented", Status: record.Scored,
			Text: fmt.Sprintf("Glue holds the %s of the engine, %d drops of it.", topic, 5+i),
		})
	}
	var err error
	if m.Corpus, err = corpus.Read(reader(pages)); err != nil {
		return m, err
	}
	m.Golden, err = golden.Read(reader(questions))
	return m, err
}

// topicName is a word of its own for each number, that no other holds.
func topicName(i int) string { return "x" + letters(i) + "valve" }

func letters(i int) string {
	return string([]byte{'a' + byte(i/26/26), 'a' + byte(i/26%26), 'a' + byte(i%26)})
}

// topicOf is the topic of a question, "" if it has none.
func topicOf(question string) string {
	for _, word := range strings.Fields(question) {
		if strings.HasSuffix(word, "valve") {
			return word
		}
	}
	return ""
}

func reader(lines []string) *record.Reader {
	return record.NewReader(record.Source{Name: "material", Reader: strings.NewReader(strings.Join(lines, "\n"))})
}

// line is a record in JSON. The records of this package can all be written.
func line(r record.Record) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic("judgetest: internal error: " + err.Error())
	}
	return string(b)
}
