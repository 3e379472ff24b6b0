package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

func TestResolve(t *testing.T) {
	r := newRepo(t)
	first := r.commit(map[string]string{"a": "1"})
	second := r.commit(map[string]string{"a": "2"})
	r.git("tag", "light", string(first))
	r.git("tag", "-a", "-m", "m", "annotated", string(first))
	r.git("tag", "both", string(first))
	r.git("branch", "both", string(second))
	r.git("tag", "agree", string(first))
	r.git("branch", "agree", string(first))
	r.git("branch", string(second)[:7], string(first)) // a branch that looks like a sha
	r.git("branch", "fix#12/deep", string(first))
	r.git("tag", "tree", string(first)+"^{tree}")
	s := r.open()

	for _, tt := range []struct {
		pin, want, err, reason string
	}{
		{pin: string(first), want: string(first)},
		{pin: strings.ToUpper(string(first)), want: string(first)},
		{pin: string(first)[:7], want: string(first)},
		{pin: string(first)[:39], want: string(first)},
		{pin: "main", want: string(second)},
		{pin: "refs/heads/main", want: string(second)},
		{pin: "HEAD", want: string(second)},
		{pin: "HEAD~1", want: string(first)},
		{pin: "light", want: string(first)},
		{pin: "annotated", want: string(first), reason: "an annotated tag leads to its commit"},
		{pin: r.git("rev-parse", "annotated"), want: string(first), reason: "the tag object's own sha"},
		{pin: "fix#12/deep", want: string(first)},
		{pin: "agree", want: string(first), reason: "two refs, one commit"},
		{pin: "both", err: "ambiguous", reason: "tag and branch differ"},
		{pin: "refs/heads/both", want: string(second)},
		{pin: string(second)[:7], err: "ambiguous", reason: "a branch must not stand in for a sha"},
		{pin: "fix#12", err: "unknown pin", reason: "only the start of a branch's name"},
		{pin: "tree", err: "does not name a commit"},
		{pin: r.git("rev-parse", string(first)+"^{tree}"), err: "unknown pin", reason: "a tree's sha"},
		{pin: "0000000", err: "unknown pin"},
		{pin: strings.Repeat("0", 40), err: "unknown pin"},
		{pin: "nowhere", err: "unknown pin"},
		{pin: "HEAD:a", err: "unknown pin", reason: "a file"},
		{pin: "HEAD~1..HEAD", err: "unknown pin", reason: "a range"},
		{pin: "", err: "empty"},
		{pin: "--all", err: "starts with '-'"},
		{pin: "-n1", err: "starts with '-'"},
		{pin: "main\nHEAD", err: "control character"},
		{pin: "main HEAD", err: "space"},
		{pin: "a\xffb", err: "control character", reason: "not UTF-8"},
	} {
		got, err := s.Resolve(t.Context(), tt.pin)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q (%s): got %q, %v; want an error with %q", tt.pin, tt.reason, got, err, tt.err)
		case tt.err == "" && (err != nil || string(got) != tt.want):
			t.Errorf("%q (%s): got %q, %v; want %q", tt.pin, tt.reason, got, err, tt.want)
		case err != nil && strings.Contains(tt.err, "unknown") && !strings.Contains(hint.Of(err), "fetch"):
			t.Errorf("%q: hint %q does not say how to fetch", tt.pin, hint.Of(err))
		}
	}
}

// Among 400 commits, two share their first four digits: the chance that none
// do is exp(-400²/2/65536) = 0.3, so commits are added until it happens; after
// 3,000 the chance is exp(-69).
func TestAmbiguousShortSHA(t *testing.T) {
	r := newRepo(t)
	var stream strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter a <a@localhost> %d +0000\ndata 1\nc\n", 1767225600+i)
	}
	r.pipe(stream.String(), "fast-import", "--quiet")
	seen := map[string]string{}
	for _, id := range strings.Fields(r.git("rev-list", "main")) {
		other, dup := seen[id[:4]]
		seen[id[:4]] = id
		if !dup {
			continue
		}
		_, err := r.open().Resolve(t.Context(), id[:4])
		if err == nil || !strings.Contains(err.Error(), "ambiguous") || !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), other) {
			t.Errorf("got %v, want both candidates %s and %s", err, id, other)
		}
		if hint.Of(err) == "" {
			t.Error("no hint")
		}
		return
	}
	t.Fatal("no two of 3,000 commits share four digits")
}

func TestPin(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct{ name, text, want, err string }{
		{name: "one.pin", text: "4ca9a44\n", want: "4ca9a44"},
		{name: "comments.pin", text: "# what it is\n\n  4ca9a44  # trailing\n# end", want: "4ca9a44"},
		{name: "crlf.pin", text: "# c\r\nmain\r\n", want: "main"},
		{name: "hash.pin", text: "fix#12\n", want: "fix#12"},
		{name: "empty.pin", text: "# nothing\n", err: "empty.pin: no revision"},
		{name: "two.pin", text: "a\n# c\nb\n", err: "two.pin:3: expected one revision"},
	} {
		if err := os.WriteFile(tt.name, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Pin(tt.name)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "main"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"main", "v1.0", "4ca9a44"} {
		if got, err := Pin(rev); got != rev || err != nil {
			t.Errorf("%s: got %q, %v; want itself", rev, got, err)
		}
	}
	if _, err := Pin("absent.pin"); err == nil || hint.Of(err) == "" {
		t.Errorf("absent.pin: %v", err)
	}
}
