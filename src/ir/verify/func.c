/* func.c: functions, calls, composites, custom calls; and the ops of test programs. */
#include "ir/assert.h"
#include "ir/verify/rules.h"

static const char *say_inputs(ten_module *m, const ten_op *op) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) types[i] = ten_in(op, i);
  return ten_say_types(m, op->operand_count, types);
}

static const char *say_results(ten_module *m, const ten_op *op) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = ten_out(op, i);
  return ten_say_types(m, op->result_count, types);
}

static ten_status *want_attr_list(const ten_op *op, const char *name, uint32_t count, const char *what) {
  const ten_attr *list = ten_op_attr(op, name);
  if (!list) return NULL;
  WANT(list->array.count == count, "%s has %zu entries for %u %s", name, list->array.count, count, what);
  for (size_t i = 0; i < list->array.count; i++)
    WANT(list->array.items[i] && list->array.items[i]->kind == TEN_ATTR_DICT, "%s[%zu] must be a dictionary", name, i);
  return NULL;
}

TEN_VERIFY(func) {
  const ten_str name = ten_func_name(op);
  const ten_type *type = ten_func_type(op);
  WANT(name.size, "the function has no name");
  WANT(type, "@%.*s: function_type is not the type of a function", TEN_FMT(name));
  const char *problem = ten_type_problem(m, type);
  WANT(!problem, "@%.*s: %s: %s", TEN_FMT(name), ten_say_type(m, type), problem);
  TEN_TRY(want_attr_list(op, "arg_attrs", type->input_count, "arguments"));
  TEN_TRY(want_attr_list(op, "res_attrs", type->result_count, "results"));
  const ten_block *body = ten_op_body(op, 0);
  if (!body) {
    WANT(ten_func_is_private(op), "@%.*s is declared without a body, so it must be private", TEN_FMT(name));
    return NULL;
  }
  WANT(!body->next, "@%.*s has more than one block", TEN_FMT(name));
  WANT(body->arg_count == type->input_count, "@%.*s: the body takes %u arguments, its type has %u", TEN_FMT(name),
       body->arg_count, type->input_count);
  for (uint32_t i = 0; i < body->arg_count; i++)
    WANT(body->args[i]->type && ten_type_equal(body->args[i]->type, type->inputs[i]),
         "@%.*s: argument %u of the body is %s, of its type %s", TEN_FMT(name), i,
         body->args[i]->type ? ten_say_type(m, body->args[i]->type) : "nothing", ten_say_type(m, type->inputs[i]));
  return NULL;
}

TEN_VERIFY(func_return) {
  const ten_op *func = ten_op_parent(op);
  WANT(func && ten_op_is_func(func), "is not in a function");
  const ten_type *type = ten_func_type(func);
  if (!type) return NULL;
  bool same = op->operand_count == type->result_count;
  for (uint32_t i = 0; same && i < op->operand_count; i++) same = ten_type_equal(ten_in(op, i), type->results[i]);
  WANT(same, "returns %s, @%.*s declares %s", say_inputs(m, op), TEN_FMT(ten_func_name(func)),
       ten_say_types(m, type->result_count, type->results));
  return NULL;
}

/* Whether operands and results match the function's type exactly. */
static ten_status *want_signature(ten_module *m, const ten_op *op, const ten_op *func) {
  const ten_str name = ten_func_name(func);
  const ten_type *type = ten_func_type(func);
  WANT(type, "@%.*s has no function type", TEN_FMT(name));
  bool same = op->operand_count == type->input_count;
  for (uint32_t i = 0; same && i < op->operand_count; i++) same = ten_type_equal(ten_in(op, i), type->inputs[i]);
  WANT(same, "is given %s, @%.*s takes %s", say_inputs(m, op), TEN_FMT(name),
       ten_say_types(m, type->input_count, type->inputs));
  same = op->result_count == type->result_count;
  for (uint32_t i = 0; same && i < op->result_count; i++) same = ten_type_equal(ten_out(op, i), type->results[i]);
  WANT(same, "has results %s, @%.*s returns %s", say_results(m, op), TEN_FMT(name),
       ten_say_types(m, type->result_count, type->results));
  return NULL;
}

static ten_status *want_function(const ten_op *op, const ten_symbols *symbols, const ten_attr *symbol,
                                 const ten_op **out) {
  const ten_str name = ten_attr_as_string(symbol);
  *out = ten_symbols_find(symbols, symbol);
  WANT(*out, "@%.*s is not defined", TEN_FMT(name));
  WANT(ten_op_is_func(*out), "@%.*s is a %.*s, not a function", TEN_FMT(name), TEN_FMT((*out)->name));
  return NULL;
}

/* One function for each partition of each replica; the op has the concatenated arguments and results of
 * all. */
static ten_status *want_programs(const ten_op *op, const ten_symbols *symbols, const ten_attr *programs) {
  WANT(programs->array.count, "programs is empty");
  size_t width = 0, inputs = 0, results = 0;
  for (size_t i = 0; i < programs->array.count; i++) {
    const ten_attr *row = programs->array.items[i];
    WANT(row && row->kind == TEN_ATTR_ARRAY, "programs[%zu] must be an array: one function for each partition", i);
    if (!i) width = row->array.count;
    WANT(row->array.count == width && width, "programs[%zu] has %zu functions, programs[0] has %zu", i,
         row->array.count, width);
    for (size_t k = 0; k < row->array.count; k++) {
      const ten_op *func;
      WANT(row->array.items[k] && row->array.items[k]->kind == TEN_ATTR_SYMBOL,
           "programs[%zu][%zu] must be a function's name", i, k);
      TEN_TRY(want_function(op, symbols, row->array.items[k], &func));
      const ten_type *type = ten_func_type(func);
      inputs += type ? type->input_count : 0;
      results += type ? type->result_count : 0;
    }
  }
  WANT(op->operand_count == inputs, "has %u operands, the programs take %zu", op->operand_count, inputs);
  WANT(op->result_count == results, "has %u results, the programs give %zu", op->result_count, results);
  return NULL;
}

/* Functions that return one tensor each. */
static ten_status *want_infeed(ten_module *m, const ten_op *op, const ten_symbols *symbols, const ten_attr *infeed) {
  if (!infeed) return NULL;
  WANT(infeed->array.count, "infeed is empty");
  for (size_t i = 0; i < infeed->array.count; i++) {
    const ten_op *func;
    WANT(infeed->array.items[i] && infeed->array.items[i]->kind == TEN_ATTR_SYMBOL,
         "infeed[%zu] must be a function's name", i);
    TEN_TRY(want_function(op, symbols, infeed->array.items[i], &func));
    const ten_type *type = ten_func_type(func);
    WANT(type && type->result_count == 1 && ten_is_shaped(type->results[0]),
         "infeed[%zu] returns %s, must return one tensor", i,
         type ? ten_say_types(m, type->result_count, type->results) : "nothing");
  }
  return NULL;
}

ten_status *ten_verify_symbol_uses(ten_module *m, const ten_op *op, const ten_symbols *symbols) {
  const ten_op *func;
  switch (op->code) {
    case TEN_OP_CALL:
      TEN_TRY(want_function(op, symbols, ten_op_attr(op, "callee"), &func));
      return want_signature(m, op, func);
    case TEN_OP_COMPOSITE:
      TEN_TRY(want_function(op, symbols, ten_op_attr(op, "decomposition"), &func));
      return want_signature(m, op, func);
    case TEN_OP_INTERPRETER_RUN_PARALLEL:
      TEN_TRY(want_programs(op, symbols, ten_op_attr(op, "programs")));
      return want_infeed(m, op, symbols, ten_op_attr(op, "infeed"));
    default: break;
  }
  if (!ten_op_has(op, TEN_TRAIT_COLLECTIVE)) return NULL;
  const ten_attr *mesh = ten_attr_field(ten_op_attr(op, "replica_groups"), "mesh");
  if (mesh && mesh->kind == TEN_ATTR_SYMBOL)
    WANT(ten_symbols_find(symbols, mesh), "replica_groups: mesh @%.*s is not defined",
         TEN_FMT(ten_attr_as_string(mesh)));
  return NULL;
}

static bool is_name_char(char c, bool first, bool dollar) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (!first && ((c >= '0' && c <= '9') || c == '_')) ||
         (dollar && c == '$') || (dollar && (c == '_' || (c >= '0' && c <= '9')));
}

/* namespace.name(.name)* */
static bool is_namespaced(ten_str name) {
  size_t at = 0;
  if (!name.size || !is_name_char(name.data[0], true, false)) return false;
  while (at < name.size && is_name_char(name.data[at], at == 0, false)) at++;
  if (at == name.size) return false;
  while (at < name.size) {
    if (name.data[at++] != '.') return false;
    const size_t start = at;
    while (at < name.size && is_name_char(name.data[at], false, true)) at++;
    if (at == start) return false;
  }
  return true;
}

TEN_VERIFY(composite) {
  (void)m;
  const ten_str name = ten_attr_as_string(ten_op_attr(op, "name"));
  WANT(is_namespaced(name), "name is \"%.*s\", must be namespaced: \"my_namespace.my_op\"", TEN_FMT(name));
  return NULL;
}

static ten_status *want_layouts(ten_module *m, const ten_op *op, const ten_attr *layouts, uint32_t count,
                                const ten_type *const *types, const char *what) {
  WANT(layouts->array.count == count, "has %u %ss and %zu %s layouts", count, what, layouts->array.count, what);
  for (uint32_t i = 0; i < count; i++) {
    const ten_attr *layout = layouts->array.items[i];
    WANT(layout && layout->kind == TEN_ATTR_DENSE && ten_dense_is_whole(layout) &&
             (layout->dense.type->dtype == TEN_INDEX || layout->dense.type->dtype == TEN_I64) &&
             layout->dense.type->rank == 1,
         "%s layout %u must be a one-dimensional constant of index", what, i);
    ten_ints order;
    WANT(ten_dense_ints(m, layout, &order), "%s layout %u is too long", what, i);
    WANT(types[i]->kind != TEN_TYPE_TUPLE, "%s %u is %s: tuples take no layout", what, i, ten_say_type(m, types[i]));
    if (!ten_is_shaped(types[i])) {
      WANT(!order.count, "%s %u is %s, which takes no layout, but has %s", what, i, ten_say_type(m, types[i]),
           ten_say_list(m, order));
      continue;
    }
    if (!types[i]->ranked) continue;
    enum { MOST_DIMS = 4096 };
    bool permutes = order.count == types[i]->rank && order.count <= MOST_DIMS;
    for (uint32_t d = 0; permutes && d < types[i]->rank; d++) permutes = ten_ints_has(order, d);
    WANT(permutes, "%s %u is %s, its layout %s is no permutation of its dimensions", what, i, ten_say_type(m, types[i]),
         ten_say_list(m, order));
  }
  return NULL;
}

static ten_status *want_all_layouts(ten_module *m, const ten_op *op) {
  const ten_attr *in = ten_op_attr(op, "operand_layouts"), *out = ten_op_attr(op, "result_layouts");
  if (!in && !out) return NULL;
  WANT(in && out, "has %s_layouts alone, must have both or neither", in ? "operand" : "result");
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) types[i] = ten_in(op, i);
  TEN_TRY(want_layouts(m, op, in, op->operand_count, types, "operand"));
  if (op->result_count == 1 && ten_out(op, 0)->kind == TEN_TYPE_TUPLE)
    return want_layouts(m, op, out, ten_out(op, 0)->input_count, ten_out(op, 0)->inputs, "result");
  types = ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = ten_out(op, i);
  return want_layouts(m, op, out, op->result_count, types, "result");
}

/* The type at a path of tuple indices, or NULL. */
static const ten_type *follow(const ten_type *type, ten_ints path) {
  for (size_t i = 0; i < path.count; i++) {
    if (type->kind != TEN_TYPE_TUPLE || path.data[i] < 0 || path.data[i] >= type->input_count) return NULL;
    type = type->inputs[path.data[i]];
  }
  return type;
}

typedef struct alias {
  ten_ints output, operand_path;
  int64_t operand;
} alias;

static alias alias_of(const ten_attr *attr) {
  return (alias){ten_attr_as_ints(ten_attr_field(attr, "output_tuple_indices")),
                 ten_attr_as_ints(ten_attr_field(attr, "operand_tuple_indices")),
                 ten_attr_as_int(ten_attr_field(attr, "operand_index"), -1)};
}

static bool same_path(ten_ints a, ten_ints b) {
  return a.count == b.count && (!a.count || !memcmp(a.data, b.data, a.count * sizeof *a.data));
}

static const ten_type *all_results(ten_module *m, const ten_op *op) {
  if (op->result_count == 1) return ten_out(op, 0);
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = ten_out(op, i);
  return ten_type_tuple(m, op->result_count, types);
}

static ten_status *want_aliases(ten_module *m, const ten_op *op, const ten_attr *aliases) {
  const ten_type *results = all_results(m, op);
  enum { MOST = 4096 };
  WANT(aliases->array.count <= MOST, "output_operand_aliases has %zu entries", aliases->array.count);
  for (size_t i = 0; i < aliases->array.count; i++) {
    const ten_attr *item = aliases->array.items[i];
    WANT(item && item->kind == TEN_ATTR_STRUCT && item->record.id == TEN_STRUCT_OUTPUT_OPERAND_ALIAS,
         "output_operand_aliases[%zu] must be an output_operand_alias", i);
    const alias a = alias_of(item);
    WANT(a.operand >= 0 && a.operand < op->operand_count, "output_operand_aliases[%zu] names operand %lld of %u", i,
         (long long)a.operand, op->operand_count);
    const ten_type *from = follow(ten_in(op, (uint32_t)a.operand), a.operand_path), *to = follow(results, a.output);
    WANT(from, "output_operand_aliases[%zu]: operand_tuple_indices %s lead nowhere in %s", i,
         ten_say_list(m, a.operand_path), ten_say_type(m, ten_in(op, (uint32_t)a.operand)));
    WANT(to, "output_operand_aliases[%zu]: output_tuple_indices %s lead nowhere in %s", i, ten_say_list(m, a.output),
         ten_say_type(m, results));
    WANT(ten_type_equal(from, to), "output_operand_aliases[%zu] ties operand %s to result %s", i, ten_say_type(m, from),
         ten_say_type(m, to));
    for (size_t k = 0; k < i && from->kind == TEN_TYPE_BUFFER; k++) {
      const alias b = alias_of(aliases->array.items[k]);
      WANT(!same_path(a.output, b.output), "output_operand_aliases names result %s more than once",
           ten_say_list(m, a.output));
      WANT(a.operand != b.operand || !same_path(a.operand_path, b.operand_path),
           "output_operand_aliases names operand %lld %s more than once", (long long)a.operand,
           ten_say_list(m, a.operand_path));
    }
  }
  return NULL;
}

/* Every output buffer must be an input buffer. */
static ten_status *want_buffers_tied(ten_module *m, const ten_op *op, const ten_attr *aliases, const ten_type *type,
                                     int64_t *path, size_t depth) {
  const ten_ints here = {path, depth};
  enum { DEEPEST = 64 };
  if (type->kind == TEN_TYPE_TUPLE) {
    WANT(depth < DEEPEST, "result is nested too deep");
    for (uint32_t i = 0; i < type->input_count; i++) {
      path[depth] = i;
      TEN_TRY(want_buffers_tied(m, op, aliases, type->inputs[i], path, depth + 1));
    }
    return NULL;
  }
  if (type->kind != TEN_TYPE_BUFFER) return NULL;
  for (size_t i = 0; aliases && i < aliases->array.count; i++)
    if (same_path(alias_of(aliases->array.items[i]).output, here)) return NULL;
  BAD("result %s is a buffer, which output_operand_aliases must tie to an operand", ten_say_list(m, here));
}

/* CreateBuffer, Pin, Unpin: conversions between tensors and buffers. */
static ten_status *want_known_target(ten_module *m, const ten_op *op, ten_str target, bool *known) {
  const bool create = ten_str_is(target, "CreateBuffer"), pin = ten_str_is(target, "Pin"),
             unpin = ten_str_is(target, "Unpin");
  *known = create || pin || unpin;
  if (!*known) return NULL;
  const uint32_t inputs = create ? 0 : 1;
  WANT(op->operand_count == inputs && op->result_count == 1, "@%.*s has %u operands and %u results, must have %u and 1",
       TEN_FMT(target), op->operand_count, op->result_count, inputs);
  const ten_type *result = ten_out(op, 0);
  WANT(result->kind == (unpin ? TEN_TYPE_TENSOR : TEN_TYPE_BUFFER), "@%.*s gives %s, must give a %s", TEN_FMT(target),
       ten_say_type(m, result), unpin ? "tensor" : "buffer");
  if (create) return NULL;
  const ten_type *input = ten_in(op, 0);
  WANT(input->kind == (unpin ? TEN_TYPE_BUFFER : TEN_TYPE_TENSOR), "@%.*s takes %s, must take a %s", TEN_FMT(target),
       ten_say_type(m, input), unpin ? "buffer" : "tensor");
  WANT(ten_shapes_agree(input, result) && ten_elements_equal(input, result), "@%.*s takes %s and gives %s",
       TEN_FMT(target), ten_say_type(m, input), ten_say_type(m, result));
  return NULL;
}

/* tenfold.assert: see ir/assert.h. */
static ten_status *want_assert(ten_module *m, const ten_op *op) {
  WANT(op->operand_count >= 1 && op->operand_count <= 2 && !op->result_count,
       "@tenfold.assert has %u operands and %u results, must have 1 or 2 and none", op->operand_count,
       op->result_count);
  const ten_type *ok = ten_in(op, 0), *value = op->operand_count > 1 ? ten_in(op, 1) : NULL;
  WANT(ok->kind == TEN_TYPE_TENSOR && ok->ranked && !ok->rank && ok->dtype == TEN_I1,
       "@tenfold.assert takes %s, must take a tensor<i1>", ten_say_type(m, ok));
  WANT(!value || (value->kind == TEN_TYPE_TENSOR && value->ranked && !value->rank &&
                  (value->dtype == TEN_I64 || value->dtype == TEN_F32 || value->dtype == TEN_F64)),
       "@tenfold.assert shows %s, must show a tensor<i64>, tensor<f32> or tensor<f64>", ten_say_type(m, value));
  return NULL;
}

TEN_VERIFY(custom_call) {
  TEN_TRY(want_all_layouts(m, op));
  const ten_attr *aliases = ten_op_attr(op, "output_operand_aliases");
  if (aliases) TEN_TRY(want_aliases(m, op, aliases));
  const ten_attr *config = ten_op_attr(op, "backend_config"), *calls = ten_op_attr(op, "called_computations");
  const char *version = ten_enum_name(TEN_ENUM_CUSTOM_CALL_API_VERSION, (int)ten_op_int(op, "api_version", 1));
  const bool typed = version && !strcmp(version, "API_VERSION_TYPED_FFI");
  if (config)
    WANT(config->kind == (typed ? TEN_ATTR_DICT : TEN_ATTR_STRING), "backend_config must be a %s for api_version %s",
         typed ? "dictionary" : "string", version ? version : "?");
  for (size_t i = 0; calls && i < calls->array.count; i++)
    WANT(calls->array.items[i] && calls->array.items[i]->kind == TEN_ATTR_SYMBOL,
         "called_computations[%zu] must be a symbol", i);
  if (ten_op_is_assert(op)) TEN_TRY(want_assert(m, op));
  bool known;
  TEN_TRY(want_known_target(m, op, ten_attr_as_string(ten_op_attr(op, "call_target_name")), &known));
  int64_t path[65];
  return known ? NULL : want_buffers_tied(m, op, aliases, all_results(m, op), path, 0);
}

/* check.expect_*: both sides are of one type. */
TEN_VERIFY(check_pair) {
  WANT(ten_type_equal(ten_in(op, 0), ten_in(op, 1)), "operand 0 is %s, operand 1 is %s: types differ",
       ten_say_type(m, ten_in(op, 0)), ten_say_type(m, ten_in(op, 1)));
  return NULL;
}

TEN_VERIFY(check_const) {
  const ten_type *value = ten_op_attr(op, "value")->dense.type, *operand = ten_in(op, 0);
  if (operand->quant && value->dtype == operand->dtype && ten_shapes_agree(operand, value)) return NULL;
  WANT(ten_type_equal(operand, value), "operand is %s, value is %s: types differ", ten_say_type(m, operand),
       ten_say_type(m, value));
  return NULL;
}

TEN_VERIFY(check_ulps) {
  TEN_TRY(ten_verify_check_pair(m, op));
  const uint64_t most = (uint64_t)ten_op_int(op, "max_ulp_difference", 1),
                 least = (uint64_t)ten_op_int(op, "min_ulp_difference", 0);
  WANT(least <= most, "min_ulp_difference is %llu, max_ulp_difference %llu", (unsigned long long)least,
       (unsigned long long)most);
  return NULL;
}

TEN_VERIFY(probe) {
  WANT(ten_type_equal(ten_in(op, 0), ten_out(op, 0)), "operand is %s, result is %s: types differ",
       ten_say_type(m, ten_in(op, 0)), ten_say_type(m, ten_out(op, 0)));
  return NULL;
}
