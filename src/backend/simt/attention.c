/* attention.c: the kernel of an attention. A warp has 16 rows: its queries, the products with a block of keys and the
 * sums over values are in its registers, where each thread has two rows of every product (mma.sync's layout). Blocks of
 * keys and values come through shared memory, one is copied while another is computed with.
 *
 * A row's maximum and sum are brought up to date block by block. Weights are exp(score - maximum), rounded to 16 bits
 * for the tensor cores; where the program computes with f32 weights, what rounding takes away is multiplied, too. A row
 * whose scores are all -inf gives NaN, as dividing by its sum does, or zeros where the program says so. */
#include "backend/simt/attention.h"

#include <inttypes.h>

#include "backend/simt/tile_parts.h"

enum { ROWS = 128, KEYS = 32 };

static int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }
/* Bytes from one row in shared memory to the next: 8 of them lie in different banks. */
static int64_t key_pitch(const simt_attention *a) { return a->scores.depth * 2 + 16; }
static int64_t value_pitch(const simt_attention *a) { return a->result.columns * 2 + 16; }

int64_t simt_attention_groups(const simt_attention *a) { return a->scores.batch * parts_of(a->scores.rows, ROWS); }

size_t simt_attention_shared(const simt_attention *a) {
  return (size_t)(ROWS * key_pitch(a) + 2 * KEYS * (key_pitch(a) + value_pitch(a)));
}

void simt_attention_copy(simt_gen *gen, simt_math math, const simt_attention_block *b) {
  const ten_dtype wanted = math == SIMT_MMA_BF16 ? TEN_BF16 : TEN_F16;
  const ten_value *lane = simt_contraction_lane(gen, b->c, b->side, !b->across, 8), *source;
  const bool vectors = lane && lane->type->dtype == wanted;
  const int64_t step = vectors ? 8 : 1, across = b->width / step;
  simt_line(gen, "UNROLL4");
  simt_share_out(gen, b->rows * across);
  const uint32_t row = simt_define(gen, "i32", "(i32)(e / %" PRId64 "u)", across),
                 column = simt_define(gen, "i32", "(i32)(e %% %" PRId64 "u * %" PRId64 "u)", across, step);
  const simt_ix line = simt_add(gen, b->first, simt_index_of(row));
  ten_buf inside = {0};
  ten_buf_printf(&inside, "%s < %" PRId64, simt_text(gen, line), b->most);
  const ten_value *value = ten_op_operand(b->c->op, (uint32_t)b->side);
  simt_ix *at = simt_indices(gen, value->type->rank);
  simt_contraction_at(gen, b->c, b->side, b->batch, b->across ? simt_index_of(column) : line,
                      b->across ? line : simt_index_of(column), at, &inside);
  if (vectors) {
    const simt_ix place = simt_follow(gen, value, at, &source);
    simt_line(gen, "COPY16(%s + v%u * %" PRId64 " + v%u * 2, p%u + %s, %s);", b->to, row, b->pitch, column,
              simt_parameter(gen, source), simt_text(gen, place), inside.data);
  } else {
    const simt_var element = simt_var_new(gen, TEN_F32, simt_zero(gen, TEN_F32));
    simt_open(gen, "if (%s)", inside.data);
    simt_set(gen, &element, simt_convert(gen, value->type->dtype, TEN_F32, simt_element(gen, value, at)));
    simt_close(gen);
    simt_line(gen, "*(u16 *)(%s + v%u * %" PRId64 " + v%u * 2) = (u16)%s(v%u);", b->to, row, b->pitch, column,
              wanted == TEN_BF16 ? "bf16_bits" : "f16_bits", element.at.re);
  }
  ten_buf_free(&inside);
  simt_close(gen);
  simt_close(gen);
}

/* Keys and values of the block whose number is `number`, a text, to slot number % 2. */
static void emit_keys(simt_gen *gen, const simt_attention *a, simt_ix batch, const char *number) {
  const simt_ix first = simt_index_of(simt_define(gen, "i32", "(%s) * %d", number, KEYS));
  simt_line(gen, "u8 *ks = keys + (%s) %% 2 * %" PRId64 ", *vs = values + (%s) %% 2 * %" PRId64 ";", number,
            KEYS * key_pitch(a), number, KEYS * value_pitch(a));
  const simt_attention_block k = {&a->scores,      SIMT_RIGHT,   false, KEYS,  a->scores.columns,
                                  a->scores.depth, key_pitch(a), batch, first, "ks"};
  const simt_attention_block v = {&a->result,        SIMT_RIGHT,     true,  KEYS,  a->result.depth,
                                  a->result.columns, value_pitch(a), batch, first, "vs"};
  simt_attention_copy(gen, a->math, &k);
  simt_attention_copy(gen, a->math, &v);
}

static const char *mma_of(const simt_attention *a) { return a->math == SIMT_MMA_BF16 ? "mma_bf16" : "mma_f16"; }

/* s: products of the warp's rows with the keys of the block. */
static void emit_products(simt_gen *gen, const simt_attention *a) {
  simt_line(gen, "f32 s[%d][4];", KEYS / 8);
  simt_line(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 4; e++) s[c][e] = 0;", KEYS / 8);
  simt_open(gen, "UNROLL for (i32 k = 0; k < %" PRId64 "; k++) UNROLL for (i32 c = 0; c < %d; c++)",
            a->scores.depth / 16, KEYS / 16);
  simt_line(gen, "u32 b[4];");
  simt_line(gen, "ldmatrix(b, ks + (c * 16 + lane %% 8 + lane / 16 * 8) * %" PRId64 " + k * 32 + lane / 8 %% 2 * 16);",
            key_pitch(a));
  simt_line(gen, "%s(s[2 * c], q[k], b[0], b[1]); %s(s[2 * c + 1], q[k], b[2], b[3]);", mma_of(a), mma_of(a));
  simt_close(gen);
}

/* s: what the program makes of the products, and -inf outside. */
static void emit_scores(simt_gen *gen, const simt_attention *a, simt_ix batch, simt_ix first) {
  const ten_value *product = &a->scores.op->results[0];
  simt_open(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 4; e++)", KEYS / 8);
  const uint32_t row = simt_define(gen, "i32", "%s + warp_row + lane / 4 + e / 2 * 8", simt_text(gen, first)),
                 key = simt_define(gen, "i32", "part * %d + c * 8 + lane %% 4 * 2 + e %% 2", KEYS),
                 sum = simt_define(gen, "f32", "s[c][e]");
  const simt_var score = simt_var_new(gen, TEN_F32, (simt_val){simt_define(gen, "f32", "f32_of(0xff800000u)"), 0});
  simt_open(gen, "if (v%u < %" PRId64 " && v%u < %" PRId64 ")", row, a->scores.rows, key, a->scores.columns);
  simt_ix *index = simt_indices(gen, product->type->rank);
  simt_contraction_result(gen, &a->scores, batch, simt_index_of(row), simt_index_of(key), index);
  simt_bind(gen, product, simt_convert(gen, TEN_F32, product->type->dtype, (simt_val){sum, 0}));
  simt_set(gen, &score, simt_element(gen, a->masked, index));
  simt_close(gen);
  simt_line(gen, "s[c][e] = v%u;", score.at.re);
  simt_close(gen);
}

/* s: weights; o: scaled to the new maximum. */
static void emit_weights(simt_gen *gen, const simt_attention *a) {
  simt_open(gen, "UNROLL for (i32 r = 0; r < 2; r++)");
  simt_line(gen, "f32 most = top[r];");
  simt_line(
      gen,
      "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 2; e++) most = f32_max(most, s[c][2 * r + e]);",
      KEYS / 8);
  simt_line(gen, "most = f32_max(most, __shfl_xor_sync(0xffffffffu, most, 1));");
  simt_line(gen, "most = f32_max(most, __shfl_xor_sync(0xffffffffu, most, 2));");
  simt_line(gen, "const f32 from = most == f32_of(0xff800000u) ? 0.0f : most, scale = expf(top[r] - from);");
  simt_line(gen, "f32 sum = 0;");
  simt_open(gen, "UNROLL for (i32 c = 0; c < %d; c++) UNROLL for (i32 e = 0; e < 2; e++)", KEYS / 8);
  simt_line(gen, "s[c][2 * r + e] = expf(s[c][2 * r + e] - from);");
  simt_line(gen, "sum += s[c][2 * r + e];");
  simt_close(gen);
  simt_line(gen, "total[r] = total[r] * scale + sum;");
  simt_line(gen, "top[r] = most;");
  simt_line(gen,
            "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 2; e++) o[c][2 * r + e] *= scale;",
            a->result.columns / 8);
  simt_close(gen);
}

/* o: plus the weights' products with the values of the block. */
static void emit_sums(simt_gen *gen, const simt_attention *a) {
  const char *bits = a->math == SIMT_MMA_BF16 ? "bf16_bits" : "f16_bits",
             *back = a->math == SIMT_MMA_BF16 ? "f32_of((u32)h << 16)" : "f16_value(h)";
  simt_open(gen, "UNROLL for (i32 k = 0; k < %d; k++)", KEYS / 16);
  simt_line(gen, "u32 w[4]%s;", a->narrow ? "" : ", rest[4]");
  simt_open(gen, "UNROLL for (i32 i = 0; i < 4; i++)");
  simt_line(gen, "w[i] = 0;%s", a->narrow ? "" : " rest[i] = 0;");
  simt_open(gen, "UNROLL for (i32 e = 0; e < 2; e++)");
  simt_line(gen, "const f32 x = s[2 * k + i / 2][i %% 2 * 2 + e];");
  simt_line(gen, "const u16 h = (u16)%s(x);", bits);
  simt_line(gen, "w[i] |= (u32)h << (16 * e);");
  if (!a->narrow) simt_line(gen, "rest[i] |= (u32)(u16)%s(x - %s) << (16 * e);", bits, back);
  simt_close(gen);
  simt_close(gen);
  simt_open(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++)", a->result.columns / 16);
  simt_line(gen, "u32 b[4];");
  simt_line(gen,
            "ldmatrix_transposed(b, vs + (k * 16 + lane / 8 %% 2 * 8 + lane %% 8) * %" PRId64
            " + (c * 16 + lane / 16 * 8) * 2);",
            value_pitch(a));
  for (int i = 0; i < (a->narrow ? 1 : 2); i++)
    simt_line(gen, "%s(o[2 * c], %s, b[0], b[1]); %s(o[2 * c + 1], %s, b[2], b[3]);", mma_of(a), i ? "rest" : "w",
              mma_of(a), i ? "rest" : "w");
  simt_close(gen);
  simt_close(gen);
}

static void emit_results(simt_gen *gen, const simt_attention *a, simt_ix batch, simt_ix first,
                         const ten_value *const *outputs, uint32_t count) {
  const ten_value *result = &a->result.op->results[0];
  simt_open(gen, "UNROLL for (i32 r = 0; r < 2; r++)");
  simt_line(gen, "total[r] += __shfl_xor_sync(0xffffffffu, total[r], 1);");
  simt_line(gen, "total[r] += __shfl_xor_sync(0xffffffffu, total[r], 2);");
  simt_close(gen);
  simt_open(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 4; e++)",
            a->result.columns / 8);
  const uint32_t row = simt_define(gen, "i32", "%s + warp_row + lane / 4 + e / 2 * 8", simt_text(gen, first)),
                 column = simt_define(gen, "i32", "c * 8 + lane %% 4 * 2 + e %% 2"),
                 sum = simt_define(
                     gen, "f32",
                     a->zero ? "total[e / 2] == 0 ? 0.0f : o[c][e] / total[e / 2]" : "o[c][e] / total[e / 2]");
  simt_open(gen, "if (v%u < %" PRId64 ")", row, a->result.rows);
  simt_ix *index = simt_indices(gen, result->type->rank);
  simt_contraction_result(gen, &a->result, batch, simt_index_of(row), simt_index_of(column), index);
  simt_store_outputs(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, (simt_val){sum, 0}), outputs,
                     count);
  simt_close(gen);
  simt_close(gen);
}

static void emit_start(simt_gen *gen, const simt_attention *a, simt_ix batch, simt_ix first) {
  ten_buf_printf(&gen->locals, "  SHARED(%zu);\n", simt_attention_shared(a));
  if (a->scores.depth <= 64 && a->result.columns <= 64) gen->resident = 2;
  simt_line(gen, "u8 *queries = shared, *keys = queries + %" PRId64 ", *values = keys + %" PRId64 ";",
            ROWS * key_pitch(a), 2 * KEYS * key_pitch(a));
  simt_line(gen, "const i32 lane = TID %% 32, warp_row = TID / 32 * 16;");
  simt_line(gen, "u32 q[%" PRId64 "][4];", a->scores.depth / 16);
  simt_line(gen, "f32 o[%" PRId64 "][4], top[2], total[2];", a->result.columns / 8);
  simt_line(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 4; e++) o[c][e] = 0;",
            a->result.columns / 8);
  simt_line(gen, "UNROLL for (i32 r = 0; r < 2; r++) top[r] = f32_of(0xff800000u), total[r] = 0;");
  const simt_attention_block rows = {&a->scores,      SIMT_LEFT,    false, ROWS,  a->scores.rows,
                                     a->scores.depth, key_pitch(a), batch, first, "queries"};
  simt_attention_copy(gen, a->math, &rows);
  simt_open(gen, "if (true)");
  emit_keys(gen, a, batch, "0");
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_line(gen, "COPY_WAIT(0);");
  simt_line(gen, "BARRIER;");
  simt_line(gen,
            "UNROLL for (i32 k = 0; k < %" PRId64 "; k++) ldmatrix(q[k], queries + (warp_row + lane %% 16) * %" PRId64
            " + k * 32 + lane / 16 * 16);",
            a->scores.depth / 16, key_pitch(a));
}

void simt_attention_emit(simt_gen *gen, const simt_attention *a, simt_ix i, const ten_value *const *outputs,
                         uint32_t count) {
  const int64_t down = parts_of(a->scores.rows, ROWS), blocks = parts_of(a->scores.columns, KEYS);
  const simt_ix batch = simt_divide(gen, i, down), first = simt_multiply(gen, simt_modulo(gen, i, down), ROWS);
  emit_start(gen, a, batch, first);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 part = 0; part < %" PRId64 "; part++)", blocks);
  simt_open(gen, "if (part + 1 < %" PRId64 ")", blocks);
  emit_keys(gen, a, batch, "part + 1");
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_line(gen, "COPY_WAIT(1);");
  simt_line(gen, "BARRIER;");
  simt_line(gen, "const u8 *ks = keys + part %% 2 * %" PRId64 ", *vs = values + part %% 2 * %" PRId64 ";",
            KEYS * key_pitch(a), KEYS * value_pitch(a));
  emit_products(gen, a);
  emit_scores(gen, a, batch, first);
  emit_weights(gen, a);
  emit_sums(gen, a);
  simt_line(gen, "BARRIER;");
  simt_close(gen);
  emit_results(gen, a, batch, first, outputs, count);
}
