/* bf16_amx.c: 32 × 32 sums in four tiles, two tiles of A and two of B per step. The two of A share a register, so that
 * one of the eight stays unused: a core has few physical tile registers beyond the architectural ones in use, and fewer
 * while its other hyper-thread is busy, when multiplications and loads stall each other (docs/decisions/009). A process
 * must request the tiles once from the system; a thread configures their shape before use. */
#include "backend/cpu/kernels/amx.h"
#include "backend/cpu/kernels/bf16.h"
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HALF = BF16_ROWS / 2, B_STRIDE = 4 * BF16_COLUMNS, LINE = 64, STEPS_AHEAD = 2, SUMS = 4 };

/* Eight tiles of 16 rows of 64 bytes. A constant: compilers do not know that all of it is read. */
static const _Alignas(64) tile_config shapes = {
    .palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

void ten_amx_begin(void) { _tile_loadconfig(&shapes); }

void ten_amx_end(void) { _tile_release(); }

static void ask_for_lines(ten_bf16_lines *lines) {
  for (int i = 0; i < lines->count; i++, lines->at += LINE) _mm_prefetch(lines->at, _MM_HINT_T1);
}

static void ask_for(ten_bf16_ahead *ahead) {
  ask_for_lines(&ahead->panel);
  ask_for_lines(&ahead->rows);
}

/* Prefetches the lines of a later tile into L1: a tile load waits for missing lines one after the other. */
static inline __attribute__((always_inline)) void ask_for_tile(const uint16_t *tile, int64_t row_bytes) {
#pragma GCC unroll 16
  for (int i = 0; i < HALF; i++) _mm_prefetch((const char *)tile + i * row_bytes, _MM_HINT_T0);
}

/* Whether the core's other hyper-thread is idle, and when that was measured. While it is, loads from L2 arrive in time
 * by themselves, and prefetching every line takes as long as the multiplications; while it is not, prefetches pay
 * (docs/decisions/011). */
static _Thread_local bool calm;
static _Thread_local int64_t looked_at;

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Times multiplications in seven registers, each with a load: 6 ns, or 16 and more while the sibling is busy. */
static void look_around(void) {
  enum { STEPS = 12, PRODUCTS = 4, CALM_NS = 11 /* per multiplication */ };
  static const _Alignas(LINE) uint8_t tile[HALF * LINE];
  int64_t took = 0;
  for (int look = 0; look < 2; look++) { /* the first warms the cache */
    const int64_t start = now_ns();
    for (int i = 0; i < STEPS; i++) {
      _tile_dpbf16ps(0, 4, 5);
      _tile_dpbf16ps(1, 4, 6);
      _tile_loadd(4, tile, LINE);
      _tile_dpbf16ps(2, 4, 5);
      _tile_loadd(5, tile, LINE);
      _tile_dpbf16ps(3, 4, 6);
      _tile_loadd(4, tile, LINE);
      _tile_loadd(6, tile, LINE);
    }
    _Alignas(LINE) uint8_t sums[HALF * LINE]; /* waits for them */
    _tile_stored(3, sums, LINE);
    took = now_ns() - start;
  }
  calm = took < STEPS * PRODUCTS * CALM_NS;
}

/* Rows of a tile of A and of sums, since a multiplication takes a cycle per row: half a block's, or a small block's. */
static _Thread_local int half;

static bool bf16_begin(int rows) {
  enum { AGAIN_NS = 1000000 }; /* it changes within milliseconds */
  ten_amx_begin();
  const int64_t now = now_ns();
  if (now - looked_at >= AGAIN_NS) {
    look_around();
    looked_at = now;
  }
  half = rows > HALF ? (rows + 1) / 2 : rows;
  if (half == HALF) return calm;
  _Alignas(LINE) tile_config fewer = shapes;
  for (int i = 0; i <= SUMS; i++) fewer.rows[i] = (uint8_t)half;
  AMX_CONFIGURE(&fewer);
  return calm;
}

/* Tiles 0 to 3 are sums; 4 is the upper half of A, then the lower; 5 and 6 are B.
 *
 * One step, and the loads of the next if there is one (`more`). */
static inline __attribute__((always_inline)) void amx_step(const bool ask_a, const bool ask_b, const bool more,
                                                           const uint16_t *a, int64_t stride, const int64_t *offsets,
                                                           int64_t later, const uint16_t *b) {
  const uint16_t *const a_low = a + half * (stride / 2), *const b_later = b + STEPS_AHEAD * BF16_STEP;
  _tile_dpbf16ps(0, 4, 5);
  if (ask_a) ask_for_tile(a + later, stride);
  _tile_dpbf16ps(1, 4, 6);
  _tile_loadd(4, a_low + offsets[0], stride);
  if (ask_b) ask_for_tile(b_later, LINE);
  _tile_dpbf16ps(2, 4, 5);
  if (more) _tile_loadd(5, b + BF16_STEP, B_STRIDE);
  if (ask_a) ask_for_tile(a_low + later, stride);
  _tile_dpbf16ps(3, 4, 6);
  if (more) {
    _tile_loadd(4, a + offsets[1], stride);
    _tile_loadd(6, b + BF16_STEP + BF16_COLUMNS, B_STRIDE);
  }
  if (ask_b) ask_for_tile(b_later + BF16_STEP / 2, LINE);
}

/* After the last step, the next panel and the first of these rows follow. */
static inline __attribute__((always_inline)) void amx_steps(const bool ask_a, const bool ask_b, const uint16_t *a,
                                                            int64_t stride, const int64_t *offsets, int64_t blocks,
                                                            const uint16_t *b, ten_bf16_ahead ahead) {
  for (int64_t i = 0; i + 1 < blocks; i++, b += BF16_STEP) {
    ask_for(&ahead);
    amx_step(ask_a, ask_b, true, a, stride, offsets + i, offsets[i + STEPS_AHEAD < blocks ? i + STEPS_AHEAD : 0], b);
  }
  ask_for(&ahead);
  amx_step(ask_a, ask_b, false, a, stride, offsets + blocks - 1, offsets[0], b);
}

/* Computes up to half of the rows. */
static void amx_half_block(const uint16_t *a, int64_t stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                           float *c, int64_t c_stride, ten_bf16_ahead ahead) {
  _tile_zero(0);
  _tile_zero(1);
  for (int64_t i = 0; i < blocks; i++, b += BF16_STEP) {
    ask_for(&ahead);
    _tile_loadd(4, a + offsets[i], stride);
    _tile_loadd(5, b, B_STRIDE);
    _tile_loadd(6, b + BF16_COLUMNS, B_STRIDE);
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 6);
  }
  _tile_stored(0, c, c_stride);
  _tile_stored(1, c + BF16_COLUMNS / 2, c_stride);
}

static void amx_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                      int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  const int64_t stride = row_stride * 2, c_stride = ldc * 4;
  if (rows <= half) {
    amx_half_block(a, stride, offsets, blocks, b, c, c_stride, ahead);
    return;
  }
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (blocks > 0) {
    _tile_loadd(4, a + offsets[0], stride);
    _tile_loadd(5, b, B_STRIDE);
    _tile_loadd(6, b + BF16_COLUMNS, B_STRIDE);
    const bool ask_a = ahead.soon && (ahead.far_a || !calm), ask_b = ahead.soon && !calm;
    if (ask_a && ask_b)
      amx_steps(true, true, a, stride, offsets, blocks, b, ahead);
    else if (ask_a)
      amx_steps(true, false, a, stride, offsets, blocks, b, ahead);
    else if (ask_b)
      amx_steps(false, true, a, stride, offsets, blocks, b, ahead);
    else
      amx_steps(false, false, a, stride, offsets, blocks, b, ahead);
  }
  _tile_stored(0, c, c_stride);
  _tile_stored(1, c + BF16_COLUMNS / 2, c_stride);
  _tile_stored(2, c + half * ldc, c_stride);
  _tile_stored(3, c + half * ldc + BF16_COLUMNS / 2, c_stride);
}

const ten_bf16_form ten_bf16_amx = {.name = "amx", .block = amx_block, .begin = bf16_begin, .end = ten_amx_end};

bool ten_bf16_amx_allowed(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#endif
