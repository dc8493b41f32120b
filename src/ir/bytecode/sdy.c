/* sdy.c: attributes of the sharding dialect. They are stored as text, as sdy prints them; parts that never occur alone
 * (an axis, the sharding of one dimension) are stored as they are printed inside others. */
#include "ir/bytecode/reader.h"
#include "ir/text/text.h"

enum { TEXT_MAX = 1 << 20 }; /* names repeat inside names: a small file can describe a huge text */

static const ten_attr *text_attr(bc_bytes *bytes, ten_buf *text) {
  if (text->size > TEXT_MAX) bc_fail(bytes->reader, "a sharding takes %zu characters", text->size);
  const ten_attr *attr =
      bc_ok(bytes) ? ten_attr_opaque(bytes->reader->module, (ten_str){text->data, text->size}) : NULL;
  ten_buf_free(text);
  return attr;
}

static void add_quoted(ten_buf *text, ten_str name) {
  ten_buf_addc(text, '"');
  for (size_t i = 0; i < name.size; i++) {
    const unsigned char c = (unsigned char)name.data[i];
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
      ten_buf_printf(text, "\\%02X", c);
    else
      ten_buf_addc(text, (char)c);
  }
  ten_buf_addc(text, '"');
}

/* The text inside another attribute: without the dialect and the name. */
static ten_str bare(ten_str text) {
  static const char *const prefixes[] = {"#sdy.sharding", "#sdy<axis_ref_list", "#sdy."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    const size_t size = strlen(prefixes[i]);
    if (!ten_str_starts(text, prefixes[i])) continue;
    const size_t tail = i == 1;
    return (ten_str){text.data + size, text.size - size - tail};
  }
  return text;
}

static void add_part(bc_bytes *bytes, ten_buf *text, const ten_attr *part) {
  if (!part || text->size > TEXT_MAX) return;
  if (part->kind == TEN_ATTR_OPAQUE)
    ten_buf_addstr(text, bare(part->string));
  else if (part->kind == TEN_ATTR_STRING)
    add_quoted(text, part->string);
  else if (part->kind == TEN_ATTR_SYMBOL)
    ten_attr_print(text, part);
  else
    bc_fail(bytes->reader, "part of a sharding is of the wrong kind");
}

/* "open a, b, c close" */
static size_t add_list(bc_bytes *bytes, ten_buf *text, const char *open, const char *close) {
  const size_t count = bc_count(bytes, "parts of a sharding");
  ten_buf_adds(text, open);
  for (size_t i = 0; i < count && bc_ok(bytes); i++) {
    if (i) ten_buf_adds(text, ", ");
    add_part(bytes, text, bc_attr(bytes));
    if (text->size > TEXT_MAX) bc_fail(bytes->reader, "a sharding takes more than %d characters", TEXT_MAX);
  }
  ten_buf_adds(text, close);
  return count;
}

static void add_optional_list(bc_bytes *bytes, ten_buf *text, const char *name) {
  const size_t before = text->size;
  ten_buf_printf(text, ", %s=", name);
  if (!add_list(bytes, text, "{", "}")) text->size = before;
}

static void add_mesh(bc_bytes *bytes, ten_buf *text) {
  add_list(bytes, text, "#sdy.mesh<[", "]");
  size_t count;
  const int64_t *ids = bc_ints(bytes, &count);
  if (count) ten_buf_adds(text, ", device_ids=[");
  for (size_t i = 0; i < count; i++) ten_buf_printf(text, i ? ", %lld" : "%lld", (long long)ids[i]);
  ten_buf_adds(text, count ? "]>" : ">");
}

static void add_dimension(bc_bytes *bytes, ten_buf *text) {
  const size_t axes = add_list(bytes, text, "{", "");
  if (!bc_byte(bytes)) ten_buf_adds(text, axes ? ", ?" : "?");
  ten_buf_addc(text, '}');
  bool has_priority;
  const uint64_t priority = bc_flagged(bytes, &has_priority);
  if (has_priority) ten_buf_printf(text, "p%llu", (unsigned long long)priority);
}

static void add_sharding(bc_bytes *bytes, ten_buf *text, bool has_unreduced) {
  ten_buf_adds(text, "#sdy.sharding<");
  add_part(bytes, text, bc_attr(bytes));
  add_list(bytes, text, ", [", "]");
  add_optional_list(bytes, text, "replicated");
  if (has_unreduced) add_optional_list(bytes, text, "unreduced");
  ten_buf_addc(text, '>');
}

/* Factors are i, j, … z, z_1, z_2, … */
static void add_factor(ten_buf *text, int64_t factor) {
  enum { LETTERS = 'z' - 'i' };
  if (factor < LETTERS)
    ten_buf_addc(text, (char)('i' + factor));
  else if (factor == LETTERS)
    ten_buf_addc(text, 'z');
  else
    ten_buf_printf(text, "z_%lld", (long long)(factor - LETTERS));
}

static void add_factors(bc_bytes *bytes, ten_buf *text, const char *name) {
  size_t count;
  const int64_t *factors = bc_ints(bytes, &count);
  if (name && !count) return;
  if (name) ten_buf_printf(text, " %s={", name);
  for (size_t i = 0; i < count; i++) {
    if (factors[i] < 0) bc_fail(bytes->reader, "a sharding factor is %lld", (long long)factors[i]);
    if (name && i) ten_buf_adds(text, ", ");
    add_factor(text, factors[i]);
  }
  if (name) ten_buf_addc(text, '}');
}

static void add_rule(bc_bytes *bytes, ten_buf *text) {
  size_t count;
  const int64_t *sizes = bc_ints(bytes, &count);
  ten_buf_adds(text, "#sdy.op_sharding_rule<");
  add_list(bytes, text, "(", ")");
  add_list(bytes, text, "->(", ") {");
  for (size_t i = 0; i < count; i++) {
    if (i) ten_buf_adds(text, ", ");
    add_factor(text, (int64_t)i);
    ten_buf_printf(text, "=%lld", (long long)sizes[i]);
  }
  ten_buf_addc(text, '}');
  static const char *const groups[] = {"reduction", "need_replication", "permutation", "blocked_propagation"};
  for (size_t i = 0; i < 4; i++) add_factors(bytes, text, groups[i]);
  ten_buf_adds(text, bc_byte(bytes) ? ", custom>" : ">");
}

const ten_attr *bc_sdy_attr(bc_bytes *bytes) {
  enum {
    MANUAL_AXES,
    MESH_AXIS,
    MESH,
    SUB_AXIS,
    AXIS_REF,
    DIMENSION,
    SHARDING,
    SHARDINGS,
    DIM_MAPPING,
    TENSOR_MAPPING,
    RULE,
    AXIS_LIST,
    AXIS_LISTS,
    EXCHANGE,
    EXCHANGES,
    SHARDING_UNREDUCED,
    SHARDINGS_UNREDUCED
  };
  ten_buf text = {0};
  const uint64_t code = bc_varint(bytes);
  switch (code) {
    case MANUAL_AXES: add_list(bytes, &text, "#sdy<manual_axes{", "}>"); break;
    case MESH_AXIS:
      add_quoted(&text, bc_string(bytes));
      ten_buf_printf(&text, "=%lld", (long long)bc_svarint(bytes));
      break;
    case MESH: add_mesh(bytes, &text); break;
    case SUB_AXIS: {
      const long long before = bc_svarint(bytes);
      ten_buf_printf(&text, ":(%lld)%lld", before, (long long)bc_svarint(bytes));
      break;
    }
    case AXIS_REF:
      add_quoted(&text, bc_string(bytes));
      add_part(bytes, &text, bc_optional_attr(bytes));
      break;
    case DIMENSION: add_dimension(bytes, &text); break;
    case SHARDING:
    case SHARDING_UNREDUCED: add_sharding(bytes, &text, code == SHARDING_UNREDUCED); break;
    case SHARDINGS:
    case SHARDINGS_UNREDUCED: add_list(bytes, &text, "#sdy.sharding_per_value<[", "]>"); break;
    case DIM_MAPPING: add_factors(bytes, &text, NULL); break;
    case TENSOR_MAPPING: add_list(bytes, &text, "[", "]"); break;
    case RULE: add_rule(bytes, &text); break;
    case AXIS_LIST: add_list(bytes, &text, "#sdy<axis_ref_list{", "}>"); break;
    case AXIS_LISTS: add_list(bytes, &text, "#sdy<list_of_axis_ref_lists[", "]>"); break;
    case EXCHANGE: {
      add_list(bytes, &text, "{", "}: ");
      const long long from = bc_svarint(bytes);
      ten_buf_printf(&text, "%lld->%lld", from, (long long)bc_svarint(bytes));
      break;
    }
    case EXCHANGES: add_list(bytes, &text, "#sdy<all_to_all_param_list[", "]>"); break;
    default: bc_fail(bytes->reader, "sdy attribute code %llu is not known", (unsigned long long)code);
  }
  return text_attr(bytes, &text);
}
