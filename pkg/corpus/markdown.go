package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gm "github.com/yuin/goldmark/parser"
	render "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// border says how bad a cut in front of a line is.
type border int

const (
	atBlock   border = iota // a block of the page itself
	atItem                  // an item of a list, a row of a table
	nested                  // a block or item inside of those, or of a quote
	afterHead               // between a heading and its text, a table's head and its first row
	atLine                  // a line inside of a paragraph
	inLine                  // inside of a line
	inside                  // a line inside of a fence, code or HTML block
)

// heading is a heading of a page, in a container or not.
type heading struct {
	line   int // its first, from 0
	level  int
	text   string // as shown, on one line
	anchor string // its slug, or its explicit anchor
	nested bool   // in a list item or a quote: no border
}

// parser finds the blocks and the headings of a page. Blocks are parsed without
// their inlines, which nothing here needs and which can take quadratic time;
// each heading is then parsed by itself. A page with a heading of several lines,
// which cannot be, is parsed in full.
type parser struct {
	blocks, inlines, full gm.Parser
}

func newParser(attributes bool) *parser {
	paragraphs := gm.WithParagraphTransformers(append(gm.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...)
	inlines := gm.WithInlineParsers(append(gm.DefaultInlineParsers(),
		util.Prioritized(extension.NewStrikethroughParser(), 500))...)
	var options []gm.Option
	if attributes {
		options = append(options, gm.WithHeadingAttribute())
	}
	options = append(options, gm.WithBlockParsers(gm.DefaultBlockParsers()...), paragraphs)
	return &parser{
		blocks:  gm.NewParser(options...),
		full:    gm.NewParser(append(options, inlines)...),
		inlines: gm.NewParser(gm.WithBlockParsers(util.Prioritized(gm.NewATXHeadingParser(), 100)), inlines),
	}
}

// outline is what of a page matters for cutting it.
type outline struct {
	headings []heading
	borders  []border // in front of each line
}

// outline parses a page. Starts are the offsets of its lines.
func (p *parser) outline(src []byte, starts []int) outline {
	ctx := gm.NewContext()
	doc := p.blocks.Parse(text.NewReader(src), gm.WithContext(ctx))
	marks, long := newMarks(len(starts)), false
	walkBlocks(doc, func(n ast.Node, depth int) {
		if n.Pos() >= 0 {
			marks.block(n, lineAt(starts, n.Pos()), depth)
		}
		long = long || n.Kind() == ast.KindHeading && n.Lines().Len() > 1
	})
	if long {
		doc = p.full.Parse(text.NewReader(src))
	}
	out := outline{borders: marks.borders()}
	walkBlocks(doc, func(n ast.Node, depth int) {
		h, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		inlines, of := ast.Node(h), src
		if !long {
			inlines, of = p.heading(h, src, ctx)
		}
		out.headings = append(out.headings, heading{
			line: lineAt(starts, h.Pos()), level: h.Level, nested: depth > 0,
			text:   strings.Join(strings.Fields(inlineText(inlines, of, true)), " "),
			anchor: anchor(h, inlineText(inlines, of, false)),
		})
	})
	return out
}

// heading parses the inlines of a heading of one line, with the page's link
// definitions in ctx. As an ATX heading with a closing sequence any text stays
// what it is.
func (p *parser) heading(h *ast.Heading, src []byte, ctx gm.Context) (ast.Node, []byte) {
	one := fmt.Appendf(nil, "# %s #\n", bytes.TrimRight(h.Lines().Value(src), "\n"))
	return p.inlines.Parse(text.NewReader(one), gm.WithContext(ctx)), one
}

// anchor is the explicit anchor of a heading, else the slug of its text.
func anchor(h *ast.Heading, text string) string {
	if id, ok := h.AttributeString("id"); ok {
		if b, ok := id.([]byte); ok {
			return string(b)
		}
	}
	return slug(text)
}

func lineAt(starts []int, offset int) int { return sort.SearchInts(starts, offset+1) - 1 }

// walkBlocks calls fn for every block but the cells of tables, with the number
// of list items and quotes around it.
func walkBlocks(doc ast.Node, fn func(n ast.Node, depth int)) {
	depth := 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		container := n.Kind() == ast.KindListItem || n.Kind() == ast.KindBlockquote
		switch {
		case n.Type() == ast.TypeInline:
			return ast.WalkSkipChildren, nil
		case entering:
			fn(n, depth)
			if container {
				depth++
			}
		case container:
			depth--
		}
		if n.Kind() == east.KindTableRow || n.Kind() == east.KindTableHeader {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// inlineText is the text of a node as a browser shows it: no markup, no HTML
// tags. With alt, an image counts as its description; GitHub's anchors have it not.
func inlineText(n ast.Node, src []byte, alt bool) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			if !alt {
				return ast.WalkSkipChildren, nil
			}
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.String:
			b.Write(n.Value)
		case *ast.Text:
			if n.Parent().Kind() == ast.KindCodeSpan {
				b.Write(bytes.ReplaceAll(n.Segment.Value(src), []byte("\n"), []byte(" ")))
			} else {
				b.WriteString(unescape(n.Segment.Value(src)))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// unescape resolves backslash escapes and entities, in one pass as goldmark's writer does.
func unescape(s []byte) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	render.DefaultWriter.Write(w, s)
	_ = w.Flush() // into memory: it cannot fail
	return html.UnescapeString(b.String())
}

// marks collects where blocks start, and what the lines after each start are.
type marks struct {
	start  []border // -1 where no block starts
	follow []border
}

func newMarks(lines int) *marks {
	m := &marks{make([]border, lines), make([]border, lines)}
	for i := range lines {
		m.start[i], m.follow[i] = -1, -1
	}
	return m
}

func (m *marks) set(line int, start, follow border) {
	if m.start[line] < 0 || start < m.start[line] {
		m.start[line] = start
	}
	m.follow[line] = follow
}

// block notes the start of a block at that depth of containers.
func (m *marks) block(n ast.Node, line, depth int) {
	start, row := atBlock, atItem
	if depth > 0 {
		start, row = nested, nested
	}
	switch n.Kind() {
	case ast.KindDocument:
	case ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindHTMLBlock, ast.KindHeading, east.KindTableHeader:
		m.set(line, start, inside) // of a setext heading and a table's head the next line is a rule
	case ast.KindListItem, east.KindTableRow:
		if n.Kind() == east.KindTableRow && n.PreviousSibling().Kind() == east.KindTableHeader {
			row = afterHead
		}
		m.set(line, row, atLine)
	default:
		m.set(line, start, atLine)
	}
}

// borders is the border in front of every line.
func (m *marks) borders() []border {
	out, follow := make([]border, len(m.start)), atLine
	for i, start := range m.start {
		out[i] = follow
		if start >= 0 {
			out[i], follow = start, m.follow[i]
		}
	}
	return out
}
