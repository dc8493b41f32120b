/* op.c: checks one op against its row of the table, its own rules, then declared types against inferred ones. */
#include "ir/verify/rules.h"

static const uint32_t *last_class(const uint32_t *classes, uint32_t max, uint32_t index) {
  if (index >= max) index = max - 1;
  while (index > 0 && !classes[index]) index--;
  return &classes[index];
}

static ten_status *check_count(const ten_op *op, const char *what, uint32_t count, uint32_t min, uint32_t max) {
  if (count >= min && (max == TEN_ANY_COUNT || count <= max)) return NULL;
  if (max == min) BAD("has %u %s, takes %u", count, what, min);
  if (max == TEN_ANY_COUNT) BAD("has %u %s, takes at least %u", count, what, min);
  BAD("has %u %s, takes %u to %u", count, what, min, max);
}

static ten_status *check_counts(const ten_op *op, const ten_op_info *info) {
  TEN_TRY(check_count(op, "operands", op->operand_count, info->operands_min, info->operands_max));
  TEN_TRY(check_count(op, "results", op->result_count, info->results_min, info->results_max));
  TEN_TRY(check_count(op, "regions", op->region_count, info->regions_min, info->regions_max));
  for (uint32_t i = 0; i < op->operand_count; i++)
    WANT(op->operands[i].value && op->operands[i].value->type, "operand %u is missing", i);
  return NULL;
}

static ten_status *check_operand_classes(ten_module *m, const ten_op *op, const ten_rule *rule) {
  for (uint32_t i = 0; rule->in[0] && i < op->operand_count; i++) {
    const uint32_t class = *last_class(rule->in, TEN_RULE_OPERANDS, i);
    const char *problem = class & IS_ANYTHING ? NULL : ten_type_problem(m, ten_in(op, i));
    WANT(!problem, "operand %u is %s: %s", i, ten_say_type(m, ten_in(op, i)), problem);
    WANT(ten_type_has_class(ten_in(op, i), class), "operand %u is %s, must be %s", i, ten_say_type(m, ten_in(op, i)),
         ten_class_text(m, class));
  }
  return NULL;
}

static ten_status *check_result_classes(ten_module *m, const ten_op *op, const ten_rule *rule) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    const char *problem = ten_type_problem(m, ten_out(op, i));
    WANT(!problem, "result %u is %s: %s", i, ten_say_type(m, ten_out(op, i)), problem);
    if (!rule->out[0]) continue;
    const uint32_t class = *last_class(rule->out, TEN_RULE_RESULTS, i);
    WANT(ten_type_has_class(ten_out(op, i), class), "result %u is %s, must be %s", i, ten_say_type(m, ten_out(op, i)),
         ten_class_text(m, class));
  }
  return NULL;
}

static const ten_type *nth(const ten_op *op, uint32_t i) {
  return i < op->operand_count ? ten_in(op, i) : ten_out(op, i - op->operand_count);
}

typedef bool (*comparison)(const ten_type *a, const ten_type *b);

/* Compares operand 0 with every other operand and every result (or with as many as `count` says). */
static ten_status *check_all(ten_module *m, const ten_op *op, uint32_t count, comparison same, const char *what) {
  for (uint32_t i = 1; i < count; i++) {
    if (same(nth(op, 0), nth(op, i))) continue;
    const bool result = i >= op->operand_count;
    BAD("operand 0 is %s, %s %u is %s: %s", ten_say_type(m, nth(op, 0)), result ? "result" : "operand",
        result ? i - op->operand_count : i, ten_say_type(m, nth(op, i)), what);
  }
  return NULL;
}

static ten_status *check_pairs(ten_module *m, const ten_op *op, comparison same, const char *what) {
  WANT(op->operand_count == op->result_count, "has %u operands and %u results, must have as many", op->operand_count,
       op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    WANT(same(ten_in(op, i), ten_out(op, i)), "operand %u is %s, result %u is %s: %s", i,
         ten_say_type(m, ten_in(op, i)), i, ten_say_type(m, ten_out(op, i)), what);
  return NULL;
}

static bool equal_types(const ten_type *a, const ten_type *b) { return ten_type_equal(a, b); }

static ten_status *check_operands_match(ten_module *m, const ten_op *op, uint32_t same) {
  if (!op->operand_count) return NULL;
  const uint32_t count = op->operand_count;
  if (same & SAME_SHAPE) TEN_TRY(check_all(m, op, count, ten_shapes_agree, "shapes differ"));
  if (same & SAME_ELEMENT) TEN_TRY(check_all(m, op, count, ten_elements_equal, "element types differ"));
  if (same & (AGREE_ELEMENT | AGREE_IN)) TEN_TRY(check_all(m, op, count, ten_elements_agree, "element types differ"));
  if (same & AGREE_TYPE) TEN_TRY(check_all(m, op, count, ten_types_agree, "types differ"));
  return NULL;
}

static ten_status *check_results_match(ten_module *m, const ten_op *op, uint32_t same) {
  if (same & PAIRWISE_TYPE) TEN_TRY(check_pairs(m, op, equal_types, "types differ"));
  if (same & PAIRWISE_ELEMENT) TEN_TRY(check_pairs(m, op, ten_elements_equal, "element types differ"));
  if (!op->operand_count) return NULL;
  const uint32_t count = op->operand_count + op->result_count;
  if (same & SAME_SHAPE) TEN_TRY(check_all(m, op, count, ten_shapes_agree, "shapes differ"));
  if (same & SAME_ELEMENT) TEN_TRY(check_all(m, op, count, ten_elements_equal, "element types differ"));
  if (same & AGREE_ELEMENT) TEN_TRY(check_all(m, op, count, ten_elements_agree, "element types differ"));
  if (same & AGREE_TYPE) TEN_TRY(check_all(m, op, count, ten_types_agree, "types differ"));
  if ((same & SAME_ELEMENT_01) && op->result_count)
    WANT(ten_elements_equal(ten_in(op, 0), ten_out(op, 0)), "operand 0 has elements %s, result 0 has %s",
         ten_say_element(m, ten_in(op, 0)), ten_say_element(m, ten_out(op, 0)));
  return NULL;
}

/* The checks that need no results. */
static ten_status *check_inputs(ten_module *m, const ten_op *op, const ten_rule *rule) {
  TEN_TRY(check_counts(op, &ten_op_infos[op->code]));
  TEN_TRY(ten_rule_check_attrs(m, op));
  TEN_TRY(check_operand_classes(m, op, rule));
  return check_operands_match(m, op, rule->same);
}

static ten_status *compare_inferred(ten_module *m, const ten_op *op, const ten_rule *rule,
                                    const ten_type *const *inferred) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *declared = ten_out(op, i), *wanted = inferred[i];
    if (!wanted) continue;
    if (rule->open_element && ten_is_shaped(declared) && ten_is_shaped(wanted))
      wanted = ten_with_element(m, wanted, declared->element);
    if (ten_types_agree(declared, wanted)) continue;
    if (op->result_count == 1) BAD("result is %s, should be %s", ten_say_type(m, declared), ten_say_type(m, wanted));
    BAD("result %u is %s, should be %s", i, ten_say_type(m, declared), ten_say_type(m, wanted));
  }
  return NULL;
}

ten_status *ten_rule_check(ten_module *m, const ten_op *op) {
  const ten_rule *rule = &ten_rules[op->code];
  if (op->code == TEN_OP_UNKNOWN) {
    for (uint32_t i = 0; i < op->operand_count; i++)
      WANT(op->operands[i].value && op->operands[i].value->type, "operand %u is missing", i);
    TEN_TRY(check_result_classes(m, op, rule));
    return ten_rule_check_own(m, op);
  }
  TEN_TRY(check_inputs(m, op, rule));
  for (uint32_t i = 0; i < op->result_count; i++) WANT(ten_out(op, i), "result %u has no type", i);
  TEN_TRY(check_result_classes(m, op, rule));
  TEN_TRY(check_results_match(m, op, rule->same));
  if (rule->infer) {
    const ten_type *few[8] = {0};
    const ten_type **inferred =
        op->result_count <= 8 ? few : ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
    TEN_TRY(rule->infer(m, op, inferred));
    TEN_TRY(compare_inferred(m, op, rule, inferred));
  }
  if (rule->verify) TEN_TRY(rule->verify(m, op));
  return ten_rule_check_own(m, op);
}

ten_status *ten_verify_op(const ten_op *op) {
  ten_module *scratch = ten_module_create();
  ten_status *status = ten_rule_check(scratch, op);
  ten_module_destroy(scratch);
  return status;
}

ten_status *ten_infer_types(ten_module *module, const ten_op *op, const ten_type **out_types) {
  for (uint32_t i = 0; i < op->result_count; i++) out_types[i] = NULL;
  const ten_rule *rule = &ten_rules[op->code];
  if (op->code != TEN_OP_UNKNOWN) TEN_TRY(check_inputs(module, op, rule));
  if (rule->infer) TEN_TRY(rule->infer(module, op, out_types));
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *hint = ten_out(op, i);
    if (!out_types[i]) {
      WANT(hint, "the type of result %u does not follow from operands and attributes, and none is given", i);
      out_types[i] = hint;
    } else if (hint && ten_is_shaped(hint) && ten_is_shaped(out_types[i]) && hint->kind == out_types[i]->kind) {
      /* Scales and zero points are the program's choice; so are the element type of a few ops, and sizes that
       * cannot be inferred. */
      const bool open = rule->open_element || (hint->quant && ten_elements_agree(hint, out_types[i]));
      if (open) out_types[i] = ten_with_element(module, out_types[i], hint->element);
      const ten_type *merged =
          ten_elements_equal(hint, out_types[i]) ? ten_types_merge(module, out_types[i], hint) : NULL;
      if (merged) out_types[i] = merged;
    }
  }
  return NULL;
}

ten_status *ten_infer_op(ten_module *module, ten_op *op) {
  const ten_type *few[8];
  const ten_type **types =
      op->result_count <= 8 ? few : ten_arena_new_array(&module->arena, const ten_type *, op->result_count);
  TEN_TRY(ten_infer_types(module, op, types));
  for (uint32_t i = 0; i < op->result_count; i++) op->results[i].type = types[i];
  return NULL;
}
