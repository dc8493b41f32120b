/* refine.c: specialises a program to the shapes of its inputs.
 *
 * Ops are visited once, in execution order, so that operands are refined before the op. A function is copied for each
 * distinct call: for the types of its arguments and, as sizes are passed as numbers, for the values of integer scalars,
 * which are then removed from its arguments. A loop whose body does not preserve the refined shapes gets the declared
 * ones. */
#include <stdlib.h>

#include "ir/verify/refine.h"

typedef struct version {
  ten_op *original, *func;
  uint32_t count; /* of the original's arguments */
  const ten_type **types;
  const ten_attr **constants; /* NULL where the argument stays */
  bool busy;
  struct version *next;
} version;

/* Whether there is anything to refine, in a function or in its callees. */
typedef struct judged {
  const ten_op *func;
  bool dynamic;
  struct judged *next;
} judged;

typedef struct refiner {
  ten_module *m;
  version *versions; /* newest first, in the module's arena */
  judged *judged;    /* in the module's arena */
  unsigned depth;    /* of calls */
  unsigned trials;   /* enclosing loops that are being tried */
} refiner;

static ten_status *refine_block(refiner *r, ten_block *block);

ten_status *ten_refine_value(ten_module *m, const ten_op *op, ten_value *value, const ten_type *refined) {
  const ten_type *merged = refined ? ten_types_merge(m, value->type, refined) : value->type;
  WANT(merged, "%s is declared as %s, becomes %s for these inputs", value->op ? "result" : "argument",
       ten_say_type(m, value->type), ten_say_type(m, refined));
  return value->type = merged, NULL;
}

static ten_status *refine_regions(refiner *r, ten_op *op) {
  for (uint32_t i = 0; i < op->region_count; i++)
    for (ten_block *block = op->regions[i].first; block; block = block->next) TEN_TRY(refine_block(r, block));
  return NULL;
}

static ten_status *refine_results(refiner *r, ten_op *op) {
  const ten_type **types = ten_arena_new_array(&r->m->arena, const ten_type *, op->result_count);
  TEN_TRY(ten_infer_types(r->m, op, types));
  for (uint32_t i = 0; i < op->result_count; i++)
    if (types[i] != ten_out(op, i)) TEN_TRY(ten_refine_value(r->m, op, &op->results[i], types[i]));
  return NULL;
}

static bool is_dynamic(const ten_type *type) {
  if (type->kind == TEN_TYPE_TUPLE || type->kind == TEN_TYPE_FUTURE)
    for (uint32_t i = 0; i < type->input_count; i++)
      if (is_dynamic(type->inputs[i])) return true;
  return type->kind == TEN_TYPE_TENSOR && !ten_type_is_static(type);
}

/* Whether a region's arguments could take these types: refines a copy and checks its results. */
static ten_status *body_keeps(refiner *r, const ten_op *loop, bool *keeps) {
  ten_value_map map = {0};
  ten_op *copy = ten_op_clone(r->m, loop, &map);
  ten_value_map_free(&map);
  copy->block = loop->block; /* symbols are resolved from the loop's position */
  ten_block *body = copy->regions[1].first;
  *keeps = true;
  for (uint32_t i = 0; i < body->arg_count && *keeps; i++) {
    const ten_type *merged = ten_types_merge(r->m, body->args[i]->type, ten_in(loop, i));
    if (merged) body->args[i]->type = merged;
    *keeps = merged != NULL;
  }
  if (*keeps) {
    r->trials++;
    ten_status *status = refine_block(r, body);
    r->trials--;
    *keeps = !status;
    ten_status_free(status);
  }
  for (uint32_t i = 0; *keeps && i < body->arg_count; i++) {
    const ten_type *given = ten_in(body->last, i), *merged = ten_types_merge(r->m, body->args[i]->type, given);
    *keeps = merged == body->args[i]->type && (!is_dynamic(given) || is_dynamic(body->args[i]->type));
  }
  copy->block = NULL;
  ten_op_erase(copy);
  return NULL;
}

static ten_status *refine_while(refiner *r, ten_op *op) {
  ten_block *cond = op->regions[0].first, *body = op->regions[1].first;
  bool changes = false, keeps = true;
  for (uint32_t i = 0; i < op->operand_count; i++) changes = changes || ten_in(op, i) != body->args[i]->type;
  enum { MOST_TRIALS = 6 }; /* each trial doubles the work for the loops inside */
  if (changes && r->trials >= MOST_TRIALS)
    keeps = false;
  else if (changes)
    TEN_TRY(body_keeps(r, op, &keeps));
  for (uint32_t i = 0; keeps && i < op->operand_count; i++) {
    TEN_TRY(ten_refine_value(r->m, op, cond->args[i], ten_in(op, i)));
    TEN_TRY(ten_refine_value(r->m, op, body->args[i], ten_in(op, i)));
    TEN_TRY(ten_refine_value(r->m, op, &op->results[i], ten_in(op, i)));
  }
  TEN_TRY(refine_regions(r, op));
  return ten_rule_check(r->m, op);
}

static ten_op *module_around(const ten_op *op) {
  ten_op *parent = ten_op_parent(op);
  while (parent && parent->code != TEN_OP_MODULE) parent = ten_op_parent(parent);
  return parent;
}

static const ten_attr *scalar_constant(const ten_value *value) {
  const ten_attr *attr = ten_value_constant(value);
  const ten_type *type = attr ? attr->dense.type : NULL;
  return type && type->rank == 0 && !type->quant && (type->dtype == TEN_I1 || ten_dtype_is_int(type->dtype)) ? attr
                                                                                                             : NULL;
}

static ten_status *note_dynamic(ten_op *op, void *found) {
  bool *dynamic = found;
  for (uint32_t i = 0; i < op->result_count; i++) *dynamic = *dynamic || is_dynamic(ten_out(op, i));
  for (uint32_t k = 0; k < op->region_count; k++)
    for (ten_block *block = op->regions[k].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) *dynamic = *dynamic || is_dynamic(block->args[i]->type);
  switch (op->code) {
    case TEN_OP_DYNAMIC_IOTA:
    case TEN_OP_DYNAMIC_RESHAPE:
    case TEN_OP_DYNAMIC_BROADCAST_IN_DIM:
    case TEN_OP_DYNAMIC_GATHER:
    case TEN_OP_DYNAMIC_PAD:
    case TEN_OP_DYNAMIC_CONV:
    case TEN_OP_REAL_DYNAMIC_SLICE: *dynamic = true; break;
    case TEN_OP_CUSTOM_CALL:
      *dynamic = *dynamic || ten_op_attr(op, "indices_of_shape_operands") ||
                 ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), "shape_assertion");
      break;
    default: break;
  }
  return NULL;
}

typedef struct search {
  refiner *r;
  bool dynamic;
  unsigned depth;
} search;

static bool has_dynamic(refiner *r, ten_op *func, unsigned depth);

static ten_status *note_calls(ten_op *op, void *context) {
  search *state = context;
  if ((op->code != TEN_OP_CALL && op->code != TEN_OP_COMPOSITE) || state->dynamic) return NULL;
  const ten_op *scope = module_around(op);
  const ten_attr *name = ten_op_attr(op, op->code == TEN_OP_CALL ? "callee" : "decomposition");
  ten_op *callee = scope ? ten_symbol_find(scope, ten_attr_as_string(name)) : NULL;
  if (callee && ten_op_is_func(callee)) state->dynamic = has_dynamic(state->r, callee, state->depth + 1);
  return NULL;
}

static bool has_dynamic(refiner *r, ten_op *func, unsigned depth) {
  enum { DEEP = 64 };
  for (const judged *known = r->judged; known; known = known->next)
    if (known->func == func) return known->dynamic;
  if (depth >= DEEP) return true;
  judged *found = ten_arena_new(&r->m->arena, judged);
  *found = (judged){func, false, r->judged}; /* a recursive call gives no information about itself */
  r->judged = found;
  search state = {r, false, depth};
  ten_status_free(ten_op_walk(func, note_dynamic, &state.dynamic));
  if (!state.dynamic) ten_status_free(ten_op_walk(func, note_calls, &state));
  return found->dynamic = state.dynamic;
}

static bool same_constant(const ten_attr *a, const ten_attr *b) { return a == b || (a && b && ten_attr_equal(a, b)); }

static version *find_version(const refiner *r, const ten_op *original, uint32_t count, const ten_type *const *types,
                             const ten_attr *const *constants) {
  for (version *v = r->versions; v; v = v->next) {
    bool same = v->original == original && v->count == count;
    for (uint32_t i = 0; same && i < count; i++)
      same = v->types[i] == types[i] && same_constant(v->constants[i], constants[i]);
    if (same) return v;
  }
  return NULL;
}

static void drop_arg_attrs(ten_module *m, ten_op *op, uint32_t count, const ten_attr *const *constants) {
  const ten_attr *attrs = ten_op_attr(op, "arg_attrs");
  if (!attrs || attrs->kind != TEN_ATTR_ARRAY || attrs->array.count != count) return;
  const ten_attr **kept = ten_arena_new_array(&m->arena, const ten_attr *, count);
  size_t left = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!constants[i]) kept[left++] = attrs->array.items[i];
  ten_op_set_attr(m, op, TEN_STR("arg_attrs"), ten_attr_array(m, left, kept));
}

static ten_status *refine_body(refiner *r, ten_op *func) {
  enum { DEEPEST = 256 };
  if (r->depth >= DEEPEST) return ten_op_error(func, TEN_LIMIT, "calls are nested more than %d deep", DEEPEST);
  r->depth++;
  ten_status *status = refine_block(r, func->regions[0].first);
  r->depth--;
  if (!status) ten_func_update_type(r->m, func);
  return status;
}

/* Gives a function's arguments their refined types; constant ones are replaced and, except in the entry function,
 * removed. */
static ten_status *enter(refiner *r, ten_op *func, uint32_t count, const ten_type *const *types,
                         const ten_attr *const *constants, bool keep) {
  ten_block *body = func->regions[0].first;
  for (uint32_t i = 0; i < count; i++) TEN_TRY(ten_refine_value(r->m, func, body->args[i], types[i]));
  if (!keep) drop_arg_attrs(r->m, func, count, constants);
  for (uint32_t i = count; i-- > 0;) {
    if (!constants[i]) continue;
    const ten_named_attr attrs[] = {{TEN_STR("value"), constants[i], true}};
    ten_op *constant = ten_op_create(r->m, TEN_OP_CONSTANT, (ten_str){0}, body->args[i]->loc, 0, NULL, 1,
                                     &constants[i]->dense.type, 1, attrs, 0);
    if (body->first)
      ten_op_insert_before(body->first, constant);
    else
      ten_op_append(body, constant);
    ten_value_replace(body->args[i], &constant->results[0]);
    if (!keep) ten_block_erase_arg(body, i);
  }
  return refine_body(r, func);
}

static void name_copy(refiner *r, ten_op *scope, const ten_op *original, ten_op *copy) {
  ten_buf name = {0};
  for (unsigned i = 0; !i || ten_symbol_find(scope, (ten_str){name.data, name.size}); i++) {
    ten_buf_free(&name);
    ten_buf_printf(&name, "%.*s_%u", TEN_FMT(ten_func_name(original)), i);
  }
  ten_op_set_attr(r->m, copy, TEN_STR("sym_name"), ten_attr_string(r->m, (ten_str){name.data, name.size}));
  ten_op_set_attr(r->m, copy, TEN_STR("sym_visibility"), ten_attr_string(r->m, TEN_STR("private")));
  ten_buf_free(&name);
}

static ten_status *specialise(refiner *r, ten_op *op, ten_op *callee, const ten_attr **constants, version **out) {
  const uint32_t count = op->operand_count;
  const ten_type **types = ten_arena_new_array(&r->m->arena, const ten_type *, count);
  bool same = true;
  for (uint32_t i = 0; i < count; i++) {
    types[i] = ten_in(op, i);
    same = same && !constants[i] && types[i] == callee->regions[0].first->args[i]->type;
  }
  version *v = find_version(r, callee, count, types, constants);
  if (v) {
    WANT(!v->busy, "@%.*s calls itself with the same shapes, which cannot be specialised",
         TEN_FMT(ten_func_name(callee)));
    return *out = v, NULL;
  }
  v = ten_arena_new(&r->m->arena, version);
  *v = (version){callee, callee, count, types, constants, true, r->versions};
  r->versions = v;
  if (!same) {
    ten_value_map map = {0};
    v->func = ten_op_clone(r->m, callee, &map);
    ten_value_map_free(&map);
    name_copy(r, module_around(op), callee, v->func);
    ten_op_insert_after(callee, v->func);
  }
  ten_status *status = enter(r, v->func, count, types, constants, false);
  v->busy = false;
  *out = v;
  return status;
}

/* Whether a call may return sizes: specialising it then evaluates them. */
static bool gives_sizes(const ten_op *op) {
  for (uint32_t i = 0; op->code == TEN_OP_CALL && i < op->result_count; i++)
    if (ten_type_has_class(ten_out(op, i), PRED_OR_INT | STATIC) && ten_out(op, i)->rank <= 1 &&
        ten_type_count(ten_out(op, i)) <= 64)
      return true;
  return false;
}

static ten_status *refine_call(refiner *r, ten_op *op, const char *symbol) {
  const ten_op *scope = module_around(op);
  const ten_str name = ten_attr_as_string(ten_op_attr(op, symbol));
  ten_op *callee = scope ? ten_symbol_find(scope, name) : NULL;
  WANT(callee && ten_op_is_func(callee), "@%.*s is not a function", TEN_FMT(name));
  if (!callee->regions[0].first || !(gives_sizes(op) || has_dynamic(r, callee, 0))) return NULL;
  WANT(callee->regions[0].first->arg_count == op->operand_count, "@%.*s takes %u arguments, is given %u", TEN_FMT(name),
       callee->regions[0].first->arg_count, op->operand_count);
  const ten_attr **constants = ten_arena_new_array(&r->m->arena, const ten_attr *, op->operand_count);
  for (uint32_t i = 0; op->code == TEN_OP_CALL && i < op->operand_count; i++)
    constants[i] = scalar_constant(ten_op_operand(op, i));
  version *v = NULL;
  TEN_TRY(specialise(r, op, callee, constants, &v));
  drop_arg_attrs(r->m, op, op->operand_count, constants);
  for (uint32_t i = op->operand_count; i-- > 0;)
    if (constants[i]) ten_op_erase_operand(op, i);
  ten_op_set_attr(r->m, op, ten_str_of(symbol), ten_attr_symbol(r->m, ten_func_name(v->func)));
  const ten_op *end = v->func->regions[0].first->last;
  WANT(end && end->operand_count == op->result_count, "@%.*s returns %u values, %u are expected", TEN_FMT(name),
       end ? end->operand_count : 0, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) {
    TEN_TRY(ten_refine_value(r->m, op, &op->results[i], ten_in(end, i)));
    ten_ints value;
    if (ten_value_ints(r->m, ten_op_operand(end, i), &value))
      ten_replace_by_constant(r->m, &op->results[i], ten_value_constant(ten_op_operand(end, i)));
  }
  return NULL;
}

/* Lists of dynamic_conv longer than its window, allowed only while the padding is unknown. */
static void trim_lists(refiner *r, ten_op *op) {
  static const char *const names[] = {"window_strides", "lhs_dilation", "rhs_dilation"};
  const size_t rank = ten_in(op, 0)->rank >= 2 ? ten_in(op, 0)->rank - 2 : 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const ten_ints list = ten_op_ints(op, names[i]);
    if (list.count > rank) ten_op_set_attr(r->m, op, ten_str_of(names[i]), ten_attr_dims(r->m, rank, list.data));
  }
}

static ten_status *refine_op(refiner *r, ten_op *op) {
  bool done = false;
  if (op->code == TEN_OP_DYNAMIC_CONV) trim_lists(r, op);
  switch (op->code) {
    case TEN_OP_CONSTANT:
    case TEN_OP_RETURN:
    case TEN_OP_FUNC_RETURN: return NULL;
    case TEN_OP_CALL: return refine_call(r, op, "callee");
    case TEN_OP_COMPOSITE: return refine_call(r, op, "decomposition");
    case TEN_OP_CUSTOM_CALL: return ten_refine_custom_call(r->m, op, &done);
    case TEN_OP_WHILE: return refine_while(r, op);
    case TEN_OP_CAST: /* between types that differ in what is known of one value */
      if (op->operand_count == 1 && op->result_count == 1 && ten_types_agree(ten_in(op, 0), ten_out(op, 0)))
        ten_value_replace(&op->results[0], ten_op_operand(op, 0));
      return NULL;
    case TEN_OP_UNKNOWN: /* shardings and similar ops pass a value through */
      if (ten_str_starts(op->name, "sdy.") && op->operand_count == 1 && op->result_count == 1 && !op->region_count)
        op->results[0].type = ten_in(op, 0);
      return refine_regions(r, op);
    default: break;
  }
  TEN_TRY(refine_regions(r, op));
  TEN_TRY(refine_results(r, op));
  TEN_TRY(ten_rule_check(r->m, op)); /* valid for some shapes, but possibly not for these */
  const ten_attr *value = ten_eval_op(r->m, op);
  if (value) {
    ten_replace_by_constant(r->m, &op->results[0], value);
    return NULL;
  }
  return ten_make_static(r->m, op, &done);
}

static ten_status *refine_block(refiner *r, ten_block *block) {
  for (ten_op *op = block->first, *next; op; op = next) {
    next = op->next;
    TEN_TRY(refine_op(r, op));
  }
  return NULL;
}

static bool is_pure(const ten_op *op, unsigned *budget);

static bool block_is_pure(const ten_block *block, unsigned *budget) {
  for (const ten_op *op = block->first; op; op = op->next) {
    if (!*budget) return false;
    --*budget;
    if (!ten_op_has(op, TEN_TRAIT_TERMINATOR) && !is_pure(op, budget)) return false;
  }
  return true;
}

/* Like ten_op_is_pure, but also checks callees; visits `budget` ops at most. */
static bool is_pure(const ten_op *op, unsigned *budget) {
  if (op->code != TEN_OP_CALL) return ten_op_is_pure(op);
  const ten_op *scope = module_around(op);
  const ten_op *callee = scope ? ten_symbol_find(scope, ten_attr_as_string(ten_op_attr(op, "callee"))) : NULL;
  const ten_block *body = callee && ten_op_is_func(callee) ? callee->regions[0].first : NULL;
  return body && block_is_pure(body, budget);
}

/* Erases unused ops, last first. */
static void sweep(ten_block *block) {
  for (ten_op *op = block->last, *previous; op; op = previous) {
    previous = op->prev;
    for (uint32_t i = 0; i < op->region_count; i++)
      for (ten_block *inner = op->regions[i].first; inner; inner = inner->next) sweep(inner);
    bool used = !op->result_count || ten_op_has(op, TEN_TRAIT_TERMINATOR);
    for (uint32_t i = 0; !used && i < op->result_count; i++) used = ten_value_has_uses(&op->results[i]);
    unsigned budget = 10000;
    if (!used && is_pure(op, &budget)) ten_op_erase(op);
  }
}

typedef struct renaming {
  ten_module *m;
  ten_str from, to; /* `to` empty: count only */
  size_t uses;
} renaming;

static const ten_attr *rename_in(renaming *n, const ten_attr *attr) {
  if (!attr) return NULL;
  if (attr->kind == TEN_ATTR_SYMBOL && attr->symbol.count && ten_str_eq(attr->symbol.path[0], n->from)) {
    n->uses++;
    return n->to.size && attr->symbol.count == 1 ? ten_attr_symbol(n->m, n->to) : attr;
  }
  if (attr->kind != TEN_ATTR_ARRAY) return attr;
  const ten_attr **items = ten_arena_new_array(&n->m->arena, const ten_attr *, attr->array.count);
  bool changed = false;
  for (size_t i = 0; i < attr->array.count; i++) {
    items[i] = rename_in(n, attr->array.items[i]);
    changed = changed || items[i] != attr->array.items[i];
  }
  return changed ? ten_attr_array(n->m, attr->array.count, items) : attr;
}

static ten_status *rename_op(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->attr_count; i++) op->attrs[i].value = rename_in(context, op->attrs[i].value);
  return NULL;
}

static bool is_called(refiner *r, const ten_op *func) {
  renaming count = {.m = r->m, .from = ten_func_name(func)};
  ten_status_free(ten_op_walk(r->m->op, rename_op, &count));
  return count.uses > 0;
}

/* Removes copies and originals without callers; the first copy takes the original's name. */
static void tidy(refiner *r) {
  version *oldest = NULL;
  for (version *v = r->versions, *next; v; v = next) {
    sweep(v->func->regions[0].first);
    next = v->next;
    v->next = oldest;
    oldest = v;
  }
  for (version *v = oldest; v; v = v->next) /* callers precede their callees */
    if (v->func->block && ten_func_is_private(v->func) && !is_called(r, v->func)) ten_op_erase(v->func);
  for (version *v = oldest; v; v = v->next) {
    if (v->func == v->original || !v->original->block || !ten_func_is_private(v->original) || is_called(r, v->original))
      continue;
    const ten_str name = ten_func_name(v->original);
    ten_op_erase(v->original);
    if (!v->func->block) continue;
    renaming back = {.m = r->m, .from = ten_func_name(v->func), .to = name};
    ten_status_free(ten_op_walk(r->m->op, rename_op, &back));
    ten_op_set_attr(r->m, v->func, TEN_STR("sym_name"), ten_attr_string(r->m, name));
  }
}

ten_status *ten_refine_func(ten_module *module, ten_op *func, const ten_type *const *input_types,
                            const ten_attr *const *values, size_t count) {
  const ten_op *op = func;
  const ten_str name = ten_func_name(func);
  ten_block *body = func->regions[0].first;
  WANT(body, "@%.*s has no body to specialise", TEN_FMT(name));
  WANT(body->arg_count == count, "@%.*s takes %u arguments, %zu types are given", TEN_FMT(name), body->arg_count,
       count);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count);
  const ten_attr **constants = ten_arena_new_array(&module->arena, const ten_attr *, count);
  for (uint32_t i = 0; i < count; i++) {
    types[i] = ten_type_import(module, input_types[i]);
    const ten_type *declared = body->args[i]->type;
    WANT(ten_types_agree(types[i], declared) && ten_elements_equal(types[i], declared),
         "argument %u of @%.*s is %s, given %s", i, TEN_FMT(name), ten_say_type(module, declared),
         ten_say_type(module, types[i]));
    if (!values || !values[i]) continue;
    constants[i] = ten_attr_import(module, values[i], false);
    WANT(constants[i]->kind == TEN_ATTR_DENSE && ten_dense_is_whole(constants[i]) &&
             ten_type_equal(constants[i]->dense.type, types[i]),
         "the value for argument %u of @%.*s is not a dense constant of %s", i, TEN_FMT(name),
         ten_say_type(module, types[i]));
  }
  refiner r = {.m = module};
  TEN_TRY(enter(&r, func, (uint32_t)count, types, constants, true));
  sweep(body);
  tidy(&r);
  return NULL;
}

ten_status *ten_refine_shapes(ten_module *module, const ten_type *const *input_types, size_t count) {
  ten_op *func = ten_module_entry(module, (ten_str){0});
  if (!func) return ten_error(TEN_INVALID, "the module has no entry function to specialise");
  return ten_refine_func(module, func, input_types, NULL, count);
}
