package golden

import "github.com/mobiumdev/mobium-rag/pkg/record"

// Ranked is a passage in a list, with the section it is a part of.
type Ranked struct {
	Passage record.PassageID
	Section record.SectionID
}

// Fold returns the sections of a list of passages: each once, where its first
// part stands. It is done before a list is cut.
func Fold(list []Ranked) []record.SectionID { return AppendFold(nil, list) }

// AppendFold is Fold into a slice that is used again.
func AppendFold(dst []record.SectionID, list []Ranked) []record.SectionID {
	if len(list) <= 40 { // a look at each beats a map
	next:
		for _, r := range list {
			for _, s := range dst {
				if s == r.Section {
					continue next
				}
			}
			dst = append(dst, r.Section)
		}
		return dst
	}
	seen := make(map[record.SectionID]bool, len(list))
	for _, r := range list {
		if !seen[r.Section] {
			seen[r.Section] = true
			dst = append(dst, r.Section)
		}
	}
	return dst
}
