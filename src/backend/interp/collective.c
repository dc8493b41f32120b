/* collective.c: collectives. */
#include <stdlib.h>

#include "backend/interp/grid.h"
#include "backend/interp/lanes.h"
#include "base/size.h"

/* A process's group: its members, in program order. Empty: the process is in no group. */
typedef struct group {
  TEN_VEC(uint32_t) members;
} group;

typedef enum strategy { CROSS_REPLICA, CROSS_PARTITION, CROSS_REPLICA_AND_PARTITION, FLATTENED_IDS } strategy;

typedef struct id_groups {
  TEN_VEC(int64_t) ids; /* all groups, concatenated */
  TEN_VEC(size_t) ends; /* end index of each */
} id_groups;

static void id_groups_free(id_groups *g) {
  ten_vec_free(&g->ids);
  ten_vec_free(&g->ends);
}

/* dense<[[0, 1], [2, -1]]>: -1 pads shorter rows. */
static ten_status *groups_of_dense(interp_call *call, const ten_attr *attr, id_groups *out) {
  const ten_type *type = attr->dense.type;
  if (type->rank != 2) return interp_error(call, TEN_INVALID, "replica_groups must have rank 2");
  for (int64_t row = 0; row < type->dims[0]; row++) {
    for (int64_t i = 0; i < type->dims[1]; i++) {
      const int64_t id = ten_dense_int(attr, (size_t)(row * type->dims[1] + i));
      if (id >= 0) ten_vec_push(&out->ids, id);
    }
    ten_vec_push(&out->ends, out->ids.count);
  }
  return NULL;
}

typedef struct mesh_axis {
  ten_str name;
  int64_t size;
} mesh_axis;

typedef struct mesh {
  mesh_axis axis[TEN_RANK_MAX];
  size_t rank;
  int64_t total;              /* devices */
  const ten_attr *device_ids; /* NULL: in order */
  const ten_attr *refs;       /* the axes, or sub-axes, along which a group extends */
} mesh;

/* The sub-axis that a reference names: `before` parts above it, of `size`. */
static bool axis_part(const mesh *m, const ten_attr *ref, size_t *out_axis, int64_t *out_size, int64_t *out_below) {
  const ten_attr *sub = ten_attr_field(ref, "sub_axis_info");
  const ten_str name = ten_attr_as_string(ten_attr_field(ref, "name"));
  size_t a = 0;
  while (a < m->rank && !ten_str_eq(m->axis[a].name, name)) a++;
  if (a == m->rank) return false;
  const int64_t before = sub ? ten_attr_as_int(ten_attr_field(sub, "pre_size"), 1) : 1;
  *out_axis = a;
  *out_size = sub ? ten_attr_as_int(ten_attr_field(sub, "size"), 1) : m->axis[a].size;
  if (before <= 0 || *out_size <= 0 || m->axis[a].size / before < *out_size) return false;
  *out_below = m->axis[a].size / before / *out_size;
  return true;
}

static ten_status *mesh_of(interp_call *call, const ten_attr *attr, mesh *out) {
  const ten_attr *from = ten_attr_field(attr, "mesh"), *refs = ten_attr_field(attr, "axes");
  if (from && from->kind == TEN_ATTR_SYMBOL) {
    const ten_op *holder = NULL;
    for (const ten_op *scope = ten_op_parent(call->op); scope && !holder; scope = ten_op_parent(scope))
      holder = ten_symbol_find(scope, ten_attr_as_string(from));
    from = holder ? ten_op_attr(holder, "mesh") : NULL;
    if (holder && !from) from = ten_op_attr(holder, "stablehlo.mesh");
  }
  if (!from || from->kind != TEN_ATTR_STRUCT || from->record.id != TEN_STRUCT_MESH || !refs ||
      refs->kind != TEN_ATTR_ARRAY)
    return interp_error(call, TEN_UNSUPPORTED, "groups by mesh axes need a #stablehlo.mesh");
  const ten_attr *axes = ten_attr_field(from, "axes");
  *out = (mesh){
      .rank = axes ? axes->array.count : 0, .total = 1, .device_ids = ten_attr_field(from, "device_ids"), .refs = refs};
  if (out->rank > TEN_RANK_MAX)
    return interp_error(call, TEN_LIMIT, "a mesh of %zu axes; the limit is %d", out->rank, TEN_RANK_MAX);
  for (size_t i = 0; i < out->rank; i++) {
    out->axis[i] = (mesh_axis){ten_attr_as_string(ten_attr_field(axes->array.items[i], "name")),
                               ten_attr_as_int(ten_attr_field(axes->array.items[i], "size"), 1)};
    if (out->axis[i].size <= 0 || !ten_mul_i64(out->total, out->axis[i].size, &out->total))
      return interp_error(call, TEN_INVALID, "mesh axis %zu has size %lld", i, (long long)out->axis[i].size);
  }
  return NULL;
}

/* A device's index in its group, and a key shared by all of the group. */
static void place_in_group(const mesh *m, int64_t device, int64_t *out_place, int64_t *out_key) {
  int64_t coordinate[TEN_RANK_MAX], left = device;
  for (size_t i = m->rank; i-- > 0; left /= m->axis[i].size) coordinate[i] = left % m->axis[i].size;
  *out_place = *out_key = 0;
  for (size_t r = 0; r < m->refs->array.count; r++) {
    size_t a = 0;
    int64_t size = 1, below = 1;
    if (!axis_part(m, m->refs->array.items[r], &a, &size, &below)) continue;
    const int64_t digit = coordinate[a] / below % size;
    *out_place = *out_place * size + digit;
    coordinate[a] -= digit * below;
  }
  for (size_t i = 0; i < m->rank; i++) *out_key = *out_key * m->axis[i].size + coordinate[i];
}

/* Groups along some axes of a mesh: devices that differ only there form a group. */
static ten_status *groups_of_mesh(interp_call *call, const ten_attr *attr, id_groups *out) {
  mesh m;
  TEN_TRY(mesh_of(call, attr, &m));
  int64_t members = 1;
  for (size_t r = 0; r < m.refs->array.count; r++) {
    size_t a;
    int64_t size, below;
    const ten_attr *ref = m.refs->array.items[r];
    if (!axis_part(&m, ref, &a, &size, &below) || !ten_mul_i64(members, size, &members))
      return interp_error(call, TEN_INVALID, "the mesh has no axis \"%.*s\" of such a part",
                          TEN_FMT(ten_attr_as_string(ten_attr_field(ref, "name"))));
  }
  if (members > m.total || m.total % members)
    return interp_error(call, TEN_INVALID, "groups of %lld devices do not divide a mesh of %lld", (long long)members,
                        (long long)m.total);
  TEN_VEC(int64_t) keys = {0};
  int64_t *ids = ten_alloc((size_t)m.total * sizeof *ids);
  ten_status *status = NULL;
  for (int64_t device = 0; device < m.total && !status; device++) {
    int64_t place, key;
    place_in_group(&m, device, &place, &key);
    size_t g = 0;
    while (g < keys.count && keys.data[g] != key) g++;
    if (g == keys.count) ten_vec_push(&keys, key);
    if ((int64_t)g >= m.total / members) /* more groups than possible */
      status = interp_error(call, TEN_INVALID, "the axes of a group overlap");
    else
      ids[(int64_t)g * members + place] = m.device_ids ? ten_dense_int(m.device_ids, (size_t)device) : device;
  }
  for (int64_t i = 0; i < m.total && !status; i++) {
    ten_vec_push(&out->ids, ids[i]);
    if ((i + 1) % members == 0) ten_vec_push(&out->ends, out->ids.count);
  }
  ten_vec_free(&keys);
  free(ids);
  return status;
}

/* Expands the attribute's groups over the grid and finds the one with this process. */
static ten_status *group_find(interp_call *call, const ten_attr *attr, strategy how, group *out) {
  const interp_grid *grid = call->state->grid;
  const uint32_t replicas = interp_grid_replicas(grid), partitions = interp_grid_partitions(grid);
  const uint32_t self = call->state->replica * partitions + call->state->partition;
  id_groups groups = {0};
  ten_status *status = NULL;
  if (attr && attr->kind == TEN_ATTR_DENSE)
    status = groups_of_dense(call, attr, &groups);
  else if (attr && attr->kind == TEN_ATTR_STRUCT)
    status = groups_of_mesh(call, attr, &groups);
  if (!status && !groups.ends.count) { /* no groups: one group of all processes */
    const uint32_t all = how == CROSS_PARTITION ? partitions : how == FLATTENED_IDS ? replicas * partitions : replicas;
    for (uint32_t i = 0; i < all; i++) ten_vec_push(&groups.ids, (int64_t)i);
    ten_vec_push(&groups.ends, groups.ids.count);
  }
  const int64_t limit = how == CROSS_PARTITION ? partitions
                        : how == FLATTENED_IDS ? (int64_t)replicas * partitions
                                               : replicas;
  for (size_t i = 0; i < groups.ids.count && !status; i++)
    if (groups.ids.data[i] < 0 || groups.ids.data[i] >= limit)
      status = interp_error(call, TEN_INVALID, "group member %lld; there are %lld", (long long)groups.ids.data[i],
                            (long long)limit);
  size_t start = 0;
  for (size_t g = 0; g < groups.ends.count && !status && !out->members.count; start = groups.ends.data[g++]) {
    const size_t end = groups.ends.data[g];
    const uint32_t copies = how == CROSS_REPLICA ? partitions : how == CROSS_PARTITION ? replicas : 1;
    for (uint32_t copy = 0; copy < copies && !out->members.count; copy++) {
      bool mine = false;
      const uint32_t layers = how == CROSS_REPLICA_AND_PARTITION ? partitions : 1;
      for (uint32_t layer = 0; layer < layers; layer++)
        for (size_t i = start; i < end; i++) {
          const uint32_t id = (uint32_t)groups.ids.data[i];
          const uint32_t process = how == CROSS_REPLICA     ? id * partitions + copy
                                   : how == CROSS_PARTITION ? copy * partitions + id
                                   : how == FLATTENED_IDS   ? id
                                                            : id * partitions + layer;
          mine = mine || process == self;
          ten_vec_push(&out->members, process);
        }
      if (!mine) out->members.count = 0;
    }
  }
  id_groups_free(&groups);
  return status;
}

static int64_t channel_of(const ten_op *op) {
  return ten_attr_as_int(ten_attr_field(ten_op_attr(op, "channel_handle"), "handle"), 0);
}

static strategy reducing_strategy(const ten_op *op) {
  const bool global = ten_attr_as_bool(ten_op_attr(op, "use_global_device_ids"));
  return global ? FLATTENED_IDS : channel_of(op) > 0 ? CROSS_REPLICA_AND_PARTITION : CROSS_REPLICA;
}
static strategy moving_strategy(const ten_op *op) { return channel_of(op) > 0 ? CROSS_PARTITION : CROSS_REPLICA; }

/* Exchanges values with the group: member i's value k is at i * count + k. NULL when the process is in no group. */
static ten_status *exchange(interp_call *call, strategy how, uint32_t count, group *members, ten_tensor ***out_values) {
  *out_values = NULL;
  TEN_TRY(group_find(call, ten_op_attr(call->op, "replica_groups"), how, members));
  if (!members->members.count) return NULL;
  ten_tensor **values = ten_alloc((members->members.count * count + 1) * sizeof *values);
  memset(values, 0, (members->members.count * count + 1) * sizeof *values);
  ten_status *status = interp_grid_meet(call, members->members.count, members->members.data, channel_of(call->op),
                                        count, call->in, values);
  if (status)
    free(values);
  else
    *out_values = values;
  return status;
}

static void exchange_free(group *members, uint32_t count, ten_tensor **values) {
  if (values) ten_tensors_release(values, members->members.count * count);
  free(values);
  ten_vec_free(&members->members);
}

static ten_status *zeros_like(const ten_tensor *x, ten_tensor **out) {
  return ten_tensor_create(x->dtype, x->rank, x->dims, out);
}

/* Concatenates the parts along `dim`. */
static ten_status *join(interp_call *call, size_t count, ten_tensor *const *parts, uint32_t dim, ten_tensor **out) {
  int64_t dims[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  const ten_tensor *first = parts[0];
  if (dim >= first->rank)
    return interp_error(call, TEN_INVALID, "dimension %u is out of range for rank %u", dim, first->rank);
  for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i];
  dims[dim] = 0;
  for (size_t k = 0; k < count; k++) {
    if (parts[k]->rank != first->rank || parts[k]->dtype != first->dtype)
      return interp_error(call, TEN_INVALID, "processes exchange values of different types");
    dims[dim] += parts[k]->dims[dim];
  }
  TEN_TRY(ten_tensor_create(first->dtype, first->rank, dims, out));
  interp_strides(*out, to);
  char *target = (*out)->data;
  for (size_t k = 0; k < count; k++) {
    interp_strides(parts[k], from);
    interp_copy_box(first->rank, parts[k]->dims, target, to, parts[k]->data, from, ten_dtype_bytes(first->dtype));
    target += parts[k]->dims[dim] * to[dim];
  }
  return NULL;
}

/* Part `index` of `count` equal parts along `dim`. */
static ten_status *part(interp_call *call, const ten_tensor *x, uint32_t dim, size_t count, size_t index,
                        ten_tensor **out) {
  int64_t dims[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  if (dim >= x->rank || !count || x->dims[dim] % (int64_t)count)
    return interp_error(call, TEN_INVALID, "dimension %u cannot be split evenly among %zu processes", dim, count);
  for (uint32_t i = 0; i < x->rank; i++) dims[i] = x->dims[i];
  dims[dim] /= (int64_t)count;
  TEN_TRY(ten_tensor_create(x->dtype, x->rank, dims, out));
  interp_strides(x, from);
  interp_strides(*out, to);
  interp_copy_box(x->rank, dims, (*out)->data, to, (const char *)x->data + (int64_t)index * dims[dim] * from[dim], from,
                  ten_dtype_bytes(x->dtype));
  return NULL;
}

ten_status *interp_all_gather(interp_call *call) {
  const uint32_t count = call->op->operand_count, dim = (uint32_t)ten_op_int(call->op, "all_gather_dim", 0);
  group g = {0};
  ten_tensor **values;
  ten_status *status = exchange(call, reducing_strategy(call->op), count, &g, &values);
  for (uint32_t k = 0; k < count && !status && values; k++) {
    ten_tensor **column = ten_alloc(g.members.count * sizeof *column);
    for (size_t i = 0; i < g.members.count; i++) column[i] = values[i * count + k];
    status = join(call, g.members.count, column, dim, &call->out[k]);
    free(column);
  }
  if (!status && !values) status = interp_error(call, TEN_INVALID, "this process is in none of the groups");
  exchange_free(&g, count, values);
  return status;
}

/* Folds the members' values, in order, with the op's region. */
static ten_status *fold(interp_call *call, size_t members, uint32_t count, uint32_t k, ten_tensor **values,
                        ten_tensor **out) {
  ten_tensor *sum = ten_tensor_retain(values[k]);
  for (size_t i = 1; i < members; i++) {
    ten_tensor *args[2] = {sum, values[i * count + k]}, *next = NULL;
    ten_status *status = ten_tensor_same_shape(args[0], args[1])
                             ? NULL
                             : interp_error(call, TEN_INVALID, "processes exchange values of different shapes");
    if (!status && call->combine)
      status = call->combine(call, args[0], args[1], &next);
    else if (!status)
      status = interp_elementwise(call, interp_region(call, 0), args, sum->rank, sum->dims, &next);
    ten_tensor_release(sum);
    if (status) return status;
    sum = next;
  }
  *out = sum;
  return NULL;
}

ten_status *interp_all_reduce(interp_call *call) {
  const uint32_t count = call->op->operand_count;
  group g = {0};
  ten_tensor **values;
  ten_status *status = exchange(call, reducing_strategy(call->op), count, &g, &values);
  if (!status && !values) status = interp_error(call, TEN_INVALID, "this process is in none of the groups");
  for (uint32_t k = 0; k < count && !status; k++) status = fold(call, g.members.count, count, k, values, &call->out[k]);
  exchange_free(&g, count, values);
  return status;
}

static size_t place_in(const interp_call *call, const group *g) {
  const uint32_t self = call->state->replica * interp_grid_partitions(call->state->grid) + call->state->partition;
  size_t place = 0;
  while (place < g->members.count && g->members.data[place] != self) place++;
  return place;
}

ten_status *interp_reduce_scatter(interp_call *call) {
  group g = {0};
  ten_tensor **values, *sum = NULL;
  ten_status *status = exchange(call, reducing_strategy(call->op), 1, &g, &values);
  if (!status && !values) status = interp_error(call, TEN_INVALID, "this process is in none of the groups");
  if (!status) status = fold(call, g.members.count, 1, 0, values, &sum);
  if (!status)
    status = part(call, sum, (uint32_t)ten_op_int(call->op, "scatter_dimension", 0), g.members.count,
                  place_in(call, &g), &call->out[0]);
  ten_tensor_release(sum);
  exchange_free(&g, 1, values);
  return status;
}

ten_status *interp_all_to_all(interp_call *call) {
  const uint32_t count = call->op->operand_count;
  const uint32_t split = (uint32_t)ten_op_int(call->op, "split_dimension", 0),
                 concat = (uint32_t)ten_op_int(call->op, "concat_dimension", 0);
  const size_t parts = (size_t)ten_op_int(call->op, "split_count", 1);
  group g = {0};
  ten_tensor **values;
  ten_status *status = exchange(call, moving_strategy(call->op), count, &g, &values);
  if (!status && (!values || g.members.count != parts))
    status = interp_error(call, TEN_INVALID, "split_count is %zu, the group has %zu processes", parts, g.members.count);
  const size_t place = place_in(call, &g);
  for (uint32_t k = 0; k < count && !status; k++) {
    ten_tensor **pieces = ten_alloc(parts * sizeof *pieces);
    memset(pieces, 0, parts * sizeof *pieces);
    for (size_t i = 0; i < parts && !status; i++)
      status = part(call, values[i * count + k], split, parts, place, &pieces[i]);
    if (!status) status = join(call, parts, pieces, concat, &call->out[k]);
    ten_tensors_release(pieces, parts);
    free(pieces);
  }
  exchange_free(&g, count, values);
  return status;
}

/* The member that provides result k: the first, or the one in the last operand. */
static ten_status *root_of(interp_call *call, const group *g, uint32_t k, size_t *out) {
  *out = 0;
  if (!ten_attr_as_bool(ten_op_attr(call->op, "has_dynamic_root"))) return NULL;
  const ten_tensor *roots = call->in[call->op->operand_count - 1];
  const int64_t root = k < roots->count ? ten_tensor_int(roots, k) : -1;
  if (root < 0 || (size_t)root >= g->members.count)
    return interp_error(call, TEN_INVALID, "root %lld is out of range for a group of %zu processes", (long long)root,
                        g->members.count);
  *out = (size_t)root;
  return NULL;
}

ten_status *interp_collective_broadcast(interp_call *call) {
  const uint32_t count = call->op->result_count;
  group g = {0};
  ten_tensor **values;
  ten_status *status = exchange(call, moving_strategy(call->op), count, &g, &values);
  for (uint32_t k = 0; k < count && !status; k++) {
    size_t root = 0;
    if (values) status = root_of(call, &g, k, &root);
    if (status) break;
    if (values)
      call->out[k] = ten_tensor_retain(values[root * count + k]);
    else
      status = zeros_like(call->in[k], &call->out[k]);
  }
  exchange_free(&g, count, values);
  return status;
}

ten_status *interp_collective_reduce(interp_call *call) {
  const uint32_t count = call->op->result_count;
  group g = {0};
  ten_tensor **values;
  ten_status *status = exchange(call, reducing_strategy(call->op), count, &g, &values);
  for (uint32_t k = 0; k < count && !status; k++) {
    size_t root = 0;
    if (values) status = root_of(call, &g, k, &root);
    if (status) break;
    if (values && root == place_in(call, &g))
      status = fold(call, g.members.count, count, k, values, &call->out[k]);
    else
      status = zeros_like(call->in[k], &call->out[k]);
  }
  exchange_free(&g, count, values);
  return status;
}

/* All processes in a pair take part; each target takes its source's value, the others get zeros. */
ten_status *interp_collective_permute(interp_call *call) {
  const ten_attr *pairs = ten_op_attr(call->op, "source_target_pairs");
  const interp_grid *grid = call->state->grid;
  const uint32_t partitions = interp_grid_partitions(grid), replicas = interp_grid_replicas(grid);
  const bool across = moving_strategy(call->op) == CROSS_PARTITION;
  const int64_t self = across ? call->state->partition : call->state->replica, limit = across ? partitions : replicas;
  if (!pairs || pairs->kind != TEN_ATTR_DENSE) return interp_error(call, TEN_INVALID, "has no source_target_pairs");
  const size_t count = (size_t)ten_type_count(pairs->dense.type);
  group g = {0};
  int64_t source = -1;
  bool named = false;
  for (size_t i = 0; i + 1 < count; i += 2) {
    if (ten_dense_int(pairs, i + 1) == self) source = ten_dense_int(pairs, i);
    named = named || ten_dense_int(pairs, i) == self || ten_dense_int(pairs, i + 1) == self;
  }
  size_t from = 0;
  for (int64_t id = 0; id < limit; id++) { /* in order, each once */
    bool present = false;
    for (size_t i = 0; i < count; i++) present = present || ten_dense_int(pairs, i) == id;
    if (!present) continue;
    if (id == source) from = g.members.count;
    ten_vec_push(&g.members, (uint32_t)(across ? call->state->replica * partitions + id
                                               : id * partitions + call->state->partition));
  }
  ten_tensor **values = ten_alloc((g.members.count + 1) * sizeof *values);
  memset(values, 0, (g.members.count + 1) * sizeof *values);
  ten_status *status =
      named ? interp_grid_meet(call, g.members.count, g.members.data, channel_of(call->op), 1, call->in, values) : NULL;
  if (!status && named && source >= 0)
    call->out[0] = ten_tensor_retain(values[from]);
  else if (!status)
    status = zeros_like(call->in[0], &call->out[0]);
  exchange_free(&g, 1, values);
  return status;
}

ten_status *interp_cross_replica_sum(interp_call *call) {
  group g = {0};
  ten_tensor **values, *sum = NULL;
  ten_status *status = exchange(call, CROSS_REPLICA, 1, &g, &values);
  if (!status && !values) status = interp_error(call, TEN_INVALID, "this process is in none of the groups");
  if (!status) sum = ten_tensor_retain(values[0]);
  for (size_t i = 1; i < g.members.count && !status; i++) {
    ten_tensor *next = NULL;
    status = interp_binary_on(call, TEN_OP_ADD, sum, values[i], &next);
    ten_tensor_release(sum);
    sum = next;
  }
  if (!status) call->out[0] = sum;
  exchange_free(&g, 1, values);
  return status;
}

ten_status *interp_replica_id(interp_call *call) {
  TEN_TRY(interp_make(call, 0, 0, NULL, &call->out[0]));
  interp_store_int(call->out[0], 0, call->state->replica);
  return NULL;
}

ten_status *interp_partition_id(interp_call *call) {
  TEN_TRY(interp_make(call, 0, 0, NULL, &call->out[0]));
  interp_store_int(call->out[0], 0, call->state->partition);
  return NULL;
}

ten_status *interp_send(interp_call *call) {
  TEN_TRY(interp_grid_send(call, channel_of(call->op), call->op->operand_count - 1, call->in));
  call->out[0] = ten_tensor_token();
  return NULL;
}

ten_status *interp_recv(interp_call *call) {
  if (!call->op->result_count) return interp_error(call, TEN_INVALID, "has no result");
  TEN_TRY(interp_grid_receive(call, channel_of(call->op), call->op->result_count - 1, call->out));
  call->out[call->op->result_count - 1] = ten_tensor_token();
  return NULL;
}

ten_status *interp_infeed(interp_call *call) {
  if (!call->op->result_count) return interp_error(call, TEN_INVALID, "has no result");
  const interp_func *next = call->state->grid ? interp_grid_infeed_next(call->state->grid) : NULL;
  if (!next)
    return interp_error(call, TEN_INVALID,
                        "nothing is left in the infeed; interpreter.run_parallel gives it its items");
  if (next->body.return_count != call->op->result_count - 1)
    return interp_error(call, TEN_INVALID, "the infeed item has %u values, %u are expected", next->body.return_count,
                        call->op->result_count - 1);
  TEN_TRY(interp_func_run(call->state, next, NULL, call->out));
  call->out[call->op->result_count - 1] = ten_tensor_token();
  return NULL;
}

/* Outfed values are discarded. */
ten_status *interp_outfeed(interp_call *call) {
  call->out[0] = ten_tensor_token();
  return NULL;
}
