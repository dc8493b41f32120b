/* tile.c: which tiles a contraction is computed in, and the parts of the kernel that do not depend on the arithmetic:
 * the loop over the depth, and what becomes of the sums. */
#include "backend/simt/tile.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend/simt/tile_parts.h"

enum { PROCESSORS = 132, DEPTH_LEAST = 16, WORK_LEAST = 1 << 13, PIECE_LEAST = 256, PIECES_MOST = 32 };

typedef struct shape {
  int64_t rows, columns;
  double speed; /* of a processor that works on such tiles */
} shape;

static const shape fma_shapes[] = {{128, 128, 1.0}, {128, 64, 0.85}, {64, 64, 0.7}},
                   mma_shapes[] = {{128, 128, 1.0}, {128, 64, 0.75}, {64, 64, 0.5}, {32, 128, 0.45}};

static int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/* Time of the whole in units of one multiply-add of a processor, about. */
static double time_of(const simt_contraction *c, const shape *s, int64_t splits, int64_t depth) {
  const int64_t tiles = c->batch * parts_of(c->rows, s->rows) * parts_of(c->columns, s->columns);
  const int64_t waves = parts_of(tiles * splits, PROCESSORS);
  const double piece = (double)(parts_of(parts_of(c->depth, splits), depth) * depth);
  const double arithmetic = (double)waves * (double)(s->rows * s->columns) * (piece + 64) / s->speed;
  const double pass = splits == 1 ? 0 : 3e6 + (double)(splits * c->batch * c->rows * c->columns) * 1.5;
  return arithmetic + pass;
}

static void choose_shape(simt_tile *t, const shape *shapes, size_t count) {
  double least = 0;
  for (size_t i = 0; i < count; i++)
    for (int64_t splits = 1; splits <= PIECES_MOST; splits *= 2) {
      if (splits > 1 && t->c.depth / splits < PIECE_LEAST) break;
      const double time = time_of(&t->c, &shapes[i], splits, t->depth);
      if (t->rows && time >= least) continue;
      least = time;
      t->rows = shapes[i].rows;
      t->columns = shapes[i].columns;
      t->splits = splits;
    }
  t->chunk = parts_of(parts_of(t->c.depth, t->splits), t->depth) * t->depth;
  t->splits = parts_of(t->c.depth, t->chunk);
  t->groups = t->splits * t->c.batch * parts_of(t->c.rows, t->rows) * parts_of(t->c.columns, t->columns);
}

static simt_math math_of(simt_gen *gen, const ten_op *op, simt_precision precision) {
  if (gen->language != SIMT_CUDA_C) return SIMT_FMA;
  const ten_dtype x = simt_source_dtype(ten_op_operand(op, 0)), y = simt_source_dtype(ten_op_operand(op, 1));
  if (x == y && x == TEN_BF16) return SIMT_MMA_BF16;
  if (x == y && x == TEN_F16) return SIMT_MMA_F16;
  if ((x != TEN_F32 && x != TEN_BF16) || (y != TEN_F32 && y != TEN_BF16)) return SIMT_FMA;
  return precision == SIMT_ROUND_BF16 ? SIMT_MMA_BF16 : precision == SIMT_ROUND_TF32 ? SIMT_MMA_TF32 : SIMT_FMA;
}

bool simt_tile_choose(simt_gen *gen, const ten_op *op, simt_precision precision, simt_tile *out) {
  *out = (simt_tile){0};
  if (!simt_contraction_of(gen, op, &out->c)) return false;
  const simt_contraction *c = &out->c;
  if (!gen->narrow || c->depth < DEPTH_LEAST || c->columns < 8 || c->rows * c->columns < WORK_LEAST / c->depth)
    return false;
  out->math = math_of(gen, op, precision);
  out->depth = out->math == SIMT_MMA_BF16 || out->math == SIMT_MMA_F16 ? 32 : 16;
  if (out->math == SIMT_FMA)
    choose_shape(out, fma_shapes, sizeof fma_shapes / sizeof *fma_shapes);
  else
    choose_shape(out, mma_shapes, sizeof mma_shapes / sizeof *mma_shapes);
  if (out->groups >= SIMT_NARROW_MOST / SIMT_GROUP || out->splits * ten_type_count(op->results[0].type) >= SIMT_NARROW_MOST)
    return false;
  out->shared = simt_tile_shared(gen, out);
  return true;
}

static bool same_dims(const ten_type *a, const ten_type *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

void simt_store_outputs(simt_gen *gen, const ten_value *result, const simt_ix *index, simt_val element,
                        const ten_value *const *outputs, uint32_t count) {
  const ten_type *type = result->type;
  simt_bind(gen, result, element);
  simt_ix linear = simt_number(0);
  bool linear_known = false;
  for (uint32_t i = 0; i < count; i++) {
    const ten_value *value = outputs[i];
    const simt_ix *at = index;
    if (!same_dims(value->type, type)) {
      if (!linear_known) linear = simt_linear(gen, type, index);
      linear_known = true;
      simt_ix *other = simt_indices(gen, value->type->rank);
      simt_delinearise(gen, value->type->rank, value->type->dims, linear, other);
      at = other;
    }
    char pointer[16];
    snprintf(pointer, sizeof pointer, "q%u", i);
    simt_store(gen, value->type->dtype, pointer, simt_place(gen, value, at), simt_element(gen, value, at));
  }
}

/* One sum in register `sum` at this row and column: to the outputs, or to the pieces. */
static void finish_element(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, simt_ix row, simt_ix column,
                           uint32_t sum, const ten_value *const *outputs, uint32_t count) {
  const simt_contraction *c = &t->c;
  const ten_value *result = &c->op->results[0];
  if (t->splits > 1) {
    simt_ix at = simt_add(gen, simt_multiply(gen, p->split, c->batch), p->batch);
    at = simt_add(gen, simt_multiply(gen, at, c->rows), row);
    at = simt_add(gen, simt_multiply(gen, at, c->columns), column);
    simt_store(gen, TEN_F32, "q0", at, (simt_val){sum, 0});
    return;
  }
  simt_ix *index = simt_indices(gen, result->type->rank);
  simt_contraction_result(gen, c, p->batch, row, column, index);
  simt_store_outputs(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, (simt_val){sum, 0}), outputs,
                     count);
}

/* Sums go through shared memory, SIMT_STAGE rows at a time, so that threads next to each other write elements next to
 * each other. */
static void emit_results(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, const ten_value *const *outputs,
                         uint32_t count) {
  const bool by_columns = t->splits > 1 || simt_result_lane(gen, &t->c, outputs[0], true);
  simt_line(gen, "BARRIER;");
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 part = 0; part < %" PRId64 "; part++)", parts_of(t->rows, SIMT_STAGE));
  simt_tile_emit_stage(gen, t);
  simt_line(gen, "BARRIER;");
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 e = TID; e < %" PRId64 "; e += %d)", SIMT_STAGE * t->columns, SIMT_GROUP);
  const uint32_t r = by_columns ? simt_define(gen, "i32", "e / %" PRId64, t->columns)
                                : simt_define(gen, "i32", "e %% %d", SIMT_STAGE),
                 k = by_columns ? simt_define(gen, "i32", "e %% %" PRId64, t->columns)
                                : simt_define(gen, "i32", "e / %d", SIMT_STAGE);
  const uint32_t row = simt_define(gen, "i32", "%s + part * %d + v%u", simt_text(gen, p->row), SIMT_STAGE, r),
                 column = simt_define(gen, "i32", "%s + v%u", simt_text(gen, p->column), k);
  simt_open(gen, "if (v%u < %" PRId64 " && v%u < %" PRId64 ")", row, t->c.rows, column, t->c.columns);
  const uint32_t sum = simt_define(gen, "f32", "stage[v%u * %" PRId64 " + v%u]", r, t->columns + 4, k);
  finish_element(gen, t, p, simt_index_of(row), simt_index_of(column), sum, outputs, count);
  simt_close(gen);
  simt_close(gen);
  simt_line(gen, "BARRIER;");
  simt_close(gen);
}

void simt_tile_emit(simt_gen *gen, const simt_tile *t, simt_ix i, const ten_value *const *outputs, uint32_t count) {
  const simt_contraction *c = &t->c;
  const int64_t across = parts_of(c->columns, t->columns), down = parts_of(c->rows, t->rows);
  simt_tile_place p = {.column = simt_multiply(gen, simt_modulo(gen, i, across), t->columns)};
  simt_ix rest = simt_divide(gen, i, across);
  p.row = simt_multiply(gen, simt_modulo(gen, rest, down), t->rows);
  rest = simt_divide(gen, rest, down);
  p.batch = simt_modulo(gen, rest, c->batch);
  p.split = t->splits > 1 ? simt_divide(gen, rest, c->batch) : simt_number(0);
  if (down == 1) p.row = simt_number(0);
  const int slots = simt_tile_slots(t);
  ten_buf_printf(&gen->locals, "  SHARED(%zu);\n", t->shared);
  simt_tile_emit_start(gen, t);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = %d; step < %" PRId64 "; step++)", 1 - slots, t->chunk / t->depth);
  simt_line(gen, "COPY_WAIT(%d);", slots - 2);
  simt_line(gen, "BARRIER;");
  simt_open(gen, "if (step + %d < %" PRId64 ")", slots - 1, t->chunk / t->depth);
  const uint32_t slot = simt_define(gen, "i32", "(step + %d) & %d", slots - 1, slots - 1);
  p.depth = simt_add(gen, simt_multiply(gen, p.split, t->chunk),
                     simt_index_of(simt_define(gen, "i32", "(step + %d) * %" PRId64, slots - 1, t->depth)));
  simt_tile_emit_fill(gen, t, SIMT_LEFT, &p, slot);
  simt_tile_emit_fill(gen, t, SIMT_RIGHT, &p, slot);
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_open(gen, "if (step >= 0)");
  simt_tile_emit_sums(gen, t);
  simt_close(gen);
  simt_close(gen);
  emit_results(gen, t, &p, outputs, count);
}

void simt_tile_emit_sum(simt_gen *gen, const simt_tile *t, simt_ix i, const ten_value *const *outputs, uint32_t count) {
  const simt_contraction *c = &t->c;
  const ten_value *result = &c->op->results[0];
  simt_ix *index = simt_indices(gen, result->type->rank);
  const simt_ix row = simt_divide(gen, i, c->columns), batch = simt_divide(gen, row, c->rows);
  simt_contraction_result(gen, c, c->batch == 1 ? simt_number(0) : batch,
                          c->rows == 1 ? simt_number(0) : simt_modulo(gen, row, c->rows),
                          simt_modulo(gen, i, c->columns), index);
  const simt_var sum = simt_var_new(gen, TEN_F32, simt_zero(gen, TEN_F32));
  const int64_t piece = c->batch * c->rows * c->columns;
  simt_line(gen, "UNROLL");
  const simt_ix split = simt_loop(gen, t->splits);
  const simt_ix at = simt_add(gen, simt_multiply(gen, split, piece), i);
  const simt_val part = simt_element(gen, t->partial, &at);
  simt_line(gen, "v%u = v%u + v%u;", sum.at.re, sum.at.re, part.re);
  simt_close(gen);
  simt_store_outputs(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, sum.at), outputs, count);
}
