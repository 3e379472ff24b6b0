package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

// shown returns what a reader sees of the nodes below n, and the kinds of node
// that are more than text or one of the allowed.
func shown(source []byte, n ast.Node, allowed ...ast.NodeKind) (words string, more []string) {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || c == n {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			value := c.Segment.Value(source)
			if c.Parent().Kind() != ast.KindCodeSpan {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			b.Write(value)
			if c.SoftLineBreak() || c.HardLineBreak() {
				more = append(more, "line break")
			}
		case *ast.String:
			b.Write(c.Value)
		default:
			for _, k := range allowed {
				if c.Kind() == k {
					return ast.WalkContinue, nil
				}
			}
			more = append(more, c.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return b.String(), more
}

// cell parses Markdown as the second cell of a table, and returns it; nil where the table broke.
func cell(markdown string) (source []byte, n ast.Node) {
	source = []byte("| a | b | c |\n| --- | --- | --- |\n| x | " + markdown + " | y |\n")
	doc := gfm.Parser().Parse(gtext.NewReader(source))
	table := doc.FirstChild()
	if table == nil || table.Kind() != east.KindTable || table != doc.LastChild() || table.ChildCount() != 2 || table.LastChild().ChildCount() != 3 {
		return source, nil
	}
	return source, table.LastChild().FirstChild().NextSibling()
}

// FuzzText: whatever a question says, in a table or a list it is shown as it is
// and is nothing but text. goldmark, which parses as GitHub does, is the judge.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"How do I empty the cache?", "a | b", "<script>alert(1)</script>", "[x](http://evil)", "![x](y)", "[x]: http://evil", "[^1]",
		"`code` ``", "*a* _b_ **c** ~~d~~", "# h", "1. one", "12) x", "- x", "+ x", "= ", "> q", "&amp; &lt; &#65;", "\\ \\| \\\\", "www.evil.com http://evil https://evil ftp://x",
		"mail@evil.com @somebody x@y a@5 5@5", "line\nbreak\r\n\tand more", "\u2028\u202eabc", "- [ ] task", "--- | ---", "***", "x\\", "`", "``` ", "recall@5", "$x$", "a\x00b", "日本 🙂",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?") // records hold nothing else
		want := strings.TrimSpace(strings.Map(visible, s))
		source, n := cell(text(s))
		if n == nil {
			t.Fatalf("%q breaks the table: %s", s, source)
		}
		if got, more := shown(source, n); got != want || more != nil {
			t.Errorf("in a table %q is shown as %q, with %q: %s", want, got, more, source)
		}
		if want == "" {
			return
		}
		source = []byte("- " + text(s) + "\n")
		doc := gfm.Parser().Parse(gtext.NewReader(source))
		if got, more := shown(source, doc, ast.KindList, ast.KindListItem, ast.KindTextBlock); got != want || more != nil {
			t.Errorf("in a list %q is shown as %q, with %q: %s", want, got, more, source)
		}
	})
}

// FuzzCode: the same for ids in code spans.
func FuzzCode(f *testing.F) {
	for _, s := range []string{"docs/A.md#b", "a|b", "`", "a`b", "``a", "a``", "<i>", "\\", "\\|", "|", "a\nb", "x ` y `` z", " ", "CHALLENGES#105"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		want := strings.TrimSpace(strings.Map(visible, s))
		if want == "" {
			want = "–"
		}
		source, n := cell(code(s))
		if n == nil {
			t.Fatalf("%q breaks the table: %s", s, source)
		}
		if got, more := shown(source, n, ast.KindCodeSpan); got != want || more != nil {
			t.Errorf("%q is shown as %q, with %q: %s", want, got, more, source)
		}
	})
}

func TestNumbers(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	tests := []struct{ got, want string }{
		{decimal(0.12345), "0.123"}, {decimal(-0.5), "−0.500"}, {decimal(-0.0001), "0.000"}, {decimal(0), "0.000"}, {decimal(1), "1.000"},
		{signed(0.5), "+0.500"}, {signed(-0.5), "−0.500"}, {signed(0), "0.000"}, {signed(-0.0004), "0.000"},
		{probability(nil), "–"}, {probability(p(0.0312)), "0.0312"}, {probability(p(0.00001)), "< 0.0001"}, {probability(p(1)), "1.0000"},
		{seconds(0.0204), "20.4 ms"}, {seconds(1.5), "1.50 s"},
		{count(1, "floor", "floors"), "1 floor"}, {count(0, "floor", "floors"), "0 floors"},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// TestQuantile: nearest rank. Of 1 to 20 the median is the 10th, and 95 % is
// the 19th, since 0.95 × 20 = 19.
func TestQuantile(t *testing.T) {
	var all []float64
	for i := range 20 {
		all = append(all, float64(i+1))
	}
	for _, tt := range []struct{ q, want float64 }{{0.5, 10}, {0.95, 19}, {1, 20}, {0, 1}} {
		if got := quantile(all, tt.q); got != tt.want {
			t.Errorf("quantile %v is %v, expected %v", tt.q, got, tt.want)
		}
	}
	if got := quantile([]float64{3}, 0.95); got != 3 {
		t.Errorf("of one value it is %v", got)
	}
}
