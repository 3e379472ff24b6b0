package reviewweb_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

// inert is all that may stand between < and >: no other tag, no other attribute.
// It is written out here, and shares nothing with the renderer.
var inert = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`/?(?:p|h[3-6]|em|strong|del|code|pre|blockquote|ul|li|table|thead|tbody|tr|button|a|span|div|ol)`,
	`/?(?:th|td)`, `t[hd] align="(?:left|right|center)"`,
	`(?:hr|br)(?: /)?`, `ol start="[0-9]+"`, `code class="language-[^"<>]*"`,
	`input(?: checked="")? disabled="" type="checkbox"(?: /)?`,
	`span class="(?:image|html)"`, `div class="html"`,
	`a href="(?:https?://|https?:|mailto:)[^"<>]*" target="_blank" rel="noopener noreferrer"`,
	`button type="button" class="link" data-section="[^"<>]*"`,
}, "|") + `)$`)

// active returns the first tag that is not inert, "" if there is none.
func active(text string) string {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "<")
		if !found {
			return ""
		}
		tag, behind, closed := strings.Cut(after, ">")
		if !closed || !inert.MatchString(tag) {
			return tag
		}
		rest = behind
	}
}

func TestMarkdown(t *testing.T) {
	known := func(id string) bool { return id == "docs/cache.md#where" || id == "docs/a.md#own" }
	for _, tt := range []struct{ name, text, want string }{
		{"prose", "# A *b*\n\nc `<d>`", "<h3>A <em>b</em></h3>\n<p>c <code>&lt;d&gt;</code></p>\n"},
		{"script", "<script>alert(1)</script>", `<div class="html">&lt;script&gt;alert(1)&lt;/script&gt;</div>`},
		{"onerror", "a <img src=x onerror=alert(1)> b", `<p>a <span class="html">&lt;img src=x onerror=alert(1)&gt;</span> b</p>` + "\n"},
		{"comment", "a\n\n<!-- b -->\n\nc <!-- d --> e", "<p>a</p>\n<p>c  e</p>\n"},
		{"comment that is more", "<!-- a --> <script>b</script> <!-- c -->", `<div class="html">&lt;!-- a --&gt; &lt;script&gt;b&lt;/script&gt; &lt;!-- c --&gt;</div>`},
		{"javascript", "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#115;cript:alert(1))", "<p>a b c</p>\n"},
		{"javascript with a tab", "[a](<java\tscript:alert(1)>)", "<p>a</p>\n"},
		{"data", "[a](data:text/html,b) [c](vbscript:d) [e](file:///f) [g](blob:h)", "<p>a c e g</p>\n"},
		{"autolinks", "<javascript:alert(1)> <https://a.b/?c=1&d=2> <x@y.z>", `<p>javascript:alert(1) <a href="https://a.b/?c=1&amp;d=2" target="_blank" rel="noopener noreferrer">https://a.b/?c=1&amp;d=2</a> <a href="mailto:x@y.z" target="_blank" rel="noopener noreferrer">x@y.z</a></p>` + "\n"},
		{"quotes in a link", `[a](https://b.c/"onclick="d)`, `<p><a href="https://b.c/%22onclick=%22d" target="_blank" rel="noopener noreferrer">a</a></p>` + "\n"},
		{"other host", "[a](//evil.example/b)", "<p>a</p>\n"},
		{"image", "![a *b*](https://c.d/e.png) ![](f.svg)", `<p><span class="image">a <em>b</em></span> <span class="image"></span></p>` + "\n"},
		{"image in a link", "[![a](b.png)](https://c.d)", `<p><a href="https://c.d" target="_blank" rel="noopener noreferrer"><span class="image">a</span></a></p>` + "\n"},
		{"docs", "[a](cache.md#where) [b](../docs/cache.md#where) [c](#own) [d](#gone)", `<p><button type="button" class="link" data-section="docs/cache.md#where">a</button> <button type="button" class="link" data-section="docs/cache.md#where">b</button> <button type="button" class="link" data-section="docs/a.md#own">c</button> d</p>` + "\n"},
		{"table", "| a | b |\n|--:|---|\n| 1 | 2 |", "<table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"fence", "```sh\" onclick=\"x\na\n```", "<pre><code class=\"language-sh&quot;\">a\n</code></pre>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reviewweb.Markdown(tt.text, "docs/a.md", known)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if tag := active(got); tag != "" {
				t.Errorf("<%s> is not inert", tag)
			}
		})
	}
}

// TestActive: what the fuzz test looks for is seen.
func TestActive(t *testing.T) {
	for _, text := range []string{
		"<script>", "<p onclick=x>", `<a href="javascript:x" target="_blank" rel="noopener noreferrer">`, "<img src=x>", "<p", `<td style="x">`, `<a href="https://a" onclick="b" target="_blank" rel="noopener noreferrer">`,
	} {
		if active(text) == "" {
			t.Errorf("%s counts as inert", text)
		}
	}
}

// FuzzMarkdown: no text makes a tag, an attribute or a link that is not among the few.
func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{
		"<script>alert(1)</script>", "[a](javascript:b)", "<a href='x' onclick=y>z</a>", "![a](b \"c\")", "<!-- a\n-->\n<b>", "| a |\n|:-:|\n| <i> |",
		"[a]: javascript:b\n\n[a]", "- [x] a <input>", "~~a~~ www.a.b https://c.d", "<svg/onload=a>", "&lt;script&gt;", "a  \nb\\\nc", "<?php ?>", "<![CDATA[a]]>", "</p><p>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := reviewweb.Markdown(text, "docs/a.md", func(id string) bool { return strings.Contains(id, "x") })
		if tag := active(got); tag != "" {
			t.Errorf("<%s> is not inert in\n%s", tag, got)
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(got, -1) {
			if to := html.UnescapeString(m[1]); !regexp.MustCompile(`^(?:https?|mailto):`).MatchString(to) {
				t.Errorf("a link to %q in\n%s", to, got)
			}
		}
	})
}
