package corpus

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
)

// Page is a Markdown file.
type Page struct {
	// Path counts from the root of the repository, parts separated by '/'.
	Path string
	Text []byte
	// origin says where the page stood in the input, where that is not its path.
	origin string
}

func (p Page) where() string {
	if p.origin != "" {
		return p.origin + ": " + p.Path
	}
	return p.Path
}

// check refuses a page whose path or text could not be written as a record.
func (p Page) check() error {
	if !utf8.ValidString(p.Path) || strings.ContainsFunc(p.Path, unicode.IsControl) {
		return hint.Wrap(fmt.Errorf("%q: expected a path in UTF-8 without control characters", p.Path),
			"rename the file, or leave it out by a glob that matches it (-exclude)")
	}
	if p.Path == "" {
		return fmt.Errorf("%s: the path is empty", p.where())
	}
	if utf8.Valid(p.Text) {
		return nil
	}
	at := 0
	for at < len(p.Text) {
		r, n := utf8.DecodeRune(p.Text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	n := 1 + bytes.Count(p.Text[:at], []byte("\n"))
	return hint.Wrap(fmt.Errorf("%s:%d: not UTF-8: byte 0x%02X at offset %d", p.where(), n, p.Text[at], at),
		"convert the page (iconv -t utf-8), or leave it out (-exclude)")
}

// normal is the text as it is cut: no byte order mark, LF alone.
func (p Page) normal() []byte {
	src := bytes.TrimPrefix(p.Text, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
}

// parsed is a page ready to be cut.
type parsed struct {
	src      []byte
	starts   []int // the offset of each line; a final newline opens none
	borders  []border
	headings []heading
}

// parse finds the lines, headings and borders of a page.
func (c *Cutter) parse(page Page) *parsed {
	p := &parsed{src: page.normal()}
	for at := 0; at < len(p.src); {
		p.starts = append(p.starts, at)
		n := bytes.IndexByte(p.src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	n := p.frontMatter()
	out := c.parser.outline(p.masked(n), p.starts)
	p.headings, p.borders = out.headings, out.borders
	for i := range n {
		p.borders[i] = inside
	}
	return p
}

// line is the text of line i, without its newline.
func (p *parsed) line(i int) []byte {
	return bytes.TrimSuffix(p.src[p.starts[i]:p.end(i)], []byte("\n"))
}

// end is the offset after line i and its newline.
func (p *parsed) end(i int) int {
	if i+1 < len(p.starts) {
		return p.starts[i+1]
	}
	return len(p.src)
}

func isBlank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

var yamlKey = regexp.MustCompile(`^["'\w][^:]*:(\s|$)`)

// frontMatter returns the number of lines that YAML front matter takes at the
// head of a page. What looks like it but starts with no key is two rules with
// Markdown between them.
func (p *parsed) frontMatter() int {
	at := func(i int) string { return strings.TrimRight(string(p.line(i)), " \t") }
	if len(p.starts) == 0 || at(0) != "---" {
		return 0
	}
	first := true
	for i := 1; i < len(p.starts); i++ {
		switch s := at(i); {
		case s == "---" || s == "...":
			return i + 1
		case s == "" || !first:
		case yamlKey.MatchString(s):
			first = false
		default:
			return 0
		}
	}
	return 0
}

// masked is the text with its first n lines blanked, for the parser; offsets stay.
func (p *parsed) masked(n int) []byte {
	if n == 0 {
		return p.src
	}
	out := bytes.Clone(p.src)
	for i := range out[:p.end(n-1)] {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	return out
}
