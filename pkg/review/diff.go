package review

import (
	"bytes"
	"fmt"
	"slices"
)

// diff writes how the set changed as a unified diff without context, which
// patch and git apply --unidiff-zero take. The lines are known by where they
// came from, so nothing has to be aligned.
func (s *Set) diff(b *bytes.Buffer) {
	old := s.was
	var head bytes.Buffer
	fmt.Fprintf(&head, "--- %s\n+++ %s\n", s.Name, s.Name)
	kept := func(i, j int) bool { // old line i is new line j
		same := s.lines[j].from == i && bytes.Equal(s.lines[j].text, old.lines[i].text)
		return same && (!old.open || i < len(old.lines)-1) // an end of line that is put in is a change
	}
	for i, j := 0, 0; i < len(old.lines) || j < len(s.lines); {
		if i < len(old.lines) && j < len(s.lines) && kept(i, j) {
			i, j = i+1, j+1
			continue
		}
		fromOld, fromNew := i, j
		for i < len(old.lines) || j < len(s.lines) {
			switch {
			case i < len(old.lines) && j < len(s.lines) && s.lines[j].from == i:
				if kept(i, j) {
					goto done
				}
				i, j = i+1, j+1
			case i < len(old.lines) && !slices.ContainsFunc(s.lines[j:], func(l line) bool { return l.from == i }):
				i++
			default:
				j++
			}
		}
	done:
		b.Write(head.Bytes())
		head.Reset()
		fmt.Fprintf(b, "@@ -%s +%s @@\n", span(fromOld, i), span(fromNew, j))
		for n := fromOld; n < i; n++ {
			fmt.Fprintf(b, "-%s\n", old.lines[n].text)
			if old.open && n == len(old.lines)-1 {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
		for n := fromNew; n < j; n++ {
			fmt.Fprintf(b, "+%s\n", s.lines[n].text)
		}
	}
}

// span is a range of lines as a hunk names it: an empty one by the line before it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
