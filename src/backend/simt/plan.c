/* plan.c: runs passes on a function, then plans its ops as steps. It first chooses which values get buffers
 * (buffers.c). Everything else is fused into the kernels that read it. */
#include "backend/simt/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/simt/lanes.h"
#include "backend/simt/planner.h"
#include "backend/simt/row.h"
#include "ir/cost.h"
#include "transform/pass/isolate.h"
#include "transform/pass/pass.h"

static const ten_pass *const pipeline[] = {&ten_pass_tuple,    &ten_pass_chlo,
                                           &ten_pass_quantize, &ten_pass_random,
                                           &ten_pass_expand,   &ten_pass_simplify,
                                           &ten_pass_batches,  &ten_pass_simplify,
                                           &ten_pass_dce,      &ten_pass_batches,
                                           &ten_pass_simplify, &ten_pass_cse,
                                           &ten_pass_dce,      NULL};

typedef simt_planner planner;

enum { SIBLING_VALUES = 64 };

static ten_status *number_op(ten_op *op, void *context) {
  planner *p = context;
  op->data = NULL;
  op->number = p->plan->value_count; /* buffers for what its kernels hand on, or unused */
  if (op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_CONVOLUTION || op->code == TEN_OP_REDUCE)
    p->plan->value_count++;
  if (op->code == TEN_OP_SCATTER) p->plan->value_count += 2;
  for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = p->plan->value_count++;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = p->plan->value_count++;
  return NULL;
}

/* Multi-process ops are not supported. */
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

bool simt_is_dense_constant(const ten_op *op) {
  const ten_attr *dense = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  return dense && dense->dense.data && !dense->dense.splat && ten_type_count(dense->dense.type) != 1;
}

bool simt_is_kernel_op(const ten_op *op) {
  return op->code == TEN_OP_SCATTER ? op->result_count <= 8 && simt_can_emit_regions(op) : simt_can_emit(op);
}

static const uint32_t *copy_numbers(planner *p, const uint32_t *numbers, uint32_t count) {
  return ten_arena_copy(&p->plan->module->arena, numbers, count * sizeof *numbers);
}

/* The kernel's number: that of an identical kernel, or the next. */
static uint32_t kernel_number(planner *p, const ten_buf *signature, bool grouped) {
  ten_buf text = {0};
  ten_buf_printf(&text, "%s\n    const i64 n) {\n%.*s  START;\n  for (%s i = %s; i < n; i += %s) {\n", signature->data,
                 (int)p->gen.locals.size, p->gen.locals.size ? p->gen.locals.data : "", simt_wide_type(&p->gen),
                 grouped ? "BLOCK" : "THREAD", grouped ? "BLOCKS" : "THREADS");
  ten_buf_add(&text, p->gen.text.data ? p->gen.text.data : "", p->gen.text.size);
  ten_buf_adds(&text, "  }\n}\n");
  for (size_t i = 0; i < p->kernels.count; i++)
    if (!strcmp(p->kernels.data[i].text, text.data)) {
      ten_buf_free(&text);
      return p->kernels.data[i].number;
    }
  const uint32_t number = p->plan->kernel_count++;
  ten_vec_push(&p->plan->starts, p->plan->source.size);
  ten_buf_adds(&p->plan->source, "\nKERNEL ");
  if (grouped && p->gen.group)
    ten_buf_printf(&p->plan->source, "GROUPED_OF(%d, %d) ", p->gen.group, p->gen.resident);
  else if (grouped && p->gen.resident)
    ten_buf_printf(&p->plan->source, "GROUPED_BY(%d) ", p->gen.resident);
  else if (grouped)
    ten_buf_adds(&p->plan->source, "GROUPED ");
  ten_buf_printf(&p->plan->source, "void k%u(%s", number, text.data);
  ten_vec_reserve(&p->kernels, p->kernels.count + 1);
  p->kernels.data[p->kernels.count].text = ten_buf_take(&text);
  p->kernels.data[p->kernels.count++].number = number;
  return number;
}

void simt_finish_kernel(planner *p, simt_body *body, simt_step step, const ten_value *const *outputs,
                        uint32_t output_count) {
  simt_gen *gen = &p->gen;
  simt_kernel_end(gen);
  ten_buf signature = {0};
  uint32_t *reads = ten_arena_new_array(&p->plan->module->arena, uint32_t, gen->reads.count + 1),
           *writes = ten_arena_new_array(&p->plan->module->arena, uint32_t, output_count + 1);
  for (size_t i = 0; i < gen->reads.count; i++) {
    reads[i] = p->home[gen->reads.data[i]->number];
    ten_buf_printf(&signature, "GLOBAL const %s *RESTRICT p%zu, ", simt_memory_type(gen->reads.data[i]->type->dtype),
                   i);
  }
  for (uint32_t i = 0; i < output_count; i++) {
    writes[i] = p->home[outputs[i]->number];
    ten_buf_printf(&signature, "GLOBAL %s *RESTRICT q%u, ", simt_memory_type(outputs[i]->type->dtype), i);
  }
  for (uint32_t i = 0; i < gen->map_count; i++) ten_buf_printf(&signature, "MAP m%u, ", i);
  step.maps = ten_arena_copy(&p->plan->module->arena, gen->maps, gen->map_count * sizeof *gen->maps);
  step.map_count = gen->map_count;
  step.kernel = kernel_number(p, &signature, step.grouped);
  step.group = gen->group ? gen->group : SIMT_GROUP;
  step.threads = step.count * (step.grouped ? step.group : 1);
  step.reads = reads;
  step.read_count = (uint32_t)gen->reads.count;
  step.writes = writes;
  step.write_count = output_count;
  ten_vec_push(&body->steps, step);
  ten_buf_free(&signature);
}

simt_ix simt_begin_kernel(planner *p) {
  simt_kernel_begin(&p->gen);
  return simt_index_of(simt_define(&p->gen, simt_index_type(&p->gen), "i"));
}

ten_value *simt_partial_of(planner *p, const ten_op *op, uint32_t which, ten_dtype dtype, int64_t size) {
  ten_value *value = ten_arena_new(&p->plan->module->arena, ten_value);
  *value = (ten_value){.type = ten_type_tensor(p->plan->module, dtype, 1, &size),
                       .op = (ten_op *)(uintptr_t)op,
                       .number = op->number + which};
  p->plan->values[value->number] = value;
  p->stored[value->number] = true;
  return value;
}

static bool any_stored(const planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (p->stored[op->results[i].number] && !p->is_home[op->results[i].number]) return true;
  return false;
}

/* A thread for each element. */
static void emit_elements(planner *p, simt_body *body, const ten_op *op, const ten_value *const *outputs,
                          uint32_t count) {
  simt_gen *gen = &p->gen;
  const ten_type *type = op->results[0].type;
  const simt_ix thread = simt_begin_kernel(p);
  simt_ix *index = simt_indices(gen, type->rank);
  simt_unplace(gen, outputs[0], thread, index);
  for (uint32_t i = 0; i < count; i++) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "q%u", i);
    p->stored[outputs[i]->number] = false; /* computed in this kernel */
    const simt_val element = simt_element(gen, outputs[i], index);
    p->stored[outputs[i]->number] = true;
    simt_store(gen, outputs[i]->type->dtype, pointer, thread, element);
  }
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(type)}, outputs,
                     count);
}

/* Whether all buffers that the value is computed from are written before the op numbered `number`. */
static bool is_ready(const planner *p, const ten_value *value, uint32_t number, uint32_t *left) {
  const ten_op *op = value->op;
  if (!op) return true;
  if (!*left) return false;
  --*left;
  if (p->stored[value->number]) {
    const simt_fusion *fusion = op->data;
    return op->number < number && !p->is_home[value->number] && (!fusion || fusion->last->number < number);
  }
  if (op->region_count) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_ready(p, ten_op_operand(op, i), number, left)) return false;
  return true;
}

static bool same_order(const planner *p, const ten_value *x, const ten_value *y) {
  const uint8_t *a = p->orders[x->number], *b = p->orders[y->number];
  return a && b ? x->type->rank == y->type->rank && !memcmp(a, b, x->type->rank) : a == b;
}

/* Reductions of the same form further on, of what is there already, whose results lie in memory alike. */
static void add_siblings(planner *p, simt_row *row) {
  for (const ten_op *op = row->ops[0]->next; op; op = op->next) {
    uint32_t left = SIBLING_VALUES;
    if (op->code != TEN_OP_REDUCE || op->data || op->result_count != 1 || !any_stored(p, op) ||
        !same_order(p, &op->results[0], &row->ops[0]->results[0]) ||
        !is_ready(p, ten_op_operand(op, 0), row->ops[0]->number, &left) ||
        !is_ready(p, ten_op_operand(op, 1), row->ops[0]->number, &left))
      continue;
    if (simt_row_add(row, op)) p->emitted[op->results[0].number] = true;
  }
}

/* The kernel of reductions; where rows are cut into pieces, one more that combines these. */
static void emit_row(planner *p, simt_body *body, simt_row *row) {
  const ten_op *op = row->ops[0];
  const ten_value *outputs[SIMT_ROW_OPS_MOST], *partial[SIMT_ROW_OPS_MOST];
  add_siblings(p, row);
  simt_row_choose_lanes(&p->gen, row);
  const bool wide = simt_row_emit(&p->gen, row, simt_begin_kernel(p));
  if (!wide) {
    simt_kernel_end(&p->gen);
    simt_row_choose_one(row);
    simt_row_emit(&p->gen, row, simt_begin_kernel(p));
  }
  for (uint32_t i = 0; i < row->op_count; i++) {
    outputs[i] = &row->ops[i]->results[0];
    if (row->splits == 1) continue;
    const ten_dtype work = ten_op_body(row->ops[i], 0)->args[0]->type->dtype;
    partial[i] = row->partial[i] = simt_partial_of(p, row->ops[i], 0, work, row->splits * row->rows);
  }
  simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = row->groups, .grouped = true},
                     row->splits > 1 ? partial : outputs, row->op_count);
  if (row->splits == 1) return;
  simt_row_emit_sum(&p->gen, row, simt_begin_kernel(p));
  simt_finish_kernel(p, body,
                     (simt_step){.kind = SIMT_KERNEL, .op = op, .count = simt_row_sum_groups(row), .grouped = true},
                     outputs, row->op_count);
}

static void emit_kernel(planner *p, simt_body *body, const ten_op *op) {
  const ten_value *outputs[8] = {0};
  uint32_t count = 0;
  simt_gen *gen = &p->gen;
  const ten_type *type = op->results[0].type;
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (!p->stored[op->results[i].number]) continue;
    if (count == sizeof outputs / sizeof *outputs) {
      simt_fail(gen, ten_op_error(op, TEN_LIMIT, "%u results; 8 are the most on this device", op->result_count));
      return;
    }
    outputs[count++] = &op->results[i];
  }
  simt_row row;
  if (simt_row_choose(gen, op, &row)) {
    emit_row(p, body, &row);
    return;
  }
  const simt_ix thread = simt_begin_kernel(p);
  const int64_t width = simt_copy_width(gen, outputs[0]);
  if (width > 1) {
    ten_value *copy = ten_op_result(op, 0);
    simt_emit_copy(gen, copy, width, thread, &p->stored[copy->number]);
    simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(type) / width},
                       outputs, 1);
    return;
  }
  const int64_t lanes = simt_lanes_of(gen, outputs, count);
  if (lanes > 1 && simt_emit_lanes(gen, p->stored, outputs, count, lanes, thread)) {
    simt_finish_kernel(p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(type) / lanes},
                       outputs, count);
    return;
  }
  emit_elements(p, body, op, outputs, count);
}

static void emit_rows(planner *p, simt_body *body, const simt_fusion *fusion) {
  simt_rows rows = fusion->rows;
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = false;
  simt_rows_choose_lanes(&p->gen, &rows, fusion->outputs, fusion->output_count);
  if (!simt_rows_emit(&p->gen, &rows, simt_begin_kernel(p), fusion->outputs, fusion->output_count)) {
    simt_kernel_end(&p->gen);
    rows.lanes = 1;
    simt_rows_emit(&p->gen, &rows, simt_begin_kernel(p), fusion->outputs, fusion->output_count);
  }
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = true;
  simt_finish_kernel(
      p, body, (simt_step){.kind = SIMT_KERNEL, .op = fusion->op, .count = simt_rows_groups(&rows), .grouped = true},
      fusion->outputs, fusion->output_count);
}

static void emit_attention(planner *p, simt_body *body, const simt_fusion *fusion) {
  const simt_attention *a = fusion->attention;
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = false;
  simt_attention_emit(&p->gen, a, simt_begin_kernel(p), fusion->outputs, fusion->output_count);
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = true;
  simt_finish_kernel(p, body,
                     (simt_step){.kind = SIMT_KERNEL,
                                 .op = fusion->op,
                                 .count = simt_attention_groups(a),
                                 .grouped = true,
                                 .shared = simt_attention_shared(a)},
                     fusion->outputs, fusion->output_count);
}

/* One of the two kernels of a gradient. */
static void emit_attention_half(planner *p, simt_body *body, const simt_fusion *fusion, bool by_keys) {
  const simt_attention_grad *g = fusion->gradient;
  const ten_value *outputs[2 * SIMT_OUTPUTS_MOST + 1];
  uint32_t count = 0;
  for (uint32_t which = by_keys ? SIMT_OF_KEYS : SIMT_OF_QUERIES; which <= (by_keys ? SIMT_OF_VALUES : SIMT_OF_QUERIES);
       which++)
    for (uint32_t i = 0; i < g->of[which].output_count; i++) outputs[count++] = g->of[which].outputs[i];
  for (uint32_t i = 0; i < count; i++) p->stored[outputs[i]->number] = false;
  simt_attention_grad_emit(&p->gen, g, by_keys, simt_begin_kernel(p));
  for (uint32_t i = 0; i < count; i++) p->stored[outputs[i]->number] = true;
  if (!by_keys) outputs[count++] = g->rows;
  simt_finish_kernel(p, body,
                     (simt_step){.kind = SIMT_KERNEL,
                                 .op = fusion->op,
                                 .count = simt_attention_grad_groups(g, by_keys),
                                 .grouped = true,
                                 .shared = simt_attention_grad_shared(&p->gen, g, by_keys)},
                     outputs, count);
}

static void emit_attention_grad(planner *p, simt_body *body, const simt_fusion *fusion) {
  simt_attention_grad *g = fusion->gradient;
  const simt_contraction *s = &g->forward.scores;
  g->rows = simt_partial_of(p, s->op, 0, TEN_F32, 3 * s->batch * s->rows);
  emit_attention_half(p, body, fusion, false);
  emit_attention_half(p, body, fusion, true);
}

/* The kernel of a contraction with what is fused to it; where its depth is cut into pieces, one more that sums up. */
static void emit_fusion(planner *p, simt_body *body, const simt_fusion *fusion) {
  const ten_op *op = fusion->op;
  simt_tile tile;
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = false;
  if (!simt_tile_choose(&p->gen, op, &tile)) {
    simt_fail(&p->gen, ten_op_error(op, TEN_INTERNAL, "not for tiles any more"));
    return;
  }
  if (tile.splits > 1)
    tile.partial = simt_partial_of(p, op, 0, TEN_F32, tile.splits * ten_type_count(op->results[0].type));
  const ten_value *partial[] = {tile.partial};
  simt_tile_emit(&p->gen, &tile, simt_begin_kernel(p), fusion->outputs, fusion->output_count);
  simt_finish_kernel(
      p, body, (simt_step){.kind = SIMT_KERNEL, .op = op, .count = tile.groups, .grouped = true, .shared = tile.shared},
      tile.partial ? partial : fusion->outputs, tile.partial ? 1 : fusion->output_count);
  if (tile.partial) {
    simt_tile_emit_sum(&p->gen, &tile, simt_begin_kernel(p), fusion->outputs, fusion->output_count);
    simt_finish_kernel(p, body,
                       (simt_step){.kind = SIMT_KERNEL, .op = op, .count = ten_type_count(op->results[0].type)},
                       fusion->outputs, fusion->output_count);
  }
  for (uint32_t i = 0; i < fusion->output_count; i++) p->stored[fusion->outputs[i]->number] = true;
}

static void emit_fused(planner *p, simt_body *body, const simt_fusion *fusion) {
  if (fusion->gradient)
    emit_attention_grad(p, body, fusion);
  else if (fusion->attention)
    emit_attention(p, body, fusion);
  else
    (fusion->rows.reduce_count ? emit_rows : emit_fusion)(p, body, fusion);
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
  if (op->code != TEN_OP_WHILE || !ten_loop_trips(op, &body->steps.data[at].trips)) body->steps.data[at].trips = -1;
  for (uint32_t r = 0; r < op->region_count; r++) TEN_TRY(make_steps(p, ten_op_body(op, r), &bodies[r]));
  return NULL;
}

static ten_status *make_steps(planner *p, const ten_block *block, simt_body *body) {
  body->block = block;
  for (const ten_op *op = block->first; op && !p->gen.error; op = op->next) {
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) break;
    if (simt_is_control(op)) {
      TEN_TRY(emit_control(p, body, op));
    } else if (simt_is_dense_constant(op)) {
      const uint32_t number = op->results[0].number;
      const simt_constant_data constant = {number, ten_op_attr(op, "value"), p->orders[number]};
      if (p->stored[constant.number]) ten_vec_push(&p->plan->constants, constant);
    } else if (!simt_is_kernel_op(op)) {
      emit_other(p, body, op, SIMT_HOST);
      p->plan->host_steps++;
    } else if (op->data) {
      const simt_fusion *fusion = op->data;
      if (fusion->last == op) emit_fused(p, body, fusion);
    } else if (any_stored(p, op) && !p->emitted[op->results[0].number]) {
      if (op->code == TEN_OP_SCATTER)
        simt_emit_scatter(p, body, op);
      else
        emit_kernel(p, body, op);
    }
  }
  ten_status *error = p->gen.error;
  p->gen.error = NULL; /* moved to the caller */
  return error;
}

/* Marks the values that a step reads (for control flow, all inside) with the step's number in `last`. */
void simt_mark_reads(const simt_step *step, uint32_t *last, uint32_t number) {
  for (uint32_t i = 0; i < step->read_count; i++) last[step->reads[i]] = number;
  for (uint32_t r = 0; step->bodies && r < step->op->region_count; r++) {
    const simt_body *body = &step->bodies[r];
    for (size_t i = 0; i < body->steps.count; i++) simt_mark_reads(&body->steps.data[i], last, number);
    const ten_op *end = ten_block_terminator(body->block);
    for (uint32_t i = 0; i < end->operand_count; i++) last[ten_op_operand(end, i)->number] = number;
  }
}

/* After each step of a body: buffers defined in the body that neither a later step nor its terminator reads. */
static void find_dead(planner *p, simt_body *body) {
  const uint32_t values = p->plan->value_count, never = UINT32_MAX;
  uint32_t *last = ten_alloc((values + 1) * sizeof *last), *list = ten_alloc((values + 1) * sizeof *list);
  memset(last, 0, (values + 1) * sizeof *last);
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    for (uint32_t k = 0; k < step->write_count; k++) last[step->writes[k]] = (uint32_t)i + 1;
    simt_mark_reads(step, last, (uint32_t)i + 1);
  }
  bool *hoisted = ten_alloc((values + 1) * sizeof *hoisted);
  memset(hoisted, 0, (values + 1) * sizeof *hoisted);
  for (size_t i = 0; i < body->steps.count; i++)
    for (uint32_t k = 0; body->steps.data[i].hoisted && k < body->steps.data[i].write_count; k++)
      hoisted[body->steps.data[i].writes[k]] = true;
  const ten_op *end = ten_block_terminator(body->block);
  for (uint32_t i = 0; i < end->operand_count; i++) last[ten_op_operand(end, i)->number] = never;
  for (size_t i = 0; i < body->steps.count; i++) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < values; v++) {
      const ten_value *value = p->plan->values[v];
      if (last[v] == i + 1 && value->op && value->op->block == body->block && !simt_is_dense_constant(value->op) &&
          !hoisted[v])
        list[count++] = v;
    }
    body->steps.data[i].dead = copy_numbers(p, list, count);
    body->steps.data[i].dead_count = count;
    for (uint32_t r = 0; body->steps.data[i].bodies && r < body->steps.data[i].op->region_count; r++)
      find_dead(p, &body->steps.data[i].bodies[r]);
  }
  free(last);
  free(list);
  free(hoisted);
}

/* Steps that read only constants, or results of such steps. */
static void hoist(planner *p) {
  bool *known = ten_alloc((p->plan->value_count + 1) * sizeof *known);
  memset(known, 0, (p->plan->value_count + 1) * sizeof *known);
  for (size_t i = 0; i < p->plan->constants.count; i++) known[p->plan->constants.data[i].number] = true;
  for (size_t i = 0; i < p->plan->body.steps.count; i++) {
    simt_step *step = &p->plan->body.steps.data[i];
    step->hoisted = step->kind == SIMT_KERNEL;
    for (uint32_t k = 0; k < step->read_count; k++) step->hoisted = step->hoisted && known[step->reads[k]];
    const bool updated = i + 1 < p->plan->body.steps.count && step[1].kind == SIMT_SCATTER;
    step->hoisted = step->hoisted && !updated;
    for (uint32_t k = 0; step->hoisted && k < step->write_count; k++) known[step->writes[k]] = true;
  }
  free(known);
}

static ten_status *check_size(ten_op *op, void *context) {
  bool *narrow = context;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_is_tensor(op->results[i].type) && ten_type_is_static(op->results[i].type) &&
        ten_type_count(op->results[i].type) >= SIMT_NARROW_MOST)
      *narrow = false;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++)
        if (ten_type_is_tensor(block->args[i]->type) && ten_type_is_static(block->args[i]->type) &&
            ten_type_count(block->args[i]->type) >= SIMT_NARROW_MOST)
          *narrow = false;
  return NULL;
}

static ten_status *collect_value(ten_op *op, void *context) {
  simt_plan *plan = context;
  for (uint32_t i = 0; i < op->result_count; i++) plan->values[op->results[i].number] = &op->results[i];
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++) plan->values[block->args[i]->number] = block->args[i];
  return NULL;
}

static ten_status *plan_function(planner *p, const simt_plan_options *options) {
  simt_plan *plan = p->plan;
  TEN_TRY(ten_op_walk(plan->func, refuse, NULL));
  simt_copy_operands(plan, options);
  TEN_TRY(ten_op_walk(plan->func, number_op, p));
  ten_arena *arena = &plan->module->arena;
  plan->values = ten_arena_new_array(arena, const ten_value *, plan->value_count + 1);
  TEN_TRY(ten_op_walk(plan->func, collect_value, plan));
  p->stored = ten_arena_new_array(arena, bool, plan->value_count + 1);
  p->cost = ten_arena_new_array(arena, uint16_t, plan->value_count + 1);
  p->constant = ten_arena_new_array(arena, bool, plan->value_count + 1);
  p->orders = ten_arena_new_array(arena, const uint8_t *, plan->value_count + 1);
  p->home = ten_arena_new_array(arena, uint32_t, plan->value_count + 1);
  p->is_home = ten_arena_new_array(arena, bool, plan->value_count + 1);
  p->emitted = ten_arena_new_array(arena, bool, plan->value_count + 1);
  const ten_block *block = ten_op_body(plan->func, 0);
  for (uint32_t i = 0; i < block->arg_count; i++) simt_give_buffer(p, block->args[i]);
  simt_gen_init(&p->gen, plan->module, plan->value_count, p->stored);
  p->gen.orders = p->orders;
  p->gen.language = options->language;
  p->gen.arch = options->arch;
  p->gen.tf32 = options->tf32;
  p->gen.narrow = true;
  TEN_TRY(ten_op_walk(plan->func, check_size, &p->gen.narrow));
  if (!p->gen.narrow && p->gen.language == SIMT_WGSL)
    return ten_error(TEN_UNSUPPORTED, "a tensor has %d elements or more, which indices of this device do not count",
                     SIMT_NARROW_MOST);
  simt_fuse(p, block);
  simt_choose_buffers(p, block);
  simt_choose_orders(p, block);
  simt_find_aliases(p, block);
  TEN_TRY(make_steps(p, block, &plan->body));
  hoist(p);
  simt_merge_steps(p);
  find_dead(p, &plan->body);
  return NULL;
}

ten_status *simt_plan_make(const ten_module *module, const ten_op *func, const simt_plan_options *options,
                           simt_plan *plan) {
  *plan = (simt_plan){0};
  TEN_TRY(ten_isolate(module, func, NULL, &plan->module, &plan->func));
  const ten_pipeline_options passes = {.verify_each = options->verify_each};
  TEN_TRY(ten_pipeline_run(pipeline, plan->module, &passes));
  planner p = {.plan = plan};
  ten_status *status = plan_function(&p, options);
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
  ten_vec_free(&plan->starts);
  if (plan->module) ten_module_destroy(plan->module);
  *plan = (simt_plan){0};
}
