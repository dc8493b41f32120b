/* sections.c: the container: header, sections, and the tables of strings, dialects, ops, attributes, types, resources,
 * properties. */
#include <stdlib.h>

#include "ir/bytecode/reader.h"

static void read_header(bc_reader *reader) {
  bc_bytes bytes = bc_open(reader, (ten_str){(const char *)reader->data, reader->size});
  bc_take(&bytes, 4);
  reader->version = bc_varint(&bytes);
  if (!bc_ok(&bytes)) return;
  if (reader->version > BC_NEWEST) {
    bc_fail(reader, "bytecode version %llu is newer than %d, the newest known", (unsigned long long)reader->version,
            BC_NEWEST);
    return;
  }
  const uint8_t *nul = memchr(bytes.at, 0, bc_left(&bytes));
  if (!nul) {
    bc_fail(reader, "the producer's name does not end");
    return;
  }
  reader->producer = (ten_str){(const char *)bytes.at, (size_t)(nul - bytes.at)};
  bytes.at = nul + 1;
  while (bc_ok(&bytes) && bc_left(&bytes)) {
    unsigned id;
    ten_str data;
    if (!bc_section(&bytes, &id, &data)) return;
    if (reader->present[id]) {
      bc_fail(reader, "section %u comes twice", id);
      return;
    }
    reader->present[id] = true;
    reader->sections[id] = data;
  }
}

static void check_sections(bc_reader *reader) {
  static const char *const names[] = {"strings", "dialects", "attributes and types", "offsets", "IR"};
  for (unsigned id = 0; id <= BC_IR; id++)
    if (!reader->present[id]) bc_fail(reader, "there is no section of %s", names[id]);
  if (reader->version >= BC_HAS_PROPERTIES && !reader->present[BC_PROPERTIES])
    bc_fail(reader, "there is no section of properties");
  if (reader->present[BC_RESOURCES] != reader->present[BC_RESOURCE_OFFSETS])
    bc_fail(reader, "resources come without their offsets, or offsets without resources");
}

/* Sizes are stored last string first, then all strings in order, each with its NUL. */
static void read_strings(bc_reader *reader) {
  const ten_str section = reader->sections[BC_STRINGS];
  bc_bytes bytes = bc_open(reader, section);
  const size_t count = bc_count(&bytes, "strings");
  ten_str *strings = ten_arena_new_array(&reader->scratch, ten_str, count);
  size_t end = section.size;
  for (size_t i = count; i-- > 0 && bc_ok(&bytes);) {
    const uint64_t size = bc_varint(&bytes);
    if (!size || size > end) {
      bc_fail(reader, "string %zu does not fit its section", i);
      return;
    }
    end -= (size_t)size;
    strings[i] = (ten_str){section.data + end, (size_t)size - 1};
  }
  if (bc_ok(&bytes) && (const char *)bytes.at != section.data + end)
    bc_fail(reader, "the string section has data that belongs to no string");
  reader->strings = strings;
  reader->string_count = count;
}

static bc_dialect_kind dialect_kind(ten_str name) {
  static const struct {
    const char *name;
    bc_dialect_kind kind;
  } known[] = {{"builtin", BC_BUILTIN}, {"vhlo", BC_VHLO},   {"stablehlo", BC_STABLEHLO},
               {"chlo", BC_CHLO},       {"quant", BC_QUANT}, {"sdy", BC_SDY}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ten_str_is(name, known[i].name)) return known[i].kind;
  return BC_OTHER;
}

static void check_stablehlo_version(bc_reader *reader, ten_str data) {
  bc_bytes bytes = bc_open(reader, data);
  const uint64_t major = bc_varint(&bytes), minor = bc_varint(&bytes);
  const ten_vhlo_version current = ten_vhlo_version_current;
  if (bc_ok(&bytes) && (major > current.major || (major == current.major && minor > current.minor)))
    bc_fail(reader, "it was made with StableHLO %llu.%llu, newer than %u.%u", (unsigned long long)major,
            (unsigned long long)minor, current.major, current.minor);
}

static void read_dialect(bc_bytes *bytes, bc_dialect *dialect) {
  bc_reader *reader = bytes->reader;
  bool versioned = false;
  const uint64_t index = reader->version < BC_HAS_DIALECT_VERSIONS ? bc_varint(bytes) : bc_flagged(bytes, &versioned);
  if (!bc_ok(bytes)) return;
  if (index >= reader->string_count) {
    bc_fail(reader, "dialect name %llu is out of range: there are %zu strings", (unsigned long long)index,
            reader->string_count);
    return;
  }
  dialect->name = reader->strings[index];
  dialect->kind = dialect_kind(dialect->name);
  if (!versioned) return;
  unsigned id;
  ten_str data;
  if (!bc_section(bytes, &id, &data)) return;
  if (id != BC_DIALECT_VERSIONS) bc_fail(reader, "a dialect's version is in section %u", id);
  if (dialect->kind == BC_STABLEHLO) check_stablehlo_version(reader, data);
}

static void read_op_name(bc_bytes *bytes, const bc_dialect *dialect) {
  bc_reader *reader = bytes->reader;
  bc_op_name op = {0};
  uint64_t index;
  if (reader->version < BC_HAS_PROPERTIES)
    index = bc_varint(bytes);
  else
    index = bc_flagged(bytes, &op.registered);
  if (!bc_ok(bytes)) return;
  if (index >= reader->string_count) {
    bc_fail(reader, "op name %llu is out of range: there are %zu strings", (unsigned long long)index,
            reader->string_count);
    return;
  }
  op.dialect = dialect;
  op.local = reader->strings[index];
  ten_vec_push(&reader->ops, op);
}

/* Names are concatenated on first use: a small file can list a million names that share one long dialect. */
const bc_op_name *bc_op_at(bc_reader *reader, uint64_t index) {
  enum { NAME_MAX_SIZE = 256 };
  if (index >= reader->ops.count) {
    bc_fail(reader, "op name %llu is out of range: there are %zu", (unsigned long long)index, reader->ops.count);
    return NULL;
  }
  bc_op_name *op = &reader->ops.data[index];
  if (op->name.data) return op;
  const ten_str dialect = op->dialect->name, local = op->local;
  if (dialect.size > NAME_MAX_SIZE || local.size > NAME_MAX_SIZE) {
    bc_fail(reader, "an op's name has %zu characters", dialect.size + local.size);
    return NULL;
  }
  ten_buf full = {0};
  ten_buf_addstr(&full, dialect);
  if (local.size) ten_buf_addc(&full, '.');
  ten_buf_addstr(&full, local);
  op->name = (ten_str){ten_arena_strdup(&reader->scratch, full.data ? full.data : "", full.size), full.size};
  ten_buf_free(&full);
  if (op->dialect->kind == BC_VHLO) op->vhlo = vhlo_op_find(local);
  op->code = op->vhlo ? op->vhlo->code : ten_opcode_find(op->name);
  return op;
}

/* Entries grouped by dialect: the dialect, a count, and each entry. */
static const bc_dialect *read_group(bc_bytes *bytes, uint32_t *dialect, size_t *count) {
  bc_reader *reader = bytes->reader;
  const uint64_t index = bc_varint(bytes);
  *count = bc_count(bytes, "entries");
  if (!bc_ok(bytes)) return NULL;
  if (index >= reader->dialect_count) {
    bc_fail(reader, "dialect %llu is out of range: there are %zu", (unsigned long long)index, reader->dialect_count);
    return NULL;
  }
  *dialect = (uint32_t)index;
  return &reader->dialects[index];
}

static void read_dialects(bc_reader *reader) {
  bc_bytes bytes = bc_open(reader, reader->sections[BC_DIALECTS]);
  const size_t count = bc_count(&bytes, "dialects");
  reader->dialects = ten_arena_new_array(&reader->scratch, bc_dialect, count);
  for (size_t i = 0; i < count && bc_ok(&bytes); i++) read_dialect(&bytes, &reader->dialects[i]);
  reader->dialect_count = count;
  if (reader->version >= BC_ELIDES_ARG_LOCS) bc_varint(&bytes); /* how many ops: only a hint */
  while (bc_ok(&bytes) && bc_left(&bytes)) {
    uint32_t index;
    size_t names;
    const bc_dialect *dialect = read_group(&bytes, &index, &names);
    for (size_t i = 0; i < names && bc_ok(&bytes); i++) read_op_name(&bytes, dialect);
  }
}

static void read_entries(bc_bytes *bytes, size_t *offset, bc_entry *entries, size_t count) {
  const ten_str section = bytes->reader->sections[BC_ATTRS_TYPES];
  for (size_t at = 0; at < count && bc_ok(bytes);) {
    uint32_t dialect;
    size_t group;
    if (!read_group(bytes, &dialect, &group)) return;
    if (!group || group > count - at) {
      bc_fail(bytes->reader, "a group announces %zu entries where %zu are left", group, count - at);
      return;
    }
    for (size_t i = 0; i < group && bc_ok(bytes); i++, at++) {
      bc_entry *entry = &entries[at];
      const uint64_t size = bc_flagged(bytes, &entry->custom);
      if (size > section.size - *offset) {
        bc_fail(bytes->reader, "entry %zu reaches past the end of its section", at);
        return;
      }
      entry->dialect = dialect;
      entry->data = (const uint8_t *)section.data + *offset;
      entry->size = (size_t)size;
      *offset += (size_t)size;
    }
  }
}

static void read_offsets(bc_reader *reader) {
  bc_bytes bytes = bc_open(reader, reader->sections[BC_OFFSETS]);
  reader->attr_count = bc_count(&bytes, "attributes");
  reader->type_count = bc_count(&bytes, "types");
  if (!bc_ok(&bytes)) return;
  reader->attrs = ten_arena_new_array(&reader->scratch, bc_entry, reader->attr_count);
  reader->types = ten_arena_new_array(&reader->scratch, bc_entry, reader->type_count);
  size_t offset = 0;
  read_entries(&bytes, &offset, reader->attrs, reader->attr_count);
  read_entries(&bytes, &offset, reader->types, reader->type_count);
  if (bc_ok(&bytes) && bc_left(&bytes)) bc_fail(reader, "the offsets go on after the last entry");
}

/* One resource; `keep`: attributes may refer to it. */
static void read_resource(bc_bytes *offsets, bc_bytes *data, bool keep) {
  enum { KIND_BLOB = 0 };
  bc_reader *reader = offsets->reader;
  const ten_str key = bc_string(offsets);
  const uint64_t size = bc_varint(offsets);
  const uint8_t kind = bc_byte(offsets);
  bc_bytes entry = bc_open(reader, bc_take(data, size));
  bc_resource resource = {key, NULL, 0};
  if (!bc_ok(offsets) || !keep) return;
  if (size && kind == KIND_BLOB) {
    const uint64_t alignment = bc_varint(&entry), blob_size = bc_varint(&entry);
    bc_align(&entry, alignment);
    const ten_str blob = bc_take(&entry, blob_size);
    resource.data = (const uint8_t *)blob.data;
    resource.size = blob.size;
    if (bc_ok(&entry) && bc_left(&entry)) bc_fail(reader, "resource %.*s has bytes left over", TEN_FMT(key));
  }
  ten_vec_push(&reader->resources, resource);
}

static void read_resources(bc_reader *reader) {
  if (!reader->present[BC_RESOURCES]) return;
  bc_bytes offsets = bc_open(reader, reader->sections[BC_RESOURCE_OFFSETS]);
  bc_bytes data = bc_open(reader, reader->sections[BC_RESOURCES]);
  const size_t external = bc_count(&offsets, "resource groups");
  for (size_t i = 0; bc_ok(&offsets) && (i < external || bc_left(&offsets)); i++) {
    bc_varint(&offsets); /* the provider: a string, or a dialect */
    const size_t count = bc_count(&offsets, "resources");
    for (size_t k = 0; k < count && bc_ok(&offsets); k++) read_resource(&offsets, &data, i >= external);
  }
}

static void read_property_table(bc_reader *reader) {
  if (!reader->sections[BC_PROPERTIES].size) return;
  bc_bytes bytes = bc_open(reader, reader->sections[BC_PROPERTIES]);
  const size_t count = bc_count(&bytes, "properties");
  reader->properties = ten_arena_new_array(&reader->scratch, ten_str, count);
  for (size_t i = 0; i < count && bc_ok(&bytes); i++) reader->properties[i] = bc_blob(&bytes);
  reader->property_count = count;
  if (bc_ok(&bytes) && bc_left(&bytes)) bc_fail(reader, "the properties go on after the last one");
}

void bc_read_sections(bc_reader *reader) {
  static void (*const steps[])(bc_reader *) = {read_header,    check_sections, read_strings,       read_dialects,
                                               read_resources, read_offsets,   read_property_table};
  for (size_t i = 0; i < sizeof steps / sizeof *steps && !reader->error; i++) steps[i](reader);
}
