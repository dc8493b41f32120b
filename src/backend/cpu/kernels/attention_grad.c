/* attention_grad.c: the gradient of softmax(scale · q·kᵀ)·v with respect to q, k and v, in f32, without materializing
 * the scores.
 *
 * A unit is one batch: keys and values are packed once, then, for each block of ROWS queries, the scores and the
 * gradient of the weights are computed together, converted to the weights and the gradient of the scores in one pass
 * over each row while both are in L2, and multiplied into the results, which are written in place. Gradients of keys
 * and values accumulate over the blocks in order: bit-identical for any number of threads. */
#include "backend/cpu/kernels/attention.h"

enum { ROWS = TEN_ATTENTION_GRAD_ROWS };

/* Packs rows × k of A as panels [k][MR]. */
static void pack_left(int64_t rows, int64_t k, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  for (int64_t r = 0; r < rows; r += GEMM_MR)
    TEN_K(gemm_pack_a)(rows - r < GEMM_MR ? rows - r : GEMM_MR, k, a + r * a_row, a_row, a_col, packed + r * k);
}

static void pack_right(int64_t k, int64_t columns, const float *b, int64_t b_row, int64_t b_col, float *packed) {
  TEN_K(gemm_pack_b)(k, columns, b, b_row, b_col, 0, gemm_panels(columns), packed);
}

/* Prefetch state for the next unit: rows of all four operands, some at a time, during the matmuls of this one. */
typedef struct wishes {
  const ten_attention_grad *a;
  const float *from[TEN_GRAD_INPUTS];
  int64_t next; /* row, counted over all operands */
} wishes;

static void wish(wishes *w) {
  enum { TOGETHER = 4 };
  const int64_t n = w->a->n;
  for (int i = 0; i < TOGETHER && w->next < n * TEN_GRAD_INPUTS; i++, w->next++) {
    const int64_t of = w->next / n, row = w->next % n;
    if (w->a->column[of] == 1)
      attention_ask(w->from[of], w->a->row[of] * (int64_t)sizeof(float), row, row + 1,
                    w->a->d * (int64_t)sizeof(float));
  }
}

/* c = a·b, or c += a·b: a in panels, or rows a_row apart. */
static void multiply(int64_t rows, int64_t columns, int64_t k, const float *a, int64_t a_row, const float *b, float *c,
                     int64_t ldc, bool accumulate, wishes *w) {
  for (int64_t n = 0; n < columns; n += gemm_width(columns, n))
    for (int64_t r = 0; r < rows; r += GEMM_MR) {
      wish(w);
      TEN_K(gemm_tile)(rows - r < GEMM_MR ? (int)(rows - r) : GEMM_MR, gemm_columns(columns, n), k,
                       a + r * (a_row ? a_row : k), a_row, b + n * k, c + r * ldc + n, ldc, accumulate,
                       (gemm_ahead){0});
    }
}

/* row = scale · row; returns its maximum. */
static float scaled(float *row, int64_t count, float scale) {
  vf top = vsplat(-INFINITY);
  int64_t i = 0;
  for (; i + VL <= count; i += VL) {
    const vf x = vload(row + i) * vsplat(scale);
    vstore(row + i, x);
    top = larger(x, top);
  }
  float best = largest_lane(top);
  for (; i < count; i++) {
    row[i] *= scale;
    best = row[i] > best ? row[i] : best;
  }
  return best;
}

/* Replaces a row of scores by its softmax, and the gradient of that by the gradient of the scores. */
static void through_softmax(float *restrict weights, float *restrict grad, int64_t count, float scale) {
  const float top = scaled(weights, count, scale);
  const float share = 1 / exponentials(weights, count, top == -INFINITY ? 0 : top);
  vf sum = vsplat(0);
  int64_t i = 0;
  for (; i + VL <= count; i += VL) {
    const vf p = vload(weights + i) * vsplat(share);
    vstore(weights + i, p);
    sum += p * vload(grad + i);
  }
  float along = sum_of_lanes(sum);
  for (; i < count; i++) {
    weights[i] *= share;
    along += weights[i] * grad[i];
  }
  for (i = 0; i + VL <= count; i += VL)
    vstore(grad + i, vload(weights + i) * ((vload(grad + i) - vsplat(along)) * vsplat(scale)));
  for (; i < count; i++) grad[i] = weights[i] * ((grad[i] - along) * scale);
}

void TEN_K(attention_grad_run)(const ten_attention_grad *a, const float *const in[4], float *out, float *scratch,
                               int64_t begin, int64_t end) {
  const int64_t n = a->n, d = a->d, ld = ten_attention_grad_row(a);
  const bool lies = GEMM_IN_PLACE;
  float *keys = scratch, *values = keys + d * (n + TEN_PANEL_MOST), *keys_by_row = values + d * (n + TEN_PANEL_MOST),
        *left = keys_by_row + n * (d + TEN_PANEL_MOST),
        *right = left + (ROWS + TEN_PANEL_MOST) * ((n > d ? n : d) + TEN_PANEL_MOST),
        *weights = right + ROWS * (d + TEN_PANEL_MOST), *grad = weights + ROWS * ld;
  for (int64_t unit = begin; unit < end; unit++) {
    const float *x[4];
    for (int i = 0; i < 4; i++) x[i] = in[i] + a->offset[i] + attention_offset(a->batch, a->strides[i], unit);
    wishes w = {.a = a, .next = unit + 1 < end ? 0 : n * TEN_GRAD_INPUTS};
    for (int i = 0; i < TEN_GRAD_INPUTS && unit + 1 < end; i++)
      w.from[i] = in[i] + a->offset[i] + attention_offset(a->batch, a->strides[i], unit + 1);
    const float *q = x[TEN_GRAD_Q], *k = x[TEN_GRAD_K], *v = x[TEN_GRAD_V], *g = x[TEN_GRAD_OUT];
    float *to = out + attention_offset(a->batch, a->out_batch, unit), *dq = to, *dk = to + a->out_part,
          *dv = dk + a->out_part;
    const int64_t q_row = a->row[TEN_GRAD_Q], q_col = a->column[TEN_GRAD_Q], k_row = a->row[TEN_GRAD_K],
                  k_col = a->column[TEN_GRAD_K], g_row = a->row[TEN_GRAD_OUT], g_col = a->column[TEN_GRAD_OUT];
    pack_right(d, n, k, k_col, k_row, keys);
    pack_right(d, n, v, a->column[TEN_GRAD_V], a->row[TEN_GRAD_V], values);
    pack_right(n, d, k, k_row, k_col, keys_by_row);
    for (int64_t r0 = 0; r0 < n; r0 += ROWS) {
      const int64_t rows = n - r0 < ROWS ? n - r0 : ROWS;
      const float *q0 = q + r0 * q_row, *g0 = g + r0 * g_row;
      pack_left(rows, d, q0, q_row, q_col, left);
      multiply(rows, n, d, left, 0, keys, weights, ld, false, &w);
      pack_left(rows, d, g0, g_row, g_col, left);
      multiply(rows, n, d, left, 0, values, grad, ld, false, &w);
      for (int64_t r = 0; r < rows; r++) through_softmax(weights + r * ld, grad + r * ld, n, a->scale);
      if (!lies) pack_left(rows, n, grad, ld, 1, left);
      multiply(rows, d, n, lies ? grad : left, lies ? ld : 0, keys_by_row, dq + r0 * a->out_row, a->out_row, false, &w);
      pack_left(n, rows, grad, 1, ld, left);
      pack_right(rows, d, q0, q_row, q_col, right);
      multiply(n, d, rows, left, 0, right, dk, a->out_row, r0 > 0, &w);
      pack_left(n, rows, weights, 1, ld, left);
      pack_right(rows, d, g0, g_row, g_col, right);
      multiply(n, d, rows, left, 0, right, dv, a->out_row, r0 > 0, &w);
    }
  }
}
