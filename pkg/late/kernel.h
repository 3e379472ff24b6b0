#include <stdint.h>

// A kernel finds, for each query token, its best match among the passage's
// tokens: best[i] = max over j of scale[j] * dot(query i, passage j).
//
//   - nq is a multiple of 4, nd at least 1. dim is any for late_portable, a
//     multiple of 16 for late_avx2, of 64 for late_avx512vnni.
//   - wide holds the query widened to int16, shifted the query plus 128.
//   - Dot products are exact in int32 (dim up to 131,071) and, below 2^24
//     (dim up to 1,040), in the float they are turned into.
//   - Among equal values the first stays, as maxps does with its operands in
//     this order; so all kernels give the same bits.
typedef struct {
	const int16_t *wide;
	const uint8_t *shifted;
	int nq, dim;
} late_query;

void late_portable(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best);
#if defined(__x86_64__)
void late_avx2(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best);
void late_avx512vnni(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best);
#endif
