/* control.c: if, case, while and their regions; tuples, tokens, futures. */
#include <stdio.h>

#include "ir/verify/rules.h"

ten_status *ten_want_body(const ten_op *op, uint32_t region, const char *name, const ten_block **body,
                          const ten_op **end) {
  const ten_block *block = region < op->region_count ? op->regions[region].first : NULL;
  WANT(block, "%s is empty", name);
  WANT(!block->next, "%s has more than one block", name);
  WANT(block->last && block->last->code == TEN_OP_RETURN, "%s must end with stablehlo.return%s%.*s", name,
       block->last ? ", ends with " : "", block->last ? (int)block->last->name.size : 0,
       block->last ? block->last->name.data : "");
  for (uint32_t i = 0; i < block->last->operand_count; i++)
    WANT(block->last->operands[i].value && block->last->operands[i].value->type, "%s returns nothing at %u", name, i);
  for (uint32_t i = 0; i < block->arg_count; i++) WANT(block->args[i]->type, "%s's argument %u has no type", name, i);
  *body = block;
  *end = block->last;
  return NULL;
}

static const char *say_operands(ten_module *m, const ten_op *op) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) types[i] = ten_in(op, i);
  return ten_say_types(m, op->operand_count, types);
}

static const char *branch_name(ten_module *m, const ten_op *op, uint32_t i) {
  if (op->code == TEN_OP_IF) return i ? "false_branch" : "true_branch";
  char text[32];
  const int size = snprintf(text, sizeof text, "branch %u", i);
  return ten_arena_strdup(&m->arena, text, (size_t)size);
}

/* if and case: every branch returns the same types; the result type covers all branches. */
TEN_INFER(branches) {
  WANT(op->region_count, "has no branches");
  const ten_type *pred = ten_in(op, 0);
  WANT(pred->rank == 0, "%s is %s, must be a scalar", op->code == TEN_OP_IF ? "pred" : "index", ten_say_type(m, pred));
  const ten_op *first = NULL;
  for (uint32_t i = 0; i < op->region_count; i++) {
    const ten_block *body;
    const ten_op *end;
    TEN_TRY(ten_want_body(op, i, branch_name(m, op, i), &body, &end));
    WANT(!body->arg_count, "%s takes %u arguments, must take none", branch_name(m, op, i), body->arg_count);
    if (!first) {
      first = end;
      WANT(end->operand_count == op->result_count, "%s returns %u values, op has %u results", branch_name(m, op, 0),
           end->operand_count, op->result_count);
    }
    bool same = end->operand_count == first->operand_count;
    for (uint32_t k = 0; same && k < end->operand_count; k++) same = ten_types_agree(ten_in(first, k), ten_in(end, k));
    WANT(same, "%s returns %s, %s returns %s", branch_name(m, op, 0), say_operands(m, first), branch_name(m, op, i),
         say_operands(m, end));
    for (uint32_t k = 0; k < end->operand_count; k++) {
      out[k] = i ? ten_types_widen(m, out[k], ten_in(end, k)) : ten_in(end, k);
      WANT(out[k], "branches return %s and %s at %u", ten_say_type(m, ten_in(first, k)),
           ten_say_type(m, ten_in(end, k)), k);
    }
  }
  return NULL;
}

/* Each operand is also an argument of both regions, a value returned by the body, and a result. */
static ten_status *want_carried(ten_module *m, const ten_op *op, const char *what, uint32_t count,
                                const ten_value *const *values) {
  WANT(count == op->operand_count, "%s %u values, op has %u operands", what, count, op->operand_count);
  for (uint32_t i = 0; i < count; i++)
    WANT(ten_types_agree(ten_in(op, i), values[i]->type), "operand %u is %s, %s %s there", i,
         ten_say_type(m, ten_in(op, i)), what, ten_say_type(m, values[i]->type));
  return NULL;
}

TEN_INFER(while) {
  WANT(op->result_count == op->operand_count, "has %u results for %u operands", op->result_count, op->operand_count);
  const ten_block *cond, *body;
  const ten_op *cond_end, *body_end;
  TEN_TRY(ten_want_body(op, 0, "cond", &cond, &cond_end));
  TEN_TRY(ten_want_body(op, 1, "body", &body, &body_end));
  TEN_TRY(want_carried(m, op, "cond takes", cond->arg_count, (const ten_value *const *)cond->args));
  TEN_TRY(want_carried(m, op, "body takes", body->arg_count, (const ten_value *const *)body->args));
  const ten_value **returned = ten_arena_new_array(&m->arena, const ten_value *, body_end->operand_count);
  for (uint32_t i = 0; i < body_end->operand_count; i++) returned[i] = body_end->operands[i].value;
  TEN_TRY(want_carried(m, op, "body returns", body_end->operand_count, returned));
  WANT(cond_end->operand_count == 1, "cond returns %u values, must return 1", cond_end->operand_count);
  WANT(ten_type_has_class(ten_in(cond_end, 0), IS_PRED | OF_RANK_0), "cond returns %s, must return tensor<i1>",
       ten_say_type(m, ten_in(cond_end, 0)));
  for (uint32_t i = 0; i < op->operand_count; i++) out[i] = ten_in(op, i);
  return NULL;
}

TEN_INFER(token) {
  (void)op;
  return out[0] = ten_type_token(m), NULL;
}

TEN_INFER(device_id) {
  (void)op;
  return out[0] = ten_make_scalar(m, TEN_UI32), NULL;
}

TEN_INFER(tuple) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) types[i] = ten_in(op, i);
  return out[0] = ten_type_tuple(m, op->operand_count, types), NULL;
}

TEN_INFER(get_tuple_element) {
  (void)m;
  const ten_type *tuple = ten_in(op, 0);
  const int64_t index = ten_op_int(op, "index", -1);
  WANT(index >= 0 && index < tuple->input_count, "index = %lld, but the tuple has %u elements", (long long)index,
       tuple->input_count);
  return out[0] = tuple->inputs[index], NULL;
}

TEN_INFER(operands) {
  (void)m;
  WANT(op->operand_count == op->result_count, "has %u operands and %u results, must have as many", op->operand_count,
       op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++) out[i] = ten_in(op, i);
  return NULL;
}

static bool may_be_async(ten_opcode code) {
  switch (code) {
    case TEN_OP_ALL_GATHER:
    case TEN_OP_ALL_REDUCE:
    case TEN_OP_ALL_TO_ALL:
    case TEN_OP_COLLECTIVE_BROADCAST:
    case TEN_OP_COLLECTIVE_PERMUTE:
    case TEN_OP_COLLECTIVE_REDUCE:
    case TEN_OP_DYNAMIC_SLICE:
    case TEN_OP_DYNAMIC_UPDATE_SLICE:
    case TEN_OP_REDUCE_SCATTER:
    case TEN_OP_SLICE: return true;
    default: return false;
  }
}

TEN_INFER(async_start) {
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, 0, "body", &body, &end));
  WANT(body->first != end && body->first->next == end, "body must hold one op and its return");
  WANT(may_be_async(body->first->code), "body holds %.*s, must hold a collective or a slice",
       TEN_FMT(body->first->name));
  WANT(body->arg_count == op->operand_count, "body takes %u arguments, op has %u operands", body->arg_count,
       op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    WANT(ten_type_equal(ten_in(op, i), body->args[i]->type), "operand %u is %s, body's argument %u is %s", i,
         ten_say_type(m, ten_in(op, i)), i, ten_say_type(m, body->args[i]->type));
  WANT(end->operand_count == 1, "body returns %u values, must return 1", end->operand_count);
  const ten_type *result = ten_in(end, 0);
  return out[0] = ten_type_future(m, 1, &result), NULL;
}

TEN_INFER(async_done) {
  (void)m;
  const ten_type *future = ten_in(op, 0);
  WANT(future->input_count == 1, "the future holds %u values, must hold 1", future->input_count);
  return out[0] = future->inputs[0], NULL;
}

/* infeed and recv: tensors, then a token. */
static ten_status *want_token_last(ten_module *m, const ten_op *op) {
  WANT(op->result_count, "has no results, must have a token at least");
  for (uint32_t i = 0; i + 1 < op->result_count; i++)
    WANT(ten_out(op, i)->kind == TEN_TYPE_TENSOR, "result %u is %s, all but the last must be tensors", i,
         ten_say_type(m, ten_out(op, i)));
  const ten_type *last = ten_out(op, op->result_count - 1);
  WANT(last->kind == TEN_TYPE_TOKEN, "last result is %s, must be a token", ten_say_type(m, last));
  return NULL;
}

TEN_VERIFY(infeed) {
  TEN_TRY(want_token_last(m, op));
  const ten_attr *layout = ten_op_attr(op, "layout");
  if (!layout) return NULL;
  WANT(layout->array.count == op->result_count - 1, "layout has %zu entries for %u tensors", layout->array.count,
       op->result_count - 1);
  for (size_t i = 0; i < layout->array.count; i++) {
    const ten_attr *item = layout->array.items[i];
    WANT(item && item->kind == TEN_ATTR_ARRAY, "layout[%zu] must be an array", i);
    for (size_t k = 0; k < item->array.count; k++)
      WANT(item->array.items[k] && item->array.items[k]->kind == TEN_ATTR_INT, "layout[%zu][%zu] must be an integer", i,
           k);
  }
  return NULL;
}

/* outfeed and send: tensors, then a token. */
static ten_status *want_operand_token_last(ten_module *m, const ten_op *op) {
  const ten_type *last = ten_in(op, op->operand_count - 1);
  for (uint32_t i = 0; i + 1 < op->operand_count; i++)
    WANT(ten_type_has_class(ten_in(op, i), TENSOR_AXIS), "operand %u is %s, must be %s", i,
         ten_say_type(m, ten_in(op, i)), ten_class_text(m, TENSOR_AXIS));
  WANT(last->kind == TEN_TYPE_TOKEN, "last operand is %s, must be a token", ten_say_type(m, last));
  return NULL;
}

TEN_VERIFY(outfeed) { return want_operand_token_last(m, op); }

enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static ten_status *want_channel(const ten_op *op, int64_t host_type, const char *host_name) {
  const int64_t type = ten_attr_as_int(ten_attr_field(ten_op_attr(op, "channel_handle"), "type"), 0);
  const bool host = ten_attr_as_bool(ten_op_attr(op, "is_host_transfer"));
  WANT(type == (host ? host_type : DEVICE_TO_DEVICE),
       "channel type is %lld, must be %lld (%s) as is_host_transfer is %s", (long long)type,
       (long long)(host ? host_type : DEVICE_TO_DEVICE), host ? host_name : "DEVICE_TO_DEVICE",
       host ? "true" : "false");
  return NULL;
}

TEN_VERIFY(send) {
  TEN_TRY(want_operand_token_last(m, op));
  return want_channel(op, DEVICE_TO_HOST, "DEVICE_TO_HOST");
}

TEN_VERIFY(recv) {
  TEN_TRY(want_channel(op, HOST_TO_DEVICE, "HOST_TO_DEVICE"));
  return want_token_last(m, op);
}
