/* row.c: reductions with a commutative combiner, a group of threads for a few rows. Several reductions of the same form
 * are one kernel, which reads once what they have in common: the sums of a batch norm's gradient, say. */
#include "backend/simt/row.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend/simt/lanes.h"

enum {
  LENGTH_LEAST = 32,
  EACH = 8,
  GROUPS_ENOUGH = 512,
  PIECE_LEAST = 16, /* elements of a thread */
  LANES_WORTH = 1 << 14,
  SUM_THREADS = 8 /* that put the pieces of a row together */
};

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

/* The first buffer found among what an operand is computed from, of its rank; NULL: none. */
const ten_value *simt_row_buffer(const simt_gen *gen, const ten_value *x) {
  for (const ten_value *value = x; value->type->rank == x->type->rank;) {
    if (gen->stored[value->number]) return value;
    if (!value->op || !value->op->operand_count || !ten_op_has(value->op, TEN_TRAIT_ELEMENTWISE)) break;
    value = ten_op_operand(value->op, 0);
  }
  return NULL;
}

/* The dimension of an operand whose elements follow each other in memory; -1: there is one element. */
static int64_t innermost(const simt_gen *gen, const ten_value *x) {
  const ten_value *buffer = simt_row_buffer(gen, x);
  const uint8_t *order = buffer ? simt_order(gen, buffer) : NULL;
  for (uint32_t i = x->type->rank; i-- > 0;) {
    const uint32_t dim = order ? order[i] : i;
    if (x->type->dims[dim] != 1) return dim;
  }
  return -1;
}

static bool is_contiguous(const simt_gen *gen, const ten_op *op) {
  const int64_t inner = innermost(gen, ten_op_operand(op, 0));
  return inner < 0 || ten_ints_has(ten_op_ints(op, "dimensions"), inner);
}

/* Few groups leave most of a device idle: long rows are split for more groups. Every thread of the last piece gets an
 * element. */
static void choose_splits(simt_row *row) {
  const int64_t each = SIMT_GROUP / row->threads * row->lanes;
  row->groups = (row->rows + each - 1) / each;
  int64_t splits = GROUPS_ENOUGH / row->groups;
  const int64_t least = row->threads * (row->lanes > 1 ? PIECE_LEAST / 2 : PIECE_LEAST);
  if (splits > row->length / least) splits = row->length / least;
  row->splits = 1, row->chunk = row->length;
  for (; splits > 1 && row->splits == 1; splits--) {
    const int64_t chunk = (row->length / splits + row->threads - 1) / row->threads * row->threads;
    const int64_t pieces = (row->length + chunk - 1) / chunk;
    if (pieces > 1 && row->length - (pieces - 1) * chunk >= row->threads) row->splits = pieces, row->chunk = chunk;
  }
  row->groups *= row->splits;
}

/* How many threads share a row. */
static void choose_threads(simt_row *row) {
  const int64_t sets = row->rows / row->lanes;
  row->threads = 4;
  while (row->threads < SIMT_GROUP && row->threads * EACH <= row->length) row->threads *= 2;
  if (!row->contiguous) /* adjacent columns share cache lines */
    while (row->threads > SIMT_GROUP / 32 && sets >= SIMT_GROUP / row->threads * 2) row->threads /= 2;
  choose_splits(row);
}

bool simt_row_choose(simt_gen *gen, const ten_op *op, simt_row *out) {
  if (op->code != TEN_OP_REDUCE || !simt_is_commutative(op)) return false;
  const ten_type *type = ten_op_operand(op, 0)->type;
  *out = (simt_row){.ops = {op}, .op_count = 1, .lanes = 1, .rows = ten_type_count(op->results[0].type)};
  if (!out->rows || !ten_type_count(type)) return false;
  out->length = ten_type_count(type) / out->rows;
  if (out->length < LENGTH_LEAST) return false;
  out->contiguous = is_contiguous(gen, op);
  choose_threads(out);
  return true;
}

static ten_dtype work_of(const ten_op *op) { return ten_op_body(op, 0)->args[0]->type->dtype; }

bool simt_row_add(simt_row *row, const ten_op *op) {
  const ten_op *first = row->ops[0];
  if (row->op_count == SIMT_ROW_OPS_MOST || op->code != TEN_OP_REDUCE || !simt_is_commutative(op)) return false;
  const ten_type *x = ten_op_operand(first, 0)->type, *y = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(first, "dimensions"), other = ten_op_ints(op, "dimensions");
  if (x->rank != y->rank || dims.count != other.count || work_of(op) != work_of(first)) return false;
  for (uint32_t i = 0; i < x->rank; i++)
    if (x->dims[i] != y->dims[i]) return false;
  for (size_t i = 0; i < dims.count; i++)
    if (dims.data[i] != other.data[i]) return false;
  row->ops[row->op_count++] = op;
  return true;
}

void simt_row_choose_lanes(simt_gen *gen, simt_row *row) {
  const ten_op *op = row->ops[0];
  const ten_value *x = ten_op_operand(op, 0), *buffer = simt_row_buffer(gen, x);
  const ten_type *result = op->results[0].type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  if (row->contiguous || !buffer || !gen->narrow || gen->language == SIMT_WGSL || work_of(op) != TEN_F32) return;
  if (simt_order(gen, &op->results[0]) || ten_type_count(x->type) < LANES_WORTH) return;
  int64_t last = (int64_t)x->type->rank - 1; /* the dimension of the operand that is the result's last */
  while (last >= 0 && ten_ints_has(dims, last)) last--;
  const int64_t bytes = (int64_t)ten_dtype_bytes(buffer->type->dtype);
  if (last < 0 || last != innermost(gen, x) || bytes > 4) return;
  int64_t lanes = 16 / bytes;
  if (lanes > SIMT_LANES_MOST) lanes = SIMT_LANES_MOST;
  if (!result->rank || x->type->dims[last] % lanes) return;
  row->lanes = lanes;
  choose_threads(row);
}

void simt_row_choose_one(simt_row *row) {
  row->lanes = 1;
  choose_threads(row);
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

/* The index of an operand's element k of the row whose result is at `index`. */
static simt_ix *element_at(simt_gen *gen, const ten_op *op, const simt_ix *index, const simt_ix *parts) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  simt_ix *at = simt_indices(gen, type->rank);
  for (uint32_t i = 0, count = 0, left = 0; i < type->rank; i++)
    at[i] = ten_ints_has(dims, i) ? parts[count++] : index[left++];
  return at;
}

static simt_ix *parts_of(simt_gen *gen, const ten_op *op, simt_ix k) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  int64_t *sizes = ten_arena_new_array(&gen->ir->arena, int64_t, type->rank + 1);
  simt_ix *parts = simt_indices(gen, type->rank);
  uint32_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (ten_ints_has(dims, i)) sizes[count++] = type->dims[i];
  simt_delinearise(gen, count, sizes, k, parts);
  return parts;
}

/* A thread's sums: of each op and lane. */
typedef struct sums {
  simt_var of[SIMT_ROW_OPS_MOST][SIMT_LANES_MOST];
} sums;

/* Element k of all lanes and ops: combined with the sums, or what these are first. False: read element by element. */
static bool emit_step(simt_gen *gen, const simt_row *row, simt_ix *index, uint32_t last, simt_ix k, bool first,
                      const sums *s) {
  const simt_ix *parts = parts_of(gen, row->ops[0], k);
  bool wide = true;
  for (int64_t lane = 0; lane < row->lanes; lane++) {
    const uint32_t before = gen->loads;
    if (row->lanes > 1) index[last] = simt_index_of(gen->lanes[lane]);
    for (uint32_t o = 0; o < row->op_count; o++) {
      const ten_op *op = row->ops[o];
      const ten_value *x = ten_op_operand(op, 0);
      const simt_val element =
          simt_convert(gen, x->type->dtype, work_of(op), simt_element(gen, x, element_at(gen, op, index, parts)));
      const simt_var *sum = &s->of[o][lane];
      const simt_val now = {simt_define(gen, simt_register_type(work_of(op)), "v%u", sum->at.re), 0};
      simt_set(gen, sum, first ? element : simt_row_combine(gen, op, now, element));
    }
    wide = wide && (!lane || gen->loads == before);
  }
  return wide;
}

/* One thread's loop over its elements of the piece. */
static bool emit_piece(simt_gen *gen, const simt_row *row, simt_ix *index, uint32_t last, simt_ix number, simt_ix piece,
                       sums *s) {
  const ten_dtype work = work_of(row->ops[0]);
  const char *index_type = simt_index_type(gen);
  for (uint32_t o = 0; o < row->op_count; o++)
    for (int64_t lane = 0; lane < row->lanes; lane++) s->of[o][lane] = simt_var_new(gen, work, simt_zero(gen, work));
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
  bool wide = emit_step(gen, row, index, last, first, true, s);
  const uint32_t k = ++gen->registers;
  simt_line(gen, "UNROLL4");
  simt_open(gen, "for (%s v%u = %s + %" PRId64 "; v%u < %s; v%u += %" PRId64 ")", index_type, k, simt_text(gen, first),
            row->threads, k, simt_text(gen, end), k, row->threads);
  wide = emit_step(gen, row, index, last, simt_index_of(k), false, s) && wide;
  simt_close(gen);
  simt_close(gen);
  return wide;
}

/* Combines the op's initial value with the total and stores it to q<which>. */
static void store_total(simt_gen *gen, const ten_op *op, uint32_t which, simt_ix number, simt_val total) {
  const ten_dtype work = work_of(op);
  const ten_value *result = &op->results[0], *init = ten_op_operand(op, 1);
  const simt_val start = simt_convert(gen, init->type->dtype, work, simt_element(gen, init, NULL));
  char pointer[16];
  snprintf(pointer, sizeof pointer, "q%u", which);
  simt_store(gen, result->type->dtype, pointer, number,
             simt_convert(gen, work, result->type->dtype, simt_row_combine(gen, op, start, total)));
}

/* Puts the sums of the threads of a row, of which the first `parts` have some, together in rows[…][TID] of the first
 * part; those of all ops and lanes at a time. */
static void emit_tree(simt_gen *gen, const simt_row *row, const sums *s, int64_t parts) {
  const char *type = simt_register_type(work_of(row->ops[0]));
  char step[32] = "";
  if (!row->contiguous) snprintf(step, sizeof step, " * %d", (int)(SIMT_GROUP / row->threads));
  for (uint32_t o = 0; o < row->op_count; o++)
    for (int64_t lane = 0; lane < row->lanes; lane++)
      simt_line(gen, "rows[%" PRId64 " + TID] = v%u;", (o * row->lanes + lane) * SIMT_GROUP, s->of[o][lane].at.re);
  simt_line(gen, "BARRIER;");
  simt_line(gen, "UNROLL");
  simt_open(gen, "for (i32 reach = %" PRId64 "; reach > 0; reach /= 2)", row->threads / 2);
  if (parts < row->threads)
    simt_open(gen, "if (part < reach && part + reach < %" PRId64 ")", parts);
  else
    simt_open(gen, "if (part < reach)");
  for (uint32_t o = 0; o < row->op_count; o++)
    for (int64_t lane = 0; lane < row->lanes; lane++) {
      const int64_t at = (o * row->lanes + lane) * SIMT_GROUP;
      const simt_val x = {simt_define(gen, type, "rows[%" PRId64 " + TID]", at), 0},
                     y = {simt_define(gen, type, "rows[%" PRId64 " + TID + reach%s]", at, step), 0};
      simt_line(gen, "rows[%" PRId64 " + TID] = v%u;", at, simt_row_combine(gen, row->ops[o], x, y).re);
    }
  simt_close(gen);
  simt_line(gen, "BARRIER;");
  simt_close(gen);
}

static void emit_totals(simt_gen *gen, const simt_row *row, simt_ix number, simt_ix piece) {
  simt_open(gen, "if (part == 0 && %s < %" PRId64 ")", simt_text(gen, number), row->rows);
  for (uint32_t o = 0; o < row->op_count; o++)
    for (int64_t lane = 0; lane < row->lanes; lane++) {
      const ten_dtype work = work_of(row->ops[o]);
      const simt_ix result = simt_add(gen, number, simt_number(lane));
      const simt_val total = {
          simt_define(gen, simt_register_type(work), "rows[%" PRId64 " + TID]", (o * row->lanes + lane) * SIMT_GROUP),
          0};
      char pointer[16];
      snprintf(pointer, sizeof pointer, "q%u", o);
      if (row->splits > 1)
        simt_store(gen, work, pointer, simt_add(gen, simt_multiply(gen, piece, row->rows), result), total);
      else
        store_total(gen, row->ops[o], o, result, total);
    }
  simt_close(gen);
  simt_line(gen, "BARRIER;");
}

/* Which row of the group a thread has, and which part of it. */
static void emit_place(simt_gen *gen, const simt_row *row) {
  const int64_t each = SIMT_GROUP / row->threads;
  ten_buf_printf(&gen->locals, "  SHARED_ARRAY(%s, rows, %" PRId64 ");\n", simt_register_type(work_of(row->ops[0])),
                 row->op_count * row->lanes * SIMT_GROUP);
  if (row->contiguous)
    simt_line(gen, "const i32 part = TID %% %" PRId64 ", which = TID / %" PRId64 ";", row->threads, row->threads);
  else
    simt_line(gen, "const i32 part = TID / %" PRId64 ", which = TID %% %" PRId64 ";", each, each);
}

bool simt_row_emit(simt_gen *gen, const simt_row *row, simt_ix i) {
  const ten_value *result = &row->ops[0]->results[0];
  const int64_t each = SIMT_GROUP / row->threads, groups = row->groups / row->splits;
  const uint32_t last = result->type->rank ? result->type->rank - 1 : 0;
  emit_place(gen, row);
  const simt_ix piece = row->splits > 1 ? simt_divide(gen, i, groups) : simt_number(0),
                group = row->splits > 1 ? simt_modulo(gen, i, groups) : i;
  simt_ix number =
      simt_index_of(simt_define(gen, simt_index_type(gen), "%s * %" PRId64 " + which", simt_text(gen, group), each));
  number = simt_multiply(gen, number, row->lanes);
  simt_ix *index = simt_indices(gen, result->type->rank);
  simt_unplace(gen, result, number, index);
  if (row->lanes > 1) {
    if (!index[last].var) return false;
    simt_set_lanes(gen, index[last], row->lanes);
  }
  sums s;
  const bool wide = emit_piece(gen, row, index, last, number, piece, &s);
  gen->lane_count = 0;
  emit_tree(gen, row, &s, row->threads);
  emit_totals(gen, row, number, piece);
  return wide;
}

int64_t simt_row_sum_groups(const simt_row *row) {
  const int64_t each = SIMT_GROUP / SUM_THREADS;
  return (row->rows + each - 1) / each;
}

void simt_row_emit_sum(simt_gen *gen, const simt_row *row, simt_ix i) {
  simt_row pieces = *row;
  pieces.contiguous = false, pieces.lanes = 1, pieces.splits = 1, pieces.threads = SUM_THREADS;
  const int64_t each = SIMT_GROUP / SUM_THREADS;
  const char *index_type = simt_index_type(gen);
  const ten_dtype work = work_of(row->ops[0]);
  emit_place(gen, &pieces);
  const simt_ix number =
      simt_index_of(simt_define(gen, index_type, "%s * %" PRId64 " + which", simt_text(gen, i), each));
  sums s;
  for (uint32_t o = 0; o < row->op_count; o++) s.of[o][0] = simt_var_new(gen, work, simt_zero(gen, work));
  simt_open(gen, "if (part < %" PRId64 " && %s < %" PRId64 ")", row->splits, simt_text(gen, number), row->rows);
  const uint32_t first = simt_define(gen, index_type, "part");
  simt_ix at = simt_add(gen, simt_multiply(gen, simt_index_of(first), row->rows), number);
  for (uint32_t o = 0; o < row->op_count; o++) simt_set(gen, &s.of[o][0], simt_element(gen, row->partial[o], &at));
  const uint32_t k = ++gen->registers;
  simt_line(gen, "UNROLL4");
  simt_open(gen, "for (%s v%u = part + %d; v%u < %" PRId64 "; v%u += %d)", index_type, k, SUM_THREADS, k, row->splits,
            k, SUM_THREADS);
  at = simt_add(gen, simt_multiply(gen, simt_index_of(k), row->rows), number);
  for (uint32_t o = 0; o < row->op_count; o++) {
    const simt_val now = {simt_define(gen, simt_register_type(work), "v%u", s.of[o][0].at.re), 0};
    simt_set(gen, &s.of[o][0], simt_row_combine(gen, row->ops[o], now, simt_element(gen, row->partial[o], &at)));
  }
  simt_close(gen);
  simt_close(gen);
  emit_tree(gen, &pieces, &s, row->splits);
  emit_totals(gen, &pieces, number, simt_number(0));
}
