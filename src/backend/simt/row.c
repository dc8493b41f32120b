/* row.c: reduce with a commutative combiner, a group of threads for a few rows. */
#include "backend/simt/row.h"

#include <inttypes.h>
#include <stdio.h>

enum { LENGTH_LEAST = 32, EACH = 8, GROUPS_ENOUGH = 512, PIECE_LEAST = 16 /* elements of a thread */ };

/* The region is one commutative op on its two arguments. */
bool simt_is_commutative(const ten_op *op) {
  if (op->result_count != 1) return false;
  const ten_block *block = ten_op_body(op, 0);
  const ten_op *inner = block->first, *end = ten_block_terminator(block);
  return inner && inner->next == end && ten_op_has(inner, TEN_TRAIT_COMMUTATIVE) && inner->operand_count == 2 &&
         inner->result_count == 1 && ten_op_operand(end, 0) == &inner->results[0] &&
         ten_op_operand(inner, 0) != ten_op_operand(inner, 1) && ten_op_operand(inner, 0)->block == block &&
         ten_op_operand(inner, 1)->block == block && !ten_dtype_is_complex(block->args[0]->type->dtype) &&
         block->args[0]->type->dtype != TEN_I1;
}

/* Whether the contiguous dimension of the first buffer found is reduced. */
static bool is_contiguous(const simt_gen *gen, const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0);
  const uint8_t *order = NULL;
  for (const ten_value *value = x; value->type->rank == x->type->rank;) {
    if (gen->stored[value->number]) {
      order = simt_order(gen, value);
      break;
    }
    if (!value->op || !value->op->operand_count || !ten_op_has(value->op, TEN_TRAIT_ELEMENTWISE)) break;
    value = ten_op_operand(value->op, 0);
  }
  const ten_ints dims = ten_op_ints(op, "dimensions");
  for (uint32_t i = x->type->rank; i-- > 0;) {
    const uint32_t dim = order ? order[i] : i;
    if (x->type->dims[dim] != 1) return ten_ints_has(dims, dim);
  }
  return true;
}

/* Few groups leave most of a device idle: long rows are split for more groups. Every thread of the last piece gets an
 * element. */
static void choose_splits(simt_row *row) {
  int64_t splits = GROUPS_ENOUGH / row->groups;
  if (splits > row->length / (row->threads * PIECE_LEAST)) splits = row->length / (row->threads * PIECE_LEAST);
  row->splits = 1, row->chunk = row->length;
  for (; splits > 1 && row->splits == 1; splits--) {
    const int64_t chunk = (row->length / splits + row->threads - 1) / row->threads * row->threads;
    const int64_t pieces = (row->length + chunk - 1) / chunk;
    if (pieces > 1 && row->length - (pieces - 1) * chunk >= row->threads) row->splits = pieces, row->chunk = chunk;
  }
  row->groups *= row->splits;
}

bool simt_row_choose(simt_gen *gen, const ten_op *op, simt_row *out) {
  if (op->code != TEN_OP_REDUCE || !simt_is_commutative(op)) return false;
  const ten_type *type = ten_op_operand(op, 0)->type;
  *out = (simt_row){.op = op, .rows = ten_type_count(op->results[0].type)};
  if (!out->rows || !ten_type_count(type)) return false;
  out->length = ten_type_count(type) / out->rows;
  if (out->length < LENGTH_LEAST) return false;
  out->contiguous = is_contiguous(gen, op);
  out->threads = 4;
  while (out->threads < SIMT_GROUP && out->threads * EACH <= out->length) out->threads *= 2;
  if (!out->contiguous) /* adjacent columns share cache lines */
    while (out->threads > SIMT_GROUP / 32 && out->rows >= SIMT_GROUP / out->threads * 2) out->threads /= 2;
  const int64_t each = SIMT_GROUP / out->threads;
  out->groups = (out->rows + each - 1) / each;
  choose_splits(out);
  return true;
}

/* Element `k` of this row, in the region's type. */
simt_val simt_row_element(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix k) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = x->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  int64_t *sizes = ten_arena_new_array(&gen->ir->arena, int64_t, type->rank + 1);
  simt_ix *parts = simt_indices(gen, type->rank), *at = simt_indices(gen, type->rank);
  uint32_t count = 0, left = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (ten_ints_has(dims, i)) sizes[count++] = type->dims[i];
  simt_delinearise(gen, count, sizes, k, parts);
  count = 0;
  for (uint32_t i = 0; i < type->rank; i++) at[i] = ten_ints_has(dims, i) ? parts[count++] : index[left++];
  return simt_convert(gen, type->dtype, ten_op_body(op, 0)->args[0]->type->dtype, simt_element(gen, x, at));
}

simt_val simt_row_combine(simt_gen *gen, const ten_op *op, simt_val x, simt_val y) {
  const simt_val args[] = {x, y};
  simt_val result;
  simt_region(gen, &op->regions[0], args, &result);
  return result;
}

void simt_row_tree(simt_gen *gen, const ten_op *op, int64_t threads, const char *type, const char *step) {
  simt_line(gen, "BARRIER;");
  simt_line(gen, "UNROLL");
  simt_open(gen, "for (i32 reach = %" PRId64 "; reach > 0; reach /= 2)", threads / 2);
  simt_open(gen, "if (part < reach)");
  const simt_val x = {simt_define(gen, type, "rows[TID]"), 0},
                 y = {simt_define(gen, type, "rows[TID + reach%s]", step), 0};
  simt_line(gen, "rows[TID] = v%u;", simt_row_combine(gen, op, x, y).re);
  simt_close(gen);
  simt_line(gen, "BARRIER;");
  simt_close(gen);
}

/* One thread's loop over its elements of the piece; returns the accumulator. */
static simt_var emit_piece(simt_gen *gen, const simt_row *row, const simt_ix *index, simt_ix number, simt_ix piece) {
  const ten_dtype work = ten_op_body(row->op, 0)->args[0]->type->dtype;
  const char *index_type = simt_index_type(gen);
  const simt_var sum = simt_var_new(gen, work, simt_zero(gen, work));
  simt_open(gen, "if (%s < %" PRId64 ")", simt_text(gen, number), row->rows);
  const simt_ix start = simt_multiply(gen, piece, row->chunk),
                first = simt_index_of(simt_define(gen, index_type, "part + %s", simt_text(gen, start)));
  simt_ix end = simt_number(row->length);
  if (row->splits > 1) {
    const simt_ix most = simt_add(gen, start, simt_number(row->chunk));
    const char *text = simt_text(gen, most);
    end = simt_index_of(
        simt_define(gen, index_type, "%s < %" PRId64 " ? %s : %" PRId64, text, row->length, text, row->length));
  }
  simt_set(gen, &sum, simt_row_element(gen, row->op, index, first));
  const uint32_t k = ++gen->registers;
  simt_line(gen, "UNROLL4");
  simt_open(gen, "for (%s v%u = %s + %" PRId64 "; v%u < %s; v%u += %" PRId64 ")", index_type, k, simt_text(gen, first),
            row->threads, k, simt_text(gen, end), k, row->threads);
  const simt_val now = {simt_define(gen, simt_register_type(work), "v%u", sum.at.re), 0};
  simt_set(gen, &sum, simt_row_combine(gen, row->op, now, simt_row_element(gen, row->op, index, simt_index_of(k))));
  simt_close(gen);
  simt_close(gen);
  return sum;
}

/* Combines the op's initial value with the total and stores it to q0. */
static void store_total(simt_gen *gen, const simt_row *row, simt_ix number, simt_val total) {
  const ten_dtype work = ten_op_body(row->op, 0)->args[0]->type->dtype;
  const ten_value *result = &row->op->results[0], *init = ten_op_operand(row->op, 1);
  const simt_val start = simt_convert(gen, init->type->dtype, work, simt_element(gen, init, NULL));
  simt_store(gen, result->type->dtype, "q0", number,
             simt_convert(gen, work, result->type->dtype, simt_row_combine(gen, row->op, start, total)));
}

void simt_row_emit(simt_gen *gen, const simt_row *row, simt_ix i) {
  const ten_value *result = &row->op->results[0];
  const ten_dtype work = ten_op_body(row->op, 0)->args[0]->type->dtype;
  const char *type = simt_register_type(work);
  const int64_t each = SIMT_GROUP / row->threads, groups = row->groups / row->splits;
  char step[32] = "";
  if (!row->contiguous) snprintf(step, sizeof step, " * %d", (int)each);
  ten_buf_printf(&gen->locals, "  SHARED_ARRAY(%s, rows, %d);\n", type, SIMT_GROUP);
  if (row->contiguous)
    simt_line(gen, "const i32 part = TID %% %" PRId64 ", which = TID / %" PRId64 ";", row->threads, row->threads);
  else
    simt_line(gen, "const i32 part = TID / %" PRId64 ", which = TID %% %" PRId64 ";", each, each);
  const simt_ix piece = row->splits > 1 ? simt_divide(gen, i, groups) : simt_number(0),
                group = row->splits > 1 ? simt_modulo(gen, i, groups) : i,
                number = simt_index_of(
                    simt_define(gen, simt_index_type(gen), "%s * %" PRId64 " + which", simt_text(gen, group), each));
  simt_ix *index = simt_indices(gen, result->type->rank);
  simt_unplace(gen, result, number, index);
  const simt_var sum = emit_piece(gen, row, index, number, piece);
  simt_line(gen, "rows[TID] = v%u;", sum.at.re);
  simt_row_tree(gen, row->op, row->threads, type, step);
  simt_open(gen, "if (part == 0 && %s < %" PRId64 ")", simt_text(gen, number), row->rows);
  const simt_val total = {simt_define(gen, type, "rows[TID]"), 0};
  if (row->splits > 1)
    simt_store(gen, work, "q0", simt_add(gen, simt_multiply(gen, piece, row->rows), number), total);
  else
    store_total(gen, row, number, total);
  simt_close(gen);
  simt_line(gen, "BARRIER;");
}

void simt_row_emit_sum(simt_gen *gen, const simt_row *row, simt_ix i) {
  const ten_dtype work = ten_op_body(row->op, 0)->args[0]->type->dtype;
  const simt_var sum = simt_var_new(gen, work, simt_element(gen, row->partial, &i));
  const simt_ix piece = simt_loop(gen, row->splits - 1),
                at = simt_add(gen, simt_multiply(gen, simt_add(gen, piece, simt_number(1)), row->rows), i);
  const simt_val now = {simt_define(gen, simt_register_type(work), "v%u", sum.at.re), 0};
  simt_set(gen, &sum, simt_row_combine(gen, row->op, now, simt_element(gen, row->partial, &at)));
  simt_close(gen);
  store_total(gen, row, i, sum.at);
}
