/* scatter.c: updates of buffers. Results must be deterministic: one thread applies all updates of an element in order.
 * 1. A row is the part of the operand that one index names. A kernel says for each update which row it is for, another
 *    links the updates of a row to chains, in order, by pieces of the list of updates; then each element's thread walks
 *    the chains of its row. The first two are done once for all scatters with the same indices.
 * 2. Indices that are unique by the program's own word: a thread for each update, on a copy of the operands.
 * 3. Where windows may overlap in part, or the search would take too long, threads partition those dimensions of the
 *    update windows that no index moves along: they never write the same element. */
#include <inttypes.h>
#include <string.h>

#include "backend/simt/lanes.h"
#include "backend/simt/planner.h"
#include "ir/index_map.h"

enum { POSITIONS_LEAST = 16, OUTPUTS_MOST = 8, THREADS_WANTED = 1 << 16, PIECES_MOST = 32, PIECE_LEAST = 64 };
#define SEARCH_MOST ((int64_t)1 << 33) /* comparisons of rows with updates */

static const char *const outputs[OUTPUTS_MOST] = {"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"};

typedef struct scatter {
  const ten_op *op;
  const ten_type *type, *updates;
} scatter;

static scatter read_scatter(const ten_op *op) {
  return (scatter){op, op->results[0].type, ten_op_operand(op, op->result_count + 1)->type};
}

/* Whether a dimension of the updates is partitioned over threads. */
static bool is_shared(const scatter *s, uint32_t update_dim) {
  for (uint32_t i = 0; i < s->type->rank; i++) {
    const ten_scatter_part part = ten_scatter_part_of(s->op, i);
    if (part.window == (int64_t)update_dim) return part.component < 0;
  }
  return false;
}

static int64_t count_dims(const scatter *s, bool shared) {
  int64_t count = 1;
  for (uint32_t i = 0; i < s->updates->rank; i++)
    if (is_shared(s, i) == shared) count *= s->updates->dims[i];
  return count;
}

static bool is_unique(const ten_op *op) { return ten_attr_as_bool(ten_op_attr(op, "unique_indices")); }

/* Whether a dimension of the operand is one that indices name. */
static bool is_row_dim(const scatter *s, uint32_t dim) {
  const ten_scatter_part part = ten_scatter_part_of(s->op, dim);
  return part.component >= 0 || part.batch >= 0;
}

static bool has_plain_windows(const scatter *s) {
  for (uint32_t i = 0; i < s->type->rank; i++) {
    const ten_scatter_part part = ten_scatter_part_of(s->op, i);
    if (part.window >= 0 && is_row_dim(s, i) && s->updates->dims[part.window] != 1) return false;
  }
  return true;
}

/* How chains are searched: each of `rows` rows, in `pieces` pieces of `piece` updates, of which there are
 * `positions`. */
typedef struct search {
  int64_t rows, positions, pieces, piece;
} search;

static bool choose_search(const scatter *s, search *out) {
  *out = (search){.rows = 1, .positions = count_dims(s, false), .pieces = 1};
  if (!has_plain_windows(s) || !ten_type_count(s->updates) || out->positions < POSITIONS_LEAST) return false;
  for (uint32_t i = 0; i < s->type->rank; i++) out->rows *= is_row_dim(s, i) ? s->type->dims[i] : 1;
  if (!out->rows || out->rows + out->positions >= SIMT_NARROW_MOST / 2 || out->positions >= SEARCH_MOST / out->rows)
    return false;
  while (out->pieces < PIECES_MOST && out->rows * out->pieces < THREADS_WANTED &&
         out->positions / (2 * out->pieces) >= PIECE_LEAST)
    out->pieces *= 2;
  out->piece = (out->positions + out->pieces - 1) / out->pieces;
  out->piece = (out->piece + 3) / 4 * 4; /* four are compared at a time */
  return true;
}

/* Sets those parts of an update's index that threads share, or those that they do not, from a linear index. */
static void place_update(simt_gen *gen, const scatter *s, bool shared, simt_ix linear, simt_ix *index) {
  const uint32_t rank = s->updates->rank;
  int64_t *dims = ten_arena_new_array(&gen->ir->arena, int64_t, rank + 1);
  simt_ix *parts = simt_indices(gen, rank);
  uint32_t count = 0, next = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (is_shared(s, i) == shared) dims[count++] = s->updates->dims[i];
  simt_delinearise(gen, count, dims, linear, parts);
  for (uint32_t i = 0; i < rank; i++)
    if (is_shared(s, i) == shared) index[i] = parts[next++];
}

/* Dimension `dim` of the start of the updates' window in the operand. */
static simt_ix window_start(simt_gen *gen, const scatter *s, uint32_t dim, const simt_ix *index) {
  const ten_scatter_part part = ten_scatter_part_of(s->op, dim);
  if (part.component < 0) return part.batch < 0 ? simt_number(0) : index[part.batch];
  const ten_value *starts = ten_op_operand(s->op, s->op->result_count);
  simt_ix *at_start = simt_indices(gen, starts->type->rank);
  for (uint32_t k = 0; k < starts->type->rank; k++) {
    const int64_t source = ten_scatter_start_of(s->op, k);
    at_start[k] = source < 0 ? simt_number(part.component) : index[source];
  }
  return simt_as_index(gen, starts->type->dtype, simt_element(gen, starts, at_start));
}

/* Where an update's window starts, and the conditions for all of it to be in bounds, as " && …". */
static void find_starts(simt_gen *gen, const scatter *s, const simt_ix *index, simt_ix *at, ten_buf *inside) {
  for (uint32_t i = 0; i < s->type->rank; i++) {
    at[i] = window_start(gen, s, i, index);
    const char *text = simt_text(gen, at[i]);
    ten_buf_printf(inside, " && %s >= 0 && %s <= %" PRId64, text, text, ten_scatter_part_of(s->op, i).high);
  }
}

/* The element of the operand that an update is for: the starts of its window, moved to the element. */
static simt_ix find_element(simt_gen *gen, const scatter *s, const simt_ix *index, simt_ix *at) {
  for (uint32_t i = 0; i < s->type->rank; i++) {
    const int64_t window = ten_scatter_part_of(s->op, i).window;
    if (window >= 0) at[i] = simt_add(gen, at[i], index[window]);
  }
  return simt_linear(gen, s->type, at);
}

/* vars = region(vars, updates at `index`) */
static void update(simt_gen *gen, const scatter *s, const simt_var *vars, const simt_ix *index) {
  const uint32_t count = s->op->result_count;
  simt_val *args = ten_arena_new_array(&gen->ir->arena, simt_val, 2 * count),
           *results = ten_arena_new_array(&gen->ir->arena, simt_val, count);
  for (uint32_t k = 0; k < count; k++) {
    const char *type = simt_register_type(vars[k].dtype);
    args[k].re = simt_define(gen, type, "v%u", vars[k].at.re);
    if (vars[k].at.im) args[k].im = simt_define(gen, type, "v%u", vars[k].at.im);
    args[count + k] = simt_element(gen, ten_op_operand(s->op, count + 1 + k), index);
  }
  simt_region(gen, &s->op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) simt_set(gen, &vars[k], results[k]);
}

static simt_var *load_results(simt_gen *gen, const scatter *s, simt_ix linear) {
  const uint32_t count = s->op->result_count;
  simt_var *vars = ten_arena_new_array(&gen->ir->arena, simt_var, count);
  for (uint32_t k = 0; k < count; k++) {
    const ten_dtype dtype = s->op->results[k].type->dtype;
    vars[k] = simt_var_new(gen, dtype, simt_load(gen, dtype, outputs[k], linear));
  }
  return vars;
}

static void store_results(simt_gen *gen, const scatter *s, simt_ix linear, const simt_var *vars) {
  for (uint32_t k = 0; k < s->op->result_count; k++)
    simt_store(gen, s->op->results[k].type->dtype, outputs[k], linear, vars[k].at);
}

/* The row of each update, or -1: out of bounds, or behind the last. */
static void generate_rows(simt_gen *gen, const scatter *s, const search *f, simt_ix thread) {
  simt_ix *index = simt_indices(gen, s->updates->rank), *at = simt_indices(gen, s->type->rank);
  simt_line(gen, "i32 row = -1;");
  simt_open(gen, "if (%s < %" PRId64 ")", simt_text(gen, thread), f->positions);
  place_update(gen, s, false, thread, index);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "true");
  find_starts(gen, s, index, at, &inside);
  simt_ix row = simt_number(0);
  for (uint32_t i = 0; i < s->type->rank; i++)
    if (is_row_dim(s, i)) row = simt_add(gen, simt_multiply(gen, row, s->type->dims[i]), at[i]);
  simt_line(gen, "if (%s) row = (i32)%s;", inside.data, simt_text(gen, row));
  ten_buf_free(&inside);
  simt_close(gen);
  simt_line(gen, "q0[%s] = row;", simt_text(gen, thread));
}

/* Of a row and a piece: the first update, or -1; and of each update the next one in that piece. */
static void generate_links(simt_gen *gen, const search *f, const ten_value *rows, simt_ix thread) {
  const int64_t firsts = f->rows * f->pieces;
  const uint32_t from = simt_parameter(gen, rows);
  simt_line(gen, "const i32 row = (i32)(%s %% %" PRId64 ");", simt_text(gen, thread), f->rows);
  simt_line(gen, "const i32 begin = (i32)(%s / %" PRId64 ") * %" PRId64 ";", simt_text(gen, thread), f->rows, f->piece);
  simt_line(gen, "i32 first = -1, last = -1;");
  simt_open(gen, "for (i32 j = begin; j < begin + %" PRId64 "; j += 4)", f->piece);
  simt_line(gen, "const i32 a = p%u[j], b = p%u[j + 1], c = p%u[j + 2], d = p%u[j + 3];", from, from, from, from);
  simt_line(gen, "if (a != row && b != row && c != row && d != row) continue;");
  simt_open(gen, "for (i32 k = j; k < j + 4; k++)");
  simt_line(gen, "if (p%u[k] != row) continue;", from);
  simt_line(gen, "if (last < 0) first = k; else q0[%" PRId64 " + last] = k;", firsts);
  simt_line(gen, "last = k;");
  simt_close(gen);
  simt_close(gen);
  simt_line(gen, "if (last >= 0) q0[%" PRId64 " + last] = -1;", firsts);
  simt_line(gen, "q0[%s] = first;", simt_text(gen, thread));
}

/* The row and the window's part of the index of an element at `at`; the conditions for a window to reach it are
 * appended to `inside`: it may be smaller than the row. */
static simt_ix find_row(simt_gen *gen, const scatter *s, const simt_ix *at, simt_ix *index, ten_buf *inside) {
  simt_ix row = simt_number(0);
  for (uint32_t i = 0; i < s->type->rank; i++) {
    const int64_t window = ten_scatter_part_of(s->op, i).window;
    if (is_row_dim(s, i)) {
      row = simt_add(gen, simt_multiply(gen, row, s->type->dims[i]), at[i]);
    } else if (window >= 0) {
      index[window] = at[i];
      if (s->updates->dims[window] < s->type->dims[i])
        ten_buf_printf(inside, " && %s < %" PRId64, simt_text(gen, at[i]), s->updates->dims[window]);
    }
  }
  return row;
}

/* How many elements of a row a thread computes, which go along the last dimension of its windows. */
static int64_t lanes_of(const simt_gen *gen, const scatter *s) {
  const int64_t bytes = (int64_t)ten_dtype_bytes(s->type->dtype), lanes = bytes == 2 ? 8 : 4;
  if (gen->language == SIMT_WGSL || !s->type->rank || s->op->result_count > 1 || !gen->narrow ||
      (bytes != 2 && bytes != 4))
    return 1;
  const uint32_t last = s->type->rank - 1;
  const ten_scatter_part part = ten_scatter_part_of(s->op, last);
  if (ten_dtype_is_complex(s->type->dtype) || is_row_dim(s, last) || part.window < 0 || s->type->rank < 2 ||
      s->updates->dims[part.window] != s->type->dims[last])
    return 1;
  return s->type->dims[last] % lanes ? 1 : lanes;
}

/* Elements of the results: the operand's, and all updates of their row. */
static void generate_walk(simt_gen *gen, const scatter *s, const search *f, const ten_value *links, int64_t lanes,
                          simt_ix thread) {
  const uint32_t count = s->op->result_count;
  const int64_t window = ten_scatter_part_of(s->op, s->type->rank - 1).window; /* of the lanes' dimension */
  const uint32_t last = s->type->rank - 1;
  simt_ix *at = simt_indices(gen, s->type->rank), *index = simt_indices(gen, s->updates->rank);
  const simt_ix place = simt_multiply(gen, thread, lanes);
  simt_delinearise(gen, s->type->rank, s->type->dims, place, at);
  if (lanes > 1) simt_set_lanes(gen, at[last], lanes);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "true");
  const simt_ix row = find_row(gen, s, at, index, &inside);
  simt_var *vars = ten_arena_new_array(&gen->ir->arena, simt_var, (size_t)(count * lanes));
  for (int64_t j = 0; j < lanes; j++) {
    if (j) at[last] = simt_index_of(gen->lanes[j]);
    for (uint32_t k = 0; k < count; k++)
      vars[j * count + k] =
          simt_var_new(gen, s->op->results[k].type->dtype, simt_element(gen, ten_op_operand(s->op, k), at));
  }
  simt_open(gen, "if (%s)", inside.data);
  ten_buf_free(&inside);
  const simt_ix piece = simt_loop(gen, f->pieces), head = simt_add(gen, simt_multiply(gen, piece, f->rows), row);
  const uint32_t first = simt_element(gen, links, &head).re, name = ++gen->registers;
  simt_open(gen, "for (%s v%u = v%u; v%u >= 0;)", simt_index_type(gen), name, first, name);
  place_update(gen, s, false, simt_index_of(name), index);
  for (int64_t j = 0; j < lanes; j++) {
    if (lanes > 1) index[window] = simt_index_of(gen->lanes[j]);
    update(gen, s, vars + j * count, index);
  }
  const simt_ix next = simt_add(gen, simt_index_of(name), simt_number(f->rows * f->pieces));
  simt_line(gen, "v%u = v%u;", name, simt_element(gen, links, &next).re);
  for (int i = 0; i < 3; i++) simt_close(gen);
  if (lanes == 1) {
    for (uint32_t k = 0; k < count; k++) simt_store(gen, s->op->results[k].type->dtype, outputs[k], thread, vars[k].at);
    return;
  }
  const ten_value *result = &s->op->results[0];
  simt_lanes_declare(gen, &result, 1);
  for (int64_t j = 0; j < lanes; j++) simt_store(gen, result->type->dtype, "w0", simt_number(j), vars[j].at);
  simt_lanes_store(gen, &result, 1, place);
}

/* The update at `index`, where its place is inside. Leaves the branch open. */
static void update_inside(simt_gen *gen, const scatter *s, const simt_ix *index) {
  simt_ix *at = simt_indices(gen, s->type->rank);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "true");
  find_starts(gen, s, index, at, &inside);
  simt_open(gen, "if (%s)", inside.data);
  ten_buf_free(&inside);
  const simt_ix linear = find_element(gen, s, index, at);
  const simt_var *vars = load_results(gen, s, linear);
  update(gen, s, vars, index);
  store_results(gen, s, linear, vars);
}

/* A thread's update alone. */
static void generate_update(simt_gen *gen, const scatter *s, simt_ix thread) {
  simt_ix *index = simt_indices(gen, s->updates->rank);
  simt_delinearise(gen, s->updates->rank, s->updates->dims, thread, index);
  update_inside(gen, s, index);
  simt_close(gen);
}

/* All updates, one after the other, of the elements that are a thread's own. */
static void generate_loops(simt_gen *gen, const scatter *s, simt_ix thread) {
  const uint32_t rank = s->updates->rank;
  simt_ix *index = simt_indices(gen, rank);
  uint32_t loops = 0;
  place_update(gen, s, true, thread, index);
  for (uint32_t i = 0; i < rank; i++) {
    if (is_shared(s, i)) continue;
    index[i] = simt_loop(gen, s->updates->dims[i]);
    loops++;
  }
  update_inside(gen, s, index);
  while (loops-- > 0) simt_close(gen);
  simt_close(gen);
}

/* The generator's kernel as a step that writes `value`; where an earlier step computes the same from the same, there is
 * none, and its value is taken. */
static const ten_value *add_shared(simt_planner *p, simt_body *body, const ten_op *op, int64_t count,
                                   const ten_value *value) {
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = count}, &value, 1);
  const simt_step *made = &body->steps.data[body->steps.count - 1];
  for (size_t i = 0; i + 1 < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    if (step->kind != SIMT_KERNEL || step->kernel != made->kernel || step->count != count || step->write_count != 1 ||
        memcmp(step->reads, made->reads, made->read_count * sizeof *made->reads) != 0)
      continue;
    body->steps.count--;
    return p->plan->values[step->writes[0]];
  }
  return value;
}

static void emit_chains(simt_planner *p, simt_body *body, const ten_op *op, const search *f) {
  const scatter s = read_scatter(op);
  simt_gen *gen = &p->gen;
  const bool narrow = gen->narrow;
  const int64_t updates = f->piece * f->pieces, firsts = f->rows * f->pieces;
  gen->narrow = gen->language == SIMT_WGSL; /* indices may have any value, but see simt_as_index */
  generate_rows(gen, &s, f, simt_begin_kernel(p));
  gen->narrow = narrow;
  const ten_value *rows = add_shared(p, body, op, updates, simt_partial_of(p, op, 0, TEN_I32, updates));
  generate_links(gen, f, rows, simt_begin_kernel(p));
  const ten_value *links = add_shared(p, body, op, firsts, simt_partial_of(p, op, 1, TEN_I32, firsts + updates));
  const int64_t lanes = lanes_of(gen, &s);
  generate_walk(gen, &s, f, links, lanes, simt_begin_kernel(p));
  const ten_value *results[OUTPUTS_MOST];
  for (uint32_t i = 0; i < op->result_count; i++) results[i] = &op->results[i];
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(s.type) / lanes},
                     results, op->result_count);
}

/* Copies the operands, then applies the updates to them. */
static void emit_in_place(simt_planner *p, simt_body *body, const ten_op *op, bool unique) {
  const scatter s = read_scatter(op);
  simt_gen *gen = &p->gen;
  const simt_ix thread = simt_begin_kernel(p);
  const ten_value *results[OUTPUTS_MOST];
  simt_ix *index = simt_indices(gen, s.type->rank);
  simt_delinearise(gen, s.type->rank, s.type->dims, thread, index);
  for (uint32_t i = 0; i < op->result_count; i++) {
    results[i] = &op->results[i];
    simt_store(gen, results[i]->type->dtype, outputs[i], thread, simt_element(gen, ten_op_operand(op, i), index));
  }
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(s.type)}, results,
                     op->result_count);
  const bool narrow = gen->narrow;
  gen->narrow = gen->language == SIMT_WGSL; /* indices may have any value, but see simt_as_index */
  (unique ? generate_update : generate_loops)(gen, &s, simt_begin_kernel(p));
  gen->narrow = narrow;
  const int64_t count = ten_type_count(s.updates), threads = unique || !count ? count : count_dims(&s, true);
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_SCATTER, .op = op, .count = threads}, results, op->result_count);
}

void simt_emit_scatter(simt_planner *p, simt_body *body, const ten_op *op) {
  const scatter s = read_scatter(op);
  const bool unique = has_plain_windows(&s) && is_unique(op);
  search f;
  if (op->result_count > OUTPUTS_MOST)
    simt_fail(&p->gen, ten_op_error(op, TEN_LIMIT, "%u results; %d are the most on this device", op->result_count,
                                    OUTPUTS_MOST));
  else if (!unique && choose_search(&s, &f))
    emit_chains(p, body, op, &f);
  else
    emit_in_place(p, body, op, unique);
}
