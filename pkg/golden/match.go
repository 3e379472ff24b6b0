package golden

import "github.com/mobiumdev/mobium-rag/pkg/record"

// Matching assigns sections to the needs they serve, one section a need, as
// the sections come down a list. It always serves as many needs as can be:
// a section that finds its needs taken may move their servers to other needs
// (an augmenting path; Kuhn 1955, doi:10.1002/nav.3800020109). Since it adds
// one section at a time, a need once served stays served.
type Matching struct {
	q      *Question
	server []record.SectionID // of each need, "" where it is not met
	tried  []bool
}

// NewMatching returns an empty matching of a question.
func NewMatching(q *Question) *Matching {
	return &Matching{q: q, server: make([]record.SectionID, len(q.Needs))}
}

// Reset empties it, for another list.
func (m *Matching) Reset() { clear(m.server) }

// Server is the section that serves a need, "" if none does yet.
func (m *Matching) Server(need int) record.SectionID { return m.server[need] }

// Add takes the next section of a list and returns its gain: that of the need
// it makes it possible to meet, 0 if there is none. A section that came before gains nothing.
func (m *Matching) Add(s record.SectionID) float64 {
	needs := m.q.serves[s]
	if len(needs) == 0 {
		return 0
	}
	for _, n := range needs {
		if m.server[n] == s {
			return 0
		}
	}
	for _, n := range needs {
		if m.server[n] == "" {
			m.server[n] = s
			return m.q.Needs[n].Gain
		}
	}
	m.tried = append(m.tried[:0], make([]bool, len(m.server))...)
	if n := m.augment(s); n >= 0 {
		return m.q.Needs[n].Gain
	}
	return 0
}

// augment makes s serve one of its needs, moving others on, and returns the
// need that is newly met, -1 if there is none.
func (m *Matching) augment(s record.SectionID) int {
	for _, n := range m.q.serves[s] {
		if m.tried[n] {
			continue
		}
		m.tried[n] = true
		if m.server[n] == "" {
			m.server[n] = s
			return n
		}
		if met := m.augment(m.server[n]); met >= 0 {
			m.server[n] = s
			return met
		}
	}
	return -1
}
