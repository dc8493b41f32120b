/* matmul_block.h: one block of a matmul; included by matmul.c for each accumulator type, with NUM, VEC (a full
 * register), P(name) and COMPLEX (elements are pairs) defined.
 *
 * A slice of A is packed as [panel][k][MR], one of B as [panel][k][NR]; pairs have their real parts first, then their
 * imaginary parts. Every element of C is summed over k in order, whatever its block. */

enum { P(LANES) = sizeof(VEC) / sizeof(NUM), P(NR) = P(LANES) * (COMPLEX ? 1 : 2), P(PARTS) = COMPLEX ? 2 : 1 };
enum { P(LINE) = P(LANES) * sizeof(NUM) < 64 ? 64 / sizeof(NUM) : P(LANES) }; /* a cache line */

/* c: [MC][NC], or for pairs with separate parts per row: [MC][parts][NC]. */
static void P(micro)(int64_t kc, const NUM *a, const NUM *b, NUM *c) {
#if COMPLEX
  VEC re[MR], im[MR];
  for (int i = 0; i < MR; i++) re[i] = *(const VEC *)(c + i * 2 * NC), im[i] = *(const VEC *)(c + i * 2 * NC + NC);
  for (int64_t k = 0; k < kc; k++, a += 2 * MR, b += 2 * P(NR)) {
    const VEC br = *(const VEC *)b, bi = *(const VEC *)(b + P(NR));
#pragma GCC unroll 8
    for (int i = 0; i < MR; i++) {
      re[i] += br * a[i];
      re[i] -= bi * a[MR + i];
      im[i] += bi * a[i];
      im[i] += br * a[MR + i];
    }
  }
  for (int i = 0; i < MR; i++) *(VEC *)(c + i * 2 * NC) = re[i], *(VEC *)(c + i * 2 * NC + NC) = im[i];
#else
  VEC low[MR], high[MR];
#pragma GCC unroll 8
  for (int i = 0; i < MR; i++) low[i] = *(const VEC *)(c + i * NC), high[i] = *(const VEC *)(c + i * NC + P(LANES));
  for (int64_t k = 0; k < kc; k++, a += MR, b += P(NR)) {
    __builtin_prefetch(b + 24 * P(NR));
    const VEC b0 = *(const VEC *)b, b1 = *(const VEC *)(b + P(LANES));
#if defined(__aarch64__)
    VEC av[MR / P(LANES)]; /* a lane of a loaded vector multiplies for free */
#pragma GCC unroll 8
    for (int i = 0; i < MR / P(LANES); i++) av[i] = *(const VEC *)(a + i * P(LANES));
#pragma GCC unroll 8
    for (int i = 0; i < MR; i++) {
      low[i] += b0 * av[i / P(LANES)][i % P(LANES)];
      high[i] += b1 * av[i / P(LANES)][i % P(LANES)];
    }
#else
#pragma GCC unroll 8
    for (int i = 0; i < MR; i++) {
      low[i] += b0 * a[i];
      high[i] += b1 * a[i];
    }
#endif
  }
#pragma GCC unroll 8
  for (int i = 0; i < MR; i++) *(VEC *)(c + i * NC) = low[i], *(VEC *)(c + i * NC + P(LANES)) = high[i];
#endif
}

/* The wider panel stays in L1, the others are streamed. */
static void P(multiply)(int64_t rows, int64_t columns, int64_t kc, const NUM *a, const NUM *b, NUM *c) {
  if ((int)P(NR) <= (int)MR) {
    for (int64_t i = 0; i < rows; i += MR)
      for (int64_t j = 0; j < columns; j += P(NR))
        P(micro)(kc, a + i * kc * P(PARTS), b + j * kc * P(PARTS), c + i * NC * P(PARTS) + j);
    return;
  }
  for (int64_t j = 0; j < columns; j += P(NR))
    for (int64_t i = 0; i < rows; i += MR)
      P(micro)(kc, a + i * kc * P(PARTS), b + j * kc * P(PARTS), c + i * NC * P(PARTS) + j);
}

/* Packing and storing, for each type in memory. */
#define PACKERS(name, FROM)                                                                                           \
  static void P(pack_a_##name)(const ten_matmul *p, const block_rows *r, const void *base, const stretch *s,          \
                               int64_t stretches, void *out) {                                                        \
    const FROM *a = base;                                                                                             \
    NUM *to = out;                                                                                                    \
    for (int64_t i0 = 0; i0 < r->count; i0 += MR)                                                                     \
      for (const stretch *at = s; at < s + stretches; to += at->run * MR * P(PARTS), at++) {                          \
        const FROM *from[MR];                                                                                         \
        bool all = true, together = !COMPLEX;                                                                         \
        for (int64_t i = 0; i < MR; i++) {                                                                            \
          int64_t place = 0;                                                                                          \
          const bool there = i0 + i < r->count && find(p, r, i0 + i, at, &place);                                     \
          from[i] = there ? a + place * P(PARTS) : NULL;                                                              \
          all &= there;                                                                                               \
          together &= all && from[i] == from[0] + i;                                                                  \
        }                                                                                                             \
        if (all && together) {                                                                                        \
          for (int64_t k = 0; k < at->run; k++)                                                                       \
            _Pragma("GCC unroll 8") for (int64_t i = 0; i < MR; i++) to[k * MR + i] = (NUM)from[0][k * p->a_col + i]; \
        } else if (all && !COMPLEX) {                                                                                 \
          for (int64_t k = 0; k < at->run; k++)                                                                       \
            _Pragma("GCC unroll 8") for (int64_t i = 0; i < MR; i++) to[k * MR + i] = (NUM)from[i][k * p->a_col];     \
        } else {                                                                                                      \
          for (int64_t i = 0; i < MR; i++)                                                                            \
            for (int64_t k = 0; k < at->run; k++) {                                                                   \
              const int64_t place = k * p->a_col * P(PARTS);                                                          \
              to[k * MR * P(PARTS) + i] = from[i] ? (NUM)from[i][place] : 0;                                          \
              if (COMPLEX) to[k * MR * P(PARTS) + MR + i] = from[i] ? (NUM)from[i][place + P(PARTS) - 1] : 0;         \
            }                                                                                                         \
        }                                                                                                             \
      }                                                                                                               \
  }                                                                                                                   \
  static void P(pack_b_##name)(const ten_matmul *p, const void *base, int64_t n0, int64_t columns, int64_t k0,        \
                               int64_t kc, void *out) {                                                               \
    const FROM *b = base;                                                                                             \
    for (int64_t k = 0; k < kc; k++) {                                                                                \
      const FROM *at = b + (kernel_at(p, k0 + k) + n0 * p->b_col) * P(PARTS);                                         \
      NUM *to = (NUM *)out + k * P(NR) * P(PARTS);                                                                    \
      for (int64_t j0 = 0; j0 < columns;                                                                              \
           j0 += P(NR), to += P(NR) * kc * P(PARTS), at += P(NR) * p->b_col * P(PARTS)) {                             \
        const int64_t wide = columns - j0 < P(NR) ? columns - j0 : P(NR);                                             \
        if (!COMPLEX && wide == P(NR) && p->b_col == 1) {                                                             \
          _Pragma("GCC unroll 16") for (int64_t j = 0; j < P(NR); j++) to[j] = (NUM)at[j];                            \
          continue;                                                                                                   \
        }                                                                                                             \
        for (int64_t j = 0; j < P(NR); j++) {                                                                         \
          to[j] = j < wide ? (NUM)at[j * p->b_col * P(PARTS)] : 0;                                                    \
          if (COMPLEX) to[P(NR) + j] = j < wide ? (NUM)at[j * p->b_col * P(PARTS) + P(PARTS) - 1] : 0;                \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }

#define STORE(name, TO)                                                                                                \
  static void P(store_##name)(const ten_matmul *p, const block_rows *r, int64_t n0, int64_t columns, const void *from, \
                              void *base) {                                                                            \
    const NUM *c = from;                                                                                               \
    TO *to = base;                                                                                                     \
    for (int64_t i = 0; i < r->count; i++)                                                                             \
      for (int64_t j = 0; j < columns; j++) {                                                                          \
        TO *at = to + (r->out[i] + (n0 + j) * p->c_col) * P(PARTS);                                                    \
        at[0] = (TO)c[i * NC * P(PARTS) + j];                                                                          \
        if (COMPLEX) at[P(PARTS) - 1] = (TO)c[i * NC * P(PARTS) + NC + j];                                             \
      }                                                                                                                \
  }

/* One row: B is read in place, four of its rows at a time over columns whose sums stay in L1, or column by column if
 * those are contiguous. */
#define ROW                                                                                                            \
  static void P(row)(const ten_matmul *p, const void *from_a, const void *from_b, int64_t n0, int64_t columns,         \
                     void *scratch, void *out) {                                                                       \
    const NUM *a = from_a, *b = from_b;                                                                                \
    NUM *c = out, *sums = scratch;                                                                                     \
    if (p->b_col == 1) {                                                                                               \
      memset(sums, 0, (size_t)columns * sizeof *sums);                                                                 \
      int64_t k = 0;                                                                                                   \
      for (; k + 4 <= p->k; k += 4) {                                                                                  \
        const NUM *b0 = b + k * p->b_row + n0, *b1 = b0 + p->b_row, *b2 = b1 + p->b_row, *b3 = b2 + p->b_row;          \
        const NUM *at = a + k * p->a_col, a0 = at[0], a1 = at[p->a_col], a2 = at[2 * p->a_col], a3 = at[3 * p->a_col]; \
        const int64_t ahead = k + 8 <= p->k ? 4 * p->b_row : 0;                                                        \
        int64_t j = 0;                                                                                                 \
        for (; j + P(LINE) <= columns; j += P(LINE)) { /* rows are far apart: the next four are prefetched */          \
          const NUM *const next[4] = {b0 + ahead + j, b1 + ahead + j, b2 + ahead + j, b3 + ahead + j};                 \
          for (int v = 0; v < 4; v++) __builtin_prefetch(next[v]);                                                     \
          for (int v = 0; v < P(LINE); v += P(LANES)) {                                                                \
            VEC *sum = (VEC *)(sums + j + v);                                                                          \
            *sum = *sum + *(const VEC *)(b0 + j + v) * a0 + *(const VEC *)(b1 + j + v) * a1 +                          \
                   *(const VEC *)(b2 + j + v) * a2 + *(const VEC *)(b3 + j + v) * a3;                                  \
          }                                                                                                            \
        }                                                                                                              \
        for (; j < columns; j++) sums[j] = sums[j] + b0[j] * a0 + b1[j] * a1 + b2[j] * a2 + b3[j] * a3;                \
      }                                                                                                                \
      for (; k < p->k; k++)                                                                                            \
        for (int64_t j = 0; j < columns; j++) sums[j] += b[k * p->b_row + n0 + j] * a[k * p->a_col];                   \
      for (int64_t j = 0; j < columns; j++) c[(n0 + j) * p->c_col] = sums[j];                                          \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t j = n0; j < n0 + columns; j++) {                                                                      \
      enum { WIDE = 4 };                                                                                               \
      const NUM *column = b + j * p->b_col;                                                                            \
      VEC part[WIDE] = {{0}, {0}, {0}, {0}};                                                                           \
      int64_t k = 0;                                                                                                   \
      for (; p->b_row == 1 && p->a_col == 1 && k + WIDE * P(LANES) <= p->k; k += WIDE * P(LANES))                      \
        for (int v = 0; v < WIDE; v++)                                                                                 \
          part[v] += *(const VEC *)(a + k + v * P(LANES)) * *(const VEC *)(column + k + v * P(LANES));                 \
      const VEC all = (part[0] + part[1]) + (part[2] + part[3]);                                                       \
      NUM sum = 0;                                                                                                     \
      for (int i = 0; i < P(LANES); i++) sum += all[i];                                                                \
      for (; k < p->k; k++) sum += a[k * p->a_col] * column[k * p->b_row];                                             \
      c[j * p->c_col] = sum;                                                                                           \
    }                                                                                                                  \
  }
