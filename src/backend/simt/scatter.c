/* scatter.c: updates into buffers that hold what is updated. Results must not depend on timing: updates of one element
 * are applied in their order by one thread. Threads share out those dimensions of the update windows that no index
 * moves along: two of them never meet. */
#include <inttypes.h>

#include "backend/simt/gen.h"

typedef struct scatter {
  const ten_op *op;
  const ten_type *type, *updates;
  ten_scatter_dims dims;
  const int64_t *window_of; /* by dimension of the operand: the window's dimension, or -1 */
} scatter;

static scatter read_scatter(simt_gen *gen, const ten_op *op) {
  scatter s = {.op = op, .type = op->results[0].type, .updates = ten_op_operand(op, op->result_count + 1)->type};
  s.dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  if (!gen) return s;
  int64_t *window_of = ten_arena_new_array(&gen->ir->arena, int64_t, s.type->rank + 1);
  for (uint32_t i = 0, window = 0; i < s.type->rank; i++) {
    const bool one = ten_ints_has(s.dims.inserted_window_dims, i) || ten_ints_has(s.dims.input_batching_dims, i);
    window_of[i] = one ? -1 : s.dims.update_window_dims.data[window++];
  }
  s.window_of = window_of;
  return s;
}

/* Whether a dimension of the updates is shared out. */
static bool is_shared(const scatter *s, uint32_t update_dim) {
  size_t window = 0;
  for (uint32_t i = 0; i < s->type->rank; i++) {
    if (ten_ints_has(s->dims.inserted_window_dims, i) || ten_ints_has(s->dims.input_batching_dims, i)) continue;
    if (s->dims.update_window_dims.data[window++] == (int64_t)update_dim)
      return !ten_ints_has(s->dims.scatter_dims_to_operand_dims, i);
  }
  return false;
}

int64_t simt_scatter_threads(const ten_op *op) {
  const scatter s = read_scatter(NULL, op);
  int64_t threads = 1;
  for (uint32_t i = 0; i < s.updates->rank; i++)
    if (is_shared(&s, i)) threads *= s.updates->dims[i];
  return ten_type_count(s.updates) ? threads : 0;
}

/* Where the window of this batch index starts in the operand. */
static void window_start(simt_gen *gen, const scatter *s, const simt_ix *batch, simt_ix *at) {
  const ten_value *starts = ten_op_operand(s->op, s->op->result_count);
  simt_ix *at_start = simt_indices(gen, starts->type->rank);
  for (uint32_t i = 0, k = 0; i < starts->type->rank; i++)
    if ((int64_t)i != s->dims.index_vector_dim) at_start[i] = batch[k++];
  for (size_t k = 0; k < s->dims.scatter_dims_to_operand_dims.count; k++) {
    if (s->dims.index_vector_dim < (int64_t)starts->type->rank)
      at_start[s->dims.index_vector_dim] = simt_number((int64_t)k);
    at[s->dims.scatter_dims_to_operand_dims.data[k]] =
        simt_as_index(gen, starts->type->dtype, simt_element(gen, starts, at_start));
  }
  for (size_t k = 0; k < s->dims.input_batching_dims.count; k++) {
    int64_t from = s->dims.scatter_indices_batching_dims.data[k];
    if (from > s->dims.index_vector_dim) from--;
    at[s->dims.input_batching_dims.data[k]] = batch[from];
  }
}

static void update(simt_gen *gen, const scatter *s, simt_ix linear, const simt_ix *index) {
  const uint32_t count = s->op->result_count;
  simt_val *args = ten_arena_new_array(&gen->ir->arena, simt_val, 2 * count),
           *results = ten_arena_new_array(&gen->ir->arena, simt_val, count);
  static const char *const outputs[] = {"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"};
  if (count > sizeof outputs / sizeof *outputs) {
    simt_fail(gen, ten_op_error(s->op, TEN_LIMIT, "%u results; 8 are the most on this device", count));
    return;
  }
  for (uint32_t k = 0; k < count; k++) {
    args[k] = simt_load(gen, s->op->results[k].type->dtype, outputs[k], linear);
    args[count + k] = simt_element(gen, ten_op_operand(s->op, count + 1 + k), index);
  }
  simt_region(gen, &s->op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) simt_store(gen, s->op->results[k].type->dtype, outputs[k], linear, results[k]);
}

void simt_generate_scatter(simt_gen *gen, const ten_op *op, simt_ix thread) {
  const scatter s = read_scatter(gen, op);
  const uint32_t rank = s.updates->rank;
  simt_ix *index = simt_indices(gen, rank), *batch = simt_indices(gen, rank);
  uint32_t loops = 0;
  for (uint32_t i = rank; i-- > 0;) {
    if (!is_shared(&s, i)) continue;
    index[i] = simt_modulo(gen, thread, s.updates->dims[i]);
    thread = simt_divide(gen, thread, s.updates->dims[i]);
  }
  for (uint32_t i = 0, k = 0; i < rank; i++) {
    if (is_shared(&s, i)) continue;
    index[i] = simt_loop(gen, s.updates->dims[i]);
    loops++;
    if (!ten_ints_has(s.dims.update_window_dims, i)) batch[k++] = index[i];
  }
  simt_ix *at = simt_indices(gen, s.type->rank);
  window_start(gen, &s, batch, at);
  ten_buf inside = {0}; /* the whole window is inside or nothing of it is written */
  ten_buf_adds(&inside, "if (true");
  for (uint32_t i = 0; i < s.type->rank; i++) {
    const int64_t extent = s.window_of[i] < 0 ? 1 : s.updates->dims[s.window_of[i]];
    const char *text = simt_text(gen, at[i]);
    ten_buf_printf(&inside, " && %s >= 0 && %s <= %" PRId64, text, text, s.type->dims[i] - extent);
  }
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  for (uint32_t i = 0; i < s.type->rank; i++)
    if (s.window_of[i] >= 0) at[i] = simt_add(gen, at[i], index[s.window_of[i]]);
  update(gen, &s, simt_linear(gen, s.type, at), index);
  while (loops-- > 0) simt_close(gen);
  simt_close(gen);
}
