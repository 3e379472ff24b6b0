package late

import (
	"fmt"
	"math"
)

// Matrix is a text as one vector a token, in int8: element k of token i is
// Scales[i] × Rows[i×Dim+k].
type Matrix struct {
	Dim    int
	Scales []float32 // one a token, finite, 0 or more
	Rows   []int8    // len(Scales) × Dim, within −127…127
}

// Len is the number of tokens.
func (m Matrix) Len() int { return len(m.Scales) }

// Quantise rounds vectors (tokens × dim, row by row) to int8. Each token has a
// scale of its own, by which its largest element becomes 127 in size. Rows are
// made unit length first: a row of zeros stays zeros.
//
// The error of an element is at most half its token's scale, which for a unit
// vector whose largest element is 0.25 is 0.001.
func Quantise(vectors []float32, dim int) (Matrix, error) {
	if dim <= 0 || len(vectors)%dim != 0 {
		return Matrix{}, fmt.Errorf("token vectors: %d numbers are not rows of %d", len(vectors), dim)
	}
	n := len(vectors) / dim
	m := Matrix{Dim: dim, Scales: make([]float32, n), Rows: make([]int8, n*dim)}
	for i := range n {
		row := vectors[i*dim : (i+1)*dim]
		var squares, largest float64
		for _, x := range row {
			squares += float64(float64(x) * float64(x))
			largest = max(largest, math.Abs(float64(x)))
		}
		if math.IsNaN(squares) || math.IsInf(squares, 0) {
			return Matrix{}, fmt.Errorf("token vectors: token %d is not finite", i)
		}
		if largest == 0 {
			continue
		}
		m.Scales[i] = float32(largest / 127 / math.Sqrt(squares))
		for k, x := range row {
			m.Rows[i*dim+k] = int8(math.RoundToEven(float64(x) / largest * 127))
		}
	}
	return m, nil
}

// MaxSim is the late-interaction score of a passage for a query: the sum, over
// the query's tokens, of the largest dot product with any token of the passage
// (Khattab and Zaharia, SIGIR 2020, equation 3). For unit vectors it lies within
// ± the number of query tokens. A passage without tokens scores 0.
//
// The dot products are exact integers; each kernel gives the same bits.
func MaxSim(query, passage Matrix) float32 {
	return prepare(query).maxSim(passage, kernel(), nil)
}
