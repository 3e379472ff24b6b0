package corpus

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// cutter returns the default cutter with another limit, changed by edit.
func cutter(t testing.TB, limit int, edit func(*Config)) *Cutter {
	t.Helper()
	config := Default()
	config.Max = limit
	if edit != nil {
		edit(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// outlineOf lists "slug [first-last] trail" of the passages.
func outlineOf(passages []*record.Passage) []string {
	var out []string
	for _, p := range passages {
		id := strings.TrimPrefix(string(p.ID), p.Path+"#")
		out = append(out, fmt.Sprintf("%s [%d-%d] %s", id, p.Lines[0], p.Lines[1], p.Trail()))
	}
	return out
}

func TestHeadings(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"levels", "intro\n# A\n## B\ntext\n#### C\n## D\n# E\n",
			[]string{" [1-1] ", "a [2-2] A", "b [3-4] A > B", "c [5-5] A > B > C", "d [6-6] A > D", "e [7-7] E"}},
		{"setext", "A\n===\ntext\n\nB\nb\n---\nmore\n\n---\n\nrule above\n",
			[]string{"a [1-3] A", "bb [5-12] A > B b"}},
		{"setext of several lines", "*A\nb* `c\nd` [e\nf](g) \ni\\\nj\n===\n", []string{"ab-c-d-efij [1-7] A b c d e f i j"}},
		{"not a heading", "#none\n\n####### seven\n\n\\# escaped\n\n    # code\n", []string{" [1-7] "}},
		{"closing", "# a #\n## b ## c ##\n### d \\#\n", []string{"a [1-1] a", "b--c [2-2] a > b ## c", "d- [3-3] a > b ## c > d #"}},
		{"indented", "   # three\n    # four\n", []string{"three [1-2] three"}},
		{"interrupts a paragraph", "text\n# h\ntext\n", []string{" [1-1] ", "h [2-3] h"}},
		{"backtick fence", "```\n# in\n```\n# out\n", []string{" [1-3] ", "out [4-4] out"}},
		{"tilde fence", "~~~ sh\n# in\n```\n# in\n~~~\n# out\n", []string{" [1-5] ", "out [6-6] out"}},
		{"longer fence", "`````md\n```\n# in\n```\n# in\n`````\n# out\n", []string{" [1-6] ", "out [7-7] out"}},
		{"indented fence", "  ```\n# in\n  ```\n# out\n", []string{" [1-3] ", "out [4-4] out"}},
		{"fence in a list", "- item\n\n  ```\n  # in\n  ```\n\n# out\n", []string{" [1-5] ", "out [7-7] out"}},
		{"fence in a quote", "> ```\n> # in\n\n# out\n", []string{" [1-2] ", "out [4-4] out"}},
		{"open fence", "# a\n```\n# in\n", []string{"a [1-3] a"}},
		{"fence shut by its kind alone", "```\n~~~\n# in\n``\n# in\n```\n# out\n", []string{" [1-6] ", "out [7-7] out"}},
		{"setext in a fence", "```\nin\n===\n```\nout\n===\n", []string{" [1-4] ", "out [5-6] out"}},
		{"html block", "<pre>\n# in\n\n# in\n</pre>\n# out\n", []string{" [1-5] ", "out [6-6] out"}},
		{"html comment", "<!--\n# in\n\n# in\n-->\n# out\n", []string{" [1-5] ", "out [6-6] out"}},
		{"html block ends at a blank line", "<div>\n# in\n\n# out\n</div>\n", []string{" [1-2] ", "out [4-5] out"}},
		{"html heading", "<h1>A</h1>\n\n# A\n", []string{" [1-1] ", "a [3-3] A"}},
		{"in containers: no border, but counted", "# A\n- # B\n> # A\n> text\n\n# B\n# A\n",
			[]string{"a [1-4] A", "b-1 [6-6] B", "a-2 [7-7] A"}},
		{"duplicates", "# A\n# a\n# A!\n# A 1\n", []string{"a [1-1] A", "a-1 [2-2] a", "a-2 [3-3] A!", "a-1-1 [4-4] A 1"}},
		{"empty", "intro\n#\n## \n# !?\n# text\n", []string{" [1-1] ", "-1 [2-2] ", "-2 [3-3] ", "-3 [4-4] !?", "text [5-5] text"}},
		{"link and code", "# See [`the` *docs*](https://a.b/c#d) now\n", []string{"see-the-docs-now [1-1] See the docs now"}},
		{"reference link", "# The [Spec][s]\n\n[s]: https://a.b\n", []string{"the-spec [1-3] The Spec"}},
		{"a link without its definition", "# The [Spec][s]\n", []string{"the-specs [1-1] The [Spec][s]"}},
		{"autolink", "# <https://a.b/c>\n", []string{"httpsabc [1-1] https://a.b/c"}},
		{"image", "# ![Logo](l.png) Mobium\n", []string{"-mobium [1-1] Logo Mobium"}},
		{"inline html", "# <a name=\"x\"></a>Keys <kbd>Ctrl</kbd>\n", []string{"keys-ctrl [1-1] Keys Ctrl"}},
		{"entities", "# Q&amp;A &lt;T&gt; \\&amp; &#35;\n", []string{"qa-t-amp- [1-1] Q&A <T> &amp; #"}},
		{"code is literal", "# `&amp; *a* \\n`\n", []string{"amp-a-n [1-1] &amp; *a* \\n"}},
		{"strikethrough", "# ~~old~~ new\n", []string{"old-new [1-1] old new"}},
		{"emoji", "# 🚀 Go\n## :rocket: Go\n", []string{"-go [1-1] 🚀 Go", "rocket-go [2-2] 🚀 Go > :rocket: Go"}},
		{"anchor attribute is text", "# A {#b}\n", []string{"a-b [1-1] A {#b}"}},
		{"table is no heading", "| a |\n|---|\n| # b |\n", []string{" [1-3] "}},
		{"front matter", "---\nname: x\n# comment\ntitle: y\n---\n# A\n", []string{" [1-5] ", "a [6-6] A"}},
		{"front matter ends in dots", "---\n\"a b\": x\n...\n# A\n", []string{" [1-3] ", "a [4-4] A"}},
		{"two rules are no front matter", "---\n# A\n---\n# B\n", []string{" [1-1] ", "a [2-3] A", "b [4-4] B"}},
		{"open front matter is none", "---\nkey: x\n# A\n", []string{" [1-2] ", "a [3-3] A"}},
		{"blank", " \n\t\n\n", nil},
		{"nothing", "", nil},
		{"crlf", "A\r\n===\r\n\r\ntext\r\n\r\n```\r\n# in\r\n```\r\n## B\r\n", []string{"a [1-8] A", "b [9-9] A > B"}},
		{"cr", "# A\rtext\r# B\r", []string{"a [1-2] A", "b [3-3] B"}},
		{"byte order mark", "\ufeff# A\n", []string{"a [1-1] A"}},
	} {
		got := outlineOf(cut(t, cutter(t, 1800, nil), "p.md", tt.src))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func TestTextIsVerbatim(t *testing.T) {
	got := cut(t, cutter(t, 1800, nil), "p.md", "\ufeff\r\n\n    code  \r\n\r\n\ttail \r\n\r\n# A\t\n\n")
	if len(got) != 2 || got[0].Text != "    code  \n\n\ttail " || got[1].Text != "# A\t" {
		t.Errorf("got %q and %q", got[0].Text, got[1].Text)
	}
}

func TestEntryRules(t *testing.T) {
	src := "# Log\n### 105. A `tap` fails\n#### 1. Cause\n### 7. Other\n### 105. Again\n## 12. Level two\n"
	c := cutter(t, 1800, func(c *Config) {
		c.Entries = append(c.Entries,
			EntryRule{Path: "bugs/**", Pattern: `^\[?BUG-(?P<n>\d+)\]?`, ID: "BUG-${n}"},
			EntryRule{Path: "bugs/**", Pattern: `Cause$`, ID: "cause"})
	})
	for _, tt := range []struct {
		path, src string
		want      []record.SectionID
	}{
		{"docs/CHALLENGES.md", src, []record.SectionID{"docs/CHALLENGES.md#log", "CHALLENGES#105", "docs/CHALLENGES.md#1-cause",
			"CHALLENGES#7", "CHALLENGES#105-1", "docs/CHALLENGES.md#12-level-two"}},
		{"docs/OTHER.md", src, []record.SectionID{"docs/OTHER.md#log", "docs/OTHER.md#105-a-tap-fails", "docs/OTHER.md#1-cause",
			"docs/OTHER.md#7-other", "docs/OTHER.md#105-again", "docs/OTHER.md#12-level-two"}},
		{"bugs/2026/list.md", "## [BUG-12] x\n### Cause\n", []record.SectionID{"BUG-12", "cause"}},
	} {
		var got []record.SectionID
		for _, p := range cut(t, c, tt.path, tt.src) {
			got = append(got, p.Section)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.path, diff)
		}
	}
}

func TestHeadingAttributes(t *testing.T) {
	c := cutter(t, 1800, func(c *Config) { c.HeadingAttributes = true })
	got := outlineOf(cut(t, c, "p.md", "# A {#first}\n## B {.red}\n## C {#first}\n"))
	if diff := cmp.Diff([]string{"first [1-1] A", "b [2-2] A > B", "first-1 [3-3] A > C"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// An edit in one section leaves the ids of all others, and their texts.
func TestIDsAreStableUnderEdits(t *testing.T) {
	page := func(body string) string {
		return "intro\n\n# T\n\n## One\n\na\n\n## Two\n\n" + body + "\n\n## One\n\nb\n\n## Three\n\nc\n"
	}
	c := cutter(t, 100, nil)
	ids := func(src string) map[record.SectionID]string {
		out := map[record.SectionID]string{}
		for _, p := range cut(t, c, "p.md", src) {
			if p.Section != "p.md#two" {
				out[p.Section] += p.SHA256
			}
		}
		return out
	}
	want := ids(page("short"))
	for _, body := range []string{"longer\n\n" + strings.Repeat("words and words ", 40), "### New\n\nsection", "```\n# x\n```"} {
		got := ids(page(body))
		delete(got, "p.md#new")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after the edit %.20q: -want +got\n%s", body, diff)
		}
	}
}

func TestBadPages(t *testing.T) {
	c := cutter(t, 1800, nil)
	for _, tt := range []struct{ name, path, text, want string }{
		{"Latin-1", "docs/a.md", "ok\ncaf\xe9\n", "docs/a.md:2: not UTF-8: byte 0xE9 at offset 6"},
		{"UTF-16", "docs/a.md", "\xff\xfe#\x00", "docs/a.md:1: not UTF-8: byte 0xFF at offset 0"},
		{"cut short", "docs/a.md", "caf\xc3", "docs/a.md:1: not UTF-8: byte 0xC3 at offset 3"},
		{"newline in the path", "docs/a\nb.md", "x", `"docs/a\nb.md": expected a path in UTF-8`},
		{"path not UTF-8", "docs/\xff.md", "x", `"docs/\xff.md": expected a path in UTF-8`},
		{"escape in the path", "docs/\x1b[31m.md", "x", "expected a path in UTF-8"},
	} {
		_, err := c.CutPage(Page{Path: tt.path, Text: []byte(tt.text)})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	// A replacement character that is really there is good text.
	cut(t, c, "p.md", "a \ufffd b")

	// All are named, and so are two passages of one id.
	_, err := c.Cut(&Set{Pages: []Page{{Path: "a.md", Text: []byte("\xff")}, {Path: "b.md", Text: []byte("fine")}, {Path: "c.md", Text: []byte("\xfe")}}})
	if err == nil || !strings.Contains(err.Error(), "a.md:1") || !strings.Contains(err.Error(), "c.md:1") {
		t.Errorf("two bad pages: %v", err)
	}
	c = cutter(t, 1800, func(c *Config) { c.Entries[0].Path = "**/CHALLENGES.md" })
	_, err = c.Cut(&Set{Pages: []Page{{Path: "x/CHALLENGES.md", Text: []byte("### 1. a\n")}, {Path: "y/CHALLENGES.md", Text: []byte("\n### 1. a\n")}}})
	if want := "y/CHALLENGES.md:2: the id CHALLENGES#1 is also that of x/CHALLENGES.md:1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c = cutter(t, 1800, func(c *Config) { c.Entries = []EntryRule{{Path: "**", Pattern: `(\d+)`, ID: "bug~$1"}} })
	if _, err := c.CutPage(Page{Path: "p.md", Text: []byte("x\n\n# 12\n")}); err == nil || !strings.Contains(err.Error(), `p.md:3: the section id "bug~12"`) {
		t.Errorf("an id like a part's: %v", err)
	}
	for _, set := range []*Set{{}, {Pages: []Page{{Path: "a.md", Text: []byte(" \n")}}}} {
		if _, err := c.Cut(set); err == nil || !strings.Contains(err.Error(), "the corpus is empty") {
			t.Errorf("%d pages without text: %v", len(set.Pages), err)
		}
	}
}

func TestLargePages(t *testing.T) {
	c := cutter(t, 1800, nil)
	prose := "Some words of *prose*, `code` as well, and a [link](https://a.b). "
	for _, tt := range []struct {
		name, src string
		min       int
	}{
		{"one 5 MB section", "# A\n\n" + strings.Repeat(strings.Repeat(prose, 3)+"\n\n", 5<<20/len(prose)/3), 5 << 20 / 1800},
		{"5 MB of sections", strings.Repeat("## A\n\n"+prose+"\n\n", 5<<20/(len(prose)+8)), 5 << 20 / (len(prose) + 9)},
		{"one 100 KB line", "# A\n\n" + strings.Repeat(prose, 100<<10/len(prose)) + "\n", 100 << 10 / 1800},
		{"one 100 KB line without a space", strings.Repeat("é", 50<<10), 50 << 10 / 1800},
		{"a 100 KB line that takes a parser of inlines quadratic time", strings.Repeat("[a](", 25<<10), 100 << 10 / 1800},
		{"100 KB of spaces in a line", "a" + strings.Repeat(" ", 100<<10) + "b", 2},
	} {
		passages, err := c.CutPage(Page{Path: "p.md", Text: []byte(tt.src)})
		if err != nil || len(passages) < tt.min {
			t.Fatalf("%s: %d passages, %v", tt.name, len(passages), err)
		}
		var b strings.Builder
		for _, p := range passages {
			if n := utf8.RuneCountInString(p.Text); n > 1800 {
				t.Fatalf("%s: %s has %d characters", tt.name, p.ID, n)
			}
			b.WriteString(p.Text)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(b.String()) != squeeze(tt.src) {
			t.Errorf("%s: the passages do not give the page back", tt.name)
		}
	}
}
