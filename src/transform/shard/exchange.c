/* exchange.c: a device's tile of a whole tensor, the whole tensor from all tiles, sums between devices. */
#include <stdlib.h>
#include <string.h>

#include "transform/shard/partition.h"

static void combine(ten_builder *b, ten_value *const *args, void *code) {
  ten_value *both = ten_build_binary(b, *(const ten_opcode *)code, args[0], args[1]);
  ten_build_return(b, 1, &both);
}

/* The device's tile of a whole tensor. */
ten_value *ten_build_tile(ten_builder *b, ten_value *x, const ten_tiling *tiling) {
  int64_t sizes[TEN_RANK_MAX];
  ten_value *starts[TEN_RANK_MAX], *self = NULL;
  if (ten_tiling_is_whole(tiling) || !ten_tiling_local(tiling, x->type->dims, sizes)) return x;
  for (uint32_t i = 0; i < tiling->rank; i++) {
    if (tiling->tiles[i] == 1) {
      starts[i] = ten_build_scalar_int(b, TEN_I64, 0);
      continue;
    }
    if (!self) {
      const ten_type *id = ten_type_tensor(b->module, TEN_UI32, 0, NULL);
      self = ten_op_result(ten_build_op(b, TEN_OP_PARTITION_ID, 0, NULL, 1, &id, 0, NULL, 0), 0);
      self = ten_build_convert(b, self, TEN_I64);
    }
    int64_t *table = ten_alloc(tiling->devices * sizeof *table);
    for (uint32_t d = 0; d < tiling->devices; d++) table[d] = tiling->place[d * tiling->rank + i] * sizes[i];
    const int64_t one = 1;
    starts[i] = ten_build_dynamic_slice(b, ten_build_i64s(b, tiling->devices, table), &self, &one);
    starts[i] = ten_build_reshape(b, starts[i], 0, NULL);
    free(table);
  }
  return ten_build_dynamic_slice(b, x, starts, sizes);
}

/* Attributes of a collective between `groups` groups of `count` devices, by their global ids. */
enum { COLLECTIVE_ATTRS = 3 };

static void collective_attrs(ten_module *module, uint32_t groups, uint32_t count, const int64_t *ids, int64_t *channel,
                             ten_named_attr out[COLLECTIVE_ATTRS]) {
  const int64_t shape[] = {groups, count};
  const ten_attr *const handle[] = {ten_attr_i64(module, ++*channel), ten_attr_i64(module, 1)};
  const ten_attr *members =
      ten_attr_dense(module, ten_type_tensor(module, TEN_I64, 2, shape), ids, (size_t)groups * count * sizeof *ids);
  out[0] =
      (ten_named_attr){TEN_STR("channel_handle"), ten_attr_struct(module, TEN_STRUCT_CHANNEL_HANDLE, handle), true};
  out[1] = (ten_named_attr){TEN_STR("replica_groups"), members, true};
  out[2] = (ten_named_attr){TEN_STR("use_global_device_ids"), ten_attr_unit(module), true};
}

static ten_value *build_all_gather(ten_builder *b, ten_value *x, const ten_type *type, int64_t dim, uint32_t groups,
                                   uint32_t count, const int64_t *ids, int64_t *channel) {
  ten_named_attr attrs[1 + COLLECTIVE_ATTRS] = {{TEN_STR("all_gather_dim"), ten_attr_i64(b->module, dim), true}};
  collective_attrs(b->module, groups, count, ids, channel, attrs + 1);
  return ten_op_result(ten_build_op(b, TEN_OP_ALL_GATHER, 1, &x, 1, &type, 1 + COLLECTIVE_ATTRS, attrs, 0), 0);
}

/* All-gathers along one dimension, between devices that differ in nothing else; the dimension is then whole. NULL when
 * the groups would be uneven. */
static ten_value *gather_along(ten_builder *b, ten_value *x, ten_tiling *tiling, uint32_t dim, int64_t *channel) {
  const uint32_t devices = tiling->devices, rank = tiling->rank, count = (uint32_t)tiling->tiles[dim];
  int64_t *ids = ten_alloc(devices * sizeof *ids);
  bool *used = ten_alloc(devices * sizeof *used), even = devices % count == 0;
  memset(used, 0, devices * sizeof *used);
  uint32_t groups = 0;
  for (uint32_t first = 0; first < devices && even; first++) {
    if (used[first]) continue;
    for (uint32_t tile = 0; tile < count && even; tile++) {
      uint32_t d = 0;
      for (; d < devices; d++) {
        bool same = !used[d];
        for (uint32_t i = 0; i < rank; i++)
          same &= tiling->place[d * rank + i] == (i == dim ? tile : tiling->place[first * rank + i]);
        if (same) break;
      }
      even = d < devices;
      if (even) used[d] = true, ids[groups * count + tile] = d;
    }
    groups++;
  }
  ten_value *made = NULL;
  if (even) {
    int64_t dims[TEN_RANK_MAX];
    memcpy(dims, x->type->dims, rank * sizeof *dims);
    dims[dim] *= count;
    made =
        build_all_gather(b, x, ten_type_with_shape(b->module, x->type, rank, dims), dim, groups, count, ids, channel);
    tiling->tiles[dim] = 1;
    for (uint32_t d = 0; d < devices; d++) tiling->place[d * rank + dim] = 0;
  }
  free(ids), free(used);
  return made;
}

/* All-gathers every device's tile, wherever they are. */
static ten_value *gather_all(ten_builder *b, ten_value *x, const ten_tiling *tiling, int64_t *channel) {
  const uint32_t rank = tiling->rank, devices = tiling->devices;
  int64_t dims[2 * TEN_RANK_MAX + 1] = {1}, order[2 * TEN_RANK_MAX], whole[TEN_RANK_MAX], count = 1;
  memcpy(dims + 1, x->type->dims, rank * sizeof *dims);
  x = ten_build_reshape(b, x, rank + 1, dims);
  dims[0] = devices;
  const ten_type *all = ten_type_tensor(b->module, x->type->dtype, rank + 1, dims);
  int64_t *ids = ten_alloc(devices * sizeof *ids);
  for (uint32_t d = 0; d < devices; d++) ids[d] = d;
  x = build_all_gather(b, x, all, 0, 1, devices, ids, channel);
  free(ids);
  for (uint32_t i = 0; i < rank; i++) count *= tiling->tiles[i];
  ten_value **tiles = ten_alloc((size_t)count * sizeof(ten_value *));
  for (int64_t t = 0; t < count; t++) { /* for each tile, a device that holds it */
    uint32_t place[TEN_RANK_MAX];
    int64_t left = t;
    for (uint32_t i = rank; i-- > 0; left /= tiling->tiles[i]) place[i] = (uint32_t)(left % tiling->tiles[i]);
    const int64_t holder = ten_tiling_holder(tiling, place);
    tiles[t] = ten_build_slice_dim(b, x, 0, holder, holder + 1, 1);
  }
  x = count == 1 ? tiles[0] : ten_build_concat(b, (uint32_t)count, tiles, 0);
  free(tiles);
  int64_t split[2 * TEN_RANK_MAX];
  uint32_t cut = 0, at = 0, next = 0;
  for (uint32_t i = 0; i < rank; i++) cut += tiling->tiles[i] > 1;
  for (uint32_t i = 0; i < rank; i++) { /* split: tile counts, then the tile; order: each count before its dim */
    if (tiling->tiles[i] > 1) split[next] = tiling->tiles[i], order[at++] = next++;
    split[cut + i] = dims[1 + i];
    order[at++] = cut + i;
    whole[i] = dims[1 + i] * tiling->tiles[i];
  }
  x = ten_build_transpose(b, ten_build_reshape(b, x, cut + rank, split), order);
  return ten_build_reshape(b, x, rank, whole);
}

/* All-gathers the whole tensor. */
ten_value *ten_build_whole(ten_builder *b, ten_value *x, const ten_tiling *tiling, int64_t *channel) {
  ten_tiling left;
  ten_tiling_copy(tiling, &left);
  for (uint32_t i = 0; i < left.rank; i++) {
    ten_value *wider = left.tiles[i] > 1 ? gather_along(b, x, &left, i, channel) : NULL;
    if (wider) x = wider;
  }
  if (!ten_tiling_is_whole(&left)) x = gather_all(b, x, &left, channel);
  ten_tiling_free(&left);
  return x;
}

static ten_value *build_all_reduce(ten_builder *b, ten_value *x, ten_opcode code, uint32_t groups, uint32_t count,
                                   const int64_t *ids, int64_t *channel) {
  ten_named_attr attrs[COLLECTIVE_ATTRS];
  collective_attrs(b->module, groups, count, ids, channel, attrs);
  ten_op *op = ten_build_op(b, TEN_OP_ALL_REDUCE, 1, &x, 1, &x->type, COLLECTIVE_ATTRS, attrs, 1);
  const ten_type *scalar = ten_type_with_shape(b->module, x->type, 0, NULL), *types[] = {scalar, scalar};
  ten_build_region(b, op, 0, 2, types, combine, &code);
  return &op->results[0];
}

ten_value *ten_build_sum(ten_builder *b, ten_value *x, const ten_tiling *kept, const ten_tiling *parts, ten_opcode code,
                         int64_t *channel) {
  const uint32_t devices = kept->devices;
  uint32_t count = 1, groups = 0;
  for (uint32_t i = 0; i < parts->rank; i++) count *= (uint32_t)parts->tiles[i];
  int64_t *ids = ten_alloc(devices * sizeof *ids);
  bool *used = ten_alloc(devices * sizeof *used);
  memset(used, 0, devices * sizeof *used);
  bool even = devices % count == 0;
  for (uint32_t first = 0; first < devices && even; first++) { /* each group: one device for every part */
    if (used[first]) continue;
    for (uint32_t part = 0; part < count && even; part++) {
      uint32_t d = 0;
      for (; d < devices; d++) {
        uint32_t own = 0;
        for (uint32_t i = 0; i < parts->rank; i++)
          own = own * (uint32_t)parts->tiles[i] + parts->place[d * parts->rank + i];
        if (!used[d] && own == part &&
            !memcmp(kept->place + d * kept->rank, kept->place + first * kept->rank, kept->rank * sizeof *kept->place))
          break;
      }
      even = d < devices;
      if (even) used[d] = true, ids[groups * count + part] = d;
    }
    groups++;
  }
  ten_value *sum = even ? build_all_reduce(b, x, code, groups, count, ids, channel) : NULL;
  free(ids), free(used);
  return sum;
}

ten_value *ten_build_from_first(ten_builder *b, ten_value *x, uint32_t devices, int64_t *channel) {
  ten_named_attr attrs[COLLECTIVE_ATTRS];
  int64_t *ids = ten_alloc(devices * sizeof *ids);
  for (uint32_t d = 0; d < devices; d++) ids[d] = d;
  collective_attrs(b->module, 1, devices, ids, channel, attrs);
  free(ids);
  /* Without global ids: a channel of partitions names devices by partition number. */
  ten_op *op = ten_build_op(b, TEN_OP_COLLECTIVE_BROADCAST, 1, &x, 1, &x->type, COLLECTIVE_ATTRS - 1, attrs, 0);
  return &op->results[0];
}
