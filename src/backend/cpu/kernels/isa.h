/* isa.h: the instruction set that a kernel source is compiled for. Each source is compiled once per set, with TEN_ISA
 * naming it and the compiler's flags enabling it; vectors are compiler vector types, as wide as the set's registers. */
#ifndef TEN_CPU_KERNELS_ISA_H
#define TEN_CPU_KERNELS_ISA_H

#include <stdint.h>

#ifndef TEN_ISA
#define TEN_ISA generic
#endif
#define TEN_K_PASTE(name, isa) ten_##name##_##isa
#define TEN_K_EXPAND(name, isa) TEN_K_PASTE(name, isa)
#define TEN_K(name) TEN_K_EXPAND(name, TEN_ISA)

#if defined(__AVX512F__)
/* Eight rows by three vectors need few instructions per multiply-add, which matters when two threads share a core, and
 * leave registers for loads. */
#define GEMM_MR_VALUE 8
enum { VL = 16, GEMM_MR = GEMM_MR_VALUE, GEMM_NV = 3 };
#elif defined(__AVX2__)
#define GEMM_MR_VALUE 6
enum { VL = 8, GEMM_MR = GEMM_MR_VALUE, GEMM_NV = 2 };
#elif defined(__aarch64__)
#define GEMM_MR_VALUE 8
enum { VL = 4, GEMM_MR = GEMM_MR_VALUE, GEMM_NV = 2 };
#else
#define GEMM_MR_VALUE 4
enum { VL = 4, GEMM_MR = GEMM_MR_VALUE, GEMM_NV = 2 };
#endif
#if defined(__AVX2__)
enum { GEMM_NR = VL * GEMM_NV, GEMM_NARROW = VL /* panel widths are multiples of it */ };
#else
enum { GEMM_NR = VL * GEMM_NV, GEMM_NARROW = GEMM_NR };
#endif

typedef float vf __attribute__((vector_size(VL * sizeof(float)), may_alias));
typedef float vfu
    __attribute__((vector_size(VL * sizeof(float)), aligned(4), may_alias)); /* for unaligned loads and stores */

static inline vf vload(const float *at) { return *(const vfu *)at; }
static inline void vstore(float *at, vf value) { *(vfu *)at = value; }
static inline vf vsplat(float value) { return value - (vf){0}; }

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE int64_t blocks(int64_t size, int64_t each) { return (size + each - 1) / each; }
ALWAYS_INLINE int64_t round_up(int64_t size, int64_t to) { return blocks(size, to) * to; }

#endif
