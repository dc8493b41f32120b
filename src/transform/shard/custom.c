/* custom.c: replaces a call by the program that a partitioner returns.
 * Needs: a call of static tensors.  Keeps: values, as the partitioner's program computes them. */
#include "transform/shard/custom.h"

#include <stdlib.h>
#include <string.h>

#include "transform/pass/pass.h"
#include "transform/shard/partition.h"

bool ten_is_partitioned_call(const ten_partitioner *partitioner, const ten_op *op) {
  return partitioner && op->code == TEN_OP_CUSTOM_CALL &&
         partitioner->knows(partitioner->context, ten_attr_as_string(ten_op_attr(op, "call_target_name")));
}

static const ten_type *value_type(const ten_op *op, uint32_t index) {
  return index < op->operand_count ? ten_op_operand(op, index)->type : op->results[index - op->operand_count].type;
}

void ten_partition_call_create(const ten_op *op, uint32_t devices, ten_partition_call *out) {
  *out = (ten_partition_call){.op = op};
  out->operands = ten_alloc((op->operand_count + 1) * sizeof *out->operands);
  out->results = ten_alloc((op->result_count + 1) * sizeof *out->results);
  for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
    const ten_type *type = value_type(op, i);
    ten_tiling_whole(ten_type_is_tensor(type) ? type->rank : 0, devices,
                     i < op->operand_count ? &out->operands[i] : &out->results[i - op->operand_count]);
  }
}

void ten_partition_call_destroy(ten_partition_call *call) {
  for (uint32_t i = 0; i < call->op->operand_count; i++) ten_tiling_free(&call->operands[i]);
  for (uint32_t i = 0; i < call->op->result_count; i++) ten_tiling_free(&call->results[i]);
  free(call->operands);
  free(call->results);
  *call = (ten_partition_call){0};
}

static bool has_meshes(const ten_op *op) {
  while (ten_op_parent(op)) op = ten_op_parent(op);
  for (const ten_op *top = ten_op_body(op, 0)->first; top; top = top->next)
    if (ten_str_is(top->name, "sdy.mesh")) return true;
  return false;
}

static bool all_whole(const ten_tiling *tilings, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!ten_tiling_is_whole(&tilings[i])) return false;
  return true;
}

static bool take_wanted(ten_partition_call *call, const ten_tiling *const *wanted) {
  bool any = false;
  for (uint32_t i = 0; i < call->op->result_count; i++) {
    if (!wanted[i] || ten_tiling_is_whole(wanted[i])) continue;
    ten_tiling_free(&call->results[i]);
    ten_tiling_copy(wanted[i], &call->results[i]);
    ten_tiling_drop_parts(&call->results[i]);
    any = true;
  }
  return any;
}

ten_status *ten_partition_call_choose(const ten_partitioner *partitioner, ten_partition_call *call,
                                      const ten_tiling *const *wanted) {
  const ten_op *op = call->op;
  for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
    const ten_type *type = value_type(op, i);
    if (!ten_type_is_tensor(type) || !ten_type_is_static(type) || type->quant)
      return ten_op_error(op, TEN_UNSUPPORTED, "custom partitioning of a value that is not a tensor of a fixed shape");
  }
  const ten_attr *rule = ten_op_attr(op, "sdy.sharding_rule");
  if (rule && rule->kind == TEN_ATTR_OPAQUE) TEN_TRY(ten_rule_apply(rule->string, call));
  if (rule || has_meshes(op)) return take_wanted(call, wanted), NULL; /* Shardy gives no other information */
  TEN_TRY(partitioner->infer(partitioner->context, call));
  if (!all_whole(call->results, op->result_count) || !take_wanted(call, wanted)) return NULL;
  return partitioner->propagate(partitioner->context, call);
}

/* The entry function must take and return the tiles of the tilings. */
static ten_status *check_entry(const ten_partition_call *call, const ten_op *entry) {
  const ten_op *op = call->op;
  const ten_type *type = ten_func_type(entry);
  if (type->input_count != op->operand_count || type->result_count != op->result_count)
    return ten_op_error(op, TEN_INVALID, "its partitioning takes %u values and returns %u, the call %u and %u",
                        type->input_count, type->result_count, op->operand_count, op->result_count);
  for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
    const bool in = i < op->operand_count;
    const uint32_t at = in ? i : i - op->operand_count;
    const ten_type *whole = value_type(op, i), *tile = in ? type->inputs[at] : type->results[at];
    int64_t dims[TEN_RANK_MAX];
    if (!ten_tiling_local(in ? &call->operands[at] : &call->results[at], whole->dims, dims))
      return ten_op_error(op, TEN_UNSUPPORTED, "its partitioning does not cut %s %u evenly", in ? "operand" : "result",
                          at);
    if (!ten_type_is_tensor(tile) || tile->dtype != whole->dtype || tile->rank != whole->rank ||
        memcmp(tile->dims, dims, whole->rank * sizeof *dims) != 0)
      return ten_op_error(op, TEN_INVALID, "its partitioning has %s %u of another shape or type than its sharding says",
                          in ? "operand" : "result", at);
  }
  return NULL;
}

typedef struct renumbering {
  ten_module *module;
  int64_t first, last;
} renumbering;

/* Renumbers the channels of the program's collectives to avoid existing ones. */
static ten_status *renumber(ten_op *op, void *context) {
  renumbering *numbers = context;
  const ten_attr *handle = ten_op_attr(op, "channel_handle");
  if (!handle || handle->kind != TEN_ATTR_STRUCT) return NULL;
  const int64_t old = ten_attr_as_int(ten_attr_field(handle, "handle"), 0);
  if (old < 0 || old > 1 << 16) return ten_op_error(op, TEN_LIMIT, "channel %lld", (long long)old);
  const ten_attr *const fields[] = {ten_attr_i64(numbers->module, numbers->first + old + 1),
                                    ten_attr_field(handle, "type")};
  ten_op_set_attr(numbers->module, op, TEN_STR("channel_handle"),
                  ten_attr_struct(numbers->module, TEN_STRUCT_CHANNEL_HANDLE, fields));
  if (numbers->last < numbers->first + old + 1) numbers->last = numbers->first + old + 1;
  return NULL;
}

static ten_status *inline_entry(ten_partition_call *call, ten_op *entry, ten_builder *b, ten_operand_tile tile,
                                void *context, int64_t *channel, ten_value **out_results) {
  const ten_block *body = ten_op_body(entry, 0);
  const ten_op *end = ten_block_terminator(body);
  renumbering numbers = {b->module, *channel, *channel};
  ten_value_map map = {0};
  for (uint32_t i = 0; i < body->arg_count; i++)
    ten_value_map_set(&map, body->args[i], tile(context, i, &call->operands[i]));
  ten_status *status = NULL;
  numbers.first = numbers.last = *channel; /* tiles may have used some */
  for (const ten_op *op = body->first; op != end && !status; op = op->next) {
    ten_op *made = ten_op_clone(b->module, op, &map);
    ten_op_insert_before(b->before, made);
    status = ten_op_walk(made, renumber, &numbers);
  }
  *channel = numbers.last;
  for (uint32_t i = 0; i < call->op->result_count && !status; i++)
    out_results[i] = ten_value_map_get(&map, ten_op_operand(end, i));
  ten_value_map_free(&map);
  return status;
}

ten_status *ten_partition_call_build(const ten_partitioner *partitioner, ten_partition_call *call, ten_builder *b,
                                     ten_operand_tile tile, void *context, int64_t *channel, ten_value **out_results) {
  ten_module *module = NULL;
  TEN_TRY(partitioner->partition(partitioner->context, call, &module));
  ten_op *entry = ten_module_entry(module, (ten_str){0});
  ten_status *status = entry && ten_op_body(entry, 0)
                           ? NULL
                           : ten_op_error(call->op, TEN_INVALID, "its partitioning has no entry function");
  if (!status) status = check_entry(call, entry);
  if (!status) status = ten_inline_function(module, entry);
  if (!status) status = inline_entry(call, entry, b, tile, context, channel, out_results);
  ten_module_destroy(module);
  return status;
}

typedef struct whole_call {
  ten_builder b;
  const ten_op *op;
} whole_call;

static ten_value *tile_of_whole(void *context, uint32_t index, const ten_tiling *tiling) {
  whole_call *at = context;
  return ten_build_tile(&at->b, ten_op_operand(at->op, index), tiling);
}

static ten_status *replace_whole(const ten_partitioner *partitioner, ten_module *module, ten_op *op, uint32_t devices,
                                 bool may_cut, int64_t *channel) {
  whole_call at = {.b = {.module = module, .block = op->block, .before = op, .loc = op->loc}, .op = op};
  ten_partition_call call;
  ten_partition_call_create(op, devices, &call);
  ten_value **results = ten_alloc((op->result_count + 1) * sizeof *results);
  const ten_tiling **wanted = ten_alloc((op->result_count + 1) * sizeof *wanted);
  for (uint32_t i = 0; i < op->result_count; i++) wanted[i] = NULL;
  ten_status *status = ten_partition_call_choose(partitioner, &call, wanted);
  if (!status) status = ten_partition_call_build(partitioner, &call, &at.b, tile_of_whole, &at, channel, results);
  if (!status && !may_cut &&
      (!all_whole(call.operands, op->operand_count) || !all_whole(call.results, op->result_count)))
    status = ten_op_error(op, TEN_UNSUPPORTED, "custom partitioning that cuts values inside a manual computation");
  for (uint32_t i = 0; i < op->result_count && !status; i++)
    ten_value_replace(&op->results[i], ten_build_whole(&at.b, results[i], &call.results[i], channel));
  free(wanted), free(results);
  ten_partition_call_destroy(&call);
  if (!status) ten_op_erase(op);
  return status;
}

ten_status *ten_partition_calls_inside(const ten_partitioner *partitioner, ten_module *module, ten_op *op,
                                       uint32_t devices, bool may_cut, int64_t *channel) {
  if (!partitioner) return NULL;
  may_cut &= !ten_str_is(op->name, "sdy.manual_computation");
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (ten_op *inner = block->first, *next; inner; inner = next) {
        next = inner->next;
        if (ten_is_partitioned_call(partitioner, inner))
          TEN_TRY(replace_whole(partitioner, module, inner, devices, may_cut, channel));
        else
          TEN_TRY(ten_partition_calls_inside(partitioner, module, inner, devices, may_cut, channel));
      }
  return NULL;
}
