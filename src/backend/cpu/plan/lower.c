/* lower.c: lowers a function to steps over buffers.
 * Needs: calls inlined, static shapes, StableHLO ops only, no tuples, no quantized types.  Keeps: order of effects. */
#include "backend/cpu/plan/lower.h"

#include "ir/assert.h"

#include <string.h>

uint32_t cpu_buffer_new(cpu_plan *plan, cpu_place place, const ten_type *type, size_t bytes) {
  const uint32_t number = (uint32_t)plan->buffers.count;
  ten_vec_push(
      &plan->buffers,
      (cpu_buffer){.place = place, .bytes = bytes, .type = type, .first = INT64_MAX, .last = -1, .same_as = number});
  return number;
}

uint32_t cpu_value_buffer(const cpu_plan *plan, const ten_value *value) { return plan->value_buffers[value->number]; }

uint32_t cpu_value_place(cpu_plan *plan, const ten_value *value) {
  uint32_t *buffer = &plan->value_buffers[value->number];
  if (*buffer == UINT32_MAX) *buffer = cpu_buffer_new(plan, CPU_ARENA, value->type, ten_type_bytes(value->type));
  return *buffer;
}

cpu_step *cpu_step_new(cpu_lowering *l, cpu_step_kind kind, const ten_op *op, cpu_body *body) {
  cpu_step *step = ten_arena_new(&l->plan->arena, cpu_step);
  step->kind = kind;
  step->op = op;
  step->count = step->grain = 1;
  step->symbol = UINT32_MAX;
  l->visit++;
  ten_vec_push(&body->steps, step);
  return step;
}

void cpu_step_read(cpu_step *step, uint32_t buffer) {
  ten_vec_push(&step->args, buffer);
  step->read_count++;
}

void cpu_step_write(cpu_step *step, uint32_t buffer) { ten_vec_push(&step->args, buffer); }

void cpu_copy(cpu_lowering *l, const ten_op *op, uint32_t from, uint32_t to, cpu_body *body) {
  if (from == to || !l->plan->buffers.data[to].bytes) return;
  cpu_step *step = cpu_step_new(l, CPU_COPY, op, body);
  cpu_step_read(step, from);
  cpu_step_write(step, to);
}

void cpu_collect_region(cpu_lowering *l, cpu_step *step, const ten_region *region) {
  for (const ten_block *block = region->first; block; block = block->next)
    for (const ten_op *op = block->first; op; op = op->next) {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        const ten_value *value = ten_op_operand(op, i);
        const ten_block *home = value->op ? value->op->block : value->block;
        bool inside = false;
        for (const ten_block *at = home; at && !inside; at = at->region->op ? at->region->op->block : NULL)
          inside = at->region == region;
        if (!inside) cpu_collect(l, step, value);
      }
      for (uint32_t r = 0; r < op->region_count; r++) cpu_collect_region(l, step, &op->regions[r]);
    }
}

void cpu_collect(cpu_lowering *l, cpu_step *step, const ten_value *value) {
  if (l->visited[value->number] == l->visit) return;
  l->visited[value->number] = l->visit;
  const uint32_t buffer = cpu_value_buffer(l->plan, value);
  if (buffer != UINT32_MAX) {
    cpu_step_read(step, buffer);
    ten_vec_push(&step->inputs, value);
    return;
  }
  if (!value->op) return;
  for (uint32_t i = 0; i < value->op->operand_count; i++) cpu_collect(l, step, ten_op_operand(value->op, i));
  for (uint32_t r = 0; r < value->op->region_count; r++) cpu_collect_region(l, step, &value->op->regions[r]);
}

/* Rough cost of one result element, in about nanoseconds: it determines the grain. */
static int64_t element_cost(const ten_op *op) {
  if (!op) return 1;
  const ten_type *type = op->operand_count ? ten_op_operand(op, 0)->type : NULL;
  const int64_t out = ten_type_count(op->results[0].type);
  switch (op->code) {
    case TEN_OP_REDUCE: return 1 + ten_type_count(type) / (out ? out : 1);
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION: return 1 + ten_type_count(ten_op_operand(op, 1)->type);
    case TEN_OP_REDUCE_WINDOW: return 16;
    default: return 2;
  }
}

enum { GRAIN_COST = 20000 };

void cpu_step_rows(cpu_step *step, const ten_type *type, int64_t element_cost) {
  const int64_t inner = type->rank ? type->dims[type->rank - 1] : 1;
  step->count = inner ? ten_type_count(type) / inner : 0;
  const int64_t cost = element_cost * (inner ? inner : 1);
  step->grain = cost >= GRAIN_COST ? 1 : (GRAIN_COST + cost - 1) / cost;
}

/* Whether element i of the root needs only element i of its inputs, so that one loop covers all dimensions. */
static bool is_flat(cpu_lowering *l, const ten_value *value, const ten_type *type, bool is_root) {
  if (value->type->rank == 0) return true; /* a scalar: its index is always empty */
  if (value->type->rank != type->rank || memcmp(value->type->dims, type->dims, type->rank * sizeof *type->dims))
    return false;
  if (l->visited[value->number] == l->visit) return true;
  l->visited[value->number] = l->visit;
  const ten_op *op = value->op;
  if (!op || (!is_root && cpu_value_buffer(l->plan, value) != UINT32_MAX)) return true;
  if (op->code == TEN_OP_CONSTANT) return true;
  if (op->code == TEN_OP_BROADCAST_IN_DIM && ten_op_operand(op, 0)->type->rank == 0) return true;
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_flat(l, ten_op_operand(op, i), type, false)) return false;
  return true;
}

ten_status *cpu_lower_loops(cpu_lowering *l, const ten_op *op, const ten_value *const *roots, uint32_t count,
                            cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_LOOPS, op, body);
  for (uint32_t i = 0; i < count; i++) {
    /* a root is computed even if it already has a buffer (of an op that writes into it) */
    l->visited[roots[i]->number] = l->visit;
    if (!roots[i]->op) {
      cpu_step_read(step, cpu_value_buffer(l->plan, roots[i]));
      ten_vec_push(&step->inputs, roots[i]);
      continue;
    }
    for (uint32_t k = 0; k < roots[i]->op->operand_count; k++) cpu_collect(l, step, ten_op_operand(roots[i]->op, k));
    for (uint32_t r = 0; r < roots[i]->op->region_count; r++) cpu_collect_region(l, step, &roots[i]->op->regions[r]);
  }
  for (uint32_t i = 0; i < count; i++) {
    ten_vec_push(&step->roots, roots[i]);
    cpu_step_write(step, cpu_value_place(l->plan, roots[i]));
  }
  const ten_type *type = roots[0]->type;
  cpu_step_rows(step, type, element_cost(roots[0]->op));
  step->flat = type->rank > 0;
  l->visit++;
  for (uint32_t i = 0; i < count && step->flat; i++) step->flat = is_flat(l, roots[i], type, true);
  if (roots[0]->op && roots[0]->op->code == TEN_OP_REDUCE) {
    const int64_t cost = element_cost(roots[0]->op);
    const int64_t width = cg_columns_width(roots[0]->op), last = type->rank ? type->dims[type->rank - 1] : 1;
    step->columns = width > 0;
    step->single = !width;
    step->count = width ? ten_type_count(type) / last * ((last + width - 1) / width) : ten_type_count(type);
    const int64_t unit = width ? 1 + cost * width / 4 : cost; /* vectors do about four at a time */
    step->grain = unit >= GRAIN_COST ? 1 : (GRAIN_COST + unit - 1) / unit;
  }
  if (l->row_count[roots[0]->number]) {
    step->flat = false;
    cpu_row_stages(l, step);
    cpu_step_rows(step, type, 2 + 2 * (int64_t)step->stages.count);
  }
  step->line = !step->flat && !step->single && !step->columns && !step->stages.count && step->count == 1 &&
               type->rank && type->dims[type->rank - 1] > 1;
  if (step->flat || step->line) {
    step->count = ten_type_count(type);
    step->grain = GRAIN_COST / 2;
  }
  return NULL;
}

static ten_status *lower_constant(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  (void)body;
  const ten_value *value = &op->results[0];
  const ten_attr *dense = ten_op_attr(op, "value");
  if (!dense->dense.data && ten_type_count(value->type))
    return ten_op_error(op, TEN_INVALID, "the data of this constant is missing");
  if (dense->dense.splat && ten_type_count(value->type) != 1) {
    return cpu_lower_loops(l, op, (const ten_value *const[]){value}, 1, body);
  }
  const uint32_t buffer = cpu_buffer_new(l->plan, CPU_CONSTANT, value->type, ten_type_bytes(value->type));
  l->plan->buffers.data[buffer].data = dense->dense.data;
  l->plan->value_buffers[value->number] = buffer;
  return NULL;
}

static ten_status *lower_nothing(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  (void)l, (void)op, (void)body;
  return NULL;
}

static const cpu_lower_op lowerings[TEN_OP_COUNT] = {
    [TEN_OP_CREATE_TOKEN] = lower_nothing,
    [TEN_OP_AFTER_ALL] = lower_nothing,
    [TEN_OP_TUPLE] = lower_nothing,
    [TEN_OP_WHILE] = cpu_lower_while,
    [TEN_OP_IF] = cpu_lower_case,
    [TEN_OP_CASE] = cpu_lower_case,
    [TEN_OP_SCATTER] = cpu_lower_scatter,
    [TEN_OP_SELECT_AND_SCATTER] = cpu_lower_select_and_scatter,
    [TEN_OP_CUSTOM_CALL] = cpu_lower_host,
    [TEN_OP_RNG] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_EQ] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_EQ_CONST] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_ALMOST_EQ] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_ALMOST_EQ_CONST] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_CLOSE] = cpu_lower_host,
    [TEN_OP_CHECK_EXPECT_SERIALIZED_EQ] = cpu_lower_host,
    [TEN_OP_INTERPRETER_PRINT] = cpu_lower_host,
    [TEN_OP_INTERPRETER_PROBE] = cpu_lower_host,
    [TEN_OP_INTERPRETER_RUN_PARALLEL] = cpu_lower_host,
    [TEN_OP_INFEED] = cpu_lower_host,
    [TEN_OP_OUTFEED] = cpu_lower_host,
    [TEN_OP_SEND] = cpu_lower_host,
    [TEN_OP_RECV] = cpu_lower_host,
    [TEN_OP_REPLICA_ID] = cpu_lower_host,
    [TEN_OP_PARTITION_ID] = cpu_lower_host,
    [TEN_OP_ALL_GATHER] = cpu_lower_host,
    [TEN_OP_ALL_REDUCE] = cpu_lower_host,
    [TEN_OP_REDUCE_SCATTER] = cpu_lower_host,
    [TEN_OP_ALL_TO_ALL] = cpu_lower_host,
    [TEN_OP_COLLECTIVE_BROADCAST] = cpu_lower_host,
    [TEN_OP_COLLECTIVE_REDUCE] = cpu_lower_host,
    [TEN_OP_COLLECTIVE_PERMUTE] = cpu_lower_host,
    [TEN_OP_CROSS_REPLICA_SUM] = cpu_lower_host,
};

static ten_status *lower_op(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    if (ten_type_is_tensor(type) && !ten_type_is_static(type))
      return ten_op_error(op, TEN_UNSUPPORTED,
                          "the cpu backend compiles static shapes, and the shape of this result is dynamic");
  }
  if (op->code == TEN_OP_CONSTANT) return l->in_memory[op->results[0].number] ? lower_constant(l, op, body) : NULL;
  if (ten_op_is_assert(op)) return cpu_lower_assert(l, op, body);
  const bool chosen = cpu_chosen_of(l, op) != NULL;
  if (lowerings[op->code] && !chosen) return lowerings[op->code](l, op, body);
  if (!cg_can_emit(op) && !chosen)
    return ten_op_error(op, TEN_UNSUPPORTED, "the cpu backend has no kernel for this op");
  if (!l->in_memory[op->results[0].number]) return NULL;
  if (l->alias[op->results[0].number]) {
    l->plan->value_buffers[op->results[0].number] = cpu_value_place(l->plan, ten_op_operand(op, 0));
    return NULL;
  }
  const cpu_absorbed *absorbed = l->taken[op->results[0].number];
  ten_status *status = NULL;
  if (cpu_lower_group(l, op, body, &status)) return status;
  if (cpu_lower_chosen(l, absorbed ? absorbed->op : op, &op->results[0], body, &status)) return status;
  if (op->code == TEN_OP_DYNAMIC_UPDATE_SLICE) return cpu_lower_update(l, op, body);
  const cpu_chosen *stored = cpu_chosen_if_stored(l, op);
  if (stored) return stored->choice->lower(l, op, stored->descriptor, &op->results[0], body);
  const ten_value **roots = ten_arena_new_array(&l->plan->arena, const ten_value *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) roots[i] = &op->results[i];
  return cpu_lower_loops(l, op, roots, op->result_count, body);
}

ten_status *cpu_lower_block(cpu_lowering *l, const ten_block *block, cpu_body *body) {
  cpu_choose(l, block);
  cpu_fuse(l, block);
  for (const ten_op *op = block->first; op; op = op->next)
    if (!ten_op_has(op, TEN_TRAIT_TERMINATOR)) TEN_TRY(lower_op(l, op, body));
  return NULL;
}

static ten_status *number_op(ten_op *op, void *context) {
  uint32_t *next = context;
  for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = (*next)++;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = (*next)++;
  return NULL;
}

/* Returned values are computed in place if possible; an argument, a constant, or a value returned twice is copied. */
static ten_status *lower_returns(cpu_lowering *l, const ten_op *end) {
  cpu_plan *plan = l->plan;
  plan->output_count = end->operand_count;
  plan->output_types = ten_arena_new_array(&plan->arena, const ten_type *, end->operand_count);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    plan->output_types[i] = value->type;
    if (!cpu_has_memory(value)) {
      if (value->type->kind == TEN_TYPE_TOKEN) continue;
      return ten_op_error(end, TEN_UNSUPPORTED, "the cpu backend returns tensors and tokens, not tuples");
    }
    const uint32_t buffer = cpu_value_place(plan, value);
    if (plan->buffers.data[buffer].place == CPU_ARENA) {
      plan->buffers.data[buffer].place = CPU_OUTPUT;
      plan->buffers.data[buffer].index = i;
      continue;
    }
    const uint32_t output = cpu_buffer_new(plan, CPU_OUTPUT, value->type, ten_type_bytes(value->type));
    plan->buffers.data[output].index = i;
    cpu_copy(l, end, buffer, output, &plan->body);
  }
  return NULL;
}

ten_status *cpu_lower(cpu_plan *plan) {
  plan->value_count = 0;
  TEN_TRY(ten_op_walk((ten_op *)plan->func, number_op, &plan->value_count));
  plan->value_buffers = ten_arena_new_array(&plan->arena, uint32_t, plan->value_count + 1);
  memset(plan->value_buffers, 0xff, (plan->value_count + 1) * sizeof *plan->value_buffers);
  cpu_lowering l = {.plan = plan};
  l.in_memory = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  l.alias = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  l.byte_source = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  l.viewed = ten_arena_new_array(&plan->arena, bool, plan->value_count + 1);
  l.visited = ten_arena_new_array(&plan->arena, uint32_t, plan->value_count + 1);
  l.absorbed = ten_arena_new_array(&plan->arena, cpu_absorbed *, plan->value_count + 1);
  l.row_root = ten_arena_new_array(&plan->arena, const ten_value *, plan->value_count + 1);
  l.row_count = ten_arena_new_array(&plan->arena, uint32_t, plan->value_count + 1);
  l.group = ten_arena_new_array(&plan->arena, const ten_value *, plan->value_count + 1);
  l.chosen = ten_arena_new_array(&plan->arena, const cpu_chosen *, plan->value_count + 1);
  if (plan->explain) plan->considered = ten_arena_new_array(&plan->arena, cpu_considered *, plan->value_count + 1);
  l.attention = ten_arena_new_array(&plan->arena, const ten_op *, plan->value_count + 1);
  l.taken = ten_arena_new_array(&plan->arena, cpu_absorbed *, plan->value_count + 1);
  const ten_block *block = ten_op_body(plan->func, 0);
  plan->input_count = block->arg_count;
  plan->input_types = ten_arena_new_array(&plan->arena, const ten_type *, block->arg_count + 1);
  for (uint32_t i = 0; i < block->arg_count; i++) plan->input_types[i] = block->args[i]->type;
  plan->input_bytes = ten_arena_new_array(&plan->arena, size_t, block->arg_count + 1);
  for (uint32_t i = 0; i < block->arg_count; i++)
    if (cpu_has_memory(block->args[i])) plan->input_bytes[i] = ten_type_bytes(block->args[i]->type);
  plan->updates = ten_arena_new_array(&plan->arena, uint32_t, block->arg_count + 1);
  memset(plan->updates, 0xff, (block->arg_count + 1) * sizeof *plan->updates);
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const ten_value *arg = block->args[i];
    if (!cpu_has_memory(arg)) {
      if (arg->type->kind == TEN_TYPE_TOKEN) continue;
      return ten_op_error(plan->func, TEN_UNSUPPORTED, "the cpu backend takes tensors and tokens, not tuples");
    }
    if (!ten_type_is_static(arg->type))
      return ten_op_error(plan->func, TEN_UNSUPPORTED, "the shape of argument %u is not known", i);
    const uint32_t buffer = cpu_buffer_new(plan, CPU_INPUT, arg->type, ten_type_bytes(arg->type));
    plan->buffers.data[buffer].index = i;
    plan->value_buffers[arg->number] = buffer;
  }
  TEN_TRY(cpu_lower_block(&l, block, &plan->body));
  return lower_returns(&l, ten_block_terminator(block));
}
