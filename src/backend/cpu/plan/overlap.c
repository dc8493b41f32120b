/* overlap.c: overlaps weight updates with matmuls.
 *
 * An optimizer's update reads and writes seven elements for a handful of operations: two cores are no faster at it than
 * one, as it is memory bound. A matmul is compute bound. So an update moves to right before the next independent matmul
 * and is marked: with several threads, call.c then gives them the tasks of both at once. Needs: ordered steps, before
 * memory is planned (memory.c extends the live ranges over both). Keeps: results. */
#include <string.h>

#include "backend/cpu/plan/plan.h"

/* Elements of an update; multiplications of a matmul, and each of its sizes: smaller ones are memory bound. */
enum { WORTH = 1 << 15, PRODUCT = 1 << 22, SIZE = 64, FAR = 16 };

static bool is_update(const cpu_plan *plan, const cpu_step *step) {
  if (step->kind != CPU_LOOPS || !step->flat || step->count < WORTH || step->args.count == step->read_count)
    return false;
  for (size_t i = step->read_count; i < step->args.count; i++)
    if (plan->buffers.data[cpu_buffer_root(plan, step->args.data[i])].place != CPU_OUTPUT) return false;
  return true;
}

static bool is_product(const cpu_step *step) {
  const cpu_gemm *g = step->kind == CPU_GEMM ? step->descriptor : NULL;
  return g && !g->bf16 && g->batches == 1 && g->m >= SIZE && g->n >= SIZE && g->k >= SIZE &&
         (double)g->m * (double)g->n * (double)g->k >= (double)PRODUCT;
}

/* Whether both touch a buffer; `written`: only if `other` writes it, for buffers that `step` reads. */
static bool meet(const cpu_plan *plan, const cpu_step *step, const cpu_step *other, bool written) {
  if (other->body_count) return true; /* nested steps are not examined */
  for (size_t i = 0; i < step->args.count; i++)
    for (size_t k = written && i < step->read_count ? other->read_count : 0; k < other->args.count; k++)
      if (cpu_buffer_root(plan, step->args.data[i]) == cpu_buffer_root(plan, other->args.data[k])) return true;
  return false;
}

void cpu_plan_overlap(cpu_plan *plan) {
  if (plan->threads < 2) return;
  cpu_step **steps = plan->body.steps.data;
  const size_t count = plan->body.steps.count;
  for (size_t i = count; i-- > 0;) {
    cpu_step *update = steps[i];
    if (!is_update(plan, update)) continue;
    size_t at = i + 1;
    for (; at < count && at <= i + FAR; at++) {
      if (is_product(steps[at]) && !steps[at - 1]->overlaps) break;
      if (meet(plan, update, steps[at], true)) at = count;
    }
    if (at >= count || at > i + FAR || meet(plan, update, steps[at], false)) continue;
    memmove(steps + i, steps + i + 1, (at - 1 - i) * sizeof *steps);
    steps[at - 1] = update;
    update->overlaps = true;
  }
}
