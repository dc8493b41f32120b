/* entries.c: attributes and types by number, decoded on first use. */
#include "ir/bytecode/reader.h"
#include "ir/text/text.h"

static void add_weight(bc_reader *reader, uint32_t weight) {
  reader->weight += weight;
  if (reader->weight > BC_WEIGHT_MAX)
    bc_fail(reader, "an attribute or type would be larger than %d nodes written out", BC_WEIGHT_MAX);
}

static ten_str asm_text(bc_bytes *bytes) {
  const uint8_t *nul = memchr(bytes->at, 0, bc_left(bytes));
  if (nul && nul + 1 == bytes->end) {
    const ten_str text = {(const char *)bytes->at, (size_t)(nul - bytes->at)};
    bytes->at = bytes->end;
    return text;
  }
  bc_fail(bytes->reader, "the text of an attribute or type does not end");
  return (ten_str){0};
}

/* Text is parsed as the attribute of an otherwise empty module; what the parser does not know stays text. */
static const ten_attr *parse_text(bc_reader *reader, ten_str text) {
  ten_buf wrapped = {0};
  ten_buf_adds(&wrapped, "module attributes {a = ");
  ten_buf_addstr(&wrapped, text);
  ten_buf_adds(&wrapped, "} {}");
  ten_module *module = NULL;
  ten_status *status = ten_text_parse(wrapped.data, wrapped.size, "attribute", &module);
  ten_buf_free(&wrapped);
  const ten_attr *found = status ? NULL : ten_op_attr(module->op, "a");
  const ten_attr *attr = found ? ten_attr_import(reader->module, found, false) : NULL;
  ten_status_free(status);
  ten_module_destroy(module);
  return attr;
}

static const ten_type *asm_type(bc_bytes *bytes) {
  ten_module *module = bytes->reader->module;
  const ten_str text = asm_text(bytes);
  const ten_dtype dtype = ten_dtype_parse(text.data, text.size);
  if (dtype) return ten_type_scalar(module, dtype);
  const ten_attr *parsed = bc_ok(bytes) ? parse_text(bytes->reader, text) : NULL;
  return parsed && parsed->kind == TEN_ATTR_TYPE ? parsed->type : ten_type_opaque(module, text);
}

static const ten_attr *asm_attr(bc_bytes *bytes) {
  const ten_str text = asm_text(bytes);
  const ten_attr *parsed = bc_ok(bytes) ? parse_text(bytes->reader, text) : NULL;
  return parsed ? parsed : ten_attr_opaque(bytes->reader->module, text);
}

static const void *decode(bc_bytes *bytes, const bc_entry *entry, bool is_type) {
  bc_reader *reader = bytes->reader;
  if (!entry->custom) return is_type ? (const void *)asm_type(bytes) : asm_attr(bytes);
  const bc_dialect *dialect = &reader->dialects[entry->dialect];
  switch (dialect->kind) {
    case BC_BUILTIN: return is_type ? (const void *)bc_builtin_type(bytes) : bc_builtin_attr(bytes);
    case BC_VHLO: return is_type ? (const void *)bc_vhlo_type(bytes) : bc_vhlo_attr(bytes);
    case BC_STABLEHLO: return is_type ? (const void *)bc_stablehlo_type(bytes) : bc_stablehlo_attr(bytes);
    case BC_CHLO:
      if (!is_type) return bc_chlo_attr(bytes);
      break;
    case BC_QUANT:
      if (is_type) return bc_quant_type(bytes);
      break;
    case BC_SDY:
      if (!is_type) return bc_sdy_attr(bytes);
      break;
    case BC_OTHER: break;
  }
  bc_fail(reader, "dialect %.*s writes its %s in a way that is not known", TEN_FMT(dialect->name),
          is_type ? "types" : "attributes");
  return NULL;
}

static const void *entry_at(bc_reader *reader, bc_entry *entries, size_t count, uint64_t index, bool is_type) {
  const char *what = is_type ? "type" : "attribute";
  if (reader->error) return NULL;
  if (index >= count) {
    bc_fail(reader, "%s %llu is out of range: there are %zu", what, (unsigned long long)index, count);
    return NULL;
  }
  bc_entry *entry = &entries[index];
  if (entry->value) {
    add_weight(reader, entry->weight);
    return entry->value;
  }
  if (entry->busy) bc_fail(reader, "%s %llu contains itself", what, (unsigned long long)index);
  if (reader->depth == BC_DEPTH_MAX) bc_fail(reader, "attributes and types nest deeper than %d", BC_DEPTH_MAX);
  if (reader->error) return NULL;
  const uint32_t outer = reader->weight;
  entry->busy = true;
  reader->depth++;
  reader->weight = 1;
  bc_bytes bytes = {entry->data, entry->data + entry->size, reader};
  const void *value = decode(&bytes, entry, is_type);
  if (bc_ok(&bytes) && bc_left(&bytes)) bc_fail(reader, "%s %llu has bytes left over", what, (unsigned long long)index);
  entry->weight = reader->weight;
  reader->weight = outer;
  reader->depth--;
  entry->busy = false;
  add_weight(reader, entry->weight);
  if (reader->error) return NULL;
  return entry->value = value;
}

const ten_attr *bc_attr_at(bc_reader *reader, uint64_t index) {
  return entry_at(reader, reader->attrs, reader->attr_count, index, false);
}

const ten_type *bc_type_at(bc_reader *reader, uint64_t index) {
  return entry_at(reader, reader->types, reader->type_count, index, true);
}

const ten_attr *bc_attr(bc_bytes *bytes) { return bc_attr_at(bytes->reader, bc_varint(bytes)); }
const ten_type *bc_type(bc_bytes *bytes) { return bc_type_at(bytes->reader, bc_varint(bytes)); }

const ten_attr *bc_optional_attr(bc_bytes *bytes) {
  bool there;
  const uint64_t index = bc_flagged(bytes, &there);
  return there ? bc_attr_at(bytes->reader, index) : NULL;
}

const ten_type **bc_types(bc_bytes *bytes, uint32_t *count) {
  const size_t wanted = bc_count(bytes, "types");
  if (wanted > UINT32_MAX) bc_fail(bytes->reader, "%zu types in a list", wanted);
  *count = bc_ok(bytes) ? (uint32_t)wanted : 0;
  const ten_type **types = ten_arena_new_array(&bytes->reader->scratch, const ten_type *, *count);
  for (uint32_t i = 0; i < *count && bc_ok(bytes); i++) types[i] = bc_type(bytes);
  return types;
}

const ten_attr **bc_attrs(bc_bytes *bytes, size_t *count) {
  *count = bc_count(bytes, "attributes");
  const ten_attr **attrs = ten_arena_new_array(&bytes->reader->scratch, const ten_attr *, *count);
  for (size_t i = 0; i < *count && bc_ok(bytes); i++) attrs[i] = bc_attr(bytes);
  return attrs;
}

const ten_loc *bc_loc(bc_bytes *bytes) {
  const ten_attr *attr = bc_attr(bytes);
  if (!attr) return NULL;
  if (attr->kind == TEN_ATTR_LOC) return attr->loc;
  if (attr->kind == TEN_ATTR_OPAQUE) {
    ten_loc *loc = ten_arena_new(&bytes->reader->module->arena, ten_loc);
    loc->kind = TEN_LOC_OPAQUE;
    loc->name = attr->string;
    return loc;
  }
  bc_fail(bytes->reader, "expected a location attribute, found another kind");
  return NULL;
}

ten_str bc_attr_string(bc_bytes *bytes) {
  const ten_attr *attr = bc_attr(bytes);
  if (attr && attr->kind == TEN_ATTR_STRING) return attr->string;
  bc_fail(bytes->reader, "expected a string attribute, found another kind");
  return (ten_str){0};
}
