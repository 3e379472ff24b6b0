package boot

// splitmix is SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195):
// small enough to be inlined, which a bootstrap spends its time on.
type splitmix uint64

const weyl = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, odd

// newSplitmix returns the generator of one block of one seed.
func newSplitmix(seed uint64, block int) splitmix {
	return splitmix(mix(seed + weyl*mix(uint64(block)+1)))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *splitmix) next() uint64 {
	*r += weyl
	return mix(uint64(*r))
}

// two returns two numbers below n, from the two halves of one draw by multiply
// and shift. The chance of a number is within 2^-32 of 1/n.
func (r *splitmix) two(n uint64) (uint64, uint64) {
	z := r.next()
	return (z & 0xffffffff) * n >> 32, (z >> 32) * n >> 32
}
