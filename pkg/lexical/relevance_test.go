package lexical

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// texts reads a BEIR file of ids and texts, in order.
func texts(t *testing.T, name string) (ids []string, text map[string]string) {
	t.Helper()
	text = map[string]string{}
	lines := bufio.NewScanner(shared(t, name))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
		text[r.ID] = r.Text
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return ids, text
}

// TestRelevanceThreshold computes again what the threshold of relevance was
// chosen by: the three sentences of its gold pages that hold most of a question,
// as an answer to it and to each question that shares no gold page.
func TestRelevanceThreshold(t *testing.T) {
	questions, question := texts(t, "fastapi_docs/queries.jsonl")
	_, page := texts(t, "fastapi_docs/corpus.jsonl")
	gold := map[string][]string{}
	r := csv.NewReader(shared(t, "fastapi_docs/qrels.tsv"))
	r.Comma = '\t'
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		gold[row[0]] = append(gold[row[0]], row[1])
	}
	idf := NewIDF(func(yield func(string) bool) {
		for _, text := range page {
			if !yield(text) {
				return
			}
		}
	})
	answer := map[string]string{}
	for _, q := range questions {
		c := newClaim(question[q], idf)
		var all []sentence.Sentence
		for _, p := range gold[q] {
			all = append(all, sentence.Split(page[p])...)
		}
		held := map[string]float64{}
		for _, s := range all {
			held[s.Text] = c.coverage(vocabulary(tokens(s.Text)))
		}
		slices.SortStableFunc(all, func(a, b sentence.Sentence) int { return cmp.Compare(held[b.Text], held[a.Text]) })
		for _, s := range all[:min(3, len(all))] {
			answer[q] += s.Text + "\n"
		}
	}
	said := map[string]map[string]bool{}
	for _, q := range questions {
		said[q] = vocabulary(tokens(answer[q]))
	}
	var own, other []float64
	for _, q := range questions {
		c := newClaim(question[q], idf)
		own = append(own, c.coverage(said[q]))
		for _, o := range questions {
			if !slices.ContainsFunc(gold[q], func(p string) bool { return slices.Contains(gold[o], p) }) {
				other = append(other, c.coverage(said[o]))
			}
		}
	}
	auc, _ := delong(own, other)
	got := []float64{float64(len(own)), float64(len(other)), auc}
	for _, at := range []float64{0.15, 0.20, relevant, 0.30, 0.40, 0.50} {
		got = append(got, share(own, at), share(other, at))
	}
	want := []float64{63, 3810, 0.995, 1, 0.124, 1, 0.080, 1, 0.056, 0.952, 0.036, 0.905, 0.015, 0.841, 0.007}
	if d := gocmp.Diff(want, got, cmpopts.EquateApprox(0, 0.0006)); d != "" {
		t.Errorf("the table at relevant (-committed +computed):\n%s", d)
	}
}

// share is how many scores are at least at.
func share(scores []float64, at float64) float64 {
	n := 0.0
	for _, s := range scores {
		if s >= at {
			n++
		}
	}
	return n / float64(len(scores))
}
