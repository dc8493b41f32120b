/* tables.h: the kernel tables and the forms of bf16 and 8-bit matmuls, one for each instruction set compiled in. */
#ifndef TEN_CPU_KERNELS_TABLES_H
#define TEN_CPU_KERNELS_TABLES_H

#include "backend/cpu/kernels/kernels.h"

extern const ten_kernels ten_kernels_generic;
#if defined(__x86_64__)
extern const ten_kernels ten_kernels_avx2, ten_kernels_avx512;
extern const ten_bf16_form ten_bf16_amx, ten_bf16_avx512;
extern const ten_int8_form ten_int8_amx, ten_int8_vnni, ten_int8_avx2;
extern const ten_split_form ten_split_amx;
/* Requests the tiles from the system; false if unavailable. */
bool ten_bf16_amx_allowed(void);
/* Around their use, on the thread that uses them. */
void ten_amx_begin(void), ten_amx_end(void);
#elif defined(__aarch64__)
extern const ten_bf16_form ten_bf16_neon;
extern const ten_int8_form ten_int8_dotprod, ten_int8_i8mm;
#endif

#endif
