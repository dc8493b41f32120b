/* move.c: a tensor with its dimensions in another order: tiles that fit L1, read along the dimension that lies together
 * in the input and written along the one that does in the output. */
#include <string.h>

#include "cpu/kernels/gemm.h"

enum { TILE = 16 };

#define TURN(name, TYPE)                                                                                      \
  static void name(const TYPE *restrict from, int64_t step, TYPE *restrict to, int64_t to_step, int64_t rows, \
                   int64_t columns) {                                                                         \
    int64_t r = 0;                                                                                            \
    for (; r + TILE <= rows; r += TILE)                                                                       \
      for (int64_t c = 0; c < columns; c++)                                                                   \
        for (int64_t i = 0; i < TILE; i++) to[(r + i) + c * to_step] = from[(r + i) * step + c];              \
    for (; r < rows; r++)                                                                                     \
      for (int64_t c = 0; c < columns; c++) to[r + c * to_step] = from[r * step + c];                         \
  }
TURN(turn1, uint8_t)
TURN(turn2, uint16_t)
TURN(turn4, uint32_t)
TURN(turn8, uint64_t)

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

void TEN_K(move_run)(const ten_move *m, const void *from, void *to, int64_t begin, int64_t end) {
  const uint32_t last = m->rank - 1, q = m->near;
  const size_t bytes = m->bytes;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t in = 0, out = 0, rest = unit, first = 0;
    for (uint32_t d = last; d-- > 0;) { /* all dimensions of the output but the last; of `near` a block */
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
    const int64_t columns = m->dims[q] - first < TEN_MOVE_BLOCK ? m->dims[q] - first : TEN_MOVE_BLOCK;
    turn(bytes, source, m->in_steps[last], target, m->out_steps[q], m->dims[last], columns);
  }
}
