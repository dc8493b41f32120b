/* grad.c: the walk. The forward block is cloned into the new function (calls inlined, so that one block holds all),
 * then its ops are visited last to first; each op whose result has a cotangent passes it to its rule.
 *
 * Only active values, which depend on an argument of differentiation, have cotangents; others cost nothing. Needs:
 * verified StableHLO with static shapes.  Keeps: the original function; locations (derivatives have their op's). */
#include "transform/grad/grad.h"

#include <stdlib.h>

#include "ir/ten.h"
#include "transform/grad/vjp.h"

enum { CALL_DEPTH_MAX = 200 };

typedef struct grad_rules {
  const ten_grad_registration *rules;
  size_t count;
} grad_rules;

struct ten_pullback {
  ten_module *module;
  ten_builder *b;
  ten_value_map active; /* the set of active values */
  ten_value_map ct;     /* value → cotangent so far */
  const grad_rules *extra;
  unsigned depth;
};

static bool differentiable(const ten_type *type) {
  return type->kind == TEN_TYPE_TENSOR && !type->quant &&
         (ten_dtype_is_float(type->dtype) || ten_dtype_is_complex(type->dtype));
}

bool ten_vjp_wants_value(const ten_vjp *v, const ten_value *value) {
  return ten_value_map_get(&v->pullback->active, value) != NULL;
}
bool ten_vjp_wants(const ten_vjp *v, uint32_t operand) {
  return ten_vjp_wants_value(v, ten_op_operand(v->op, operand));
}

static void add_cotangent(ten_pullback *p, ten_builder *b, ten_value *value, ten_value *cotangent) {
  if (!cotangent || !ten_value_map_get(&p->active, value)) return;
  ten_value *before = ten_value_map_get(&p->ct, value);
  ten_value_map_set(&p->ct, value, before ? ten_build_binary(b, TEN_OP_ADD, before, cotangent) : cotangent);
}

void ten_vjp_add_value(ten_vjp *v, ten_value *value, ten_value *cotangent) {
  add_cotangent(v->pullback, v->b, value, cotangent);
}
void ten_vjp_add(ten_vjp *v, uint32_t operand, ten_value *cotangent) {
  ten_vjp_add_value(v, ten_op_operand(v->op, operand), cotangent);
}

ten_value *ten_vjp_ct_or_zero(ten_vjp *v, uint32_t result) {
  return v->ct[result] ? v->ct[result] : ten_build_splat(v->b, v->op->results[result].type, 0);
}

ten_value *ten_vjp_conj(ten_vjp *v, ten_value *x) {
  if (!ten_dtype_is_complex(x->type->dtype)) return x;
  return ten_build_complex(v->b, ten_build_part(v->b, TEN_OP_REAL, x), neg(v, ten_build_part(v->b, TEN_OP_IMAG, x)));
}

ten_value *ten_vjp_sum(ten_vjp *v, ten_value *x, size_t count, const int64_t *dims) {
  return count ? ten_build_reduce(v->b, TEN_OP_ADD, x, ten_build_scalar(v->b, x->type->dtype, 0), count, dims) : x;
}

/* Copies the ops of `block` to the builder's insertion point, inlining calls and composites; `results` receives its
 * results. */
static ten_status *copy_forward(ten_pullback *p, const ten_block *block, ten_value_map *map, ten_value **results,
                                ten_builder *b) {
  for (const ten_op *op = block->first; op; op = op->next) {
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        ten_value *mapped = ten_value_map_get(map, op->operands[i].value);
        results[i] = mapped ? mapped : op->operands[i].value;
      }
      return NULL;
    }
    if (op->code == TEN_OP_CALL || op->code == TEN_OP_COMPOSITE) {
      const ten_str name = ten_attr_as_string(ten_op_attr(op, op->code == TEN_OP_CALL ? "callee" : "decomposition"));
      const ten_op *callee = ten_module_find(p->module, name);
      if (!callee || !ten_op_is_func(callee) || !ten_op_body(callee, 0))
        return ten_op_error(op, TEN_INVALID, "calls @%.*s, which is not a function with a body", TEN_FMT(name));
      if (++p->depth > CALL_DEPTH_MAX)
        return ten_op_error(op, TEN_LIMIT, "calls nest more than %d deep (recursion?)", CALL_DEPTH_MAX);
      ten_value_map inner = {0};
      const ten_block *body = ten_op_body(callee, 0);
      for (uint32_t i = 0; i < body->arg_count; i++) {
        ten_value *mapped = ten_value_map_get(map, op->operands[i].value);
        ten_value_map_set(&inner, body->args[i], mapped ? mapped : op->operands[i].value);
      }
      ten_value **inner_results = ten_arena_new_array(&p->module->arena, ten_value *, op->result_count);
      ten_status *status = copy_forward(p, body, &inner, inner_results, b);
      ten_value_map_free(&inner);
      p->depth--;
      if (status) return ten_annotate(status, "differentiating the call of @%.*s", TEN_FMT(name));
      for (uint32_t i = 0; i < op->result_count; i++) ten_value_map_set(map, &op->results[i], inner_results[i]);
      continue;
    }
    ten_op *copy = ten_op_clone(p->module, op, map);
    if (b->before)
      ten_op_insert_before(b->before, copy);
    else
      ten_op_append(b->block, copy);
  }
  return ten_error(TEN_INVALID, "a block to differentiate has no terminator");
}

static bool uses_active(const ten_pullback *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_value_map_get(&p->active, op->operands[i].value)) return true;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next)
        if (uses_active(p, inner)) return true;
  return false;
}

static void mark_active(ten_pullback *p, const ten_op *first, const ten_op *last) {
  if (!first) return;
  for (const ten_op *op = first;; op = op->next) {
    if (uses_active(p, op))
      for (uint32_t i = 0; i < op->result_count; i++)
        if (differentiable(op->results[i].type)) ten_value_map_set(&p->active, &op->results[i], &op->results[i]);
    if (op == last) return;
  }
}

static const ten_grad_registration *extra_rule(const ten_pullback *p, const ten_op *op) {
  for (size_t i = 0; i < p->extra->count; i++) {
    const ten_grad_registration *rule = &p->extra->rules[i];
    if (ten_str_is(op->name, rule->name)) return rule;
    if (op->code == TEN_OP_CUSTOM_CALL && !strncmp(rule->name, "custom_call:", 12) &&
        ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), rule->name + 12))
      return rule;
  }
  return NULL;
}

static ten_status *pull_back_op(ten_pullback *p, ten_op *op) {
  ten_value **ct = ten_arena_new_array(&p->module->arena, ten_value *, op->result_count);
  bool any = false;
  for (uint32_t i = 0; i < op->result_count; i++) any |= (ct[i] = ten_value_map_get(&p->ct, &op->results[i])) != NULL;
  if (!any || !uses_active(p, op)) return NULL;
  p->b->loc = op->loc;
  ten_vjp v = {.pullback = p, .b = p->b, .op = op, .ct = ct};
  const ten_grad_registration *extra = extra_rule(p, op);
  if (extra) {
    ten_value **operands = ten_arena_new_array(&p->module->arena, ten_value *, op->operand_count);
    TEN_TRY(extra->rule(p->b, op, ct, operands, extra->context));
    for (uint32_t i = 0; i < op->operand_count; i++) ten_vjp_add(&v, i, operands[i]);
    return NULL;
  }
  if (!ten_vjp_rules[op->code]) {
    if (op->code == TEN_OP_CUSTOM_CALL)
      return ten_op_error(op, TEN_UNSUPPORTED, "no gradient is registered for the call of @%.*s",
                          TEN_FMT(ten_attr_as_string(ten_op_attr(op, "call_target_name"))));
    return ten_op_error(op, TEN_UNSUPPORTED, "has no gradient");
  }
  return ten_vjp_rules[op->code](&v);
}

/* Visits the ops after `before_first` (NULL: from the block's start), last to first. */
static ten_status *pull_back_range(ten_pullback *p, ten_op *first, ten_op *last) {
  for (ten_op *op = last; first && op;) {
    ten_op *before = op->prev;
    TEN_TRY(pull_back_op(p, op));
    if (op == first) break;
    op = before;
  }
  return NULL;
}

ten_value **ten_vjp_free_values(ten_vjp *v, const ten_op *op, size_t *out_count) {
  TEN_VEC(ten_value *) found = {0};
  TEN_VEC(const ten_op *) stack = {0};
  ten_vec_push(&stack, op);
  while (stack.count) {
    const ten_op *at = stack.data[--stack.count];
    for (uint32_t i = 0; at != op && i < at->operand_count; i++) {
      ten_value *value = at->operands[i].value;
      if (!ten_vjp_wants_value(v, value)) continue;
      bool known = false;
      for (size_t f = 0; f < found.count && !known; f++) known = found.data[f] == value;
      if (!known) ten_vec_push(&found, value);
    }
    for (uint32_t r = 0; r < at->region_count; r++)
      for (const ten_block *block = at->regions[r].first; block; block = block->next)
        for (const ten_op *inner = block->first; inner; inner = inner->next) ten_vec_push(&stack, inner);
  }
  ten_value **list = ten_arena_copy(&v->pullback->module->arena, found.data, found.count * sizeof *list);
  *out_count = found.count;
  ten_vec_free(&found);
  ten_vec_free(&stack);
  return list;
}

ten_status *ten_block_pull_back(ten_vjp *v, ten_builder *b, const ten_block_vjp *what) {
  ten_pullback inner = {
      .module = v->pullback->module, .b = b, .extra = v->pullback->extra, .depth = v->pullback->depth};
  ten_value_map map = {0};
  for (uint32_t i = 0; i < what->block->arg_count; i++) {
    ten_value_map_set(&map, what->block->args[i], what->args[i]);
    if (what->arg_ct && differentiable(what->args[i]->type))
      ten_value_map_set(&inner.active, what->args[i], what->args[i]);
  }
  for (size_t i = 0; i < what->free_count; i++)
    ten_value_map_set(&inner.active, what->free_values[i], what->free_values[i]);
  const uint32_t result_count = ten_block_terminator(what->block)->operand_count;
  ten_value **results = ten_arena_new_array(&inner.module->arena, ten_value *, result_count);
  ten_op *before = b->before ? b->before->prev : b->block->last;
  ten_status *status = copy_forward(&inner, what->block, &map, results, b);
  ten_op *last = b->before ? b->before->prev : b->block->last;
  ten_op *first = before ? before->next : b->block->first;
  if (last == before) first = last = NULL;
  if (!status) {
    mark_active(&inner, first, last);
    for (uint32_t i = 0; i < result_count; i++) add_cotangent(&inner, b, results[i], what->ct[i]);
    status = pull_back_range(&inner, first, last);
  }
  for (uint32_t i = 0; !status && what->arg_ct && i < what->block->arg_count; i++)
    what->arg_ct[i] = ten_value_map_get(&inner.ct, what->args[i]);
  for (size_t i = 0; !status && i < what->free_count; i++)
    what->free_ct[i] = ten_value_map_get(&inner.ct, what->free_values[i]);
  ten_value_map_free(&map);
  ten_value_map_free(&inner.active);
  ten_value_map_free(&inner.ct);
  return status;
}

static ten_status *check_request(const ten_op *func, const ten_grad_options *options) {
  const ten_block *body = ten_op_body(func, 0);
  const ten_op *end = body ? ten_block_terminator(body) : NULL;
  if (!end) return ten_op_error(func, TEN_INVALID, "@%.*s has no body to differentiate", TEN_FMT(ten_func_name(func)));
  for (size_t i = 0; i < options->arg_count; i++) {
    if (options->args[i] >= body->arg_count)
      return ten_op_error(func, TEN_INVALID, "there is no argument %u, @%.*s takes %u", options->args[i],
                          TEN_FMT(ten_func_name(func)), body->arg_count);
    if (!differentiable(body->args[options->args[i]]->type))
      return ten_op_error(func, TEN_INVALID, "argument %u is not of a float or complex type", options->args[i]);
  }
  if (options->take_cotangents) return NULL;
  if (!end->operand_count)
    return ten_op_error(func, TEN_INVALID, "@%.*s returns nothing to differentiate", TEN_FMT(ten_func_name(func)));
  const ten_type *loss = ten_op_operand(end, 0)->type;
  if (loss->rank != 0 || !loss->ranked || !ten_dtype_is_float(loss->dtype)) {
    ten_buf text = {0};
    ten_type_print(&text, loss);
    ten_status *status =
        ten_op_error(func, TEN_INVALID, "the first result must be a float scalar, it is %s", text.data);
    ten_buf_free(&text);
    return status;
  }
  return NULL;
}

/* Empty, with the inputs of `func`. */
static ten_op *gradient_func(ten_module *module, const ten_op *func, const ten_grad_options *options) {
  const ten_type *type = ten_func_type(func);
  ten_buf name = {0};
  if (options->name.size)
    ten_buf_addstr(&name, options->name);
  else
    ten_buf_printf(&name, "%.*s.grad", TEN_FMT(ten_func_name(func)));
  ten_op *result =
      ten_func_create(module, (ten_str){name.data, name.size}, type->input_count, type->inputs, 0, NULL, func->loc);
  ten_buf_free(&name);
  return result;
}

static ten_status *differentiate(ten_module *module, ten_op *func, const ten_grad_options *options,
                                 const grad_rules *extra, ten_op **out_func) {
  const ten_block *source = ten_op_body(func, 0);
  const ten_type *type = ten_func_type(func);
  ten_op *result = gradient_func(module, func, options);
  ten_block *body = ten_op_body(result, 0);
  ten_builder b = {.module = module, .block = body, .loc = func->loc};
  ten_pullback p = {.module = module, .b = &b, .extra = extra};
  TEN_VEC(ten_value *) wanted = {0};
  if (options->args)
    for (size_t i = 0; i < options->arg_count; i++) ten_vec_push(&wanted, body->args[options->args[i]]);
  else
    for (uint32_t i = 0; i < body->arg_count; i++)
      if (differentiable(body->args[i]->type)) ten_vec_push(&wanted, body->args[i]);
  for (size_t i = 0; i < wanted.count; i++) ten_value_map_set(&p.active, wanted.data[i], wanted.data[i]);

  ten_value_map map = {0};
  for (uint32_t i = 0; i < source->arg_count; i++) ten_value_map_set(&map, source->args[i], body->args[i]);
  ten_value **results = ten_arena_new_array(&module->arena, ten_value *, type->result_count);
  ten_status *status = copy_forward(&p, source, &map, results, &b);
  ten_op *last = body->last;
  int64_t forward = 0;
  for (const ten_op *op = body->first; op; op = op->next) forward++;
  if (options->mark_forward) ten_own_attr_set(module, result, TEN_NAME_FORWARD, ten_attr_i64(module, forward));
  mark_active(&p, body->first, last);
  for (uint32_t i = 0; !status && i < type->result_count; i++) {
    ten_value *ct = NULL;
    if (options->take_cotangents) {
      if (differentiable(results[i]->type)) ct = ten_block_add_arg(module, body, results[i]->type, func->loc);
    } else if (i == 0) {
      ct = ten_build_splat(&b, results[i]->type, 1);
    }
    add_cotangent(&p, &b, results[i], ct);
  }
  if (!status) status = pull_back_range(&p, last ? body->first : NULL, last);
  if (!status) {
    b.loc = func->loc;
    TEN_VEC(ten_value *) outs = {0};
    for (uint32_t i = 0; options->with_results && i < type->result_count; i++) ten_vec_push(&outs, results[i]);
    for (size_t i = 0; i < wanted.count; i++) {
      ten_value *ct = ten_value_map_get(&p.ct, wanted.data[i]);
      ten_vec_push(&outs, ct ? ct : ten_build_splat(&b, wanted.data[i]->type, 0));
    }
    ten_build_return(&b, (uint32_t)outs.count, outs.data);
    ten_vec_free(&outs);
    ten_func_update_type(module, result);
    *out_func = result;
  } else {
    ten_op_erase(result);
  }
  ten_vec_free(&wanted);
  ten_value_map_free(&map);
  ten_value_map_free(&p.active);
  ten_value_map_free(&p.ct);
  return status;
}

ten_status *ten_grad_with(ten_module *module, ten_op *func, const ten_grad_options *options,
                          const ten_grad_registration *rules, size_t rule_count, ten_op **out_func) {
  *out_func = NULL;
  TEN_TRY(check_request(func, options));
  return differentiate(module, func, options, &(grad_rules){rules, rule_count}, out_func);
}

ten_status *ten_grad(ten_module *module, ten_op *func, const ten_grad_options *options, ten_op **out_func) {
  return ten_grad_with(module, func, options, NULL, 0, out_func);
}
