package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig("c.json", []byte(`{"max": 900, "exclude": ["a/"], "entries": [{"path": "LOG.md", "pattern": "^(D-\\d+)", "id": "$1"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Max, want.Exclude = 900, []string{"a/"}
	want.Entries = []EntryRule{{Path: "LOG.md", Pattern: `^(D-\d+)`, ID: "$1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a key given replaces the default, one left out keeps it: -want +got\n%s", diff)
	}
	if got.SHA256() == Default().SHA256() || Default().SHA256() != Default().SHA256() {
		t.Error("the digest does not tell configurations apart")
	}
	for _, tt := range []struct{ src, want string }{
		{"{\n\"maximum\": 1}", "c.json:2: "},
		{"{\n\n\"max\": \"1\"}", "c.json:3: "},
		{`{"entries": [{"path": "a", "patern": "b"}]}`, "c.json:1: "},
		{`{"max": 1`, "c.json:1: "},
		{``, "c.json:1: "},
		{`{"max": 0}`, "c.json: max: expected a number"},
		{`{"include": [""]}`, "c.json: include: expected a glob"},
		{`{"entries": [{"path": "a", "pattern": "(", "id": "x"}]}`, "c.json: entries: rule 1: error parsing regexp"},
		{`{"entries": [{"path": "a", "pattern": "b"}]}`, "c.json: entries: rule 1: path"},
		{`{"entries": [{"path": "a", "pattern": "b", "id": "c", "level": 7}]}`, "c.json: entries: rule 1: level"},
	} {
		_, err := ParseConfig("c.json", []byte(tt.src))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.src, err, tt.want)
		} else if strings.HasPrefix(tt.want, "c.json:") && !strings.HasPrefix(tt.want, "c.json: ") && hint.Of(err) == "" {
			t.Errorf("%s: no hint", tt.src)
		}
	}
	if _, err := New(Config{Max: 1, Exclude: []string{"\xff"}}); err == nil {
		t.Error("a glob that is not UTF-8 was taken")
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"docs/*.md", "docs/a.md", true},
		{"docs/*.md", "docs/sub/a.md", false},
		{"docs/**", "docs/sub/a.md", true},
		{"docs/", "docs/sub/a.md", true},
		{"docs/", "docs2/a.md", false},
		{"**/LICENSE*.md", "LICENSE.md", true},
		{"**/LICENSE*.md", "a/b/License-MIT.md", true},
		{"**/test/", "a/test/b.md", true},
		{"**/test/", "test/b.md", true},
		{"**/test/", "latest/b.md", false},
		{"a/**/b.md", "a/b.md", true},
		{"a/**/b.md", "a/x/y/b.md", true},
		{"?.md", "é.md", true},
		{"?.md", "ab.md", false},
		{"?.md", "/.md", false},
		{"*.md", "a\nb.md", true},
		{"*", "\xff.md", true},
		{"a.md", "axmd", false},
		{"a+(b).md", "a+(b).md", true},
		{"README.md", "docs/README.md", false},
	} {
		if got := glob(tt.glob).MatchString(tt.path); got != tt.want {
			t.Errorf("glob %q, path %q: got %v", tt.glob, tt.path, got)
		}
	}
}

// What the default leaves out, by the paths of Mobium's repository.
func TestDefaultSelection(t *testing.T) {
	c, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"README.md": true, "SECURITY.md": true, "docs/SETUP.md": true, "skills/mobile/SKILL.md": true,
		"examples/drivers/PROTOCOL.md": true, "packaging/mcp/README.md": true, "docs/TESTING.MD": true,
		"THIRD_PARTY_NOTICES.md": false, "LICENSE.md": false, "clients/go/README.md": false, "tests/README.md": false,
		"assets/branding/README.md": false, "go/pkg/testdata/x.md": false, "docs/a.txt": false, ".md": false, "docs/md": false,
	} {
		if got := c.isPage(path) && c.selects(path); got != want {
			t.Errorf("%s: selected %v, want %v", path, got, want)
		}
	}
}
