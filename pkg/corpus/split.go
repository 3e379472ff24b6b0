package corpus

import (
	"unicode"
	"unicode/utf8"
)

// unit is what is never cut: a line, or a piece of one longer than a passage may be.
type unit struct {
	line       int // from 0
	start, end int // offsets into the page, without the newline
	at, to     int // the same in characters
	border     border
}

// span is a part of a section: text [start, end) of the page, on lines first to last from 0.
type span struct {
	start, end  int
	first, last int
}

// split cuts the lines [first, last] of a page into spans of up to limit
// characters, or returns one span if they fit. Blank lines at their ends are
// left out; without other lines there are no spans.
func (p *parsed) split(first, last, limit int, headed bool) []span {
	units := p.units(first, last, limit)
	if len(units) == 0 {
		return nil
	}
	if units[len(units)-1].to-units[0].at <= limit {
		return []span{spanOf(units)}
	}
	if headed {
		bindHead(units)
	}
	return spans(units, limit)
}

func spanOf(u []unit) span {
	a, z := u[0], u[len(u)-1]
	return span{a.start, z.end, a.line, z.line}
}

// units lists the units of the lines; blank ones only separate them.
func (p *parsed) units(first, last, limit int) []unit {
	var units []unit
	chars := 0
	for i := first; i <= last; i++ {
		text, at, b := p.line(i), p.starts[i], p.borders[i]
		for len(text) > 0 {
			n, c := piece(text, limit)
			if !isBlank(text[:n]) {
				units = append(units, unit{i, at, at + n, chars, chars + c, b})
			}
			text, at, chars = text[n:], at+n, chars+c
			b = max(b, inLine) // in code, a cut in a line is no worse than one at a line
		}
		chars++ // the newline
	}
	return units
}

// bindHead keeps the heading that units start with by the block after it.
func bindHead(units []unit) {
	for i := 1; i < len(units); i++ {
		if units[i].border <= nested {
			units[i].border = afterHead
			return
		}
	}
}

// piece returns the length in bytes and characters of the piece to take off a
// line: all of it if it fits, else up to limit characters, back to the end of a
// sentence or else of a word in the second half of those.
func piece(text []byte, limit int) (n, chars int) {
	var sentence, space [2]int // n and chars after the last of each
	var before rune
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if chars == limit {
			break
		}
		n, chars = n+size, chars+1
		if unicode.IsSpace(r) && chars > limit/2 {
			space = [2]int{n, chars}
			if before == '.' || before == '!' || before == '?' {
				sentence = space
			}
		}
		before = r
	}
	switch {
	case n == len(text):
	case sentence[0] > 0:
		return sentence[0], sentence[1]
	case space[0] > 0:
		return space[0], space[1]
	}
	return n, chars
}

// partCost is what a part costs, and once more the more it falls short of
// max, squared: as few parts as can be, then as even as can be.
const partCost = 1_000_000

// cutCost is the cost of a cut at each border. Two parts more, at most, avoid a
// cut inside of a block that fits a part; so from afterHead on a cut costs more
// than any such number of parts, and each kind more than many of the one before.
var cutCost = [...]int64{
	atBlock:   0,
	atItem:    partCost / 10,
	nested:    partCost / 3,
	afterHead: 10 * partCost,
	atLine:    100 * partCost,
	inLine:    1_000 * partCost,
	inside:    10_000 * partCost,
}

// spans finds the cheapest way to cut units into parts of up to limit characters.
func spans(units []unit, limit int) []span {
	type choice struct {
		cost int64
		from int // the first unit of the last part
	}
	best := make([]choice, len(units)+1) // for the units before each
	for j := 1; j <= len(units); j++ {
		best[j].cost = -1
		for i := j - 1; i >= 0; i-- {
			size := units[j-1].to - units[i].at
			if size > limit {
				break
			}
			slack := int64(limit-size) * 1000 / int64(limit)
			cost := best[i].cost + partCost + slack*slack
			if i > 0 {
				cost += cutCost[units[i].border]
			}
			if best[j].cost < 0 || cost < best[j].cost {
				best[j] = choice{cost, i}
			}
		}
	}
	var out []span
	for j := len(units); j > 0; j = best[j].from {
		out = append(out, spanOf(units[best[j].from:j]))
	}
	for i, k := 0, len(out)-1; i < k; i, k = i+1, k-1 {
		out[i], out[k] = out[k], out[i]
	}
	return out
}
