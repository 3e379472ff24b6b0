// Four query tokens by two passage tokens at a time: eight sums in registers,
// so that each load feeds several products.

#include "kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni")))

// sum4 adds up the lanes of four registers: their sums, in order.
AVX2 static inline __m128i sum4(__m256i a, __m256i b, __m256i c, __m256i d) {
	__m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
	return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
}

// keep replaces the best of four query tokens where a passage token does better.
AVX2 static inline void keep(float *best, __m128i dots, float scale) {
	__m128 x = _mm_mul_ps(_mm_set1_ps(scale), _mm_cvtepi32_ps(dots));
	_mm_storeu_ps(best, _mm_max_ps(x, _mm_loadu_ps(best)));
}

AVX2 static inline __m256i widen(const int8_t *p) {
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

AVX2 static inline __m256i load(const int16_t *p) {
	return _mm256_loadu_si256((const __m256i *)p);
}

#define MADD(acc, a, b) acc = _mm256_add_epi32(acc, _mm256_madd_epi16(a, b))

AVX2 void late_avx2(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best) {
	const long dim = q->dim;
	for (int i = 0; i < q->nq; i++) best[i] = -INFINITY;
	int j = 0;
	for (; j + 2 <= nd; j += 2) {
		const int8_t *b = rows + j * dim;
		for (int i = 0; i < q->nq; i += 4) {
			const int16_t *a = q->wide + i * dim;
			__m256i z = _mm256_setzero_si256();
			__m256i s0 = z, s1 = z, s2 = z, s3 = z, t0 = z, t1 = z, t2 = z, t3 = z;
			for (long k = 0; k < dim; k += 16) {
				__m256i b0 = widen(b + k), b1 = widen(b + dim + k), x;
				x = load(a + k);           MADD(s0, x, b0); MADD(t0, x, b1);
				x = load(a + dim + k);     MADD(s1, x, b0); MADD(t1, x, b1);
				x = load(a + 2 * dim + k); MADD(s2, x, b0); MADD(t2, x, b1);
				x = load(a + 3 * dim + k); MADD(s3, x, b0); MADD(t3, x, b1);
			}
			keep(best + i, sum4(s0, s1, s2, s3), scales[j]);
			keep(best + i, sum4(t0, t1, t2, t3), scales[j + 1]);
		}
	}
	if (j < nd) {
		const int8_t *b = rows + j * dim;
		for (int i = 0; i < q->nq; i += 4) {
			const int16_t *a = q->wide + i * dim;
			__m256i z = _mm256_setzero_si256();
			__m256i s0 = z, s1 = z, s2 = z, s3 = z;
			for (long k = 0; k < dim; k += 16) {
				__m256i b0 = widen(b + k);
				MADD(s0, load(a + k), b0);
				MADD(s1, load(a + dim + k), b0);
				MADD(s2, load(a + 2 * dim + k), b0);
				MADD(s3, load(a + 3 * dim + k), b0);
			}
			keep(best + i, sum4(s0, s1, s2, s3), scales[j]);
		}
	}
}

VNNI static inline __m256i fold(__m512i a) {
	return _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
}

VNNI static inline __m512i load64(const void *p) { return _mm512_loadu_si512(p); }

// dots4 sums four registers and takes off 128 × the sum of the passage's token,
// by which the query's shift to unsigned had raised each.
VNNI static inline __m128i dots4(__m512i a, __m512i b, __m512i c, __m512i d, __m512i shift) {
	return sum4(fold(_mm512_sub_epi32(a, shift)), fold(_mm512_sub_epi32(b, shift)),
	            fold(_mm512_sub_epi32(c, shift)), fold(_mm512_sub_epi32(d, shift)));
}

#define DPB(acc, a, b) acc = _mm512_dpbusd_epi32(acc, a, b)

VNNI void late_avx512vnni(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best) {
	const long dim = q->dim;
	const __m512i z = _mm512_setzero_si512(), shift = _mm512_set1_epi8((char)128);
	for (int i = 0; i < q->nq; i++) best[i] = -INFINITY;
	for (int j = 0; j < nd; j += 2) {
		const int two = j + 1 < nd; // an odd last token is done twice, the second time for nothing
		const int8_t *b = rows + j * dim, *c = two ? b + dim : b;
		__m512i u0 = z, u1 = z;
		for (long k = 0; k < dim; k += 64) {
			DPB(u0, shift, load64(b + k));
			DPB(u1, shift, load64(c + k));
		}
		for (int i = 0; i < q->nq; i += 4) {
			const uint8_t *a = q->shifted + i * dim;
			__m512i s0 = z, s1 = z, s2 = z, s3 = z, t0 = z, t1 = z, t2 = z, t3 = z;
			for (long k = 0; k < dim; k += 64) {
				__m512i b0 = load64(b + k), b1 = load64(c + k), x;
				x = load64(a + k);           DPB(s0, x, b0); DPB(t0, x, b1);
				x = load64(a + dim + k);     DPB(s1, x, b0); DPB(t1, x, b1);
				x = load64(a + 2 * dim + k); DPB(s2, x, b0); DPB(t2, x, b1);
				x = load64(a + 3 * dim + k); DPB(s3, x, b0); DPB(t3, x, b1);
			}
			keep(best + i, dots4(s0, s1, s2, s3, u0), scales[j]);
			if (two) keep(best + i, dots4(t0, t1, t2, t3, u1), scales[j + 1]);
		}
	}
}
#endif
