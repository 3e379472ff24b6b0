package lexical

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/judge"
	"github.com/mobiumdev/mobium-rag/pkg/record"
	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// TestBehaviour: on the FastAPI docs, sentences of a page are supported by its
// sections, and not after one change, nor by those of another page.
func TestBehaviour(t *testing.T) {
	ids, page := texts(t, "fastapi_docs/corpus.jsonl")
	idf := NewIDF(func(yield func(string) bool) {
		for _, id := range ids {
			if !yield(page[id]) {
				return
			}
		}
	})
	changes := []struct {
		name  string
		least float64 // share that must be marked so
		want  record.Mark
		apply func(s, other string) string // "" where it cannot be made
	}{
		{"word for word", 0.99, record.Yes, func(s, _ string) string { return s }},
		{"a number more by one", 0.99, record.No, changeNumber},
		{"a name in code for another of the page", 0.9, record.No, changeName},
		{"a denial added", 0.95, record.No, func(s, _ string) string { return replaceFirst(s, ` (is|are|can|will|does) `, " $1 not ") }},
		{"a denial taken away", 0.95, record.No, func(s, _ string) string { return replaceFirst(s, ` (not|never) `, " ") }},
	}
	for _, ch := range changes {
		n, right := 0, 0
		for _, id := range ids {
			var passages []record.Labelled
			for i, text := range strings.Split(page[id], "\n## ") {
				passages = append(passages, record.Labelled{Label: "P" + strconv.Itoa(i+1), Text: text})
			}
			made := 0
			for _, s := range sentence.Split(page[id]) {
				if s.Code || len(strings.Fields(s.Text)) < 6 {
					continue
				}
				answer := ch.apply(s.Text, page[id])
				if answer == "" {
					continue
				}
				r, err := New(idf).Faithful(context.Background(), judge.Case{Question: "How?", Answer: answer, Passages: passages})
				if err != nil {
					continue // of idle words alone
				}
				n++
				if r.Mark == ch.want {
					right++
				} else {
					t.Logf("%s: %s: %s", ch.name, r.Mark, answer)
				}
				if made++; made == 10 {
					break
				}
			}
		}
		t.Logf("%s: %d of %d", ch.name, right, n)
		if float64(right) < ch.least*float64(n) || n < 20 {
			t.Errorf("%s: %d of %d are marked %s, expected %v", ch.name, right, n, ch.want, ch.least)
		}
	}
}

func replaceFirst(s, pattern, with string) string {
	re := regexp.MustCompile(pattern)
	at := re.FindStringSubmatchIndex(s)
	if at == nil || strings.Contains(with, "not") && strings.Contains(s, "not") {
		return ""
	}
	return s[:at[0]] + string(re.ExpandString(nil, with, s, at)) + s[at[1]:]
}

var inProse = regexp.MustCompile(`[a-z] (\d+)[ .,]`)

func changeNumber(s, _ string) string {
	at := inProse.FindStringSubmatchIndex(s)
	if at == nil {
		return ""
	}
	n, err := strconv.Atoi(s[at[2]:at[3]])
	if err != nil {
		return ""
	}
	return s[:at[2]] + strconv.Itoa(n+1) + s[at[3]:]
}

var codeSpan = regexp.MustCompile("`[a-zA-Z_]{3,}`")

// changeName puts another of the page's names in code for the first of s.
func changeName(s, page string) string {
	at := codeSpan.FindStringIndex(s)
	if at == nil {
		return ""
	}
	others := codeSpan.FindAllString(page, -1)
	slices.Sort(others)
	for _, o := range others {
		if !strings.Contains(s, o) && !strings.Contains(s, strings.Trim(o, "`")) {
			return s[:at[0]] + o + s[at[1]:]
		}
	}
	return ""
}
