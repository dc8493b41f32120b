/* scan.c: cumulative sums, products and extremes along one dimension. Sums and products of f32 use f64 where allowed:
 * the last of a million is as accurate as the first. Adjacent lines (inner > 1) are done together. */
#include "backend/cpu/kernels/gemm.h"

enum { COLUMNS = TEN_SCAN_COLUMNS };

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b)) /* NaN propagates */
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

/* One line; or a block of columns, whose accumulators fit the registers and L1. */
#define SCAN(name, TYPE, ACC, OP)                                                                          \
  static void name(const ten_scan *s, const TYPE *from, TYPE init, TYPE *to, int64_t unit) {               \
    const int64_t blocks = (s->inner + COLUMNS - 1) / COLUMNS, c0 = unit % blocks * COLUMNS;               \
    const int64_t columns = s->inner - c0 < COLUMNS ? s->inner - c0 : COLUMNS;                             \
    const int64_t step = s->reverse ? -s->inner : s->inner;                                                \
    const int64_t start = unit / blocks * s->n * s->inner + c0 + (s->reverse ? (s->n - 1) * s->inner : 0); \
    if (columns == 1) {                                                                                    \
      ACC sum = (ACC)init;                                                                                 \
      for (int64_t k = 0, at = start; k < s->n; k++, at += step) {                                         \
        const ACC x = (ACC)from[at];                                                                       \
        sum = OP(sum, x);                                                                                  \
        to[at] = (TYPE)sum;                                                                                \
      }                                                                                                    \
      return;                                                                                              \
    }                                                                                                      \
    ACC sums[COLUMNS];                                                                                     \
    for (int64_t j = 0; j < columns; j++) sums[j] = (ACC)init;                                             \
    for (int64_t k = 0, at = start; k < s->n; k++, at += step) {                                           \
      const TYPE *restrict x = from + at;                                                                  \
      TYPE *restrict y = to + at;                                                                          \
      for (int64_t j = 0; j < columns; j++) {                                                              \
        const ACC next = (ACC)x[j];                                                                        \
        sums[j] = OP(sums[j], next);                                                                       \
        y[j] = (TYPE)sums[j];                                                                              \
      }                                                                                                    \
    }                                                                                                      \
  }

SCAN(sum_f32, float, float, ADD)
SCAN(product_f32, float, float, MULTIPLY)
SCAN(sum_wide, float, double, ADD)
SCAN(product_wide, float, double, MULTIPLY)
SCAN(largest_f32, float, float, LARGER)
SCAN(smallest_f32, float, float, SMALLER)
SCAN(sum_f64, double, double, ADD)
SCAN(product_f64, double, double, MULTIPLY)
SCAN(largest_f64, double, double, LARGER)
SCAN(smallest_f64, double, double, SMALLER)
SCAN(sum_i32, uint32_t, uint32_t, ADD)
SCAN(product_i32, uint32_t, uint32_t, MULTIPLY)
SCAN(largest_i32, int32_t, int32_t, LARGER)
SCAN(smallest_i32, int32_t, int32_t, SMALLER)
SCAN(sum_i64, uint64_t, uint64_t, ADD)
SCAN(product_i64, uint64_t, uint64_t, MULTIPLY)
SCAN(largest_i64, int64_t, int64_t, LARGER)
SCAN(smallest_i64, int64_t, int64_t, SMALLER)

#define RUN(code, name, TYPE) \
  case code: name(s, from, *(const TYPE *)init, to, unit); break;

void TEN_K(scan_run)(const ten_scan *s, const void *from, const void *init, void *to, int64_t begin, int64_t end) {
  if (s->op == TEN_SCAN_LOG_SUM) {
    TEN_K(scan_log_run)(s, from, to, begin, end);
    return;
  }
  for (int64_t unit = begin; unit < end; unit++) switch (s->type * 4 + s->op) {
      RUN(16, sum_wide, float)
      RUN(17, product_wide, float)
      RUN(0, sum_f32, float)
      RUN(1, product_f32, float)
      RUN(2, largest_f32, float)
      RUN(3, smallest_f32, float)
      RUN(4, sum_f64, double)
      RUN(5, product_f64, double)
      RUN(6, largest_f64, double)
      RUN(7, smallest_f64, double)
      RUN(8, sum_i32, uint32_t)
      RUN(9, product_i32, uint32_t)
      RUN(10, largest_i32, int32_t)
      RUN(11, smallest_i32, int32_t)
      RUN(12, sum_i64, uint64_t)
      RUN(13, product_i64, uint64_t)
      RUN(14, largest_i64, int64_t)
      default: smallest_i64(s, from, *(const int64_t *)init, to, unit);
    }
}
