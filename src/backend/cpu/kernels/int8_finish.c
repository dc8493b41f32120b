/* int8_finish.c: what becomes of sums, in f32. A product is rounded before it is added to, as in generated code: this
 * file is compiled without contraction. */
#include "backend/cpu/kernels/int8_job.h"

static const float levels = 255;

/* Rounds to even: adding this leaves no bits below 1. */
static const float round_shift = 0x1.8p23f;

ALWAYS_INLINE uint8_t byte_of(float t) {
  t = t > 0 ? t : 0; /* NaN, too */
  t = t < levels ? t : levels;
  union {
    float real;
    uint32_t bits;
  } shifted = {.real = t + round_shift};
  return (uint8_t)shifted.bits;
}

static void finish_floats(const ten_int8_finish *f, const int32_t *sums, int64_t columns, float *out) {
  for (int64_t j = 0; j < columns; j++) out[j] = (float)sums[j] * f->scale[j] + f->bias[j];
}

static void finish_bytes(const ten_int8_finish *f, const int32_t *sums, int64_t columns, uint8_t *out) {
  for (int64_t j = 0; j < columns; j++) out[j] = byte_of((float)sums[j] * f->scale[j] + f->bias[j]);
}

static void finish_added(const ten_int8_finish *f, const int32_t *sums, const uint8_t *other, int64_t columns,
                         uint8_t *out) {
  for (int64_t j = 0; j < columns; j++)
    out[j] = byte_of((float)sums[j] * f->scale[j] + f->bias[j] + (float)other[j] * f->other_scale);
}

void TEN_K(int8_finish)(const ten_int8_finish *f, const int32_t *sums, int64_t ldc, int64_t rows, int64_t columns,
                        int64_t co) {
  for (int64_t r = 0; r < rows; r++, sums += ldc) {
    if (f->kind == INT8_FLOATS)
      finish_floats(f, sums, columns, (float *)f->out + r * co);
    else if (f->other)
      finish_added(f, sums, f->other + r * co, columns, (uint8_t *)f->out + r * co);
    else
      finish_bytes(f, sums, columns, (uint8_t *)f->out + r * co);
  }
}
