/* custom.c: operators of other libraries, lowered by their provider: a registered lowering (tenfold/custom.h), or the
 * body in the op itself (TEN_NAME_INLINE), as the Python package writes it. Either is StableHLO text, whose @main is
 * checked against the operands and inlined. */
#include "tenfold/custom.h"
#include "base/registry.h"
#include "front/aten/lower.h"
#include "ir/ten.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static void leave(at *l, ten_module *made, ten_status *status) {
  if (made) ten_module_destroy(made);
  l->status = status;
  longjmp(*l->escape, 1);
}

/* Inlines the body of the text's @main. */
static void text_inline(at *l, ten_str text, uint32_t count, ten_value *const *operands) {
  ten_module *made = NULL;
  ten_status *status = ten_text_parse(text.data, text.size, "<lowering>", &made);
  if (!status) status = ten_verify(made);
  const ten_str name = l->op->name;
  if (status) leave(l, made, ten_annotate(status, "lowering %.*s", TEN_FMT(name)));
  const ten_op *func = ten_module_entry(made, TEN_STR("main"));
  const ten_block *body = func ? ten_op_body(func, 0) : NULL;
  if (!body || body->arg_count != count)
    leave(l, made,
          ten_op_error(l->op, TEN_INVALID, "its lowering must have a @main that takes %u operands, in the same order",
                       count));
  ten_value_map map = {0};
  for (uint32_t i = 0; i < count && !status; i++) {
    if (ten_type_import(l->b.module, body->args[i]->type) != operands[i]->type)
      status = ten_op_error(l->op, TEN_INVALID, "operand %u is not what @main of its lowering takes", i);
    ten_value_map_set(&map, body->args[i], operands[i]);
  }
  for (const ten_op *op = body->first; op && !status; op = op->next) {
    if (op->code == TEN_OP_FUNC_RETURN || op->code == TEN_OP_RETURN) {
      for (uint32_t i = 0; i < op->operand_count; i++) at_ret(l, i, ten_value_map_get(&map, ten_op_operand(op, i)));
      break;
    }
    ten_op *copy = ten_op_clone(l->b.module, op, &map);
    copy->loc = l->b.loc;
    ten_op_append(l->b.block, copy);
  }
  ten_value_map_free(&map);
  if (status) leave(l, made, status);
  ten_module_destroy(made);
}

static void lower_inline(at *l) {
  ten_value **operands;
  const size_t count = at_ts(l, "inputs", &operands);
  text_inline(l, at_string(l, "body"), (uint32_t)count, operands);
}

static ten_buffer buffer_of(const ten_type *type) {
  return (ten_buffer){.dtype = type->dtype, .rank = type->rank, .dims = type->dims, .bytes = ten_type_bytes(type)};
}

double ten_lowering_number(const ten_lowering_request *request, const char *name, double otherwise) {
  const ten_attr *attr = ten_op_attr(request->arguments, name);
  if (!attr) return otherwise;
  if (attr->kind == TEN_ATTR_FLOAT) return attr->real.value;
  return attr->kind == TEN_ATTR_INT && attr->integer.type->dtype != TEN_INDEX ? (double)attr->integer.value : otherwise;
}

static bool entry_find(ten_str name, ten_registry_entry *out) {
  const char *dot = name.size ? memrchr(name.data, '.', name.size) : NULL;
  return ten_registry_get(TEN_REGISTRY_LOWERING, name, out) ||
         (dot && ten_registry_get(TEN_REGISTRY_LOWERING, (ten_str){name.data, (size_t)(dot - name.data)}, out));
}

static void lower_registered(at *l) {
  ten_registry_entry entry = {0};
  const bool found = entry_find(l->op->name, &entry);
  at_check(l, found, "its lowering is gone");
  ten_arena *arena = &l->b.module->arena;
  const uint32_t operand_count = l->op->operand_count, result_count = l->op->result_count;
  ten_value **operands = ten_arena_new_array(arena, ten_value *, operand_count + 1);
  ten_buffer *types = ten_arena_new_array(arena, ten_buffer, operand_count + result_count + 1);
  uint32_t count = 0, results = 0;
  for (uint32_t i = 0; i < operand_count; i++) {
    const at_ref ref = l->refs[ten_op_operand(l->op, i)->number];
    if (ref.kind != AT_TENSOR) continue;
    operands[count] = at_read(l, ref.tensor);
    types[count] = buffer_of(operands[count]->type);
    count++;
  }
  for (uint32_t i = 0; i < result_count; i++)
    if (l->op->results[i].type->kind == TEN_TYPE_TENSOR) types[count + results++] = buffer_of(l->op->results[i].type);
  const char *name = ten_arena_strdup(arena, l->op->name.data, l->op->name.size);
  const ten_lowering_request request = {.size = sizeof request,
                                        .op = name,
                                        .operands = types,
                                        .operand_count = count,
                                        .results = types + count,
                                        .result_count = results,
                                        .arguments = l->op};
  char *text = NULL;
  ten_status *status = ((ten_lowering)entry.function)(&request, entry.user, &text);
  if (!status && !text) status = ten_op_error(l->op, TEN_INVALID, "its lowering gave no text");
  if (status) leave(l, NULL, ten_annotate(status, "lowering %s", name));
  const ten_str kept = ten_str_of(ten_arena_strdup(arena, text, strlen(text)));
  free(text);
  text_inline(l, kept, count, operands);
}

static const at_row registered = {"", lower_registered};

const at_row *at_row_registered(ten_str name) {
  ten_registry_entry entry;
  return entry_find(name, &entry) ? &registered : NULL;
}

const at_row at_rows_custom[] = {{ten_text_INLINE, lower_inline}, {NULL}};
