/* bf16_amx.c: 32 × 32 sums in four tiles, two tiles of A and two of B a step. The system must be asked for the tiles
 * once a process; a thread sets their shape before it uses them. */
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

static void amx_begin(void) { _tile_loadconfig(&shapes); }

static void amx_end(void) { _tile_release(); }

enum { HALF = BF16_ROWS / 2, B_STRIDE = 4 * BF16_COLUMNS };

static void ask_for(ten_bf16_ahead *ahead) {
  for (int i = 0; i < ahead->lines; i++, ahead->at += 64) _mm_prefetch(ahead->at, _MM_HINT_T1);
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
  for (int64_t i = 0; i < blocks; i++, b += BF16_STEP) {
    ask_for(&ahead);
    _tile_loadd(4, a + offsets[i], stride);
    _tile_loadd(6, b, B_STRIDE);
    _tile_loadd(7, b + BF16_COLUMNS, B_STRIDE);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, a + HALF * row_stride + offsets[i], stride);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c, c_stride);
  _tile_stored(1, c + BF16_COLUMNS / 2, c_stride);
  _tile_stored(2, c + HALF * ldc, c_stride);
  _tile_stored(3, c + HALF * ldc + BF16_COLUMNS / 2, c_stride);
}

const ten_bf16_form ten_bf16_amx = {.name = "amx", .block = amx_block, .begin = amx_begin, .end = amx_end};

bool ten_bf16_amx_allowed(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#endif
