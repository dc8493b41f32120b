/* dce.c: erases dead code: pure ops whose results are unused, and private functions without references.
 * Needs: verified IR.  Keeps: public functions, everything with an effect, order, locations.
 * Walks each block from its end, so that one sweep erases a chain of unused ops. */
#include <stdlib.h>

#include "ir/assert.h"
#include "transform/pass/pass.h"

/* A check of a constant true condition. */
static bool holds(const ten_op *op) {
  const ten_attr *ok = ten_op_is_assert(op) ? ten_value_constant(ten_op_operand(op, 0)) : NULL;
  return ok && ok->dense.data && ten_dense_int(ok, 0);
}

static bool is_dead(const ten_op *op) {
  if (holds(op)) return true;
  if (!op->result_count || ten_op_has(op, TEN_TRAIT_TERMINATOR | TEN_TRAIT_SYMBOL) || !ten_op_is_pure(op)) return false;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_value_has_uses(&op->results[i])) return false;
  return true;
}

static void sweep(ten_op *op) {
  for (uint32_t i = 0; i < op->region_count; i++)
    for (ten_block *block = op->regions[i].first; block; block = block->next)
      for (ten_op *inner = block->last, *before; inner; inner = before) {
        before = inner->prev;
        if (is_dead(inner)) {
          ten_op_erase(inner);
        } else {
          sweep(inner);
        }
      }
}

/* During marking, `number` of a symbol op of the module is 1 once it is reached. */
typedef struct marker {
  const ten_module *module;
  TEN_VEC(ten_op *) reached; /* whose references are not followed yet */
} marker;

static void mark_attr(marker *m, const ten_attr *attr) {
  if (!attr) return;
  switch (attr->kind) {
    case TEN_ATTR_SYMBOL: {
      ten_op *op = attr->symbol.count ? ten_module_find(m->module, attr->symbol.path[0]) : NULL;
      if (op && !op->number) {
        op->number = 1;
        ten_vec_push(&m->reached, op);
      }
      break;
    }
    case TEN_ATTR_ARRAY:
      for (size_t i = 0; i < attr->array.count; i++) mark_attr(m, attr->array.items[i]);
      break;
    case TEN_ATTR_DICT:
      for (size_t i = 0; i < attr->dict.count; i++) mark_attr(m, attr->dict.items[i].value);
      break;
    case TEN_ATTR_STRUCT:
      for (uint32_t i = 0; i < ten_struct_infos[attr->record.id].field_count; i++) mark_attr(m, attr->record.fields[i]);
      break;
    default: break;
  }
}

static ten_status *mark_op(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->attr_count; i++) mark_attr(context, op->attrs[i].value);
  return NULL;
}

static ten_status *drop_functions(ten_module *module) {
  marker m = {.module = module};
  ten_status *status = NULL;
  ten_block *body = ten_module_body(module);
  for (ten_op *op = body->first; op; op = op->next) {
    op->number = !(ten_op_is_func(op) && ten_func_is_private(op));
    if (op->number) ten_vec_push(&m.reached, op);
  }
  for (uint32_t i = 0; i < module->op->attr_count; i++) mark_attr(&m, module->op->attrs[i].value);
  while (m.reached.count && !status) status = ten_op_walk(m.reached.data[--m.reached.count], mark_op, &m);
  for (ten_op *op = body->first, *next; op && !status; op = next) {
    next = op->next;
    if (!op->number) ten_op_erase(op);
  }
  ten_vec_free(&m.reached);
  return status;
}

static ten_status *dce_run(ten_module *module) {
  sweep(module->op);
  return drop_functions(module);
}

const ten_pass ten_pass_dce = {.name = "dce", .summary = "remove ops and functions nothing depends on", .run = dce_run};
