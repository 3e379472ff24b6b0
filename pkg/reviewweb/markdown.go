package reviewweb

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// Markdown turns a text of the docs into HTML that runs nothing and loads
// nothing, whatever the text holds:
//   - HTML within it is shown as text; comments are left out.
//   - An image is its description.
//   - A link to http, https or mailto opens in a window of its own. One within
//     the docs is a button that names a section (data-section); every other
//     link, javascript: and data: among them, is its text.
//
// Page is the path of the page the text is of, for links within the docs;
// known says which sections there are.
func Markdown(text, page string, known func(section string) bool) string {
	links := &linker{page: page, known: known}
	md := goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList, tables),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(links, 1))),
	)
	var b bytes.Buffer
	if err := md.Convert([]byte(text), &b); err != nil { // into memory: a renderer of ours failed
		return "<pre>" + html.EscapeString(text) + "</pre>"
	}
	return b.String()
}

// tables align their cells by an attribute: the policy lets no style stand in the text.
var tables = extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))

// linker renders what goldmark's own renderer would let through.
type linker struct {
	page  string
	known func(section string) bool
}

// RegisterFuncs implements renderer.NodeRenderer.
func (l *linker) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, l.link)
	r.Register(ast.KindAutoLink, l.autoLink)
	r.Register(ast.KindImage, l.image)
	r.Register(ast.KindRawHTML, l.rawHTML)
	r.Register(ast.KindHTMLBlock, l.htmlBlock)
	r.Register(ast.KindHeading, l.heading)
}

// heading renders a heading two levels down: the page has its own.
func (l *linker) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := min(6, n.(*ast.Heading).Level+2)
	if entering {
		fmt.Fprintf(w, "<h%d>", level)
	} else {
		fmt.Fprintf(w, "</h%d>\n", level)
	}
	return ast.WalkContinue, nil
}

func (l *linker) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open, shut := l.tags(string(n.(*ast.Link).Destination))
	if entering {
		_, _ = w.WriteString(open) // into memory
	} else {
		_, _ = w.WriteString(shut)
	}
	return ast.WalkContinue, nil
}

func (l *linker) autoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		a := n.(*ast.AutoLink)
		to := string(a.URL(src))
		if a.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
			to = "mailto:" + to
		}
		open, shut := l.tags(to)
		_, _ = w.WriteString(open + html.EscapeString(string(a.Label(src))) + shut)
	}
	return ast.WalkContinue, nil
}

// tags are the tags of a link, "" and "" for one that is its text alone.
func (l *linker) tags(to string) (open, shut string) {
	u, err := url.Parse(to)
	if err != nil {
		return "", ""
	}
	switch u.Scheme {
	case "http", "https", "mailto":
		return `<a href="` + html.EscapeString(u.String()) + `" target="_blank" rel="noopener noreferrer">`, "</a>"
	case "":
	default:
		return "", ""
	}
	if u.Host != "" || l.known == nil {
		return "", ""
	}
	target := l.page
	if u.Path != "" {
		target = path.Join(path.Dir(l.page), u.Path)
	}
	if section := target + "#" + u.Fragment; l.known(section) {
		return `<button type="button" class="link" data-section="` + html.EscapeString(section) + `">`, "</button>"
	}
	return "", ""
}

// image shows the description alone: its children are rendered as they are.
func (l *linker) image(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<span class="image">`)
	} else {
		_, _ = w.WriteString("</span>")
	}
	return ast.WalkContinue, nil
}

func (l *linker) rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		inert(w, string(n.(*ast.RawHTML).Segments.Value(src)), "span")
	}
	return ast.WalkSkipChildren, nil
}

func (l *linker) htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.HTMLBlock)
		var b strings.Builder
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			b.Write(line.Value(src))
		}
		if block.HasClosure() {
			b.Write(block.ClosureLine.Value(src))
		}
		inert(w, b.String(), "div")
	}
	return ast.WalkContinue, nil
}

// inert shows HTML as the text it is.
func inert(w util.BufWriter, text, tag string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<!--") && strings.HasSuffix(text, "-->") && strings.Count(text, "-->") == 1 {
		return
	}
	fmt.Fprintf(w, `<%s class="html">%s</%[1]s>`, tag, html.EscapeString(text))
}
