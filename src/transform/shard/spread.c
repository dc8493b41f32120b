/* spread.c: programs with shardings on several devices. Without manual computations, each device works on tiles
 * (partition.c). Otherwise, outside of them every device computes on whole tensors, and they are expanded: each
 * operand becomes the device's tile of it, each result is gathered from all tiles. If such an operand is an argument,
 * or such a result is returned, with the same tiling, the tile is passed directly. Needs: verified IR.  Keeps: values,
 * locations. */
#include "transform/shard/spread.h"

#include <stdlib.h>
#include <string.h>

#include "ir/builder.h"
#include "ir/verify/verify.h"
#include "transform/pass/pass.h"
#include "transform/shard/partition.h"

typedef struct spreading {
  ten_module *module;
  ten_op *func;
  ten_spread *out;
  const ten_partitioner *partitioner; /* may be NULL */
  int64_t channel;
  int budget; /* visited values while a result's sharding is inferred */
} spreading;

void ten_spread_free(ten_spread *spread) {
  for (uint32_t i = 0; spread->inputs && i < spread->input_count; i++) ten_tiling_free(&spread->inputs[i].tiling);
  for (uint32_t i = 0; spread->outputs && i < spread->output_count; i++) ten_tiling_free(&spread->outputs[i].tiling);
  free(spread->inputs);
  free(spread->outputs);
  *spread = (ten_spread){0};
}

static uint32_t rank_of(const ten_type *type) { return ten_type_is_tensor(type) ? type->rank : 0; }

/* A tiling from any sharding attribute; false: there is none. */
static ten_status *read_tiling(const spreading *s, const ten_attr *sdy, const ten_attr *hlo, const ten_type *type,
                               ten_tiling *out, bool *found) {
  *found = true;
  if (sdy && sdy->kind == TEN_ATTR_OPAQUE)
    return ten_tiling_of_sdy(s->module, sdy->string, (ten_str){0}, rank_of(type), s->out->devices, out);
  if (hlo && hlo->kind == TEN_ATTR_STRING) return ten_tiling_of_hlo(hlo->string, rank_of(type), s->out->devices, out);
  *found = false;
  ten_tiling_whole(rank_of(type), s->out->devices, out);
  return NULL;
}

static ten_status *nth_sharding(const spreading *s, const ten_op *op, const char *name, uint32_t index,
                                const ten_type *whole, bool manual_only, ten_tiling *out) {
  *out = (ten_tiling){0};
  const ten_attr *list = ten_op_attr(op, name), *axes = ten_op_attr(op, "manual_axes");
  ten_str rest = list && list->kind == TEN_ATTR_OPAQUE ? list->string : (ten_str){0}, text = {0},
          only = axes && axes->kind == TEN_ATTR_OPAQUE ? axes->string : (ten_str){0};
  for (uint32_t i = 0; i <= index; i++)
    if (!ten_tiling_next_sdy(&rest, &text)) return ten_op_error(op, TEN_INVALID, "%s has too few entries", name);
  while (only.size && *only.data != '{') only.data++, only.size--;
  return ten_tiling_of_sdy(s->module, text, manual_only ? only : (ten_str){0}, rank_of(whole), s->out->devices, out);
}

static bool is_call_to(const ten_op *op, const char *target) {
  return op && op->code == TEN_OP_CUSTOM_CALL &&
         ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), target);
}

static bool is_manual(const ten_op *op) { return op && ten_str_is(op->name, "sdy.manual_computation"); }

static ten_status *search(spreading *s, const ten_value *value, ten_tiling *out, bool *found);

/* A result of a call with user-defined partitioning. */
static ten_status *search_call(spreading *s, const ten_value *value, ten_tiling *out, bool *found) {
  const ten_op *op = value->op;
  ten_partition_call call;
  ten_partition_call_create(op, s->out->devices, &call);
  const ten_tiling **wanted = ten_alloc((op->result_count + 1) * sizeof *wanted);
  for (uint32_t i = 0; i < op->result_count; i++) wanted[i] = NULL;
  ten_status *status = NULL;
  bool ignored;
  for (uint32_t i = 0; i < op->operand_count && !status; i++) {
    ten_tiling_free(&call.operands[i]);
    status = search(s, ten_op_operand(op, i), &call.operands[i], &ignored);
  }
  if (!status) status = ten_partition_call_choose(s->partitioner, &call, wanted);
  if (!status) {
    ten_tiling_free(out);
    ten_tiling_copy(&call.results[value->index], out);
    *found = !ten_tiling_is_whole(out);
  }
  free(wanted);
  ten_partition_call_destroy(&call);
  return status;
}

/* A result without sharding inherits it from its operands, through ops that preserve positions. Free `out` after an
 * error, too. */
static ten_status *search(spreading *s, const ten_value *value, ten_tiling *out, bool *found) {
  *found = false;
  ten_tiling_whole(rank_of(value->type), s->out->devices, out);
  if (--s->budget < 0) return NULL;
  const ten_op *op = value->op;
  if (!op) {
    if (value->block != ten_op_body(s->func, 0)) return NULL;
    ten_tiling_free(out);
    ten_tiling_copy(&s->out->inputs[value->index].tiling, out);
    *found = !ten_tiling_is_whole(out);
    return NULL;
  }
  if (is_manual(op)) {
    ten_tiling_free(out);
    *found = true;
    TEN_TRY(nth_sharding(s, op, "out_shardings", value->index, value->type, false, out));
    return ten_tiling_drop_parts(out), NULL;
  }
  const ten_attr *sdy = ten_op_attr(op, "sharding"), *hlo = ten_op_attr(op, "mhlo.sharding");
  if ((ten_str_starts(op->name, "sdy.") && sdy) || (op->code == TEN_OP_CUSTOM_CALL && hlo)) {
    ten_tiling_free(out);
    TEN_TRY(read_tiling(s, sdy, hlo, value->type, out, found));
    return ten_tiling_drop_parts(out), NULL;
  }
  if (ten_is_partitioned_call(s->partitioner, op)) return search_call(s, value, out, found);
  if (op->code == TEN_OP_TRANSPOSE) {
    ten_tiling inner;
    ten_status *status = search(s, ten_op_operand(op, 0), &inner, found);
    const ten_ints permutation = ten_op_ints(op, "permutation");
    for (uint32_t i = 0; !status && *found && i < out->rank; i++) {
      const uint32_t from = (uint32_t)permutation.data[i];
      out->tiles[i] = inner.tiles[from];
      for (uint32_t d = 0; d < out->devices; d++) out->place[d * out->rank + i] = inner.place[d * out->rank + from];
    }
    ten_tiling_free(&inner);
    return status;
  }
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE)) return NULL;
  for (uint32_t i = 0; i < op->operand_count && !*found; i++) {
    const ten_value *operand = ten_op_operand(op, i);
    if (rank_of(operand->type) != out->rank || ten_value_constant(operand)) continue;
    ten_tiling_free(out);
    TEN_TRY(search(s, operand, out, found));
  }
  return NULL;
}

static ten_status *describe(spreading *s) {
  ten_spread *out = s->out;
  const ten_type *type = ten_func_type(s->func);
  const ten_op *end = ten_block_terminator(ten_op_body(s->func, 0));
  out->inputs = ten_alloc((type->input_count + 1) * sizeof *out->inputs);
  memset(out->inputs, 0, (type->input_count + 1) * sizeof *out->inputs);
  out->outputs = ten_alloc((type->result_count + 1) * sizeof *out->outputs);
  memset(out->outputs, 0, (type->result_count + 1) * sizeof *out->outputs);
  int64_t local[TEN_RANK_MAX];
  bool found;
  out->input_count = type->input_count; /* what is not read yet is zero: nothing to free */
  out->output_count = type->result_count;
  for (uint32_t i = 0; i < type->input_count; i++) {
    ten_tiling *tiling = &out->inputs[i].tiling;
    TEN_TRY(read_tiling(s, ten_func_arg_attr(s->func, i, "sdy.sharding"),
                        ten_func_arg_attr(s->func, i, "mhlo.sharding"), type->inputs[i], tiling, &found));
    if (!ten_tiling_local(tiling, type->inputs[i]->dims, local))
      return ten_op_error(s->func, TEN_UNSUPPORTED, "argument %u is not cut into even tiles", i);
  }
  for (uint32_t i = 0; i < type->result_count; i++) {
    ten_tiling *tiling = &out->outputs[i].tiling;
    TEN_TRY(read_tiling(s, ten_func_result_attr(s->func, i, "sdy.sharding"),
                        ten_func_result_attr(s->func, i, "mhlo.sharding"), type->results[i], tiling, &found));
    if (!found && ten_type_is_tensor(type->results[i])) {
      ten_tiling_free(tiling);
      s->budget = 2000;
      TEN_TRY(search(s, ten_op_operand(end, i), tiling, &found));
    }
    if (ten_tiling_local(tiling, type->results[i]->dims, local)) continue;
    ten_tiling_free(tiling);
    ten_tiling_whole(rank_of(type->results[i]), out->devices, tiling);
  }
  return NULL;
}

/* All-reduces the summands of a tile. */
static ten_value *sum_up(ten_builder *b, ten_value *x, const ten_tiling *tiling, int64_t *channel) {
  if (tiling->parts == 1) return x;
  ten_tiling parts;
  ten_tiling_whole(1, tiling->devices, &parts);
  parts.tiles[0] = tiling->parts;
  memcpy(parts.place, tiling->part, tiling->devices * sizeof *parts.place);
  ten_value *sum = ten_build_sum(b, x, tiling, &parts, TEN_OP_ADD, channel);
  ten_tiling_free(&parts);
  return sum ? sum : x; /* axes of a mesh always form even groups */
}

/* A device's summand of an unreduced tile: all of it on the first device, else zeros. */
static ten_value *take_apart(ten_builder *b, ten_value *x, const ten_tiling *tiling) {
  if (tiling->parts == 1) return x;
  const ten_type *id = ten_type_tensor(b->module, TEN_UI32, 0, NULL);
  ten_value *self = ten_op_result(ten_build_op(b, TEN_OP_PARTITION_ID, 0, NULL, 1, &id, 0, NULL, 0), 0);
  int64_t *table = ten_alloc(tiling->devices * sizeof *table);
  for (uint32_t d = 0; d < tiling->devices; d++) table[d] = tiling->part[d];
  const int64_t one = 1;
  self = ten_build_convert(b, self, TEN_I64);
  ten_value *part = ten_build_dynamic_slice(b, ten_build_i64s(b, tiling->devices, table), &self, &one);
  free(table);
  part = ten_build_reshape(b, part, 0, NULL);
  ten_value *is_first = ten_build_compare(b, TEN_EQ, part, ten_build_scalar_int(b, TEN_I64, 0));
  return ten_build_select(b, is_first, x, ten_build_splat(b, x->type, 0));
}

/* An argument of the program without other readers can be passed as its tile. */
static bool take_tile(const spreading *s, ten_value *value, const ten_type *tile, const ten_tiling *tiling) {
  if (value->op || value->block != ten_op_body(s->func, 0) || !ten_value_used_once(value)) return false;
  ten_spread_value *input = &s->out->inputs[value->index];
  if (!ten_tiling_equal(&input->tiling, tiling)) return false;
  input->local = true;
  value->type = tile;
  return true;
}

static bool give_tile(const spreading *s, ten_value *whole, ten_value *tile, const ten_tiling *tiling) {
  if (!ten_value_used_once(whole) || whole->uses->owner != ten_block_terminator(ten_op_body(s->func, 0))) return false;
  ten_spread_value *output = &s->out->outputs[whole->uses->index];
  if (!ten_tiling_equal(&output->tiling, tiling)) return false;
  output->local = true;
  ten_value_replace(whole, tile);
  return true;
}

static ten_status *enter(spreading *s, ten_op *op, ten_value *operand, const ten_type *tile, const ten_tiling *tiling,
                         ten_value **out) {
  int64_t sizes[TEN_RANK_MAX];
  *out = operand;
  if (!ten_type_is_tensor(tile)) return NULL;
  if (!ten_tiling_local(tiling, operand->type->dims, sizes) ||
      memcmp(sizes, tile->dims, tile->rank * sizeof *sizes) != 0)
    return ten_op_error(op, TEN_UNSUPPORTED, "does not cut an operand as its sharding says");
  const bool as_it_is = ten_tiling_is_whole(tiling) && tiling->parts == 1;
  if (as_it_is || take_tile(s, operand, tile, tiling)) return NULL;
  ten_builder b = {.module = s->module, .block = op->block, .before = op, .loc = op->loc};
  *out = take_apart(&b, ten_build_tile(&b, operand, tiling), tiling);
  return NULL;
}

static void leave(spreading *s, ten_op *op, ten_value *whole, ten_value *tile, const ten_tiling *tiling) {
  if ((!ten_tiling_is_whole(tiling) || tiling->parts > 1) && give_tile(s, whole, tile, tiling)) return;
  ten_builder b = {.module = s->module, .block = op->block, .before = op, .loc = op->loc};
  if (ten_type_is_tensor(tile->type))
    tile = ten_build_whole(&b, sum_up(&b, tile, tiling, &s->channel), tiling, &s->channel);
  ten_value_replace(whole, tile);
}

static ten_status *open_manual(spreading *s, ten_op *op) {
  ten_block *body = ten_op_body(op, 0);
  ten_op *end = body ? ten_block_terminator(body) : NULL;
  if (!end || body->arg_count != op->operand_count || end->operand_count != op->result_count)
    return ten_op_error(op, TEN_INVALID, "has a body that does not fit its operands and results");
  ten_tiling tiling;
  for (uint32_t i = 0; i < body->arg_count; i++) {
    ten_value *operand = ten_op_operand(op, i), *tile;
    TEN_TRY(nth_sharding(s, op, "in_shardings", i, operand->type, true, &tiling));
    ten_status *status = enter(s, op, operand, body->args[i]->type, &tiling, &tile);
    ten_tiling_free(&tiling);
    if (status) return status;
    ten_value_replace(body->args[i], tile);
  }
  for (ten_op *inner = body->first, *next; inner != end; inner = next) {
    next = inner->next;
    ten_op_unlink(inner);
    ten_op_insert_before(op, inner);
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    TEN_TRY(nth_sharding(s, op, "out_shardings", i, op->results[i].type, true, &tiling));
    leave(s, op, &op->results[i], ten_op_operand(end, i), &tiling);
    ten_tiling_free(&tiling);
  }
  ten_op_erase(op);
  return NULL;
}

/* The older dialect's conversions at the boundary of a manual computation. */
static ten_status *open_call(spreading *s, ten_op *op) {
  const bool in = is_call_to(op, "SPMDFullToShardShape");
  ten_value *operand = ten_op_operand(op, 0), *tile;
  ten_op *mark = in && is_call_to(operand->op, "Sharding") && ten_value_used_once(operand) ? operand->op : op;
  const ten_attr *hlo = ten_op_attr(in && is_call_to(operand->op, "Sharding") ? operand->op : op, "mhlo.sharding");
  ten_tiling tiling;
  bool found;
  TEN_TRY(read_tiling(s, NULL, hlo, in ? operand->type : op->results[0].type, &tiling, &found));
  ten_status *status = NULL;
  if (in) {
    if (mark != op) { /* so that an argument behind it can be passed as its tile */
      operand = ten_op_operand(mark, 0);
      ten_value_replace(&mark->results[0], operand);
      ten_op_erase(mark);
    }
    status = enter(s, op, operand, op->results[0].type, &tiling, &tile);
    if (!status) ten_value_replace(&op->results[0], tile);
  } else {
    leave(s, op, &op->results[0], operand, &tiling);
  }
  ten_tiling_free(&tiling);
  if (!status) ten_op_erase(op);
  return status;
}

static ten_status *open_block(spreading *s, ten_block *block) {
  for (ten_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if (ten_op_has(op, TEN_TRAIT_COLLECTIVE) || op->code == TEN_OP_PARTITION_ID) s->out->together = true;
    if (is_manual(op)) {
      s->out->together = true;
      ten_op *before = op->prev;
      TEN_TRY(open_manual(s, op));
      next = before ? before->next : block->first; /* the inlined body may contain more of them */
      continue;
    }
    if (is_call_to(op, "SPMDFullToShardShape") || is_call_to(op, "SPMDShardToFullShape")) {
      s->out->together = true;
      TEN_TRY(open_call(s, op));
      continue;
    }
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *inner = op->regions[r].first; inner; inner = inner->next) TEN_TRY(open_block(s, inner));
  }
  return NULL;
}

/* sdy.sharding_constraint, and @Sharding of the older dialect. */
static bool is_constraint(void *context, const ten_op *op, ten_tiling *out) {
  const spreading *s = context;
  *out = (ten_tiling){0};
  if (op->operand_count != 1 || op->result_count != 1 || op->results[0].type != ten_op_operand(op, 0)->type ||
      !ten_type_is_tensor(op->results[0].type))
    return false;
  const ten_attr *sdy = ten_str_is(op->name, "sdy.sharding_constraint") ? ten_op_attr(op, "sharding") : NULL,
                 *hlo = is_call_to(op, "Sharding") ? ten_op_attr(op, "mhlo.sharding") : NULL;
  bool found = false;
  ten_status *status = sdy || hlo ? read_tiling(s, sdy, hlo, op->results[0].type, out, &found) : NULL;
  if (status) {
    ten_status_free(status);
    ten_tiling_free(out);
    return false;
  }
  if ((sdy || hlo) && !found) ten_tiling_free(out);
  ten_tiling_drop_parts(out); /* an inner value is unreduced */
  return found;
}

typedef struct traits {
  const ten_partitioner *partitioner;
  bool own_ways;    /* ops that one device cannot run for all */
  bool old_manual;  /* a manual computation of the older dialect */
  bool partitioned; /* a call with user-defined partitioning */
} traits;

/* What one device cannot run for all: explicit collectives, device ids, or per-device random numbers. */
static ten_status *look_for_traits(ten_op *op, void *context) {
  traits *found = context;
  found->partitioned |= ten_is_partitioned_call(found->partitioner, op);
  found->old_manual |= is_call_to(op, "SPMDFullToShardShape") || is_call_to(op, "SPMDShardToFullShape");
  if (ten_op_has(op, TEN_TRAIT_COLLECTIVE) || op->code == TEN_OP_PARTITION_ID || op->code == TEN_OP_REPLICA_ID ||
      op->code == TEN_OP_RNG || is_manual(op) || found->old_manual)
    found->own_ways = true;
  return NULL;
}

/* Unreduced arguments are all-reduced first; unreduced results are split into summands last. `opened`: values that are
 * not the device's own tile are whole; else they are the program's own values. */
static void handle_parts(spreading *s, bool opened) {
  ten_block *body = ten_op_body(s->func, 0);
  ten_op *end = ten_block_terminator(body);
  ten_builder b = {.module = s->module, .block = body, .before = body->first, .loc = s->func->loc};
  for (uint32_t i = 0; i < s->out->input_count; i++) {
    ten_spread_value *input = &s->out->inputs[i];
    ten_value *arg = body->args[i];
    if (input->tiling.parts == 1 || (opened && input->local)) continue;
    int64_t dims[TEN_RANK_MAX];
    ten_value *mark = ten_build_splat(&b, arg->type, 0); /* placeholder for the argument until it is replaced */
    ten_value_replace(arg, mark);
    if (opened && ten_tiling_local(&input->tiling, arg->type->dims, dims))
      arg->type = ten_type_with_shape(s->module, arg->type, arg->type->rank, dims);
    ten_value *sum = sum_up(&b, arg, &input->tiling, &s->channel);
    ten_value_replace(mark, opened ? ten_build_whole(&b, sum, &input->tiling, &s->channel) : sum);
    ten_op_erase(mark->op);
    input->local = true;
  }
  b.before = end;
  for (uint32_t i = 0; i < s->out->output_count; i++) {
    ten_spread_value *output = &s->out->outputs[i];
    if (output->tiling.parts == 1 || (opened && output->local)) continue;
    ten_value *value = ten_op_operand(end, i);
    if (opened) value = ten_build_tile(&b, value, &output->tiling);
    ten_op_set_operand(end, i, take_apart(&b, value, &output->tiling));
    output->local = true;
  }
}

ten_status *ten_spread_function(ten_module *module, ten_op *func, uint32_t devices, const ten_partitioner *partitioner,
                                ten_spread *out) {
  *out = (ten_spread){.devices = devices};
  spreading s = {.module = module, .func = func, .out = out, .partitioner = partitioner, .channel = 1 << 20};
  TEN_TRY(ten_inline_function(module, func));
  TEN_TRY(describe(&s));
  traits has = {.partitioner = partitioner};
  TEN_TRY(ten_op_walk(func, look_for_traits, &has));
  bool cut = has.partitioned;
  for (uint32_t i = 0; i < out->input_count; i++) {
    cut |= !ten_tiling_is_whole(&out->inputs[i].tiling);
    out->together |= out->inputs[i].tiling.parts > 1;
  }
  for (uint32_t i = 0; i < out->output_count; i++) out->together |= out->outputs[i].tiling.parts > 1;
  if (cut && !has.own_ways) {
    out->together = true;
    TEN_TRY(ten_partition(module, func, &(ten_partition_hooks){is_constraint, &s, partitioner}, out));
    s.channel = 1 << 21; /* partition.c numbers its own from 1 << 20 */
    handle_parts(&s, false);
    ten_call_on_first_device(module, func, devices, &s.channel);
    ten_func_update_type(module, func);
    return ten_annotate(ten_verify(module), "cutting the program up");
  }
  TEN_TRY(ten_partition_calls_inside(partitioner, module, func, devices, !has.old_manual, &s.channel));
  TEN_TRY(open_block(&s, ten_op_body(func, 0)));
  handle_parts(&s, true);
  if (out->together) ten_call_on_first_device(module, func, devices, &s.channel);
  ten_func_update_type(module, func);
  return NULL;
}
