/* updates.c: fuses the weight update of a training step into one in-place sweep.
 *
 * A parameter, its moments and other optimizer state are results of one shape that are computed from the same gradient
 * and alias arguments. One kernel computes them all: each array is read once and written once, and shared values (the
 * new moments, which the parameter also reads) are never materialized; nor is the gradient if it is a matmul, whose
 * epilogue the kernel becomes (fuse.c). A matmul that reads the old parameter may run later than its position, with its
 * epilogue: the update then waits for it.
 * Needs: donated arguments (donate.c), no update with other readers (transform/pass/updates.c).  Keeps: results. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/plan/lower.h"
#include "ir/ten.h"

enum { WALK_MAX = 256, KEPT_OPS = 64 };

typedef struct member {
  ten_value *value;
  uint32_t group; /* its first member */
} member;

typedef struct grouping {
  cpu_lowering *l;
  const ten_block *block;
  TEN_VEC(member) members;
  uint32_t *seen_by; /* by value number: 1 + the member whose walk reached it first */
  int left;
} grouping;

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

static void join(grouping *g, uint32_t a, uint32_t b) {
  const uint32_t from = g->members.data[b].group, to = g->members.data[a].group;
  size_t count = 0;
  for (size_t i = 0; i < g->members.count; i++)
    count += g->members.data[i].group == from || g->members.data[i].group == to;
  if (from == to || count > CPU_GROUP_MAX) return;
  for (size_t i = 0; i < g->members.count; i++)
    if (g->members.data[i].group == from) g->members.data[i].group = to;
}

/* Walks elementwise from a member to the gradient; members that reach the same value share a group. Constants are
 * shared by all and ignored. */
static void walk(grouping *g, uint32_t number, const ten_value *value, bool start) {
  const ten_type *type = g->members.data[number].value->type;
  const ten_op *op = value->op;
  if (!op || op->block != g->block || --g->left < 0 || !same_dims(value->type, type)) return;
  if (op->code == TEN_OP_CONSTANT || op->code == TEN_OP_BROADCAST_IN_DIM || op->code == TEN_OP_IOTA) return;
  uint32_t *seen = &g->seen_by[value->number];
  if (*seen == number + 1) return;
  if (*seen) {
    join(g, *seen - 1, number);
    return;
  }
  *seen = number + 1;
  if (!start && !ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return;
  for (uint32_t i = 0; i < op->operand_count; i++) walk(g, number, ten_op_operand(op, i), false);
}

/* A derivative saved by transform/pass/derivative.c is computed together with its function, which directly precedes it:
 * the last value that a matmul reads. */
static void pair_kept(cpu_lowering *l, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    if (!ten_own_attr(op, TEN_NAME_MATERIALIZE) || !ten_dtype_is_float(op->results[0].type->dtype)) continue;
    const ten_op *with = op->prev;
    for (int left = KEPT_OPS; with && left > 0; left--, with = with->prev) {
      bool read = false;
      for (const ten_use *use = with->result_count == 1 ? with->results[0].uses : NULL; use; use = use->next)
        read |= use->owner->code == TEN_OP_DOT_GENERAL;
      if (read) break;
    }
    if (!with || !with->result_count || with->results[0].type != op->results[0].type) continue;
    if (!ten_op_has(with, TEN_TRAIT_ELEMENTWISE) || l->group[with->results[0].number]) continue;
    l->group[with->results[0].number] = l->group[op->results[0].number] = &with->results[0];
  }
}

void cpu_group_updates(cpu_lowering *l, const ten_block *block) {
  pair_kept(l, block);
  if (block != ten_op_body(l->plan->func, 0)) return;
  const ten_op *end = ten_block_terminator(block);
  grouping g = {.l = l, .block = block};
  g.seen_by = ten_arena_new_array(&l->plan->arena, uint32_t, l->plan->value_count + 1);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    ten_value *value = ten_op_operand(end, i);
    const ten_op *op = value->op;
    if (!op || op->block != block || op->result_count != 1 || !value->type->rank || !ten_value_used_once(value))
      continue;
    if (cpu_chosen_of(l, op)) continue;
    if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || !cpu_is_update(l->plan, value))
      continue;
    const uint32_t number = (uint32_t)g.members.count;
    ten_vec_push(&g.members, (member){value, number});
  }
  for (uint32_t i = 0; i < g.members.count; i++) {
    g.left = WALK_MAX;
    walk(&g, i, g.members.data[i].value, true);
  }
  for (uint32_t i = 0; i < g.members.count; i++)
    for (uint32_t k = 0; k < g.members.count; k++)
      if (k != i && g.members.data[k].group == g.members.data[i].group)
        l->group[g.members.data[i].value->number] = g.members.data[g.members.data[i].group].value;
  ten_vec_free(&g.members);
}

uint32_t cpu_group_members(const cpu_lowering *l, const ten_value *leader, const ten_value *members[CPU_GROUP_MAX]) {
  const ten_op *end = ten_block_terminator(leader->op->block);
  uint32_t count = 0;
  for (uint32_t i = 0; i < end->operand_count && count < CPU_GROUP_MAX; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (value->op && l->group[value->number] == leader) members[count++] = value;
  }
  if (count) return count;
  members[count++] = leader; /* with its saved derivative right behind */
  for (const ten_op *op = leader->op->next; op && count < 2; op = op->next)
    if (op->result_count == 1 && l->group[op->results[0].number] == leader) members[count++] = &op->results[0];
  return count;
}

bool cpu_lower_group(cpu_lowering *l, const ten_op *op, cpu_body *body, ten_status **status) {
  const ten_value *leader = l->group[op->results[0].number];
  if (!leader) return false;
  const ten_value *roots[CPU_GROUP_MAX];
  const uint32_t count = cpu_group_members(l, leader, roots);
  *status = NULL;
  for (uint32_t i = 0; i < count; i++)
    if (roots[i]->op->number > op->number) return true; /* position of the last of them */
  const cpu_absorbed *absorbed = l->taken[leader->number];
  if (!absorbed || !cpu_lower_chosen(l, absorbed->op, leader, body, status))
    *status = cpu_lower_loops(l, op, roots, count, body);
  return true;
}

static bool touches(const cpu_plan *plan, const cpu_step *step, uint32_t root, bool writes_only) {
  for (size_t i = writes_only ? step->read_count : 0; i < step->args.count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == root) return true;
  for (uint32_t k = 0; k < step->body_count; k++)
    for (size_t i = 0; i < step->bodies[k].steps.count; i++)
      if (touches(plan, step->bodies[k].steps.data[i], root, writes_only)) return true;
  return false;
}

/* The last step that reads an argument aliased by a result of steps[at]; `at` when none is later. */
static size_t last_reader(const cpu_plan *plan, size_t at) {
  const cpu_body *body = &plan->body;
  const cpu_step *step = body->steps.data[at];
  size_t last = at;
  for (size_t w = step->read_count; w < step->args.count; w++) {
    const cpu_buffer *out = &plan->buffers.data[step->args.data[w]];
    if (step->kind == CPU_GEMM && w + 1 == step->args.count) break; /* scratch */
    if (out->place != CPU_OUTPUT) return at;
    const uint32_t input = cpu_update_input(plan, out->index);
    if (input == UINT32_MAX) return at;
    for (size_t i = body->steps.count; i-- > last + 1;)
      if (touches(plan, body->steps.data[i], input, false)) {
        last = i;
        break;
      }
  }
  return last;
}

static bool can_wait(const cpu_plan *plan, size_t at, size_t until) {
  const cpu_step *step = plan->body.steps.data[at];
  for (size_t i = at + 1; i <= until; i++)
    for (size_t k = 0; k < step->args.count; k++)
      if (touches(plan, plan->body.steps.data[i], cpu_buffer_root(plan, step->args.data[k]), k < step->read_count))
        return false;
  return true;
}

void cpu_plan_updates(cpu_plan *plan) {
  cpu_step **steps = plan->body.steps.data;
  for (size_t i = plan->body.steps.count; i-- > 0;) {
    cpu_step *step = steps[i];
    const bool matmul = step->kind == CPU_GEMM && ((const cpu_gemm *)step->descriptor)->tile;
    if ((step->kind != CPU_LOOPS && !matmul) || step->args.count == step->read_count) continue;
    const size_t last = last_reader(plan, i);
    if (last == i || !can_wait(plan, i, last)) continue;
    const bool packs = matmul && i && steps[i - 1]->kind == CPU_PACK_B &&
                       steps[i - 1]->descriptor == step->descriptor && can_wait(plan, i - 1, last);
    memmove(steps + i, steps + i + 1, (last - i) * sizeof *steps);
    steps[last] = step;
    if (!packs) continue;
    cpu_step *pack = steps[--i]; /* shortens the lifetime of the packed data */
    memmove(steps + i, steps + i + 1, (last - 1 - i) * sizeof *steps);
    steps[last - 1] = pack;
  }
}
