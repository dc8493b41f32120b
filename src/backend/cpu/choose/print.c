/* print.c: prints the choices: one line per op, with the other candidates. */
#include <string.h>

#include "backend/cpu/choose/choose.h"
#include "backend/cpu/plan/lower.h"

typedef struct listing {
  cpu_plan *plan;
  const char **made_by; /* by value number: the kind of step that computes it */
  bool *is_epilogue;    /* likewise: in the epilogue of that */
  ten_buf *out;
} listing;

static void mark_body(listing *p, const cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    const bool packs = cpu_packs(step->kind) || step->kind == CPU_COPY;
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

/* Loops generated for one op alone. */
static bool is_generated(const char *by) {
  return !strcmp(by, "scatter") || !strcmp(by, "update") || !strcmp(by, "select_scatter");
}

static void print_time(ten_buf *out, const char *name, double seconds) {
  ten_buf_printf(out, "%s %.3g us", name, seconds * 1e6);
}

/* What computes the op, with its estimate if it has one; then the other candidates. */
static void print_ways(listing *p, const ten_op *op) {
  const uint32_t number = op->results[0].number;
  const cpu_considered *considered = p->plan->considered[number], none = {0};
  if (!considered) considered = &none;
  const char *by = p->made_by[number] ? p->made_by[number] : considered->chosen;
  const bool fused = !by, epilogue = by && p->is_epilogue[number];
  size_t taken = considered->count;
  for (size_t i = 0; i < considered->count && by && !epilogue; i++)
    if (!strcmp(considered->list[i].name, by)) taken = i;
  if (fused)
    ten_buf_adds(p->out, "fused into what reads it");
  else if (epilogue)
    ten_buf_printf(p->out, "epilogue of %s", by);
  else if (taken < considered->count)
    print_time(p->out, by, considered->list[taken].seconds);
  else if (is_generated(by))
    print_time(p->out, by, cpu_loops_seconds(op));
  else
    ten_buf_printf(p->out, "%s%s", considered->chosen && strcmp(considered->chosen, by) ? "inside " : "", by);
  bool first = true;
  for (size_t i = 0; i < considered->count; i++) {
    if (i == taken || ((fused || epilogue) && !strcmp(considered->list[i].name, "loops"))) continue;
    ten_buf_adds(p->out, first ? "; considered: " : ", ");
    print_time(p->out, considered->list[i].name, considered->list[i].seconds);
    first = false;
  }
}

static ten_status *print_op(ten_op *op, void *context) {
  listing *p = context;
  if (!op->result_count || op->code == TEN_OP_CONSTANT || op->results[0].type->kind != TEN_TYPE_TENSOR) return NULL;
  const ten_type *type = op->results[0].type;
  ten_buf_printf(p->out, "%%%u %.*s ", op->results[0].number, TEN_FMT(op->name));
  for (uint32_t i = 0; i < type->rank; i++) ten_buf_printf(p->out, "%lldx", (long long)type->dims[i]);
  ten_buf_printf(p->out, "%s: ", ten_dtype_name(type->dtype));
  print_ways(p, op);
  ten_buf_addc(p->out, '\n');
  return NULL;
}

void cpu_choices_print(cpu_plan *plan, ten_buf *out) {
  listing p = {.plan = plan, .out = out};
  p.made_by = ten_arena_new_array(&plan->arena, const char *, plan->value_count + 1);
  p.is_epilogue = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  mark_body(&p, &plan->init);
  mark_body(&p, &plan->body);
  const cpu_rates *rates = cpu_machine_rates();
  ten_buf_printf(out, "estimates: of one thread (%s), at %.3g GFLOP/s and %.3g GB/s\n", rates->isa, rates->flops * 1e-9,
                 rates->bytes * 1e-9);
  for (const ten_op *op = ten_op_body(plan->func, 0)->first; op; op = op->next)
    ten_status_free(ten_op_walk((ten_op *)(uintptr_t)op, print_op, &p));
}
