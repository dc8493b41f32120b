/* print_names.c: names of values. A region names all its own values before those of nested regions, each of which
 * continues counting from there; siblings start at the same number. The pretty form has hints (%cst, %c, %iterArg); a
 * hint that is taken gets a number. */
#include "ir/text/printer.h"

enum {
  HINT_C,
  HINT_CST,
  HINT_ITER,
  HINT_INPUT,
  HINT_CARRY,
  HINT_OUTPUT_STATE,
  HINT_OUTPUT,
  HINT_VALUES,
  HINT_INDICES,
  HINT_GRAD_OPERAND,
  HINT_GRAD_SCALE,
  HINT_GRAD_OFFSET,
  HINT_BATCH_MEAN,
  HINT_BATCH_VAR,
  HINT_COUNT
};
static const char *const hints[HINT_COUNT] = {
    "c",      "cst",     "iterArg",      "input",      "carry",       "output_state", "output",
    "values", "indices", "grad_operand", "grad_scale", "grad_offset", "batch_mean",   "batch_var"};

/* Ops whose several results are named separately. */
static const int *result_hints(const ten_op *op) {
  static const int random[] = {HINT_OUTPUT_STATE, HINT_OUTPUT}, top_k[] = {HINT_VALUES, HINT_INDICES};
  static const int grad[] = {HINT_GRAD_OPERAND, HINT_GRAD_SCALE, HINT_GRAD_OFFSET};
  static const int training[] = {HINT_OUTPUT, HINT_BATCH_MEAN, HINT_BATCH_VAR};
  switch (op->code) {
    case TEN_OP_RNG_BIT_GENERATOR: return op->result_count == 2 ? random : NULL;
    case TEN_OP_CHLO_TOP_K: return op->result_count == 2 ? top_k : NULL;
    case TEN_OP_BATCH_NORM_GRAD: return op->result_count == 3 ? grad : NULL;
    case TEN_OP_BATCH_NORM_TRAINING: return op->result_count == 3 ? training : NULL;
    default: return NULL;
  }
}

bool ten_print_has_named_results(const ten_printer *printer, const ten_op *op) {
  return !printer->options.generic && result_hints(op);
}

typedef struct counters {
  uint32_t value, arg, conflict;
  bool taken[HINT_COUNT];
} counters;

static void assign(ten_printer *printer, ten_value *value, const char *prefix, uint32_t number, bool joined) {
  const ten_value_name name = {prefix, number, joined};
  value->number = (uint32_t)printer->names.count;
  ten_vec_push(&printer->names, name);
}

static void assign_hint(ten_printer *printer, counters *c, ten_value *value, int hint) {
  assign(printer, value, hints[hint], c->taken[hint] ? c->conflict++ : UINT32_MAX, false);
  c->taken[hint] = true;
}

static void number_args(ten_printer *printer, counters *c, const ten_op *op, const ten_block *block, bool entry) {
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const bool pretty = !printer->options.generic && entry;
    if (pretty && op->code == TEN_OP_WHILE) {
      assign_hint(printer, c, block->args[i], HINT_ITER);
    } else if (pretty && op->code == TEN_OP_CHLO_SCAN) {
      const ten_attr *sizes = ten_op_attr(op, "operandSegmentSizes");
      const bool known =
          sizes && sizes->kind == TEN_ATTR_LIST && sizes->list.dtype == TEN_I32 && sizes->list.count == 2;
      const int32_t inputs = known ? ((const int32_t *)sizes->list.data)[0] : 0;
      assign_hint(printer, c, block->args[i], (int64_t)i < inputs ? HINT_INPUT : HINT_CARRY);
    } else if (entry) {
      assign(printer, block->args[i], "arg", c->arg++, true);
    } else {
      assign(printer, block->args[i], "", c->value++, false);
    }
  }
}

static void number_results(ten_printer *printer, counters *c, const ten_op *op) {
  if (!op->result_count) return;
  ten_value *first = ten_op_result(op, 0);
  if (op->code == TEN_OP_CONSTANT && !printer->options.generic) {
    const bool integer = !first->type->quant && first->type->element && first->type->dtype != TEN_INDEX &&
                         first->type->element->kind == TEN_TYPE_SCALAR &&
                         ten_dtype_class(first->type->dtype) <= TEN_CLASS_UINT;
    assign_hint(printer, c, first, integer ? HINT_C : HINT_CST);
  } else if (ten_print_has_named_results(printer, op)) {
    for (uint32_t i = 0; i < op->result_count; i++) assign_hint(printer, c, ten_op_result(op, i), result_hints(op)[i]);
  } else {
    assign(printer, first, "", c->value++, false);
  }
}

/* Upstream processes regions from a stack, so the last is numbered first; this is visible in the generic form, where
 * arguments are numbered consecutively. */
static void number_region(ten_printer *printer, counters c, uint32_t *args, const ten_region *region) {
  TEN_VEC(const ten_region *) inner = {0};
  if (printer->options.generic) c.arg = *args;
  for (const ten_block *block = region->first; block; block = block->next) {
    number_args(printer, &c, region->op, block, block == region->first);
    for (const ten_op *op = block->first; op; op = op->next) {
      number_results(printer, &c, op);
      for (uint32_t i = 0; i < op->region_count; i++) ten_vec_push(&inner, &op->regions[i]);
    }
  }
  *args = c.arg;
  while (inner.count) number_region(printer, c, args, inner.data[--inner.count]);
  ten_vec_free(&inner);
}

enum { OUTSIDE = 0, INSIDE = 1, FIRST_NAME = 2 };

static void mark_operands(const ten_op *op, uint32_t mark) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    if (value) value->number = mark;
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next) mark_operands(inner, mark);
}

static void mark_inside(const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next) {
      for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = INSIDE;
      for (const ten_op *inner = block->first; inner; inner = inner->next) {
        if (inner->result_count) inner->results[0].number = INSIDE;
        mark_inside(inner);
      }
    }
}

/* Operands that come from outside `op`; results of one op share a name. */
static void number_outside(ten_printer *printer, counters *c, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    if (!value) continue;
    ten_value *first =
        value->op && !ten_print_has_named_results(printer, value->op) ? ten_op_result(value->op, 0) : value;
    if (first->number == OUTSIDE) assign(printer, first, "", c->value++, false);
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next) number_outside(printer, c, inner);
}

void ten_print_names_number(ten_printer *printer, const ten_op *op) {
  counters c = {0};
  const ten_value_name none = {"<unknown>", UINT32_MAX, false};
  for (int i = 0; i < FIRST_NAME; i++) ten_vec_push(&printer->names, none);
  if (op->block) { /* a module has no outside values */
    mark_operands(op, OUTSIDE);
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const ten_value *value = ten_op_operand(op, i);
      if (value && value->op) ten_op_result(value->op, 0)->number = OUTSIDE;
    }
    mark_inside(op);
    number_outside(printer, &c, op);
  }
  number_results(printer, &c, op);
  uint32_t args = 0;
  for (uint32_t i = op->region_count; i-- > 0;) number_region(printer, c, &args, &op->regions[i]);
}
