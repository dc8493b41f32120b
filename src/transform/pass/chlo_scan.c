/* chlo_scan.c: chlo.scan as stablehlo.while. The loop carries a counter, the outputs being filled, and the scan's own
 * carries; each iteration takes one slice of every input, runs the scan's region, and puts one slice into every output.
 */
#include <string.h>

#include "transform/pass/chlo.h"

typedef struct scan {
  const ten_op *op;
  uint32_t inputs, carries, outputs;
  int64_t dim, size;
  bool reverse;
} scan;

static uint32_t segment(const ten_op *op, const char *name, uint32_t index, uint32_t otherwise) {
  const ten_attr *attr = ten_op_attr(op, name);
  if (!attr || attr->kind != TEN_ATTR_LIST || attr->list.dtype != TEN_I32 || index >= attr->list.count)
    return otherwise;
  return (uint32_t)((const int32_t *)attr->list.data)[index];
}

static void goes_on(ten_builder *b, ten_value *const *args, void *context) {
  const scan *s = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, s->size));
  ten_build_return(b, 1, &more);
}

/* Slice `at` of x along the scan's dimension, without that dimension. */
static ten_value *take_slice(ten_builder *b, const scan *s, ten_value *x, ten_value *at) {
  const uint32_t rank = x->type->rank;
  int64_t *sizes = ten_arena_copy(&b->module->arena, x->type->dims, rank * sizeof *sizes);
  int64_t *rest = ten_arena_new_array(&b->module->arena, int64_t, rank);
  ten_value **starts = ten_arena_new_array(&b->module->arena, ten_value *, rank);
  for (uint32_t i = 0, k = 0; i < rank; i++) {
    starts[i] = (int64_t)i == s->dim ? at : ten_build_scalar_int(b, TEN_I64, 0);
    if ((int64_t)i != s->dim) rest[k++] = sizes[i];
  }
  sizes[s->dim] = 1;
  return ten_build_reshape(b, ten_build_dynamic_slice(b, x, starts, sizes), rank - 1, rest);
}

static ten_value *put_slice(ten_builder *b, const scan *s, ten_value *into, ten_value *slice, ten_value *at) {
  const uint32_t rank = into->type->rank;
  int64_t *sizes = ten_arena_copy(&b->module->arena, into->type->dims, rank * sizeof *sizes);
  ten_value **starts = ten_arena_new_array(&b->module->arena, ten_value *, rank);
  for (uint32_t i = 0; i < rank; i++) starts[i] = (int64_t)i == s->dim ? at : ten_build_scalar_int(b, TEN_I64, 0);
  sizes[s->dim] = 1;
  return ten_build_dynamic_update_slice(b, into, ten_build_reshape(b, slice, rank, sizes), starts);
}

static void iterate(ten_builder *b, ten_value *const *args, void *context) {
  const scan *s = context;
  const ten_block *region = ten_op_body(s->op, 0);
  ten_value *one = ten_build_scalar_int(b, TEN_I64, 1), *at = args[0];
  if (s->reverse) at = ten_build_binary(b, TEN_OP_SUBTRACT, ten_build_scalar_int(b, TEN_I64, s->size - 1), at);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < s->inputs; i++)
    ten_value_map_set(&map, region->args[i], take_slice(b, s, ten_op_operand(s->op, i), at));
  for (uint32_t i = 0; i < s->carries; i++)
    ten_value_map_set(&map, region->args[s->inputs + i], args[1 + s->outputs + i]);
  const ten_op *end = ten_block_terminator(region);
  for (const ten_op *op = region->first; op != end; op = op->next)
    ten_op_append(b->block, ten_op_clone(b->module, op, &map));
  ten_value **next = ten_arena_new_array(&b->module->arena, ten_value *, 1 + end->operand_count);
  next[0] = ten_build_binary(b, TEN_OP_ADD, args[0], one);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    ten_value *value = ten_op_operand(end, i), *here = ten_value_map_get(&map, value);
    if (!here) here = value;
    next[1 + i] = i < s->outputs ? put_slice(b, s, args[1 + i], here, at) : here;
  }
  ten_value_map_free(&map);
  ten_build_return(b, 1 + end->operand_count, next);
}

bool ten_chlo_scan(ten_builder *b, ten_op *op) {
  scan s = {.op = op,
            .inputs = segment(op, "operandSegmentSizes", 0, op->operand_count / 2),
            .dim = ten_op_int(op, "dimension", 0)};
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!ten_type_is_static(ten_op_operand(op, i)->type)) return false;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!ten_type_is_static(op->results[i].type)) return false;
  s.carries = op->operand_count - s.inputs;
  s.outputs = op->result_count - s.carries;
  s.reverse = ten_attr_as_bool(ten_op_attr(op, "is_reverse"));
  if (s.inputs)
    s.size = ten_op_operand(op, 0)->type->dims[s.dim];
  else
    s.size = ten_op_int(op, "scan_dim_size", s.outputs ? op->results[0].type->dims[s.dim] : 0);
  ten_value **inits = ten_arena_new_array(&b->module->arena, ten_value *, 1 + op->result_count);
  inits[0] = ten_build_scalar_int(b, TEN_I64, 0);
  for (uint32_t i = 0; i < s.outputs; i++) inits[1 + i] = ten_build_splat_int(b, op->results[i].type, 0);
  for (uint32_t i = 0; i < s.carries; i++) inits[1 + s.outputs + i] = ten_op_operand(op, s.inputs + i);
  if (!s.size) { /* no iterations: and no slices of size 1 of nothing */
    for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], inits[1 + i]);
    return true;
  }
  const ten_op *loop = ten_build_while(b, 1 + op->result_count, inits, goes_on, iterate, &s);
  for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], &loop->results[1 + i]);
  return true;
}
