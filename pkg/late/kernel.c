#include "kernel.h"

#include <math.h>

// late_portable is plain C, which compilers turn into SSE2 or NEON.
void late_portable(const late_query *q, const int8_t *rows, const float *scales, int nd, float *best) {
	for (int i = 0; i < q->nq; i++) {
		const int16_t *a = q->wide + (long)i * q->dim;
		float top = -INFINITY;
		for (int j = 0; j < nd; j++) {
			const int8_t *b = rows + (long)j * q->dim;
			int32_t dot = 0;
			for (int k = 0; k < q->dim; k++) {
				dot += (int32_t)a[k] * b[k];
			}
			float x = scales[j] * (float)dot;
			top = x > top ? x : top;
		}
		best[i] = top;
	}
}
