/* write.c: portable artifacts: ops, blocks, regions, and the file around them. */
#include <stdlib.h>

#include "ir/bytecode/reader.h"
#include "ir/bytecode/writer.h"

/* The IR section needs the final numbers of attributes, types and names, so it is stored as tokens too. */
typedef enum ir_kind {
  IR_BYTE,
  IR_VARINT,
  IR_NAME,
  IR_ATTR,
  IR_TYPE,
  IR_TYPE_FLAGGED,
  IR_TYPE_PLAIN_LOC,
  IR_BEGIN,
  IR_END
} ir_kind;

typedef struct ir_token {
  ir_kind kind;
  uint64_t value;
} ir_token;

typedef struct ir_writer {
  bw_writer *writer;
  TEN_VEC(ir_token) tokens;
  bw_attr_list inherent, others;
  uint32_t depth;
} ir_writer;

static void put(ir_writer *ir, ir_kind kind, uint64_t value) { ten_vec_push(&ir->tokens, (ir_token){kind, value}); }

static void put_attr(ir_writer *ir, uint32_t attr) {
  if (!ir->writer->error) ir->writer->attrs.entries.data[attr].uses++;
  put(ir, IR_ATTR, attr);
}

static void put_type(ir_writer *ir, ir_kind kind, uint32_t type) {
  if (!ir->writer->error) ir->writer->types.entries.data[type].uses++;
  put(ir, kind, type);
}

static size_t number_values(const ten_region *region, size_t first) {
  size_t next = first;
  for (const ten_block *block = region->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->arg_count; i++) block->args[i]->number = (uint32_t)next++;
    for (const ten_op *op = block->first; op; op = op->next)
      for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = (uint32_t)next++;
  }
  return next;
}

static void write_block(ir_writer *ir, const ten_block *block, size_t values);

static void write_region(ir_writer *ir, const ten_region *region, size_t first) {
  size_t blocks = 0;
  for (const ten_block *block = region->first; block; block = block->next) blocks++;
  put(ir, IR_VARINT, blocks);
  if (!blocks) return;
  const size_t values = number_values(region, first);
  put(ir, IR_VARINT, values - first);
  for (const ten_block *block = region->first; block && !ir->writer->error; block = block->next)
    write_block(ir, block, values);
}

/* Attributes and properties; the mask bits they need. */
static uint8_t encode_attrs(ir_writer *ir, const ten_op *op, const vhlo_op *form, uint32_t *dict,
                            uint32_t *properties) {
  bw_writer *writer = ir->writer;
  const bool own_properties = form && writer->version >= BC_HAS_PROPERTIES;
  ir->inherent.count = ir->others.count = 0;
  if (form)
    bw_downgrade(writer, op, form, &ir->inherent, &ir->others);
  else
    for (uint32_t i = 0; i < op->attr_count; i++) ten_vec_push(&ir->others, op->attrs[i]);
  if (writer->error) return 0;
  uint8_t mask = 0;
  if (own_properties && ir->inherent.count) {
    uint32_t *encoded = ten_arena_new_array(&writer->arena, uint32_t, ir->inherent.count);
    for (size_t i = 0; i < ir->inherent.count; i++) encoded[i] = bw_vhlo_attr(writer, ir->inherent.data[i].value);
    const size_t begin = bw_begin(writer);
    for (size_t i = 0; i < ir->inherent.count; i++) bw_put(writer, BW_ATTR, encoded[i]);
    *properties = bw_end(writer, &writer->properties, NULL, begin);
    mask |= BC_OP_PROPERTIES;
  } else {
    for (size_t i = 0; i < ir->inherent.count; i++) ten_vec_push(&ir->others, ir->inherent.data[i]);
  }
  if (ir->others.count) {
    const ten_attr *sorted = ten_attr_dict(writer->scratch, ir->others.count, ir->others.data);
    *dict = bw_plain_dict(writer, sorted->dict.count, sorted->dict.items, form ? bw_vhlo_attr : bw_plain_attr);
    mask |= BC_OP_ATTRS;
  }
  return mask;
}

static void write_name(ir_writer *ir, const ten_op *op, const vhlo_op *form) {
  bw_writer *writer = ir->writer;
  if (form) {
    put(ir, IR_NAME, bw_op_name(writer, TEN_STR("vhlo"), ten_str_of(form->name), true));
    return;
  }
  size_t dot = 0;
  while (dot < op->name.size && op->name.data[dot] != '.') dot++;
  const ten_str dialect = {op->name.data, dot};
  const size_t rest = dot < op->name.size ? dot + 1 : dot;
  put(ir, IR_NAME,
      bw_op_name(writer, dialect, (ten_str){op->name.data + rest, op->name.size - rest}, op->code != TEN_OP_UNKNOWN));
}

static void write_op(ir_writer *ir, const ten_op *op, size_t values) {
  bw_writer *writer = ir->writer;
  writer->op = op;
  const vhlo_op *form = bw_is_plain(op) ? NULL : bw_form(writer, op);
  if (writer->error) return;
  uint32_t dict = 0, properties = 0;
  uint8_t mask = encode_attrs(ir, op, form, &dict, &properties);
  if (writer->error) return;
  if (op->result_count) mask |= BC_OP_RESULTS;
  if (op->operand_count) mask |= BC_OP_OPERANDS;
  if (op->region_count) mask |= BC_OP_REGIONS;
  write_name(ir, op, form);
  put(ir, IR_BYTE, mask);
  put_attr(ir, bw_loc(writer, op->loc));
  if (mask & BC_OP_ATTRS) put_attr(ir, dict);
  if (mask & BC_OP_PROPERTIES) put(ir, IR_VARINT, properties);
  if (op->result_count) put(ir, IR_VARINT, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++)
    put_type(ir, IR_TYPE, bw_type(writer, bw_space_of(&op->results[i]), op->results[i].type));
  if (op->operand_count) put(ir, IR_VARINT, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) put(ir, IR_VARINT, ten_op_operand(op, i)->number);
  if (!op->region_count) return;
  const bool isolated = op->code == TEN_OP_MODULE;
  put(ir, IR_VARINT, (uint64_t)op->region_count << 1 | isolated);
  if (++ir->depth > BC_REGIONS_MAX) bw_fail(writer, "regions nest deeper than %d", BC_REGIONS_MAX);
  const bool in_section = isolated && writer->version >= BC_HAS_REGION_SECTIONS;
  if (in_section) put(ir, IR_BEGIN, 0);
  for (uint32_t i = 0; i < op->region_count && !writer->error; i++)
    write_region(ir, &op->regions[i], isolated ? 0 : values);
  if (in_section) put(ir, IR_END, 0);
  ir->depth--;
}

static void write_block(ir_writer *ir, const ten_block *block, size_t values) {
  bw_writer *writer = ir->writer;
  size_t ops = 0;
  for (const ten_op *op = block->first; op; op = op->next) ops++;
  put(ir, IR_VARINT, (uint64_t)ops << 1 | (block->arg_count > 0));
  if (block->arg_count) put(ir, IR_VARINT, block->arg_count);
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const ten_value *arg = block->args[i];
    const uint32_t type = bw_type(writer, bw_space_of(arg), arg->type);
    const bool elided = writer->version >= BC_ELIDES_ARG_LOCS;
    put_type(ir, !elided ? IR_TYPE : arg->loc ? IR_TYPE_FLAGGED : IR_TYPE_PLAIN_LOC, type);
    if (!elided || arg->loc) put_attr(ir, bw_loc(writer, arg->loc));
  }
  if (block->arg_count && writer->version >= BC_HAS_USE_ORDERS) put(ir, IR_BYTE, 0);
  for (const ten_op *op = block->first; op && !writer->error; op = op->next) write_op(ir, op, values);
}

/* From `at` to the end, or to the IR_END of the enclosing section; returns the position behind it. */
static size_t emit_ir(const ir_writer *ir, size_t at, ten_buf *out) {
  const bw_writer *writer = ir->writer;
  while (at < ir->tokens.count) {
    const ir_token token = ir->tokens.data[at++];
    switch (token.kind) {
      case IR_BYTE: ten_buf_addc(out, (char)token.value); break;
      case IR_VARINT: bw_emit_varint(out, token.value); break;
      case IR_NAME: bw_emit_varint(out, writer->names.data[token.value].number); break;
      case IR_ATTR: bw_emit_varint(out, writer->attrs.entries.data[token.value].number); break;
      case IR_TYPE: bw_emit_varint(out, writer->types.entries.data[token.value].number); break;
      case IR_TYPE_FLAGGED:
        bw_emit_varint(out, (uint64_t)writer->types.entries.data[token.value].number << 1 | 1);
        break;
      case IR_TYPE_PLAIN_LOC: bw_emit_varint(out, (uint64_t)writer->types.entries.data[token.value].number << 1); break;
      case IR_BEGIN: {
        ten_buf section = {0};
        at = emit_ir(ir, at, &section);
        bw_emit_section(out, BC_IR, &section);
        ten_buf_free(&section);
        break;
      }
      case IR_END: return at;
    }
  }
  return at;
}

/* The container version that each release wrote. */
static unsigned container_of(uint16_t target) {
  if (target < VHLO_VERSION(0, 10)) return 0;
  if (target < VHLO_VERSION(0, 12)) return 1;
  if (target < VHLO_VERSION(0, 14)) return 3;
  return target < VHLO_VERSION(0, 15) ? 4 : 6;
}

static void write_file(ir_writer *ir, const ten_op *root, ten_buf *out) {
  bw_writer *writer = ir->writer;
  put(ir, IR_VARINT, 1 << 1); /* a block of one op, no arguments */
  write_op(ir, root, 0);
  if (writer->error) return;
  bw_number(writer);
  ten_buf section = {0};
  emit_ir(ir, 0, &section);
  ten_buf_add(out, "ML\xefR", 4);
  bw_emit_varint(out, writer->version);
  ten_buf_printf(out, "StableHLO_v%u.%u.%u", writer->target_version.major, writer->target_version.minor,
                 writer->target_version.patch);
  ten_buf_addc(out, 0);
  bw_emit_section(out, BC_IR, &section);
  bw_emit_tables(writer, out);
  ten_buf_free(&section);
}

static ten_status *find_plain(ten_op *op, void *context) {
  const ten_op **first = context;
  if (!*first && op->code != TEN_OP_MODULE && bw_is_plain(op)) *first = op;
  return NULL;
}

ten_status *ten_bytecode_write(const ten_module *module, ten_vhlo_version target, ten_buf *out) {
  TEN_RECOVER("writing bytecode");
  if (ten_vhlo_version_compare(target, ten_vhlo_version_oldest) < 0 ||
      ten_vhlo_version_compare(target, ten_vhlo_version_current) > 0)
    return ten_error(TEN_INVALID, "target version %u.%u.%u is not between %u.%u.%u and %u.%u.%u", target.major,
                     target.minor, target.patch, ten_vhlo_version_oldest.major, ten_vhlo_version_oldest.minor,
                     ten_vhlo_version_oldest.patch, ten_vhlo_version_current.major, ten_vhlo_version_current.minor,
                     ten_vhlo_version_current.patch);
  const ten_op *plain = NULL;
  ten_status *status = ten_op_walk(module->op, find_plain, &plain);
  if (status) return status;
  bw_writer writer = {
      .scratch = ten_module_create(), .target = (uint16_t)VHLO_VERSION(target.major, target.minor), .op = plain};
  writer.target_version = target;
  writer.version = container_of(writer.target);
  ten_arena_init(&writer.arena);
  /* Ops of other dialects are allowed from the release that introduced mixing; casts are inserted into a copy. */
  if (plain) bw_check(&writer, VHLO_VERSION(1, 11), "an op of another dialect");
  ten_module *copy = plain && !writer.error ? ten_module_clone(module) : NULL;
  if (copy) bw_mix(copy);
  bw_dialect(&writer, TEN_STR("builtin"));
  ir_writer ir = {.writer = &writer};
  if (!writer.error) write_file(&ir, copy ? copy->op : module->op, out);
  ten_vec_free(&ir.tokens);
  ten_vec_free(&ir.inherent);
  ten_vec_free(&ir.others);
  bw_free(&writer);
  ten_module_destroy(copy);
  return writer.error;
}
