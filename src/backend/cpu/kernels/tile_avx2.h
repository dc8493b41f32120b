/* tile_avx2.h: the loop over k of a full tile of 6 rows by 16 columns, in assembly: compilers spend more instructions
 * on addresses than multiply-adds leave time for, where rows of A are read in place. ymm4 to ymm15 are the sums, ymm0
 * and ymm1 a row of B, ymm2 and ymm3 elements of A. An element of C is summed in the order of k, as in gemm_tile.c. */
#ifndef TEN_CPU_KERNELS_TILE_AVX2_H
#define TEN_CPU_KERNELS_TILE_AVX2_H

#include "backend/cpu/kernels/gemm.h"

/* Where element (row, k) of A is. */
#define TILE_PACKED(row, k) "24*" #k "+4*" #row "(%[a])"
#define TILE_IN_PLACE(row, k) "4*" #k TILE_ROW_##row
#define TILE_ROW_0 "(%[a])"
#define TILE_ROW_1 "(%[a],%[row])"
#define TILE_ROW_2 "(%[a],%[row],2)"
#define TILE_ROW_3 "(%[a3])"
#define TILE_ROW_4 "(%[a3],%[row])"
#define TILE_ROW_5 "(%[a3],%[row],2)"
#define TILE_PACKED_ON(steps) "add $24*" #steps ", %[a]\n\t"
#define TILE_IN_PLACE_ON(steps) "add $4*" #steps ", %[a]\n\tadd $4*" #steps ", %[a3]\n\t"

#define TILE_FMA(sum, b, a) "vfmadd231ps %%ymm" #b ", %%ymm" #a ", %%ymm" #sum "\n\t"
#define TILE_ROW(at, a, x, y) "vbroadcastss " at ", %%ymm" #a "\n\t" TILE_FMA(x, 0, a) TILE_FMA(y, 1, a)
#define TILE_AHEAD "prefetcht1 (%[ahead])\n\tadd %[ahead_step], %[ahead]\n\t"
/* One step of k, `k` steps after the current position; meanwhile `then`. */
#define TILE_STEP(A, k, then)                                                                               \
  "vmovups (%[b]), %%ymm0\n\tvmovups 32(%[b]), %%ymm1\n\tadd %[b_row], %[b]\n\t" TILE_ROW(A(0, k), 2, 4, 5) \
      TILE_ROW(A(1, k), 3, 6, 7) then                                                                       \
      TILE_ROW(A(2, k), 2, 8, 9) TILE_ROW(A(3, k), 3, 10, 11) TILE_ROW(A(4, k), 2, 12, 13)                  \
          TILE_ROW(A(5, k), 3, 14, 15)

#define TILE_ZERO(x) "vxorps %%xmm" #x ", %%xmm" #x ", %%xmm" #x "\n\t"
#define TILE_ZEROS(x, y) TILE_ZERO(x) TILE_ZERO(y)
#define TILE_FETCH(x, y) "vmovups (%%rax), %%ymm" #x "\n\tvmovups 32(%%rax), %%ymm" #y "\n\tadd %[ldc], %%rax\n\t"
#define TILE_STORE(x, y) "vmovups %%ymm" #x ", (%%rax)\n\tvmovups %%ymm" #y ", 32(%%rax)\n\tadd %[ldc], %%rax\n\t"
#define TILE_SUMS(how) how(4, 5) how(6, 7) how(8, 9) how(10, 11) how(12, 13) how(14, 15)

/* Steps of k that are no multiple of four come first. */
#define TILE_DEFINE(name, A, each, per)                                                                                  \
  static void name(int64_t kc, const float *a, int64_t a_row, const float *b, int64_t b_row, float *c, int64_t ldc,      \
                   bool accumulate, gemm_ahead next) {                                                                   \
    const float *a3 = a + 3 * a_row;                                                                                     \
    int64_t fours = kc / 4, rest = kc % 4;                                                                               \
    __asm__ volatile("mov %[c], %%rax\n\tcmpb $0, %[accumulate]\n\tje 1f\n\t" TILE_SUMS(TILE_FETCH) "jmp 2f\n\t"       \
                     "1:\n\t" TILE_SUMS(TILE_ZEROS) "2:\n\ttest %[rest], %[rest]\n\tje 4f\n\t"                         \
                     "3:\n\t" TILE_STEP(A, 0, "") A##_ON(1) "dec %[rest]\n\tjne 3b\n\t"                                \
                     "4:\n\ttest %[fours], %[fours]\n\tje 6f\n\t.p2align 5\n\t"                                        \
                     "5:\n\t" TILE_STEP(A, 0, each) TILE_STEP(A, 1, each) TILE_STEP(A, 2, each)                        \
                         TILE_STEP(A, 3, TILE_AHEAD) A##_ON(4) "dec %[fours]\n\tjne 5b\n\t"                            \
                     "6:\n\tmov %[c], %%rax\n\t" TILE_SUMS(TILE_STORE)                                                 \
                     : [a] "+r"(a), [a3] "+r"(a3), [b] "+r"(b), [fours] "+r"(fours), [rest] "+r"(rest),                \
                       [ahead] "+r"(next.at)                                                                           \
                     : [b_row] "r"(b_row * (int64_t)sizeof(float)), [row] "r"(a_row * (int64_t)sizeof(float)),         \
                       [c] "r"(c), [ldc] "r"(ldc * (int64_t)sizeof(float)),                                            \
                       [ahead_step] "r"(next.step * per * (int64_t)sizeof(float)), [accumulate] "m"(accumulate)        \
                     : "rax", "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6", "ymm7", "ymm8", "ymm9", "ymm10", \
                       "ymm11", "ymm12", "ymm13", "ymm14", "ymm15", "cc", "memory"); \
  }

TILE_DEFINE(tile_packed, TILE_PACKED, "", 4)
TILE_DEFINE(tile_in_place, TILE_IN_PLACE, "", 4)
/* With a prefetch in every step, where few tiles share a panel of B. */
TILE_DEFINE(tile_packed_ahead, TILE_PACKED, TILE_AHEAD, 1)
TILE_DEFINE(tile_in_place_ahead, TILE_IN_PLACE, TILE_AHEAD, 1)

#endif
