/* batch.c: the walk. The ops of the function of one example are visited in order; one that depends on no batched value
 * is copied, any other goes to its rule.
 *
 * Needs: verified StableHLO with static shapes.  Keeps: the original module; locations. */
#include "transform/batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "ir/assert.h"
#include "ir/ten.h"
#include "transform/batch/rules.h"
#include "transform/pass/pass.h"

static const ten_batch_rule rules[TEN_OP_COUNT] = {
    [TEN_OP_RESHAPE] = ten_batch_lead,
    [TEN_OP_BITCAST_CONVERT] = ten_batch_lead,
    [TEN_OP_FFT] = ten_batch_lead,
    [TEN_OP_CHOLESKY] = ten_batch_lead,
    [TEN_OP_TRIANGULAR_SOLVE] = ten_batch_lead,
    [TEN_OP_CHLO_TOP_K] = ten_batch_lead,
    [TEN_OP_BROADCAST_IN_DIM] = ten_batch_broadcast,
    [TEN_OP_OPTIMIZATION_BARRIER] = ten_batch_lead,
    [TEN_OP_TRANSPOSE] = ten_batch_transpose,
    [TEN_OP_SLICE] = ten_batch_slice,
    [TEN_OP_PAD] = ten_batch_pad,
    [TEN_OP_CONCATENATE] = ten_batch_concatenate,
    [TEN_OP_REVERSE] = ten_batch_reverse,
    [TEN_OP_DOT_GENERAL] = ten_batch_dot,
    [TEN_OP_CONVOLUTION] = ten_batch_convolution,
    [TEN_OP_REDUCE] = ten_batch_reduce,
    [TEN_OP_REDUCE_WINDOW] = ten_batch_window,
    [TEN_OP_SELECT_AND_SCATTER] = ten_batch_window,
    [TEN_OP_SORT] = ten_batch_sort,
    [TEN_OP_MAP] = ten_batch_map,
    [TEN_OP_GATHER] = ten_batch_gather,
    [TEN_OP_SCATTER] = ten_batch_scatter,
    [TEN_OP_DYNAMIC_SLICE] = ten_batch_dynamic_slice,
    [TEN_OP_DYNAMIC_UPDATE_SLICE] = ten_batch_dynamic_update_slice,
    [TEN_OP_IF] = ten_batch_if,
    [TEN_OP_CASE] = ten_batch_case,
    [TEN_OP_WHILE] = ten_batch_while,
};

/* ---- values ---- */
ten_value *ten_batch_get(const ten_batch *s, const ten_value *value) {
  ten_value *found = ten_value_map_get(&s->map, value);
  return found ? found : (ten_value *)value;
}

bool ten_batch_is(const ten_batch *s, const ten_value *value) {
  return ten_value_map_get(&s->batched, ten_batch_get(s, value)) != NULL;
}

void ten_batch_set(ten_batch *s, const ten_value *value, ten_value *as, bool batched) {
  ten_value_map_set(&s->map, value, as);
  if (batched) ten_value_map_set(&s->batched, as, as);
}

const ten_type *ten_batch_type(const ten_batch *s, const ten_type *type) {
  int64_t dims[BATCH_RANK_MAX];
  dims[0] = s->count;
  for (uint32_t i = 0; i < type->rank; i++) dims[i + 1] = type->dims[i];
  return ten_type_with_shape(s->module, type, type->rank + 1, dims);
}

ten_value *ten_batch_all(ten_batch *s, ten_builder *b, const ten_value *value) {
  ten_value *x = ten_batch_get(s, value);
  if (ten_batch_is(s, value)) return x;
  const ten_type *type = ten_batch_type(s, x->type);
  return ten_build_broadcast_to(b, x, type->rank, type->dims);
}

ten_ints ten_batch_shift(ten_batch *s, ten_ints list) {
  int64_t *made = ten_arena_new_array(&s->module->arena, int64_t, list.count + 1);
  for (size_t i = 0; i < list.count; i++) made[i] = list.data[i] + 1;
  return (ten_ints){made, list.count};
}

ten_ints ten_batch_shift_behind(ten_batch *s, int64_t first, ten_ints list) {
  int64_t *made = ten_arena_new_array(&s->module->arena, int64_t, list.count + 1);
  made[0] = first;
  for (size_t i = 0; i < list.count; i++) made[i + 1] = list.data[i] + 1;
  return (ten_ints){made, list.count + 1};
}

void ten_batch_dims(ten_batch *s, ten_op *op, const char *name, ten_ints list) {
  ten_op_set_attr(s->module, op, ten_str_of(name), ten_attr_dims(s->module, list.count, list.data));
}

/* ---- ops ---- */
void ten_batch_insert(ten_builder *b, ten_op *op) {
  if (b->before)
    ten_op_insert_before(b->before, op);
  else
    ten_op_append(b->block, op);
}

ten_op *ten_batch_again(ten_batch *s, ten_builder *b, const ten_op *op, ten_value *const *operands) {
  ten_op *made = ten_op_clone(s->module, op, &s->map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(made, i, operands[i]);
  for (uint32_t i = 0; i < op->result_count; i++) {
    made->results[i].type = ten_batch_type(s, op->results[i].type);
    ten_batch_set(s, &op->results[i], &made->results[i], true);
  }
  ten_batch_insert(b, made);
  return made;
}

ten_op *ten_batch_again_all(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_value **operands = ten_arena_new_array(&s->module->arena, ten_value *, op->operand_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = ten_batch_operand(s, b, op, i);
  return ten_batch_again(s, b, op, operands);
}

bool ten_batch_captures(const ten_batch *s, const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next) {
        for (uint32_t i = 0; i < inner->operand_count; i++)
          if (ten_batch_is(s, ten_op_operand(inner, i))) return true;
        if (ten_batch_captures(s, inner)) return true;
      }
  return false;
}

static bool has_assert(const ten_op *op) {
  if (ten_op_is_assert(op)) return true;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next)
        if (has_assert(inner)) return true;
  return false;
}

/* A check inside of a branch is one of the examples that take it. */
static bool depends(const ten_batch *s, const ten_op *op) {
  if (s->active && has_assert(op)) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_batch_is(s, ten_op_operand(op, i))) return true;
  return ten_batch_captures(s, op);
}

/* An operand that is a scalar where the result is not, as of select and clamp, is broadcast to the result's shape. */
bool ten_batch_elementwise(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_type *type = op->results[0].type, *whole = ten_batch_type(s, type);
  ten_value **operands = ten_arena_new_array(&s->module->arena, ten_value *, op->operand_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *mine = ten_op_operand(op, i)->type;
    if (mine->rank && (mine->rank != type->rank || memcmp(mine->dims, type->dims, type->rank * sizeof *type->dims)))
      return false;
    operands[i] = ten_batch_operand(s, b, op, i);
    if (mine->rank < type->rank)
      operands[i] = ten_build_broadcast(b, operands[i], whole->rank, whole->dims, (const int64_t[]){0});
  }
  ten_batch_again(s, b, op, operands);
  return true;
}

static bool is_plain(const ten_type *type) {
  return ten_type_is_tensor(type) && !type->quant && ten_type_is_static(type);
}

/* A program's own arguments and results. */
static bool is_taken(const ten_type *type) { return is_plain(type) && type->rank + 2 <= BATCH_RANK_MAX; }

static ten_status *supported(const ten_op *op) {
  const char *why = NULL;
  if (ten_op_has(op, TEN_TRAIT_COLLECTIVE)) why = "it exchanges values between devices";
  for (uint32_t i = 0; i < op->operand_count + op->result_count && !why; i++) {
    const ten_type *type =
        i < op->operand_count ? ten_op_operand(op, i)->type : op->results[i - op->operand_count].type;
    if (!is_plain(type))
      why = "only tensors of known shapes can be batched";
    else if (type->rank + 2 > BATCH_RANK_MAX)
      why = "too many dimensions";
  }
  return why ? ten_op_error(op, TEN_UNSUPPORTED, "no batch of examples can be made of it: %s", why) : NULL;
}

static ten_status *batch_op(ten_batch *s, ten_builder *b, const ten_op *op) {
  b->loc = op->loc;
  if (!depends(s, op)) {
    ten_batch_insert(b, ten_op_clone(s->module, op, &s->map));
    return NULL;
  }
  TEN_TRY(supported(op));
  bool done = false;
  if (ten_op_is_assert(op))
    done = ten_batch_assert(s, b, op);
  else if (rules[op->code])
    done = rules[op->code](s, b, op);
  else if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && !op->region_count)
    done = ten_batch_elementwise(s, b, op);
  if (!done) ten_batch_loop(s, b, op);
  ten_status *status = s->status;
  s->status = NULL;
  return status;
}

ten_status *ten_batch_block(ten_batch *s, ten_builder *b, const ten_block *block) {
  for (const ten_op *op = block->first; op && !ten_op_has(op, TEN_TRAIT_TERMINATOR); op = op->next)
    TEN_TRY(batch_op(s, b, op));
  return NULL;
}

/* ---- functions ---- */
/* An empty batch computes nothing. */
static ten_status *function_fill(ten_batch *s, ten_builder *b, const ten_op *from) {
  const ten_block *block = ten_op_body(from, 0);
  const ten_op *end = ten_block_terminator(block);
  if (s->count) TEN_TRY(ten_batch_block(s, b, block));
  ten_value **results = ten_arena_new_array(&s->module->arena, ten_value *, end->operand_count + 1);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (!is_taken(value->type))
      return ten_op_error(end, TEN_UNSUPPORTED,
                          "result %u: only tensors of known shapes and at most %d dimensions can be batched", i,
                          BATCH_RANK_MAX - 2);
    results[i] = s->count ? ten_batch_all(s, b, value) : ten_build_splat(b, ten_batch_type(s, value->type), 0);
  }
  ten_build_return(b, end->operand_count, results);
  return NULL;
}

static ten_status *function_batch(ten_module *module, ten_op *from, const bool *batched, int64_t count) {
  ten_batch s = {.module = module, .count = count};
  const ten_block *block = ten_op_body(from, 0);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, block->arg_count + 1);
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const ten_type *type = block->args[i]->type;
    if (batched[i] && !is_taken(type))
      return ten_op_error(from, TEN_UNSUPPORTED,
                          "argument %u: only tensors of known shapes and at most %d dimensions can be batched", i,
                          BATCH_RANK_MAX - 2);
    types[i] = batched[i] ? ten_batch_type(&s, type) : type;
  }
  const ten_str name = ten_func_name(from);
  ten_op *func = ten_func_create(module, ten_name_str(TEN_NAME_BATCHED), block->arg_count, types, 0, NULL, from->loc);
  for (uint32_t i = 0; i < block->arg_count; i++)
    ten_batch_set(&s, block->args[i], ten_op_body(func, 0)->args[i], batched[i]);
  ten_builder b = {.module = module, .block = ten_op_body(func, 0)};
  ten_status *status = function_fill(&s, &b, from);
  ten_value_map_free(&s.map);
  ten_value_map_free(&s.batched);
  if (status) return status;
  ten_func_update_type(module, func);
  ten_op_erase(from);
  ten_op_set_attr(module, func, TEN_STR("sym_name"), ten_attr_string(module, name));
  return NULL;
}

ten_status *ten_batch_module(const ten_module *module, ten_str name, const bool *batched, int64_t count,
                             ten_module **out_module) {
  static const ten_pass *const passes[] = {&ten_pass_inline, &ten_pass_tuple, &ten_pass_expand, &ten_pass_dce, NULL};
  *out_module = NULL;
  TEN_RECOVER("batching the program");
  ten_module *copy = ten_module_clone_view(module);
  ten_status *status = ten_pipeline_run(passes, copy, NULL);
  ten_op *entry = ten_module_entry(copy, name);
  if (!status && (!entry || !ten_op_body(entry, 0)))
    status = ten_error(TEN_INVALID, "the program has no @main, nor one public function, to batch");
  if (!status) status = function_batch(copy, entry, batched, count);
  if (status)
    ten_module_destroy(copy);
  else
    *out_module = copy;
  return status;
}
