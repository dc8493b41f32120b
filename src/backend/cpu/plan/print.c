/* print.c: prints a plan: buffers with their addresses, steps in order, what each computes. */
#include "backend/cpu/plan/plan.h"

static void print_buffer(const cpu_plan *plan, uint32_t number, ten_buf *out) {
  const uint32_t root = cpu_buffer_root(plan, number);
  const cpu_buffer *buffer = &plan->buffers.data[root];
  switch (buffer->place) {
    case CPU_ARENA: ten_buf_printf(out, "arena[%zu]", buffer->offset); break;
    case CPU_INPUT: ten_buf_printf(out, "input%u", buffer->index); break;
    case CPU_OUTPUT: ten_buf_printf(out, "output%u", buffer->index); break;
    case CPU_CONSTANT: ten_buf_printf(out, "constant%u", root); break;
    case CPU_HOISTED: ten_buf_printf(out, "hoisted[%zu]", buffer->offset); break;
  }
  const ten_type *type = plan->buffers.data[number].type;
  if (!type) {
    ten_buf_printf(out, ":%zu bytes", plan->buffers.data[number].bytes);
    return;
  }
  ten_buf_addc(out, ':');
  for (uint32_t i = 0; i < type->rank; i++) ten_buf_printf(out, "%lldx", (long long)type->dims[i]);
  ten_buf_adds(out, ten_dtype_name(type->dtype));
}

/* The expression that a generated step computes, innermost last. */
static void print_expression(const cpu_plan *plan, const cpu_step *step, const ten_value *value, int depth,
                             ten_buf *out) {
  for (size_t i = 0; i < step->inputs.count; i++)
    if (step->inputs.data[i] == value) {
      ten_buf_printf(out, "$%zu", i);
      return;
    }
  if (!value->op || depth > 12) {
    ten_buf_adds(out, "…");
    return;
  }
  if (value == &step->op->results[0] && cpu_has_epilogue(step->kind)) {
    ten_buf_adds(out, "matmul");
    return;
  }
  const ten_str name = value->op->name;
  size_t start = 0; /* after the dialect's prefix */
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] == '.') start = i + 1;
  ten_buf_add(out, name.data + start, name.size - start);
  if (!value->op->operand_count) return;
  ten_buf_addc(out, '(');
  for (uint32_t i = 0; i < value->op->operand_count; i++) {
    if (i) ten_buf_adds(out, ", ");
    print_expression(plan, step, ten_op_operand(value->op, i), depth + 1, out);
  }
  ten_buf_addc(out, ')');
}

void cpu_step_print(const cpu_plan *plan, const cpu_step *step, ten_buf *out) {
  ten_buf_adds(out, cpu_step_kind_name(step->kind));
  if (step->op) {
    ten_buf_printf(out, " %.*s", TEN_FMT(step->op->name));
    ten_buf_adds(out, step->roots.count > 1 ? " …" : "");
  }
  for (size_t k = 0; k < step->args.count; k++) {
    const ten_type *type = plan->buffers.data[step->args.data[k]].type;
    ten_buf_adds(out, k == step->read_count ? " -> " : k ? ", " : " ");
    if (!type) {
      ten_buf_printf(out, "%zu bytes", plan->buffers.data[step->args.data[k]].bytes);
      continue;
    }
    for (uint32_t i = 0; i < type->rank; i++) ten_buf_printf(out, "%lldx", (long long)type->dims[i]);
    ten_buf_adds(out, ten_dtype_name(type->dtype));
  }
}

static void print_body(const cpu_plan *plan, const cpu_body *body, int indent, ten_buf *out) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    ten_buf_printf(out, "%*s%s", indent, "", cpu_step_kind_name(step->kind));
    if (step->paired) ten_buf_adds(out, " paired");
    if (step->flat) ten_buf_adds(out, " flat");
    if (step->stages.count) ten_buf_printf(out, " rows (%zu sweeps)", step->stages.count + 1);
    if (step->count != 1) ten_buf_printf(out, " %lld", (long long)step->count);
    if (step->parts) ten_buf_printf(out, " in %lld parts", (long long)step->parts);
    if (step->kind == CPU_CHUNKS) ten_buf_adds(out, " turns");
    if (step->kind >= CPU_COPY && step->kind != CPU_CHUNKS && !cpu_has_epilogue(step->kind))
      ten_buf_printf(out, " %.*s", TEN_FMT(step->op->name));
    for (size_t k = 0; k < step->args.count; k++) {
      ten_buf_adds(out, k == step->read_count ? " -> " : k ? ", " : " ");
      print_buffer(plan, step->args.data[k], out);
      if (step->advance && step->advance[k]) ten_buf_printf(out, "+%lld a turn", (long long)step->advance[k]);
    }
    for (size_t k = 0; k < step->roots.count; k++) {
      ten_buf_adds(out, k ? ", " : "  = ");
      if (step->kind == CPU_LOOPS || cpu_has_epilogue(step->kind))
        print_expression(plan, step, step->roots.data[k], 0, out);
      else
        ten_buf_addstr(out, step->op->name);
    }
    for (size_t k = 0; k < step->checks.count; k++) {
      ten_buf_adds(out, ", ");
      print_expression(plan, step, &step->checks.data[k]->results[0], 0, out);
    }
    ten_buf_addc(out, '\n');
    for (uint32_t k = 0; k < step->body_count; k++) {
      if (k) ten_buf_printf(out, "%*s-\n", indent + 1, "");
      print_body(plan, &step->bodies[k], indent + 2, out);
    }
  }
}

void cpu_plan_print(const cpu_plan *plan, ten_buf *out) {
  ten_buf_printf(out, "arena %zu bytes, hoisted %zu bytes, %u inputs, %u outputs\n", plan->arena_bytes,
                 plan->hoisted_bytes, plan->input_count, plan->output_count);
  if (plan->init.steps.count) {
    ten_buf_adds(out, "once:\n");
    print_body(plan, &plan->init, 2, out);
    ten_buf_adds(out, "every call:\n");
  }
  print_body(plan, &plan->body, 2, out);
}
