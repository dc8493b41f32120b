/* attention_grad.c: the two kernels of an attention's gradient. A group of threads has 128 queries (or keys) in shared
 * memory, 16 for each warp, and goes over the keys (queries) in blocks of 32, one of which is copied while another is
 * computed with. For a block it computes scores and slopes, the products that weights and their gradient are made of,
 * again by tensor cores (mma.sync), and adds up the products with the block.
 *
 * The kernel for queries goes over the keys twice: first for each row's maximum, sum of exponentials and sum of
 * slope · weight, which it leaves to the kernel for keys. No two groups add to one sum: results do not depend on
 * timing. Weights and the scores' gradient are rounded to 16 bits in two parts, as in attention.c. */
#include "backend/simt/attention.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend/simt/tile_parts.h"

enum { LINES = 128, BLOCK = 32 };

static int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }
/* Bytes from one row in shared memory to the next: 8 of them lie in different banks. */
static int64_t score_pitch(const simt_attention_grad *a) { return a->forward.scores.depth * 2 + 16; }
static int64_t slope_pitch(const simt_attention_grad *a) { return a->slopes.depth * 2 + 16; }

/* Queries or keys. */
static int64_t lines_of(const simt_attention_grad *a, bool keys) {
  return keys ? a->forward.scores.columns : a->forward.scores.rows;
}

int64_t simt_attention_grad_groups(const simt_attention_grad *a, bool by_keys) {
  return a->forward.scores.batch * parts_of(lines_of(a, by_keys), LINES);
}

/* Lines of a block: two wide sums leave few registers for products, and some GPUs have little shared memory. */
static int block_of(const simt_gen *gen, const simt_attention_grad *a, bool by_keys) {
  const size_t whole = (size_t)((LINES + 2 * BLOCK) * (score_pitch(a) + slope_pitch(a)));
  const bool wide = by_keys && a->forward.scores.depth + a->slopes.depth > 192;
  return wide || whole > simt_shared_most(gen) ? BLOCK / 2 : BLOCK;
}

size_t simt_attention_grad_shared(const simt_gen *gen, const simt_attention_grad *a, bool by_keys) {
  return (size_t)((LINES + 2 * block_of(gen, a, by_keys)) * (score_pitch(a) + slope_pitch(a)));
}

/* A kernel: its group's place, and how the two products' operands lie in shared memory. */
typedef struct kernel {
  const simt_attention_grad *a;
  bool by_keys;
  simt_ix batch, first;
  int64_t own, others, blocks; /* lines, and blocks of the others */
  int block;                   /* lines of a block */
} kernel;

static const char *mma_of(const kernel *k) { return k->a->forward.math == SIMT_MMA_BF16 ? "mma_bf16" : "mma_f16"; }

/* `count` lines from `first` on of both products' operands on a side. */
static void emit_copies(simt_gen *gen, const kernel *k, bool keys, int64_t count, simt_ix first, const char *scores,
                        const char *slopes) {
  const simt_attention_grad *a = k->a;
  const int side = keys ? SIMT_RIGHT : SIMT_LEFT;
  const simt_attention_block s = {&a->forward.scores,      side,           false,    count, lines_of(a, keys),
                                  a->forward.scores.depth, score_pitch(a), k->batch, first, scores};
  const simt_attention_block d = {&a->slopes,      side,           false,    count, lines_of(a, keys),
                                  a->slopes.depth, slope_pitch(a), k->batch, first, slopes};
  simt_attention_copy(gen, a->forward.math, &s);
  simt_attention_copy(gen, a->forward.math, &d);
}

/* The others' block of turn `number`, a text, to slot number % 2. */
static void emit_block(simt_gen *gen, const kernel *k, const char *number) {
  const simt_attention_grad *a = k->a;
  const simt_ix first = simt_index_of(simt_define(gen, "i32", "(%s) %% %" PRId64 " * %d", number, k->blocks, k->block));
  simt_line(gen, "u8 *xs = blocks + (%s) %% 2 * %" PRId64 ", *ys = xs + %" PRId64 ";", number,
            k->block * (score_pitch(a) + slope_pitch(a)), k->block * score_pitch(a));
  emit_copies(gen, k, !k->by_keys, k->block, first, "xs", "ys");
}

/* `name`: products of the warp's lines at `own` with the block at `other`. */
static void emit_products(simt_gen *gen, const kernel *k, const char *name, const char *own, const char *other,
                          int64_t depth, int64_t pitch) {
  simt_line(gen, "f32 %s[%d][4];", name, k->block / 8);
  simt_line(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 4; e++) %s[c][e] = 0;", k->block / 8,
            name);
  simt_open(gen, "UNROLL for (i32 k = 0; k < %" PRId64 "; k++)", depth / 16);
  simt_line(gen, "u32 a[4];");
  simt_line(gen, "ldmatrix(a, %s + (warp_row + lane %% 16) * %" PRId64 " + k * 32 + lane / 16 * 16);", own, pitch);
  simt_open(gen, "UNROLL for (i32 c = 0; c < %d; c++)", k->block / 16);
  simt_line(gen, "u32 b[4];");
  simt_line(gen, "ldmatrix(b, %s + (c * 16 + lane %% 8 + lane / 16 * 8) * %" PRId64 " + k * 32 + lane / 8 %% 2 * 16);",
            other, pitch);
  simt_line(gen, "%s(%s[2 * c], a, b[0], b[1]); %s(%s[2 * c + 1], a, b[2], b[3]);", mma_of(k), name, mma_of(k), name);
  simt_close(gen);
  simt_close(gen);
}

/* Opens the loop over a thread's elements of a block, and the condition that one is inside; gives its index. */
static simt_ix *open_elements(simt_gen *gen, const kernel *k, const char *prepare) {
  const simt_contraction *s = &k->a->forward.scores;
  simt_open(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 4; e++)", k->block / 8);
  const uint32_t own = simt_define(gen, "i32", "%s + warp_row + lane / 4 + e / 2 * 8", simt_text(gen, k->first)),
                 other = simt_define(gen, "i32", "part * %d + c * 8 + lane %% 4 * 2 + e %% 2", k->block);
  simt_line(gen, "%s", prepare);
  simt_open(gen, "if (v%u < %" PRId64 " && v%u < %" PRId64 ")", own, k->own, other, k->others);
  simt_ix *index = simt_indices(gen, s->op->results[0].type->rank);
  simt_contraction_result(gen, s, k->batch, simt_index_of(k->by_keys ? other : own),
                          simt_index_of(k->by_keys ? own : other), index);
  return index;
}

static simt_val as_f32(simt_gen *gen, const ten_value *value, const simt_ix *index) {
  return simt_convert(gen, value->type->dtype, TEN_F32, simt_element(gen, value, index));
}

static void bind_f32(simt_gen *gen, const ten_value *value, const char *text) {
  const simt_val number = {simt_define(gen, "f32", "%s", text), 0};
  simt_bind(gen, value, simt_convert(gen, TEN_F32, value->type->dtype, number));
}

/* s and t: what the program makes of the two products; outside of the matrix -inf and 0. */
static void emit_scores(simt_gen *gen, const kernel *k) {
  const simt_attention_grad *a = k->a;
  const simt_ix *index = open_elements(gen, k, "f32 score = f32_of(0xff800000u), slope = 0;");
  bind_f32(gen, &a->forward.scores.op->results[0], "s[c][e]");
  bind_f32(gen, &a->slopes.op->results[0], "t[c][e]");
  simt_line(gen, "score = v%u;", as_f32(gen, a->forward.masked, index).re);
  simt_line(gen, "slope = v%u;", as_f32(gen, a->slope, index).re);
  simt_close(gen);
  simt_line(gen, "s[c][e] = score, t[c][e] = slope;");
  simt_close(gen);
}

/* The first time over the keys: maximum, sum of exponentials, sum of slope · exponential of the thread's rows. */
static void emit_statistics(simt_gen *gen, const kernel *k) {
  simt_open(gen, "UNROLL for (i32 r = 0; r < 2; r++)");
  simt_line(gen, "f32 most = top[r];");
  simt_line(
      gen,
      "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 2; e++) most = f32_max(most, s[c][2 * r + e]);",
      k->block / 8);
  simt_line(gen, "most = f32_max(most, __shfl_xor_sync(0xffffffffu, most, 1));");
  simt_line(gen, "most = f32_max(most, __shfl_xor_sync(0xffffffffu, most, 2));");
  simt_line(gen, "const f32 from = most == f32_of(0xff800000u) ? 0.0f : most, scale = expf(top[r] - from);");
  simt_line(gen, "f32 sum = 0, slopes = 0;");
  simt_open(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 2; e++)", k->block / 8);
  simt_line(gen, "const f32 x = expf(s[c][2 * r + e] - from);");
  simt_line(gen, "sum += x;");
  simt_line(gen, "slopes = fmaf(x, t[c][2 * r + e], slopes);");
  simt_close(gen);
  simt_line(gen, "total[r] = total[r] * scale + sum;");
  simt_line(gen, "mean[r] = mean[r] * scale + slopes;");
  simt_line(gen, "top[r] = most;");
  simt_close(gen);
}

/* Between the two times: those of whole rows, which are stored for the kernel of keys. */
static void emit_rows(simt_gen *gen, const kernel *k, const char *pointer) {
  const simt_contraction *s = &k->a->forward.scores;
  simt_open(gen, "UNROLL for (i32 r = 0; r < 2; r++)");
  for (int reach = 1; reach < 4; reach *= 2) {
    simt_line(gen, "total[r] += __shfl_xor_sync(0xffffffffu, total[r], %d);", reach);
    simt_line(gen, "mean[r] += __shfl_xor_sync(0xffffffffu, mean[r], %d);", reach);
  }
  simt_line(gen, "if (top[r] == f32_of(0xff800000u)) top[r] = 0;");
  simt_line(gen, "total[r] = %s1.0f / total[r];", k->a->forward.zero ? "total[r] == 0 ? 1.0f : " : "");
  simt_line(gen, "mean[r] *= total[r];");
  const uint32_t row = simt_define(gen, "i32", "%s + warp_row + lane / 4 + r * 8", simt_text(gen, k->first));
  simt_open(gen, "if (lane %% 4 == 0 && v%u < %" PRId64 ")", row, s->rows);
  const char *names[] = {"top", "total", "mean"};
  const simt_ix at = simt_add(gen, simt_multiply(gen, k->batch, s->rows), simt_index_of(row));
  for (int i = 0; i < 3; i++)
    simt_line(gen, "%s[%s + %" PRId64 "] = %s[r];", pointer, simt_text(gen, at), i * s->batch * s->rows, names[i]);
  simt_close(gen);
  simt_close(gen);
}

/* A row's maximum, 1 / sum and sum of slopes: the thread's own, or as the kernel of queries has left them. */
static void emit_row_of(simt_gen *gen, const kernel *k) {
  const simt_contraction *s = &k->a->forward.scores;
  if (!k->by_keys) {
    simt_line(gen, "const f32 most = top[e / 2], share = total[e / 2], slopes = mean[e / 2];");
    return;
  }
  const char *names[] = {"most", "share", "slopes"};
  const uint32_t row = simt_define(gen, "i32", "part * %d + c * 8 + lane %% 4 * 2 + e %% 2", k->block);
  const simt_ix at = simt_add(gen, simt_multiply(gen, k->batch, s->rows), simt_index_of(row));
  for (int i = 0; i < 3; i++) {
    const simt_ix place = simt_add(gen, at, simt_number(i * s->batch * s->rows));
    simt_line(gen, "const f32 %s = v%u;", names[i], simt_element(gen, k->a->rows, &place).re);
  }
}

/* s: weights; t: the gradient of the scores' product. */
static void emit_change(simt_gen *gen, const kernel *k) {
  const simt_attention_grad *a = k->a;
  const simt_ix *index = open_elements(gen, k, "f32 weight = 0, change = 0;");
  emit_row_of(gen, k);
  simt_line(gen, "weight = expf(s[c][e] - most) * share;");
  bind_f32(gen, a->weights, "weight");
  bind_f32(gen, a->slope, "t[c][e]");
  bind_f32(gen, a->sum, "slopes");
  simt_line(gen, "change = v%u;", as_f32(gen, a->change, index).re);
  simt_close(gen);
  simt_line(gen, "s[c][e] = weight, t[c][e] = change;");
  simt_close(gen);
}

/* `sums`: plus the products of `left` with the block's lines at `block`, a line's `columns` elements each. */
static void emit_sums(simt_gen *gen, const kernel *k, const char *sums, const char *left, const char *block,
                      int64_t columns, int64_t pitch) {
  const bool bf16 = k->a->forward.math == SIMT_MMA_BF16;
  simt_open(gen, "UNROLL for (i32 k = 0; k < %d; k++)", k->block / 16);
  simt_line(gen, "u32 w[4], rest[4];");
  simt_open(gen, "UNROLL for (i32 i = 0; i < 4; i++)");
  simt_line(gen, "w[i] = rest[i] = 0;");
  simt_open(gen, "UNROLL for (i32 e = 0; e < 2; e++)");
  simt_line(gen, "const f32 x = %s[2 * k + i / 2][i %% 2 * 2 + e];", left);
  simt_line(gen, "const u16 h = (u16)%s(x);", bf16 ? "bf16_bits" : "f16_bits");
  simt_line(gen, "w[i] |= (u32)h << (16 * e);");
  simt_line(gen, "rest[i] |= (u32)(u16)%s(x - %s) << (16 * e);", bf16 ? "bf16_bits" : "f16_bits",
            bf16 ? "f32_of((u32)h << 16)" : "f16_value(h)");
  simt_close(gen);
  simt_close(gen);
  simt_open(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++)", columns / 16);
  simt_line(gen, "u32 b[4];");
  simt_line(gen,
            "ldmatrix_transposed(b, %s + (k * 16 + lane / 8 %% 2 * 8 + lane %% 8) * %" PRId64
            " + (c * 16 + lane / 16 * 8) * 2);",
            block, pitch);
  for (int i = 0; i < 2; i++)
    simt_line(gen, "%s(%s[2 * c], %s, b[0], b[1]); %s(%s[2 * c + 1], %s, b[2], b[3]);", mma_of(k), sums,
              i ? "rest" : "w", mma_of(k), sums, i ? "rest" : "w");
  simt_close(gen);
  simt_close(gen);
}

static void declare_sums(simt_gen *gen, const char *name, int64_t columns) {
  simt_line(gen, "f32 %s[%" PRId64 "][4];", name, columns / 8);
  simt_line(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 4; e++) %s[c][e] = 0;",
            columns / 8, name);
}

/* One of the three results and what is fused with it, to q<parameter> and those after it. */
static void emit_result(simt_gen *gen, const kernel *k, uint32_t which, const char *sums, int64_t columns,
                        uint32_t parameter) {
  const simt_contraction *c = &k->a->of[which].c;
  const ten_value *result = &c->op->results[0];
  simt_open(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 4; e++)", columns / 8);
  const uint32_t line = simt_define(gen, "i32", "%s + warp_row + lane / 4 + e / 2 * 8", simt_text(gen, k->first)),
                 column = simt_define(gen, "i32", "c * 8 + lane %% 4 * 2 + e %% 2"),
                 sum = simt_define(gen, "f32", "%s[c][e]", sums);
  simt_open(gen, "if (v%u < %" PRId64 ")", line, k->own);
  simt_ix *index = simt_indices(gen, result->type->rank);
  const bool right = k->a->of[which].side == SIMT_RIGHT;
  simt_contraction_result(gen, c, k->batch, simt_index_of(right ? column : line), simt_index_of(right ? line : column),
                          index);
  simt_store_outputs_from(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, (simt_val){sum, 0}),
                          k->a->of[which].outputs, k->a->of[which].output_count, parameter);
  simt_close(gen);
  simt_close(gen);
}

static void emit_start(simt_gen *gen, const kernel *k) {
  const simt_attention_grad *a = k->a;
  const int64_t depth = a->forward.scores.depth, width = a->slopes.depth;
  ten_buf_printf(&gen->locals, "  SHARED(%zu);\n", simt_attention_grad_shared(gen, a, k->by_keys));
  simt_line(gen, "u8 *xs_own = shared, *ys_own = xs_own + %" PRId64 ", *blocks = ys_own + %" PRId64 ";",
            LINES * score_pitch(a), LINES * slope_pitch(a));
  simt_line(gen, "const i32 lane = TID %% 32, warp_row = TID / 32 * 16;");
  declare_sums(gen, "by_scores", depth);
  if (k->by_keys) {
    declare_sums(gen, "by_slopes", width);
  } else {
    simt_line(gen, "f32 top[2], total[2], mean[2];");
    simt_line(gen, "UNROLL for (i32 r = 0; r < 2; r++) top[r] = f32_of(0xff800000u), total[r] = mean[r] = 0;");
  }
  emit_copies(gen, k, k->by_keys, LINES, k->first, "xs_own", "ys_own");
  simt_open(gen, "if (true)");
  emit_block(gen, k, "0");
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
}

static void emit_turn(simt_gen *gen, const kernel *k, int64_t turns) {
  const simt_attention_grad *a = k->a;
  const int64_t depth = a->forward.scores.depth, width = a->slopes.depth;
  simt_open(gen, "if (turn + 1 < %" PRId64 ")", turns);
  emit_block(gen, k, "turn + 1");
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_line(gen, "const i32 part = turn %% %" PRId64 ";", k->blocks);
  simt_line(gen, "COPY_WAIT(1);");
  simt_line(gen, "BARRIER;");
  simt_line(gen, "const u8 *xs = blocks + turn %% 2 * %" PRId64 ", *ys = xs + %" PRId64 ";",
            k->block * (score_pitch(a) + slope_pitch(a)), k->block * score_pitch(a));
  emit_products(gen, k, "s", "xs_own", "xs", depth, score_pitch(a));
  emit_products(gen, k, "t", "ys_own", "ys", width, slope_pitch(a));
  emit_scores(gen, k);
  if (!k->by_keys) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "q%u", a->of[SIMT_OF_QUERIES].output_count);
    simt_open(gen, "if (turn < %" PRId64 ")", k->blocks);
    emit_statistics(gen, k);
    simt_close(gen);
    simt_open(gen, "if (turn == %" PRId64 ")", k->blocks - 1);
    emit_rows(gen, k, pointer);
    simt_close(gen);
    simt_open(gen, "if (turn >= %" PRId64 ")", k->blocks);
  }
  emit_change(gen, k);
  emit_sums(gen, k, "by_scores", "t", "xs", depth, score_pitch(a));
  if (k->by_keys) emit_sums(gen, k, "by_slopes", "s", "ys", width, slope_pitch(a));
  if (!k->by_keys) simt_close(gen);
  simt_line(gen, "BARRIER;");
}

void simt_attention_grad_emit(simt_gen *gen, const simt_attention_grad *a, bool by_keys, simt_ix i) {
  kernel k = {.a = a, .by_keys = by_keys, .own = lines_of(a, by_keys), .others = lines_of(a, !by_keys)};
  const int64_t down = parts_of(k.own, LINES);
  k.block = block_of(gen, a, by_keys);
  k.blocks = parts_of(k.others, k.block);
  k.batch = simt_divide(gen, i, down);
  k.first = simt_multiply(gen, simt_modulo(gen, i, down), LINES);
  const int64_t turns = by_keys ? k.blocks : 2 * k.blocks;
  emit_start(gen, &k);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 turn = 0; turn < %" PRId64 "; turn++)", turns);
  emit_turn(gen, &k, turns);
  simt_close(gen);
  emit_result(gen, &k, by_keys ? SIMT_OF_KEYS : SIMT_OF_QUERIES, "by_scores", a->forward.scores.depth, 0);
  if (by_keys) emit_result(gen, &k, SIMT_OF_VALUES, "by_slopes", a->slopes.depth, a->of[SIMT_OF_KEYS].output_count);
  /* With a mask registers do not suffice for two groups. */
  if (a->forward.scores.depth <= 64 && a->slopes.depth <= 64 && !by_keys && gen->reads.count == 4) gen->resident = 2;
}
