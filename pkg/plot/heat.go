package plot

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a square of agreements between raters, from -1 to 1. A cell without
// a value is drawn as –: undefined, or not measured.
type Heat struct {
	Title, Note string
	Names       []string
	// Values has a row and a column a name.
	Values [][]*float64
}

// SVG draws the chart.
func (h Heat) SVG() ([]byte, error) {
	n := len(h.Names)
	if n == 0 {
		return nil, errEmpty
	}
	for _, r := range h.Values {
		if len(h.Values) != n || len(r) != n {
			return nil, fmt.Errorf("plot: expected %d by %[1]d values for %[1]d names", n)
		}
		for _, v := range r {
			if v == nil {
				continue
			}
			if err := finite(*v); err != nil {
				return nil, err
			}
			if *v < -1 || *v > 1 {
				return nil, fmt.Errorf("plot: agreement %v, expected it from -1 to 1", *v)
			}
		}
	}
	label := centred(sans(10, ink))
	names := make([]string, n)
	for i, name := range h.Names {
		names[i] = shorten(name, label, 200)
	}
	side := widest(label, names) + 12
	cell := min(90, (width-2*margin-side)/vg.Length(n))
	const high, head = vg.Length(34), vg.Length(24)
	return header{h.Title, h.Note}.svg(head+high*vg.Length(n), func(c draw.Canvas) {
		for i, name := range names {
			row, column := label, label
			row.XAlign, column.XAlign = draw.XRight, draw.XCenter
			y := c.Max.Y - head - high*(vg.Length(i)+0.5)
			c.FillText(row, vg.Point{X: c.Min.X + side - 8, Y: y}, name)
			c.FillText(column, vg.Point{X: c.Min.X + side + cell*(vg.Length(i)+0.5), Y: c.Max.Y - head/2}, shorten(name, label, cell-4))
			for j, v := range h.Values[i] {
				drawCell(c, vg.Point{X: c.Min.X + side + cell*vg.Length(j), Y: y - high/2}, cell, high, v)
			}
		}
	})
}

// drawCell draws one cell whose lower left corner is at.
func drawCell(c draw.Canvas, at vg.Point, w, h vg.Length, v *float64) {
	style, label, fill := centred(sans(10, ink)), "–", color.RGBA{245, 245, 245, 255}
	if v != nil {
		fill, label = shade(*v), minus(fmt.Sprintf("%.2f", *v))
		if *v > 0.85 {
			style.Color = white
		}
	}
	style.XAlign = draw.XCenter
	c.FillPolygon(fill, []vg.Point{{X: at.X + 1, Y: at.Y + 1}, {X: at.X + w - 1, Y: at.Y + 1}, {X: at.X + w - 1, Y: at.Y + h - 1}, {X: at.X + 1, Y: at.Y + h - 1}})
	c.FillText(style, vg.Point{X: at.X + w/2, Y: at.Y + h/2}, label)
}

// shade goes from white at 0 to blue at 1, and to vermilion at -1.
func shade(v float64) color.RGBA {
	to := palette[0]
	if v < 0 {
		to, v = palette[1], -v
	}
	mix := func(end uint8) uint8 { return uint8(255 + v*(float64(end)-255) + 0.5) }
	return color.RGBA{mix(to.R), mix(to.G), mix(to.B), 255}
}
