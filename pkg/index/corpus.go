package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mobiumdev/mobium-rag/pkg/hint"
	"github.com/mobiumdev/mobium-rag/pkg/record"
)

// Corpus is the passages of an index to be. The zero value is empty.
type Corpus struct {
	passages []*record.Passage
	places   map[record.PassageID]string
	first    string // the place of the first
	model    record.Model
}

// Add adds a passage, whose vector, if it has one, is from model (zero where
// that is not known). Place says where it came from, for messages. What it
// refuses leaves the corpus as it was:
//   - an id that is there already, or that holds a zero byte;
//   - another commit or model, or another length of vector than the first's;
//   - a vector where the first has none, or none where it has one: half an
//     index would answer half the questions;
//   - a vector that is not of unit length, or holds a number that is not finite.
func (c *Corpus) Add(p *record.Passage, model record.Model, place string) error {
	if at, ok := c.places[p.ID]; ok {
		return fmt.Errorf("passage %q is there already, at %s", p.ID, at)
	}
	if strings.IndexByte(string(p.ID), 0) >= 0 {
		return fmt.Errorf("the id %q of a passage holds a zero byte", p.ID)
	}
	if err := unitVector(p.Vector); err != nil {
		return fmt.Errorf("passage %q: %w", p.ID, err)
	}
	if len(c.passages) == 0 {
		c.places = map[record.PassageID]string{}
		c.first, c.model = place, model
	} else if err := c.fits(p, model); err != nil {
		return err
	}
	c.passages = append(c.passages, p)
	c.places[p.ID] = place
	return nil
}

func (c *Corpus) fits(p *record.Passage, model record.Model) error {
	first := c.passages[0]
	switch n, want := len(p.Vector), len(first.Vector); {
	case p.Commit != first.Commit:
		return hint.Wrap(fmt.Errorf("passage %q is of commit %q, the one at %s of %q", p.ID, p.Commit, c.first, first.Commit),
			"an index holds one commit: cut all passages anew, or build one index each")
	case (n == 0) != (want == 0):
		return hint.Wrap(fmt.Errorf("passage %q has %s vector, the one at %s has %s", p.ID, aOrNo(n), c.first, aOrNo(want)),
			"send all passages through mr-embed, or none")
	case n != want:
		return fmt.Errorf("passage %q has a vector of %d numbers, the one at %s of %d", p.ID, n, c.first, want)
	case n > 0 && model.SHA256 != c.model.SHA256:
		return hint.Wrap(fmt.Errorf("the vector of passage %q is from model %s, the one at %s from %s", p.ID, describe(model), c.first, describe(c.model)),
			"vectors of two models do not compare: send all passages through one mr-embed")
	}
	return nil
}

func aOrNo(n int) string {
	if n == 0 {
		return "no"
	}
	return "a"
}

// describe names a model with the start of its sha256.
func describe(m record.Model) string {
	if m.SHA256 == "" {
		return cmp.Or(m.Name, "(unknown)")
	}
	return fmt.Sprintf("%s (%.12s)", m.Name, m.SHA256)
}

// unitTolerance is what the length of a vector may differ from 1: float32 and
// models' rounding stay well below.
const unitTolerance = 1e-3

// unitVector is nil for a vector of unit length, and for none: of others the
// dot product is no cosine, and of length 0 it tells nothing apart.
func unitVector(v []float32) error {
	sum := 0.0
	for i, f := range v {
		x := float64(f)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("element %d of the vector is %v", i, f)
		}
		sum += x * x
	}
	if n := math.Sqrt(sum); len(v) > 0 && math.Abs(n-1) > unitTolerance {
		return hint.Wrap(fmt.Errorf("expected a vector of length 1, got one of %.4g", n),
			"divide a vector by its length, as mr-embed does")
	}
	return nil
}

// HasVectors says whether the passages have vectors.
func (c *Corpus) HasVectors() bool { return c.dim() > 0 }

func (c *Corpus) dim() int {
	if len(c.passages) == 0 {
		return 0
	}
	return len(c.passages[0].Vector)
}

// sort puts the passages in the order of their ids, which is that of the rows.
func (c *Corpus) sort() error {
	if len(c.passages) == 0 {
		return hint.Wrap(errors.New("no passages: an index of nothing finds nothing"), "mr-cut makes passages: see that it found pages")
	}
	slices.SortFunc(c.passages, func(a, b *record.Passage) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

func (c *Corpus) ids() []record.PassageID {
	ids := make([]record.PassageID, len(c.passages))
	for i, p := range c.passages {
		ids[i] = p.ID
	}
	return ids
}
