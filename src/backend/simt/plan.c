/* plan.c: a function through passes, then its ops as steps. Which values get buffers is decided first: results of
 * heavy ops and what steps on the host, loops, branches and the caller read, and what would be computed too often
 * otherwise. Everything else is computed inside the kernels that read it. */
#include "backend/simt/plan.h"

#include <stdlib.h>
#include <string.h>

#include "backend/simt/gen.h"
#include "transform/pass/isolate.h"
#include "transform/pass/pass.h"

static const ten_pass *const pipeline[] = {&ten_pass_tuple,    &ten_pass_chlo, &ten_pass_quantize, &ten_pass_expand,
                                           &ten_pass_simplify, &ten_pass_cse,  &ten_pass_dce,      NULL};

typedef struct planner {
  simt_plan *plan;
  bool *stored;   /* by number */
  uint16_t *cost; /* by number: ops that computing an element again takes; capped */
  simt_gen gen;
  TEN_VEC(struct {
    char *text; /* owned */
    uint32_t number;
  })
  kernels; /* kernels that are alike are one */
} planner;

enum { COST_MOST = 60000, COST_AGAIN = 6, COST_KERNEL = 400 };

static ten_status *number_op(ten_op *op, void *context) {
  planner *p = context;
  for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = p->plan->value_count++;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = p->plan->value_count++;
  return NULL;
}

/* What needs several processes is not this device's. */
static ten_status *refuse(ten_op *op, void *context) {
  (void)context;
  switch (op->code) {
    case TEN_OP_INTERPRETER_RUN_PARALLEL:
    case TEN_OP_INFEED:
    case TEN_OP_OUTFEED:
    case TEN_OP_SEND:
    case TEN_OP_RECV:
      return ten_op_error(op, TEN_UNSUPPORTED, "kernel devices run one process and know no %.*s; device 'cpu' does",
                          TEN_FMT(op->name));
    default: return NULL;
  }
}

static bool is_control(const ten_op *op) {
  return op->code == TEN_OP_WHILE || op->code == TEN_OP_IF || op->code == TEN_OP_CASE;
}

/* Ops whose elements cost a loop each. */
static bool is_heavy(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_REDUCE:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_SELECT_AND_SCATTER:
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION: return true;
    default: return false;
  }
}

static bool is_dense_constant(const ten_op *op) {
  const ten_attr *dense = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  return dense && dense->dense.data && !dense->dense.splat && ten_type_count(dense->dense.type) != 1;
}

static bool is_kernel_op(const ten_op *op) {
  return op->code == TEN_OP_SCATTER ? op->result_count <= 8 && simt_can_emit_regions(op) : simt_can_emit(op);
}

static void store(planner *p, const ten_value *value) {
  if (ten_type_is_tensor(value->type)) p->stored[value->number] = true;
}

/* Buffers for all that the ops of control flow read, their regions included. */
static void store_captures(planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) store(p, ten_op_operand(op, i));
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = ten_op_body(op, r);
    for (uint32_t i = 0; i < block->arg_count; i++) store(p, block->args[i]);
    for (const ten_op *inner = block->first; inner; inner = inner->next) {
      for (uint32_t i = 0; i < inner->operand_count; i++) {
        const ten_value *value = ten_op_operand(inner, i);
        const ten_block *from = value->op ? value->op->block : value->block;
        if (from != block && !(value->op && simt_can_emit(value->op) && value->op->code == TEN_OP_CONSTANT))
          store(p, value);
      }
      if (ten_op_has(inner, TEN_TRAIT_TERMINATOR))
        for (uint32_t i = 0; i < inner->operand_count; i++) store(p, ten_op_operand(inner, i));
    }
  }
}

static uint16_t cost_of(const planner *p, const ten_op *op) {
  uint32_t cost = op->code == TEN_OP_CONSTANT || op->code == TEN_OP_IOTA ? 0 : 1;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!p->stored[ten_op_operand(op, i)->number]) cost += p->cost[ten_op_operand(op, i)->number];
  return (uint16_t)(cost > COST_MOST ? COST_MOST : cost);
}

/* Marks the buffers of a block's values, in order: when an op is reached, its operands are decided. */
static void choose(planner *p, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    const bool kernel = is_kernel_op(op);
    if (is_control(op)) {
      store_captures(p, op);
      for (uint32_t r = 0; r < op->region_count; r++) choose(p, ten_op_body(op, r));
    }
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR) || (!kernel && !is_control(op)))
      for (uint32_t i = 0; i < op->operand_count; i++) store(p, ten_op_operand(op, i));
    if (is_heavy(op) || op->code == TEN_OP_SCATTER)
      for (uint32_t i = 0; i < op->operand_count; i++) {
        const ten_value *value = ten_op_operand(op, i);
        const bool once = op->code == TEN_OP_REDUCE; /* reads each element once */
        if (value->op && p->cost[value->number] > (once ? COST_KERNEL : 2)) store(p, value);
      }
    const uint16_t cost = cost_of(p, op);
    for (uint32_t i = 0; i < op->result_count; i++) {
      const ten_value *value = &op->results[i];
      p->cost[value->number] = cost;
      const bool again = value->uses && value->uses->next && cost > COST_AGAIN && value->type->rank;
      if (!kernel || is_heavy(op) || op->code == TEN_OP_SCATTER || is_dense_constant(op) || again || cost > COST_KERNEL)
        store(p, value);
    }
  }
}

static const uint32_t *copy_numbers(planner *p, const uint32_t *numbers, uint32_t count) {
  return ten_arena_copy(&p->plan->module->arena, numbers, count * sizeof *numbers);
}

/* The kernel's number: that of one with the same text, or the next. */
static uint32_t kernel_number(planner *p, const ten_buf *signature) {
  ten_buf text = {0};
  ten_buf_printf(&text, "%s\n    const i64 n) {\n  for (i64 i = THREAD; i < n; i += THREADS) {\n", signature->data);
  ten_buf_add(&text, p->gen.text.data ? p->gen.text.data : "", p->gen.text.size);
  ten_buf_adds(&text, "  }\n}\n");
  for (size_t i = 0; i < p->kernels.count; i++)
    if (!strcmp(p->kernels.data[i].text, text.data)) {
      ten_buf_free(&text);
      return p->kernels.data[i].number;
    }
  const uint32_t number = p->plan->kernel_count++;
  ten_buf_printf(&p->plan->source, "\nKERNEL void k%u(%s", number, text.data);
  ten_vec_reserve(&p->kernels, p->kernels.count + 1);
  p->kernels.data[p->kernels.count].text = ten_buf_take(&text);
  p->kernels.data[p->kernels.count++].number = number;
  return number;
}

/* The kernel in p->gen as a step that writes the stored results of `op`. */
static void finish_kernel(planner *p, simt_body *body, const ten_op *op, simt_step_kind kind, int64_t threads) {
  simt_gen *gen = &p->gen;
  simt_kernel_end(gen);
  ten_buf signature = {0};
  uint32_t *reads = ten_arena_new_array(&p->plan->module->arena, uint32_t, gen->reads.count + 1),
           *writes = ten_arena_new_array(&p->plan->module->arena, uint32_t, op->result_count + 1), write_count = 0;
  for (size_t i = 0; i < gen->reads.count; i++) {
    reads[i] = gen->reads.data[i]->number;
    ten_buf_printf(&signature, "GLOBAL const %s *p%zu, ", simt_memory_type(gen->reads.data[i]->type->dtype), i);
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (!p->stored[op->results[i].number]) continue;
    writes[write_count++] = op->results[i].number;
    ten_buf_printf(&signature, "GLOBAL %s *q%u, ", simt_memory_type(op->results[i].type->dtype), i);
  }
  const simt_step step = {.kind = kind,
                          .op = op,
                          .kernel = kernel_number(p, &signature),
                          .threads = threads,
                          .reads = reads,
                          .read_count = (uint32_t)gen->reads.count,
                          .writes = writes,
                          .write_count = write_count};
  ten_vec_push(&body->steps, step);
  ten_buf_free(&signature);
}

static void emit_kernel(planner *p, simt_body *body, const ten_op *op) {
  static const char *const outputs[] = {"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"};
  simt_gen *gen = &p->gen;
  const ten_type *type = op->results[0].type;
  simt_kernel_begin(gen);
  simt_ix *index = simt_indices(gen, type->rank);
  const simt_ix thread = simt_index_of(simt_define(gen, "i64", "i"));
  simt_delinearise(gen, type->rank, type->dims, thread, index);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_value *value = &op->results[i];
    if (!p->stored[value->number]) continue;
    if (i >= sizeof outputs / sizeof *outputs) {
      simt_fail(gen, ten_op_error(op, TEN_LIMIT, "%u results; 8 are the most on this device", op->result_count));
      break;
    }
    simt_val *results = ten_arena_new_array(&gen->ir->arena, simt_val, op->result_count);
    p->stored[value->number] = false; /* here it is computed */
    results[i] = simt_element(gen, value, index);
    p->stored[value->number] = true;
    simt_store(gen, value->type->dtype, outputs[i], thread, results[i]);
  }
  finish_kernel(p, body, op, SIMT_KERNEL, ten_type_count(type));
}

/* Copies of the operands, then the updates into them. */
static void emit_scatter(planner *p, simt_body *body, const ten_op *op) {
  simt_gen *gen = &p->gen;
  const ten_type *type = op->results[0].type;
  simt_kernel_begin(gen);
  simt_ix *index = simt_indices(gen, type->rank);
  const simt_ix thread = simt_index_of(simt_define(gen, "i64", "i"));
  simt_delinearise(gen, type->rank, type->dims, thread, index);
  for (uint32_t i = 0; i < op->result_count; i++) {
    char output[8] = {'q', (char)('0' + i), 0};
    simt_store(gen, op->results[i].type->dtype, output, thread, simt_element(gen, ten_op_operand(op, i), index));
  }
  finish_kernel(p, body, op, SIMT_KERNEL, ten_type_count(type));
  simt_kernel_begin(gen);
  simt_generate_scatter(gen, op, simt_index_of(simt_define(gen, "i64", "i")));
  finish_kernel(p, body, op, SIMT_SCATTER, simt_scatter_threads(op));
}

static void emit_other(planner *p, simt_body *body, const ten_op *op, simt_step_kind kind) {
  uint32_t *reads = ten_arena_new_array(&p->plan->module->arena, uint32_t, op->operand_count + 1),
           *writes = ten_arena_new_array(&p->plan->module->arena, uint32_t, op->result_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++) reads[i] = ten_op_operand(op, i)->number;
  for (uint32_t i = 0; i < op->result_count; i++) writes[i] = op->results[i].number;
  const simt_step step = {.kind = kind,
                          .op = op,
                          .reads = reads,
                          .read_count = op->operand_count,
                          .writes = writes,
                          .write_count = op->result_count};
  ten_vec_push(&body->steps, step);
}

static ten_status *make_steps(planner *p, const ten_block *block, simt_body *body);

static ten_status *emit_control(planner *p, simt_body *body, const ten_op *op) {
  emit_other(p, body, op, op->code == TEN_OP_WHILE ? SIMT_WHILE : SIMT_BRANCH);
  const size_t at = body->steps.count - 1;
  simt_body *bodies = ten_alloc(op->region_count * sizeof *bodies);
  memset(bodies, 0, op->region_count * sizeof *bodies);
  body->steps.data[at].bodies = bodies;
  for (uint32_t r = 0; r < op->region_count; r++) TEN_TRY(make_steps(p, ten_op_body(op, r), &bodies[r]));
  return NULL;
}

static bool any_stored(const planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (p->stored[op->results[i].number]) return true;
  return false;
}

static ten_status *make_steps(planner *p, const ten_block *block, simt_body *body) {
  body->block = block;
  for (const ten_op *op = block->first; op && !p->gen.error; op = op->next) {
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) break;
    if (is_control(op)) {
      TEN_TRY(emit_control(p, body, op));
    } else if (is_dense_constant(op)) {
      const simt_constant_data constant = {op->results[0].number, ten_op_attr(op, "value")};
      if (p->stored[constant.number]) ten_vec_push(&p->plan->constants, constant);
    } else if (!is_kernel_op(op)) {
      emit_other(p, body, op, SIMT_HOST);
      p->plan->host_steps++;
    } else if (any_stored(p, op)) {
      if (op->code == TEN_OP_SCATTER)
        emit_scatter(p, body, op);
      else
        emit_kernel(p, body, op);
    }
  }
  ten_status *error = p->gen.error;
  p->gen.error = NULL; /* the caller's now */
  return error;
}

/* What a step reads, control flow with all inside: marks `last` with the step's number. */
static void mark_reads(const simt_step *step, uint32_t *last, uint32_t number) {
  for (uint32_t i = 0; i < step->read_count; i++) last[step->reads[i]] = number;
  for (uint32_t r = 0; step->bodies && r < step->op->region_count; r++) {
    const simt_body *body = &step->bodies[r];
    for (size_t i = 0; i < body->steps.count; i++) mark_reads(&body->steps.data[i], last, number);
    const ten_op *end = ten_block_terminator(body->block);
    for (uint32_t i = 0; i < end->operand_count; i++) last[ten_op_operand(end, i)->number] = number;
  }
}

/* After each step of a body: buffers made in the body that no later step, and not its end, reads. */
static void find_dead(planner *p, simt_body *body) {
  const uint32_t values = p->plan->value_count, never = UINT32_MAX;
  uint32_t *last = ten_alloc((values + 1) * sizeof *last), *list = ten_alloc((values + 1) * sizeof *list);
  memset(last, 0, (values + 1) * sizeof *last);
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    for (uint32_t k = 0; k < step->write_count; k++) last[step->writes[k]] = (uint32_t)i + 1;
    mark_reads(step, last, (uint32_t)i + 1);
  }
  const ten_op *end = ten_block_terminator(body->block);
  for (uint32_t i = 0; i < end->operand_count; i++) last[ten_op_operand(end, i)->number] = never;
  for (size_t i = 0; i < body->steps.count; i++) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < values; v++) {
      const ten_value *value = p->plan->values[v];
      if (last[v] == i + 1 && value->op && value->op->block == body->block && !is_dense_constant(value->op))
        list[count++] = v;
    }
    body->steps.data[i].dead = copy_numbers(p, list, count);
    body->steps.data[i].dead_count = count;
    for (uint32_t r = 0; body->steps.data[i].bodies && r < body->steps.data[i].op->region_count; r++)
      find_dead(p, &body->steps.data[i].bodies[r]);
  }
  free(last);
  free(list);
}

static ten_status *collect_value(ten_op *op, void *context) {
  simt_plan *plan = context;
  for (uint32_t i = 0; i < op->result_count; i++) plan->values[op->results[i].number] = &op->results[i];
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) plan->values[block->args[i]->number] = block->args[i];
  return NULL;
}

static ten_status *plan_function(planner *p) {
  simt_plan *plan = p->plan;
  TEN_TRY(ten_op_walk(plan->func, refuse, NULL));
  TEN_TRY(ten_op_walk(plan->func, number_op, p));
  ten_arena *arena = &plan->module->arena;
  plan->values = ten_arena_new_array(arena, const ten_value *, plan->value_count + 1);
  TEN_TRY(ten_op_walk(plan->func, collect_value, plan));
  p->stored = ten_arena_new_array(arena, bool, plan->value_count + 1);
  p->cost = ten_arena_new_array(arena, uint16_t, plan->value_count + 1);
  const ten_block *block = ten_op_body(plan->func, 0);
  for (uint32_t i = 0; i < block->arg_count; i++) store(p, block->args[i]);
  choose(p, block);
  simt_gen_init(&p->gen, plan->module, plan->value_count, p->stored);
  TEN_TRY(make_steps(p, block, &plan->body));
  find_dead(p, &plan->body);
  return NULL;
}

ten_status *simt_plan_make(const ten_module *module, const ten_op *func, bool verify_each, simt_plan *plan) {
  *plan = (simt_plan){0};
  TEN_TRY(ten_isolate(module, func, NULL, &plan->module, &plan->func));
  const ten_pipeline_options options = {.verify_each = verify_each};
  TEN_TRY(ten_pipeline_run(pipeline, plan->module, &options));
  planner p = {.plan = plan};
  ten_status *status = plan_function(&p);
  for (size_t i = 0; i < p.kernels.count; i++) free(p.kernels.data[i].text);
  ten_vec_free(&p.kernels);
  simt_gen_free(&p.gen);
  return status;
}

static void body_free(simt_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    simt_step *step = &body->steps.data[i];
    for (uint32_t r = 0; step->bodies && r < step->op->region_count; r++) body_free(&step->bodies[r]);
    free(step->bodies);
  }
  ten_vec_free(&body->steps);
}

void simt_plan_destroy(simt_plan *plan) {
  body_free(&plan->body);
  ten_vec_free(&plan->constants);
  ten_buf_free(&plan->source);
  if (plan->module) ten_module_destroy(plan->module);
  *plan = (simt_plan){0};
}
