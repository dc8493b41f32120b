/* rows.c: fuses reductions along the last dimensions with the elementwise ops that read them: softmax, layer
 * normalization. A reduction's result is in a register of all threads of its row. */
#include <inttypes.h>
#include <stdio.h>

#include "backend/simt/lanes.h"
#include "backend/simt/row.h"

enum { LENGTH_LEAST = 32, LENGTH_MOST = 1 << 16, EACH = 8 };

static const ten_type *full_type(const simt_rows *rows) { return ten_op_operand(rows->reduces[0], 0)->type; }
static int64_t count_rows(const simt_rows *rows) { return ten_type_count(rows->reduces[0]->results[0].type); }
static ten_dtype work_type(const simt_rows *rows) { return ten_op_body(rows->reduces[0], 0)->args[0]->type->dtype; }

bool simt_rows_start(const ten_op *op) {
  if (op->code != TEN_OP_REDUCE || !simt_is_commutative(op)) return false;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  for (uint32_t i = 0; i < type->rank; i++)
    if (ten_ints_has(dims, i) != (i >= type->rank - dims.count)) return false; /* the trailing dimensions */
  const int64_t count = ten_type_count(type), rows = ten_type_count(op->results[0].type);
  return rows && count / rows >= LENGTH_LEAST && count / rows <= LENGTH_MOST;
}

static bool same_dims(const ten_type *a, const ten_type *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

bool simt_rows_is_full(const simt_rows *rows, const ten_value *value) {
  return same_dims(value->type, full_type(rows));
}

/* A broadcast of each row's value along the row. */
static bool is_spread(const simt_rows *rows, const ten_op *op) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = full_type(rows);
  const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
  const uint32_t leading = rows->reduces[0]->results[0].type->rank;
  if (op->code != TEN_OP_BROADCAST_IN_DIM || !same_dims(op->results[0].type, to)) return false;
  int64_t next = 0; /* the next leading dimension expected */
  for (uint32_t i = 0; i < from->rank; i++) {
    if (from->dims[i] == 1) continue;
    while (next < leading && to->dims[next] == 1) next++;
    if (dims.data[i] != next || next >= leading) return false;
    next++;
  }
  return ten_type_count(from) == count_rows(rows);
}

bool simt_rows_join(const simt_rows *rows, const ten_op *op) {
  if (op->result_count != 1 || !simt_can_emit(op)) return false;
  if (op->code == TEN_OP_REDUCE)
    return rows->reduce_count < SIMT_REDUCES_MOST && simt_rows_start(op) &&
           same_dims(ten_op_operand(op, 0)->type, full_type(rows)) &&
           ten_op_ints(op, "dimensions").count == ten_op_ints(rows->reduces[0], "dimensions").count &&
           ten_op_body(op, 0)->args[0]->type->dtype == work_type(rows);
  if (op->code == TEN_OP_BROADCAST_IN_DIM) return is_spread(rows, op);
  const bool small = ten_type_count(op->results[0].type) == count_rows(rows);
  if (op->code == TEN_OP_RESHAPE) return small;
  return simt_is_pointwise(op) && !op->region_count && (small || same_dims(op->results[0].type, full_type(rows)));
}

static int64_t threads_of(const simt_rows *rows) {
  const int64_t length = ten_type_count(full_type(rows)) / count_rows(rows);
  int64_t threads = 4;
  if (rows->lanes > 1)
    while (threads < SIMT_GROUP && 2 * threads * rows->lanes <= length) threads *= 2;
  else
    while (threads < SIMT_GROUP && threads * EACH <= length) threads *= 2;
  return threads;
}

void simt_rows_choose_lanes(simt_gen *gen, simt_rows *rows, const ten_value *const *outputs, uint32_t count) {
  const ten_value *x = ten_op_operand(rows->reduces[0], 0), *buffer = simt_row_buffer(gen, x);
  const int64_t length = x->type->rank ? x->type->dims[x->type->rank - 1] : 1;
  rows->lanes = 1;
  if (!gen->narrow || gen->language == SIMT_WGSL || !buffer || work_type(rows) != TEN_F32 ||
      ten_op_ints(rows->reduces[0], "dimensions").count != 1)
    return;
  size_t least = ten_dtype_bytes(buffer->type->dtype), most = least;
  for (uint32_t o = 0; o < count; o++) {
    if (!simt_rows_is_full(rows, outputs[o])) continue;
    const size_t bytes = ten_dtype_bytes(outputs[o]->type->dtype);
    if (simt_order(gen, outputs[o]) || ten_dtype_is_complex(outputs[o]->type->dtype)) return;
    least = bytes < least ? bytes : least, most = bytes > most ? bytes : most;
  }
  if (most > 4 || least < 2) return;
  const int64_t lanes = 16 / (int64_t)least;
  if (length % lanes == 0 && length / lanes >= 4) rows->lanes = lanes;
}

int64_t simt_rows_groups(const simt_rows *rows) {
  const int64_t each = SIMT_GROUP / threads_of(rows);
  return (count_rows(rows) + each - 1) / each;
}

static simt_ix loop_over_row(simt_gen *gen, const simt_rows *rows, bool first, int64_t threads, int64_t length) {
  const uint32_t k = ++gen->registers;
  const int64_t lanes = rows->lanes;
  simt_line(gen, "UNROLL4");
  simt_open(gen, "for (i32 v%u = (part + %" PRId64 ") * %" PRId64 "; v%u < %" PRId64 "; v%u += %" PRId64 ")", k,
            first ? 0 : threads, lanes, k, length, k, threads * lanes);
  return simt_index_of(k);
}

/* The elements of a row's operand that follow element k, as many as there are lanes: combined with the sum, or the sum
 * itself at `first`. False: read one by one. */
static bool emit_step(simt_gen *gen, const simt_rows *rows, const ten_op *op, simt_ix *index, simt_ix k, bool first,
                      const simt_var *sum) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_dtype work = ten_op_body(op, 0)->args[0]->type->dtype;
  bool wide = true;
  if (rows->lanes > 1) simt_set_lanes(gen, k, rows->lanes);
  for (int64_t lane = 0; lane < rows->lanes; lane++) {
    const uint32_t before = gen->loads;
    simt_val element;
    const simt_val now = {simt_define(gen, simt_register_type(work), "v%u", sum->at.re), 0};
    if (rows->lanes > 1) {
      index[x->type->rank - 1] = simt_index_of(gen->lanes[lane]);
      element = simt_convert(gen, x->type->dtype, work, simt_element(gen, x, index));
    } else {
      element = simt_row_element(gen, op, index, k);
    }
    simt_set(gen, sum, first && !lane ? element : simt_row_combine(gen, op, now, element));
    wide = wide && (!lane || gen->loads == before);
  }
  gen->lane_count = 0;
  return wide;
}

/* Leaves the result in a register of all threads of the row. */
static bool emit_reduce(simt_gen *gen, const simt_rows *rows, const ten_op *op, simt_ix *index, int64_t threads,
                        int64_t length) {
  const ten_value *result = &op->results[0], *init = ten_op_operand(op, 1);
  const ten_dtype work = ten_op_body(op, 0)->args[0]->type->dtype;
  const char *type = simt_register_type(work);
  const simt_ix first = simt_index_of(simt_define(gen, "i32", "part * %" PRId64, rows->lanes));
  const simt_var sum = simt_var_new(gen, work, simt_zero(gen, work));
  bool wide = emit_step(gen, rows, op, index, first, true, &sum);
  const simt_ix k = loop_over_row(gen, rows, false, threads, length);
  wide = emit_step(gen, rows, op, index, k, false, &sum) && wide;
  simt_close(gen);
  simt_line(gen, "rows[TID] = v%u;", sum.at.re);
  simt_row_tree(gen, op, threads, type, "");
  const simt_val total = {simt_define(gen, type, "rows[TID - part]"), 0};
  simt_line(gen, "BARRIER;");
  const simt_val start = simt_convert(gen, init->type->dtype, work, simt_element(gen, init, NULL));
  simt_bind(gen, result, simt_convert(gen, work, result->type->dtype, simt_row_combine(gen, op, start, total)));
  return wide;
}

static void store_output(simt_gen *gen, const ten_value *value, uint32_t number, const simt_ix *at) {
  char pointer[16];
  snprintf(pointer, sizeof pointer, "q%u", number);
  simt_store(gen, value->type->dtype, pointer, simt_place(gen, value, at), simt_element(gen, value, at));
}

/* The outputs that have one element for each row. */
static void emit_small(simt_gen *gen, const simt_rows *rows, uint32_t wanted, uint32_t row,
                       const ten_value *const *outputs, uint32_t count) {
  for (uint32_t o = 0; o < count; o++) {
    if (simt_rows_is_full(rows, outputs[o])) continue;
    simt_open(gen, "if (part == 0 && v%u < %" PRId64 ")", wanted, count_rows(rows));
    simt_ix *at = simt_indices(gen, outputs[o]->type->rank);
    simt_delinearise(gen, outputs[o]->type->rank, outputs[o]->type->dims, simt_index_of(row), at);
    store_output(gen, outputs[o], o, at);
    simt_close(gen);
  }
}

/* The full outputs' elements that follow element k, by vectors. */
static bool emit_full_lanes(simt_gen *gen, const simt_rows *rows, simt_ix *index, simt_ix k,
                            const ten_value *const *outputs, uint32_t count) {
  const ten_value *full[SIMT_ROWS_OUTPUTS];
  const uint32_t last = full_type(rows)->rank - 1;
  bool wide = true;
  for (uint32_t o = 0; o < count; o++) full[o] = simt_rows_is_full(rows, outputs[o]) ? outputs[o] : NULL;
  index[last] = k;
  const simt_ix place = simt_linear(gen, full_type(rows), index);
  simt_set_lanes(gen, k, rows->lanes);
  simt_lanes_declare(gen, full, count);
  for (int64_t lane = 0; lane < rows->lanes; lane++) {
    const uint32_t before = gen->loads;
    index[last] = simt_index_of(gen->lanes[lane]);
    for (uint32_t o = 0; o < count; o++) {
      char pointer[16];
      if (!full[o]) continue;
      snprintf(pointer, sizeof pointer, "w%u", o);
      simt_store(gen, full[o]->type->dtype, pointer, simt_number(lane), simt_element(gen, full[o], index));
    }
    wide = wide && (!lane || gen->loads == before);
  }
  simt_lanes_store(gen, full, count, place);
  gen->lane_count = 0;
  return wide;
}

static bool emit_full(simt_gen *gen, const simt_rows *rows, simt_ix *index, simt_ix k, const ten_value *const *outputs,
                      uint32_t count) {
  const ten_type *full = full_type(rows), *small = rows->reduces[0]->results[0].type;
  if (rows->lanes > 1) return emit_full_lanes(gen, rows, index, k, outputs, count);
  simt_delinearise(gen, full->rank - small->rank, full->dims + small->rank, k, index + small->rank);
  for (uint32_t o = 0; o < count; o++)
    if (simt_rows_is_full(rows, outputs[o])) store_output(gen, outputs[o], o, index);
  return true;
}

bool simt_rows_emit(simt_gen *gen, const simt_rows *rows, simt_ix i, const ten_value *const *outputs, uint32_t count) {
  const ten_type *full = full_type(rows), *small = rows->reduces[0]->results[0].type;
  const int64_t total = count_rows(rows), length = ten_type_count(full) / total, threads = threads_of(rows),
                each = SIMT_GROUP / threads;
  bool wide = true;
  ten_buf_printf(&gen->locals, "  SHARED_ARRAY(%s, rows, %d);\n", simt_register_type(work_type(rows)), SIMT_GROUP);
  simt_line(gen, "const i32 part = TID %% %" PRId64 ", which = TID / %" PRId64 ";", threads, threads);
  const uint32_t wanted = simt_define(gen, "i32", "%s * %" PRId64 " + which", simt_text(gen, i), each),
                 row = simt_define(gen, "i32", "v%u < %" PRId64 " ? v%u : %" PRId64, wanted, total, wanted, total - 1);
  simt_ix *index = simt_indices(gen, full->rank);
  simt_delinearise(gen, small->rank, small->dims, simt_index_of(row), index);
  for (uint32_t r = 0; r < rows->reduce_count; r++)
    wide = emit_reduce(gen, rows, rows->reduces[r], index, threads, length) && wide;
  emit_small(gen, rows, wanted, row, outputs, count);
  simt_open(gen, "if (v%u < %" PRId64 ")", wanted, total);
  wide = emit_full(gen, rows, index, loop_over_row(gen, rows, true, threads, length), outputs, count) && wide;
  simt_close(gen);
  simt_close(gen);
  return wide;
}
