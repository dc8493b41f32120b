/* bf16_pack.c: packs weights into the panels of bf16.h: matrices, and convolution kernels, through strides. */
#include "backend/cpu/kernels/bf16_rows.h"

/* Rows [k0 + r0, k0 + count) of a panel, columns [j0, columns) of them, read through strides. */
static void pack_some(const void *b, bool narrow, int64_t b_row, int64_t b_col, int64_t j0, int64_t columns, int64_t r0,
                      int64_t k0, int64_t count, uint16_t *panel) {
  for (int64_t j = j0; j < columns; j++)
    for (int64_t r = r0; r < count; r++)
      panel[(k0 + r) / 2 * 2 * BF16_COLUMNS + 2 * j + ((k0 + r) & 1)] = bf16_at(b, narrow, r * b_row + j * b_col);
}

typedef uint32_t pairs __attribute__((vector_size(16), aligned(2), may_alias));

/* Contiguous columns: pairs of their elements are words, transposed four by four in registers. */
static void pack_rows(const void *b, bool narrow, int64_t b_row, int64_t b_col, int64_t columns, int64_t k0,
                      int64_t count, uint16_t *panel) {
  enum { FOUR = 4, EIGHT = 8 };
  int64_t r = 0;
  const int64_t whole = columns / FOUR * FOUR, words = BF16_COLUMNS;
  for (; narrow && b_row == 1 && k0 % 2 == 0 && r + 2 * FOUR <= count; r += 2 * FOUR)
    for (int64_t j = 0; j < whole; j += FOUR) {
      const uint16_t *from = (const uint16_t *)b + j * b_col + r;
      const pairs x0 = *(const pairs *)from, x1 = *(const pairs *)(from + b_col);
      const pairs x2 = *(const pairs *)(from + 2 * b_col), x3 = *(const pairs *)(from + 3 * b_col);
      const pairs low0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5),
                  high0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
      const pairs low1 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5),
                  high1 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
      uint32_t *to = (uint32_t *)panel + (k0 + r) / 2 * words + j;
      *(pairs *)to = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
      *(pairs *)(to + words) = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
      *(pairs *)(to + 2 * words) = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
      *(pairs *)(to + 3 * words) = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
    }
  if (r) pack_some(b, narrow, b_row, b_col, whole, columns, 0, k0, r, panel);
  for (; narrow && b_col == 1 && columns == BF16_COLUMNS && k0 % 2 == 0 && r + 2 <= count; r += 2) /* or by rows */
    for (int64_t j = 0; j < BF16_COLUMNS; j += EIGHT) {
      const uint16_t *from = (const uint16_t *)b + r * b_row + j;
      const oct x = *(const oct *)from, y = *(const oct *)(from + b_row);
      uint16_t *to = panel + (k0 + r) * BF16_COLUMNS + 2 * j;
      *(oct *)to = __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
      *(oct *)(to + EIGHT) = __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
    }
  pack_some(b, narrow, b_row, b_col, 0, columns, r, k0, count, panel);
}

int64_t TEN_K(bf16_packed_size)(int64_t k, int64_t n) { return round_up(k, BF16_K) * round_up(n, BF16_COLUMNS); }

void TEN_K(bf16_pack_b)(int64_t k, int64_t n, const void *b, bool narrow, int64_t b_row, int64_t b_col, int64_t begin,
                        int64_t end, uint16_t *packed) {
  const int64_t size = round_up(k, BF16_K) * BF16_COLUMNS;
  for (int64_t panel = begin; panel < end && panel * BF16_COLUMNS < n; panel++) {
    const int64_t n0 = panel * BF16_COLUMNS, columns = n - n0 < BF16_COLUMNS ? n - n0 : BF16_COLUMNS;
    if (k % BF16_K || columns < BF16_COLUMNS) memset(packed + panel * size, 0, (size_t)size * sizeof *packed);
    pack_rows(element(b, narrow, n0 * b_col), narrow, b_row, b_col, columns, 0, k, packed + panel * size);
  }
}

int64_t TEN_K(bf16_conv_packed_size)(const ten_conv2d *conv) {
  return image_of(conv).k * round_up(conv->co, BF16_COLUMNS);
}

int64_t TEN_K(bf16_conv_pack_units)(const ten_conv2d *conv) { return (conv->co + BF16_COLUMNS - 1) / BF16_COLUMNS; }

void TEN_K(bf16_conv_pack)(const ten_conv2d *c, const void *kernel, bool narrow, const int64_t strides[4],
                           int64_t begin, int64_t end, uint16_t *packed) {
  const image i = image_of(c);
  const bool by_blocks = !i.patches && !i.together; /* blocks of channels, all taps of each */
  const int64_t channels = i.patches ? c->ci : i.channels, row = i.together ? BF16_K : c->kw * channels; /* of taps */
  const int64_t each = by_blocks ? BF16_K : c->ci;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n0 = unit * BF16_COLUMNS, columns = c->co - n0 < BF16_COLUMNS ? c->co - n0 : BF16_COLUMNS;
    uint16_t *panel = packed + unit * i.k * BF16_COLUMNS;
    memset(panel, 0, (size_t)(i.k * BF16_COLUMNS) * sizeof *panel);
    for (int64_t tap = 0; tap < c->kh * c->kw; tap++)
      for (int64_t c0 = 0; c0 < c->ci; c0 += each) {
        const int64_t at = tap / c->kw * strides[0] + tap % c->kw * strides[1] + c0 * strides[2] + n0 * strides[3];
        const int64_t k0 = by_blocks ? c0 * c->kh * c->kw + tap * BF16_K : tap / c->kw * row + tap % c->kw * channels;
        pack_rows(element(kernel, narrow, at), narrow, strides[2], strides[3], columns, k0,
                  c->ci - c0 < each ? c->ci - c0 : each, panel);
      }
  }
}
