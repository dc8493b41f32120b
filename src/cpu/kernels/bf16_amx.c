/* bf16_amx.c: 32 × 32 sums in four tiles, two tiles of A and two of B a step. Products run in an order that needs every
 * tile as late as it can after its load, which follows at once on the last product that read what was there before: a
 * step begins with the tiles that the step before was done with first. The system must be asked for the tiles once a
 * process; a thread sets their shape before it uses them. */
#include "cpu/kernels/bf16.h"
#include "cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

/* Eight tiles of 16 rows of 64 bytes. A constant: compilers do not know that all of it is read. */
static const _Alignas(64) tile_config shapes = {
    .palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

void ten_amx_begin(void) { _tile_loadconfig(&shapes); }

void ten_amx_end(void) { _tile_release(); }

enum { HALF = BF16_ROWS / 2, B_STRIDE = 4 * BF16_COLUMNS, LINE = 64, STEPS_AHEAD = 2 };

static void ask_for(ten_bf16_ahead *ahead) {
  for (int i = 0; i < ahead->lines; i++, ahead->at += LINE) _mm_prefetch(ahead->at, _MM_HINT_T1);
}

/* The lines of a tile to come, into L1: a load waits for those that are not there one after the other. */
static inline __attribute__((always_inline)) void ask_for_tile(const uint16_t *tile, int64_t row_bytes) {
#pragma GCC unroll 16
  for (int i = 0; i < HALF; i++) _mm_prefetch((const char *)tile + i * row_bytes, _MM_HINT_T0);
}

/* One step, `odd` or not, and the loads of the next. */
static inline __attribute__((always_inline)) void amx_step(const bool odd, const bool soon, const uint16_t *a,
                                                           const uint16_t *a_low, int64_t stride, int64_t next,
                                                           int64_t later, const uint16_t *b) {
  const uint16_t *const b_next = b + BF16_STEP, *const b_later = b + STEPS_AHEAD * BF16_STEP;
  if (odd)
    _tile_dpbf16ps(2, 5, 6);
  else
    _tile_dpbf16ps(0, 4, 6);
  if (soon) ask_for_tile(a + later, stride);
  if (odd)
    _tile_dpbf16ps(0, 4, 6);
  else
    _tile_dpbf16ps(2, 5, 6);
  _tile_loadd(6, b_next, B_STRIDE);
  if (soon) ask_for_tile(b_later, LINE);
  if (odd) {
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(4, a + next, stride);
  } else {
    _tile_dpbf16ps(3, 5, 7);
    _tile_loadd(5, a_low + next, stride);
  }
  if (soon) ask_for_tile(a_low + later, stride);
  if (odd) {
    _tile_dpbf16ps(3, 5, 7);
    _tile_loadd(5, a_low + next, stride);
  } else {
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(4, a + next, stride);
  }
  _tile_loadd(7, b_next + BF16_COLUMNS, B_STRIDE);
  if (soon) ask_for_tile(b_later + BF16_STEP / 2, LINE);
}

/* All steps but the last. Past the last, the next panel and the first of these rows are what comes. */
static inline __attribute__((always_inline)) void amx_steps(const bool soon, const uint16_t *a, const uint16_t *a_low,
                                                            int64_t stride, const int64_t *offsets, int64_t blocks,
                                                            const uint16_t *b, ten_bf16_ahead ahead) {
  for (int64_t i = 0; i + 1 < blocks; i++, b += BF16_STEP) {
    const int64_t later = i + STEPS_AHEAD < blocks ? offsets[i + STEPS_AHEAD] : offsets[0];
    ask_for(&ahead);
    if (i % 2)
      amx_step(true, soon, a, a_low, stride, offsets[i + 1], later, b);
    else
      amx_step(false, soon, a, a_low, stride, offsets[i + 1], later, b);
  }
  ask_for(&ahead);
}

static void amx_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                      int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  const int64_t stride = row_stride * 2, c_stride = ldc * 4;
  _tile_zero(0);
  _tile_zero(1);
  if (rows <= HALF) {
    for (int64_t i = 0; i < blocks; i++, b += BF16_STEP) {
      ask_for(&ahead);
      _tile_loadd(4, a + offsets[i], stride);
      _tile_loadd(6, b, B_STRIDE);
      _tile_loadd(7, b + BF16_COLUMNS, B_STRIDE);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
    }
    _tile_stored(0, c, c_stride);
    _tile_stored(1, c + BF16_COLUMNS / 2, c_stride);
    return;
  }
  _tile_zero(2);
  _tile_zero(3);
  if (blocks > 0) {
    const uint16_t *const a_low = a + HALF * row_stride;
    _tile_loadd(6, b, B_STRIDE);
    _tile_loadd(4, a + offsets[0], stride);
    _tile_loadd(5, a_low + offsets[0], stride);
    _tile_loadd(7, b + BF16_COLUMNS, B_STRIDE);
    if (ahead.soon)
      amx_steps(true, a, a_low, stride, offsets, blocks, b, ahead);
    else
      amx_steps(false, a, a_low, stride, offsets, blocks, b, ahead);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    _tile_dpbf16ps(1, 4, 7);
  }
  _tile_stored(0, c, c_stride);
  _tile_stored(1, c + BF16_COLUMNS / 2, c_stride);
  _tile_stored(2, c + HALF * ldc, c_stride);
  _tile_stored(3, c + HALF * ldc + BF16_COLUMNS / 2, c_stride);
}

const ten_bf16_form ten_bf16_amx = {.name = "amx", .block = amx_block, .begin = ten_amx_begin, .end = ten_amx_end};

bool ten_bf16_amx_allowed(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#endif
