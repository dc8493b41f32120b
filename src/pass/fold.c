/* fold.c: works out, with the interpreter, what depends on constants alone.
 *
 * Walking a block forward, every value that constants decide is evaluated while it is small; where one of them meets an
 * op that cannot be folded, a constant takes its place. Left alone: what would grow the module by more than FOLD_MAX
 * bytes (unless all elements are equal), what is made of nothing but counting up to more than MADE_MAX bytes (a
 * comparison of two iotas is cheaper to do again than to load, and says more to later passes), and what would take long
 * to interpret.
 *
 * Needs: verified IR.  Keeps: types, order, locations (of the op that was folded). Elementary functions may differ from
 * the compiled ones in the last digit. */
#include <stdlib.h>

#include "interp/interp.h"
#include "ir/builder.h"
#include "pass/pass.h"

enum { FOLD_MAX = 1 << 16, MADE_MAX = 1 << 10, ELEMENTS_MAX = 1 << 16, OPERANDS_MAX = 1 << 18, PRODUCTS_MAX = 1 << 14 };

typedef struct folded {
  ten_tensor **values; /* one for each result; owned */
  uint32_t count;
  bool made; /* from splats and iotas alone */
} folded;

typedef struct folder {
  ten_module *module;
  TEN_VEC(folded *) all; /* to be released; ten_op.data points to them */
} folder;

static bool is_candidate(const ten_op *op) {
  if (op->code == TEN_OP_UNKNOWN || !op->result_count || ten_op_has(op, TEN_TRAIT_TERMINATOR | TEN_TRAIT_SYMBOL))
    return false;
  switch (op->code) {
    case TEN_OP_IF:
    case TEN_OP_CASE:
    case TEN_OP_WHILE:
    case TEN_OP_REPLICA_ID:
    case TEN_OP_PARTITION_ID:
    case TEN_OP_CONVOLUTION:
    case TEN_OP_OPTIMIZATION_BARRIER: return false;
    default: break;
  }
  if (!ten_op_is_pure(op) || !interp_kernels[op->code]) return false;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    if (!ten_type_is_tensor(type) || !ten_type_is_static(type) || type->quant || ten_type_count(type) > ELEMENTS_MAX)
      return false;
  }
  return true;
}

/* Whether the op's regions look at nothing outside of them. */
static bool is_closed(const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = op->regions[r].first;
    if (!block || block->next) return false;
    for (const ten_op *inner = block->first; inner; inner = inner->next) {
      if (inner->region_count) return false;
      for (uint32_t i = 0; i < inner->operand_count; i++) {
        const ten_value *x = ten_op_operand(inner, i);
        if ((x->op ? x->op->block : x->block) != block) return false;
      }
    }
  }
  return true;
}

static const folded *known(const ten_value *value) { return value->op ? value->op->data : NULL; }

static bool operands_known(const ten_op *op) {
  const int64_t most = op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_DOT ? PRODUCTS_MAX : OPERANDS_MAX;
  int64_t total = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (!known(x) || x->type->quant) return false;
    total += ten_type_count(x->type);
  }
  return total <= most;
}

/* The op alone in a function of its own, run on what its operands are. */
static ten_status *evaluate(const ten_op *op, ten_tensor **out) {
  ten_module *module = ten_module_create();
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, op->operand_count + 1),
                 **results = ten_arena_new_array(&module->arena, const ten_type *, op->result_count);
  ten_tensor **inputs = ten_arena_new_array(&module->arena, ten_tensor *, op->operand_count + 1);
  ten_value **values = ten_arena_new_array(&module->arena, ten_value *, op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    types[i] = ten_type_import(module, x->type);
    inputs[i] = known(x)->values[x->index];
  }
  for (uint32_t i = 0; i < op->result_count; i++) results[i] = ten_type_import(module, op->results[i].type);
  ten_op *func = ten_func_create(module, TEN_STR("fold"), op->operand_count, types, op->result_count, results, op->loc);
  ten_block *body = ten_op_body(func, 0);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) ten_value_map_set(&map, ten_op_operand(op, i), body->args[i]);
  ten_op *copy = ten_op_clone(module, op, &map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(copy, i, body->args[i]);
  ten_op_append(body, copy);
  for (uint32_t i = 0; i < op->result_count; i++) values[i] = &copy->results[i];
  ten_builder b = {.module = module, .block = body};
  ten_build_return(&b, op->result_count, values);
  ten_value_map_free(&map);
  ten_executable *executable = NULL;
  ten_status *status = ten_compile(ten_backend_find(TEN_STR("interp")), module, func, &executable);
  if (!status) status = ten_execute(executable, inputs, op->operand_count, NULL, out);
  ten_executable_destroy(executable);
  ten_module_destroy(module);
  return status;
}

/* Fills op->data when the op can be folded. What the interpreter refuses is left to the run, which will say why. */
static void fold_op(folder *f, ten_op *op) {
  op->data = NULL;
  const ten_attr *constant = op->code == TEN_OP_CONSTANT ? ten_value_constant(&op->results[0]) : NULL;
  if (op->code == TEN_OP_CONSTANT && (!constant || !constant->dense.data || op->results[0].type->quant ||
                                      (constant->dense.splat && ten_type_count(op->results[0].type) > ELEMENTS_MAX)))
    return;
  if (!constant && (!is_candidate(op) || !is_closed(op) || !operands_known(op))) return;
  folded result = {.values = ten_arena_new_array(&f->module->arena, ten_tensor *, op->result_count),
                   .count = op->result_count,
                   .made = true};
  ten_status *status = constant ? ten_tensor_of_attr(constant, &result.values[0]) : evaluate(op, result.values);
  if (status) {
    ten_status_free(status);
    return;
  }
  if (constant && !constant->dense.splat && ten_type_count(op->results[0].type) > 1) result.made = false;
  for (uint32_t i = 0; i < op->operand_count; i++) result.made &= known(ten_op_operand(op, i))->made;
  op->data = ten_arena_copy(&f->module->arena, &result, sizeof result);
  ten_vec_push(&f->all, (folded *)op->data);
}

static bool all_equal(const ten_tensor *x) {
  const size_t size = ten_dtype_bytes(x->dtype);
  return x->count > 0 && (x->count == 1 || !memcmp(x->data, (const char *)x->data + size, (x->count - 1) * size));
}

/* Ops that are as small as the constant would be. */
static bool is_small_already(const ten_op *op) {
  if (op->code == TEN_OP_CONSTANT || op->code == TEN_OP_IOTA) return true;
  if (op->code != TEN_OP_BROADCAST_IN_DIM && op->code != TEN_OP_RESHAPE) return false;
  return ten_type_bytes(op->results[0].type) > MADE_MAX;
}

/* The value as a constant, where someone who cannot be folded uses it; NULL: as it is. */
static const ten_attr *materialise(folder *f, const ten_value *value) {
  const folded *own = known(value);
  const ten_tensor *x = own->values[value->index];
  if (is_small_already(value->op)) return NULL;
  if (all_equal(x)) return ten_attr_dense(f->module, value->type, x->data, ten_dtype_bytes(x->dtype));
  if (x->bytes > (own->made ? MADE_MAX : FOLD_MAX)) return NULL;
  return ten_attr_dense(f->module, value->type, x->data, x->bytes);
}

static bool has_outside_user(const ten_value *value) {
  for (const ten_use *use = value->uses; use; use = use->next)
    if (!use->owner->data) return true;
  return false;
}

static bool has_flow(const ten_op *op) {
  return op->code == TEN_OP_IF || op->code == TEN_OP_CASE || op->code == TEN_OP_WHILE || ten_op_is_func(op) ||
         op->code == TEN_OP_MODULE;
}

/* Other regions than those of control flow hold scalars: nothing worth folding, and their uses are outside ones. */
static void clear(ten_op *op) {
  op->data = NULL;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (ten_op *inner = block->first; inner; inner = inner->next) clear(inner);
}

static void evaluate_in(folder *f, ten_op *parent) {
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next)
      for (ten_op *op = block->first; op; op = op->next) {
        if (has_flow(op))
          evaluate_in(f, op);
        else
          fold_op(f, op);
      }
}

/* From the end: what stays as it is uses its operands like any other op. */
static void replace_in(folder *f, ten_op *parent) {
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next)
      for (ten_op *op = block->last, *before; op; op = before) {
        before = op->prev;
        if (has_flow(op)) replace_in(f, op);
        if (!op->data) continue;
        ten_builder b = {.module = f->module, .block = block, .before = op->next, .loc = op->loc};
        bool stays = false;
        for (uint32_t i = 0; i < op->result_count; i++) {
          if (!has_outside_user(&op->results[i])) continue;
          const ten_attr *data = materialise(f, &op->results[i]);
          if (data) ten_value_replace(&op->results[i], ten_build_constant(&b, data));
          stays |= !data;
        }
        if (stays) op->data = NULL;
      }
}

static ten_status *run(ten_module *module) {
  folder f = {.module = module};
  clear(module->op);
  evaluate_in(&f, module->op);
  replace_in(&f, module->op);
  clear(module->op);
  for (size_t i = 0; i < f.all.count; i++) ten_tensors_release(f.all.data[i]->values, f.all.data[i]->count);
  ten_vec_free(&f.all);
  return NULL;
}

/* ---- one value ---- */
enum { SLICE_MAX = 1 << 12 };

/* What the op takes is looked for among those before it in its block, or is a constant of an outer one. */
static bool take_operands(folder *f, ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (!x->op) return false;
    if (x->op->block != op->block && x->op->code != TEN_OP_CONSTANT) return false;
    if (x->op->block != op->block && !known(x)) fold_op(f, x->op);
    if (x->op->block == op->block && !x->op->data) x->op->data = f; /* wanted */
  }
  return true;
}

const ten_attr *ten_fold_value(ten_module *module, const ten_value *value) {
  ten_op *last = value->op;
  if (!last) return NULL;
  if (last->code == TEN_OP_CONSTANT) return ten_value_constant(value);
  folder f = {.module = module};
  TEN_VEC(ten_op *) slice = {0};
  clear(module->op);
  last->data = &f;
  bool all = true;
  for (ten_op *op = last; op && all; op = op->prev) {
    if (op->data != &f) continue;
    all = slice.count < SLICE_MAX && (op->code == TEN_OP_CONSTANT || (is_candidate(op) && is_closed(op))) &&
          take_operands(&f, op);
    ten_vec_push(&slice, op);
  }
  for (size_t i = slice.count; i-- && all;) {
    fold_op(&f, slice.data[i]);
    all = slice.data[i]->data != NULL;
  }
  const ten_attr *made = NULL;
  if (all) {
    const ten_tensor *x = known(value)->values[value->index];
    made = ten_attr_dense(module, value->type, x->data, x->bytes);
  }
  clear(module->op);
  for (size_t i = 0; i < slice.count; i++) { /* also in a block that is not in the module (yet) */
    slice.data[i]->data = NULL;
    for (uint32_t k = 0; k < slice.data[i]->operand_count; k++) {
      ten_op *maker = ten_op_operand(slice.data[i], k)->op;
      if (maker) maker->data = NULL;
    }
  }
  for (size_t i = 0; i < f.all.count; i++) ten_tensors_release(f.all.data[i]->values, f.all.data[i]->count);
  ten_vec_free(&f.all);
  ten_vec_free(&slice);
  return made;
}

const ten_pass ten_pass_fold = {
    .name = "fold", .summary = "work out small values that depend on constants alone", .run = run};
