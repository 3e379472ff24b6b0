package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves is a metric by cut-off: X is a positive number on a logarithmic axis,
// Y lies between 0 and 1.
type Curves struct {
	Title string
	// Note stands under the title: n, level of the intervals.
	Note   string
	X, Y   string // the names of the axes
	Curves []Curve
}

// Curve is one system.
type Curve struct {
	Name   string
	Points []Point // in order of X
}

// Point is a value with its interval, where it has one.
type Point struct {
	X, Y     float64
	Interval *[2]float64
}

// MaxBands is how many curves may have a band before they hide each other.
const MaxBands = 3

// SVG draws the chart. The legend has the curves in the order of their last values.
func (cs Curves) SVG() ([]byte, error) {
	curves := slices.Clone(cs.Curves)
	low := 1.0
	var xs []float64
	for _, c := range curves {
		if len(c.Points) == 0 {
			return nil, fmt.Errorf("plot: curve %q has no point", c.Name)
		}
		for _, p := range c.Points {
			lo, hi := p.Y, p.Y
			if p.Interval != nil {
				lo, hi = p.Interval[0], p.Interval[1]
			}
			if err := finite(p.X, p.Y, lo, hi); err != nil {
				return nil, err
			}
			if p.X <= 0 || p.Y < 0 || p.Y > 1 {
				return nil, fmt.Errorf("plot: point (%v, %v) of %q, expected x above 0 and y from 0 to 1", p.X, p.Y, c.Name)
			}
			low = min(low, p.Y)
			if len(curves) <= MaxBands {
				low = min(low, lo)
			}
			xs = append(xs, p.X)
		}
	}
	if len(curves) == 0 {
		return nil, errEmpty
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	if len(xs) < 2 {
		return nil, fmt.Errorf("plot: one cut-off makes no curve")
	}

	p := newPlot(cs.X, cs.Y)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticksAt(xs)
	p.X.Min, p.X.Max = xs[0], xs[len(xs)-1]
	p.Y.Min, p.Y.Max = max(0, float64(int(low*10))/10), 1
	p.Y.Tick.Marker = tenths(p.Y.Min, p.Y.Max)
	p.Add(grid(xs, p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)))

	legend := plot.NewLegend()
	legend.TextStyle = sans(10, ink)
	legend.TextStyle.YAlign = draw.YBottom
	legend.Top, legend.Left, legend.Padding = true, true, 4
	legend.ThumbnailWidth = 26
	type entry struct {
		last   float64
		name   string
		thumbs []plot.Thumbnailer
	}
	var entries []entry
	for i, c := range curves {
		lines, marks, err := c.plotters(i)
		if err != nil {
			return nil, err
		}
		if band := c.band(); band != nil && len(curves) <= MaxBands {
			band.Color = translucent(palette[i%len(palette)], 36)
			p.Add(band)
		}
		p.Add(lines, marks)
		last := c.Points[len(c.Points)-1].Y
		entries = append(entries, entry{last, c.Name, []plot.Thumbnailer{lines, marks}})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(b.last, a.last) })
	var names []string
	for _, e := range entries {
		name := shorten(e.name, legend.TextStyle, 190)
		names = append(names, name)
		legend.Add(name, e.thumbs...)
	}
	side := widest(legend.TextStyle, names) + legend.ThumbnailWidth + 24
	height := max(vg.Length(300), vg.Length(len(names))*18+20)
	return header{cs.Title, cs.Note}.svg(height, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, -side, 0, 0))
		legend.Draw(draw.Crop(c, c.Size().X-side+16, 0, 0, -6))
	})
}

// plotters are the line and the marks of the i-th curve.
func (c Curve) plotters(i int) (*plotter.Line, *plotter.Scatter, error) {
	xys := make(plotter.XYs, len(c.Points))
	for j, p := range c.Points {
		xys[j] = plotter.XY{X: p.X, Y: p.Y}
	}
	lines, marks, err := plotter.NewLinePoints(xys)
	if err != nil {
		return nil, nil, fmt.Errorf("plot: curve %q: %w", c.Name, err)
	}
	col := palette[i%len(palette)]
	lines.LineStyle = draw.LineStyle{Color: col, Width: 1.6, Dashes: dashes[i/len(palette)%len(dashes)]}
	marks.GlyphStyle = draw.GlyphStyle{Color: col, Radius: 3.2, Shape: glyphs[i%len(glyphs)]}
	return lines, marks, nil
}

// band is the area between the ends of the intervals, nil where a point has none.
func (c Curve) band() *plotter.Polygon {
	var lo, hi plotter.XYs
	for _, p := range c.Points {
		if p.Interval == nil {
			return nil
		}
		lo = append(lo, plotter.XY{X: p.X, Y: p.Interval[0]})
		hi = append(hi, plotter.XY{X: p.X, Y: p.Interval[1]})
	}
	slices.Reverse(hi)
	band, err := plotter.NewPolygon(append(lo, hi...))
	if err != nil {
		return nil // not finite, which SVG has refused
	}
	band.LineStyle.Width = 0
	return band
}

// newPlot is a plot with the axes named and in the house's style.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(10.5, ink).Font
		a.Label.TextStyle.Color = ink
		a.Tick.Label.Font = sans(9.5, ink).Font
		a.Tick.Label.Color = ink
		a.LineStyle = draw.LineStyle{Color: faint, Width: 0.6}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Padding = 5
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

func ticksAt(xs []float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, x := range xs {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', -1, 64)})
	}
	return ticks
}

// tenths are ticks at every 0.1 from lo to hi.
func tenths(lo, hi float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i := int(lo*10 + 0.5); i <= int(hi*10+0.5); i++ {
		ticks = append(ticks, plot.Tick{Value: float64(i) / 10, Label: fmt.Sprintf("%.1f", float64(i)/10)})
	}
	return ticks
}

// grid is a rule at every tick.
func grid(xs []float64, ys []plot.Tick) *gridder { return &gridder{xs, ys} }

type gridder struct {
	xs []float64
	ys []plot.Tick
}

// Plot draws the rules.
func (g *gridder) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, x := range g.xs {
		line(c, rule, 0.6, vg.Point{X: tx(x), Y: c.Min.Y}, vg.Point{X: tx(x), Y: c.Max.Y})
	}
	for _, y := range g.ys {
		line(c, rule, 0.6, vg.Point{X: c.Min.X, Y: ty(y.Value)}, vg.Point{X: c.Max.X, Y: ty(y.Value)})
	}
}
