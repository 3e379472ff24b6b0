// Package plot draws the charts of the reports as SVG.
//
//   - Curves: a metric by cut-off, a line a system.
//   - Bars: one value a question, sorted.
//   - Forest: estimates with their intervals against a reference.
//   - Heat: a square of agreements.
//
// Every chart has an SVG method. Invariants:
//   - The same chart gives the same bytes: no date, no random id, no map order.
//   - A value that is not finite is an error, and never drawn.
//   - The background is white, so that a dark viewer shows the chart as well.
//   - Colours are those of Okabe and Ito (2008), which people who are colour-blind
//     tell apart; shape or dash says the same a second time.
//   - Text stays text. Widths are measured in Liberation Sans, whose metrics are
//     Arial's, and the file names both.
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	width  = vg.Length(720) // of every chart, in points
	margin = vg.Length(14)
)

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{38, 38, 38, 255}
	faint = color.RGBA{110, 110, 110, 255}
	rule  = color.RGBA{224, 224, 224, 255}
)

// palette is Okabe and Ito's, less the yellow that a white page swallows.
var palette = []color.RGBA{
	{0, 114, 178, 255},   // blue
	{213, 94, 0, 255},    // vermilion
	{0, 158, 115, 255},   // bluish green
	{204, 121, 167, 255}, // reddish purple
	{230, 159, 0, 255},   // orange
	{86, 180, 233, 255},  // sky blue
	{0, 0, 0, 255},       // black
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
}

// dashes change when the palette begins anew.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

func translucent(c color.RGBA, alpha uint8) color.NRGBA {
	return color.NRGBA{c.R, c.G, c.B, alpha}
}

// sans is the style of all text.
func sans(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		YAlign:  draw.YTop,
		Handler: plot.DefaultTextHandler,
	}
}

// centred is the style of text whose letters stand around a line, which YCenter puts a little low.
func centred(s text.Style) text.Style {
	s.YAlign = draw.YCenter + 0.08
	return s
}

func bold(s text.Style) text.Style {
	s.Font.Weight = 3 // WeightBold of golang.org/x/image/font
	return s
}

// header is what stands above every chart.
type header struct {
	title, note string
}

// svg draws header and body; body gets the canvas below the header.
func (h header) svg(height vg.Length, body func(draw.Canvas)) ([]byte, error) {
	titles := wrap(h.title, bold(sans(13, ink)), width-2*margin)
	notes := wrap(h.note, sans(9.5, faint), width-2*margin)
	height += 2*margin + 17*vg.Length(len(titles)) + 13*vg.Length(len(notes)) + 6
	height = 3 * vg.Length(math.Ceil(float64(height)/3)) // whole pixels at 96 dpi

	sheet := vgsvg.New(width, height)
	c := draw.New(sheet)
	c.FillPolygon(white, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	y := height - margin
	for _, line := range titles {
		c.FillText(bold(sans(13, ink)), vg.Point{X: margin, Y: y}, line)
		y -= 17
	}
	for _, line := range notes {
		c.FillText(sans(9.5, faint), vg.Point{X: margin, Y: y}, line)
		y -= 13
	}
	body(draw.Crop(c, margin, -margin, margin, y-6-height))

	var out bytes.Buffer
	if _, err := sheet.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("plot: %w", err)
	}
	return finish(out.String(), h.title), nil
}

// finish gives the file a title for screen readers and fonts to fall back on.
func finish(svg, title string) []byte {
	svg = strings.Replace(svg, "xmlns:xlink=\"http://www.w3.org/1999/xlink\">",
		"xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\">\n<title>"+html.EscapeString(clean(title))+"</title>", 1)
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;font-variant:normal;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	return []byte(svg)
}

// wrap breaks a text at its spaces into lines of at most w.
func wrap(s string, style text.Style, w vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(clean(s)) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || style.Width(longer) <= w {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// shorten cuts a text that is wider than w, and says so by an ellipsis.
func shorten(s string, style text.Style, w vg.Length) string {
	s = clean(s)
	if style.Width(s) <= w {
		return s
	}
	for len(s) > 0 && style.Width(s+"…") > w {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s + "…"
}

// clean replaces what XML cannot hold or a line cannot show.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// widest is the width of the widest text.
func widest(style text.Style, texts []string) vg.Length {
	var w vg.Length
	for _, s := range texts {
		w = max(w, style.Width(s))
	}
	return w
}

var errEmpty = errors.New("plot: nothing to draw")

func finite(values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("plot: a value is %v, expected a finite number", v)
		}
	}
	return nil
}

func line(c draw.Canvas, col color.Color, w vg.Length, pts ...vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: col, Width: w}, pts)
}
