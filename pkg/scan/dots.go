package scan

// dots writes the dot product of q with each of the rows to out. It is chosen
// once, by what the CPU can do.
var dots, Kernel = dotsGo, "go"

// dotsGo sums in eight lanes, as a vector unit would, so that the additions do
// not wait for one another.
func dotsGo(q, rows, out []float32) {
	d := len(q)
	for i := range out {
		r := rows[i*d : (i+1)*d : (i+1)*d]
		var s [8]float32
		j := 0
		for ; j+8 <= d; j += 8 {
			a, b := q[j:j+8:j+8], r[j:j+8:j+8]
			s[0] += a[0] * b[0]
			s[1] += a[1] * b[1]
			s[2] += a[2] * b[2]
			s[3] += a[3] * b[3]
			s[4] += a[4] * b[4]
			s[5] += a[5] * b[5]
			s[6] += a[6] * b[6]
			s[7] += a[7] * b[7]
		}
		sum := ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
		for ; j < d; j++ {
			sum += q[j] * r[j]
		}
		out[i] = sum
	}
}
