/* matmul_bytes.h: matmuls of signed or unsigned bytes by the 4-way dot product instruction (aarch64); included by
 * matmul.c. Slices are packed as [panel][k / 4][rows or columns][4], k zero-padded. */
#include <arm_neon.h>
#include <sys/auxv.h>

#define HAS_BYTES 1
#define DOT __attribute__((target("arch=armv8.2-a+dotprod")))
enum { FOUR = 4, BYTES_NR = 8 };

static bool has_bytes(void) {
  enum { ASIMDDP = 1 << 20 };
  return getauxval(AT_HWCAP) & ASIMDDP;
}

static void bytes_pack_a(const ten_matmul *p, const block_rows *r, const void *base, const stretch *s,
                         int64_t stretches, void *out) {
  const uint8_t *a = base;
  int64_t kc = 0;
  for (int64_t i = 0; i < stretches; i++) kc += s[i].run;
  const int64_t fours = (kc + FOUR - 1) / FOUR;
  uint8_t *panel = out;
  for (int64_t i0 = 0; i0 < r->count; i0 += MR, panel += fours * FOUR * MR) {
    memset(panel, 0, (size_t)(fours * FOUR * MR));
    for (int64_t i = 0; i < MR && i0 + i < r->count; i++) {
      int64_t k = 0;
      for (const stretch *at = s; at < s + stretches; k += at->run, at++) {
        int64_t place = 0;
        if (!find(p, r, i0 + i, at, &place)) continue;
        int64_t done = 0;
        if (p->a_col == 1 && k % FOUR == 0)
          for (; done + FOUR <= at->run; done += FOUR)
            memcpy(panel + ((k + done) / FOUR * MR + i) * FOUR, a + place + done, FOUR);
        for (; done < at->run; done++)
          panel[((k + done) / FOUR * MR + i) * FOUR + (k + done) % FOUR] = a[place + done * p->a_col];
      }
    }
  }
}

static void bytes_pack_b(const ten_matmul *p, const void *base, int64_t n0, int64_t columns, int64_t k0, int64_t kc,
                         void *out) {
  const uint8_t *b = base;
  const int64_t panel = (kc + FOUR - 1) / FOUR * FOUR * BYTES_NR;
  for (int64_t k = 0; k < kc; k += FOUR) {
    const uint8_t *row[FOUR];
    for (int64_t i = 0; i < FOUR; i++) row[i] = k + i < kc ? b + kernel_at(p, k0 + k + i) + n0 * p->b_col : NULL;
    uint8_t *to = (uint8_t *)out + k * BYTES_NR;
    for (int64_t j0 = 0; j0 < columns; j0 += BYTES_NR, to += panel) {
      if (row[FOUR - 1] && p->b_col == 1 && j0 + BYTES_NR <= columns) {
        const uint8x8x4_t four = {
            {vld1_u8(row[0] + j0), vld1_u8(row[1] + j0), vld1_u8(row[2] + j0), vld1_u8(row[3] + j0)}};
        vst4_u8(to, four);
        continue;
      }
      for (int64_t j = 0; j < BYTES_NR; j++)
        for (int64_t i = 0; i < FOUR; i++)
          to[j * FOUR + i] = row[i] && j0 + j < columns ? row[i][(j0 + j) * p->b_col] : 0;
    }
  }
}

#define BYTES_MULTIPLY(name, VEC, SUMS, LOAD, TYPE, DOT_LANE)                                                      \
  DOT static void name(int64_t rows, int64_t columns, int64_t kc, const void *packed_a, const void *packed_b,      \
                       void *sums) {                                                                               \
    const int64_t fours = (kc + FOUR - 1) / FOUR;                                                                  \
    for (int64_t j = 0; j < columns; j += BYTES_NR)                                                                \
      for (int64_t i = 0; i < rows; i += MR) {                                                                     \
        const TYPE *a = (const TYPE *)packed_a + i * fours * FOUR, *b = (const TYPE *)packed_b + j * fours * FOUR; \
        uint32_t *c = (uint32_t *)sums + i * NC + j;                                                               \
        SUMS low[MR], high[MR];                                                                                    \
        _Pragma("GCC unroll 8") for (int n = 0; n < MR; n++) {                                                     \
          low[n] = *(const SUMS *)(c + n * NC);                                                                    \
          high[n] = *(const SUMS *)(c + n * NC + 4);                                                               \
        }                                                                                                          \
        for (int64_t k = 0; k < fours; k++, a += MR * FOUR, b += BYTES_NR * FOUR) {                                \
          const VEC a0 = LOAD(a), a1 = LOAD(a + 16), b0 = LOAD(b), b1 = LOAD(b + 16);                              \
          DOT_LANE(0, a0, 0);                                                                                      \
          DOT_LANE(1, a0, 1);                                                                                      \
          DOT_LANE(2, a0, 2);                                                                                      \
          DOT_LANE(3, a0, 3);                                                                                      \
          DOT_LANE(4, a1, 0);                                                                                      \
          DOT_LANE(5, a1, 1);                                                                                      \
          DOT_LANE(6, a1, 2);                                                                                      \
          DOT_LANE(7, a1, 3);                                                                                      \
        }                                                                                                          \
        _Pragma("GCC unroll 8") for (int n = 0; n < MR; n++) {                                                     \
          *(SUMS *)(c + n * NC) = low[n];                                                                          \
          *(SUMS *)(c + n * NC + 4) = high[n];                                                                     \
        }                                                                                                          \
      }                                                                                                            \
  }
#define SIGNED_LANE(row, from, lane) \
  low[row] = vdotq_laneq_s32(low[row], b0, from, lane), high[row] = vdotq_laneq_s32(high[row], b1, from, lane)
#define UNSIGNED_LANE(row, from, lane) \
  low[row] = vdotq_laneq_u32(low[row], b0, from, lane), high[row] = vdotq_laneq_u32(high[row], b1, from, lane)
BYTES_MULTIPLY(signed_multiply, int8x16_t, int32x4_t, vld1q_s8, int8_t, SIGNED_LANE)
BYTES_MULTIPLY(unsigned_multiply, uint8x16_t, uint32x4_t, vld1q_u8, uint8_t, UNSIGNED_LANE)
