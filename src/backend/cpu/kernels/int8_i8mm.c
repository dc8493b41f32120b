/* int8_i8mm.c: USDOT, as int8_dotprod.c, with A unsigned: activations after a ReLU are read in place. */
#include "backend/cpu/kernels/tables.h"

#if defined(__aarch64__)
#include "backend/cpu/kernels/int8_neon.h"

static inline int32x4_t dot_of(int32x4_t acc, int8x16_t b, uint8x16_t a) { return vusdotq_s32(acc, a, b); }

static void i8mm_block(const uint8_t *a, int64_t row_stride, const int64_t *offsets, int64_t segments, int64_t quads,
                       const int8_t *b, const int32_t *init, int rows, int32_t *c, int64_t ldc) {
  int8_neon_block(dot_of, a, row_stride, offsets, segments, quads, b, init, rows, c, ldc);
}

const ten_int8_form ten_int8_i8mm = {.name = "i8mm", .block = i8mm_block, .rows = 4 * NEON_ROWS};
#endif
