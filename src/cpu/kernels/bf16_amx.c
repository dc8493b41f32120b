/* bf16_amx.c: 32 × 32 sums in four tiles, two tiles of A and two of B a step. The two of A share a register, so that
 * one of the eight stays unused: a core has few registers for tiles beyond those that hold something, and fewer while
 * its other half is busy, when products wait for loads and loads for products (docs/decisions/009). The system must be
 * asked for the tiles once a process; a thread sets their shape before it uses them. */
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

/* Tiles 0 to 3 are sums; 4 is the upper half of A, then the lower; 5 and 6 are B.
 *
 * One step, and the loads of the next where there is one `more`. */
static inline __attribute__((always_inline)) void amx_step(const bool soon, const bool more, const uint16_t *a,
                                                           int64_t stride, const int64_t *offsets, int64_t later,
                                                           const uint16_t *b) {
  const uint16_t *const a_low = a + HALF * (stride / 2), *const b_later = b + STEPS_AHEAD * BF16_STEP;
  _tile_dpbf16ps(0, 4, 5);
  if (soon) ask_for_tile(a + later, stride);
  _tile_dpbf16ps(1, 4, 6);
  _tile_loadd(4, a_low + offsets[0], stride);
  if (soon) ask_for_tile(b_later, LINE);
  _tile_dpbf16ps(2, 4, 5);
  if (more) _tile_loadd(5, b + BF16_STEP, B_STRIDE);
  if (soon) ask_for_tile(a_low + later, stride);
  _tile_dpbf16ps(3, 4, 6);
  if (more) {
    _tile_loadd(4, a + offsets[1], stride);
    _tile_loadd(6, b + BF16_STEP + BF16_COLUMNS, B_STRIDE);
  }
  if (soon) ask_for_tile(b_later + BF16_STEP / 2, LINE);
}

/* Past the last step, the next panel and the first of these rows are what comes. */
static inline __attribute__((always_inline)) void amx_steps(const bool soon, const uint16_t *a, int64_t stride,
                                                            const int64_t *offsets, int64_t blocks, const uint16_t *b,
                                                            ten_bf16_ahead ahead) {
  for (int64_t i = 0; i + 1 < blocks; i++, b += BF16_STEP) {
    ask_for(&ahead);
    amx_step(soon, true, a, stride, offsets + i, offsets[i + STEPS_AHEAD < blocks ? i + STEPS_AHEAD : 0], b);
  }
  ask_for(&ahead);
  amx_step(soon, false, a, stride, offsets + blocks - 1, offsets[0], b);
}

/* Up to 16 rows. */
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
  if (rows <= HALF) {
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
    if (ahead.soon)
      amx_steps(true, a, stride, offsets, blocks, b, ahead);
    else
      amx_steps(false, a, stride, offsets, blocks, b, ahead);
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
