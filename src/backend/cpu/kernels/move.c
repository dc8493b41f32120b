/* move.c: transposes a tensor: in tiles that fit L1, read along the contiguous dimension of the input and written along
 * that of the output. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

enum { TILE = 16 };

/* Prefetches a strip: rows are pages apart, which hardware prefetchers miss, and the work on one hides few misses. */
ALWAYS_INLINE void prefetch_strip(const void *at, int64_t bytes) {
  enum { LINE = 64 };
  for (int64_t i = 0; i < bytes; i += LINE) __builtin_prefetch((const char *)at + i, 0, 3);
}

/* A tile is read row by row, each cache line once: rows a power of two apart conflict in cache sets. */
#define TURN(name, TYPE)                                                                                      \
  static void name(const TYPE *restrict from, int64_t step, TYPE *restrict to, int64_t to_step, int64_t rows, \
                   int64_t columns) {                                                                         \
    TYPE tile[TILE][TEN_MOVE_BLOCK];                                                                          \
    int64_t r = 0;                                                                                            \
    for (; r + TILE <= rows; r += TILE) {                                                                     \
      for (int64_t i = 0; i < TILE; i++) {                                                                    \
        prefetch_strip(from + (r + i + TILE) * step, columns * (int64_t)sizeof(TYPE));                        \
        if (columns == TEN_MOVE_BLOCK)                                                                        \
          memcpy(tile[i], from + (r + i) * step, sizeof tile[i]);                                             \
        else                                                                                                  \
          memcpy(tile[i], from + (r + i) * step, (size_t)columns * sizeof(TYPE));                             \
      }                                                                                                       \
      for (int64_t c = 0; c < columns; c++)                                                                   \
        for (int64_t i = 0; i < TILE; i++) to[(r + i) + c * to_step] = tile[i][c];                            \
    }                                                                                                         \
    for (; r < rows; r++)                                                                                     \
      for (int64_t c = 0; c < columns; c++) to[r + c * to_step] = from[r * step + c];                         \
  }
TURN(turn1, uint8_t)
TURN(turn2, uint16_t)
TURN(turn4, uint32_t)
TURN(turn8, uint64_t)

/* Interleaves few rows, such as a picture's colours, in long runs. */
#define ZIP_ROWS(count)                                                               \
  case count:                                                                         \
    for (int64_t c = 0; c < columns; c++)                                             \
      for (int64_t r = 0; r < (count); r++) to[c * (count) + r] = from[r * step + c]; \
    break;
#define ZIP(name, TYPE)                                                                                         \
  static void name(const TYPE *restrict from, int64_t step, TYPE *restrict to, int64_t rows, int64_t columns) { \
    switch (rows) {                                                                                             \
      ZIP_ROWS(2)                                                                                               \
      ZIP_ROWS(3)                                                                                               \
      ZIP_ROWS(4)                                                                                               \
    }                                                                                                           \
  }
enum { ZIP_MOST = 4 };
ZIP(zip1, uint8_t)
ZIP(zip2, uint16_t)
ZIP(zip4, uint32_t)
ZIP(zip8, uint64_t)

static void zip(size_t bytes, const char *from, int64_t step, char *to, int64_t rows, int64_t columns) {
  switch (bytes) {
    case 1: zip1((const uint8_t *)from, step, (uint8_t *)to, rows, columns); break;
    case 2: zip2((const uint16_t *)from, step, (uint16_t *)to, rows, columns); break;
    case 4: zip4((const uint32_t *)from, step, (uint32_t *)to, rows, columns); break;
    default: zip8((const uint64_t *)from, step, (uint64_t *)to, rows, columns);
  }
}

/* Element [r, c] at from[r·step + c] goes to to[c·to_step + r]. */
static void turn(size_t bytes, const char *from, int64_t step, char *to, int64_t to_step, int64_t rows,
                 int64_t columns) {
  switch (bytes) {
    case 1: turn1((const uint8_t *)from, step, (uint8_t *)to, to_step, rows, columns); break;
    case 2: turn2((const uint16_t *)from, step, (uint16_t *)to, to_step, rows, columns); break;
    case 4: turn4((const uint32_t *)from, step, (uint32_t *)to, to_step, rows, columns); break;
    default: turn8((const uint64_t *)from, step, (uint64_t *)to, to_step, rows, columns);
  }
}

/* Short rows of the output, such as the taps of a kernel: `count` neighbours along the second-to-last dimension are
 * gathered, so that writes are contiguous. */
enum { SHORT_ROW = 36, GATHERED = 72 };
#define GATHER(name, TYPE)                                                                                            \
  static void name(const ten_move *m, const TYPE *restrict from, TYPE *restrict to, int64_t count, int64_t columns) { \
    const uint32_t last = m->rank - 1;                                                                                \
    const int64_t size = m->dims[last], width = count * size;                                                         \
    TYPE tile[TEN_MOVE_BLOCK][GATHERED];                                                                              \
    for (int64_t u = 0; u < count; u++)                                                                               \
      for (int64_t r = 0; r < size; r++) {                                                                            \
        const TYPE *at = from + u * m->in_steps[last - 1] + r * m->in_steps[last];                                    \
        TYPE *put = &tile[0][u * size + r];                                                                           \
        prefetch_strip(at + m->in_steps[last - 1], columns * (int64_t)sizeof(TYPE));                                  \
        if (columns == TEN_MOVE_BLOCK)                                                                                \
          for (int64_t c = 0; c < TEN_MOVE_BLOCK; c++) put[c * GATHERED] = at[c];                                     \
        else                                                                                                          \
          for (int64_t c = 0; c < columns; c++) put[c * GATHERED] = at[c];                                            \
      }                                                                                                               \
    for (int64_t c = 0; c < columns; c++)                                                                             \
      memcpy(to + c * m->out_steps[m->near], tile[c], (size_t)width * sizeof(TYPE));                                  \
  }
GATHER(gather1, uint8_t)
GATHER(gather2, uint16_t)
GATHER(gather4, uint32_t)
GATHER(gather8, uint64_t)

static void gather(const ten_move *m, const char *from, char *to, int64_t count, int64_t columns) {
  switch (m->bytes) {
    case 1: gather1(m, (const uint8_t *)from, (uint8_t *)to, count, columns); break;
    case 2: gather2(m, (const uint16_t *)from, (uint16_t *)to, count, columns); break;
    case 4: gather4(m, (const uint32_t *)from, (uint32_t *)to, count, columns); break;
    default: gather8(m, (const uint64_t *)from, (uint64_t *)to, count, columns);
  }
}

/* How many units from this one on are neighbours along the second-to-last dimension, and fit. */
static int64_t neighbours(const ten_move *m, int64_t unit, int64_t end) {
  const int64_t size = m->dims[m->rank - 2], left = size - unit % size, most = GATHERED / m->dims[m->rank - 1];
  const int64_t count = left < end - unit ? left : end - unit;
  return count < most ? count : most;
}

void TEN_K(move_run)(const ten_move *m, const void *from, void *to, int64_t begin, int64_t end) {
  const uint32_t last = m->rank - 1, q = m->near;
  const size_t bytes = m->bytes;
  /* strips that are adjacent in both are merged */
  const bool zips = q + 1 == last && m->dims[last] <= ZIP_MOST && m->out_steps[q] == m->dims[last];
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t in = 0, out = 0, rest = unit, first = 0;
    for (uint32_t d = last; d-- > 0;) { /* all dimensions of the output but the last; blocks of `near` */
      const int64_t size = d == q ? (m->dims[d] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK : m->dims[d], at = rest % size;
      rest /= size;
      if (d == q) first = at * TEN_MOVE_BLOCK;
      in += (d == q ? first : at) * m->in_steps[d];
      out += (d == q ? first : at) * m->out_steps[d];
    }
    const char *source = (const char *)from + in * (int64_t)bytes;
    char *target = (char *)to + out * (int64_t)bytes;
    if (q == last) { /* rows stay rows */
      memcpy(target, source, (size_t)m->dims[last] * bytes);
      continue;
    }
    if (zips) {
      const int64_t more = (end - unit) * TEN_MOVE_BLOCK, left = m->dims[q] - first,
                    columns = left < more ? left : more;
      zip(bytes, source, m->in_steps[last], target, m->dims[last], columns);
      unit += (columns + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK - 1;
      continue;
    }
    const int64_t columns = m->dims[q] - first < TEN_MOVE_BLOCK ? m->dims[q] - first : TEN_MOVE_BLOCK;
    if (q + 1 < last && m->dims[last] > 0 && m->dims[last] <= SHORT_ROW) {
      const int64_t count = neighbours(m, unit, end);
      gather(m, source, target, count, columns);
      unit += count - 1;
      continue;
    }
    turn(bytes, source, m->in_steps[last], target, m->out_steps[q], m->dims[last], columns);
  }
}
