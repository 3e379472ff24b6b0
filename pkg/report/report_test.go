package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

var update = flag.Bool("update", false, "write the pages anew")

// makePage returns the page and the names of its plots.
func makePage(t *testing.T, stream []byte) (string, []string) {
	t.Helper()
	results, err := Read(record.NewReader(record.Source{Name: "in.jsonl", Reader: bytes.NewReader(stream)}))
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Results: results, Title: "Retrieval report", Name: "report.md"}
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	var plots []string
	for _, f := range files[:len(files)-1] {
		plots = append(plots, f.Name)
		if !bytes.HasPrefix(f.Data, []byte("<?xml")) {
			t.Errorf("%s is no SVG", f.Name)
		}
	}
	page := files[len(files)-1]
	if page.Name != "report.md" {
		t.Errorf("the last file is %s, expected the page", page.Name)
	}
	return string(page.Data), plots
}

// absent are the numbers that a page must not say, by the last line of its comment.
func absent(comment []byte) []string {
	_, list, _ := strings.Cut(string(comment), "\nabsent: ")
	return strings.Fields(list)
}

// TestPages: each archive has a comment on what must be seen, a stream, and the
// page made of it. A new page is looked at before it is committed.
func TestPages(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 8 {
		t.Fatalf("%d archives (%v)", len(archives), err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			page, plots := makePage(t, a.Files[0].Data)
			again, _ := makePage(t, a.Files[0].Data)
			if page != again {
				t.Error("made twice, the page is not the same")
			}
			for _, plot := range plots {
				if !strings.Contains(page, "]("+plot+")") {
					t.Errorf("the page does not show %s", plot)
				}
			}
			if n := strings.Count(page, ".svg)"); n != len(plots) {
				t.Errorf("the page shows %d plots, %d were made", n, len(plots))
			}
			for _, bad := range append(absent(a.Comment), "NaN", "<nil>", "%!", "Inf") {
				if strings.Contains(page, bad) {
					t.Errorf("the page says %s", bad)
				}
			}
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "report.md", Data: []byte(page)})
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 {
				t.Fatal("no page to compare with: go test -update, and look at it")
			}
			if d := cmp.Diff(string(a.Files[1].Data), page); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestChosen: all questions are marked where the set has halves, though no other half is on the page.
func TestChosen(t *testing.T) {
	run := func(tool, half, note, inputs string) string {
		return `{"type":"run","tool":"` + tool + `","version":"1","flags":{"half":"` + half + `"},"notes":["` + note + `"]` + inputs + "}"
	}
	const ledger = "3 systems were ever scored on the headline half, by its ledger"
	const score = `{"type":"score","question":{"id":"q1"},"system":"a","metric":"MRR","value":1,"status":"scored"}`
	const interval = `{"type":"interval","metric":"MRR","system":"a","n":1,"n_unscored":0,"n_error":0,"level":0.95,"value":1,"trusted":true}`
	scores := func(half, note string) string {
		return run("mr-score retrieval", half, note, "") + "\n" + score + "\n" + `{"type":"end","counts":{"score":1}}` + "\n"
	}
	for _, tt := range []struct {
		name, in string
		want     bool
	}{
		{"all, by a ledger", scores("all", ledger), true},
		{"all, no ledger", scores("all", "no ledger was given: how many systems were ever scored on these questions is not known"), false},
		{"tune", scores("tune", "half tune: 1 of 2 questions"), true},
		{"headline", scores("headline", ledger), false},
		{"intervals alone", run("mr-boot", "", "", `,"inputs":[`+run("mr-score retrieval", "all", ledger, "")+"]") + "\n" + interval + "\n" + `{"type":"end","counts":{"interval":1}}` + "\n", true},
	} {
		page, _ := makePage(t, []byte(tt.in))
		if got := strings.Contains(page, "**Chosen on this set**"); got != tt.want {
			t.Errorf("%s: marked %v, want %v", tt.name, got, tt.want)
		}
	}
}
