package late

import (
	"fmt"
	"math"
)

// Matrix is a text as one vector a token, rotated and in int8: element k of
// token i is Scales[i] × Rows[i×Dim+k]. See [Quantise].
type Matrix struct {
	Dim    int
	Scales []float32 // one a token, finite, 0 or more
	Rows   []int8    // len(Scales) × Dim, within −127…127
}

// Len is the number of tokens.
func (m Matrix) Len() int { return len(m.Scales) }

// Quantise rounds vectors (tokens × dim, row by row) to int8. Rows are made unit
// length, rotated, and each scaled so that its largest element becomes 127 in
// size. A row of zeros stays zeros. Vectors is overwritten.
//
// The rotation is a Walsh–Hadamard transform of blocks of 128 elements (of the
// largest power of two that divides dim), the same for all vectors, so dot
// products stay what they were. It is there since one element of each hidden
// state is as large as 0.77, which leaves few steps for the rest: rotated, the
// largest is about 0.2, and the error of a score a fifth.
func Quantise(vectors []float32, dim int) (Matrix, error) {
	if dim <= 0 || len(vectors)%dim != 0 {
		return Matrix{}, fmt.Errorf("token vectors: %d numbers are not rows of %d", len(vectors), dim)
	}
	n := len(vectors) / dim
	m := Matrix{Dim: dim, Scales: make([]float32, n), Rows: make([]int8, n*dim)}
	for i := range n {
		row := vectors[i*dim : (i+1)*dim]
		scale := quantiseRow(row, m.Rows[i*dim:(i+1)*dim])
		if math.IsNaN(scale) || math.IsInf(scale, 0) {
			return Matrix{}, fmt.Errorf("token vectors: token %d is not finite", i)
		}
		m.Scales[i] = float32(scale)
	}
	return m, nil
}

// quantiseRow overwrites row with its rotation and rounds that into out. The
// scale it returns is not finite where the row is not.
func quantiseRow(row []float32, out []int8) (scale float64) {
	rotate(row)
	var squares, largest float64
	for _, x := range row {
		squares += float64(float64(x) * float64(x))
		largest = max(largest, math.Abs(float64(x)))
	}
	if largest == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return squares
	}
	for k, x := range row {
		out[k] = int8(math.RoundToEven(float64(x) / largest * 127))
	}
	return largest / 127 / math.Sqrt(squares)
}

// rotate transforms each block in place, up to the factor 1/√block that makes
// it a rotation.
func rotate(row []float32) {
	block := len(row) & -len(row)
	for half := 1; half < block; half *= 2 {
		for i := 0; i < len(row); i += 2 * half {
			a, b := row[i:i+half], row[i+half:i+2*half]
			for k := range a {
				a[k], b[k] = a[k]+b[k], a[k]-b[k]
			}
		}
	}
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
