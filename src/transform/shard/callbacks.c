/* callbacks.c: host callbacks of a program that several devices run together. A program over whole arrays makes each
 * call once (backend_config "first"): the first device calls, and the others receive its results. A manual computation
 * calls on every device ("each"), and a partitioned call does so with the device's tiles ("tiles"): those stay.
 * Needs: a program prepared for devices (spread.c).  Keeps: order of calls on the first device, values. */
#include <stdlib.h>

#include "ir/builder.h"
#include "ir/ten.h"
#include "transform/shard/partition.h"

bool ten_is_callback(const ten_op *op, const char *where) {
  const ten_attr *config = op->code == TEN_OP_CUSTOM_CALL ? ten_op_attr(op, "backend_config") : NULL;
  return config && config->kind == TEN_ATTR_STRING && ten_str_is(config->string, where) &&
         ten_op_calls(op, TEN_NAME_CALLBACK);
}

static void do_call(ten_builder *b, ten_value *const *args, void *context) {
  (void)args;
  const ten_op *op = context;
  ten_value_map map = {0};
  ten_op *made = ten_op_clone(b->module, op, &map);
  ten_value_map_free(&map);
  ten_value **results = ten_alloc((op->result_count + 1) * sizeof *results);
  for (uint32_t i = 0; i < op->result_count; i++) results[i] = &made->results[i];
  ten_op_append(b->block, made);
  ten_build_return(b, op->result_count, results);
  free(results);
}

/* Placeholder results of devices that do not call, until they receive the real ones. */
static void do_nothing(ten_builder *b, ten_value *const *args, void *context) {
  (void)args;
  const ten_op *op = context;
  ten_value **results = ten_alloc((op->result_count + 1) * sizeof *results);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    results[i] = type->kind == TEN_TYPE_TOKEN
                     ? ten_op_result(ten_build_op(b, TEN_OP_CREATE_TOKEN, 0, NULL, 1, &type, 0, NULL, 0), 0)
                     : ten_build_splat(b, type, 0);
  }
  ten_build_return(b, op->result_count, results);
  free(results);
}

static void call_on_first(ten_module *module, ten_op *op, uint32_t devices, int64_t *channel) {
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const ten_type *id = ten_type_tensor(module, TEN_UI32, 0, NULL);
  ten_value *self = ten_op_result(ten_build_op(&b, TEN_OP_PARTITION_ID, 0, NULL, 1, &id, 0, NULL, 0), 0);
  ten_value *is_first = ten_build_compare(&b, TEN_EQ, self, ten_build_scalar_int(&b, TEN_UI32, 0));
  const ten_type **types = ten_alloc((op->result_count + 1) * sizeof *types);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
  ten_op *made = ten_build_if(&b, is_first, op->result_count, types, do_call, do_nothing, op);
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_value *value = &made->results[i];
    ten_value_replace(&op->results[i],
                      ten_type_is_tensor(value->type) ? ten_build_from_first(&b, value, devices, channel) : value);
  }
  free(types);
  ten_op_erase(op);
}

static void visit(ten_module *module, ten_op *op, uint32_t devices, int64_t *channel) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (ten_op *inner = block->first, *next; inner; inner = next) {
        next = inner->next;
        if (ten_is_callback(inner, "first"))
          call_on_first(module, inner, devices, channel);
        else
          visit(module, inner, devices, channel);
      }
}

void ten_call_on_first_device(ten_module *module, ten_op *func, uint32_t devices, int64_t *channel) {
  visit(module, func, devices, channel);
}
