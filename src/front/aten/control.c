/* control.c: higher-order ops. cond is `if`, while_loop is `while`, scan and map are loops that slice their inputs;
 * wrappers that only set a mode are inlined. vmap is a map over the given dimensions. */
#include "front/aten/lower.h"
#include "ir/ten.h"

#include <stdio.h>

enum { VALUES_MAX = 256 };

/* Region k of an argument `k : i32`. */
static uint32_t region_arg(at *l, const char *name) {
  const ten_attr *attr = ten_op_attr(l->op, name);
  at_check(l,
           attr && attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I32 && attr->integer.value >= 0 &&
               attr->integer.value < l->op->region_count,
           "argument '%s' is not a graph", name);
  return (uint32_t)attr->integer.value;
}

static size_t refs_arg(at *l, const char *name, at_ref *out, size_t capacity) {
  const ten_attr *attr = ten_op_attr(l->op, name);
  if (!attr || attr->kind == TEN_ATTR_UNIT) return 0;
  const bool list = attr->kind == TEN_ATTR_ARRAY;
  const size_t count = list ? attr->array.count : attr->kind == TEN_ATTR_LIST ? attr->list.count : 1;
  at_check(l, count <= capacity, "%zu values", count);
  for (size_t i = 0; i < count; i++) {
    if (attr->kind == TEN_ATTR_LIST) {
      out[i] = (at_ref){.kind = AT_INT, .i = at_item(l, ten_attr_as_ints(attr), i)};
      continue;
    }
    const ten_attr *item = list ? attr->array.items[i] : attr;
    at_check(l, item->kind == TEN_ATTR_INT && item->integer.type->dtype == TEN_INDEX, "a value is expected");
    at_check(l, item->integer.value >= 0 && (uint64_t)item->integer.value < l->op->operand_count, "no operand %lld",
             (long long)item->integer.value);
    out[i] = l->refs[ten_op_operand(l->op, (uint32_t)item->integer.value)->number];
  }
  return count;
}

static ten_value *ref_tensor(at *l, at_ref ref) {
  if (ref.kind == AT_TENSOR) return at_read(l, ref.tensor);
  return at_ref_value(l, ref, ref.kind == AT_BOOL ? TEN_I1 : ref.kind == AT_INT ? TEN_I64 : TEN_F64);
}

/* Tensors inside a region are distinct from those outside: a fresh one for each. */
static at_ref fresh(at *l, at_ref like, ten_value *value) {
  if (like.kind == AT_TENSOR || like.kind == AT_NONE)
    return (at_ref){.kind = AT_TENSOR, .tensor = at_tensor_new(l, value)};
  like.value = value;
  return like;
}

typedef struct body {
  at *l;
  ten_op *op;
  uint32_t region;
  const at_ref *refs;
  size_t count;
} body;

/* A branch of cond: it captures the operands. */
static void branch_body(ten_builder *b, ten_value *const *args, void *context) {
  (void)args;
  body *p = context;
  at *l = p->l;
  const ten_builder was = l->b;
  l->b = *b;
  at_ref out[VALUES_MAX];
  at_ref inner[VALUES_MAX];
  for (size_t i = 0; i < p->count; i++)
    inner[i] = p->refs[i].kind == AT_TENSOR ? fresh(l, p->refs[i], at_read(l, p->refs[i].tensor)) : p->refs[i];
  const size_t count = at_run_region(l, p->op, p->region, p->count, inner, out, VALUES_MAX);
  at_check(l, count <= VALUES_MAX, "%zu results", count);
  ten_value *values[VALUES_MAX];
  for (size_t i = 0; i < count; i++) values[i] = ref_tensor(l, out[i]);
  ten_build_return(&l->b, (uint32_t)count, values);
  l->b = was;
  p->region++;
}

/* Types of a region's results, found by lowering it into a temporary block. */
static size_t region_types(at *l, uint32_t region, size_t count, const at_ref *refs, const ten_type **types) {
  const ten_builder was = l->b;
  ten_op *scratch = ten_op_create(l->b.module, TEN_OP_UNKNOWN, TEN_STR("scratch"), NULL, 0, NULL, 0, NULL, 0, NULL, 1);
  l->b.block = ten_block_create(l->b.module, &scratch->regions[0]);
  l->b.before = NULL;
  at_ref out[VALUES_MAX], inner[VALUES_MAX];
  for (size_t i = 0; i < count; i++)
    inner[i] = refs[i].kind == AT_TENSOR ? fresh(l, refs[i], at_read(l, refs[i].tensor)) : refs[i];
  const size_t made = at_run_region(l, l->op, region, count, inner, out, VALUES_MAX);
  at_check(l, made <= VALUES_MAX, "%zu results", made);
  for (size_t i = 0; i < made; i++) types[i] = ref_tensor(l, out[i])->type;
  for (ten_op *op = l->b.block->last; op;) {
    ten_op *prev = op->prev;
    ten_op_erase(op);
    op = prev;
  }
  l->b = was;
  return made;
}

static void lower_cond(at *l) {
  const at_ref pred = at_arg(l, "arg0");
  at_ref refs[VALUES_MAX];
  const size_t count = refs_arg(l, "arg3", refs, VALUES_MAX);
  const uint32_t yes = region_arg(l, "arg1"), no = region_arg(l, "arg2");
  if ((pred.kind == AT_BOOL || pred.kind == AT_INT) && !pred.value) { /* decided by static sizes */
    at_ref out[VALUES_MAX];
    const size_t made = at_run_region(l, l->op, pred.i ? yes : no, count, refs, out, VALUES_MAX);
    for (uint32_t i = 0; i < made && i < VALUES_MAX; i++) at_ret_ref(l, i, out[i]);
    return;
  }
  at_check(l, no == yes + 1, "branches in an unexpected order");
  for (size_t i = 0; i < count; i++)
    if (refs[i].kind == AT_TENSOR) at_read(l, refs[i].tensor); /* views are recomputed outside the branches */
  ten_value *p = at_reshape(l, at_cast(l, ref_tensor(l, pred), TEN_I1), 0, NULL);
  const ten_type *types[VALUES_MAX];
  const size_t made = region_types(l, yes, count, refs, types);
  body context = {l, l->op, yes, refs, count};
  ten_op *op = ten_build_if(&l->b, p, (uint32_t)made, types, branch_body, branch_body, &context);
  for (uint32_t i = 0; i < made; i++) at_ret(l, i, ten_op_result(op, i));
}

typedef struct loop {
  at *l;
  ten_op *op;
  uint32_t cond, step;
  const at_ref *carried, *extra;
  size_t carried_count, extra_count;
} loop;

static size_t loop_args(const loop *p, ten_value *const *args, at_ref *out) {
  for (size_t i = 0; i < p->carried_count; i++) out[i] = fresh(p->l, p->carried[i], args[i]);
  for (size_t i = 0; i < p->extra_count; i++) out[p->carried_count + i] = p->extra[i];
  return p->carried_count + p->extra_count;
}

static void loop_part(loop *p, ten_builder *b, ten_value *const *args, uint32_t region, bool is_cond) {
  at *l = p->l;
  const ten_builder was = l->b;
  l->b = *b;
  at_ref in[VALUES_MAX], out[VALUES_MAX];
  const size_t count = loop_args(p, args, in), made = at_run_region(l, p->op, region, count, in, out, VALUES_MAX);
  ten_value *values[VALUES_MAX];
  const size_t wanted = is_cond ? 1 : p->carried_count;
  at_check(l, made >= wanted, "the loop returns %zu values, %zu are carried", made, wanted);
  for (size_t i = 0; i < wanted; i++) {
    values[i] = ref_tensor(l, out[i]);
    if (is_cond)
      values[i] = at_reshape(l, at_cast(l, values[i], TEN_I1), 0, NULL);
    else
      at_check(l, values[i]->type == args[i]->type, "value %zu changes its type from turn to turn", i);
  }
  ten_build_return(&l->b, (uint32_t)wanted, values);
  l->b = was;
}

static void loop_cond(ten_builder *b, ten_value *const *args, void *context) {
  loop *p = context;
  loop_part(p, b, args, p->cond, true);
}
static void loop_step(ten_builder *b, ten_value *const *args, void *context) {
  loop *p = context;
  loop_part(p, b, args, p->step, false);
}

static void lower_while(at *l) {
  at_ref carried[VALUES_MAX], extra[VALUES_MAX];
  loop p = {l, l->op, region_arg(l, "arg0"), region_arg(l, "arg1"), carried, extra, 0, 0};
  p.carried_count = refs_arg(l, "arg2", carried, VALUES_MAX / 2);
  p.extra_count = refs_arg(l, "arg3", extra, VALUES_MAX / 2);
  ten_value *inits[VALUES_MAX];
  for (size_t i = 0; i < p.carried_count; i++) inits[i] = ref_tensor(l, carried[i]);
  for (size_t i = 0; i < p.extra_count; i++)
    if (extra[i].kind == AT_TENSOR) extra[i] = fresh(l, extra[i], at_read(l, extra[i].tensor));
  ten_op *op = ten_build_while(&l->b, (uint32_t)p.carried_count, inits, loop_cond, loop_step, &p);
  for (uint32_t i = 0; i < p.carried_count; i++) at_ret(l, i, ten_op_result(op, i));
}

/* scan and map: values are [iteration, carried…, outputs…]. */
typedef struct scan {
  loop base;
  ten_value *xs[VALUES_MAX];
  size_t xs_count, ys_count;
  int64_t length;
} scan;

static void scan_cond(ten_builder *b, ten_value *const *args, void *context) {
  const scan *s = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, s->length));
  ten_build_return(b, 1, &more);
}

static void scan_step(ten_builder *b, ten_value *const *args, void *context) {
  scan *s = context;
  at *l = s->base.l;
  const ten_builder was = l->b;
  l->b = *b;
  at_ref in[VALUES_MAX], out[VALUES_MAX];
  size_t n = 0;
  for (size_t i = 0; i < s->base.carried_count; i++) in[n++] = fresh(l, s->base.carried[i], args[1 + i]);
  ten_value *zero = ten_build_scalar_int(&l->b, TEN_I64, 0);
  for (size_t i = 0; i < s->xs_count; i++) {
    ten_value *x = s->xs[i], *starts[AT_DIMS];
    int64_t sizes[AT_DIMS];
    for (uint32_t d = 0; d < at_rank(x); d++) starts[d] = d ? zero : args[0], sizes[d] = d ? at_dim(l, x, d) : 1;
    in[n++] = fresh(l, (at_ref){.kind = AT_TENSOR}, at_squeeze(l, ten_build_dynamic_slice(&l->b, x, starts, sizes), 0));
  }
  for (size_t i = 0; i < s->base.extra_count; i++) in[n++] = s->base.extra[i];
  const size_t made = at_run_region(l, s->base.op, s->base.step, n, in, out, VALUES_MAX);
  at_check(l, made == s->base.carried_count + s->ys_count, "the body returns %zu values", made);
  ten_value *values[VALUES_MAX];
  values[0] = at_add(l, args[0], ten_build_scalar_int(&l->b, TEN_I64, 1));
  for (size_t i = 0; i < s->base.carried_count; i++) values[1 + i] = ref_tensor(l, out[i]);
  for (size_t i = 0; i < s->ys_count; i++) {
    ten_value *all = args[1 + s->base.carried_count + i],
              *one = at_unsqueeze(l, ref_tensor(l, out[s->base.carried_count + i]), 0), *starts[AT_DIMS];
    for (uint32_t d = 0; d < at_rank(all); d++) starts[d] = d ? zero : args[0];
    values[1 + s->base.carried_count + i] = ten_build_dynamic_update_slice(&l->b, all, one, starts);
  }
  ten_build_return(&l->b, (uint32_t)(1 + made), values);
  l->b = was;
}

/* Moves dimension `from` to `to`. */
static ten_value *move_dim(at *l, ten_value *x, int64_t from, int64_t to) {
  const int64_t rank = at_rank(x);
  from += from < 0 ? rank : 0, to += to < 0 ? rank : 0;
  at_check(l, from >= 0 && from < rank && to >= 0 && to < rank, "dimension %lld of %lld",
           (long long)(from > to ? from : to), (long long)rank);
  int64_t order[AT_DIMS], next = 0;
  for (int64_t i = 0; i < rank; i++) {
    if (next == from) next++;
    order[i] = i == to ? from : next++;
  }
  return from == to ? x : at_permute(l, x, order);
}

enum { SCAN, SCAN_MAP, SCAN_VMAP };
static void lower_scan(at *l) {
  const bool map = l->row->code != SCAN, vmap = l->row->code == SCAN_VMAP;
  const ten_ints in_dims = vmap ? at_ints(l, "arg3") : (ten_ints){0},
                 out_dims = vmap ? at_ints(l, "arg4") : (ten_ints){0};
  at_ref carried[VALUES_MAX / 4], extra[VALUES_MAX / 4], xs[VALUES_MAX / 4];
  scan s = {.base = {l, l->op, 0, region_arg(l, "arg0"), carried, extra, 0, 0}};
  s.base.carried_count = map ? 0 : refs_arg(l, "arg1", carried, VALUES_MAX / 4);
  s.xs_count = refs_arg(l, map ? "arg1" : "arg2", xs, VALUES_MAX / 4);
  s.base.extra_count = refs_arg(l, map ? "arg2" : "arg3", extra, VALUES_MAX / 4);
  at_check(l, s.xs_count > 0, "nothing to scan over");
  at_ref in[VALUES_MAX];
  size_t n = 0;
  ten_value *inits[VALUES_MAX];
  inits[0] = ten_build_scalar_int(&l->b, TEN_I64, 0);
  for (size_t i = 0; i < s.base.carried_count; i++) in[n++] = carried[i], inits[1 + i] = ref_tensor(l, carried[i]);
  for (size_t i = 0; i < s.xs_count; i++) {
    s.xs[i] = ref_tensor(l, xs[i]);
    at_check(l, at_rank(s.xs[i]) > 0, "a scalar to scan over");
    if (i < in_dims.count) s.xs[i] = move_dim(l, s.xs[i], in_dims.data[i], 0);
    at_check(l, i == 0 || !vmap || at_dim(l, s.xs[i], 0) == s.length, "batches of different sizes");
    s.length = at_dim(l, s.xs[i], 0);
    at_check(l, s.length > 0, "nothing to scan over");
    in[n++] = fresh(l, xs[i], at_squeeze(l, at_slice(l, s.xs[i], 0, 0, 1, 1), 0));
  }
  for (size_t i = 0; i < s.base.extra_count; i++) {
    if (extra[i].kind == AT_TENSOR) extra[i] = fresh(l, extra[i], at_read(l, extra[i].tensor));
    in[n++] = extra[i];
  }
  const ten_type *types[VALUES_MAX];
  const size_t made = region_types(l, s.base.step, n, in, types);
  at_check(l, made >= s.base.carried_count, "the body returns %zu values", made);
  s.ys_count = made - s.base.carried_count;
  for (size_t i = 0; i < s.ys_count; i++) {
    const ten_type *one = types[s.base.carried_count + i];
    int64_t dims[AT_DIMS];
    at_check(l, one->rank < AT_MAX_RANK, "too many dimensions");
    dims[0] = s.length;
    for (uint32_t d = 0; d < one->rank; d++) dims[d + 1] = one->dims[d];
    inits[1 + s.base.carried_count + i] = at_full(l, one->dtype, one->rank + 1, dims, 0);
  }
  ten_op *op = ten_build_while(&l->b, (uint32_t)(1 + made), inits, scan_cond, scan_step, &s);
  for (uint32_t i = 0; i < made; i++) {
    ten_value *result = ten_op_result(op, i + 1);
    at_ret(l, i, i < out_dims.count ? move_dim(l, result, 0, out_dims.data[i]) : result);
  }
}

/* Inlined; code 1: autocast, which lowers the type of matmuls inside. */
enum { WRAP_AUTOCAST = 1, WRAP_GRAD = 2 };
static void lower_wrap(at *l) {
  at_ref refs[VALUES_MAX], out[VALUES_MAX];
  size_t count = 0;
  int64_t region = -1;
  char name[16];
  for (uint32_t k = 0; k < l->op->attr_count; k++) {
    snprintf(name, sizeof name, "arg%u", k);
    const ten_attr *attr = ten_op_attr(l->op, name);
    if (!attr) break;
    if (region < 0) {
      if (attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I32) region = attr->integer.value;
      continue;
    }
    count += refs_arg(l, name, refs + count, VALUES_MAX - count);
  }
  at_check(l, region >= 0, "no graph inside");
  const ten_attr *grad = l->row->code == WRAP_GRAD ? ten_op_attr(l->op, "arg0") : NULL;
  const bool stop = grad && !ten_attr_as_bool(grad);
  const ten_dtype was = l->autocast;
  if (l->row->code == WRAP_AUTOCAST)
    l->autocast = at_bool(l, "arg2", true) ? at_dtype(l, "arg1", TEN_BF16) : TEN_DTYPE_NONE;
  const size_t made = at_run_region(l, l->op, (uint32_t)region, count, refs, out, VALUES_MAX);
  l->autocast = was;
  for (uint32_t i = 0; i < made && i < VALUES_MAX; i++) {
    if (stop && out[i].kind == AT_TENSOR) out[i].tensor = at_tensor_new(l, at_stop(l, at_read(l, out[i].tensor)));
    at_ret_ref(l, i, out[i]);
  }
}

const at_row at_rows_control[] = {{"higher_order.cond", lower_cond},
                                  {"higher_order.while_loop", lower_while},
                                  {"higher_order.scan", lower_scan},
                                  {"higher_order.map_impl", lower_scan, .code = SCAN_MAP},
                                  {ten_text_VMAP, lower_scan, .code = SCAN_VMAP},
                                  {"higher_order.wrap_with_set_grad_enabled", lower_wrap, .code = WRAP_GRAD},
                                  {"higher_order.wrap_with_autocast", lower_wrap, .code = WRAP_AUTOCAST},
                                  {"higher_order.wrap", lower_wrap},
                                  {"higher_order.wrap_activation_checkpoint", lower_wrap},
                                  {"higher_order.tag_activation_checkpoint", lower_wrap},
                                  {"higher_order.invoke_subgraph", lower_wrap},
                                  {"higher_order.hints_wrapper", lower_wrap},
                                  {"higher_order.strict_mode", lower_wrap},
                                  {NULL}};
