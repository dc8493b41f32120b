/* gemm_few.c: f32 matmul of few rows, over a B that is packed (one row only) or not: if each of its elements is used
 * only a few times, packing takes as long as multiplying.
 *
 * The order in which an element of C is summed over k depends on k, the layout of B and whether there is one row, not
 * on the elements computed with it. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

/* Rows of A that are summed together with columns of B: as many sums as registers hold. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { DOT_ROWS = 12 };
#else
enum { DOT_ROWS = 6 };
#endif
enum { ROW_PANELS = 4, DOT_SUMS = 4, DOT_COLUMNS = 2, DOT_STRETCH = 8 << 10 /* elements of A, in L1 */ };
enum { FEW_ROWS = 6, FEW_STEPS = 8, FEW_STRETCH = 384 };

/* One row times `count` panels of `nv` vectors over all of k: one panel alone has too few sums in flight. */
ALWAYS_INLINE void row_panels(const int count, const int nv, int64_t k, const float *a, const float *b, bool accumulate,
                              float *c) {
  const int64_t panel_size = k * nv * VL;
  vf acc[ROW_PANELS * GEMM_NV];
  for (int j = 0; j < count * nv; j++) acc[j] = accumulate ? vload(c + j * VL) : (vf){0};
  for (int64_t r = 0; r < k; r++) {
    const vf av = vsplat(a[r]);
    for (int p = 0; p < count; p++)
      for (int j = 0; j < nv; j++) {
        vf *sum = &acc[p * nv + j];
        *sum += vload(b + p * panel_size + (r * nv + j) * VL) * av;
      }
  }
  for (int j = 0; j < count * nv; j++) vstore(c + j * VL, acc[j]);
}

static void row_panel(int nv, int64_t k, const float *a, const float *b, bool accumulate, float *c) {
  switch (nv) {
    case 1: row_panels(1, 1, k, a, b, accumulate, c); return;
    case 2: row_panels(1, 2, k, a, b, accumulate, c); return;
    default: row_panels(1, GEMM_NV, k, a, b, accumulate, c);
  }
}

static void row_product(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1) {
  int64_t n = n0;
  for (; n + ROW_PANELS * GEMM_NR <= n1 && gemm_width(g->n, n + (ROW_PANELS - 1) * GEMM_NR) == GEMM_NR;
       n += ROW_PANELS * GEMM_NR)
    row_panels(ROW_PANELS, GEMM_NV, g->k, a, b + n * g->k, g->accumulate, c + n);
  for (int64_t width; n < n1; n += width) {
    const int columns = gemm_columns(g->n, n);
    width = gemm_width(g->n, n);
    if (columns == width) {
      row_panel((int)width / VL, g->k, a, b + n * g->k, g->accumulate, c + n);
      continue;
    }
    _Alignas(64) float rest[GEMM_NR] = {0};
    if (g->accumulate) memcpy(rest, c + n, (size_t)columns * sizeof(float));
    row_panel((int)width / VL, g->k, a, b + n * g->k, g->accumulate, rest);
    memcpy(c + n, rest, (size_t)columns * sizeof(float));
  }
}

/* One row times an unpacked B with contiguous rows: four at a time over a stretch of C that stays in L1. */
static void row_by_rows(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1) {
  enum { STRETCH = 2048 };
  for (int64_t n = n0; n < n1; n += STRETCH) {
    const int64_t end = n + STRETCH < n1 ? n + STRETCH : n1;
    if (!g->accumulate) memset(c + n, 0, (size_t)(end - n) * sizeof(float));
    int64_t k = 0;
    for (; k + 4 <= g->k; k += 4) {
      const float *b0 = b + k * g->b_row, *b1 = b0 + g->b_row, *b2 = b1 + g->b_row, *b3 = b2 + g->b_row;
      const vf a0 = vsplat(a[k]), a1 = vsplat(a[k + 1]), a2 = vsplat(a[k + 2]), a3 = vsplat(a[k + 3]);
      int64_t j = n;
      for (; j + VL <= end; j += VL)
        vstore(c + j, vload(c + j) + vload(b0 + j) * a0 + vload(b1 + j) * a1 + vload(b2 + j) * a2 + vload(b3 + j) * a3);
      for (; j < end; j++) c[j] += b0[j] * a[k] + b1[j] * a[k + 1] + b2[j] * a[k + 2] + b3[j] * a[k + 3];
    }
    for (; k < g->k; k++)
      for (int64_t j = n; j < end; j++) c[j] += b[k * g->b_row + j] * a[k];
  }
}

/* One row by `count` columns of B: each by four sums, independent of the number of columns. */
ALWAYS_INLINE void row_dots(const int count, int64_t size, bool accumulate, const float *a, const float *b,
                            int64_t b_col, float *c) {
  vf sums[ROW_PANELS][DOT_SUMS];
  for (int j = 0; j < count; j++)
    for (int i = 0; i < DOT_SUMS; i++) sums[j][i] = (vf){0};
  int64_t k = 0;
  for (; k + DOT_SUMS * VL <= size; k += DOT_SUMS * VL) {
    for (int j = 0; j < count; j++) /* columns are too short for hardware prefetchers */
      for (int i = 0; i < DOT_SUMS * VL; i += 16) __builtin_prefetch(b + (count + j) * b_col + k + i);
#pragma GCC unroll 4
    for (int i = 0; i < DOT_SUMS; i++) {
      const vf av = vload(a + k + i * VL);
#pragma GCC unroll 4
      for (int j = 0; j < count; j++) sums[j][i] += av * vload(b + j * b_col + k + i * VL);
    }
  }
  for (int j = 0; j < count; j++) {
    const vf sum = (sums[j][0] + sums[j][1]) + (sums[j][2] + sums[j][3]);
    float total = accumulate ? c[j] : 0, lanes = 0;
    for (int i = 0; i < VL; i++) lanes += sum[i];
    for (int64_t r = k; r < size; r++) lanes += a[r] * b[j * b_col + r];
    c[j] = total + lanes;
  }
}

/* The same with contiguous columns of B. Four at a time: the row is read once for them, and memory is read in four
 * streams. */
static void row_by_columns(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1) {
  int64_t n = n0;
  for (; n + ROW_PANELS <= n1; n += ROW_PANELS)
    row_dots(ROW_PANELS, g->k, g->accumulate, a, b + n * g->b_col, g->b_col, c + n);
  for (; n < n1; n++) row_dots(1, g->k, g->accumulate, a, b + n * g->b_col, g->b_col, c + n);
}

/* The sum of a vector's lanes, halving first. */
ALWAYS_INLINE float lanes_sum(vf x) {
#if defined(__AVX512F__)
  x += __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
  x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1);
#elif defined(__AVX2__)
  x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
  x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 2, 3, 0, 1);
#else
  x += __builtin_shufflevector(x, x, 2, 3, 0, 1);
#endif
  return x[0] + x[1];
}

/* `rows` of A by `columns` of B, both contiguous along k: a vector of sums per pair. */
ALWAYS_INLINE void dots(const int rows, const int columns, int64_t kc, const float *a, int64_t a_row, const float *b,
                        int64_t b_col, float *c, int64_t ldc, bool accumulate) {
  vf sums[DOT_ROWS][2 * DOT_COLUMNS];
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) sums[i][j] = (vf){0};
  int64_t k = 0;
  for (; k + VL <= kc; k += VL) {
    for (int j = 0; k % 16 == 0 && j < columns; j++) __builtin_prefetch(b + (columns + j) * b_col + k, 0, 2);
    vf bv[2 * DOT_COLUMNS];
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) bv[j] = vload(b + j * b_col + k);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      const vf av = vload(a + i * a_row + k);
#pragma GCC unroll 4
      for (int j = 0; j < columns; j++) sums[i][j] += av * bv[j];
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
      float sum = lanes_sum(sums[i][j]);
      for (int64_t r = k; r < kc; r++) sum += a[i * a_row + r] * b[j * b_col + r];
      c[i * ldc + j] = accumulate ? c[i * ldc + j] + sum : sum;
    }
}

#define DOTS_CASE(rows) \
  case rows: dots(rows, columns, kc, a, a_row, b, b_col, c, ldc, accumulate); return;

ALWAYS_INLINE void dots_rows(int rows, const int columns, int64_t kc, const float *a, int64_t a_row, const float *b,
                             int64_t b_col, float *c, int64_t ldc, bool accumulate) {
  // clang-format off: rows of cases
  switch (rows) {
    DOTS_CASE(1) DOTS_CASE(2) DOTS_CASE(3) DOTS_CASE(4) DOTS_CASE(5)
#if defined(__AVX512F__) || defined(__aarch64__)
    DOTS_CASE(6) DOTS_CASE(7) DOTS_CASE(8) DOTS_CASE(9) DOTS_CASE(10) DOTS_CASE(11)
#endif
    default: dots(DOT_ROWS, columns, kc, a, a_row, b, b_col, c, ldc, accumulate);
  }
  // clang-format on
}

static void dots_some(int rows, int64_t kc, const float *a, int64_t a_row, const float *b, int64_t b_col, float *c,
                      int64_t ldc, bool accumulate) {
  dots_rows(rows, DOT_COLUMNS, kc, a, a_row, b, b_col, c, ldc, accumulate);
}

static void dots_one(int rows, int64_t kc, const float *a, int64_t a_row, const float *b, int64_t b_col, float *c,
                     int64_t ldc, bool accumulate) {
  dots_rows(rows, 1, kc, a, a_row, b, b_col, c, ldc, accumulate);
}

/* A slice of A is copied to `own`, m × most_k elements: its rows may be so far apart that they conflict in L1 sets. */
static void few_dots(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1,
                     int64_t most_k, float *own) {
  const int64_t groups = (g->m + DOT_ROWS - 1) / DOT_ROWS, rows = (g->m + groups - 1) / groups;
  const int64_t fit = DOT_STRETCH / rows < most_k ? DOT_STRETCH / rows : most_k;
  const int64_t slices = (g->k + fit - 1) / fit, kc = (g->k + slices - 1) / slices;
  for (int64_t k0 = 0; k0 < g->k; k0 += kc) {
    const int64_t count = g->k - k0 < kc ? g->k - k0 : kc;
    const bool accumulate = k0 > 0 || g->accumulate;
    for (int64_t m = 0; m < g->m; m++) memcpy(own + m * kc, a + m * g->a_row + k0, (size_t)count * sizeof(float));
    for (int64_t n = n0; n < n1; n += DOT_COLUMNS)
      for (int64_t m = 0; m < g->m; m += rows) {
        const int some = (int)(g->m - m < rows ? g->m - m : rows);
        (n1 - n < DOT_COLUMNS ? dots_one : dots_some)(some, count, own + m * kc, kc, b + n * g->b_col + k0, g->b_col,
                                                      c + m * g->ldc + n, g->ldc, accumulate);
      }
  }
}

/* Elements of A for multiplication: a lane of a loaded vector for free, or a broadcast load. */
#if defined(__aarch64__)
typedef vf few_numbers[FEW_STEPS / VL];
#define FEW_LOAD(to, from) \
  for (int v = 0; v < FEW_STEPS / VL; v++) (to)[v] = vload((from) + v * VL)
#define FEW_NUMBER(numbers, k) ((numbers)[(k) / VL][(k) % VL])
/* prevents broadcasting lanes to vectors before the loop: there are too few registers */
#define FEW_KEEP(numbers) __asm__("" : "+w"((numbers)[0]), "+w"((numbers)[1]))
#else
typedef const float *few_numbers[1];
#define FEW_LOAD(to, from) ((to)[0] = (from))
#define FEW_NUMBER(numbers, k) ((numbers)[0][k])
#define FEW_KEEP(numbers) __asm__("" : "+r"((numbers)[0]))
#endif

/* `rows` of C over `count` columns, plus as many rows of A times FEW_STEPS rows of B, which are streamed once, row by
 * row, while a stretch of C stays in L1. Meanwhile the next rows are prefetched. */
ALWAYS_INLINE void add_rows(const int rows, int64_t count, const float *a, int64_t a_row, const float *b, int64_t b_row,
                            float *c, int64_t ldc, bool ask) {
  few_numbers av[FEW_ROWS];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) FEW_LOAD(av[i], a + i * a_row);
  int64_t j = 0;
  for (; j + VL <= count; j += VL) {
    if (ask && j % 16 == 0) {
#pragma GCC unroll 8
      for (int k = 0; k < FEW_STEPS; k++) __builtin_prefetch(b + (FEW_STEPS + k) * b_row + j, 0, 3);
    }
    vf sums[FEW_ROWS];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      FEW_KEEP(av[i]);
      sums[i] = vload(c + i * ldc + j);
    }
#pragma GCC unroll 8
    for (int k = 0; k < FEW_STEPS; k++) {
      const vf bv = vload(b + k * b_row + j);
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++) sums[i] += bv * FEW_NUMBER(av[i], k);
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) vstore(c + i * ldc + j, sums[i]);
  }
  for (; j < count; j++)
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < FEW_STEPS; k++) c[i * ldc + j] += b[k * b_row + j] * a[i * a_row + k];
}

#define ADD_CASE(rows) \
  case rows: add_rows(rows, count, a, a_row, b, b_row, c, ldc, ask); return;

static void add_some(int rows, int64_t count, const float *a, int64_t a_row, const float *b, int64_t b_row, float *c,
                     int64_t ldc, bool ask) {
  // clang-format off: rows of cases
  switch (rows) {
    ADD_CASE(1) ADD_CASE(2) ADD_CASE(3) ADD_CASE(4) ADD_CASE(5)
    default: add_rows(FEW_ROWS, count, a, a_row, b, b_row, c, ldc, ask);
  }
  // clang-format on
}

static void few_rows(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1) {
  const int64_t groups = (g->m + FEW_ROWS - 1) / FEW_ROWS, rows = (g->m + groups - 1) / groups;
  const int64_t stretches = (n1 - n0 + FEW_STRETCH - 1) / FEW_STRETCH;
  const int64_t stretch = ((n1 - n0 + stretches - 1) / stretches + 15) / 16 * 16;
  for (int64_t n = n0; n < n1; n += stretch) {
    const int64_t count = n1 - n < stretch ? n1 - n : stretch;
    for (int64_t m = 0; m < g->m && !g->accumulate; m++) memset(c + m * g->ldc + n, 0, (size_t)count * sizeof(float));
    int64_t k = 0;
    for (; k + FEW_STEPS <= g->k; k += FEW_STEPS)
      for (int64_t m = 0; m < g->m; m += rows)
        add_some((int)(g->m - m < rows ? g->m - m : rows), count, a + m * g->a_row + k, g->a_row, b + k * g->b_row + n,
                 g->b_row, c + m * g->ldc + n, g->ldc, m == 0);
    for (; k < g->k; k++)
      for (int64_t m = 0; m < g->m; m++)
        for (int64_t j = 0; j < count; j++) c[m * g->ldc + n + j] += b[k * g->b_row + n + j] * a[m * g->a_row + k];
  }
}

void TEN_K(gemm_few)(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1,
                     int64_t most_k, float *own) {
  if (!g->direct)
    row_product(g, a, b, c, n0, n1);
  else if (g->b_col == 1)
    (g->m == 1 ? row_by_rows : few_rows)(g, a, b, c, n0, n1);
  else if (g->m == 1)
    row_by_columns(g, a, b, c, n0, n1);
  else
    few_dots(g, a, b, c, n0, n1, most_k, own);
}
