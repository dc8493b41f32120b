/* tables.h: one table for each instruction set that this build has. */
#ifndef TEN_CPU_KERNELS_TABLES_H
#define TEN_CPU_KERNELS_TABLES_H

#include "cpu/kernels/kernels.h"

extern const ten_kernels ten_kernels_generic; /* on aarch64 this is NEON, which every such CPU has */
#if defined(__x86_64__)
extern const ten_kernels ten_kernels_avx2;
extern const ten_kernels ten_kernels_avx512;
#endif

#endif
