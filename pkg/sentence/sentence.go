// Package sentence splits Markdown into sentences a reader can be shown one by
// one: those of a paragraph or list item, a table row, a whole code block.
//
// Invariants:
//   - A sentence is never empty and never spans two blocks.
//   - Prose comes on one line, with its inline markup as written; code keeps its lines.
//   - Nothing is made up: every word of a sentence is in the text. Nothing is lost
//     but headings, blank lines, thematic breaks and HTML comments.
package sentence

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// A Sentence is a piece of a text.
type Sentence struct {
	Text string
	// Block numbers the blocks of the text from 0; sentences of one paragraph share it.
	Block int
	// Code says that it is a code block.
	Code bool
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// Split returns the sentences of a Markdown text in order.
func Split(src string) []Sentence {
	source := []byte(src)
	w := &walker{source: source}
	doc := markdown.Parser().Parse(text.NewReader(source))
	// The walker returns no error, and Walk none of its own.
	_ = ast.Walk(doc, w.visit)
	return w.out
}

type walker struct {
	source []byte
	out    []Sentence
	block  int
}

func (w *walker) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		return ast.WalkSkipChildren, nil
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.add(true, strings.TrimRight(string(lines(n, w.source)), "\n"))
		return ast.WalkSkipChildren, nil
	case *ast.HTMLBlock:
		if t := bytes.TrimSpace(lines(n, w.source)); !bytes.HasPrefix(t, []byte("<!--")) {
			w.add(false, string(t))
		}
		return ast.WalkSkipChildren, nil
	case *extast.TableHeader, *extast.TableRow:
		w.add(false, w.row(n))
		return ast.WalkSkipChildren, nil
	case *ast.Paragraph, *ast.TextBlock:
		w.add(false, SplitProse(string(lines(n, w.source)))...)
		return ast.WalkSkipChildren, nil
	}
	return ast.WalkContinue, nil
}

// add appends the sentences of one block.
func (w *walker) add(code bool, sentences ...string) {
	any := false
	for _, s := range sentences {
		if strings.TrimSpace(s) != "" {
			w.out = append(w.out, Sentence{s, w.block, code})
			any = true
		}
	}
	if any {
		w.block++
	}
}

// row joins the cells of a table row.
func (w *walker) row(n ast.Node) string {
	var cells []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s := strings.TrimSpace(string(lines(c, w.source))); s != "" {
			cells = append(cells, s)
		}
	}
	return strings.Join(cells, " | ")
}

func lines(n ast.Node, source []byte) []byte {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(source))
	}
	return b.Bytes()
}

// abbreviation ends with a dot that does not end a sentence.
var abbreviation = regexp.MustCompile(`(?i)(?:^\d+|(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|fig|sec|dr|mr|ms|st|incl|min|max|[a-z]))\.$`)

// SplitProse splits running text at the ends of its sentences: at . ! ? before
// white space and what can open a sentence. Code spans are not looked into.
func SplitProse(prose string) []string {
	prose = strings.Join(strings.Fields(prose), " ")
	var out []string
	start, inCode := 0, false
	for i := 0; i < len(prose); i++ {
		switch prose[i] {
		case '`':
			inCode = !inCode && strings.IndexByte(prose[i+1:], '`') >= 0
		case '.', '!', '?':
			end := i + 1
			for end < len(prose) && strings.IndexByte(`"')]*_`, prose[end]) >= 0 {
				end++
			}
			if inCode || end >= len(prose) || prose[end] != ' ' || !opens(prose[end+1:]) || abbreviation.MatchString(prose[start:i+1]) {
				continue
			}
			out = append(out, prose[start:end])
			start, i = end+1, end
		}
	}
	if start < len(prose) {
		out = append(out, prose[start:])
	}
	return out
}

// opens tells whether rest can start a sentence.
func opens(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "*_\"'([`"))
	return !unicode.IsLower(r) || strings.HasPrefix(rest, "`")
}
