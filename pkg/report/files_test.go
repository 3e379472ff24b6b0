package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

func TestReadRefuses(t *testing.T) {
	const (
		interval = `{"type":"interval","metric":"m","system":"s","n":1,"n_unscored":0,"n_error":0,"value":1,"level":0.95,"trusted":true}` + "\n"
		control  = `{"type":"control","metric":"m","control":"oracle","expect":"1","got":"1","n":1,"ok":"yes"}` + "\n"
		score    = `{"type":"score","question":{"id":"q"},"system":"s","metric":"m","value":1,"status":"scored"}` + "\n"
		timing   = `{"type":"timing","tool":"t","step":"s","n":1,"seconds":1}` + "\n"
		scored   = `{"type":"run","tool":"mr-score retrieval","version":"1","flags":{"half":"all"},"commit":"c1"}` + "\n" + score + `{"type":"end","counts":{"score":1}}` + "\n"
	)
	booted := func(flags string) string {
		return `{"type":"run","tool":"mr-boot","version":"1","inputs":[{"type":"run","tool":"mr-score retrieval","version":"1","flags":{` + flags + `},"commit":"c1"}]}` + "\n" + interval + `{"type":"end","counts":{"interval":1}}` + "\n"
	}
	tests := []struct{ name, in, want string }{
		{"nothing of use", timing, "no score, control or interval record came: there is nothing to report"},
		{"hits", score + `{"type":"hits","question":{"id":"q"},"system":"s","hits":[]}` + "\n", "in:2: expected score, control, interval, pair, verdict, timing, passage and golden records, got a hits record"},
		{"bad line", score + "x\n", "in:2: expected a JSON object"},
		{"two intervals", interval + interval, `in:2: interval of metric "m", system "s", baseline "", judge "", stat "", kind "" (half all) came before, at in:1`},
		{"two controls", control + score + control, `in:3: control "oracle" of metric "m", system "", judge "" (half all) came before, at in:1`},
		{"two corpora", scored + strings.Replace(strings.Replace(scored, "c1", "c2", 1), `"half":"all"`, `"half":"tune"`, 1), "scores of two corpora came, of commits c1 and c2"},
		{"another half", strings.Replace(scored, `"all"`, `"left"`, 1), `in:1: a run of mr-score has half "left", expected tune, headline or all`},
		{"intervals of other scores", scored + booted(`"half":"all","seed":"2"`), "the intervals (half all) are not of these scores: mr-score retrieval ran with other flags or inputs than when they were computed"},
		{"cut stream", strings.TrimSuffix(scored, `{"type":"end","counts":{"score":1}}`+"\n"), "in:2: the stream of mr-score retrieval that starts at in:1 has no end record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(tt.in)}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("expected an error with %q, got %v", tt.want, err)
			}
			if tt.name != "bad line" && tt.name != "another half" && hint.Of(err) == "" {
				t.Error("the error has no hint")
			}
		})
	}
	t.Run("intervals of these scores", func(t *testing.T) {
		if _, err := Read(record.NewReader(record.Source{Name: "in", Reader: strings.NewReader(booted(`"half":"all"`) + scored)})); err != nil {
			t.Error(err)
		}
	})
}

// names of the files in a folder, hidden ones too.
func folder(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestWrite(t *testing.T) {
	files := []File{{"report-recall.svg", []byte("<svg/>")}, {"report.md", []byte("# New\n")}}
	t.Run("anew and again", func(t *testing.T) {
		dir := t.TempDir()
		for range 2 {
			if err := Write(dir, files); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff([]string{"report-recall.svg", "report.md"}, folder(t, dir)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "report.md")); err != nil || string(text) != "# New\n" {
			t.Errorf("the page is %q (%v)", text, err)
		}
	})
	t.Run("no such folder", func(t *testing.T) {
		dir := t.TempDir()
		if err := Write(filepath.Join(dir, "absent"), files); err == nil {
			t.Error("no error")
		}
		if got := folder(t, dir); got != nil {
			t.Errorf("left behind: %q", got)
		}
	})
	t.Run("the page cannot be replaced", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "report.md", "full"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir, files); err == nil {
			t.Error("no error")
		}
		if d := cmp.Diff([]string{"report-recall.svg", "report.md"}, folder(t, dir)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
	t.Run("a file that cannot be written", func(t *testing.T) {
		dir := t.TempDir()
		old := filepath.Join(dir, "report.md")
		if err := os.WriteFile(old, []byte("# Old\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir, append([]File{{strings.Repeat("x", 300), nil}}, files...)); err == nil {
			t.Error("no error")
		}
		if d := cmp.Diff([]string{"report.md"}, folder(t, dir)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if text, err := os.ReadFile(old); err != nil || string(text) != "# Old\n" {
			t.Errorf("the old page is %q (%v)", text, err)
		}
	})
}
