/* partition.c: turns a program whose shardings split arguments and results into one that works on tiles (SPMD).
 * Ops are visited in order. Where an op's operands are split along dimensions that it preserves, it works on the tiles
 * and its result is split alike; a sum over a split dimension becomes a partial sum and an all-reduce; anything else
 * gets its operands whole, all-gathered. Constraints reshard.
 * Needs: a function without calls, manual computations and collectives.  Keeps: values, up to the order of sums. */
#include "transform/shard/partition.h"

#include <stdlib.h>
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"
#include "transform/shard/state.h"

shard_held *shard_held_of(shard_state *p, const ten_value *value) {
  const uintptr_t at = (uintptr_t)ten_value_map_get(&p->index, value);
  return at ? &p->values.data[at - 1] : NULL;
}

static void hold(shard_state *p, const ten_value *value, ten_value *local, const ten_tiling *tiling) {
  shard_held made = {.local = local};
  if (tiling)
    ten_tiling_copy(tiling, &made.tiling);
  else
    ten_tiling_whole(ten_type_is_tensor(value->type) ? value->type->rank : 0, p->devices, &made.tiling);
  if (ten_tiling_is_whole(&made.tiling)) made.whole = local;
  ten_vec_push(&p->values, made);
  ten_value_map_set(&p->index, value, (ten_value *)(uintptr_t)p->values.count);
}

ten_value *shard_whole_of(shard_state *p, const ten_value *value) {
  shard_held *h = shard_held_of(p, value);
  if (!h) return (ten_value *)value; /* of a nested region */
  if (!h->whole) h->whole = ten_build_whole(&p->b, h->local, &h->tiling, &p->channel);
  return h->whole;
}

/* The value with this tiling. */
ten_value *shard_tile_of(shard_state *p, ten_value *value, const ten_tiling *tiling) {
  const shard_held *h = shard_held_of(p, value);
  if (ten_tiling_equal(&h->tiling, tiling)) return h->local;
  const ten_op *op = value->op;
  const ten_attr *data = op && op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (data && data->kind == TEN_ATTR_DENSE && data->dense.splat) { /* a splat: broadcast a tile of it */
    int64_t dims[TEN_RANK_MAX];
    if (ten_tiling_local(tiling, value->type->dims, dims)) {
      ten_value *one =
          ten_build_constant(&p->b, ten_attr_dense(p->module, ten_type_with_shape(p->module, value->type, 0, NULL),
                                                   data->dense.data, ten_dtype_bytes(value->type->dtype)));
      return ten_build_broadcast(&p->b, one, tiling->rank, dims, NULL);
    }
  }
  return ten_build_tile(&p->b, shard_whole_of(p, value), tiling);
}

const ten_type *shard_tile_type(shard_state *p, const ten_type *type, const ten_tiling *tiling) {
  int64_t dims[TEN_RANK_MAX];
  return ten_tiling_local(tiling, type->dims, dims) ? ten_type_with_shape(p->module, type, type->rank, dims) : NULL;
}

/* Copies dimension `from` of one tiling to dimension `to` of another; both have the same devices. */
void shard_take_dim(ten_tiling *to, uint32_t at, const ten_tiling *from, uint32_t dim) {
  to->tiles[at] = from->tiles[dim];
  for (uint32_t d = 0; d < to->devices; d++) to->place[d * to->rank + at] = from->place[d * from->rank + dim];
}

ten_op *shard_clone_with(shard_state *p, const ten_op *op, ten_value *const *operands, const ten_type *type) {
  ten_value_map map = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) ten_value_map_set(&map, ten_op_operand(op, i), operands[i]);
  ten_op *made = ten_op_clone(p->module, op, &map);
  ten_value_map_free(&map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(made, i, operands[i]);
  made->results[0].type = type;
  ten_op_insert_before(p->b.before, made);
  return made;
}

void shard_replaced(shard_state *p, ten_op *op, ten_value *local, const ten_tiling *tiling) {
  hold(p, &op->results[0], local, tiling);
  ten_vec_push(&p->gone, op);
}

static bool do_elementwise(shard_state *p, ten_op *op) {
  const ten_tiling *tiling = NULL;
  const uint32_t rank = op->results[0].type->rank;
  for (uint32_t i = 0; i < op->operand_count && !tiling; i++) {
    const shard_held *h = shard_held_of(p, ten_op_operand(op, i));
    if (ten_op_operand(op, i)->type->rank == rank && !ten_tiling_is_whole(&h->tiling)) tiling = &h->tiling;
  }
  if (!tiling || op->operand_count > 8) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->rank != rank && ten_op_operand(op, i)->type->rank) return false;
  ten_tiling own;
  ten_tiling_copy(tiling, &own); /* `values` may be reallocated */
  ten_value *operands[8];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *operand = ten_op_operand(op, i);
    operands[i] = operand->type->rank == rank ? shard_tile_of(p, operand, &own)
                                              : shard_whole_of(p, operand); /* select's scalar */
  }
  ten_op *made = shard_clone_with(p, op, operands, shard_tile_type(p, op->results[0].type, &own));
  shard_replaced(p, op, &made->results[0], &own);
  ten_tiling_free(&own);
  return true;
}

/* map[i]: the operand dimension that result dimension i equals in full, or -1. The op works on tiles. */
static bool do_mapped(shard_state *p, ten_op *op, const int64_t *map) {
  ten_value *operand = ten_op_operand(op, 0);
  const shard_held *h = shard_held_of(p, operand);
  const ten_type *type = op->results[0].type;
  ten_tiling own;
  ten_tiling_whole(type->rank, p->devices, &own);
  uint32_t cut = 0, kept = 0;
  for (uint32_t i = 0; i < h->tiling.rank; i++) cut += h->tiling.tiles[i] > 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (map[i] >= 0 && h->tiling.tiles[map[i]] > 1) {
      shard_take_dim(&own, i, &h->tiling, (uint32_t)map[i]);
      kept++;
    }
  const ten_type *tile = cut && cut == kept ? shard_tile_type(p, type, &own) : NULL;
  if (tile) {
    ten_value *operands[8] = {h->local};
    for (uint32_t i = 1; i < op->operand_count; i++) operands[i] = shard_whole_of(p, ten_op_operand(op, i));
    shard_replaced(p, op, &shard_clone_with(p, op, operands, tile)->results[0], &own);
  }
  ten_tiling_free(&own);
  return tile != NULL;
}

static bool do_transpose(shard_state *p, ten_op *op) { return do_mapped(p, op, ten_op_ints(op, "permutation").data); }

static bool do_broadcast(shard_state *p, ten_op *op) {
  const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX];
  for (uint32_t i = 0; i < to->rank; i++) map[i] = -1;
  for (size_t i = 0; i < dims.count; i++)
    if (from->dims[i] == to->dims[dims.data[i]]) map[dims.data[i]] = (int64_t)i;
  return do_mapped(p, op, map);
}

/* Dimensions of equal size that follow equally many elements. */
static bool do_reshape(shard_state *p, ten_op *op) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX], before = 1;
  for (uint32_t i = 0; i < to->rank; before *= to->dims[i++]) {
    int64_t other = 1;
    map[i] = -1;
    for (uint32_t k = 0; k < from->rank && map[i] < 0; other *= from->dims[k++])
      if (other == before && from->dims[k] == to->dims[i]) map[i] = k;
  }
  return do_mapped(p, op, map);
}

/* slice, pad: unchanged dimensions. */
static bool do_same_dims(shard_state *p, ten_op *op) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX];
  const ten_ints low = ten_op_ints(op, op->code == TEN_OP_PAD ? "edge_padding_low" : "start_indices");
  const ten_ints inside = ten_op_ints(op, op->code == TEN_OP_PAD ? "interior_padding" : "start_indices");
  for (uint32_t i = 0; i < to->rank; i++)
    map[i] = from->dims[i] == to->dims[i] && !low.data[i] && !inside.data[i] ? (int64_t)i : -1;
  ten_tiling own;
  const shard_held *h = shard_held_of(p, ten_op_operand(op, 0));
  ten_tiling_copy(&h->tiling, &own);
  if (!do_mapped(p, op, map)) {
    ten_tiling_free(&own);
    return false;
  }
  if (op->code == TEN_OP_SLICE) { /* its limits are those of the tile */
    ten_op *made = shard_held_of(p, &op->results[0])->local->op;
    int64_t limits[TEN_RANK_MAX];
    const ten_ints old = ten_op_ints(op, "limit_indices");
    for (uint32_t i = 0; i < to->rank; i++) limits[i] = own.tiles[i] > 1 ? made->results[0].type->dims[i] : old.data[i];
    ten_op_set_attr(p->module, made, TEN_STR("limit_indices"), ten_attr_list(p->module, TEN_I64, to->rank, limits));
  }
  ten_tiling_free(&own);
  return true;
}

/* Windows of one element along split dimensions. */
static bool do_window(shard_state *p, ten_op *op) {
  if (op->operand_count != 2 && op->code == TEN_OP_REDUCE_WINDOW) return false;
  const ten_window w = ten_op_window(p->module, op);
  const shard_held *h = shard_held_of(p, ten_op_operand(op, 0));
  if (ten_tiling_is_whole(&h->tiling)) return false;
  for (uint32_t i = 0; i < w.rank; i++)
    if (h->tiling.tiles[i] > 1 && (w.size[i] != 1 || w.strides[i] != 1 || w.padding[2 * i] || w.padding[2 * i + 1] ||
                                   (w.base_dilation && w.base_dilation[i] != 1)))
      return false;
  ten_tiling own;
  ten_tiling_copy(&h->tiling, &own);
  const ten_type *type = shard_tile_type(p, op->results[0].type, &own);
  const bool scatter = op->code == TEN_OP_SELECT_AND_SCATTER;
  if (type) {
    ten_value *operands[3] = {
        shard_tile_of(p, ten_op_operand(op, 0), &own),
        scatter ? shard_tile_of(p, ten_op_operand(op, 1), &own) : shard_whole_of(p, ten_op_operand(op, 1)),
        scatter ? shard_whole_of(p, ten_op_operand(op, 2)) : NULL};
    shard_replaced(p, op, &shard_clone_with(p, op, operands, type)->results[0], &own);
  }
  ten_tiling_free(&own);
  return type != NULL;
}

static bool is_neutral(const ten_value *init, ten_opcode code) {
  const ten_attr *data = init->op && init->op->code == TEN_OP_CONSTANT ? ten_op_attr(init->op, "value") : NULL;
  if (!data || data->kind != TEN_ATTR_DENSE) return false;
  if (code == TEN_OP_MAXIMUM || code == TEN_OP_MINIMUM || code == TEN_OP_AND || code == TEN_OP_OR)
    return true; /* idempotent */
  if (code != TEN_OP_ADD || (!data->dense.splat && ten_type_count(init->type) != 1)) return false;
  const unsigned char *bytes = ten_dense_at(data, 0);
  for (size_t i = 0; i < ten_dtype_bytes(init->type->dtype); i++)
    if (bytes[i]) return false;
  return true;
}

static ten_opcode body_of(const ten_op *op) {
  const ten_block *body = ten_op_body(op, 0);
  const ten_op *first = body->first, *end = ten_block_terminator(body);
  if (!first || first->next != end || first->operand_count != 2 || ten_op_operand(end, 0) != &first->results[0])
    return TEN_OP_UNKNOWN;
  return first->code;
}

static bool do_reduce(shard_state *p, ten_op *op) {
  if (op->operand_count != 2) return false;
  ten_value *x = ten_op_operand(op, 0), *init = ten_op_operand(op, 1);
  const shard_held *h = shard_held_of(p, x);
  if (ten_tiling_is_whole(&h->tiling)) return false;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  ten_tiling own, parts;
  ten_tiling_whole(op->results[0].type->rank, p->devices, &own);
  ten_tiling_whole((uint32_t)dims.count, p->devices, &parts);
  bool summed = false;
  for (uint32_t i = 0, at = 0; i < h->tiling.rank; i++) {
    bool gone = false;
    for (size_t k = 0; k < dims.count; k++)
      if (dims.data[k] == (int64_t)i) {
        shard_take_dim(&parts, (uint32_t)k, &h->tiling, i);
        summed |= h->tiling.tiles[i] > 1;
        gone = true;
      }
    if (!gone) shard_take_dim(&own, at++, &h->tiling, i);
  }
  const ten_opcode code = body_of(op);
  const ten_type *type = shard_tile_type(p, op->results[0].type, &own);
  bool done = type && ten_tiling_is_complete(&own) && (!summed || is_neutral(init, code));
  if (done) {
    ten_value *operands[] = {h->local, shard_whole_of(p, init)};
    ten_value *made = &shard_clone_with(p, op, operands, type)->results[0];
    ten_value *sum = summed ? ten_build_sum(&p->b, made, &own, &parts, code, &p->channel) : made;
    done = sum != NULL;
    if (done) shard_replaced(p, op, sum, &own);
  }
  ten_tiling_free(&own);
  ten_tiling_free(&parts);
  return done;
}

bool shard_in_list(ten_ints list, int64_t value) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] == value) return true;
  return false;
}

/* Maps each batch dimension of gather's result (of scatter: of its updates) to a dimension of the indices; -1 for those
 * of the slices. */
static void map_indices(uint32_t rank, ten_ints window, int64_t vector_dim, int64_t *map) {
  int64_t at = 0;
  for (uint32_t i = 0; i < rank; i++) {
    map[i] = -1;
    if (shard_in_list(window, i)) continue;
    if (at == vector_dim) at++;
    map[i] = at++;
  }
}

/* A lookup in a whole table: split like the indices. */
static bool do_gather(shard_state *p, ten_op *op) {
  const ten_gather_dims d = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  const shard_held *h = shard_held_of(p, ten_op_operand(op, 1));
  const ten_type *type = op->results[0].type;
  if (d.operand_batching_dims.count || ten_tiling_is_whole(&h->tiling)) return false;
  if (d.index_vector_dim < (int64_t)h->tiling.rank && h->tiling.tiles[d.index_vector_dim] > 1) return false;
  int64_t map[TEN_RANK_MAX];
  map_indices(type->rank, d.offset_dims, d.index_vector_dim, map);
  ten_tiling own;
  ten_tiling_whole(type->rank, p->devices, &own);
  for (uint32_t i = 0; i < type->rank; i++)
    if (map[i] >= 0) shard_take_dim(&own, i, &h->tiling, (uint32_t)map[i]);
  const ten_type *tile = shard_tile_type(p, type, &own);
  if (tile) {
    ten_value *operands[] = {shard_whole_of(p, ten_op_operand(op, 0)), h->local};
    shard_replaced(p, op, &shard_clone_with(p, op, operands, tile)->results[0], &own);
  }
  ten_tiling_free(&own);
  return tile != NULL;
}

static const ten_value *behind_broadcast(const ten_value *value) {
  return value->op && value->op->code == TEN_OP_BROADCAST_IN_DIM ? ten_op_operand(value->op, 0) : value;
}

/* Scatter-add to zeros, as in the gradient of a lookup: each device adds its own, followed by an all-reduce. */
static bool do_scatter(shard_state *p, ten_op *op) {
  const ten_scatter_dims d = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  if (op->operand_count != 3 || d.input_batching_dims.count || body_of(op) != TEN_OP_ADD) return false;
  if (!is_neutral(behind_broadcast(ten_op_operand(op, 0)), TEN_OP_ADD)) return false;
  ten_value *indices = ten_op_operand(op, 1), *updates = ten_op_operand(op, 2);
  const shard_held *h = shard_held_of(p, updates);
  if (ten_tiling_is_whole(&h->tiling)) return false;
  int64_t map[TEN_RANK_MAX];
  map_indices(updates->type->rank, d.update_window_dims, d.index_vector_dim, map);
  for (uint32_t i = 0; i < updates->type->rank; i++)
    if (map[i] < 0 && h->tiling.tiles[i] > 1) return false;
  ten_tiling own, parts, index;
  ten_tiling_whole(op->results[0].type->rank, p->devices, &own);
  ten_tiling_whole(indices->type->rank, p->devices, &index);
  ten_tiling_copy(&h->tiling, &parts);
  for (uint32_t i = 0; i < updates->type->rank; i++)
    if (map[i] >= 0) shard_take_dim(&index, (uint32_t)map[i], &parts, i);
  ten_value *operands[] = {shard_whole_of(p, ten_op_operand(op, 0)), shard_tile_of(p, indices, &index), h->local};
  ten_value *sum = ten_build_sum(&p->b, &shard_clone_with(p, op, operands, op->results[0].type)->results[0], &own,
                                 &parts, TEN_OP_ADD, &p->channel);
  if (sum) shard_replaced(p, op, sum, &own);
  ten_tiling_free(&own), ten_tiling_free(&parts), ten_tiling_free(&index);
  return sum != NULL;
}

/* Clones the op with whole operands. */
static ten_status *make_whole(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i), *whole = shard_whole_of(context, value);
    if (whole != value) ten_op_set_operand(op, i, whole);
  }
  return NULL;
}

/* A call that takes each device's tiles. */
static bool call_on_tiles(shard_state *p, ten_op *op) {
  if (op->result_count || !ten_is_callback(op, "tiles")) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const shard_held *h = shard_held_of(p, ten_op_operand(op, i));
    if (h) ten_op_set_operand(op, i, h->local);
  }
  return true;
}

/* The tiling that a user of the value needs, if any. */
static bool wanted_of(const shard_state *p, const ten_value *value, ten_tiling *out) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    if (use->owner == p->end) return ten_tiling_copy(&p->spread->outputs[use->index].tiling, out), true;
    if (p->hooks->constraint(p->hooks->context, use->owner, out)) return true;
  }
  return false;
}

typedef struct custom_call {
  shard_state *p;
  const ten_op *op;
} custom_call;

static ten_value *operand_tile(void *context, uint32_t index, const ten_tiling *tiling) {
  const custom_call *at = context;
  return shard_tile_of(at->p, ten_op_operand(at->op, index), tiling);
}

/* A call with user-defined partitioning. */
static ten_status *do_custom(shard_state *p, ten_op *op) {
  const uint32_t count = op->result_count;
  ten_partition_call call;
  ten_partition_call_create(op, p->devices, &call);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_tiling_free(&call.operands[i]);
    ten_tiling_copy(&shard_held_of(p, ten_op_operand(op, i))->tiling, &call.operands[i]);
  }
  ten_tiling *users = ten_alloc((count + 1) * sizeof *users);
  const ten_tiling **wanted = ten_alloc((count + 1) * sizeof *wanted);
  ten_value **results = ten_alloc((count + 1) * sizeof *results);
  for (uint32_t i = 0; i < count; i++) wanted[i] = wanted_of(p, &op->results[i], &users[i]) ? &users[i] : NULL;
  ten_status *status = ten_partition_call_choose(p->hooks->partitioner, &call, wanted);
  if (!status)
    status = ten_partition_call_build(p->hooks->partitioner, &call, &p->b, operand_tile, &(custom_call){p, op},
                                      &p->channel, results);
  for (uint32_t i = 0; i < count; i++) {
    if (!status) hold(p, &op->results[i], results[i], &call.results[i]);
    if (wanted[i]) ten_tiling_free(&users[i]);
  }
  if (!status) ten_vec_push(&p->gone, op);
  free(users), free(wanted), free(results);
  ten_partition_call_destroy(&call);
  return status;
}

static bool works_on_tiles(shard_state *p, ten_op *op) {
  if (op->result_count != 1 || !op->operand_count) return false;
  bool cut = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const shard_held *h = shard_held_of(p, ten_op_operand(op, i));
    if (!h || !ten_type_is_tensor(ten_op_operand(op, i)->type) || ten_op_operand(op, i)->type->quant) return false;
    cut |= !ten_tiling_is_whole(&h->tiling);
  }
  if (!cut || !ten_type_is_tensor(op->results[0].type) || !ten_type_is_static(op->results[0].type)) return false;
  switch (op->code) {
    case TEN_OP_TRANSPOSE: return do_transpose(p, op);
    case TEN_OP_BROADCAST_IN_DIM: return do_broadcast(p, op);
    case TEN_OP_RESHAPE: return do_reshape(p, op);
    case TEN_OP_SLICE:
    case TEN_OP_PAD: return do_same_dims(p, op);
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_SELECT_AND_SCATTER: return do_window(p, op);
    case TEN_OP_REDUCE: return do_reduce(p, op);
    case TEN_OP_DOT_GENERAL: return shard_do_dot(p, op);
    case TEN_OP_CONVOLUTION: return shard_do_convolution(p, op);
    case TEN_OP_GATHER: return do_gather(p, op);
    case TEN_OP_SCATTER: return do_scatter(p, op);
    default: return !op->region_count && ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && do_elementwise(p, op);
  }
}

/* After an error later ops still read replaced values; the module is then unusable. */
static void finish(shard_state *p, bool failed) {
  for (size_t i = failed ? 0 : p->gone.count; i--;) ten_op_erase(p->gone.data[i]);
  for (size_t i = 0; i < p->values.count; i++) ten_tiling_free(&p->values.data[i].tiling);
  ten_value_map_free(&p->index);
  ten_vec_free(&p->values);
  ten_vec_free(&p->gone);
}

ten_status *ten_partition(ten_module *module, ten_op *func, const ten_partition_hooks *hooks, ten_spread *spread) {
  ten_block *body = ten_op_body(func, 0);
  ten_op *start = body->first, *end = ten_block_terminator(body);
  shard_state p = {.module = module,
                   .hooks = hooks,
                   .spread = spread,
                   .end = end,
                   .devices = spread->devices,
                   .channel = 1 << 20,
                   .b = {.module = module, .block = body}};
  p.b.before = start;
  for (uint32_t i = 0; i < body->arg_count; i++) {
    ten_value *arg = body->args[i];
    const ten_tiling *tiling = &spread->inputs[i].tiling;
    if (!ten_type_is_tensor(arg->type) || ten_tiling_is_whole(tiling)) {
      hold(&p, arg, arg, NULL);
      continue;
    }
    /* A placeholder of the whole's type until the ops that read it are replaced. */
    ten_value *stand_in = ten_build_iota(&p.b, arg->type, 0);
    ten_value_replace(arg, stand_in);
    spread->inputs[i].local = true;
    arg->type = shard_tile_type(&p, arg->type, tiling);
    shard_replaced(&p, stand_in->op, arg, tiling);
  }
  ten_status *status = NULL;
  for (ten_op *op = start, *next; op != end && !status; op = next) {
    next = op->next;
    p.b.before = op;
    p.b.loc = op->loc;
    ten_tiling again;
    if (ten_is_partitioned_call(hooks->partitioner, op)) {
      status = do_custom(&p, op);
      continue;
    }
    if (hooks->constraint(hooks->context, op, &again)) {
      const ten_type *type = shard_tile_type(&p, op->results[0].type, &again);
      if (type) shard_replaced(&p, op, shard_tile_of(&p, ten_op_operand(op, 0), &again), &again);
      ten_tiling_free(&again);
      if (type) continue;
    }
    if (call_on_tiles(&p, op) || works_on_tiles(&p, op)) continue;
    status = ten_op_walk(op, make_whole, &p);
    if (!status) status = ten_partition_calls_inside(hooks->partitioner, module, op, p.devices, true, &p.channel);
    for (uint32_t i = 0; i < op->result_count; i++) hold(&p, &op->results[i], &op->results[i], NULL);
  }
  p.b.before = end;
  for (uint32_t i = 0; i < end->operand_count && !status; i++) {
    ten_value *value = ten_op_operand(end, i);
    const ten_tiling *tiling = &spread->outputs[i].tiling;
    if (!ten_type_is_tensor(value->type)) continue;
    spread->outputs[i].local = !ten_tiling_is_whole(tiling);
    ten_op_set_operand(end, i,
                       ten_tiling_is_whole(tiling) ? shard_whole_of(&p, value) : shard_tile_of(&p, value, tiling));
  }
  finish(&p, status != NULL);
  return status;
}
