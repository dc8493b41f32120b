/* views.c: operands of attention, and of its gradient, that only move elements of another value are read in place,
 * through an offset and strides, instead of being materialized: queries, keys and values are mostly slices of one
 * matmul, transposed. The chain may contain a conversion from bf16; the kernel then reads bf16. Inputs of
 * concatenations (lower_move.c) are read the same way.
 *
 * Needs: cpu_fuse's backward walk of a block, with the score matmuls already absorbed. Keeps: results. */
#include "backend/cpu/exec/attention.h"
#include "backend/cpu/plan/lower.h"

static void lie_together(const ten_type *type, int64_t *strides) {
  int64_t stride = 1;
  for (uint32_t i = type->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= type->dims[i];
  }
}

/* Strides of a reshaped view: groups of dimensions with equal products, each contiguous at one stride. */
static bool reshaped(const ten_type *from, const int64_t *strides, const ten_type *to, int64_t *out) {
  int64_t dims[CPU_VIEW_RANK], steps[CPU_VIEW_RANK];
  uint32_t count = 0, i = 0, j = 0;
  for (uint32_t k = 0; k < from->rank; k++)
    if (from->dims[k] != 1) dims[count] = from->dims[k], steps[count++] = strides[k];
  while (j < to->rank) {
    const uint32_t first = j;
    int64_t have = 1, want = to->dims[j++];
    if (want != 1 && i == count) return false;
    int64_t step = 1;
    while (have != want) {
      if (have < want) {
        if (i == count || (have != 1 && step != steps[i] * dims[i])) return false;
        step = steps[i];
        have *= dims[i++];
      } else {
        if (j == to->rank) return false;
        want *= to->dims[j++];
      }
    }
    for (uint32_t k = j; k-- > first;) {
      out[k] = step;
      step *= to->dims[k];
    }
  }
  return i == count;
}

static cpu_view itself(const ten_value *value) {
  cpu_view view = {.base = value};
  lie_together(value->type, view.strides);
  return view;
}

/* The result of op as a view of its operand's base. */
static bool view_through(const ten_op *op, const cpu_view *from, cpu_view *out) {
  const ten_type *type = op->results[0].type, *x = ten_op_operand(op, 0)->type;
  *out = (cpu_view){.base = from->base, .offset = from->offset};
  if (op->code == TEN_OP_RESHAPE) return reshaped(x, from->strides, type, out->strides);
  if (op->code == TEN_OP_BROADCAST_IN_DIM) { /* broadcast dimensions have stride 0 */
    const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
    for (size_t i = 0; i < map.count; i++)
      if (x->dims[i] == type->dims[map.data[i]]) out->strides[map.data[i]] = from->strides[i];
    return true;
  }
  const ten_ints order = ten_op_ints(op, "permutation"), start = ten_op_ints(op, "start_indices"),
                 steps = ten_op_ints(op, "strides");
  for (uint32_t i = 0; i < type->rank; i++) {
    out->strides[i] = from->strides[op->code == TEN_OP_TRANSPOSE ? order.data[i] : i];
    if (op->code != TEN_OP_SLICE) continue;
    out->offset += start.data[i] * out->strides[i];
    out->strides[i] *= steps.data[i];
  }
  return true;
}

bool cpu_view_of(const cpu_lowering *l, const ten_value *value, cpu_view *out) {
  if (value->type->rank > CPU_VIEW_RANK) return false;
  if (!l->viewed[value->number]) {
    *out = itself(value);
    return true;
  }
  cpu_view from;
  return cpu_view_of(l, ten_op_operand(value->op, 0), &from) && view_through(value->op, &from, out);
}

bool cpu_view_in_memory(const cpu_lowering *l, const ten_value *value, cpu_view *out) {
  const ten_op *op = value->op;
  if (value->type->rank > CPU_VIEW_RANK || !ten_type_is_static(value->type)) return false;
  if (l->in_memory[value->number]) {
    *out = itself(value);
    return true;
  }
  if (!op || (op->code != TEN_OP_RESHAPE && op->code != TEN_OP_SLICE && op->code != TEN_OP_TRANSPOSE)) return false;
  cpu_view from;
  return cpu_view_in_memory(l, ten_op_operand(op, 0), &from) && view_through(op, &from, out);
}

static bool moves_elements(const ten_op *op) {
  if (op->code == TEN_OP_CONVERT)
    return ten_op_operand(op, 0)->type->dtype == TEN_BF16 && op->results[0].type->dtype == TEN_F32;
  return op->code == TEN_OP_RESHAPE || op->code == TEN_OP_TRANSPOSE || op->code == TEN_OP_SLICE ||
         op->code == TEN_OP_BROADCAST_IN_DIM;
}

/* The attention that reads a value through this use: directly, or through its matmul of queries and keys. */
static const ten_op *reader(const cpu_lowering *l, const ten_use *use) {
  const ten_op *user = use->owner;
  if (cpu_is_attention(user)) return use->index == 1 ? user : NULL;
  if (cpu_is_attention_grad(user)) return user;
  if (user->code != TEN_OP_DOT_GENERAL) return NULL;
  const cpu_absorbed *absorbed = l->absorbed[user->results[0].number];
  return absorbed ? l->attention[absorbed->root->number] : NULL;
}

/* Whether all readers of the value, direct or through views, support views. */
static bool readers_take(cpu_lowering *l, const ten_value *value) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *attention = reader(l, use);
    if (!attention && !readers_take(l, &use->owner->results[0])) return false;
    if (attention && !(cpu_is_attention_grad(attention) ? cpu_attention_grad_reads(l, attention)
                                                        : cpu_attention_reads(l, attention)))
      return false;
  }
  return true;
}

bool cpu_take_view(cpu_lowering *l, const ten_op *op) {
  if (!moves_elements(op)) return false;
  const ten_value *value = &op->results[0];
  if (!value->uses || !ten_type_is_static(value->type) || !ten_type_count(value->type)) return false;
  for (const ten_use *use = value->uses; use; use = use->next) {
    if (use->owner->block != op->block) return false;
    const bool viewed = use->owner->result_count == 1 && l->viewed[use->owner->results[0].number];
    if (!viewed && !reader(l, use)) return false;
  }
  l->viewed[value->number] = true;
  if (readers_take(l, value)) return true;
  l->viewed[value->number] = false;
  return false;
}
