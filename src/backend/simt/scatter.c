/* scatter.c: updates into buffers that hold the operands. Results must be deterministic: one thread applies all updates
 * of an element in order. Threads partition those dimensions of the update windows that no index moves along: they
 * never write the same element. */
#include <inttypes.h>

#include "backend/simt/gen.h"
#include "ir/index_map.h"

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

int64_t simt_scatter_threads(const ten_op *op) {
  const scatter s = read_scatter(op);
  int64_t threads = 1;
  for (uint32_t i = 0; i < s.updates->rank; i++)
    if (is_shared(&s, i)) threads *= s.updates->dims[i];
  return ten_type_count(s.updates) ? threads : 0;
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
  const scatter s = read_scatter(op);
  const uint32_t rank = s.updates->rank;
  simt_ix *index = simt_indices(gen, rank);
  uint32_t loops = 0;
  for (uint32_t i = rank; i-- > 0;) {
    if (!is_shared(&s, i)) continue;
    index[i] = simt_modulo(gen, thread, s.updates->dims[i]);
    thread = simt_divide(gen, thread, s.updates->dims[i]);
  }
  for (uint32_t i = 0; i < rank; i++) {
    if (is_shared(&s, i)) continue;
    index[i] = simt_loop(gen, s.updates->dims[i]);
    loops++;
  }
  simt_ix *at = simt_indices(gen, s.type->rank);
  ten_buf inside = {0}; /* a window is written only if all of it is in bounds */
  ten_buf_adds(&inside, "if (true");
  for (uint32_t i = 0; i < s.type->rank; i++) {
    at[i] = window_start(gen, &s, i, index);
    const char *text = simt_text(gen, at[i]);
    ten_buf_printf(&inside, " && %s >= 0 && %s <= %" PRId64, text, text, ten_scatter_part_of(op, i).high);
  }
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  for (uint32_t i = 0; i < s.type->rank; i++) {
    const int64_t window = ten_scatter_part_of(op, i).window;
    if (window >= 0) at[i] = simt_add(gen, at[i], index[window]);
  }
  update(gen, &s, simt_linear(gen, s.type, at), index);
  while (loops-- > 0) simt_close(gen);
  simt_close(gen);
}
