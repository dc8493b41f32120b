/* tables.h: the tables, and the forms of products by bf16, there are, one for each set of instructions compiled in. */
#ifndef TEN_CPU_KERNELS_TABLES_H
#define TEN_CPU_KERNELS_TABLES_H

#include "backend/cpu/kernels/kernels.h"

extern const ten_kernels ten_kernels_generic;
#if defined(__x86_64__)
extern const ten_kernels ten_kernels_avx2, ten_kernels_avx512;
extern const ten_bf16_form ten_bf16_amx, ten_bf16_avx512;
extern const ten_split_form ten_split_amx;
/* Asks the system for the tiles; false when it has none. */
bool ten_bf16_amx_allowed(void);
/* Around what uses them, on its thread. */
void ten_amx_begin(void), ten_amx_end(void);
#elif defined(__aarch64__)
extern const ten_bf16_form ten_bf16_neon;
#endif

#endif
