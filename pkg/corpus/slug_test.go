package corpus

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The pairs are what GitHub gives, as github-slugger's fixtures record it; all
// 78 of those agree but for two code points assigned since they were taken.
func TestSlug(t *testing.T) {
	s := slugger{}
	for _, tt := range []struct{ text, want, reason string }{
		{"alpha", "alpha", ""},
		{"alpha", "alpha-1", "a repeat"},
		{"Camel Case", "camel-case", ""},
		{"echo", "echo", ""},
		{"echo", "echo-1", ""},
		{"echo 1", "echo-1-1", "echo-1 is taken by the repeat"},
		{"echo-1", "echo-1-2", "and so is echo-1-1"},
		{"echo", "echo-2", ""},
		{"foxtrot-1", "foxtrot-1", ""},
		{"foxtrot", "foxtrot", ""},
		{"foxtrot", "foxtrot-2", "foxtrot-1 was there first"},
		{"heading with a - dash", "heading-with-a---dash", "each space is a hyphen"},
		{"an _ underscore", "an-_-underscore", "connecting punctuation stays"},
		{"a period.txt", "a-periodtxt", ""},
		{"f(x, y [, z])", "fx-y--z", ""},
		{"a/b & c: 50%", "ab--c-50", ""},
		{" ", "-", ""},
		{" a ", "-a-", "nothing is trimmed"},
		{"apostrophe’s", "apostrophes", ""},
		{"I ♥ unicode", "i--unicode", ""},
		{"en–dash", "endash", "only the hyphen stays"},
		{"😄 emoji", "-emoji", ""},
		{":smile: gemoji", "smile-gemoji", ""},
		{"⚠️ careful", "\ufe0f-careful", "the variation selector is a mark"},
		{"Привет, 你好", "привет-你好", ""},
		{"Ⅷ ⓐ", "ⅷ-ⓐ", "alphabetic, if no letters"},
		{"x² ½", "x-", "other numbers are dropped"},
		{"e\u0301tude", "e\u0301tude", "combining marks stay"},
		{"two\nlines\ttab", "twolinestab", "only the space is a hyphen"},
	} {
		if got := s.unique(slug(tt.text)); got != tt.want {
			t.Errorf("%q: got %q, want %q (%s)", tt.text, got, tt.want, tt.reason)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"a\na\na", "a\na-1\na\na-1", "É\n😄\n_-_", "\n\n", "İ\nΣΑΣ\nǅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, texts string) {
		if !utf8.ValidString(texts) {
			t.Skip()
		}
		s, seen := slugger{}, map[string]bool{}
		for _, text := range strings.Split(texts, "\n") {
			base := slug(text)
			if strings.ContainsFunc(base, func(r rune) bool {
				return r == '~' || r == '#' || unicode.IsSpace(r) || unicode.IsControl(r)
			}) {
				t.Errorf("%q: the slug %q holds what an id must not", text, base)
			}
			if again := slug(base); again != base {
				t.Errorf("the slug of the slug %q is %q", base, again)
			}
			id := s.unique(base)
			if seen[id] || !strings.HasPrefix(id, base) {
				t.Errorf("%q: %q is no new id of %q", text, id, base)
			}
			seen[id] = true
		}
	})
}
