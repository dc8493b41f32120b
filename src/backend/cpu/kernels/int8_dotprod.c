/* int8_dotprod.c: SDOT: four signed bytes of A, one of four lanes, times four signed bytes of each of four columns of
 * B. Three rows by eight vectors of columns take 24 of 32 registers. */
#include "backend/cpu/kernels/tables.h"

#if defined(__aarch64__)
#include "backend/cpu/kernels/int8_neon.h"

static inline int32x4_t dot_of(int32x4_t acc, int8x16_t b, uint8x16_t a) {
  return vdotq_s32(acc, b, vreinterpretq_s8_u8(a));
}

static void dotprod_block(const uint8_t *a, int64_t row_stride, const int64_t *offsets, int64_t segments, int64_t quads,
                          const int8_t *b, const int32_t *init, int rows, int32_t *c, int64_t ldc) {
  int8_neon_block(dot_of, a, row_stride, offsets, segments, quads, b, init, rows, c, ldc);
}

const ten_int8_form ten_int8_dotprod = {
    .name = "dotprod", .block = dotprod_block, .rows = 4 * NEON_ROWS, .is_signed = true};
#endif
