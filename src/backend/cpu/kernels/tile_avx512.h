/* tile_avx512.h: the loop over k of a full tile of 8 rows by 48 or 32 columns, in assembly: compilers neither load the
 * operands of a step while the previous one multiplies nor keep a tile's first and last instructions few, which costs
 * 2 to 10 %. zmm8 to zmm31 are the sums, zmm0 to zmm2 and zmm3 to zmm5 the rows of B of alternating steps, zmm6 and
 * zmm7 elements of A. An element of C is summed in the order of k, as in gemm_tile.c. */
#ifndef TEN_CPU_KERNELS_TILE_AVX512_H
#define TEN_CPU_KERNELS_TILE_AVX512_H

#include "backend/cpu/kernels/gemm.h"

/* A macro of this file gets `W`, TILE_48 or TILE_32: whether there is a third vector of columns. */
#define TILE_48(x) x
#define TILE_32(x)

/* Where element (row, k) of A is. */
#define TILE_PACKED(row, k) "32*" #k "+4*" #row "(%[a])"
#define TILE_IN_PLACE(row, k) "4*" #k TILE_ROW_##row
#define TILE_ROW_0 "(%[a])"
#define TILE_ROW_1 "(%[a],%[row])"
#define TILE_ROW_2 "(%[a],%[row],2)"
#define TILE_ROW_3 "(%[a3])"
#define TILE_ROW_4 "(%[a3],%[row])"
#define TILE_ROW_5 "(%[a3],%[row],2)"
#define TILE_ROW_6 "(%[a6])"
#define TILE_ROW_7 "(%[a6],%[row])"
#define TILE_PACKED_ON(steps) "add $32*" #steps ", %[a]\n\t"
#define TILE_IN_PLACE_ON(steps) "add $4*" #steps ", %[a]\n\tadd $4*" #steps ", %[a3]\n\tadd $4*" #steps ", %[a6]\n\t"

#define TILE_FMA(sum, b, a) "vfmadd231ps %%zmm" #b ", %%zmm" #a ", %%zmm" #sum "\n\t"
#define TILE_ROW(W, at, a, b0, b1, b2, x, y, z) \
  "vbroadcastss " at ", %%zmm" #a "\n\t" TILE_FMA(x, b0, a) TILE_FMA(y, b1, a) W(TILE_FMA(z, b2, a))
#define TILE_LOAD_B(W, b0, b1, b2) \
  "vmovups (%[b]), %%zmm" #b0 "\n\tvmovups 64(%[b]), %%zmm" #b1 "\n\t" W("vmovups 128(%[b]), %%zmm" #b2 "\n\t")
#define TILE_NEXT_B "add %[b_row], %[b]\n\t"
#define TILE_EVEN 0, 1, 2
#define TILE_ODD 3, 4, 5
#define TILE_AHEAD "prefetcht1 (%[ahead])\n\tadd %[ahead_step], %[ahead]\n\t"
/* One step of k, `k` steps after the current position; meanwhile `then`. */
#define TILE_STEP(...) TILE_STEP_(__VA_ARGS__)
#define TILE_STEP_(W, A, k, b0, b1, b2, then)                                                          \
  TILE_ROW(W, A(0, k), 6, b0, b1, b2, 8, 9, 10)                                                        \
  TILE_ROW(W, A(1, k), 7, b0, b1, b2, 11, 12, 13)                                                      \
  then TILE_ROW(W, A(2, k), 6, b0, b1, b2, 14, 15, 16) TILE_ROW(W, A(3, k), 7, b0, b1, b2, 17, 18, 19) \
      TILE_ROW(W, A(4, k), 6, b0, b1, b2, 20, 21, 22) TILE_ROW(W, A(5, k), 7, b0, b1, b2, 23, 24, 25)  \
          TILE_ROW(W, A(6, k), 6, b0, b1, b2, 26, 27, 28) TILE_ROW(W, A(7, k), 7, b0, b1, b2, 29, 30, 31)
#define TILE_LOAD_EVEN(W) TILE_LOAD_B(W, 0, 1, 2)
#define TILE_LOAD_ODD(W) TILE_LOAD_B(W, 3, 4, 5)

#define TILE_ZERO(x) "vpxord %%zmm" #x ", %%zmm" #x ", %%zmm" #x "\n\t"
#define TILE_ZEROS(W, x, y, z) TILE_ZERO(x) TILE_ZERO(y) W(TILE_ZERO(z))
#define TILE_FETCH(W, x, y, z)                                  \
  "vmovups (%%rax), %%zmm" #x "\n\tvmovups 64(%%rax), %%zmm" #y \
  "\n\t" W("vmovups 128(%%rax), %%zmm" #z "\n\t") "add %[ldc], %%rax\n\t"
#define TILE_STORE(W, x, y, z)                       \
  "vmovups %%zmm" #x ", (%%rax)\n\tvmovups %%zmm" #y \
  ", 64(%%rax)"                                      \
  "\n\t" W("vmovups %%zmm" #z ", 128(%%rax)\n\t") "add %[ldc], %%rax\n\t"
#define TILE_SUMS(W, how)                                                                                         \
  how(W, 8, 9, 10) how(W, 11, 12, 13) how(W, 14, 15, 16) how(W, 17, 18, 19) how(W, 20, 21, 22) how(W, 23, 24, 25) \
      how(W, 26, 27, 28) how(W, 29, 30, 31)

/* Steps of k that are no multiple of four come first. The last step loads a row of B again, as there is no next one. */
#define TILE_DEFINE(name, W, A, each, per)                                                                               \
  static void name(int64_t kc, const float *a, int64_t a_row, const float *b, int64_t b_row, float *c, int64_t ldc,      \
                   bool accumulate, gemm_ahead next) {                                                                   \
    const float *a3 = a + 3 * a_row, *a6 = a + 6 * a_row;                                                                \
    int64_t fours = kc / 4, rest = kc % 4, row_of_b = b_row * (int64_t)sizeof(float);                                    \
    __asm__ volatile("mov %[c], %%rax\n\tcmpb $0, %[accumulate]\n\tje 1f\n\t" TILE_SUMS(                               \
        W, TILE_FETCH) "jmp 2f\n\t"                                                                                    \
                       "1:\n\t" TILE_SUMS(W, TILE_ZEROS) "2:\n\ttest %[rest], %[rest]\n\tje 4f\n\t"                    \
                       "3:\n\t" TILE_LOAD_EVEN(W) TILE_STEP(W, A, 0, TILE_EVEN, TILE_NEXT_B)                           \
                           A##_ON(1) "dec %[rest]\n\tjne 3b\n\t"                                                       \
                       "4:\n\ttest %[fours], %[fours]\n\tje 6f\n\t" TILE_LOAD_EVEN(W) ".p2align 5\n\t"                 \
                       "5:\n\t" TILE_STEP(W, A, 0, TILE_EVEN, TILE_NEXT_B TILE_LOAD_ODD(W))                            \
                           each TILE_STEP(W, A, 1, TILE_ODD, TILE_NEXT_B TILE_LOAD_EVEN(W))                            \
                       each TILE_STEP(W, A, 2, TILE_EVEN, TILE_NEXT_B TILE_LOAD_ODD(W))                                \
                       each "xor %%eax, %%eax\n\tcmp $1, %[fours]\n\tcmove %%rax, %[b_row]\n\t" TILE_STEP(             \
                           W, A, 3, TILE_ODD, TILE_NEXT_B TILE_LOAD_EVEN(W)) TILE_AHEAD A##_ON(4)                      \
                       "dec %[fours]\n\tjne 5b\n\t"                                                                    \
                       "6:\n\tmov %[c], %%rax\n\t" TILE_SUMS(W, TILE_STORE)                                            \
                     : [a] "+r"(a), [a3] "+r"(a3), [a6] "+r"(a6), [b] "+r"(b), [b_row] "+r"(row_of_b),                 \
                       [fours] "+r"(fours), [rest] "+r"(rest), [ahead] "+r"(next.at)                                   \
                     : [row] "r"(a_row * (int64_t)sizeof(float)), [c] "r"(c), [ldc] "r"(ldc * (int64_t)sizeof(float)), \
                       [ahead_step] "r"(next.step * per * (int64_t)sizeof(float)), [accumulate] "m"(accumulate)              \
                     : "rax", "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9", "zmm10", \
                       "zmm11", "zmm12", "zmm13", "zmm14", "zmm15", "zmm16", "zmm17", "zmm18", "zmm19", "zmm20",       \
                       "zmm21", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30",       \
                       "zmm31", "cc", "memory"); \
  }

TILE_DEFINE(tile_packed_48, TILE_48, TILE_PACKED, "", 4)
TILE_DEFINE(tile_packed_32, TILE_32, TILE_PACKED, "", 4)
TILE_DEFINE(tile_in_place_48, TILE_48, TILE_IN_PLACE, "", 4)
TILE_DEFINE(tile_in_place_32, TILE_32, TILE_IN_PLACE, "", 4)
/* With a prefetch in every step, where few tiles share a panel of B. */
TILE_DEFINE(tile_packed_48_ahead, TILE_48, TILE_PACKED, TILE_AHEAD, 1)
TILE_DEFINE(tile_in_place_48_ahead, TILE_48, TILE_IN_PLACE, TILE_AHEAD, 1)

#endif
