/* ops.c: the IR section: ops, blocks, regions and values.
 *
 * Regions are read with an explicit stack. A value is numbered from the first value of the nearest isolated region; a
 * use may precede its definition, and refers to a placeholder until then. */
#include <stdlib.h>

#include "ir/bytecode/reader.h"

typedef struct bc_frame {
  ten_op *op;        /* whose regions are read */
  uint32_t region;   /* the one being read */
  ten_block *block;  /* the one being read; NULL before a region's first */
  uint64_t ops_left; /* in this block */
  bc_bytes bytes;
  bool isolated;
  size_t scope;       /* where value 0 is */
  size_t usable;      /* and the first that may be used: values around a module may not */
  size_t first, next; /* values of this region, and the next to define */
} bc_frame;

typedef struct bc_ops {
  bc_reader *reader;
  TEN_VEC(bc_frame) stack;
  TEN_VEC(ten_value *) values; /* of all regions being read, outermost first */
  size_t values_announced;     /* in the whole file: each takes a byte at least */
  bc_attr_list raw, attrs;     /* of the op being read */
  TEN_VEC(ten_value *) operands;
  TEN_VEC(const ten_type *) types;
} bc_ops;

static bool is_placeholder(const ten_value *value) { return !value->op && !value->block; }

static void define(bc_ops *ops, bc_frame *frame, ten_value *value) {
  if (frame->first == ops->values.count) return; /* the outermost block defines no values */
  if (frame->next == ops->values.count) {
    bc_fail(ops->reader, "a region defines more values than it announced");
    return;
  }
  ten_value **slot = &ops->values.data[frame->next++];
  if (*slot) ten_value_replace(*slot, value);
  *slot = value;
}

static ten_value *operand(bc_ops *ops, bc_frame *frame) {
  const uint64_t index = bc_varint(&frame->bytes);
  if (ops->reader->error) return NULL;
  if (index >= ops->values.count - frame->scope) {
    bc_fail(ops->reader, "value %llu is out of range: there are %zu", (unsigned long long)index,
            ops->values.count - frame->scope);
    return NULL;
  }
  if (frame->scope + index < frame->usable) {
    bc_fail(ops->reader, "value %llu is outside the module that uses it", (unsigned long long)index);
    return NULL;
  }
  ten_value **slot = &ops->values.data[frame->scope + index];
  if (!*slot) *slot = ten_arena_new(&ops->reader->module->arena, ten_value);
  return *slot;
}

/* The order of a value's uses is irrelevant here; it is read only to skip it. */
static void skip_use_orders(bc_ops *ops, bc_bytes *bytes, size_t value_count) {
  const size_t listed = value_count > 1 ? bc_count(bytes, "use lists") : 1;
  for (size_t i = 0; i < listed && bc_ok(bytes); i++) {
    if (value_count > 1 && bc_varint(bytes) >= value_count)
      bc_fail(ops->reader, "a use-list order names a value that does not exist");
    bool pairs;
    const uint64_t count = bc_flagged(bytes, &pairs);
    if (count > bc_left(bytes))
      bc_fail(ops->reader, "a use-list order has %llu entries, more than the value has uses",
              (unsigned long long)count);
    for (uint64_t k = 0; k < count && bc_ok(bytes); k++) bc_varint(bytes);
  }
}

static void read_block_args(bc_ops *ops, bc_frame *frame) {
  bc_bytes *bytes = &frame->bytes;
  bc_reader *reader = ops->reader;
  const size_t count = bc_count(bytes, "block arguments");
  for (size_t i = 0; i < count && bc_ok(bytes); i++) {
    bool has_loc = true;
    const uint64_t type = reader->version >= BC_ELIDES_ARG_LOCS ? bc_flagged(bytes, &has_loc) : bc_varint(bytes);
    const ten_type *arg_type = bc_type_at(reader, type);
    const ten_loc *loc = has_loc ? bc_loc(bytes) : NULL;
    if (!bc_ok(bytes)) return;
    define(ops, frame, ten_block_add_arg(reader->module, frame->block, arg_type, loc));
  }
  if (reader->version >= BC_HAS_USE_ORDERS && bc_byte(bytes)) skip_use_orders(ops, bytes, count);
}

static void read_block_header(bc_ops *ops, bc_frame *frame) {
  bool has_args;
  frame->ops_left = bc_flagged(&frame->bytes, &has_args);
  if (has_args) read_block_args(ops, frame);
}

/* Opens the frame's current region; leaves `block` NULL when it is empty. */
static void read_region_header(bc_ops *ops, bc_frame *frame) {
  bc_reader *reader = ops->reader;
  const size_t blocks = bc_count(&frame->bytes, "blocks");
  if (!blocks || reader->error) return;
  const size_t values = bc_count(&frame->bytes, "values");
  if (values > reader->size - ops->values_announced) bc_fail(reader, "more values are announced than there can be");
  if (reader->error) return;
  ops->values_announced += values;
  ten_region *region = &frame->op->regions[frame->region];
  for (size_t i = 0; i < blocks; i++) ten_block_create(reader->module, region);
  frame->block = region->first;
  frame->first = frame->next = ops->values.count;
  ten_vec_reserve(&ops->values, ops->values.count + values);
  for (size_t i = 0; i < values; i++) ops->values.data[ops->values.count++] = NULL;
  read_block_header(ops, frame);
}

static void close_region(bc_ops *ops, bc_frame *frame) {
  for (size_t i = frame->first; i < ops->values.count; i++)
    if (ops->values.data[i] && is_placeholder(ops->values.data[i]))
      bc_fail(ops->reader, "a value is used and never defined");
  ops->values.count = frame->first;
  frame->block = NULL;
  frame->region++;
}

static void read_op_attrs(bc_ops *ops, const bc_op_name *name, uint8_t mask, bc_bytes *bytes) {
  bc_reader *reader = ops->reader;
  ops->raw.count = ops->attrs.count = 0;
  if (mask & BC_OP_ATTRS) {
    const ten_attr *dict = bc_attr(bytes);
    if (dict && dict->kind != TEN_ATTR_DICT) bc_fail(reader, "the attributes of an op are not a dictionary");
    if (reader->error) return;
    for (size_t i = 0; i < dict->dict.count; i++) ten_vec_push(&ops->raw, dict->dict.items[i]);
  }
  if (mask & BC_OP_PROPERTIES) {
    if (reader->version < BC_HAS_PROPERTIES)
      bc_fail(reader, "properties are not part of bytecode version %u", (unsigned)reader->version);
    else if (name->registered)
      bc_read_properties(reader, name, bc_varint(bytes), &ops->raw);
    else {
      const ten_attr *dict = bc_attr(bytes);
      if (dict && dict->kind != TEN_ATTR_DICT) bc_fail(reader, "the properties of an op are not a dictionary");
      for (size_t i = 0; !reader->error && i < dict->dict.count; i++) {
        ten_vec_push(&ops->raw, dict->dict.items[i]);
        ops->raw.data[ops->raw.count - 1].inherent = true;
      }
    }
  }
  if (reader->error) return;
  if (name->vhlo)
    bc_upgrade(reader, name->vhlo, &ops->raw, &ops->attrs);
  else
    for (size_t i = 0; i < ops->raw.count; i++) ten_vec_push(&ops->attrs, ops->raw.data[i]);
}

/* Arguments and results without attributes need no empty dictionaries; text has none either. */
static void drop_empty_dicts(ten_op *func, const char *name) {
  const ten_attr *list = ten_op_attr(func, name);
  if (!list || list->kind != TEN_ATTR_ARRAY) return;
  for (size_t i = 0; i < list->array.count; i++)
    if (list->array.items[i]->kind != TEN_ATTR_DICT || list->array.items[i]->dict.count) return;
  ten_op_remove_attr(func, name);
}

/* Attributes that upstream adds implicitly, and text omits. */
static void drop_what_says_nothing(ten_op *op) {
  if (op->code == TEN_OP_FUNC || op->code == TEN_OP_CALL) {
    drop_empty_dicts(op, "arg_attrs");
    drop_empty_dicts(op, "res_attrs");
  }
  const char *config = op->code == TEN_OP_INFEED    ? "infeed_config"
                       : op->code == TEN_OP_OUTFEED ? "outfeed_config"
                                                    : NULL;
  const ten_attr *text = config ? ten_op_attr(op, config) : NULL;
  if (text && vhlo_is_default(text, VHLO_DEFAULT_NO_TEXT)) ten_op_remove_attr(op, config);
}

static void read_op_types(bc_ops *ops, bc_bytes *bytes) {
  const size_t count = bc_count(bytes, "results");
  for (size_t i = 0; i < count && bc_ok(bytes); i++) ten_vec_push(&ops->types, bc_type(bytes));
}

static void read_op_operands(bc_ops *ops, bc_frame *frame) {
  const size_t count = bc_count(&frame->bytes, "operands");
  for (size_t i = 0; i < count && bc_ok(&frame->bytes); i++) ten_vec_push(&ops->operands, operand(ops, frame));
}

/* vhlo.return_v1 is func.return inside a function. */
static ten_opcode code_of(const bc_op_name *name, const ten_op *parent) {
  if (name->vhlo && name->code == TEN_OP_RETURN && ten_op_is_func(parent)) return TEN_OP_FUNC_RETURN;
  return name->code;
}

static void check_known(bc_ops *ops, const bc_op_name *name) {
  if (name->dialect->kind != BC_VHLO || name->vhlo) return;
  bc_fail(ops->reader, "%.*s is not known (it was made by %.*s; StableHLO is known up to %u.%u)", TEN_FMT(name->name),
          TEN_FMT(ops->reader->producer), ten_vhlo_version_current.major, ten_vhlo_version_current.minor);
}

/* Reads one op without its regions; returns it, or NULL after an error. */
static ten_op *read_op(bc_ops *ops, bc_frame *frame, bool *isolated) {
  bc_reader *reader = ops->reader;
  bc_bytes *bytes = &frame->bytes;
  const uint64_t index = bc_varint(bytes);
  const bc_op_name *name = reader->error ? NULL : bc_op_at(reader, index);
  if (!name) return NULL;
  check_known(ops, name);
  const uint8_t mask = bc_byte(bytes);
  const ten_loc *loc = bc_loc(bytes);
  ops->types.count = ops->operands.count = 0;
  read_op_attrs(ops, name, mask, bytes);
  if (mask & BC_OP_RESULTS) read_op_types(ops, bytes);
  if (mask & BC_OP_OPERANDS) read_op_operands(ops, frame);
  if (mask & BC_OP_SUCCESSORS)
    bc_fail(reader, "%.*s jumps to other blocks; no dialect read here does", TEN_FMT(name->name));
  if (mask & BC_OP_USE_ORDERS && reader->version >= BC_HAS_USE_ORDERS) skip_use_orders(ops, bytes, ops->types.count);
  uint64_t regions = 0;
  if (mask & BC_OP_REGIONS) regions = bc_flagged(bytes, isolated);
  if (regions > bc_left(bytes)) bc_fail(reader, "%llu regions are announced", (unsigned long long)regions);
  if (reader->error) return NULL;
  ten_op *op = ten_op_create(reader->module, code_of(name, frame->op), name->name, loc, (uint32_t)ops->operands.count,
                             ops->operands.data, (uint32_t)ops->types.count, ops->types.data,
                             (uint32_t)ops->attrs.count, ops->attrs.data, (uint32_t)regions);
  ten_op_append(frame->block, op);
  drop_what_says_nothing(op);
  for (uint32_t i = 0; i < op->result_count; i++) define(ops, frame, &op->results[i]);
  return op;
}

static void push(bc_ops *ops, ten_op *op, bool isolated) {
  bc_reader *reader = ops->reader;
  bc_frame *parent = &ops->stack.data[ops->stack.count - 1];
  bc_frame frame = {
      .op = op, .bytes = parent->bytes, .isolated = isolated, .scope = isolated ? ops->values.count : parent->scope};
  frame.usable = op->code == TEN_OP_MODULE ? ops->values.count : parent->usable;
  if (ops->stack.count == BC_REGIONS_MAX) bc_fail(reader, "regions nest deeper than %d", BC_REGIONS_MAX);
  if (isolated && reader->version >= BC_HAS_REGION_SECTIONS) {
    unsigned id;
    ten_str data;
    if (bc_section(&parent->bytes, &id, &data) && id != BC_IR) bc_fail(reader, "regions are in section %u", id);
    frame.bytes = bc_open(reader, data);
  }
  if (!reader->error) ten_vec_push(&ops->stack, frame);
}

static void pop(bc_ops *ops) {
  const bc_frame frame = ops->stack.data[--ops->stack.count];
  if (!ops->stack.count) return;
  if (!(frame.isolated && ops->reader->version >= BC_HAS_REGION_SECTIONS))
    ops->stack.data[ops->stack.count - 1].bytes = frame.bytes;
}

/* One step: an op, the next block, the next region, or a return to the parent op. */
static void step(bc_ops *ops) {
  bc_frame *frame = &ops->stack.data[ops->stack.count - 1];
  if (!frame->block) {
    if (frame->region == frame->op->region_count) {
      pop(ops);
      return;
    }
    read_region_header(ops, frame);
    if (!frame->block) frame->region++;
    return;
  }
  if (!frame->ops_left) {
    frame->block = frame->block->next;
    if (frame->block)
      read_block_header(ops, frame);
    else
      close_region(ops, frame);
    return;
  }
  frame->ops_left--;
  bool isolated = false;
  ten_op *op = read_op(ops, frame, &isolated);
  if (op && op->region_count) push(ops, op, isolated);
}

/* The file is a block of ops; a single module becomes ours, otherwise ours contains the ops. */
static void adopt(ten_module *module, ten_op *root) {
  ten_op *only = ten_op_body(root, 0)->first;
  if (only && only == ten_op_body(root, 0)->last && only->code == TEN_OP_MODULE && only->region_count) {
    ten_op_unlink(only);
    root = only;
  }
  if (!root->regions[0].first) ten_block_create(module, &root->regions[0]);
  module->op = root;
}

void bc_read_ir(bc_reader *reader) {
  bc_ops ops = {.reader = reader};
  bc_frame root = {.op = reader->module->op, .block = ten_module_body(reader->module), .isolated = true};
  root.bytes = bc_open(reader, reader->sections[BC_IR]);
  ten_vec_push(&ops.stack, root);
  read_block_header(&ops, &ops.stack.data[0]);
  while (ops.stack.count && !reader->error) step(&ops);
  if (!reader->error) adopt(reader->module, reader->module->op);
  ten_vec_free(&ops.stack);
  ten_vec_free(&ops.values);
  ten_vec_free(&ops.raw);
  ten_vec_free(&ops.attrs);
  ten_vec_free(&ops.operands);
  ten_vec_free(&ops.types);
}
