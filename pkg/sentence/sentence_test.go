package sentence

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     []Sentence
	}{
		{"paragraphs", "# Title\n\nOne is\nhere. Two is too.\n\nThree.",
			[]Sentence{{"One is here.", 0, false}, {"Two is too.", 0, false}, {"Three.", 1, false}}},
		{"list items", "- First. Then more.\n- Second",
			[]Sentence{{"First.", 0, false}, {"Then more.", 0, false}, {"Second", 1, false}}},
		{"code stays whole", "Run:\n\n```sh\nmake all. Then\n  stop\n```\n",
			[]Sentence{{"Run:", 0, false}, {"make all. Then\n  stop", 1, true}}},
		{"table rows", "| a | b |\n|---|---|\n| 1. x | y |\n",
			[]Sentence{{"a | b", 0, false}, {"1. x | y", 1, false}}},
		{"a heading alone", "## Nothing\n", nil},
		{"comment", "<!-- hidden -->\n\nSeen.", []Sentence{{"Seen.", 0, false}}},
	} {
		if d := cmp.Diff(tc.want, Split(tc.in)); d != "" {
			t.Errorf("%s:\n%s", tc.name, d)
		}
	}
}

func TestSplitProse(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{"Use e.g. Go. Or C.", []string{"Use e.g. Go.", "Or C."}},
		{"Version 1.2 is out. It works!", []string{"Version 1.2 is out.", "It works!"}},
		{"Set `a. B` first. `run` it.", []string{"Set `a. B` first.", "`run` it."}},
		{"It waits (for three seconds.) Then it goes.", []string{"It waits (for three seconds.)", "Then it goes."}},
		{"**Done.** Next.", []string{"**Done.**", "Next."}},
		{"see docs.md for more", []string{"see docs.md for more"}},
		{"An odd ` backtick. Still two.", []string{"An odd ` backtick.", "Still two."}},
	} {
		if d := cmp.Diff(tc.want, SplitProse(tc.in)); d != "" {
			t.Errorf("%q:\n%s", tc.in, d)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("One. Two.\n\n- x\n\n```\ncode\n```\n|a|b|\n|-|-|\n|c|d|\n")
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			return
		}
		block := 0
		for _, s := range Split(in) {
			if strings.TrimSpace(s.Text) == "" {
				t.Errorf("an empty sentence of %q", in)
			}
			if s.Block < block || s.Block > block+1 {
				t.Errorf("block %d after %d in %q", s.Block, block, in)
			}
			block = s.Block
		}
		joined := strings.Join(SplitProse(in), " ")
		if want := strings.Join(strings.Fields(in), " "); joined != want {
			t.Errorf("SplitProse lost something: %q, want %q", joined, want)
		}
	})
}
