/* gemm_tile.c: the micro-kernel: one tile of C, which stays in registers while panels of A and B are streamed. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"
#if defined(__AVX512F__)
#include "backend/cpu/kernels/tile_avx512.h"
#elif defined(__AVX2__)
#include "backend/cpu/kernels/tile_avx2.h"
#endif

#if defined(__AVX2__) || defined(__aarch64__)
enum { K_STEPS = 4 }; /* k steps per iteration: counting and prefetching use ports that multiply-adds need */
#endif
enum { LINE = 16 /* floats */, A_AHEAD = 16 * GEMM_MR };

typedef float tile_row[GEMM_NR];

/* Prefetches the next cache line into L2. Only where one step of k takes longer than that: elsewhere the hardware
 * prefetcher does as well. */
ALWAYS_INLINE void ask_for(const float *ahead) {
#if defined(__AVX512F__) || defined(__aarch64__)
  __builtin_prefetch(ahead, 0, 2);
#else
  (void)ahead;
#endif
}

/* Prefetches a write-only tile, which is needed last. */
ALWAYS_INLINE void ask_for_tile(const int rows, const int nv, const float *c, int64_t ldc) {
#if defined(__AVX512F__)
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nv; j++) __builtin_prefetch(c + i * ldc + j * VL, 1, 3);
#else
  (void)rows, (void)nv, (void)c, (void)ldc;
#endif
}

/* Prefetches the tile below during this one: its rows are pages apart, which hardware prefetchers miss. */
ALWAYS_INLINE void ask_for_next_tile(const int rows, const int nv, const float *c, int64_t ldc, bool accumulate) {
#if defined(__aarch64__)
  (void)nv, (void)accumulate;
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) __builtin_prefetch(c + (GEMM_MR + i) * ldc, 1, 3);
#elif defined(__AVX512F__)
  if (!accumulate) return; /* its stores do not wait */
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nv; j++) __builtin_prefetch(c + (GEMM_MR + i) * ldc + j * VL, 0, 2);
#else
  (void)rows, (void)nv, (void)c, (void)ldc, (void)accumulate;
#endif
}

#if !defined(__aarch64__)
/* Rows of A as one step of k reads them: three per address register, with one or two row strides added by addressing
 * modes. Packed, only the first is used. */
enum { ROW_GROUPS = (GEMM_MR + 2) / 3 };
typedef struct micro_rows_at {
  const char *a[ROW_GROUPS];
  int64_t one, two; /* rows, in bytes */
} micro_rows_at;

/* One row of a tile, `nv` vectors wide. Where an FMA can take a memory operand, a third of the rows do: that saves an
 * instruction, and more of them would exceed the load ports. */
ALWAYS_INLINE void micro_row(const bool loaded, const int nv, const float *number, const vf bv[GEMM_NV],
                             vf acc[GEMM_NV]) {
#if defined(__AVX512F__)
  if (loaded) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(acc[j]) : "v"(bv[j]), "m"(*number));
    return;
  }
#endif
  (void)loaded;
  const vf av = vsplat(*number);
#pragma GCC unroll 4
  for (int j = 0; j < nv; j++) acc[j] += bv[j] * av;
}

/* One step of k, the u-th after the current position. */
ALWAYS_INLINE void micro_step(const int rows, const int nv, const bool in_place, const micro_rows_at *at, const int u,
                              const float *restrict b, vf acc[GEMM_MR_MOST][GEMM_NV]) {
  vf bv[GEMM_NV];
#pragma GCC unroll 4
  for (int j = 0; j < nv; j++) bv[j] = vload(b + j * VL);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
    const char *row = at->a[i / 3] + (i % 3 == 0 ? 0 : i % 3 == 1 ? at->one : at->two);
    const float *number = in_place ? (const float *)row + u : (const float *)at->a[0] + u * GEMM_MR + i;
    micro_row(i % 3 == 0, nv, number, bv, acc[i]); /* those whose address is one register */
  }
}

ALWAYS_INLINE void micro_go_on(const bool in_place, micro_rows_at *at, const int steps) {
  for (int i = 0; i < (in_place ? ROW_GROUPS : 1); i++)
    at->a[i] += (size_t)(in_place ? steps : steps * GEMM_MR) * sizeof(float);
  /* hides their values, so that no sum of them occupies a register: there are too few */
  if (in_place) __asm__("" : "+r"(at->one), "+r"(at->two));
}
#endif

#if defined(__aarch64__)
/* A full tile over 4 · `times` steps of k. In assembly, because the operands of a step must load while the previous
 * step multiplies, and compilers pipeline such a loop with register moves: v0 to v15 are the sums, v24 to v27 and v28
 * to v31 the alternating operands of two steps. */
#define SUM(to, b, a, lane) "fmla v" #to ".4s, v" #b ".4s, v" #a ".s[" #lane "]\n\t"
#define SUMS(to0, to1, b0, b1, a, lane) SUM(to0, b0, a, lane) SUM(to1, b1, a, lane)
#define STEP(a0, a1, b0, b1, then_a, then_b, then)                                            \
  SUMS(0, 1, b0, b1, a0, 0)                                                                   \
  SUMS(2, 3, b0, b1, a0, 1)                                                                   \
  then_a SUMS(4, 5, b0, b1, a0, 2) SUMS(6, 7, b0, b1, a0, 3) then_b SUMS(8, 9, b0, b1, a1, 0) \
      SUMS(10, 11, b0, b1, a1, 1) then SUMS(12, 13, b0, b1, a1, 2) SUMS(14, 15, b0, b1, a1, 3)
#define EVEN(then_a, then_b, then) STEP(24, 25, 26, 27, then_a, then_b, then)
#define ODD(then_a, then_b, then) STEP(28, 29, 30, 31, then_a, then_b, then)
#define LOAD(x, y, from, bytes) "ldp q" #x ", q" #y ", [%[" #from "], #" #bytes "]\n\t"
#define ASK(where, bytes) "prfm pldl1keep, [%[" #where "], #" #bytes "]\n\t"
#define THREE_STEPS                                                                                         \
  EVEN(LOAD(28, 29, a, 32), LOAD(30, 31, b, 32), "prfm pldl2keep, [%[at]]\n\tadd %[at], %[at], %[ask]\n\t") \
  ODD(LOAD(24, 25, a, 64), LOAD(26, 27, b, 64), ASK(a, 512))                                                \
  EVEN(LOAD(28, 29, a, 96), LOAD(30, 31, b, 96), ASK(a, 576))
#define ZEROS(x, y, z, w) "movi v" #x ".4s, #0\n\tmovi v" #y ".4s, #0\n\tmovi v" #z ".4s, #0\n\tmovi v" #w ".4s, #0\n\t"
#define ROW(how, x, y) how " q" #x ", q" #y ", [x9]\n\tadd x9, x9, %[row]\n\t"
#define TILE(how)                                                                                                \
  "mov x9, %[c]\n\t" ROW(how, 0, 1) ROW(how, 2, 3) ROW(how, 4, 5) ROW(how, 6, 7) ROW(how, 8, 9) ROW(how, 10, 11) \
      ROW(how, 12, 13) ROW(how, 14, 15)

static void micro_whole(int64_t times, const float *a, const float *b, float *c, int64_t ldc, bool accumulate,
                        gemm_ahead ahead) {
  _Static_assert(GEMM_MR == 8 && GEMM_NR == 8 && K_STEPS == 4, "the registers above");
  __asm__ volatile(
      LOAD(24, 25, a, 0) LOAD(26, 27, b, 0)
      "cbz %w[accumulate], 1f\n\t" TILE("ldp") "b 2f\n\t"
      "1:\n\t" ZEROS(0, 1, 2, 3) ZEROS(4, 5, 6, 7) ZEROS(8, 9, 10, 11) ZEROS(12, 13, 14, 15)
      "2:\n\tsubs %[times], %[times], #1\n\tb.eq 4f\n\t"
      "3:\n\t" THREE_STEPS
      ODD(LOAD(24, 25, a, 128), LOAD(26, 27, b, 128), "add %[a], %[a], #128\n\tadd %[b], %[b], #128\n\t")
      "subs %[times], %[times], #1\n\tb.ne 3b\n\t"
      "4:\n\t" THREE_STEPS ODD("", "", "") TILE("stp")
      : [a] "+r"(a), [b] "+r"(b), [at] "+r"(ahead.at), [times] "+r"(times)
      : [ask] "r"(ahead.step * K_STEPS * (int64_t)sizeof(float)), [c] "r"(c),
        [row] "r"(ldc * (int64_t)sizeof(float)), [accumulate] "r"((int)accumulate)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31", "x9", "cc", "memory");
}
#endif

/* The tile: ROWS × `nv` vectors of sums over kc steps. a: a panel [kc][MR], followed by a second one if there are more
 * rows than that, or, `in_place`, rows of runs of kc; b: kc rows of nv·VL columns, `b_row` apart, per run; meanwhile
 * `ahead` is prefetched.
 * Over 60 lines: the tile is in registers from its loads to its stores. */
ALWAYS_INLINE void micro(const int rows, const int nv, const bool in_place, int64_t kc, const float *restrict a,
                         gemm_runs runs, const float *restrict b, const int64_t b_row, float *restrict c, int64_t ldc,
                         bool accumulate, gemm_ahead ahead) {
#if defined(__aarch64__)
  if (rows == GEMM_MR && kc >= K_STEPS && kc % K_STEPS == 0) {
    ask_for_next_tile(rows, nv, c, ldc, accumulate);
    micro_whole(kc / K_STEPS, a, b, c, ldc, accumulate, ahead);
    return;
  }
#endif
  vf acc[GEMM_MR_MOST][GEMM_NV]; /* fully unrolled: the tile stays in registers until it is stored */
  if (accumulate) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++) acc[i][j] = vload(c + i * ldc + j * VL);
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++) acc[i][j] = (vf){0};
    ask_for_tile(rows, nv, c, ldc);
  }
  ask_for_next_tile(rows, nv, c, ldc, accumulate);
#if defined(__aarch64__)
  (void)in_place, (void)runs;
#else
  micro_rows_at at = {.one = runs.row * (int64_t)sizeof(float), .two = 2 * runs.row * (int64_t)sizeof(float)};
  for (int i = 0; i < ROW_GROUPS; i++) at.a[i] = (const char *)(a + 3 * i * runs.row);
#endif
  int64_t k = 0;
#if defined(__AVX2__)
next_run:
  for (; k + K_STEPS <= kc; k += K_STEPS, b += K_STEPS * b_row, ahead.at += K_STEPS * ahead.step) {
    ask_for(ahead.at);
    if (ahead.step > LINE / K_STEPS) ask_for(ahead.at + 2 * ahead.step);
    if (ahead.step > LINE / 2) ask_for(ahead.at + ahead.step), ask_for(ahead.at + 3 * ahead.step);
#pragma GCC unroll 4
    for (int u = 0; u < K_STEPS; u++) micro_step(rows, nv, in_place, &at, u, b + u * b_row, acc);
    micro_go_on(in_place, &at, K_STEPS);
  }
#endif
#if defined(__aarch64__)
  const float *second = a + kc * GEMM_MR;
#endif
  for (; k < kc; k++, b += b_row, ahead.at += ahead.step) {
    ask_for(ahead.at);
#if defined(__aarch64__)
    vf bv[GEMM_NV];
    for (int j = 0; j < GEMM_NV; j++) bv[j] = vload(b + j * VL);
    __builtin_prefetch(a + A_AHEAD, 0, 3); /* from L2, sixteen steps of k early */
    vf av[GEMM_MR_MOST / VL];              /* a lane of a loaded vector multiplies for free */
    for (int i = 0; i < (rows + VL - 1) / VL; i++)
      av[i] = vload(i * VL < GEMM_MR ? a + i * VL : second + i * VL - GEMM_MR);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < GEMM_NV; j++) acc[i][j] += bv[j] * av[i / VL][i % VL];
    a += GEMM_MR, second += GEMM_MR;
#else
    micro_step(rows, nv, in_place, &at, 0, b, acc);
    micro_go_on(in_place, &at, 1);
#endif
  }
#if defined(__AVX2__)
  if (in_place && --runs.count > 0) {
    for (int i = 0; i < ROW_GROUPS; i++) at.a[i] += (runs.apart - kc) * (int64_t)sizeof(float);
    k = 0;
    goto next_run;
  }
#endif
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) vstore(c + i * ldc + j * VL, acc[i][j]);
}

#define MICRO_CASE(rows) \
  case rows: micro(rows, nv, in_place, kc, a, runs, b, b_row, c, ldc, accumulate, ahead); return;

ALWAYS_INLINE void micro_rows(int rows, const int nv, const bool in_place, int64_t kc, const float *a, gemm_runs runs,
                              const float *b, int64_t b_row, float *c, int64_t ldc, bool accumulate, gemm_ahead ahead) {
  // clang-format off: rows of cases
  switch (rows) {
    MICRO_CASE(1)
    MICRO_CASE(2)
    MICRO_CASE(3)
#if GEMM_MR_VALUE > 4
    MICRO_CASE(4) MICRO_CASE(5)
#endif
#if GEMM_MR_VALUE > 6
    MICRO_CASE(6) MICRO_CASE(7)
#endif
#if defined(__aarch64__)
    MICRO_CASE(9) MICRO_CASE(10) MICRO_CASE(11) MICRO_CASE(12)
#endif
    default: micro(GEMM_MR, nv, in_place, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
  }
  // clang-format on
}

#if defined(__AVX2__)
/* `nv` vectors wide, rows of B so far apart; nothing is wider than NV. */
#define MICRO_WIDTH(nv, in_place, b_row) \
  micro_rows(rows, (nv) < GEMM_NV ? (nv) : GEMM_NV, in_place, kc, a, runs, b, b_row, c, ldc, accumulate, ahead)
#define MICRO_WIDTHS(name, in_place)                                                                       \
  static void name(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c, \
                   int64_t ldc, bool accumulate, gemm_ahead ahead) {                                       \
    if (nv == 1)                                                                                           \
      MICRO_WIDTH(1, in_place, VL);                                                                        \
    else if (nv == GEMM_NV)                                                                                \
      MICRO_WIDTH(GEMM_NV, in_place, GEMM_NR);                                                             \
    else                                                                                                   \
      MICRO_WIDTH(2, in_place, 2 * VL);                                                                    \
  }
MICRO_WIDTHS(micro_packed, false)
MICRO_WIDTHS(micro_in_place, true)

/* Tiles of MR rows and more than one vector are in assembly: their rows of B are b_row apart. Inlined down to it: a
 * struct on the stack would be read by vectors, which wait for all earlier stores, and so for the tile before. */
ALWAYS_INLINE void whole(const int nv, const bool in_place, int64_t kc, const float *a, gemm_runs runs, const float *b,
                         int64_t b_row, float *c, int64_t ldc, bool accumulate, gemm_ahead ahead) {
  const bool often = ahead.step > LINE / K_STEPS;
  for (int64_t i = 0; i < runs.count; i++, a += runs.apart, b += kc * b_row, accumulate = true) {
#if defined(__AVX512F__)
    if (nv == 2)
      (in_place ? tile_in_place_32 : tile_packed_32)(kc, a, runs.row, b, b_row, c, ldc, accumulate, ahead);
    else if (often)
      (in_place ? tile_in_place_48_ahead : tile_packed_48_ahead)(kc, a, runs.row, b, b_row, c, ldc, accumulate, ahead);
    else
      (in_place ? tile_in_place_48 : tile_packed_48)(kc, a, runs.row, b, b_row, c, ldc, accumulate, ahead);
#else
    (void)nv;
    if (often)
      (in_place ? tile_in_place_ahead : tile_packed_ahead)(kc, a, runs.row, b, b_row, c, ldc, accumulate, ahead);
    else
      (in_place ? tile_in_place : tile_packed)(kc, a, runs.row, b, b_row, c, ldc, accumulate, ahead);
#endif
    ahead.at += kc * ahead.step;
  }
}

/* Prefetches the tile below, also where it is only written. */
ALWAYS_INLINE void prefetch_below(const int nv, const float *c, int64_t ldc) {
#pragma GCC unroll 16
  for (int i = 0; i < GEMM_MR; i++) {
    const float *row = c + (GEMM_MR + i) * ldc;
#if defined(__AVX512F__)
    __builtin_prefetch(row, 0, 2), __builtin_prefetch(row + VL, 0, 2);
    if (nv > 2) __builtin_prefetch(row + 2 * VL, 0, 2);
#else
    (void)nv;
    __builtin_prefetch(row, 0, 3);
#endif
  }
}

ALWAYS_INLINE bool is_whole(int rows, int width) { return rows == GEMM_MR && width > VL; }

ALWAYS_INLINE void micro_whole(int width, int64_t kc, const float *a, gemm_runs runs, const float *b, int64_t b_row,
                               float *c, int64_t ldc, bool accumulate, gemm_ahead ahead) {
  if (width == GEMM_NR && runs.row)
    whole(GEMM_NV, true, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
  else if (width == GEMM_NR)
    whole(GEMM_NV, false, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
  else if (runs.row)
    whole(2, true, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
  else
    whole(2, false, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
}

static void micro_any(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead) {
  if (is_whole(rows, nv * VL))
    micro_whole(nv * VL, kc, a, runs, b, nv * VL, c, ldc, accumulate, ahead);
  else
    (runs.row ? micro_in_place : micro_packed)(rows, nv, kc, a, runs, b, c, ldc, accumulate, ahead);
}

/* Some rows of C: `nv` vectors of columns, a B read in place. */
static void small_rows(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, int64_t b_row,
                       float *c, int64_t ldc, bool accumulate) {
  const gemm_ahead ahead = {a, 0};
  if (is_whole(rows, nv * VL))
    micro_whole(nv * VL, kc, a, runs, b, b_row, c, ldc, accumulate, ahead);
  else if (nv == 1)
    MICRO_WIDTH(1, true, b_row);
  else if (nv == GEMM_NV)
    MICRO_WIDTH(GEMM_NV, true, b_row);
  else
    MICRO_WIDTH(2, true, b_row);
}

void TEN_K(gemm_small)(const ten_gemm *g, float *c, int64_t ldc) {
  const gemm_runs one = {.row = g->a_row, .count = 1};
  for (int64_t n = 0, width; n < g->n; n += width) {
    width = gemm_width(g->n, n);
    for (int64_t m = 0; m < g->m; m += GEMM_MR)
      small_rows((int)(g->m - m < GEMM_MR ? g->m - m : GEMM_MR), (int)width / VL, g->k, g->a + m * g->a_row, one,
                 g->b + n, g->b_row, c + m * ldc + n, ldc, g->accumulate);
  }
}
#else
static void micro_any(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead) {
  (void)nv;
  micro_rows(rows, GEMM_NV, false, kc, a, runs, b, GEMM_NR, c, ldc, accumulate, ahead);
}
#endif

void TEN_K(gemm_tile_runs)(int rows, int columns, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                           int64_t ldc, bool accumulate, gemm_ahead ahead) {
  if (!ahead.at) ahead.at = a;
  const int width = (int)gemm_padded(columns);
  if (columns == width) {
#if defined(__AVX2__)
    if (is_whole(rows, width)) prefetch_below(width / VL, c, ldc);
#endif
    micro_any(rows, width / VL, kc, a, runs, b, c, ldc, accumulate, ahead);
    return;
  }
  _Alignas(64) tile_row tile[GEMM_MR_MOST];
  for (int i = 0; accumulate && i < rows; i++) {
    memset(tile[i], 0, sizeof tile[i]);
    memcpy(tile[i], c + i * ldc, (size_t)columns * sizeof(float));
  }
  micro_any(rows, width / VL, kc, a, runs, b, tile[0], GEMM_NR, accumulate, ahead);
  for (int i = 0; i < rows; i++) memcpy(c + i * ldc, tile[i], (size_t)columns * sizeof(float));
}

void TEN_K(gemm_tile)(int rows, int columns, int64_t kc, const float *a, int64_t a_row, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead) {
  const gemm_runs one = {.row = a_row, .count = 1};
#if defined(__AVX2__)
  if (is_whole(rows, columns) && columns % VL == 0) {
    if (!ahead.at) ahead.at = a;
    prefetch_below(columns / VL, c, ldc);
    micro_whole(columns, kc, a, one, b, columns, c, ldc, accumulate, ahead);
    return;
  }
#endif
  TEN_K(gemm_tile_runs)(rows, columns, kc, a, one, b, c, ldc, accumulate, ahead);
}
