/* collective.c: collective ops, and the device groups that take part. */
#include <stdlib.h>

#include "base/size.h"
#include "ir/verify/rules.h"

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sorted and unique. */
static ten_status *sorted_ids(ten_module *m, const ten_op *op, size_t count, size_t step, const int64_t *values,
                              const char *what, bool padded, int64_t **out, size_t *out_count) {
  int64_t *ids = ten_arena_new_array(&m->arena, int64_t, count);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const int64_t id = values[i * step];
    if (id == -1 && padded) continue;
    WANT(id >= 0, "%s has id %lld, must not be negative", what, (long long)id);
    ids[kept++] = id;
  }
  if (kept) qsort(ids, kept, sizeof *ids, by_value);
  for (size_t i = 1; i < kept; i++)
    WANT(ids[i] != ids[i - 1], "%s has id %lld more than once", what, (long long)ids[i]);
  *out = ids;
  *out_count = kept;
  return NULL;
}

static ten_status *want_mesh_axes(const ten_op *op, const ten_attr *groups) {
  const ten_attr *mesh = ten_attr_field(groups, "mesh"), *axes = ten_attr_field(groups, "axes");
  WANT(mesh && (mesh->kind == TEN_ATTR_SYMBOL || (mesh->kind == TEN_ATTR_STRUCT && mesh->record.id == TEN_STRUCT_MESH)),
       "replica_groups' mesh must be a mesh or a symbol");
  WANT(axes && axes->kind == TEN_ATTR_ARRAY, "replica_groups' axes must be an array");
  if (mesh->kind == TEN_ATTR_SYMBOL) return NULL;
  const ten_attr *mesh_axes = ten_attr_field(mesh, "axes");
  for (size_t i = 0; i < axes->array.count; i++) {
    const ten_attr *axis = axes->array.items[i];
    WANT(axis && axis->kind == TEN_ATTR_STRUCT && axis->record.id == TEN_STRUCT_AXIS_REF,
         "replica_groups' axis %zu must be an axis_ref", i);
    const ten_str name = ten_attr_as_string(ten_attr_field(axis, "name"));
    bool found = false;
    for (size_t k = 0; mesh_axes && mesh_axes->kind == TEN_ATTR_ARRAY && k < mesh_axes->array.count; k++)
      found = found || ten_str_eq(ten_attr_as_string(ten_attr_field(mesh_axes->array.items[k], "name")), name);
    WANT(found, "replica_groups names axis \"%.*s\", which the mesh does not have", TEN_FMT(name));
  }
  return NULL;
}

enum { UNIFORM = 1, COMPLETE = 2, GLOBAL_IDS = 4 };

/* Rows are groups; shorter groups are padded with -1 unless all must be of one size. `size` 0: any. */
static ten_status *want_groups(ten_module *m, const ten_op *op, unsigned flags, int64_t size) {
  const ten_attr *groups = ten_op_attr(op, "replica_groups");
  if (groups->kind == TEN_ATTR_STRUCT && groups->record.id == TEN_STRUCT_REPLICA_GROUP_MESH_AXES)
    return want_mesh_axes(op, groups);
  WANT(groups->kind == TEN_ATTR_DENSE && groups->dense.type->dtype == TEN_I64 && !groups->dense.type->quant,
       "replica_groups must be a constant of i64 or mesh axes");
  const ten_type *type = groups->dense.type;
  WANT(type->rank == 2, "replica_groups is %s, must have rank 2", ten_say_type(m, type));
  ten_ints ids;
  WANT(ten_dense_ints(m, groups, &ids), "replica_groups is %s, which is more than any machine has",
       ten_say_type(m, type));
  WANT(!(flags & GLOBAL_IDS) || ids.count,
       "replica_groups is empty, must name devices where use_global_device_ids is set");
  int64_t *sorted;
  size_t count;
  TEN_TRY(sorted_ids(m, op, ids.count, 1, ids.data, "replica_groups", !(flags & UNIFORM), &sorted, &count));
  for (size_t i = 0; (flags & COMPLETE) && i < count; i++)
    WANT(sorted[i] == (int64_t)i, "replica_groups has %zu ids but not id %zu", count, i);
  WANT(!size || type->dims[1] == size, "replica_groups has groups of %lld, must have groups of %lld",
       (long long)type->dims[1], (long long)size);
  return NULL;
}

static unsigned global_flag(const ten_op *op) {
  return ten_attr_as_bool(ten_op_attr(op, "use_global_device_ids")) ? GLOBAL_IDS : 0;
}

static ten_status *want_channel(const ten_op *op, int64_t least) {
  const int64_t id = ten_attr_as_int(ten_attr_field(ten_op_attr(op, "channel_handle"), "handle"), 0);
  WANT(!global_flag(op) || id >= least, "channel id is %lld, must be %s where use_global_device_ids is set",
       (long long)id, least ? "positive" : "at least 0");
  return NULL;
}

/* The number of devices in a group; 0 when unknown. */
static int64_t group_size(const ten_op *op) {
  const ten_attr *groups = ten_op_attr(op, "replica_groups");
  const ten_attr *channel = ten_op_attr(op, "channel_handle");
  if (channel && !global_flag(op)) return 0;
  return groups->kind == TEN_ATTR_DENSE && groups->dense.type->rank == 2 ? groups->dense.type->dims[1] : 0;
}

TEN_INFER(all_gather) {
  WANT(op->operand_count == op->result_count, "has %u operands and %u results, must have as many", op->operand_count,
       op->result_count);
  TEN_TRY(want_groups(m, op, UNIFORM | COMPLETE | global_flag(op), 0));
  TEN_TRY(want_channel(op, 0));
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *operand = ten_in(op, i), *hint = ten_out(op, i);
    int64_t dim;
    TEN_TRY(ten_want_dim(op, "all_gather_dim", operand->rank, "operand", &dim));
    WANT(operand->dims[dim] != 0, "operand %u has size 0 in all_gather_dim = %lld", i, (long long)dim);
    int64_t *dims = ten_arena_copy(&m->arena, operand->dims, operand->rank * sizeof *dims);
    const int64_t size = group_size(op);
    int64_t *gathered = &dims[dim];
    /* The groups may be known only at run time: then the declared size is used. */
    if (hint && ten_is_shaped(hint) && hint->rank == operand->rank && ten_dim_known(hint->dims[dim]))
      *gathered = hint->dims[dim];
    else if (!size || !ten_dim_known(*gathered))
      *gathered = TEN_DYNAMIC;
    else
      WANT(ten_mul_i64(*gathered, size, gathered), "the gathered dimension is larger than 2^63");
    out[i] = ten_make_tensor(m, operand->element, operand->rank, dims, NULL);
  }
  return NULL;
}

TEN_VERIFY(all_gather) {
  const int64_t dim = ten_op_int(op, "all_gather_dim", 0);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const int64_t from = ten_in(op, i)->dims[dim], to = ten_out(op, i)->dims[dim];
    WANT(!ten_dim_known(from) || !ten_dim_known(to) || to % from == 0,
         "result %u has size %lld in dimension %lld, not a multiple of operand's %lld", i, (long long)to,
         (long long)dim, (long long)from);
  }
  (void)m;
  return NULL;
}

static ten_status *want_computation(ten_module *m, const ten_op *op, const ten_type *operand) {
  const ten_type *scalar = ten_make_tensor(m, operand->element, 0, NULL, NULL);
  const ten_reducer r = {.count = 1, .name = "computation", .inputs = &operand, .inits = &scalar};
  return ten_want_reducer(m, op, &r);
}

TEN_INFER(all_reduce) {
  WANT(op->operand_count == op->result_count, "has %u operands and %u results, must have as many", op->operand_count,
       op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    out[i] = ten_with_element(m, ten_in(op, i), ten_reducer_element(op, 0, 0, ten_in(op, i)));
  return NULL;
}

TEN_VERIFY(all_reduce) {
  TEN_TRY(want_groups(m, op, COMPLETE | global_flag(op), 0));
  TEN_TRY(want_channel(op, 1));
  for (uint32_t i = 0; i < op->operand_count; i++) TEN_TRY(want_computation(m, op, ten_in(op, i)));
  return NULL;
}

TEN_INFER(reduce_scatter) {
  const ten_type *operand = ten_in(op, 0), *hint = ten_out(op, 0);
  TEN_TRY(want_groups(m, op, UNIFORM | COMPLETE | global_flag(op), 0));
  TEN_TRY(want_channel(op, 1));
  TEN_TRY(want_computation(m, op, operand));
  int64_t dim;
  TEN_TRY(ten_want_dim(op, "scatter_dimension", operand->rank, "operand", &dim));
  int64_t *dims = ten_arena_copy(&m->arena, operand->dims, operand->rank * sizeof *dims);
  const int64_t size = group_size(op);
  if (hint && ten_is_shaped(hint) && hint->rank == operand->rank && ten_dim_known(hint->dims[dim]))
    dims[dim] = hint->dims[dim];
  else
    dims[dim] = size && ten_dim_known(dims[dim]) ? dims[dim] / size : TEN_DYNAMIC;
  return out[0] = ten_make_tensor(m, ten_reducer_element(op, 0, 0, operand), operand->rank, dims, NULL), NULL;
}

TEN_VERIFY(reduce_scatter) {
  (void)m;
  const int64_t dim = ten_op_int(op, "scatter_dimension", 0), from = ten_in(op, 0)->dims[dim],
                to = ten_out(op, 0)->dims[dim];
  if (!ten_dim_known(from) || !ten_dim_known(to)) return NULL;
  WANT(from && to, "operand has size %lld and result %lld in scatter_dimension = %lld, neither may be 0",
       (long long)from, (long long)to, (long long)dim);
  WANT(from % to == 0, "operand has size %lld in scatter_dimension = %lld, not a multiple of result's %lld",
       (long long)from, (long long)dim, (long long)to);
  return NULL;
}

TEN_INFER(all_to_all) {
  WANT(op->operand_count == op->result_count, "has %u operands and %u results, must have as many", op->operand_count,
       op->result_count);
  const int64_t parts = ten_op_int(op, "split_count", 0);
  WANT(parts > 0, "split_count = %lld, must be positive", (long long)parts);
  TEN_TRY(want_groups(m, op, UNIFORM | COMPLETE, parts));
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *operand = ten_in(op, i);
    const int64_t *own = ten_bounds_of(operand);
    int64_t split, concat;
    TEN_TRY(ten_want_dim(op, "split_dimension", operand->rank, "operand", &split));
    TEN_TRY(ten_want_dim(op, "concat_dimension", operand->rank, "operand", &concat));
    int64_t *dims = ten_arena_copy(&m->arena, operand->dims, operand->rank * sizeof *dims);
    int64_t *bounds = own ? ten_arena_copy(&m->arena, own, operand->rank * sizeof *own) : NULL;
    WANT(!ten_dim_known(dims[split]) || dims[split] % parts == 0,
         "dimension %lld has size %lld, not a multiple of split_count = %lld", (long long)split, (long long)dims[split],
         (long long)parts);
    if (ten_dim_known(dims[split])) dims[split] /= parts;
    if (ten_dim_known(dims[concat]))
      WANT(ten_mul_i64(dims[concat], parts, &dims[concat]), "dimension %lld, concatenated, is larger than 2^63",
           (long long)concat);
    if (bounds && ten_dim_known(bounds[split])) bounds[split] /= parts;
    if (bounds && ten_dim_known(bounds[concat]))
      WANT(ten_mul_i64(bounds[concat], parts, &bounds[concat]), "bound of dimension %lld is larger than 2^63",
           (long long)concat);
    out[i] = ten_make_tensor(m, operand->element, operand->rank, dims, bounds);
  }
  return NULL;
}

/* If has_dynamic_root is set, the last operand names the root device of each of the others. */
static ten_status *want_root(ten_module *m, const ten_op *op, uint32_t *data) {
  const bool dynamic = ten_attr_as_bool(ten_op_attr(op, "has_dynamic_root"));
  WANT(op->operand_count > dynamic, "has %u operands, takes at least %u%s", op->operand_count, 1 + (unsigned)dynamic,
       dynamic ? ": data and root" : "");
  *data = op->operand_count - dynamic;
  WANT(op->result_count == *data, "has %u results for %u data operands", op->result_count, *data);
  if (!dynamic) return NULL;
  const ten_type *root = ten_in(op, *data);
  WANT(ten_type_has_class(root, IS_SINT | ONLY_I32 | OF_RANK_1), "root is %s, must be %s", ten_say_type(m, root),
       ten_class_text(m, IS_SINT | ONLY_I32 | OF_RANK_1));
  WANT(root->dims[0] == *data, "root has %s entries for %u data operands", ten_say_dim(m, root->dims[0]), *data);
  return NULL;
}

TEN_INFER(collective_broadcast) {
  uint32_t data;
  TEN_TRY(want_root(m, op, &data));
  for (uint32_t i = 0; i < data; i++) out[i] = ten_in(op, i);
  return NULL;
}

TEN_VERIFY(collective_broadcast) { return want_groups(m, op, UNIFORM, 0); }

TEN_INFER(collective_reduce) {
  uint32_t data;
  TEN_TRY(want_root(m, op, &data));
  for (uint32_t i = 0; i < data; i++)
    out[i] = ten_with_element(m, ten_in(op, i), ten_reducer_element(op, 0, 0, ten_in(op, i)));
  return NULL;
}

TEN_VERIFY(collective_reduce) {
  TEN_TRY(want_groups(m, op, COMPLETE | global_flag(op), 0));
  TEN_TRY(want_channel(op, 1));
  for (uint32_t i = 0; i < op->result_count; i++) TEN_TRY(want_computation(m, op, ten_in(op, i)));
  return NULL;
}

TEN_VERIFY(collective_permute) {
  const ten_attr *pairs = ten_op_attr(op, "source_target_pairs");
  const ten_type *type = pairs->dense.type;
  WANT(type->dtype == TEN_I64 && type->rank == 2 && type->dims[1] == 2,
       "source_target_pairs is %s, must be pairs of i64: shape [n, 2]", ten_say_type(m, type));
  ten_ints ids;
  WANT(ten_dense_ints(m, pairs, &ids), "source_target_pairs is %s, which is more than any machine has",
       ten_say_type(m, type));
  int64_t *sorted;
  size_t count;
  TEN_TRY(sorted_ids(m, op, ids.count / 2, 2, ids.data, "source_target_pairs, as source,", false, &sorted, &count));
  return sorted_ids(m, op, ids.count / 2, 2, ids.data + 1, "source_target_pairs, as target,", false, &sorted, &count);
}

TEN_VERIFY(cross_replica_sum) { return want_groups(m, op, 0, 0); }
