package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// page is Markdown under construction: blocks with a blank line between.
type page struct{ b strings.Builder }

func (p *page) block(s string) {
	if p.b.Len() > 0 {
		p.b.WriteString("\n")
	}
	p.b.WriteString(strings.TrimRight(s, "\n") + "\n")
}

func (p *page) heading(level int, s string) { p.block(strings.Repeat("#", level) + " " + s) }

func (p *page) para(format string, args ...any) { p.block(fmt.Sprintf(format, args...)) }

// list writes items that are Markdown already; nothing for none.
func (p *page) list(items []string) {
	if len(items) > 0 {
		p.block("- " + strings.Join(items, "\n- "))
	}
}

// table writes cells that are Markdown already. A column whose name ends in ">" is aligned right.
func (p *page) table(columns []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	names, rule := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		name, right := strings.CutSuffix(c, ">")
		names[i], rule[i] = name, "---"
		if right {
			rule[i] = "--:"
		}
	}
	for _, row := range append([][]string{names, rule}, rows...) {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	p.block(b.String())
}

// text escapes a string so that it shows as itself, on one line, in a table,
// at the start of a line or elsewhere. Names of metrics stay readable.
func text(s string) string {
	s = strings.TrimSpace(strings.Map(visible, s))
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@' && !isCut(s, i):
			b.WriteString("&#64;") // or it would call somebody, or be an address
		case special(s, i, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cut is what follows the @ of recall@5 and recall@5p, and of no address.
var cut = regexp.MustCompile(`^[0-9]+p?($|[^0-9A-Za-z._@-])`)

// isCut says that the @ at i is that of a metric.
func isCut(s string, i int) bool {
	return i > 0 && (s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z') && cut.MatchString(s[i+1:])
}

// special says whether the character r at i would mean something to Markdown.
func special(s string, i int, r rune) bool {
	before, after := s[:i], s[i+utf8.RuneLen(r):]
	switch r {
	case '\\', '`', '*', '_', '|', '~', '$':
		return true
	case ']': // ends the text of a link
		return after != "" && strings.IndexByte("([:", after[0]) >= 0
	case ':': // http://
		return strings.HasPrefix(after, "//")
	case '.': // www.
		return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www") || listNumber(before, after)
	case ')':
		return listNumber(before, after)
	case '#', '+', '-', '=', '[', '!':
		return i == 0
	}
	return false
}

// listNumber says that what stands between begins a numbered list.
func listNumber(before, after string) bool {
	return before != "" && strings.Trim(before, "0123456789") == "" && (after == "" || after[0] == ' ')
}

// visible replaces line breaks, control characters, and those that turn the direction of writing.
func visible(r rune) rune {
	switch {
	case r == '\u2028' || r == '\u2029' || unicode.IsControl(r):
		return ' '
	case r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069':
		return unicode.ReplacementChar
	}
	return r
}

// code is a code span that a table may hold.
func code(s string) string {
	s = strings.TrimSpace(strings.Map(visible, s))
	if s == "" {
		return "–"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// decimal is a number to three places.
func decimal(v float64) string { return minus(fmt.Sprintf("%.3f", v)) }

func decimal4(v float64) string { return minus(fmt.Sprintf("%.4f", v)) }

// signed is a difference to three places, with its sign.
func signed(v float64) string {
	if s := fmt.Sprintf("%+.3f", v); s != "+0.000" && s != "-0.000" {
		return minus(s)
	}
	return "0.000"
}

// minus writes a proper minus sign, and none before 0.
func minus(s string) string {
	if rest, ok := strings.CutPrefix(s, "-"); ok && strings.Trim(rest, "0.") != "" {
		return "−" + rest
	} else if ok {
		return rest
	}
	return s
}

// probability is a p value; nil is none.
func probability(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.0001:
		return "< 0.0001"
	}
	return decimal4(*p)
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
