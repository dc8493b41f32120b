/* fold.c: replaces what depends on constants alone by constants.
 *
 * Walking a block forward, every small value that depends on constants alone is evaluated (value/fold.h); where an op
 * that cannot be folded uses one, a constant replaces it. Not folded: what would grow the module by more than FOLD_MAX
 * bytes (unless all elements are equal), and values of iotas and splats alone of more than GENERATED_MAX bytes (a
 * comparison of two iotas is cheaper to recompute than to load, and tells later passes more). In a program that is
 * compiled for many sizes only single elements are folded: whether others are small depends on the size.
 *
 * Needs: verified IR.  Keeps: types, order, locations (of the op that was folded). */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"
#include "value/fold.h"

enum { FOLD_MAX = 1 << 16, GENERATED_MAX = 1 << 10 };

static bool all_equal(const ten_tensor *x) {
  const size_t size = ten_dtype_bytes(x->dtype);
  return x->count > 0 && (x->count == 1 || !memcmp(x->data, (const char *)x->data + size, (x->count - 1) * size));
}

/* Ops as small as their constant would be. */
static bool is_small_already(const ten_op *op) {
  if (op->code == TEN_OP_CONSTANT || op->code == TEN_OP_IOTA) return true;
  if (op->code != TEN_OP_BROADCAST_IN_DIM && op->code != TEN_OP_RESHAPE) return false;
  return ten_type_bytes(op->results[0].type) > GENERATED_MAX;
}

/* The value as a constant, for a user that cannot be folded; NULL: unchanged. */
static const ten_attr *materialise(ten_folder *f, const ten_value *value) {
  const ten_folded *own = ten_fold_known(value);
  const ten_tensor *x = own->values[value->index];
  if (is_small_already(value->op)) return NULL;
  if (all_equal(x)) return ten_attr_dense(f->module, value->type, x->data, ten_dtype_bytes(x->dtype));
  if (x->bytes > (own->generated ? GENERATED_MAX : FOLD_MAX)) return NULL;
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

static void evaluate_in(ten_folder *f, ten_op *parent) {
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next)
      for (ten_op *op = block->first; op; op = op->next) {
        if (has_flow(op))
          evaluate_in(f, op);
        else
          ten_fold_op(f, op);
      }
}

/* From the end: ops that stay use their operands like any other op. */
static void replace_in(ten_folder *f, ten_op *parent) {
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
  ten_folder f = {.module = module, .single = module->sizes_vary};
  ten_fold_clear(module->op);
  evaluate_in(&f, module->op);
  replace_in(&f, module->op);
  ten_fold_clear(module->op);
  ten_folder_free(&f);
  return NULL;
}

const ten_pass ten_pass_fold = {
    .name = "fold", .summary = "replace small values that depend on constants alone by constants", .run = run};
