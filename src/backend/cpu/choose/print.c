/* print.c: what was chosen, as text: one line for each op, with what else was considered. */
#include "backend/cpu/choose/choose.h"
#include "backend/cpu/plan/lower.h"

typedef struct listing {
  cpu_lowering l;
  const char **made_by; /* by value number: the kind of step that computes it */
  bool *is_epilogue;    /* likewise: as the end of that */
  ten_buf *out;
} listing;

static void mark_body(listing *p, const cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    const bool packs = step->kind == CPU_PACK_B || step->kind == CPU_PACK_CONV || step->kind == CPU_COPY;
    for (size_t k = 0; k < step->roots.count; k++) {
      p->made_by[step->roots.data[k]->number] = cpu_step_kind_name(step->kind);
      p->is_epilogue[step->roots.data[k]->number] = step->roots.data[k]->op != step->op;
    }
    for (uint32_t k = 0; step->op && !packs && k < step->op->result_count; k++) {
      p->made_by[step->op->results[k].number] = cpu_step_kind_name(step->kind);
      p->is_epilogue[step->op->results[k].number] = false;
    }
    for (uint32_t k = 0; k < step->body_count; k++) mark_body(p, &step->bodies[k]);
  }
}

static ten_status *print_op(ten_op *op, void *context) {
  listing *p = context;
  if (!op->result_count || op->code == TEN_OP_CONSTANT || op->results[0].type->kind != TEN_TYPE_TENSOR) return NULL;
  const ten_type *type = op->results[0].type;
  const char *by = p->made_by[op->results[0].number];
  ten_buf_printf(p->out, "%%%u %.*s ", op->results[0].number, TEN_FMT(op->name));
  for (uint32_t i = 0; i < type->rank; i++) ten_buf_printf(p->out, "%lldx", (long long)type->dims[i]);
  ten_buf_printf(p->out, "%s: ", ten_dtype_name(type->dtype));
  cpu_candidate candidates[CPU_CANDIDATES_MOST];
  const size_t count = cpu_candidates(&p->l, op, candidates);
  for (size_t i = 0; i < count; i++)
    ten_buf_printf(p->out, "%s%s %.3g us",
                   i > 1 ? ", "
                   : i   ? "; considered: "
                         : "",
                   candidates[i].name, candidates[i].seconds * 1e6);
  if (!count && !by) ten_buf_adds(p->out, "fused into what reads it");
  if (!count && by) ten_buf_printf(p->out, "%s%s", p->is_epilogue[op->results[0].number] ? "epilogue of " : "", by);
  ten_buf_addc(p->out, '\n');
  return NULL;
}

void cpu_choices_print(cpu_plan *plan, ten_buf *out) {
  listing p = {.l.plan = plan, .out = out};
  p.made_by = ten_arena_new_array(&plan->arena, const char *, plan->value_count + 1);
  p.is_epilogue = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  mark_body(&p, &plan->init);
  mark_body(&p, &plan->body);
  ten_buf_adds(out, "estimates: of one thread, by multiply-adds alone\n");
  for (const ten_op *op = ten_op_body(plan->func, 0)->first; op; op = op->next)
    ten_status_free(ten_op_walk((ten_op *)(uintptr_t)op, print_op, &p));
}
