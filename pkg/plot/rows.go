package plot

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars has a value a question, drawn from zero, in the order given.
type Bars struct {
	Title, Note string
	X           string // the name of the axis
	Bars        []Bar
}

// Bar is one question.
type Bar struct {
	Label string
	Value float64
}

// SVG draws the chart: gains to the right in blue, losses to the left in vermilion.
func (b Bars) SVG() ([]byte, error) {
	rows := make([]row, len(b.Bars))
	for i, bar := range b.Bars {
		if err := finite(bar.Value); err != nil {
			return nil, fmt.Errorf("%w (%q)", err, bar.Label)
		}
		rows[i] = row{label: bar.Label, side: signed(bar.Value), lo: min(0, bar.Value), hi: max(0, bar.Value), value: bar.Value}
	}
	return chart{header: header{b.Title, b.Note}, x: b.X, rows: rows, pitch: 13, signed: true, draw: func(c draw.Canvas, r row, x func(float64) vg.Length, y vg.Length) {
		col := palette[0]
		if r.value < 0 {
			col = palette[1]
		}
		from, to := x(r.lo), x(r.hi)
		c.FillPolygon(col, []vg.Point{{X: from, Y: y - 4}, {X: to, Y: y - 4}, {X: to, Y: y + 4}, {X: from, Y: y + 4}})
	}}.svg()
}

// Forest has estimates with their intervals, one under the other.
type Forest struct {
	Title, Note string
	X           string
	// Reference is where a rule is drawn: 0 for differences, the bound for controls.
	Reference float64
	// Signed shows values with their sign, as differences want it.
	Signed    bool
	Estimates []Estimate
}

// Estimate is a row. One without Interval is a point alone.
type Estimate struct {
	Label    string
	Value    float64
	Interval *[2]float64
	// Side stands at the right of the row: n, the verdict.
	Side string
	// Bad draws the row in vermilion with a square mark: a control that failed.
	Bad bool
}

// SVG draws the chart.
func (f Forest) SVG() ([]byte, error) {
	if err := finite(f.Reference); err != nil {
		return nil, err
	}
	rows := make([]row, len(f.Estimates))
	for i, e := range f.Estimates {
		rows[i] = row{label: e.Label, side: e.Side, lo: e.Value, hi: e.Value, value: e.Value, bad: e.Bad}
		if e.Interval != nil {
			rows[i].lo, rows[i].hi = e.Interval[0], e.Interval[1]
		}
		if err := finite(rows[i].lo, rows[i].value, rows[i].hi); err != nil {
			return nil, fmt.Errorf("%w (%q)", err, e.Label)
		}
	}
	return chart{header: header{f.Title, f.Note}, x: f.X, rows: rows, pitch: 19, reference: f.Reference, signed: f.Signed, draw: func(c draw.Canvas, r row, x func(float64) vg.Length, y vg.Length) {
		col, shape := palette[0], draw.GlyphDrawer(draw.CircleGlyph{})
		if r.bad {
			col, shape = palette[1], draw.BoxGlyph{}
		}
		line(c, col, 1.8, vg.Point{X: x(r.lo), Y: y}, vg.Point{X: x(r.hi), Y: y})
		for _, end := range []float64{r.lo, r.hi} {
			line(c, col, 1.2, vg.Point{X: x(end), Y: y - 3}, vg.Point{X: x(end), Y: y + 3})
		}
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: 3.6, Shape: shape}, vg.Point{X: x(r.value), Y: y})
	}}.svg()
}

// row is a line of a chart: it reaches from lo to hi.
type row struct {
	label, side   string
	lo, value, hi float64
	bad           bool
}

// chart is rows over one horizontal axis: labels at the left, sides at the right.
type chart struct {
	header
	x         string
	rows      []row
	pitch     vg.Length // from row to row
	reference float64
	signed    bool
	draw      func(c draw.Canvas, r row, x func(float64) vg.Length, y vg.Length)
}

func (ch chart) svg() ([]byte, error) {
	if len(ch.rows) == 0 {
		return nil, errEmpty
	}
	const axis = vg.Length(34) // room for the numbers and the name of the axis
	labelStyle, sideStyle := centred(sans(9.5, ink)), centred(sans(9.5, faint))
	labelStyle.XAlign = draw.XRight
	labels, sides := make([]string, len(ch.rows)), make([]string, len(ch.rows))
	lo, hi := ch.reference, ch.reference
	for i, r := range ch.rows {
		labels[i] = shorten(r.label, labelStyle, 230)
		sides[i] = shorten(r.side, sideStyle, 200)
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	ticks := niceTicks(lo, hi)
	lo, hi = min(lo, ticks[0]), max(hi, ticks[len(ticks)-1])
	left, right := widest(labelStyle, labels)+10, widest(sideStyle, sides)+10
	height := ch.pitch*vg.Length(len(ch.rows)) + axis
	return ch.header.svg(height, func(c draw.Canvas) {
		area := draw.Crop(c, left, -right, axis, 0)
		x := func(v float64) vg.Length {
			return area.Min.X + 4 + (area.Size().X-8)*vg.Length((v-lo)/(hi-lo))
		}
		tick := sans(9.5, ink)
		tick.XAlign = draw.XCenter
		for _, t := range ticks {
			line(c, rule, 0.6, vg.Point{X: x(t), Y: area.Min.Y}, vg.Point{X: x(t), Y: area.Max.Y})
			c.FillText(tick, vg.Point{X: x(t), Y: area.Min.Y - 4}, tickLabel(t, ch.signed))
		}
		line(c, faint, 0.9, vg.Point{X: x(ch.reference), Y: area.Min.Y}, vg.Point{X: x(ch.reference), Y: area.Max.Y})
		c.FillText(tick, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: area.Min.Y - 18}, clean(ch.x))
		for i, r := range ch.rows {
			y := area.Max.Y - ch.pitch*(vg.Length(i)+0.5)
			c.FillText(labelStyle, vg.Point{X: area.Min.X - 6, Y: y}, labels[i])
			c.FillText(sideStyle, vg.Point{X: area.Max.X + 8, Y: y}, sides[i])
			ch.draw(c, r, x, y)
		}
	})
}

// niceTicks are round numbers, at most eight of them, that reach from lo to hi.
func niceTicks(lo, hi float64) []float64 {
	if hi-lo < 1e-9 {
		lo, hi = lo-0.5, hi+0.5
	}
	exponent := math.Floor(math.Log10((hi - lo) / 7))
	for _, m := range []float64{1, 2, 5, 10, 20} {
		step := m * math.Pow(10, exponent)
		first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
		if last-first <= 7 {
			var ticks []float64
			for i := first; i <= last; i++ {
				ticks = append(ticks, i*step)
			}
			return ticks
		}
	}
	panic("plot: internal error: no step fits") // ten times the smallest always does
}

func tickLabel(v float64, sign bool) string {
	s := strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', -1, 64)
	if sign && v > 0 {
		s = "+" + s
	}
	return minus(s)
}

// signed is a value with its sign, to two digits.
func signed(v float64) string { return minus(fmt.Sprintf("%+.2f", v)) }

// minus writes a proper minus sign.
func minus(s string) string {
	if s != "" && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}
