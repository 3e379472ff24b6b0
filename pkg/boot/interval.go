package boot

import "math"

// phi is the standard normal distribution, quantile its inverse.
func phi(x float64) float64      { return math.Erfc(-x/math.Sqrt2) / 2 }
func quantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// at is the p-quantile of sorted values, linear between them (numpy's default).
func at(sorted []float64, p float64) float64 {
	x := p * float64(len(sorted)-1)
	i := int(math.Floor(x))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (x-float64(i))*(sorted[i+1]-sorted[i])
}

// Percentile is the percentile interval of resamples in ascending order
// (Efron 1979, doi:10.1214/aos/1176344552).
func Percentile(resamples []float64, level float64) (lo, hi float64) {
	alpha := (1 - level) / 2
	return at(resamples, alpha), at(resamples, 1-alpha)
}

// BCa is the bias-corrected and accelerated interval (Efron and Tibshirani
// 1993, An Introduction to the Bootstrap, eq. 14.10, 14.14 and 15.36), as
// scipy.stats.bootstrap computes it: resamples equal to the value count half
// towards the bias, and one that differs by rounding alone is equal here.
//
// Ok is false where it is not defined: all resamples lie on one side of the
// value, or the jackknife values are all the same.
func BCa(resamples []float64, value float64, jackknife []float64, level float64) (lo, hi float64, ok bool) {
	z0 := quantile(below(resamples, value))
	a, ok := acceleration(jackknife)
	if !ok || math.IsInf(z0, 0) {
		return 0, 0, false
	}
	end := func(z float64) float64 { return phi(z0 + (z0+z)/(1-a*(z0+z))) }
	z := quantile((1 - level) / 2)
	p, q := end(z), end(-z)
	if math.IsNaN(p) || math.IsNaN(q) {
		return 0, 0, false
	}
	return at(resamples, p), at(resamples, q), true
}

// below is the share of resamples below the value, those equal to it half.
func below(resamples []float64, value float64) float64 {
	slack := rounding * max(1, math.Abs(value))
	n := 0
	for _, r := range resamples {
		switch {
		case r < value-slack:
			n += 2
		case r <= value+slack:
			n++
		}
	}
	return float64(n) / float64(2*len(resamples))
}

// acceleration is a of BCa: a sixth of the skewness of the jackknife influence.
func acceleration(jackknife []float64) (float64, bool) {
	n := float64(len(jackknife))
	mean := 0.0
	for _, v := range jackknife {
		mean += v / n
	}
	var cubes, squares float64
	for _, v := range jackknife {
		u := (n - 1) * (mean - v) / n
		cubes += u * u * u
		squares += u * u
	}
	if squares <= rounding*rounding*n {
		return 0, false
	}
	// scipy divides Σu³ by n³ and Σu² by n², which the n in u does here.
	return cubes / (6 * math.Pow(squares, 1.5)), true
}

// Wilson is the score interval of k successes among n trials (Wilson 1927,
// doi:10.1080/01621459.1927.10502953), without continuity correction.
func Wilson(k, n int, level float64) (lo, hi float64) {
	lo, hi = wilson(float64(k)/float64(n), float64(n), level)
	if k == 0 {
		lo = 0 // exactly, where rounding would leave a trace
	}
	if k == n {
		hi = 1
	}
	return lo, hi
}

// wilson is the same of a share p among trials, which may be the effective
// number of weighted ones.
func wilson(p, trials, level float64) (lo, hi float64) {
	z := quantile(1 - (1-level)/2)
	centre := (p + z*z/(2*trials)) / (1 + z*z/trials)
	half := z / (1 + z*z/trials) * math.Sqrt(p*(1-p)/trials+z*z/(4*trials*trials))
	return max(0, centre-half), min(1, centre+half)
}
