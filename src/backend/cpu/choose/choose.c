/* choose.c: the table of tuned kernels, and choosing from it.
 *
 * Estimates are times of one thread, by the number of multiply-adds alone: they tell kernels apart that differ by
 * factors. What differs by less is measured (tune.c).  Needs: numbered values.  Keeps: everything. */
#include "backend/cpu/choose/choose.h"

#include "backend/cpu/plan/lower.h"

static bool match_gemm(cpu_lowering *l, const ten_op *op, cpu_chosen *out) {
  return cpu_gemm_of(&l->plan->arena, op, &out->as.gemm);
}
static ten_status *lower_gemm(cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                              cpu_body *body) {
  const ten_value *roots[CPU_GROUP_MAX] = {root};
  const uint32_t count = l->group[root->number] ? cpu_group_members(l, root, roots) : 1;
  return cpu_lower_gemm(l, op, &chosen->as.gemm, roots, count, body);
}

static bool match_conv(cpu_lowering *l, const ten_op *op, cpu_chosen *out) {
  return cpu_conv_of(l->plan, op, &out->as.conv);
}
static ten_status *lower_conv(cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                              cpu_body *body) {
  return cpu_lower_conv(l, op, &chosen->as.conv, root, body);
}

static bool match_wgrad(cpu_lowering *l, const ten_op *op, cpu_chosen *out) {
  return cpu_wgrad_of(l->plan->module, op, &out->as.wgrad);
}
static ten_status *lower_wgrad(cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                               cpu_body *body) {
  (void)root;
  return cpu_lower_wgrad(l, op, &chosen->as.wgrad, body);
}

static bool match_scan(cpu_lowering *l, const ten_op *op, cpu_chosen *out) {
  return cpu_scan_of(l->plan->module, op, &out->as.scan);
}
static ten_status *lower_scan(cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                              cpu_body *body) {
  (void)root;
  return cpu_lower_scan(l, op, &chosen->as.scan, body);
}

static bool match_product(cpu_lowering *l, const ten_op *op, cpu_chosen *out) {
  return cpu_product_of(l, op, &out->as.product);
}
static ten_status *lower_product(cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                                 cpu_body *body) {
  (void)root;
  return cpu_lower_any_product(l, op, &chosen->as.product, body);
}

static const cpu_kernel_row rows[CPU_KERNEL_ROWS] = {
    {"gemm", 0.04, match_gemm, lower_gemm},
    {"conv", 0.05, match_conv, lower_conv},
    {"wgrad", 0.06, match_wgrad, lower_wgrad},
    {"scan", 0.001, match_scan, lower_scan}, /* one sweep, where the definition sums each window anew */
    {"product", 0.25, match_product, lower_product},
};
static const double loops_nanoseconds = 1.0;

/* Multiply-adds, or combinations, that the op's definition does. */
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
    return results * (double)ten_type_count(kernel) / (double)(kernel->dims[dims.kernel_output_feature] + !results);
  }
  const ten_ints window = ten_op_ints(op, "window_dimensions");
  double each = 1;
  for (size_t i = 0; i < window.count; i++) each *= (double)window.data[i];
  return results * each;
}

static bool is_candidate(const ten_op *op) {
  return op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_CONVOLUTION || op->code == TEN_OP_REDUCE_WINDOW;
}

void cpu_choose(cpu_lowering *l, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    if (!is_candidate(op) || !ten_type_is_static(op->results[0].type)) continue;
    cpu_chosen found, best = {0};
    for (size_t i = 0; i < CPU_KERNEL_ROWS; i++) {
      if (best.row && rows[i].nanoseconds >= best.row->nanoseconds) continue;
      if (!rows[i].match(l, op, &found)) continue;
      best = found;
      best.row = &rows[i];
    }
    if (best.row) l->chosen[op->results[0].number] = ten_arena_copy(&l->plan->arena, &best, sizeof best);
  }
}

const cpu_chosen *cpu_chosen_of(const cpu_lowering *l, const ten_op *op) {
  return op->result_count ? l->chosen[op->results[0].number] : NULL;
}

const cpu_gemm *cpu_chosen_gemm(const cpu_lowering *l, const ten_op *op) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  return chosen && chosen->row->match == match_gemm ? &chosen->as.gemm : NULL;
}

const cpu_conv *cpu_chosen_conv(const cpu_lowering *l, const ten_op *op) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  return chosen && chosen->row->match == match_conv ? &chosen->as.conv : NULL;
}

size_t cpu_candidates(cpu_lowering *l, const ten_op *op, cpu_candidate out[CPU_KERNEL_ROWS + 1]) {
  if (!is_candidate(op)) return 0;
  size_t count = 0;
  const double work = work_of(op);
  cpu_chosen found;
  for (size_t i = 0; i < CPU_KERNEL_ROWS; i++)
    if (rows[i].match(l, op, &found)) out[count++] = (cpu_candidate){rows[i].name, work * rows[i].nanoseconds * 1e-9};
  out[count++] = (cpu_candidate){"loops", work * loops_nanoseconds * 1e-9};
  return count;
}
