package corpus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// w is a run of n characters without a space, the last a full stop.
func w(n int) string { return strings.Repeat("x", n-1) + "." }

// para is a paragraph of lines of n characters.
func para(lines, n int) string { return strings.Repeat(w(n)+"\n", lines) + "\n" }

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		limit     int
		want      []string // lines of each part, from 1
		reason    string
	}{
		{"fits", "# A\n\n" + para(1, 95), 100, []string{"1-3"}, "5+95 = 100 characters"},
		{"one too many", "# A\n\n" + para(1, 60) + para(1, 36), 100, []string{"1-3", "5-5"}, "5+60+2+36 = 103"},
		{"even, not greedy", para(1, 60) + para(1, 30) + para(1, 30) + para(1, 60), 100 + 30, []string{"1-3", "5-7"},
			"as full as can be would be 124 and 60; 92 and 92 is as few"},
		{"a heading stays with its text", "# A\n\n" + para(1, 98) + para(1, 20), 100, []string{"1-1", "3-3", "5-5"},
			"but for a text that fills a part"},
		{"heading and first block", "# " + w(38) + "\n\n" + para(1, 55) + para(1, 60), 100, []string{"1-3", "5-5"},
			"40+2+55 and 60 rather than 40 and 55+2+60 = 117"},
		{"a heading stays with its text though apart is more even", "# " + w(58) + "\n\n" + para(1, 39) + para(1, 20), 120, []string{"1-3", "5-5"},
			"60+2+39 and 20, not 60 and 39+2+20"},
		{"items", strings.Repeat("- "+w(38)+"\n", 4), 100, []string{"1-2", "3-4"}, "40+1+40"},
		{"an item with its paragraphs", "- " + w(30) + "\n\n  " + w(30) + "\n- " + w(38) + "\n", 100, []string{"1-3", "4-4"},
			"32+2+32 = 66 and 40, not 32 and 32+1+40 = 73"},
		{"rows", "| a |\n|---|\n" + strings.Repeat("| "+w(26)+" |\n", 5), 100, []string{"1-4", "5-7"},
			"5+1+5+1+30+1+30 = 73 and 30+1+30+1+30 = 92"},
		{"a table's head stays with its first row", "| a |\n|---|\n" + strings.Repeat("| "+w(76)+" |\n", 2), 100, []string{"1-3", "4-4"}, ""},
		{"a table's head stays though apart is more even", para(1, 30) + "| " + w(20) + " |\n|----|\n| " + w(56) + " |\n", 100, []string{"1-1", "3-5"},
			"30 and 24+1+6+1+60 = 92, not 30+2+31 and 60"},
		{"blocks before rows", para(1, 40) + "| a |\n|---|\n" + strings.Repeat("| "+w(16)+" |\n", 3), 80, []string{"1-1", "3-7"},
			"40 and 74, not the slightly more even 74 and 41"},
		{"a fence is whole though that takes a part more", para(1, 50) + "```\n" + strings.Repeat(w(26)+"\n", 2) + "```\n\n" + para(1, 50), 100,
			[]string{"1-1", "3-6", "8-8"}, "50+2+61+2+50 = 165 would make two"},
		{"a fence is whole", para(1, 50) + "```\n" + strings.Repeat(w(20)+"\n", 4) + "```\n", 100, []string{"1-1", "3-8"},
			"the fence is 3+1+4*21+3 = 91; blocks are 50 and 91"},
		{"a long fence is cut at lines", "```\n" + strings.Repeat(w(30)+"\n", 5) + "```\n", 100, []string{"1-4", "5-7"},
			"3+1+5*31+3 = 162: 96 and 65"},
		{"a fence in an item is whole", "- a\n\n  ```\n" + strings.Repeat("  "+w(18)+"\n", 4) + "  ```\n- " + w(20) + "\n", 108, []string{"1-8", "9-9"},
			"the item is 3+2+5+1+4*21+5 = 100"},
		{"a long paragraph is cut at lines", para(4, 40), 100, []string{"1-2", "3-4"}, ""},
		{"paragraphs before lines", para(3, 30) + para(1, 20), 100, []string{"1-3", "5-5"}, "92 and 20, not 61 and 52"},
		{"an HTML block is whole", para(1, 30) + "<div>\n" + w(40) + "\n" + w(40) + "\n</div>\n", 100, []string{"1-1", "3-6"}, "5+1+41+41+6 = 94"},
		{"front matter is whole", "---\na: " + w(40) + "\nb: " + w(40) + "\n---\n\n" + para(1, 20), 100, []string{"1-4", "6-6"}, ""},
		{"link definitions are a block", w(40) + "\n" + w(51) + "\n\n[a]: /" + w(34) + "\n", 100, []string{"1-2", "4-4"},
			"40+1+51 and 40, not the slightly more even 40 and 51+2+40"},
		{"a long row", "| a | b |\n|---|---|\n| " + strings.Repeat("word ", 30) + "| y |\n", 100, []string{"1-2", "3-3", "3-3"},
			"cut at a space; the head does not fit beside the first 97 characters"},
	} {
		var got []string
		for _, p := range cut(t, cutter(t, tt.limit, nil), "p.md", tt.src) {
			got = append(got, fmt.Sprintf("%d-%d", p.Lines[0], p.Lines[1]))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (%s): -want +got\n%s", tt.name, tt.reason, diff)
		}
	}
}

// A line too long is cut after a sentence, else a word, of the second half of
// what fits, else anywhere between two characters.
func TestPiece(t *testing.T) {
	for _, tt := range []struct{ text, want, reason string }{
		{"fits well", "fits well", "9 of 10 characters"},
		{"abcde. f g hij", "abcde. ", "a sentence rather than a later word"},
		{"abcde fgh ij", "abcde fgh ", "the last word that fits, its space with it"},
		{"a bcdefghijkl", "a bcdefghi", "a space in the first half leaves too little"},
		{"éééééééééééé", "éééééééééé", "ten characters, twenty bytes"},
	} {
		n, chars := piece([]byte(tt.text), 10)
		if got := tt.text[:n]; got != tt.want || chars != len([]rune(tt.want)) {
			t.Errorf("%q: got %q (%d), want %q: %s", tt.text, got, chars, tt.want, tt.reason)
		}
	}
}

// Every way of cutting small sections is tried, and none is cheaper.
func TestSpansAreCheapest(t *testing.T) {
	kinds := []border{atBlock, atItem, nested, afterHead, atLine, inside}
	for seed := range 300 {
		var units []unit
		chars, x := 0, seed*7919+1
		next := func(n int) int { x = (x*1103515245 + 12345) & 0x7fffffff; return x >> 8 % n }
		for i := range 9 {
			size := 1 + next(20)%20
			units = append(units, unit{i, i, i, chars, chars + size, kinds[next(6)%6]})
			chars += size + 1
		}
		cost := func(cuts int) int64 { // bit i: a cut in front of unit i+1
			var sum int64
			for from, i := 0, 1; i <= len(units); i++ {
				if i < len(units) && cuts>>(i-1)&1 == 0 {
					continue
				}
				size := units[i-1].to - units[from].at
				if size > 40 {
					return 1 << 62
				}
				slack := int64(40-size) * 1000 / 40
				sum += partCost + slack*slack
				if i < len(units) {
					sum += cutCost[units[i].border]
				}
				from = i
			}
			return sum
		}
		want := int64(1) << 62
		for cuts := range 1 << (len(units) - 1) {
			want = min(want, cost(cuts))
		}
		got := 0
		for _, s := range spans(units, 40)[1:] {
			got |= 1 << (s.first - 1)
		}
		if cost(got) != want {
			t.Errorf("seed %d: the cuts %09b cost %d, the cheapest %d", seed, got, cost(got), want)
		}
	}
}
