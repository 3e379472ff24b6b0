package index

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyses(t *testing.T) {
	tests := []struct {
		text        string
		en, enParts string
		reason      string
	}{
		{"The runner's dialogs are NOT running", "runner dialog run", "runner dialog run", "stop words go, the rest is stemmed"},
		{"maxChars", "maxchar", "maxchar max char", "a capital after a small letter"},
		{"HTTPServer2", "httpserver2", "httpserver2 http server 2", "the last of several capitals begins a word"},
		{"MR_CACHE", "mr_cach", "mr_cach mr cach", ""},
		{"_id", "_id", "_id id", "a part that is not the whole"},
		{"corpus.pin", "corpus.pin", "corpus.pin corpu pin", "a full stop between letters does not end a word"},
		{"v2.6.3", "v2.6.3", "v2.6.3 v 2 6 3", ""},
		{"Café naïve", "café naïv", "café naïv", "small letters of every kind"},
		{"e\u0301tudeX", "e\u0301tudex", "e\u0301tudex e\u0301tud x", "an accent of its own belongs to its letter"},
		{"日本", "日 本", "日 本", ""},
		{"Who is it, and why not?", "", "", "stop words alone"},
	}
	m := newMapping(English)
	for _, tt := range tests {
		for a, want := range map[Analysis]string{English: tt.en, EnglishParts: tt.enParts} {
			var got []string
			for _, token := range m.AnalyzerNamed(string(a)).Analyze([]byte(tt.text)) {
				got = append(got, string(token.Term))
			}
			if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
				t.Errorf("%s of %q, %s (-want +got):\n%s", a, tt.text, tt.reason, d)
			}
		}
	}
	if err := Analysis("de").Validate(); err == nil || !strings.Contains(err.Error(), "en or en-parts") {
		t.Errorf("analysis de: %v", err)
	}
}

// FuzzIdentifierParts: the parts are pieces of the term in order that hold all
// its letters and digits, and none is empty.
func FuzzIdentifierParts(f *testing.F) {
	for _, s := range []string{"maxChars", "HTTPServer2", "__init__", "a\u0301B", "日本", "\xff", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rest, want := s, 0
		last := outside
		for _, r := range s {
			if last = classOf(r, last); last != outside {
				want++
			}
		}
		got := 0
		for _, p := range identifierParts([]byte(s)) {
			i := strings.Index(rest, string(p))
			if len(p) == 0 || i < 0 {
				t.Fatalf("%q: part %q is not in the rest %q", s, p, rest)
			}
			rest = rest[i+len(p):]
			got += len([]rune(string(p)))
		}
		if got != want {
			t.Fatalf("%q: %d letters and digits in the parts, want %d", s, got, want)
		}
	})
}
