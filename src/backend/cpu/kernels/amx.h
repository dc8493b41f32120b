/* amx.h: the shapes of AMX's tiles. A process must request the tiles once from the system (ten_bf16_amx_allowed); a
 * thread configures their shape before use. */
#ifndef TEN_CPU_KERNELS_AMX_H
#define TEN_CPU_KERNELS_AMX_H

#include <stdint.h>

typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

/* Compilers do not know that the instruction reads all of it. */
#define AMX_CONFIGURE(config)                \
  do {                                       \
    __asm__ volatile("" : : "m"(*(config))); \
    _tile_loadconfig(config);                \
  } while (0)

#endif
