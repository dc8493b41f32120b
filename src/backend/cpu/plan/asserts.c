/* asserts.c: runs checks before results overwrite inputs. A check moves up to right after the step it depends on,
 * together with small steps that only compute its operands: most checks read inputs, and so run first. A failing
 * program has changed none of its inputs: results written before the last check do not alias them (donate.c).
 * Needs: ordered steps, before memory is planned.  Keeps: results, the order of the checks. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/plan/plan.h"

enum { SMALL = 64 /* bytes: results that move with a check */ };

static bool writes(const cpu_plan *plan, const cpu_step *step, uint32_t root) {
  for (size_t i = step->read_count; i < step->args.count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == root) return true;
  for (uint32_t k = 0; k < step->body_count; k++)
    for (size_t i = 0; i < step->bodies[k].steps.count; i++)
      if (writes(plan, step->bodies[k].steps.data[i], root)) return true;
  return false;
}

/* Whether it only writes small temporaries. */
static bool is_small(const cpu_plan *plan, const cpu_step *step) {
  if (step->kind != CPU_LOOPS || step->args.count == step->read_count) return false;
  for (size_t i = step->read_count; i < step->args.count; i++) {
    const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[i])];
    if (buffer->place != CPU_ARENA || buffer->bytes > SMALL) return false;
  }
  return true;
}

/* The last step before `at` that writes the buffer, plus one; 0: none. */
static size_t after_writer(const cpu_plan *plan, size_t at, uint32_t root) {
  while (at > 0 && !writes(plan, plan->body.steps.data[at - 1], root)) at--;
  return at;
}

/* Moves the step at `at` up to right after the writers of its inputs. A check, and what moves with it, stays after the
 * earlier checks. */
static void move_up(cpu_plan *plan, size_t at) {
  cpu_step **steps = plan->body.steps.data, *step = steps[at];
  for (uint32_t k = 0; k < step->read_count; k++) {
    const size_t after = after_writer(plan, at, cpu_buffer_root(plan, step->args.data[k]));
    if (after && is_small(plan, steps[after - 1])) move_up(plan, after - 1);
  }
  size_t to = 0;
  for (uint32_t k = 0; k < step->read_count; k++) {
    const size_t after = after_writer(plan, at, cpu_buffer_root(plan, step->args.data[k]));
    if (after > to) to = after;
  }
  for (size_t i = at; i > to; i--)
    if (steps[i - 1]->kind == CPU_ASSERT) to = i;
  memmove(steps + to + 1, steps + to, (at - to) * sizeof *steps);
  steps[to] = step;
}

void cpu_plan_asserts(cpu_plan *plan) {
  for (size_t i = 0; i < plan->body.steps.count; i++)
    if (plan->body.steps.data[i]->kind == CPU_ASSERT) move_up(plan, i);
}

/* ---- checks fused with a step that reads the same data ---- */
enum { LARGE = 1 << 17 /* bytes: more than a cache retains between steps */, FAR = 256, DEEP = 16 };

static bool reads(const cpu_plan *plan, const cpu_step *step, uint32_t root) {
  for (size_t i = 0; i < step->read_count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == root) return true;
  return false;
}

/* A reduction of one buffer, to one element or part by part, that a check may depend on. */
static bool is_sweep(const cpu_plan *plan, const cpu_step *step) {
  if (step->kind != CPU_LOOPS || !step->single || step->read_count != 1 || step->inputs.count != 1 ||
      step->args.count != 2 || step->op->code != TEN_OP_REDUCE || step->op->result_count != 1)
    return false;
  return plan->buffers.data[cpu_buffer_root(plan, step->args.data[1])].place == CPU_ARENA;
}

/* Whether to interleave it with a loop: its output is small, and its input exceeds the caches. */
static bool is_large_sweep(const cpu_plan *plan, const cpu_step *step) {
  const cpu_buffer *from = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[0])],
                   *to = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[1])];
  return step->count > 1 && from->bytes >= LARGE && from->bytes / 64 >= to->bytes;
}

/* Whether the output of `step` is read only by steps leading to a check; those are marked in `late`. */
static bool serves_check(const cpu_plan *plan, size_t at, size_t end, bool *late) {
  const cpu_body *body = &plan->body;
  bool checked = false;
  late[at] = true;
  for (size_t i = at + 1; i < end; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = at; k < i && !late[i]; k++)
      for (size_t w = body->steps.data[k]->read_count; late[k] && w < body->steps.data[k]->args.count; w++)
        late[i] |= reads(plan, step, cpu_buffer_root(plan, body->steps.data[k]->args.data[w]));
    if (late[i] && step->kind != CPU_ASSERT && !is_small(plan, step)) return false;
    checked |= late[i] && step->kind == CPU_ASSERT;
  }
  return checked;
}

/* The next reader of the buffer, if that is a loop that can run in parts; 0: none. */
static size_t partner_of(const cpu_plan *plan, size_t at) {
  const cpu_body *body = &plan->body;
  const cpu_step *sweep = body->steps.data[at];
  const uint32_t root = cpu_buffer_root(plan, sweep->args.data[0]);
  for (size_t i = at + 1; i < body->steps.count && i < at + FAR; i++) {
    const cpu_step *step = body->steps.data[i];
    if (step->body_count || writes(plan, step, root)) return 0;
    if (!reads(plan, step, root)) continue;
    const bool parts = step->kind == CPU_LOOPS && !step->single && !step->columns;
    return parts && !body->steps.data[i - 1]->paired && !step->overlaps && !step->paired ? i : 0;
  }
  return 0;
}

/* Whether element i of it depends only on element i of the input. */
static bool is_elementwise(const ten_value *x, const ten_value *input, int depth) {
  if (x == input || !x->type->rank) return true;
  if (!x->op || !depth) return false;
  if (x->op->code == TEN_OP_CONSTANT) return ten_op_attr(x->op, "value")->dense.splat;
  if (x->op->code == TEN_OP_BROADCAST_IN_DIM) return !ten_op_operand(x->op, 0)->type->rank;
  const bool same = ten_op_has(x->op, TEN_TRAIT_ELEMENTWISE) || x->op->code == TEN_OP_BITCAST_CONVERT;
  for (uint32_t i = 0; i < x->op->operand_count && same; i++) {
    const ten_value *y = ten_op_operand(x->op, i);
    if (y->type->rank != x->type->rank || !is_elementwise(y, input, depth - 1)) return false;
  }
  return same;
}

/* Whether the sweep can be fused into the loop: both have as many elements, in the same order. A sweep that is not
 * split keeps the loop in one piece, so that one must be small. */
static bool can_fuse(const cpu_step *sweep, const cpu_step *loop) {
  const ten_value *input = sweep->inputs.data[0], *x = ten_op_operand(sweep->op, 0);
  const bool divides = sweep->count > 1 || loop->count <= loop->grain;
  if (!divides || loop->stages.count || !loop->roots.count || loop->inputs.count != loop->read_count) return false;
  if (loop->parts && loop->parts != sweep->count) return false;
  if (ten_op_body(sweep->op, 0)->args[0]->type->dtype != sweep->op->results[0].type->dtype) return false;
  if (ten_type_count(x->type) != ten_type_count(loop->roots.data[0]->type)) return false;
  while (x != input && x->op && x->op->code == TEN_OP_RESHAPE) x = ten_op_operand(x->op, 0);
  return is_elementwise(x, input, DEEP);
}

/* The loop takes over the sweep's inputs and outputs. */
static void fuse(cpu_step *sweep, cpu_step *loop) {
  bool known = false;
  for (size_t i = 0; i < loop->inputs.count; i++) known |= loop->inputs.data[i] == sweep->inputs.data[0];
  if (!known) {
    ten_vec_push(&loop->args, 0);
    memmove(loop->args.data + loop->read_count + 1, loop->args.data + loop->read_count,
            (loop->args.count - 1 - loop->read_count) * sizeof *loop->args.data);
    loop->args.data[loop->read_count++] = sweep->args.data[0];
    ten_vec_push(&loop->inputs, sweep->inputs.data[0]);
  }
  ten_vec_push(&loop->args, sweep->args.data[1]);
  ten_vec_push(&loop->checks, sweep->op);
  loop->parts = sweep->count;
  ten_vec_free(&sweep->args);
  ten_vec_free(&sweep->inputs);
  ten_vec_free(&sweep->roots);
}

static bool gives_away(const cpu_plan *plan) {
  for (uint32_t i = 0; i < plan->input_count; i++)
    if (ten_func_arg_attr(plan->func, i, "tf.aliasing_output") || ten_func_arg_attr(plan->func, i, "jax.buffer_donor"))
      return true;
  return false;
}

/* A sweep over indices that are not cached costs as much as reading them for the gather. So an elementwise loop over
 * the same data also does the check. If it reads them in another way, the two are interleaved: a part of the loop, and
 * the part of the check that reads the same data. What depends on the check comes after both. A program that updates
 * its inputs is skipped: its checks come first. */
void cpu_plan_pairs(cpu_plan *plan) {
  cpu_step **steps = plan->body.steps.data;
  if (gives_away(plan)) return;
  bool *late = ten_alloc(plan->body.steps.count + 1);
  cpu_step **moved = ten_alloc((plan->body.steps.count + 1) * sizeof *moved);
  for (size_t i = plan->body.steps.count; i-- > 0;) { /* backwards: checks that wait for one loop keep their order */
    const size_t with = !steps[i]->paired && is_sweep(plan, steps[i]) ? partner_of(plan, i) : 0;
    if (!with) continue;
    cpu_step *sweep = steps[i], *loop = steps[with];
    const bool fused = can_fuse(sweep, loop);
    if (!fused && (loop->parts || loop->count < sweep->count || !is_large_sweep(plan, sweep))) continue;
    memset(late, 0, plan->body.steps.count + 1);
    if (!serves_check(plan, i, with, late)) continue;
    size_t kept = i, waiting = 0;
    for (size_t k = i + 1; k < with; k++)
      if (late[k])
        moved[waiting++] = steps[k];
      else
        steps[kept++] = steps[k];
    if (fused) {
      fuse(sweep, loop);
      memmove(steps + with, steps + with + 1, (plan->body.steps.count - with - 1) * sizeof *steps);
      plan->body.steps.count--;
    } else {
      sweep->paired = true;
      steps[kept++] = sweep;
    }
    steps[kept++] = loop;
    memcpy(steps + kept, moved, waiting * sizeof *moved);
  }
  free(late);
  free(moved);
}
