/* recompute.c: decides which forward values the backward part of a gradient saves in memory, and which it recomputes.
 *
 * Cheap: an elementwise value whose inputs are saved anyway, or are much smaller, or of its size and in memory for
 * another reason (the input of a normalisation instead of its result). Also attention scores: a matmul over a short
 * dimension that is larger than its operands, with its softmax. Recomputing a value that a matmul reads whole costs a
 * pass over memory, so only level ELEMENTWISE does that.
 *
 * Segments: the forward part is cut where few bytes cross. Crossing values are saved; the rest of a segment is
 * recomputed when the backward part reaches it.
 *
 * Backward ops read saved values through a barrier, since CSE would otherwise merge the copies with the originals.
 * Needs: verified IR, marked by ten_grad.  Keeps: results; order of effects. */
#include "transform/grad/recompute.h"
#include "ir/ten.h"

#include <math.h>
#include <stdlib.h>

enum { CHAIN_DEPTH = 32, SHORT_PRODUCT = 128 };

typedef struct remat {
  ten_module *module;
  ten_block *block;
  ten_op **ops; /* of the block; op->number is the index */
  uint32_t forward, count;
  bool *again;    /* by op: its results are recomputed for backward ops */
  bool *kept;     /* by op: its results are saved for backward ops */
  uint32_t *seen; /* by op, for walks: the walk that saw it last */
  uint32_t *ends; /* by op: the walk that stopped there */
  uint32_t walk;
  bool has_product;  /* the walk met a matmul that is cheap enough */
  ten_value_map map; /* forward value → its copy or barrier */
  TEN_VEC(ten_op *) stack, found;
} remat;

static bool is_view(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_BROADCAST:
    case TEN_OP_SLICE:
    case TEN_OP_REVERSE:
    case TEN_OP_IOTA: return true;
    default: return false;
  }
}

static bool is_elementwise(const ten_op *op) {
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) && ten_op_is_pure(op);
}

static size_t bytes_of(const ten_value *value) {
  return ten_type_is_tensor(value->type) && ten_type_is_static(value->type) ? ten_type_bytes(value->type) : 0;
}

/* A batched matmul over a short dimension, larger than its operands. */
static bool is_scores(const ten_op *op) {
  if (op->code != TEN_OP_DOT_GENERAL) return false;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  int64_t length = 1, batch = 1;
  for (size_t i = 0; i < dims.lhs_contract.count; i++) length *= x->type->dims[dims.lhs_contract.data[i]];
  for (size_t i = 0; i < dims.lhs_batch.count; i++) batch *= x->type->dims[dims.lhs_batch.data[i]];
  const size_t bytes = bytes_of(&op->results[0]);
  return batch > 1 && length <= SHORT_PRODUCT && bytes >= bytes_of(x) && bytes >= bytes_of(y);
}

/* The op of the block that contains a user, which may be in a region. */
static const ten_op *top_of(const remat *r, const ten_op *op) {
  while (op && op->block != r->block) op = ten_op_parent(op);
  return op;
}

static bool is_forward(const remat *r, const ten_value *value) {
  return value->op && value->op->block == r->block && value->op->number < r->forward;
}

static bool is_constant(const ten_value *value) { return value->op && value->op->code == TEN_OP_CONSTANT; }

/* Whether an op in [from, to) reads the value as a whole, not elementwise. */
static bool read_whole(const remat *r, const ten_value *value, uint32_t from, uint32_t to, int depth) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = top_of(r, use->owner);
    if (!user || user->number < from || user->number >= to) continue;
    if (is_elementwise(user) || (user->code == TEN_OP_REDUCE && user == use->owner)) continue;
    if (!is_view(user) || depth > 8 || read_whole(r, &user->results[0], from, to, depth + 1)) return true;
  }
  return false;
}

static bool read_by(const remat *r, const ten_value *value, uint32_t from, uint32_t to) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = top_of(r, use->owner);
    if (user && user->number >= from && user->number < to) return true;
  }
  return false;
}

/* Whether the forward part stores the value in memory in any case. */
static bool in_memory(const remat *r, const ten_value *value) {
  uint32_t users = 0;
  bool reduced = false;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = top_of(r, use->owner);
    if (!user || user->number >= r->forward) continue;
    users++;
    reduced |= user->code == TEN_OP_REDUCE;
  }
  if (read_whole(r, value, 0, r->forward, 0)) return true;
  return is_elementwise(value->op) ? users > 1 && reduced : users > 1;
}

/* The bytes that must be saved so that `value` can be recomputed; appends the ops on the way, and where the walk ends,
 * to `found`. */
static size_t cost_of(remat *r, const ten_value *value, int depth, size_t limit) {
  if (!is_forward(r, value) || is_constant(value)) return 0;
  ten_op *op = value->op;
  if (r->seen[op->number] == r->walk) return 0;
  r->seen[op->number] = r->walk;
  const size_t place = r->found.count;
  ten_vec_push(&r->found, op);
  if (r->kept[op->number]) {
    r->ends[op->number] = r->walk;
    return 0;
  }
  bool passes = is_elementwise(op) || is_view(op);
  if (is_scores(op)) passes = r->has_product = true;
  if (op->code == TEN_OP_REDUCE && op->result_count == 1) { /* of scores: a softmax */
    const ten_op *x = ten_op_operand(op, 0)->op;
    for (int i = 0; x && i < 8 && !is_scores(x) && x->operand_count; i++) x = ten_op_operand(x, 0)->op;
    passes = x && is_scores(x);
  }
  const size_t own = depth && in_memory(r, value) ? bytes_of(value) : depth ? 2 * bytes_of(value) : SIZE_MAX / 2;
  size_t inner = SIZE_MAX / 2;
  if (passes && depth < CHAIN_DEPTH) {
    inner = 0;
    for (uint32_t i = 0; i < op->operand_count && inner <= limit; i++)
      inner += cost_of(r, ten_op_operand(op, i), depth + 1, limit);
  }
  if (inner <= own && inner <= limit) return inner;
  for (size_t i = place + 1; i < r->found.count; i++) r->seen[r->found.data[i]->number] = 0;
  r->found.count = place + 1;
  r->ends[op->number] = r->walk;
  return own;
}

/* Saves what the backward part reads, or marks it for recomputation. */
static void choose(remat *r, bool whole_too) {
  for (uint32_t i = 0; i < r->forward; i++) { /* other ops that are read are always saved */
    const ten_op *op = r->ops[i];
    if (r->again[i] || is_elementwise(op) || is_view(op) || op->code == TEN_OP_CONSTANT || is_scores(op)) continue;
    for (uint32_t k = 0; k < op->result_count; k++) r->kept[i] |= read_by(r, &op->results[k], r->forward, r->count);
  }
  for (uint32_t i = 0; i < r->forward; i++) {
    ten_op *op = r->ops[i];
    if (r->kept[i] || r->again[i] || op->code == TEN_OP_CONSTANT || op->result_count != 1) continue;
    ten_value *value = &op->results[0];
    if (!read_by(r, value, r->forward, r->count)) continue;
    const size_t bytes = bytes_of(value);
    r->walk++;
    r->found.count = 0;
    r->has_product = false;
    const size_t cost = cost_of(r, value, 0, bytes);
    bool whole = !r->has_product && !whole_too && read_whole(r, value, r->forward, r->count, 0);
    if (is_view(op)) whole = whole && read_whole(r, value, 0, r->forward, 0); /* already in memory, in this order */
    if (cost > bytes || whole) {
      r->kept[i] = true;
      continue;
    }
    for (size_t k = 0; k < r->found.count; k++) {
      const uint32_t at = r->found.data[k]->number;
      *(r->ends[at] == r->walk ? &r->kept[at] : &r->again[at]) = true;
    }
  }
}

/* Bytes of forward values that are defined up to index `at` and read after it. */
static size_t crossing(const remat *r, uint32_t at) {
  size_t bytes = 0;
  for (uint32_t i = 0; i <= at; i++) {
    if (r->ops[i]->code == TEN_OP_CONSTANT) continue;
    for (uint32_t k = 0; k < r->ops[i]->result_count; k++)
      if (read_by(r, &r->ops[i]->results[k], at + 1, r->forward)) bytes += bytes_of(&r->ops[i]->results[k]);
  }
  return bytes;
}

/* Marks all but the last of `segments` pieces of similar size for recomputation. */
static void cut(remat *r, uint32_t segments) {
  size_t *sums = ten_alloc((r->forward + 1) * sizeof *sums), all = 0;
  uint32_t *segment = ten_alloc((r->forward + 1) * sizeof *segment), start = 0;
  for (uint32_t i = 0; i < r->forward; i++) {
    const ten_op *op = r->ops[i];
    for (uint32_t k = 0; k < op->result_count && op->code != TEN_OP_CONSTANT; k++)
      if (read_by(r, &op->results[k], r->forward, r->count)) all += bytes_of(&op->results[k]);
    sums[i] = all;
  }
  for (uint32_t s = 1; s < segments; s++) { /* near each s-th part, where few bytes cross */
    uint32_t best = UINT32_MAX;
    double least = HUGE_VAL;
    for (uint32_t i = start; i + 1 < r->forward; i++) {
      const double part = all ? (double)sums[i] / (double)all * segments : 0;
      if (part < s - 0.5 || part > s + 0.5) continue;
      const double score = (double)crossing(r, i) + 0.25 * fabs(part - s) * (double)all / segments;
      if (score <= least) {
        least = score;
        best = i;
      }
    }
    if (best == UINT32_MAX) continue;
    for (uint32_t i = best + 1; i < r->forward; i++) segment[i] = s;
    start = best + 1;
  }
  for (uint32_t i = 0; i < r->forward; i++) {
    const ten_op *op = r->ops[i];
    if (segment[i] == segment[r->forward - 1] || op->code == TEN_OP_CONSTANT || !ten_op_is_pure(op)) continue;
    uint32_t end = i;
    while (end < r->forward && segment[end] == segment[i]) end++;
    bool crosses = false;
    for (uint32_t k = 0; k < op->result_count; k++) crosses |= read_by(r, &op->results[k], end, r->forward);
    r->again[i] = !crosses;
    if (crosses) r->kept[i] = true;
  }
  free(sums);
  free(segment);
}

static void need(remat *r, const ten_value *value) {
  if (!is_forward(r, value) || is_constant(value) || ten_value_map_get(&r->map, value)) return;
  if (r->seen[value->op->number] == r->walk) return;
  r->seen[value->op->number] = r->walk;
  ten_vec_push(&r->stack, value->op);
}

static ten_status *need_operands(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->operand_count; i++) need(context, ten_op_operand(op, i));
  return NULL;
}

static int by_number(const void *a, const void *b) {
  const ten_op *const *x = a, *const *y = b;
  return (*x)->number<(*y)->number ? -1 : (*x)->number>(*y)->number;
}

static void place(remat *r, const ten_op *op, ten_op *before) {
  if (r->again[op->number]) {
    ten_op *copy = ten_op_clone(r->module, op, &r->map);
    copy->number = UINT32_MAX;
    ten_op_insert_before(before, copy);
    return;
  }
  ten_builder b = {.module = r->module, .block = r->block, .before = before, .loc = op->loc};
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_value *value = (ten_value *)&op->results[i];
    if (!ten_type_is_tensor(value->type)) continue;
    ten_op *barrier = ten_build_op(&b, TEN_OP_OPTIMIZATION_BARRIER, 1, &value, 1, &value->type, 0, NULL, 0);
    barrier->number = UINT32_MAX;
    ten_value_map_set(&r->map, value, &barrier->results[0]);
  }
}

static ten_status *point_to_copies(ten_op *op, void *context) {
  const remat *r = context;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *copy = ten_value_map_get(&r->map, ten_op_operand(op, i));
    if (copy) ten_op_set_operand(op, i, copy);
  }
  return NULL;
}

/* Every backward op reads copies, which are inserted right before their first reader. */
static ten_status *rewrite(remat *r) {
  for (uint32_t i = r->forward; i < r->count; i++) {
    ten_op *op = r->ops[i];
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) continue; /* results are results */
    r->walk++;
    r->found.count = 0;
    TEN_TRY(ten_op_walk(op, need_operands, r));
    while (r->stack.count) {
      ten_op *wanted = r->stack.data[--r->stack.count];
      ten_vec_push(&r->found, wanted);
      if (r->again[wanted->number]) TEN_TRY(ten_op_walk(wanted, need_operands, r));
    }
    if (r->found.count) qsort(r->found.data, r->found.count, sizeof *r->found.data, by_number);
    for (size_t k = 0; k < r->found.count; k++) place(r, r->found.data[k], op);
    TEN_TRY(ten_op_walk(op, point_to_copies, r));
  }
  return NULL;
}

ten_status *ten_grad_recompute(ten_module *module, ten_op *gradient, unsigned level) {
  static const uint32_t segments[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  _Static_assert(sizeof segments / sizeof *segments == TEN_RECOMPUTE_LEVELS - TEN_RECOMPUTE_SEGMENTS, "levels");
  const ten_attr *mark = ten_own_attr(gradient, TEN_NAME_FORWARD);
  if (!mark || !ten_op_body(gradient, 0))
    return ten_op_error(gradient, TEN_INTERNAL, "is not a gradient with a marked forward part");
  remat r = {.module = module, .block = ten_op_body(gradient, 0), .forward = (uint32_t)ten_attr_as_int(mark, 0)};
  ten_own_attr_remove(gradient, TEN_NAME_FORWARD);
  if (level == TEN_KEEP_ALL) return NULL;
  for (ten_op *op = r.block->first; op; op = op->next) r.count++;
  r.ops = ten_alloc((r.count + 1) * sizeof *r.ops);
  r.again = ten_alloc(r.count + 1);
  r.kept = ten_alloc(r.count + 1);
  r.seen = ten_alloc((r.count + 1) * sizeof *r.seen);
  r.ends = ten_alloc((r.count + 1) * sizeof *r.ends);
  uint32_t at = 0;
  for (ten_op *op = r.block->first; op; op = op->next) {
    op->number = at;
    r.ops[at++] = op;
  }
  if (level >= TEN_RECOMPUTE_SEGMENTS) cut(&r, segments[level - TEN_RECOMPUTE_SEGMENTS]);
  choose(&r, level > TEN_RECOMPUTE_CHEAP);
  ten_status *status = rewrite(&r);
  free(r.ops);
  free(r.again);
  free(r.kept);
  free(r.seen);
  free(r.ends);
  ten_value_map_free(&r.map);
  ten_vec_free(&r.stack);
  ten_vec_free(&r.found);
  return status;
}
