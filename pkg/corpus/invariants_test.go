package corpus

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// cut cuts a page and checks what holds for any page.
func cut(t testing.TB, c *Cutter, path, src string) []*record.Passage {
	t.Helper()
	page := Page{Path: path, Text: []byte(src)}
	passages, err := c.CutPage(page)
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, c, page, passages)
	return passages
}

// checkInvariants checks the promises of the package comment.
func checkInvariants(t testing.TB, c *Cutter, page Page, passages []*record.Passage) {
	t.Helper()
	src := string(page.normal())
	lines := strings.Split(src, "\n")
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	pos, ids := 0, map[record.PassageID]bool{}
	for i, p := range passages {
		if err := p.Validate(); err != nil || blank(p.Text) {
			t.Fatalf("passage %d is empty or bad: %v", i, err)
		}
		if n := utf8.RuneCountInString(p.Text); n > c.config.Max {
			t.Errorf("%s has %d characters, the limit is %d", p.ID, n, c.config.Max)
		}
		if ids[p.ID] {
			t.Errorf("the id %s is there twice", p.ID)
		}
		ids[p.ID] = true
		if p.SHA256 != sum([]byte(p.Text)) || p.Path != page.Path {
			t.Errorf("%s: bad sha256 or path", p.ID)
		}

		// The parts in order give the page back, but for white space between them.
		at := strings.Index(src[pos:], p.Text)
		if at < 0 || !blank(src[pos:pos+at]) {
			t.Fatalf("%s: %q does not continue the page at %q", p.ID, p.Text, src[pos:min(pos+200, len(src))])
		}
		// Its lines are those it claims.
		first, last := 1+strings.Count(src[:pos+at], "\n"), 1+strings.Count(src[:pos+at+len(p.Text)], "\n")
		if p.Lines != [2]int{first, last} {
			t.Errorf("%s: lines %v, want [%d %d]", p.ID, p.Lines, first, last)
		}
		whole := strings.Join(lines[first-1:last], "\n")
		long := utf8.RuneCountInString(lines[first-1]) > c.config.Max || utf8.RuneCountInString(lines[last-1]) > c.config.Max
		if p.Text != whole && !long {
			t.Errorf("%s: %q is not whole lines, %q", p.ID, p.Text, whole)
		}
		pos += at + len(p.Text)
		checkPart(t, passages, i)
	}
	if !blank(src[pos:]) {
		t.Errorf("the rest of the page is lost: %q", src[pos:])
	}
}

// checkPart checks that parts are numbered 1, 2… within their section.
func checkPart(t testing.TB, passages []*record.Passage, i int) {
	t.Helper()
	n, total := 1, 0
	for j, q := range passages {
		if q.Section == passages[i].Section {
			total++
			if j < i {
				n++
			}
		}
	}
	want := record.PassageID(passages[i].Section)
	if total > 1 {
		want = record.PassageID(fmt.Sprintf("%s~%d", want, n))
	}
	if passages[i].ID != want {
		t.Errorf("got id %s, want %s", passages[i].ID, want)
	}
}

// FuzzCut checks the promises on any page, and the headings against a full
// parse by goldmark.
func FuzzCut(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n\n- a\n- b\n\n| a | b |\n|---|---|\n| c | d |\n\n```\n# x\n```\n",
		"---\na: b\n---\nA\nb\n===\n> # q\n> - # r\n\n1. x\n\n   ## s\n",
		"[a]: b 'c'\n# [a] ![x][a] `c` <b>&amp; \\#\n## x\\\n# #\n",
		"\ufeffa\r\nb\rc\n\n\u00a0\n    code\n\n    more\n", "# \x00\n#\tx\t#\n", "* a\n\n\n\t# b\n\n\t\tc\n-\n", "a|b\n-|-\n\n|\n", "# a\f #\n\v\n",
	} {
		f.Add([]byte(s), 10)
		f.Add([]byte(s), 1800)
	}
	full := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
	f.Fuzz(func(t *testing.T, src []byte, limit int) {
		if limit < 1 || limit > 1<<20 {
			t.Skip()
		}
		c := cutter(t, limit, nil)
		page := Page{Path: "p.md", Text: src}
		passages, err := c.CutPage(page)
		if (err == nil) != utf8.Valid(src) {
			t.Fatalf("valid UTF-8: %v, error: %v", utf8.Valid(src), err)
		}
		if err != nil {
			return
		}
		checkInvariants(t, c, page, passages)
		p := c.parse(page)
		masked := p.masked(p.frontMatter())
		var want, got []string
		_ = ast.Walk(full.Parse(text.NewReader(masked)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindHeading && entering {
				want = append(want, slug(inlineText(n, masked, false)))
			}
			return ast.WalkContinue, nil
		})
		for _, h := range p.headings {
			got = append(got, h.anchor)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("headings of a full parse: -want +got\n%s", diff)
		}
		for _, q := range passages {
			if strings.ContainsFunc(string(q.ID), unicode.IsControl) {
				t.Errorf("the id %q holds a control character", q.ID)
			}
		}
	})
}
