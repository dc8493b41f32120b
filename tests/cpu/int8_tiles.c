/* int8_tiles.c: the int8 kernel for AMX with its tiles written out in C, for CPUs that have AVX-512 but no tiles.
 * Whatever the instructions would refuse ends the test. */
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels/tables.h"

enum { TILE_COUNT = 8, TILE_ROWS = 16, TILE_BYTES = 64, CONFIG_BYTES = 64 };
static _Thread_local struct {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} shapes;
static _Thread_local uint8_t tiles[TILE_COUNT][TILE_ROWS][TILE_BYTES];

static void require(int holds) {
  if (!holds) abort();
}

static void tile_configure(const void *config) {
  memcpy(&shapes, config, CONFIG_BYTES);
  memset(tiles, 0, sizeof tiles);
  require(shapes.palette == 1);
  for (int i = 0; i < TILE_COUNT; i++) require(shapes.rows[i] <= TILE_ROWS && shapes.row_bytes[i] <= TILE_BYTES);
}

static void tile_load(int to, const void *from, int64_t stride) {
  require(shapes.rows[to] > 0);
  memset(tiles[to], 0, sizeof tiles[to]);
  for (int r = 0; r < shapes.rows[to]; r++) memcpy(tiles[to][r], (const char *)from + r * stride, shapes.row_bytes[to]);
}

static void tile_store(int from, void *to, int64_t stride) {
  for (int r = 0; r < shapes.rows[from]; r++) memcpy((char *)to + r * stride, tiles[from][r], shapes.row_bytes[from]);
}

static void tile_multiply(int sums, int a, int b) {
  const int columns = shapes.row_bytes[sums] / 4, depth = shapes.row_bytes[a];
  require(shapes.rows[sums] == shapes.rows[a] && depth == 4 * shapes.rows[b] && shapes.row_bytes[b] == 4 * columns);
  for (int r = 0; r < shapes.rows[a]; r++)
    for (int j = 0; j < columns; j++) {
      uint32_t sum;
      memcpy(&sum, &tiles[sums][r][4 * j], sizeof sum);
      for (int k = 0; k < depth; k++) sum += (uint32_t)(tiles[a][r][k] * (int8_t)tiles[b][k / 4][4 * j + k % 4]);
      memcpy(&tiles[sums][r][4 * j], &sum, sizeof sum);
    }
}

static void tile_end(void) {}

#undef _tile_loadconfig
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#define _tile_loadconfig tile_configure
#define _tile_loadd tile_load
#define _tile_stored tile_store
#define _tile_dpbusd tile_multiply
#define ten_amx_end tile_end
#define ten_int8_amx test_int8_tiles
#define ten_int8_vnni (*ten_kernels_named("avx512")->int8_portable)
extern const ten_int8_form ten_int8_amx;
#include "../../src/backend/cpu/kernels/int8_amx.c"
