/* gemm.c: f32 matrix product over packed B.
 *
 * B is packed once into panels of NR columns, [panel][k][NR], zero-padded (gemm.h); or, when it is used by few rows,
 * panel by panel where it is needed. A is packed block by block into [panel][k][MR] in the thread's own scratch, unless
 * its rows can be read where they lie (GEMM_IN_PLACE). A task is one block of MC rows by NC columns, which stays in L2
 * until the epilogue has run over it; inside, for each KC slice: pack A, then for each panel of B (which stays in L1)
 * run the micro-kernel down the panels of A (which stay in L2). Every element of C is summed over k in one order,
 * whatever the blocking, so the result does not depend on threads. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

#if defined(__AVX512F__)
/* A panel of B comes out of L2 as fast as it is needed: the longer the slices, the less often C is read and written.
 * Several steps of k are done in one go: counting and asking take ports that products need. */
enum { KC = 768, K_STEPS = 4 };
#elif defined(__aarch64__)
enum { KC = 768, K_STEPS = 4 }; /* 24 KiB: the fewer slices, the less often C is read and written */
#else
enum { KC = 384 };
#endif
enum {
  LINE = 16 /* floats */,
  A_AHEAD = 16 * GEMM_MR,
  MC_PANELS = 16 /* 128 rows are one block: B is packed for it once */,
  MC_IN_PLACE = 40 /* 320 rows of 768 are half an L2 */,
  MC_NEAR = 8,
  NEAR_B = 1 << 18 /* numbers, half an L2 or a whole one */,
  NC_MIN = 96,
  PACK_PARTS = 4,
  BLOCK = 3 << 16 /* numbers of C in a task, at most */,
  FEW_LYING = 64 /* rows that are read in place: all of them meet a panel of B before the next comes from afar */,
  FEW_MOST = GEMM_MR == 6 ? 18 : 24 /* rows: B is packed for more */
};

typedef float tile_row[GEMM_NR];

/* Asks for a line of what comes next, into L2. Only where one step of k takes longer than asking: elsewhere the CPU's
 * own foresight does as well. */
ALWAYS_INLINE void ask_for(const float *ahead) {
#if defined(__AVX512F__) || defined(__aarch64__)
  __builtin_prefetch(ahead, 0, 2);
#else
  (void)ahead;
#endif
}

/* A tile that is only written is needed last: by then memory has had time to bring it. */
ALWAYS_INLINE void ask_for_tile(const int rows, const int nv, const float *c, int64_t ldc) {
#if defined(__AVX512F__)
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nv; j++) __builtin_prefetch(c + i * ldc + j * VL, 1, 3);
#else
  (void)rows, (void)nv, (void)c, (void)ldc;
#endif
}

/* The tile below this one, while this one is computed: its rows are pages apart, which no CPU foresees. */
ALWAYS_INLINE void ask_for_next_tile(const int rows, const float *c, int64_t ldc) {
#if defined(__aarch64__)
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) __builtin_prefetch(c + (GEMM_MR + i) * ldc, 1, 3);
#else
  (void)rows, (void)c, (void)ldc;
#endif
}

#if !defined(__aarch64__)
/* Rows of A as one step of k reads them: three to an address, which takes a step of one or two rows more without an
 * instruction. Packed, only the first counts. */
enum { ROW_GROUPS = (GEMM_MR + 2) / 3 };
typedef struct micro_rows_at {
  const char *a[ROW_GROUPS];
  int64_t one, two; /* rows, in bytes */
} micro_rows_at;

/* One row of a tile, `nv` vectors wide. Where a product can take its number from memory, a third of the rows do: that
 * is an instruction less, and more of them would have too much loaded. */
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

/* One step of k, the u-th from where the rows are at. */
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
  /* nothing is known of them, so that no sum of them is kept in a register of its own: there are too few */
  if (in_place) __asm__("" : "+r"(at->one), "+r"(at->two));
}
#endif

#if defined(__aarch64__)
/* A whole tile over 4 · `times` steps of k. Written out, because numbers must be on their way while the step before is
 * multiplied, and compilers move sums from register to register when they are asked for that: v0 to v15 are the sums,
 * v24 to v27 and v28 to v31 what two steps read by turns. */
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

/* The tile: ROWS × `nv` vectors of sums over kc steps. a: a panel [kc][MR], with a second one after it where there are
 * more rows than that, or, `in_place`, rows of runs of kc; b: [kc][nv·VL], of each run; meanwhile memory is asked for
 * what is `ahead`. */
ALWAYS_INLINE void micro(const int rows, const int nv, const bool in_place, int64_t kc, const float *restrict a,
                         gemm_runs runs, const float *restrict b, float *restrict c, int64_t ldc, bool accumulate,
                         gemm_ahead ahead) {
#if defined(__aarch64__)
  if (rows == GEMM_MR && kc >= K_STEPS && kc % K_STEPS == 0) {
    ask_for_next_tile(rows, c, ldc);
    micro_whole(kc / K_STEPS, a, b, c, ldc, accumulate, ahead);
    return;
  }
#endif
  vf acc[GEMM_MR_MOST][GEMM_NV]; /* all of it unrolled: the tile lives in registers from here to its stores */
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
  ask_for_next_tile(rows, c, ldc);
#if defined(__aarch64__)
  (void)in_place, (void)runs;
#else
  micro_rows_at at = {.one = runs.row * (int64_t)sizeof(float), .two = 2 * runs.row * (int64_t)sizeof(float)};
  for (int i = 0; i < ROW_GROUPS; i++) at.a[i] = (const char *)(a + 3 * i * runs.row);
#endif
  const int width = nv * VL;
  int64_t k = 0;
#if defined(__AVX512F__)
next_run:
  for (; k + K_STEPS <= kc; k += K_STEPS, b += K_STEPS * width, ahead.at += K_STEPS * ahead.step) {
    ask_for(ahead.at);
    ask_for(ahead.at + 2 * ahead.step);
    if (ahead.step > LINE / 2) ask_for(ahead.at + ahead.step), ask_for(ahead.at + 3 * ahead.step);
#pragma GCC unroll 4
    for (int u = 0; u < K_STEPS; u++) micro_step(rows, nv, in_place, &at, u, b + u * width, acc);
    micro_go_on(in_place, &at, K_STEPS);
  }
#endif
#if defined(__aarch64__)
  const float *second = a + kc * GEMM_MR;
#endif
  for (; k < kc; k++, b += width, ahead.at += ahead.step) {
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
#if defined(__AVX512F__)
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
  case rows: micro(rows, nv, in_place, kc, a, runs, b, c, ldc, accumulate, ahead); return;

ALWAYS_INLINE void micro_rows(int rows, const int nv, const bool in_place, int64_t kc, const float *a, gemm_runs runs,
                              const float *b, float *c, int64_t ldc, bool accumulate, gemm_ahead ahead) {
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
    default: micro(GEMM_MR, nv, in_place, kc, a, runs, b, c, ldc, accumulate, ahead);
  }
  // clang-format on
}

#if defined(__AVX512F__)
#define MICRO_WIDTHS(name, in_place)                                                                       \
  static void name(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c, \
                   int64_t ldc, bool accumulate, gemm_ahead ahead) {                                       \
    switch (nv) {                                                                                          \
      case 1: micro_rows(rows, 1, in_place, kc, a, runs, b, c, ldc, accumulate, ahead); return;            \
      case 2: micro_rows(rows, 2, in_place, kc, a, runs, b, c, ldc, accumulate, ahead); return;            \
      default: micro_rows(rows, GEMM_NV, in_place, kc, a, runs, b, c, ldc, accumulate, ahead);             \
    }                                                                                                      \
  }
MICRO_WIDTHS(micro_packed, false)
MICRO_WIDTHS(micro_in_place, true)

static void micro_any(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead) {
  (runs.row ? micro_in_place : micro_packed)(rows, nv, kc, a, runs, b, c, ldc, accumulate, ahead);
}
#else
static void micro_any(int rows, int nv, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead) {
  (void)nv;
  micro_rows(rows, GEMM_NV, false, kc, a, runs, b, c, ldc, accumulate, ahead);
}
#endif

void TEN_K(gemm_tile_runs)(int rows, int columns, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                           int64_t ldc, bool accumulate, gemm_ahead ahead) {
  if (!ahead.at) ahead.at = a;
  const int width = (int)gemm_padded(columns);
  if (columns == width) {
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
  TEN_K(gemm_tile_runs)(rows, columns, kc, a, one, b, c, ldc, accumulate, ahead);
}

int64_t TEN_K(gemm_packed_size)(int64_t k, int64_t n) { return gemm_padded(n) * k; }

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Four rows of four numbers, turned over in registers: what was a column is stored as a row. */
ALWAYS_INLINE void turn(const float *r0, const float *r1, const float *r2, const float *r3, float *to, int64_t step) {
  const quad x0 = *(const quad *)r0, x1 = *(const quad *)r1, x2 = *(const quad *)r2, x3 = *(const quad *)r3;
  const quad low0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5), high0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
  const quad low1 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5), high1 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
  *(quad *)to = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
  *(quad *)(to + step) = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
  *(quad *)(to + 2 * step) = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
  *(quad *)(to + 3 * step) = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
}

#if defined(__AVX512F__)
/* Sixteen columns of sixteen numbers, each a line of memory that is read once, turned over in registers: by numbers, by
 * pairs, by quarters of a vector. */
ALWAYS_INLINE void turn_lines(const float *from, int64_t column, float *to, int64_t row) {
  vf x[VL], y[VL];
#pragma GCC unroll 16
  for (int i = 0; i < VL; i++) x[i] = vload(from + i * column);
#pragma GCC unroll 16
  for (int i = 0; i < VL; i += 2) {
    y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    y[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
#pragma GCC unroll 16
  for (int i = 0; i < VL; i += 4)
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      x[i + 2 * j] =
          __builtin_shufflevector(y[i + j], y[i + 2 + j], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      x[i + 2 * j + 1] =
          __builtin_shufflevector(y[i + j], y[i + 2 + j], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 4; i++) {
    const vf even0 = __builtin_shufflevector(x[i], x[4 + i], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const vf even1 =
        __builtin_shufflevector(x[8 + i], x[12 + i], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const vf odd0 = __builtin_shufflevector(x[i], x[4 + i], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    const vf odd1 =
        __builtin_shufflevector(x[8 + i], x[12 + i], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    vstore(to + i * row,
           __builtin_shufflevector(even0, even1, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27));
    vstore(to + (4 + i) * row,
           __builtin_shufflevector(odd0, odd1, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27));
    vstore(to + (8 + i) * row,
           __builtin_shufflevector(even0, even1, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31));
    vstore(to + (12 + i) * row,
           __builtin_shufflevector(odd0, odd1, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31));
  }
}
#endif

/* A panel of B whose columns lie in memory one after the other: as many rows at a time as a line holds, or four, turned
 * over in registers. */
static void pack_turned(int64_t k, int64_t width, const float *b, int64_t b_col, float *packed) {
  int64_t r = 0;
#if defined(__AVX512F__)
  for (int64_t j = 0; j < width; j += VL) /* few pages at a time */
    for (r = 0; r + LINE <= k; r += LINE) {
      for (int64_t i = VL; i < 2 * VL; i++) /* columns are too short for a CPU to foresee the next ones */
        __builtin_prefetch(b + (j + i) * b_col + r, 0, 2);
      turn_lines(b + j * b_col + r, b_col, packed + r * width + j, width);
    }
#endif
  for (; r + 4 <= k; r += 4) {
    if (r % LINE == 0)
      for (int64_t j = width; j < 2 * width; j++) __builtin_prefetch(b + j * b_col + r, 0, 2);
    for (int64_t j = 0; j < width; j += 4) {
      const float *from = b + j * b_col + r;
      turn(from, from + b_col, from + 2 * b_col, from + 3 * b_col, packed + r * width + j, width);
    }
  }
  for (; r < k; r++)
    for (int64_t j = 0; j < width; j++) packed[r * width + j] = b[j * b_col + r];
}

/* k rows of one panel, `columns` of them there. */
static void pack_panel(int64_t k, int64_t columns, const float *b, int64_t b_row, int64_t b_col, float *packed) {
  const int64_t width = gemm_padded(columns);
  if (b_row == 1 && columns == width) {
    pack_turned(k, width, b, b_col, packed);
    return;
  }
  for (int64_t r = 0; r < k; r++, packed += width) {
    const float *from = b + r * b_row;
    if (b_col == 1 && columns == width) {
      for (int64_t j = 0; j < width; j += VL) vstore(packed + j, vload(from + j));
      continue;
    }
    for (int64_t j = 0; j < columns; j++) packed[j] = from[j * b_col];
    for (int64_t j = columns; j < width; j++) packed[j] = 0;
  }
}

/* Panels [begin, end) of a B whose rows lie together, all columns there: some rows at a time for all panels, so that
 * memory is read by whole lines, and by few pages at a time. */
static void pack_across(int64_t k, const float *b, int64_t b_row, int64_t begin, int64_t end, float *packed) {
  enum { TOGETHER = 8 };
  for (int64_t k0 = 0; k0 < k; k0 += TOGETHER)
    for (int64_t panel = begin; panel < end; panel++) {
      float *to = packed + (panel * k + k0) * GEMM_NR;
      const float *from = b + k0 * b_row + panel * GEMM_NR;
      for (int64_t r = k0; r < k && r < k0 + TOGETHER; r++, to += GEMM_NR, from += b_row)
        for (int j = 0; j < GEMM_NV; j++) vstore(to + j * VL, vload(from + j * VL));
    }
}

void TEN_K(gemm_pack_b)(int64_t k, int64_t n, const float *b, int64_t b_row, int64_t b_col, int64_t begin, int64_t end,
                        float *packed) {
  enum { PANELS = 32 };
  int64_t whole = end; /* panels before it are NR columns wide, and all of them there */
  while (whole > begin && gemm_columns(n, gemm_panel(n, whole - 1)) < GEMM_NR) whole--;
  for (int64_t next; b_col == 1 && begin < whole; begin = next) {
    next = begin + PANELS < whole ? begin + PANELS : whole;
    pack_across(k, b, b_row, begin, next, packed);
  }
  for (int64_t panel = begin; panel < end && panel < gemm_panels(n); panel++) {
    const int64_t n0 = gemm_panel(n, panel);
    pack_panel(k, gemm_columns(n, n0), b + n0 * b_col, b_row, b_col, packed + n0 * k);
  }
}

void TEN_K(gemm_pack_rows)(const float *const rows[GEMM_MR], int64_t from, int64_t kc, float *packed) {
  enum { TURNED = GEMM_MR / 4 * 4 };
  int64_t k = 0;
  for (; k + 4 <= kc; k += 4) {
    float *to = packed + k * GEMM_MR;
    for (int i = 0; i < TURNED; i += 4)
      turn(rows[i] + from + k, rows[i + 1] + from + k, rows[i + 2] + from + k, rows[i + 3] + from + k, to + i, GEMM_MR);
    for (int i = TURNED; i < GEMM_MR; i++)
      for (int j = 0; j < 4; j++) to[j * GEMM_MR + i] = rows[i][from + k + j];
  }
  for (; k < kc; k++)
    for (int i = 0; i < GEMM_MR; i++) packed[k * GEMM_MR + i] = rows[i][from + k];
}

void TEN_K(gemm_pack_a)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  if (rows == GEMM_MR && a_col == 1) {
    const float *at[GEMM_MR];
    for (int i = 0; i < GEMM_MR; i++) at[i] = a + i * a_row;
    TEN_K(gemm_pack_rows)(at, 0, kc, packed);
    return;
  }
  if (rows == GEMM_MR && a_row == 1) { /* turned over already */
    for (int64_t k = 0; k < kc; k++) memcpy(packed + k * GEMM_MR, a + k * a_col, GEMM_MR * sizeof(float));
    return;
  }
  for (int64_t k = 0; k < kc; k++, packed += GEMM_MR) {
    for (int64_t i = 0; i < rows; i++) packed[i] = a[i * a_row + k * a_col];
    for (int64_t i = rows; i < GEMM_MR; i++) packed[i] = 0;
  }
}

/* rows × kc of A into panels. What lies turned over already is read along its rows, all panels at once, some rows at a
 * time: every line of memory once. */
static void pack_block(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  enum { TOGETHER = 8 };
  int64_t m = 0;
  if (a_row == 1) {
    m = rows / GEMM_MR * GEMM_MR;
    for (int64_t k0 = 0; k0 < kc; k0 += TOGETHER)
      for (int64_t i = 0; i < m; i += GEMM_MR)
        for (int64_t k = k0; k < kc && k < k0 + TOGETHER; k++)
          memcpy(packed + i * kc + k * GEMM_MR, a + k * a_col + i, GEMM_MR * sizeof(float));
  }
  for (; m < rows; m += GEMM_MR)
    TEN_K(gemm_pack_a)(rows - m < GEMM_MR ? rows - m : GEMM_MR, kc, a + m * a_row, a_row, a_col, packed + m * kc);
}

typedef struct gemm_job {
  const ten_gemm *gemm;
  int64_t mc, nc, kc, m_blocks, n_blocks, ldc;
  int64_t tile;  /* where a thread's tile starts in what is its own, in floats; 0: C is kept */
  float *shared; /* all of A, packed: when one block of rows meets several of columns */
  char *own;     /* of each thread, scratch_each bytes */
  size_t scratch_each;
} gemm_job;

static int64_t whole_panels(int64_t columns) { return round_up(columns, GEMM_NR); }

/* Rows that lie a multiple of a page apart share few sets of L1 and L2: packing them is worth it where there are many,
 * and many columns. */
static bool in_place(const ten_gemm *gemm) {
  enum { PAGE = 1024 /* floats */, MANY = 512, FEW = 256 };
  return GEMM_IN_PLACE && gemm->a_col == 1 && gemm->a_row > 0 &&
         (gemm->a_row % PAGE != 0 || gemm->n < MANY || gemm->m <= FEW);
}

/* Rows that are read in place cost nothing to go over again: as many as L2 holds, so that B is read less often. Where
 * L2 keeps all of B, few, so that the epilogue finds them near. */
static int64_t most_panels(const ten_gemm *gemm) {
  if (gemm->block > 0) return gemm->block;
  if (!in_place(gemm) || gemm->direct) return MC_PANELS;
  return gemm->epilogue && gemm->k * gemm->n <= NEAR_B ? MC_NEAR : MC_IN_PLACE;
}

/* Few rows are multiplied by B as it lies (gemm_few.c). */
static bool few(const ten_gemm *g) {
  if (g->a_col != 1 || g->m > FEW_MOST) return false;
  return g->direct ? g->b_row == 1 || g->b_col == 1 : g->m == 1;
}

/* Bytes of all of A, packed, where that is one block of rows. */
static size_t shared_size(const ten_gemm *gemm) {
  const int64_t panels = blocks(gemm->m, GEMM_MR);
  return panels <= most_panels(gemm) ? (size_t)(panels * GEMM_MR * gemm->k) * sizeof(float) + 64 : 0;
}

/* Floats of a task's rows and columns, however they are shared out. */
static int64_t tile_size(const ten_gemm *gemm) {
  const int64_t rows = round_up(gemm->m, GEMM_MR), whole = rows * (whole_panels(gemm->n) + LINE),
                most = (gemm->block > 0 ? gemm->block : MC_IN_PLACE) * GEMM_MR;
  const int64_t block = BLOCK + (NC_MIN + LINE) * (rows < most ? rows : most);
  return round_up(whole < block ? whole : block, LINE);
}

/* Rows first: a block of A is packed once for all the columns it meets, and B is read once for each block of rows. So
 * columns are split before rows are, until a block has few of them. */
static gemm_job job_of(const ten_gemm *gemm, unsigned threads) {
  const int64_t panels = blocks(gemm->m, GEMM_MR), batch = gemm->batch > 1 ? gemm->batch : 1;
  /* Where A is packed once for all, or not at all, small tasks cost little, and even out cores that are not equally
   * fast. */
  const bool once = (in_place(gemm) && !gemm->direct) || (panels <= most_panels(gemm) && batch == 1);
  const int64_t wanted = threads > 1 ? (int64_t)threads * (!once ? 4 : GEMM_IN_PLACE ? 16 : 8) : 1;
  const int64_t least = once && GEMM_IN_PLACE ? GEMM_NR : NC_MIN;
  gemm_job job = {.gemm = gemm, .nc = gemm->n};
  const bool all = few(gemm); /* rows in one block */
  int64_t per = 1;
  if (panels)
    per = all ? panels : blocks(panels, blocks(panels, most_panels(gemm))); /* blocks of rows that are alike */
  for (;;) {
    job.mc = per * GEMM_MR;
    job.m_blocks = blocks(gemm->m, job.mc);
    const int64_t most = BLOCK / job.mc / GEMM_NR * GEMM_NR, tasks = batch * job.m_blocks;
    int64_t n_blocks = blocks(gemm->n, most);
    if (tasks * n_blocks < wanted) n_blocks = blocks(wanted, tasks);
    job.nc = whole_panels(blocks(gemm->n, n_blocks));
    if (job.nc < least) job.nc = least;
    job.n_blocks = blocks(gemm->n, job.nc);
    if (tasks * job.n_blocks * 2 >= wanted || per <= 2 || all) break;
    per = (per + 1) / 2;
  }
  if (batch * job.n_blocks == 1 && job.m_blocks % threads && job.m_blocks > threads) { /* each thread as many */
    job.mc = blocks(panels, (job.m_blocks / threads + 1) * threads) * GEMM_MR;
    job.m_blocks = blocks(gemm->m, job.mc);
  }
  const int64_t slices = gemm->k > KC ? blocks(gemm->k, KC) : 1; /* alike, so that none is short */
  job.kc = slices > 1 ? round_up(blocks(gemm->k, slices), 8) : gemm->k;
  const int64_t packed = in_place(gemm) && !gemm->direct ? 0 : job.mc + (gemm->direct ? GEMM_NR : 0);
  job.ldc = gemm->ldc;
  if (gemm->tile) {
    job.tile = round_up(packed * job.kc + LINE, LINE);
    const int64_t columns = whole_panels(gemm->n);
    job.ldc = (job.nc < columns ? job.nc : columns) + LINE; /* rows that are not a page apart */
  }
  job.scratch_each = (size_t)(gemm->tile ? job.tile + tile_size(gemm) : packed * job.kc) * sizeof(float) + 64;
  job.own = gemm->scratch;
  if (threads > 1 && batch == 1 && job.m_blocks == 1 && job.n_blocks > 1 && !few(gemm) && !in_place(gemm)) {
    job.shared = gemm->scratch;
    job.own += shared_size(gemm);
  }
  return job;
}

/* Enough for any number of threads up to `threads`: blocks are largest when there is only one. And for products by
 * parts: a plan may run on a CPU that has tiles for them. */
size_t TEN_K(gemm_scratch)(const ten_gemm *gemm, unsigned threads) {
  size_t most = job_of(gemm, 1).scratch_each * threads + (threads > 1 && gemm->batch <= 1 ? shared_size(gemm) : 0);
#if defined(__AVX512F__)
  const size_t split = TEN_K(gemm_splits)(gemm) ? TEN_K(gemm_split_scratch)(gemm, threads) : 0;
  if (split > most) most = split;
#endif
  return most;
}

static int64_t task_count(const gemm_job *job) {
  return (job->gemm->batch > 1 ? job->gemm->batch : 1) * job->m_blocks * job->n_blocks;
}

/* The share of the index-th tile in asking for a panel of B that is not packed: a column of it, or, by the first, all
 * rows. */
static gemm_ahead share_lying(const ten_gemm *g, const float *next, int64_t index) {
  if (g->b_row == 1 && index < GEMM_NR) return (gemm_ahead){next + index * g->b_col, 1};
  if (g->b_col == 1 && index == 0) return (gemm_ahead){next, g->b_row};
  return (gemm_ahead){0};
}

/* Where the index-th block of columns starts: with a panel. */
static int64_t block_at(const gemm_job *job, int64_t index) {
  return gemm_panel(job->gemm->n, index * job->nc / GEMM_NR);
}

static void gemm_task(void *context, int64_t index, unsigned thread) {
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t other = gemm_beside(g, task_count(job), &index);
  if (other >= 0) {
    g->beside(g->beside_context, other, thread);
    return;
  }
  float *const own = (float *)(job->own + job->scratch_each * thread);
  const bool lies = in_place(g), across = lies && g->m <= FEW_LYING;
  const int64_t n_block = (across ? index / job->m_blocks : index) % job->n_blocks;
  const int64_t m_block = (across ? index : index / job->n_blocks) % job->m_blocks;
  const int64_t batch = index / job->n_blocks / job->m_blocks;
  const int64_t m0 = m_block * job->mc, n0 = block_at(job, n_block), n1 = block_at(job, n_block + 1),
                likely = ten_pool_next(n_block, job->n_blocks, thread);
  const int64_t m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m, ldc = job->ldc;
  const float *a = g->a + batch * g->a_batch, *b = g->b + batch * g->b_batch;
  float *c = job->tile ? own + job->tile - (m0 * ldc + n0) : g->c + batch * g->c_batch;
  if (!g->k && !g->accumulate)
    for (int64_t m = m0; m < m1; m++) memset(c + m * ldc + n0, 0, (size_t)(n1 - n0) * sizeof(float));
  const bool as_it_lies = few(g);
  if (as_it_lies && g->k) {
    ten_gemm rows = *g;
    rows.ldc = ldc;
    TEN_K(gemm_few)(&rows, a, b, c, n0, n1, job->kc, own);
  }
  for (int64_t k0 = 0; k0 < g->k && !as_it_lies; k0 += job->kc) {
    const int64_t kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
    float *const packed = job->shared ? job->shared + k0 * job->mc : own;
    float *const fresh = job->shared ? own : own + job->mc * kc; /* direct: the panel of B at hand */
    if (!job->shared && !lies) pack_block(m1 - m0, kc, a + m0 * g->a_row + k0 * g->a_col, g->a_row, g->a_col, packed);
    for (int64_t n = n0, width; n < n1; n += width) {
      width = gemm_width(g->n, n);
      const int columns = gemm_columns(g->n, n);
      const float *panel = g->direct ? fresh : b + n * g->k + k0 * width;
      if (g->direct) pack_panel(kc, columns, b + k0 * g->b_row + n * g->b_col, g->b_row, g->b_col, fresh);
      /* what comes next: the panel beside, the first one of the next slice, or of the thread's next task, likely */
      const bool beside = n + width < n1, below = !beside && k0 + kc < g->k;
      const int64_t next_n = beside  ? n + width
                             : below ? n0
                                     : block_at(job, likely),
                    next_k = beside  ? k0
                             : below ? k0 + kc
                                     : 0;
      const float *next =
          b + (g->direct ? next_n * g->b_col + next_k * g->b_row : next_n * g->k + next_k * gemm_width(g->n, next_n));
      for (int64_t m = m0, rows; m < m1; m += rows) {
        rows = m1 - m <= GEMM_MR_MOST ? m1 - m : GEMM_MR;
        const int64_t tile = (m - m0) / GEMM_MR;
        const gemm_ahead ahead = g->direct ? share_lying(g, next, tile)
                                           : TEN_K(gemm_share)(next, tile, (m1 - m0 + GEMM_MR - 1) / GEMM_MR, kc);
        TEN_K(gemm_tile)((int)rows, columns, kc, lies ? a + m * g->a_row + k0 : packed + (m - m0) * kc,
                         lies ? g->a_row : 0, panel, c + m * ldc + n, ldc, k0 > 0 || g->accumulate, ahead);
      }
    }
  }
  if (g->epilogue)
    g->epilogue(g->epilogue_context, c + m0 * ldc + n0, ldc, batch * g->m + m0, batch * g->m + m1, n0, n1);
}

/* Some rows of one slice of k of A, into the place that gemm_task looks for them. */
static void pack_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t k0 = index / PACK_PARTS * job->kc, kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
  const int64_t panels = blocks(g->m, GEMM_MR), part = index % PACK_PARTS;
  const int64_t begin = panels * part / PACK_PARTS * GEMM_MR, stop = panels * (part + 1) / PACK_PARTS * GEMM_MR;
  pack_block((stop < g->m ? stop : g->m) - begin, kc, g->a + begin * g->a_row + k0 * g->a_col, g->a_row, g->a_col,
             job->shared + k0 * job->mc + begin * kc);
}

void TEN_K(gemm_run)(const ten_gemm *gemm, ten_pool *pool) {
  if (gemm->m <= 0 || gemm->n <= 0) return;
  if (!gemm->beside_count && gemm_is_small(gemm)) pool = NULL;
#if defined(__AVX512F__)
  if (gemm->split && TEN_K(gemm_splits)(gemm)) {
    TEN_K(gemm_split_run)(gemm, pool);
    return;
  }
#endif
  gemm_job job = job_of(gemm, ten_pool_threads(pool));
  if (job.shared) ten_pool_run(pool, pack_task, &job, blocks(gemm->k, job.kc) * PACK_PARTS);
  ten_pool_run(pool, gemm_task, &job, gemm->beside_count + task_count(&job));
}
