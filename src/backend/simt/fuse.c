/* fuse.c: fuses ops into contraction kernels, and chooses the memory layout of their operands. Pointwise ops after a
 * contraction join its kernel, up to the first op in the block that is not pointwise and reads a joined value; the
 * kernel runs at the position of the last joined op. Values with other readers are also stored. */
#include <string.h>

#include "backend/simt/planner.h"

enum { JOINED_MOST = 48, ORDER_DEPTH = 8, WINDOW_MOST = 256 };

typedef struct growth {
  simt_planner *p;
  const ten_op *joined[JOINED_MOST];
  uint32_t count;
  simt_rows rows; /* without reductions: a contraction */
} growth;

static bool has_joined(const growth *g, const ten_op *op) {
  for (uint32_t i = 0; i < g->count; i++)
    if (g->joined[i] == op) return true;
  return false;
}

static bool reads_joined(const growth *g, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->op && has_joined(g, ten_op_operand(op, i)->op)) return true;
  if (!op->region_count) return false;
  for (uint32_t i = 0; i < g->count; i++) /* a region may read it */
    for (const ten_use *use = g->joined[i]->results[0].uses; use; use = use->next)
      if (use->owner->block != op->block) return true;
  return false;
}

static bool can_join(const growth *g, const ten_op *op) {
  if (op->data || g->count == JOINED_MOST) return false;
  if (g->rows.reduce_count) return simt_rows_join(&g->rows, op);
  if (op->result_count != 1 || op->region_count || !simt_can_emit(op)) return false;
  const bool pointwise = ten_op_has(op, TEN_TRAIT_ELEMENTWISE) || op->code == TEN_OP_SELECT ||
                         op->code == TEN_OP_CLAMP || op->code == TEN_OP_RESHAPE;
  return pointwise && ten_type_count(op->results[0].type) == ten_type_count(g->joined[0]->results[0].type);
}

static bool escapes(const growth *g, const ten_op *op) {
  for (const ten_use *use = op->results[0].uses; use; use = use->next)
    if (!has_joined(g, use->owner)) return true;
  return false;
}

static uint32_t count_escapes(const growth *g) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->count; i++) count += escapes(g, g->joined[i]);
  return count;
}

/* Whether it is a reduction of the same rows, of what another one reduces, too, or of something computed from that. */
static bool is_sibling(const growth *g, const ten_op *op) {
  if (!g->rows.reduce_count || op->code != TEN_OP_REDUCE || !can_join(g, op)) return false;
  const ten_value *x = ten_op_operand(op, 0);
  for (uint32_t i = 0; i < g->rows.reduce_count; i++) {
    const ten_value *other = ten_op_operand(g->rows.reduces[i], 0);
    if (x == other) return true;
    for (uint32_t k = 0; x->op && k < x->op->operand_count; k++)
      if (ten_op_operand(x->op, k) == other) return true;
  }
  return false;
}

static void grow(growth *g) {
  for (const ten_op *op = g->joined[0]->next; op; op = op->next) {
    if (!reads_joined(g, op) && !is_sibling(g, op)) continue;
    if (!can_join(g, op)) return;
    g->joined[g->count++] = op;
    if (op->code == TEN_OP_REDUCE) g->rows.reduces[g->rows.reduce_count++] = op;
  }
}

/* Whether the row fusion is more than one reduction. */
static bool is_worth_it(const growth *g) {
  if (!g->rows.reduce_count) return true;
  bool full = false;
  for (uint32_t i = 1; i < g->count; i++)
    full = full ||
           (g->joined[i]->code != TEN_OP_BROADCAST_IN_DIM && simt_rows_is_full(&g->rows, &g->joined[i]->results[0]));
  return full || g->rows.reduce_count > 1;
}

/* A joined value in a wider type: readers outside of the kernel read the narrow one, which takes half the memory. */
static bool is_widened(const growth *g, const ten_op *op) {
  if (op->code != TEN_OP_CONVERT || op->results[0].type->dtype != TEN_F32) return false;
  const ten_value *x = ten_op_operand(op, 0);
  return (x->type->dtype == TEN_BF16 || x->type->dtype == TEN_F16) && x->op && has_joined(g, x->op);
}

static bool is_returned(const ten_op *op) {
  for (const ten_use *use = op->results[0].uses; use; use = use->next)
    if (!simt_is_kernel_op(use->owner) || use->owner->block != op->block) return true;
  return false;
}

/* Those that only need not be stored leave. */
static void drop_widened(growth *g) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 1; i < g->count && !again; i++) {
      const ten_op *op = g->joined[i];
      if (!is_widened(g, op) || !escapes(g, op) || is_returned(op)) continue;
      memmove(g->joined + i, g->joined + i + 1, (g->count - i - 1) * sizeof *g->joined);
      g->count--;
      again = true;
    }
  }
}

static void drop_last(growth *g) {
  if (g->joined[--g->count]->code == TEN_OP_REDUCE) g->rows.reduce_count--;
}

/* Drops trailing copies: their buffer would be no smaller. */
static void trim(growth *g) {
  if (!g->rows.reduce_count) drop_widened(g);
  while (g->count > 1 && count_escapes(g) > SIMT_OUTPUTS_MOST) drop_last(g);
  while (g->count > 1 &&
         (g->joined[g->count - 1]->code == TEN_OP_RESHAPE || g->joined[g->count - 1]->code == TEN_OP_BROADCAST_IN_DIM))
    drop_last(g);
}

static simt_fusion *make_fusion(simt_planner *p, const growth *g) {
  simt_fusion *fusion = ten_arena_new(&p->plan->module->arena, simt_fusion);
  *fusion = (simt_fusion){.op = g->joined[0], .last = g->joined[g->count - 1], .rows = g->rows};
  for (uint32_t i = 0; i < g->count; i++) {
    ten_op *member = (ten_op *)(uintptr_t)g->joined[i];
    const bool out = escapes(g, member);
    member->data = fusion;
    p->stored[member->results[0].number] = out;
    if (out) fusion->outputs[fusion->output_count++] = &member->results[0];
  }
  return fusion;
}

static void fuse_attention(simt_planner *p, ten_op *op) {
  simt_attention found;
  if (!simt_attention_match(&p->gen, op, &found)) return;
  growth g = {.p = p, .joined = {op}, .count = 1};
  grow(&g);
  trim(&g);
  simt_fusion *fusion = make_fusion(p, &g);
  simt_attention *attention = ten_arena_new(&p->plan->module->arena, simt_attention);
  *attention = found;
  fusion->attention = attention;
  for (uint32_t i = 0; i < found.op_count; i++) {
    ten_op *member = (ten_op *)(uintptr_t)found.ops[i];
    member->data = fusion;
    if (member != op) p->stored[member->results[0].number] = false;
  }
}

/* Whether an op reads, apart from what its growth has, results of the other growths, which are not there yet. */
static bool reads_others(const growth *all, uint32_t own, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    for (uint32_t k = 0; k < 3; k++)
      if (k != own && ten_op_operand(op, i)->op && has_joined(&all[k], ten_op_operand(op, i)->op)) return true;
  return false;
}

/* Whether all that reads results of the growths comes after the last of their ops. */
static bool is_read_later(const growth *all, uint32_t last) {
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t i = 0; i < all[k].count; i++)
      for (const ten_use *use = all[k].joined[i]->results[0].uses; use; use = use->next)
        if (!has_joined(&all[k], use->owner) &&
            (use->owner->block != all[k].joined[i]->block ||
             (use->owner->number <= last && !ten_op_has(use->owner, TEN_TRAIT_TERMINATOR))))
          return false;
  return true;
}

static const ten_op *last_of(const growth *all) {
  const ten_op *last = all[0].joined[0];
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t i = 0; i < all[k].count; i++)
      if (all[k].joined[i]->number > last->number) last = all[k].joined[i];
  return last;
}

/* What follows each of the three products joins it, if what reads it still comes later; else nothing does. */
static bool grow_three(simt_planner *p, const simt_attention_grad *g, growth *all) {
  for (uint32_t k = 0; k < 3; k++) {
    all[k] = (growth){.p = p, .joined = {g->of[k].c.op}, .count = 1};
    grow(&all[k]);
    trim(&all[k]);
  }
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t i = 1; i < all[k].count; i++)
      if (reads_others(all, k, all[k].joined[i])) all[k].count = i;
  if (is_read_later(all, last_of(all)->number)) return true;
  for (uint32_t k = 0; k < 3; k++) all[k].count = 1;
  return is_read_later(all, last_of(all)->number);
}

static void fuse_attention_grad(simt_planner *p, const ten_op *softmax) {
  simt_attention_grad found;
  growth all[3];
  if (softmax->data || !simt_attention_grad_match(&p->gen, &softmax->results[0], &found) || !grow_three(p, &found, all))
    return;
  simt_attention_grad *g = ten_arena_new(&p->plan->module->arena, simt_attention_grad);
  simt_fusion *fusion = ten_arena_new(&p->plan->module->arena, simt_fusion);
  *g = found;
  *fusion = (simt_fusion){.op = softmax, .last = last_of(all), .gradient = g};
  for (uint32_t i = 0; i < found.forward.op_count; i++) {
    ten_op *member = (ten_op *)(uintptr_t)found.forward.ops[i];
    member->data = fusion;
    p->stored[member->results[0].number] = false;
  }
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t i = 0; i < all[k].count; i++) {
      ten_op *member = (ten_op *)(uintptr_t)all[k].joined[i];
      member->data = fusion;
      p->stored[member->results[0].number] = escapes(&all[k], member);
      if (escapes(&all[k], member)) g->of[k].outputs[g->of[k].output_count++] = &member->results[0];
    }
}

static void fuse_one(simt_planner *p, ten_op *op) {
  growth g = {.p = p, .joined = {op}, .count = 1};
  if (op->code == TEN_OP_REDUCE) g.rows.reduces[g.rows.reduce_count++] = op;
  grow(&g);
  trim(&g);
  if (is_worth_it(&g)) make_fusion(p, &g);
}

/* A convolution of groups that are too narrow for tiles, whose elements are computed one by one. */
static bool is_narrow_groups(const ten_op *op) {
  if (op->code != TEN_OP_CONVOLUTION || op->data || ten_op_int(op, "feature_group_count", 1) == 1) return false;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_type *kernel = ten_op_operand(op, 1)->type;
  const int64_t features = kernel->dims[dims.kernel_output_feature] * kernel->dims[dims.kernel_input_feature];
  return features && ten_type_count(kernel) / features <= WINDOW_MOST;
}

/* The copies of a convolution's operands get buffers. */
static void store_copies(simt_planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < 2; i++)
    if (simt_is_copy(ten_op_operand(op, i))) p->stored[ten_op_operand(op, i)->number] = true;
}

void simt_fuse(simt_planner *p, const ten_block *block) {
  for (ten_op *op = block->first; op; op = op->next)
    if (op->code == TEN_OP_DOT_GENERAL && op->results[0].uses) fuse_attention(p, op);
  for (const ten_op *op = block->first; op; op = op->next)
    if (op->code == TEN_OP_DIVIDE) fuse_attention_grad(p, op);
  for (ten_op *op = block->first; op; op = op->next) {
    for (uint32_t r = 0; r < op->region_count; r++)
      if (op->code == TEN_OP_WHILE || op->code == TEN_OP_IF || op->code == TEN_OP_CASE)
        simt_fuse(p, ten_op_body(op, r));
    simt_tile tile;
    if (simt_is_kernel_op(op) && !op->data && op->result_count == 1 && op->results[0].uses && p->gen.narrow &&
        (simt_rows_start(op) || simt_tile_choose(&p->gen, op, &tile))) {
      fuse_one(p, op);
      if (op->code == TEN_OP_CONVOLUTION) store_copies(p, op);
    } else if (is_narrow_groups(op)) {
      store_copies(p, op);
    }
  }
}

/* Only kernels write and read it. */
static bool is_free(const simt_planner *p, const ten_value *value) {
  return p->stored[value->number] && simt_only_kernels_use(value);
}

/* Used only as convolution weights. */
static bool is_weights(const ten_value *value) {
  if (!value->op || !simt_is_dense_constant(value->op)) return false;
  for (const ten_use *use = value->uses; use; use = use->next)
    if (use->owner->code != TEN_OP_CONVOLUTION || use->index != 1 || !use->owner->data) return false;
  return true;
}

/* dimension order: first, the spatial dimensions, last */
static void set_order(simt_planner *p, const ten_value *value, int64_t first, ten_ints spatial, int64_t last) {
  if (p->orders[value->number]) return;
  uint8_t *order = ten_arena_new_array(&p->plan->module->arena, uint8_t, value->type->rank + 1);
  order[0] = (uint8_t)first;
  for (size_t i = 0; i < spatial.count; i++) order[1 + i] = (uint8_t)spatial.data[i];
  order[1 + spatial.count] = (uint8_t)last;
  p->orders[value->number] = order;
}

/* Threads go along the features: of the result, the image and the weights they follow each other. */
static void order_narrow_groups(simt_planner *p, const ten_op *op) {
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1), *result = &op->results[0];
  if (is_free(p, result)) set_order(p, result, dims.output_batch, dims.output_spatial, dims.output_feature);
  if (is_free(p, x)) set_order(p, x, dims.input_batch, dims.input_spatial, dims.input_feature);
  if (simt_is_copy(kernel) && is_free(p, kernel))
    set_order(p, kernel, dims.kernel_input_feature, dims.kernel_spatial, dims.kernel_output_feature);
}

static void order_contractions(simt_planner *p, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    const simt_fusion *fusion = op->data;
    if (is_narrow_groups(op)) order_narrow_groups(p, op);
    if (op->code != TEN_OP_CONVOLUTION || !fusion || fusion->op != op) continue;
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
    const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
    for (uint32_t i = 0; i < fusion->output_count; i++) {
      const ten_value *value = fusion->outputs[i];
      if (value->type->rank == op->results[0].type->rank && is_free(p, value) &&
          value->type->dims[dims.output_feature] == op->results[0].type->dims[dims.output_feature])
        set_order(p, value, dims.output_batch, dims.output_spatial, dims.output_feature);
    }
    if (simt_is_weight_gradient(op)) { /* lines, not the depth, are contiguous */
      if (is_free(p, x)) set_order(p, x, dims.input_feature, dims.input_spatial, dims.input_batch);
      if (is_free(p, kernel))
        set_order(p, kernel, dims.kernel_input_feature, dims.kernel_spatial, dims.kernel_output_feature);
      continue;
    }
    if (is_free(p, x)) set_order(p, x, dims.input_batch, dims.input_spatial, dims.input_feature);
    if (is_weights(kernel) || (simt_is_copy(kernel) && is_free(p, kernel)))
      set_order(p, kernel, dims.kernel_output_feature, dims.kernel_spatial, dims.kernel_input_feature);
  }
}

/* The memory order of a transposed buffer, in terms of its result's dimensions. */
static const uint8_t *transposed_order(simt_planner *p, const ten_op *op) {
  const ten_ints permutation = ten_op_ints(op, "permutation");
  uint8_t *order = ten_arena_new_array(&p->plan->module->arena, uint8_t, permutation.count + 1);
  for (size_t i = 0; i < permutation.count; i++) order[permutation.data[i]] = (uint8_t)i;
  return order;
}

/* The memory order of the elementwise sources of a value; NULL: that of its type, or unknown. */
static const uint8_t *order_before(simt_planner *p, const ten_value *value, uint32_t depth) {
  const ten_op *op = value->op;
  if (p->stored[value->number] && p->orders[value->number]) return p->orders[value->number];
  if (!op || depth == ORDER_DEPTH || (p->stored[value->number] && depth)) return NULL;
  if (op->code == TEN_OP_TRANSPOSE && p->stored[ten_op_operand(op, 0)->number] &&
      !p->orders[ten_op_operand(op, 0)->number])
    return transposed_order(p, op);
  for (uint32_t i = 0; simt_is_pointwise(op) && i < op->operand_count; i++) {
    const ten_value *operand = ten_op_operand(op, i);
    const uint8_t *order = operand->type->rank == value->type->rank ? order_before(p, operand, depth + 1) : NULL;
    if (order) return order;
  }
  return NULL;
}

/* What windows make of an image lies as the image does. */
static const uint8_t *order_of_image(simt_planner *p, const ten_op *op) {
  if (op->code != TEN_OP_REDUCE_WINDOW && op->code != TEN_OP_SELECT_AND_SCATTER) return NULL;
  return order_before(p, ten_op_operand(op, 0), 1);
}

/* Elementwise results of channels-last values are channels last, too. */
static void follow_orders(simt_planner *p, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    const ten_value *value = op->result_count == 1 ? &op->results[0] : NULL;
    if (value && simt_is_pointwise(op) && !p->orders[value->number] && is_free(p, value))
      p->orders[value->number] = order_before(p, value, 0);
    if (value && !p->orders[value->number] && is_free(p, value)) p->orders[value->number] = order_of_image(p, op);
  }
}

void simt_choose_orders(simt_planner *p, const ten_block *block) {
  order_contractions(p, block);
  follow_orders(p, block);
}
