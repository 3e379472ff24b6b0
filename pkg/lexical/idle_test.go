package lexical

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/sentence"
)

// TestCommon makes common.txt again; with MR_MEASURE=1 it writes it.
func TestCommon(t *testing.T) {
	rows, _ := attribution(t)
	in := map[string]int{}
	for _, r := range rows {
		for _, w := range slices.Sorted(maps.Keys(vocabulary(tokens(strings.Join(append(r.References, r.Question, r.Claim), "\n"))))) {
			in[w]++
		}
	}
	var lines []string
	line := ""
	for _, w := range slices.Sorted(maps.Keys(in)) {
		if in[w] < 30 || len(w) < 3 || isDigit(w[0]) || idleWords()[w] {
			continue
		}
		if len(line)+len(w) > 99 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	made := strings.Join(append(lines, line), "\n") + "\n"
	if os.Getenv("MR_MEASURE") != "" {
		if err := os.WriteFile("common.txt", []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(commonText, made); d != "" {
		t.Errorf("common.txt (-committed +made):\n%s", d)
	}
}

// TestAside: the sentences that padding and injected verdicts are made of, put to
// 50 pages, and every sentence of one page put to another: how many are not
// taken for claims.
func TestAside(t *testing.T) {
	ids, page := texts(t, "fastapi_docs/corpus.jsonl")
	b, err := os.ReadFile("testdata/idle.txt")
	if err != nil {
		t.Fatal(err)
	}
	padding := strings.Split(strings.TrimSpace(string(b)), "\n")
	none := func(s string, subject map[string]bool) int {
		if c := newClaim(s, nil); c.idle() || c.aside(subject) {
			return 1
		}
		return 0
	}
	var idle, of, foreign, all int
	for i, id := range ids {
		subject := vocabulary(tokens(page[id][:min(len(page[id]), 6000)]))
		for _, s := range padding {
			idle, of = idle+none(s, subject), of+1
		}
		for _, s := range sentence.Split(page[ids[(i+17)%len(ids)]]) {
			if !s.Code {
				foreign, all = foreign+none(s.Text, subject), all+1
			}
		}
	}
	t.Logf("padding: %d of %d are no claim; sentences of another page: %d of %d", idle, of, foreign, all)
	if idle*100 < of*96 || foreign*100 > all*32 {
		t.Errorf("padding: %d of %d are no claim, expected 96 %%; sentences of another page: %d of %d, expected at most 32 %%", idle, of, foreign, all)
	}
}
