/* choose.c: chooses between the kernels of exec/kernels.def and generated loops, by their estimates (estimate.c), which
 * only resolve large differences. Smaller ones are measured (tune.c). Needs: numbered values.  Keeps: everything. */
#include "backend/cpu/choose/choose.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/exec/kernel.h"
#include "backend/cpu/plan/lower.h"

#define KERNEL(KIND, name, file)
#define CHOICE(KIND, name, file) extern const cpu_kernel_choice cpu_choice_##name;
#include "backend/cpu/exec/kernels.def"

static const struct row {
  cpu_step_kind kind;
  const cpu_kernel_choice *choice;
} rows[] = {
#define KERNEL(KIND, name, file)
#define CHOICE(KIND, name, file) {CPU_##KIND, &cpu_choice_##name},
#include "backend/cpu/exec/kernels.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool considers(const struct row *row, const ten_op *op) {
  return op->code != TEN_OP_UNKNOWN && (op->code == row->choice->ops[0] || op->code == row->choice->ops[1]);
}

/* The descriptor is `found`, of EXEC_DESCRIPTOR_MOST bytes. */
static bool match(cpu_lowering *l, const ten_op *op, const struct row *row, void *found) {
  if (!considers(row, op)) return false;
  memset(found, 0, exec_kernel_of(row->kind)->descriptor);
  return row->choice->match(l, op, found);
}

/* Inserts into the sorted list. */
static void add_candidate(cpu_considered *considered, const char *name, double seconds) {
  cpu_candidate *list = considered->list;
  if (considered->count == CPU_CANDIDATES_MOST) return;
  size_t at = considered->count++;
  for (; at && list[at - 1].seconds > seconds; at--) list[at] = list[at - 1];
  list[at] = (cpu_candidate){name, seconds};
}

static void choose_for(cpu_lowering *l, const ten_op *op) {
  _Alignas(16) char found[EXEC_DESCRIPTOR_MOST];
  ten_arena *arena = &l->plan->arena;
  const bool loops = cg_can_emit(op);
  double least = loops ? cpu_loops_seconds(op) : INFINITY;
  cpu_considered considered = {0};
  cpu_chosen best = {0};
  for (size_t i = 0; i < ROW_COUNT; i++) {
    if (!match(l, op, &rows[i], found)) continue;
    const double seconds = cpu_kernel_seconds(rows[i].choice, rows[i].kind, op, found);
    add_candidate(&considered, cpu_step_kind_name(rows[i].kind), seconds);
    if (best.choice ? seconds >= least : seconds > least) continue; /* on a tie a kernel is preferred to loops */
    least = seconds;
    best = (cpu_chosen){rows[i].kind, rows[i].choice,
                        ten_arena_copy(arena, found, exec_kernel_of(rows[i].kind)->descriptor)};
  }
  if (best.choice) l->chosen[op->results[0].number] = ten_arena_copy(arena, &best, sizeof best);
  if (!l->plan->considered) return;
  if (loops) add_candidate(&considered, "loops", cpu_loops_seconds(op));
  if (best.choice && !best.choice->if_stored) considered.chosen = cpu_step_kind_name(best.kind);
  l->plan->considered[op->results[0].number] = ten_arena_copy(arena, &considered, sizeof considered);
}

void cpu_choose(cpu_lowering *l, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    if (!op->result_count || !ten_type_is_tensor(op->results[0].type) || !ten_type_is_static(op->results[0].type))
      continue;
    bool wanted = l->plan->considered != NULL;
    for (size_t i = 0; i < ROW_COUNT && !wanted; i++) wanted = considers(&rows[i], op);
    if (wanted) choose_for(l, op);
  }
}

const cpu_chosen *cpu_chosen_of(const cpu_lowering *l, const ten_op *op) {
  const cpu_chosen *chosen = op->result_count ? l->chosen[op->results[0].number] : NULL;
  return chosen && !chosen->choice->if_stored ? chosen : NULL;
}

const cpu_chosen *cpu_chosen_if_stored(cpu_lowering *l, const ten_op *op) {
  const cpu_chosen *chosen = l->chosen[op->results[0].number];
  return chosen && chosen->choice->if_stored && chosen->choice->fits(l, op) ? chosen : NULL;
}

static const void *chosen_as(const cpu_lowering *l, const ten_op *op, cpu_step_kind kind) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  return chosen && chosen->kind == kind ? chosen->descriptor : NULL;
}

const cpu_gemm *cpu_chosen_gemm(const cpu_lowering *l, const ten_op *op) { return chosen_as(l, op, CPU_GEMM); }
const cpu_conv *cpu_chosen_conv(const cpu_lowering *l, const ten_op *op) { return chosen_as(l, op, CPU_CONV); }
