/* ten.c: verifies the ten dialect (ir/ten.def): a name that begins with "tenfold." is in the table, its value has the
 * kind that the table gives, and its op is in the list there. Custom calls whose shapes a backend relies on have those
 * shapes. */
#include "ir/ten.h"
#include "ir/verify/rules.h"

static bool has_prefix(ten_str name) { return ten_str_starts(name, TEN_NAME_PREFIX); }

/* Whether `word` is one of a list separated by spaces. */
static bool is_listed(const char *list, ten_str word) {
  while (*list) {
    const ten_str one = {list, strcspn(list, " ")};
    if (ten_str_eq(one, word)) return true;
    list += one.size + (list[one.size] == ' ');
  }
  return false;
}

static bool belongs_to_call(const ten_name_info *info, ten_str target) {
  const char *at = info->where;
  while ((at = strchr(at, '@'))) {
    const ten_str one = {at + 1, strcspn(at + 1, " ")};
    if (ten_str_eq(one, target)) return true;
    at++;
  }
  return false;
}

static ten_status *check_attr(const ten_op *op, const ten_named_attr *attr, bool argument) {
  const ten_name name = ten_name_find(attr->name);
  WANT(name < TEN_NAME_COUNT && ten_name_infos[name].kind <= TEN_KIND_ON_ARGUMENT,
       "there is no attribute '%.*s' in the ten dialect (tenfold help --dialect)", TEN_FMT(attr->name));
  const ten_name_info *info = &ten_name_infos[name];
  const ten_str target =
      op->code == TEN_OP_CUSTOM_CALL ? ten_attr_as_string(ten_op_attr(op, "call_target_name")) : (ten_str){0};
  const bool allowed = (info->kind == TEN_KIND_ON_ARGUMENT) == argument &&
                       (!strcmp(info->where, "*") || is_listed(info->where, op->name) || belongs_to_call(info, target));
  WANT(allowed, "attribute '%s' is on %s%.*s, must be on %s%s", info->text, argument ? "an argument or result of " : "",
       TEN_FMT(op->name), info->kind == TEN_KIND_ON_ARGUMENT ? "an argument or result of " : "", info->where);
  const ten_attr_spec spec = {.name = info->text, .kind = info->value, .required = true};
  return ten_rule_check_attr(op, &spec, attr->value);
}

/* Attributes of arguments and results, already checked to be dictionaries. */
static ten_status *check_values(const ten_op *op, const char *list_name) {
  const ten_attr *list = ten_op_attr(op, list_name);
  for (size_t i = 0; list && i < list->array.count; i++)
    for (size_t k = 0; k < list->array.items[i]->dict.count; k++) {
      const ten_named_attr *attr = &list->array.items[i]->dict.items[k];
      if (has_prefix(attr->name)) TEN_TRY(check_attr(op, attr, true));
    }
  return NULL;
}

enum { RANK_MAX = 32 }; /* as of tensors: value/tensor.h */

/* Whether the list is a permutation of the numbers below `count`. */
static bool is_order(ten_ints list, uint32_t count) {
  bool seen[RANK_MAX + 1] = {0};
  if (list.count != count || count > RANK_MAX) return false;
  for (size_t i = 0; i < list.count; i++) {
    if (list.data[i] < 0 || list.data[i] >= count || seen[list.data[i]]) return false;
    seen[list.data[i]] = true;
  }
  return true;
}

static ten_status *want_order(ten_module *m, const ten_op *op, ten_name name, uint32_t rank) {
  const ten_ints list = ten_attr_as_ints(ten_own_attr(op, name));
  WANT(is_order(list, rank), "%s is %s, must be an order of %u dimensions", ten_name_text(name), ten_say_list(m, list),
       rank);
  return NULL;
}

static ten_status *want_tensors(ten_module *m, const ten_op *op, uint32_t operands) {
  WANT(op->operand_count == operands && op->result_count == 1, "has %u operands and %u results, must have %u and 1",
       op->operand_count, op->result_count, operands);
  for (uint32_t i = 0; i <= operands; i++) {
    const ten_type *type = i < operands ? ten_in(op, i) : ten_out(op, 0);
    WANT(ten_type_is_tensor(type) && ten_type_is_static(type) && type->rank >= 2 && type->rank <= RANK_MAX,
         "%s %u is %s, must be a tensor of known shape with at least 2 dimensions", i < operands ? "operand" : "result",
         i < operands ? i : 0, ten_say_type(m, type));
  }
  return NULL;
}

/* scores [batch…, m, n], values a permutation of [batch…, n, d], the result a permutation of [batch…, m, d]. */
static ten_status *check_attention(ten_module *m, const ten_op *op) {
  TEN_TRY(want_tensors(m, op, 2));
  const ten_type *x = ten_in(op, 0), *v = ten_in(op, 1), *y = ten_out(op, 0);
  const uint32_t rank = x->rank;
  WANT(v->rank == rank && y->rank == rank, "scores, values and result have ranks %u, %u and %u, must have the same",
       rank, v->rank, y->rank);
  TEN_TRY(want_order(m, op, TEN_NAME_VALUES, rank));
  TEN_TRY(want_order(m, op, TEN_NAME_ORDER, rank));
  const ten_ints values = ten_attr_as_ints(ten_own_attr(op, TEN_NAME_VALUES)),
                 order = ten_attr_as_ints(ten_own_attr(op, TEN_NAME_ORDER));
  bool fits = v->dims[values.data[rank - 2]] == x->dims[rank - 1];
  for (uint32_t i = 0; i + 2 < rank; i++) fits &= v->dims[values.data[i]] == x->dims[i];
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t of = order.data[i];
    fits &= y->dims[i] == (of == (int64_t)rank - 1 ? v->dims[values.data[rank - 1]] : x->dims[of]);
  }
  WANT(fits, "scores %s, values %s and result %s do not fit together", ten_say_type(m, x), ten_say_type(m, v),
       ten_say_type(m, y));
  const ten_str empty = ten_attr_as_string(ten_own_attr(op, TEN_NAME_EMPTY));
  WANT(ten_str_is(empty, "zero") || ten_str_is(empty, "nan"), "%s is \"%.*s\", must be \"zero\" or \"nan\"",
       ten_name_text(TEN_NAME_EMPTY), TEN_FMT(empty));
  return NULL;
}

/* Four operands [batch…, n, d], the result a permutation of [3, batch…, n, d]. */
static ten_status *check_attention_grad(ten_module *m, const ten_op *op) {
  TEN_TRY(want_tensors(m, op, 4));
  const ten_type *x = ten_in(op, 0), *y = ten_out(op, 0);
  for (uint32_t i = 1; i < 4; i++)
    WANT(ten_type_equal(x, ten_in(op, i)), "operand %u is %s, operand 0 is %s: types differ", i,
         ten_say_type(m, ten_in(op, i)), ten_say_type(m, x));
  TEN_TRY(want_order(m, op, TEN_NAME_ORDER, x->rank + 1));
  const ten_ints order = ten_attr_as_ints(ten_own_attr(op, TEN_NAME_ORDER));
  bool fits = y->rank == x->rank + 1;
  for (uint32_t i = 0; fits && i < y->rank; i++) fits &= y->dims[i] == (order.data[i] ? x->dims[order.data[i] - 1] : 3);
  WANT(fits, "operands %s and result %s do not fit together", ten_say_type(m, x), ten_say_type(m, y));
  return NULL;
}

static ten_status *check_call(ten_module *m, const ten_op *op) {
  const ten_str target = ten_attr_as_string(ten_op_attr(op, "call_target_name"));
  if (!has_prefix(target)) return NULL;
  const ten_name name = ten_name_find(target);
  WANT(name < TEN_NAME_COUNT && ten_name_infos[name].kind == TEN_KIND_CALL,
       "there is no custom call @%.*s in the ten dialect (tenfold help --dialect)", TEN_FMT(target));
  for (int i = 0; i < TEN_NAME_COUNT; i++)
    WANT(!belongs_to_call(&ten_name_infos[i], target) || ten_own_attr(op, (ten_name)i), "@%.*s has no attribute '%s'",
         TEN_FMT(target), ten_name_infos[i].text);
  if (name == TEN_NAME_ATTENTION) return check_attention(m, op);
  if (name == TEN_NAME_ATTENTION_GRAD) return check_attention_grad(m, op);
  return NULL;
}

ten_status *ten_rule_check_own(ten_module *m, const ten_op *op) {
  for (uint32_t i = 0; i < op->attr_count; i++)
    if (has_prefix(op->attrs[i].name)) TEN_TRY(check_attr(op, &op->attrs[i], false));
  if (op->code == TEN_OP_FUNC) {
    TEN_TRY(check_values(op, "arg_attrs"));
    TEN_TRY(check_values(op, "res_attrs"));
  }
  return op->code == TEN_OP_CUSTOM_CALL ? check_call(m, op) : NULL;
}
