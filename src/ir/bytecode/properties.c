/* properties.c: inherent attributes in the ops' own encoding: one number an attribute, ordered by name; the lowest bit
 * of an optional one is its presence flag. Older files lack attributes that an op gained later, so the numbers are
 * counted first. */
#include "ir/bytecode/reader.h"

enum { PROPERTIES_MAX = 32 };

typedef struct property {
  const char *name;
  bool required;
} property;

/* Ops that ops.def does not list, but whose dialect registers them. */
static const struct {
  const char *op;
  property attrs[5];
} other_ops[] = {
    {"sdy.mesh", {{"mesh", true}, {"sym_name", true}}},
    {"sdy.sharding_constraint", {{"sharding", true}}},
    {"sdy.reshard", {{"sharding", true}}},
    {"sdy.manual_computation", {{"in_shardings", true}, {"manual_axes", true}, {"out_shardings", true}}},
    {"sdy.sharding_group", {{"group_id", true}}},
    {"sdy.constant", {{"value", true}}},
    {"sdy.data_flow_edge", {{"sharding", false}}},
    {"sdy.propagation_barrier", {{"allowed_direction", true}}},
    {"sdy.named_computation", {{"in_shardings", false}, {"name", true}, {"out_shardings", false}}},
    {"sdy.all_gather", {{"gathering_axes", true}, {"out_sharding", true}}},
    {"sdy.all_slice", {{"out_sharding", true}, {"slicing_axes", true}}},
    {"sdy.all_to_all", {{"out_sharding", true}, {"params", true}}},
    {"sdy.collective_permute", {{"out_sharding", true}}},
    {"sdy.all_reduce", {{"out_sharding", true}, {"reduction_axes", true}}},
    {"arith.constant", {{"value", true}}},
    {"shape.const_shape", {{"shape", true}}},
    {"sdy.reduce_scatter", {{"out_sharding", true}, {"reduce_scatter_axes", true}}},
};

/* Attributes that ops gained over time, newest first. */
static const struct {
  ten_opcode code;
  const char *attr;
} gained[] = {
    {TEN_OP_FUNC, "no_inline"},
    {TEN_OP_CALL, "res_attrs"},
    {TEN_OP_CALL, "arg_attrs"},
    {TEN_OP_CALL, "no_inline"},
    {TEN_OP_CUSTOM_CALL, "result_tilings"},
    {TEN_OP_COLLECTIVE_BROADCAST, "has_dynamic_root"},
    {TEN_OP_SEND, "source_target_pairs"},
    {TEN_OP_RECV, "source_target_pairs"},
    {TEN_OP_DOT_GENERAL, "algorithm"},
    {TEN_OP_CHLO_TOP_K, "is_stable"},
    {TEN_OP_CHLO_SCAN, "scan_dim_size"},
};

static bool is_segments(const char *name) {
  return !strcmp(name, "operandSegmentSizes") || !strcmp(name, "resultSegmentSizes");
}

static size_t insert_sorted(property *list, size_t count, property item) {
  if (count == PROPERTIES_MAX) return count;
  size_t at = count;
  for (; at > 0 && strcmp(list[at - 1].name, item.name) > 0; at--) list[at] = list[at - 1];
  list[at] = item;
  return count + 1;
}

static size_t properties_of(const bc_op_name *name, property *list, bool *has_operand_segments,
                            bool *has_result_segments) {
  size_t count = 0;
  if (name->vhlo) {
    for (const vhlo_attr_row *row = name->vhlo->attrs; row->name; row++)
      count = insert_sorted(list, count, (property){row->name, true});
    return count;
  }
  for (const ten_attr_spec *spec = ten_op_infos[name->code].attrs; spec->kind != TEN_SPEC_END; spec++) {
    if (!is_segments(spec->name))
      count = insert_sorted(list, count, (property){spec->name, spec->required});
    else
      *(spec->name[0] == 'o' ? has_operand_segments : has_result_segments) = true;
  }
  for (size_t i = 0; i < sizeof other_ops / sizeof *other_ops; i++)
    if (ten_str_is(name->name, other_ops[i].op))
      for (const property *attr = other_ops[i].attrs; attr->name; attr++) count = insert_sorted(list, count, *attr);
  return count;
}

static size_t drop(property *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].name, name)) continue;
    memmove(list + i, list + i + 1, (count - i - 1) * sizeof *list);
    return count - 1;
  }
  return count;
}

static size_t count_varints(bc_bytes bytes) {
  size_t count = 0;
  for (; bc_ok(&bytes) && bc_left(&bytes); count++) bc_varint(&bytes);
  return count;
}

static bool is_accurate(ten_opcode code) {
  const ten_attr_spec *spec = ten_op_spec(code, TEN_STR("result_accuracy"));
  return spec != NULL;
}

/* The number of operands (results) in each group: zeros are omitted where that is shorter. */
static const ten_attr *segments(bc_bytes *bytes) {
  enum { SEGMENTS_MAX = 8 };
  int32_t sizes[SEGMENTS_MAX] = {0};
  bool sparse;
  const uint64_t count = bc_flagged(bytes, &sparse);
  if (count > SEGMENTS_MAX) bc_fail(bytes->reader, "an op has %llu groups of operands", (unsigned long long)count);
  if (!bc_ok(bytes)) return NULL;
  const uint64_t index_bits = sparse ? bc_varint(bytes) : 0;
  uint64_t last = 0;
  for (uint64_t i = 0; i < count && bc_ok(bytes); i++) {
    uint64_t value = bc_varint(bytes), index = i;
    if (sparse && index_bits < 8) index = value & ((UINT64_C(1) << index_bits) - 1), value >>= index_bits;
    if (index >= SEGMENTS_MAX || value > INT32_MAX)
      bc_fail(bytes->reader, "a group of %llu operands is larger than the op has", (unsigned long long)value);
    else
      sizes[index] = (int32_t)value;
    if (index > last) last = index;
  }
  return ten_attr_list(bytes->reader->module, TEN_I32, (size_t)last + 1, sizes);
}

void bc_read_properties(bc_reader *reader, const bc_op_name *name, uint64_t index, bc_attr_list *out) {
  if (index >= reader->property_count) {
    bc_fail(reader, "properties %llu are out of range: there are %zu", (unsigned long long)index,
            reader->property_count);
    return;
  }
  bc_bytes bytes = bc_open(reader, reader->properties[index]);
  property list[PROPERTIES_MAX];
  bool operand_segments = false, result_segments = false;
  size_t count = properties_of(name, list, &operand_segments, &result_segments);
  const bool has_segments = operand_segments || result_segments;
  if (!name->vhlo && !has_segments) {
    const size_t written = count_varints(bytes);
    for (size_t i = 0; i < sizeof gained / sizeof *gained && count > written; i++)
      if (gained[i].code == name->code) count = drop(list, count, gained[i].attr);
    if (count > written && is_accurate(name->code)) count = drop(list, count, "result_accuracy");
  }
  for (size_t i = 0; i < count && bc_ok(&bytes); i++) {
    const ten_attr *value = list[i].required ? bc_attr(&bytes) : bc_optional_attr(&bytes);
    if (value) ten_vec_push(out, (ten_named_attr){ten_str_of(list[i].name), value, true});
  }
  const ten_attr *sizes;
  if (operand_segments && (sizes = segments(&bytes)))
    ten_vec_push(out, (ten_named_attr){TEN_STR("operandSegmentSizes"), sizes, true});
  if (result_segments && (sizes = segments(&bytes)))
    ten_vec_push(out, (ten_named_attr){TEN_STR("resultSegmentSizes"), sizes, true});
  if (!bc_ok(&bytes) || !bc_left(&bytes)) return;
  /* An unregistered op stores its properties in one dictionary; those of other unknown ops cannot be read. */
  bc_fail(reader, "%.*s has properties that are not known", TEN_FMT(name->name));
}
