// Package scan finds the rows of a matrix with the largest dot product with a
// query, exactly, by reading every row.
//
//	scores := scan.Matrix{Dim: 384, Data: rows}.Dots(query, workers)
//	hits := scan.Top(scores, 20)
//
// A matrix is n rows of d float32, row after row without gaps; for unit rows
// and a unit query the dot product is the cosine. At 100,000 rows of 384 that
// is 154 MB a query, so the work is bound by memory and not by arithmetic: the
// kernel need only keep up with the memory, which AVX2 does. There is no index
// to build, to tune or to lose recall by.
//
// Invariants:
//   - Top is the k best by score, then by row: where rows are sorted by id,
//     ties go by id.
//   - The same bits come out for any number of workers, since a row's product
//     is computed in one place, in one order.
//   - That order depends on the kernel: between CPU types scores may differ in
//     their last bits. [Kernel] names the one in use.
//   - Rows and query are finite; the caller has seen to that. A NaN is ranked nowhere.
//
// Kernels: amd64 with AVX2 and FMA, Go assembly, 4 × 8 lanes; elsewhere Go with
// 8 sums. AVX-512 is left out: it cannot read memory any faster.
package scan
