/* choose.c: chooses from the kernels of exec/kernels.def.
 *
 * Estimates are times of one thread, by the number of multiply-adds alone: they tell kernels apart that differ by
 * factors. What differs by less is measured (tune.c).  Needs: numbered values.  Keeps: everything. */
#include "backend/cpu/choose/choose.h"

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
static const double loops_nanoseconds = 1.0;

/* Multiply-adds, combinations or elements that the op's definition does. */
static double work_of(const ten_op *op) {
  const double results = (double)ten_type_count(op->results[0].type);
  if (op->code == TEN_OP_DOT_GENERAL) {
    const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
    double k = 1;
    for (size_t i = 0; i < dims.lhs_contract.count; i++)
      k *= (double)ten_op_operand(op, 0)->type->dims[dims.lhs_contract.data[i]];
    return results * k;
  }
  if (op->code == TEN_OP_CONVOLUTION) {
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
    const ten_type *kernel = ten_op_operand(op, 1)->type;
    return results * (double)ten_type_count(kernel) /
           (double)(kernel->dims[dims.kernel_output_feature] + (results == 0));
  }
  const ten_ints window = ten_op_ints(op, "window_dimensions");
  double each = 1;
  for (size_t i = 0; i < window.count; i++) each *= (double)window.data[i];
  return results * each;
}

static bool considers(const struct row *row, const ten_op *op) {
  return op->code != TEN_OP_UNKNOWN && (op->code == row->choice->ops[0] || op->code == row->choice->ops[1]);
}

/* The descriptor is `found`, of EXEC_DESCRIPTOR_MOST bytes. */
static bool match(cpu_lowering *l, const ten_op *op, const struct row *row, void *found) {
  if (!considers(row, op)) return false;
  memset(found, 0, exec_kernel_of(row->kind)->descriptor);
  return row->choice->match(l, op, found);
}

void cpu_choose(cpu_lowering *l, const ten_block *block) {
  _Alignas(16) char found[EXEC_DESCRIPTOR_MOST];
  for (const ten_op *op = block->first; op; op = op->next) {
    if (!op->result_count || !ten_type_is_tensor(op->results[0].type) || !ten_type_is_static(op->results[0].type))
      continue;
    cpu_chosen best = {0};
    for (size_t i = 0; i < ROW_COUNT; i++) {
      const cpu_kernel_choice *choice = rows[i].choice;
      if ((best.choice && choice->nanoseconds >= best.choice->nanoseconds) || !match(l, op, &rows[i], found)) continue;
      best = (cpu_chosen){rows[i].kind, choice,
                          ten_arena_copy(&l->plan->arena, found, exec_kernel_of(rows[i].kind)->descriptor)};
    }
    if (best.choice) l->chosen[op->results[0].number] = ten_arena_copy(&l->plan->arena, &best, sizeof best);
  }
}

const cpu_chosen *cpu_chosen_of(const cpu_lowering *l, const ten_op *op) {
  return op->result_count ? l->chosen[op->results[0].number] : NULL;
}

static const void *chosen_as(const cpu_lowering *l, const ten_op *op, cpu_step_kind kind) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  return chosen && chosen->kind == kind ? chosen->descriptor : NULL;
}

const cpu_gemm *cpu_chosen_gemm(const cpu_lowering *l, const ten_op *op) { return chosen_as(l, op, CPU_GEMM); }
const cpu_conv *cpu_chosen_conv(const cpu_lowering *l, const ten_op *op) { return chosen_as(l, op, CPU_CONV); }

/* Keeps the list in order. */
static void add_candidate(cpu_candidate *list, size_t *count, cpu_candidate one) {
  if (*count == CPU_CANDIDATES_MOST) return;
  size_t at = (*count)++;
  for (; at && list[at - 1].seconds > one.seconds; at--) list[at] = list[at - 1];
  list[at] = one;
}

size_t cpu_candidates(cpu_lowering *l, const ten_op *op, cpu_candidate out[CPU_CANDIDATES_MOST]) {
  _Alignas(16) char found[EXEC_DESCRIPTOR_MOST];
  size_t count = 0;
  bool considered = false;
  const double work = work_of(op);
  for (size_t i = 0; i < ROW_COUNT; i++) {
    considered |= considers(&rows[i], op);
    if (match(l, op, &rows[i], found))
      add_candidate(out, &count,
                    (cpu_candidate){cpu_step_kind_name(rows[i].kind), work * rows[i].choice->nanoseconds * 1e-9});
  }
  if (considered) add_candidate(out, &count, (cpu_candidate){"loops", work * loops_nanoseconds * 1e-9});
  return count;
}
