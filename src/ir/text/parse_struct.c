/* parse_struct.c: attributes of dialects. Those of StableHLO and CHLO are read into the tables of ir/enums.def and
 * ir/structs.def, all others are stored as text. */
#include "ir/text/parser.h"

static bool enum_value(ten_parser *p, ten_enum_id id, const ten_attr **out) {
  const ten_attr_spec spec = {.kind = TEN_SPEC_ENUM, .subject = (int)id};
  if (!ten_accept(p, '<')) return ten_parse_spec(p, &spec, out);
  return ten_parse_spec(p, &spec, out) && ten_expect(p, '>', "'>'");
}

/* (pre_size)size */
static bool sub_axis(ten_parser *p, const ten_attr **out) {
  int64_t pre_size, size;
  if (!ten_expect(p, '(', "'('") || !ten_parse_int(p, &pre_size) || !ten_expect(p, ')', "')'") ||
      !ten_parse_int(p, &size))
    return false;
  const ten_attr *fields[] = {ten_attr_i64(p->module, pre_size), ten_attr_i64(p->module, size)};
  return *out = ten_attr_struct(p->module, TEN_STRUCT_SUB_AXIS_INFO, fields), true;
}

/* [<name = "x", size = 2>, …] */
static bool mesh_axes(ten_parser *p, const ten_attr **out) {
  TEN_VEC(const ten_attr *) axes = {0};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    const ten_attr *axis = NULL;
    ok = ten_parse_struct(p, TEN_STRUCT_MESH_AXIS, &axis);
    if (ok) ten_vec_push(&axes, axis);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) *out = ten_attr_array(p->module, axes.count, axes.data);
  ten_vec_free(&axes);
  return ok;
}

static bool struct_field(ten_parser *p, ten_struct_id id, const ten_attr_spec *spec, const ten_attr **out) {
  if (id == TEN_STRUCT_MESH && spec->kind == TEN_SPEC_ARRAY) return mesh_axes(p, out);
  if (spec->kind == TEN_SPEC_STRUCT && spec->subject == (int)TEN_STRUCT_SUB_AXIS_INFO) return sub_axis(p, out);
  if (spec->kind == TEN_SPEC_ENUM) return ten_parse_attr(p, out);
  return ten_parse_spec(p, spec, out);
}

/* Omitted numbers are zero; omitted lists are absent, which equals empty. */
static bool struct_defaults(ten_parser *p, const ten_token *place, ten_struct_id id, const ten_attr **fields) {
  const ten_struct_info *info = &ten_struct_infos[id];
  for (uint32_t i = 0; i < info->field_count; i++) {
    if (fields[i]) continue;
    const ten_attr_spec *spec = &info->fields[i];
    const bool lenient = !spec->required || id == TEN_STRUCT_RESULT_ACCURACY;
    if (lenient && spec->kind == TEN_SPEC_I64)
      fields[i] = ten_attr_i64(p->module, 0);
    else if (lenient && spec->kind == TEN_SPEC_F64)
      fields[i] = ten_attr_float(p->module, 0.0, ten_type_scalar(p->module, TEN_F64));
    else if (spec->required)
      return ten_fail(p, place, "#%s.%s needs '%s'", info->dialect, info->mnemonic, spec->name);
  }
  return true;
}

/* name = value, … '>' behind the '<' (and behind `raw`, for a convolution). */
static bool struct_fields(ten_parser *p, ten_struct_id id, const ten_attr **out) {
  const ten_struct_info *info = &ten_struct_infos[id];
  const ten_attr *fields[TEN_STRUCT_FIELDS_MAX] = {0};
  const ten_token place = p->token;
  while (!ten_at(p, '>')) {
    if (!ten_at(p, TOK_BARE)) return ten_expected(p, "the name of a field");
    uint32_t i = 0;
    while (i < info->field_count && !ten_str_is(p->token.text, info->fields[i].name)) i++;
    if (i == info->field_count)
      return ten_fail(p, &p->token, "#%s.%s has no field '%.*s'", info->dialect, info->mnemonic,
                      TEN_FMT(p->token.text));
    if (fields[i]) return ten_fail(p, &p->token, "'%s' is given twice", info->fields[i].name);
    ten_advance(p);
    if (!ten_expect(p, '=', "'='") || !struct_field(p, id, &info->fields[i], &fields[i])) return false;
    if (!ten_accept(p, ',')) break;
  }
  if (!ten_expect(p, '>', "',' or '>'") || !struct_defaults(p, &place, id, fields)) return false;
  *out = ten_attr_struct(p->module, id, fields);
  return true;
}

/* <5, ?> */
static bool bounds(ten_parser *p, const ten_attr **out) {
  TEN_VEC(int64_t) values = {0};
  bool ok = ten_expect(p, '<', "'<'");
  while (ok && !ten_at(p, '>')) {
    int64_t value = TEN_DYNAMIC;
    ok = ten_accept(p, '?') || ten_parse_int(p, &value);
    if (ok) ten_vec_push(&values, value);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, '>', "',' or '>'");
  if (ok) {
    const ten_attr *field = ten_attr_dims(p->module, values.count, values.data);
    *out = ten_attr_struct(p->module, TEN_STRUCT_TYPE_EXTENSIONS, &field);
  }
  ten_vec_free(&values);
  return ok;
}

enum { CONV_RANK_MAX = 64 };

/* One side of a convolution: [b, 0, 1, f] gives the positions of b, f and each spatial dimension. */
static bool conv_side(ten_parser *p, const char *letters, const ten_attr **first, const ten_attr **second,
                      const ten_attr **spatial) {
  int64_t at[2] = {-1, -1}, places[CONV_RANK_MAX], position = 0, rank = 0;
  for (int i = 0; i < CONV_RANK_MAX; i++) places[i] = -1;
  if (!ten_expect(p, '[', "'['")) return false;
  const ten_token start = p->token;
  for (; !ten_at(p, ']'); position++) {
    const ten_token place = p->token;
    int64_t dim;
    if (ten_at(p, TOK_INT)) {
      if (!ten_parse_int(p, &dim)) return false;
      if (dim >= CONV_RANK_MAX || places[dim] >= 0)
        return ten_fail(
            p, &place,
            dim >= CONV_RANK_MAX ? "more than 64 spatial dimensions" : "the spatial dimension is given twice");
      places[dim] = position;
      if (dim >= rank) rank = dim + 1;
    } else if (ten_at(p, TOK_BARE) && p->token.text.size == 1 && strchr(letters, p->token.text.data[0])) {
      const size_t which = p->token.text.data[0] == letters[1];
      if (at[which] >= 0) return ten_fail(p, &place, "'%c' is given twice", letters[which]);
      at[which] = position;
      ten_advance(p);
    } else if (ten_at(p, '?')) { /* upstream's mark for an unnamed dimension */
      ten_advance(p);
    } else {
      return ten_fail(p, &place, "expected '%c', '%c' or a spatial dimension", letters[0], letters[1]);
    }
    if (!ten_accept(p, ',')) {
      position++;
      break;
    }
  }
  if (at[0] < 0 || at[1] < 0) return ten_fail(p, &start, "'%c' is missing", letters[at[0] < 0 ? 0 : 1]);
  for (int64_t i = 0; i < rank; i++)
    if (places[i] < 0) return ten_fail(p, &start, "spatial dimension %lld is missing", (long long)i);
  *first = ten_attr_i64(p->module, at[0]);
  *second = ten_attr_i64(p->module, at[1]);
  *spatial = ten_attr_dims(p->module, (size_t)rank, places);
  return ten_expect(p, ']', "',' or ']'");
}

bool ten_parse_conv_dims(ten_parser *p, const ten_attr **out) {
  const ten_attr *f[9] = {0};
  if (!conv_side(p, "bf", &f[0], &f[1], &f[2])) return false;
  if (!ten_expect_word(p, "x") || !conv_side(p, "io", &f[3], &f[4], &f[5])) return false;
  if (!ten_expect(p, TOK_ARROW, "'->'") || !conv_side(p, "bf", &f[6], &f[7], &f[8])) return false;
  *out = ten_attr_struct(p->module, TEN_STRUCT_CONV, f);
  return true;
}

bool ten_parse_struct(ten_parser *p, ten_struct_id id, const ten_attr **out) {
  if (!ten_expect(p, '<', "'<'")) return false;
  if (id == TEN_STRUCT_CONV && !ten_accept_word(p, "raw"))
    return ten_parse_conv_dims(p, out) && ten_expect(p, '>', "'>'");
  return struct_fields(p, id, out);
}

static ten_enum_id find_enum(ten_str dialect, ten_str mnemonic) {
  for (int i = 1; i < TEN_ENUM_COUNT; i++)
    if (ten_str_is(dialect, ten_enum_infos[i].dialect) && ten_str_is(mnemonic, ten_enum_infos[i].mnemonic))
      return (ten_enum_id)i;
  return TEN_ENUM_NONE;
}

static ten_struct_id find_struct(ten_str dialect, ten_str mnemonic) {
  for (int i = 1; i < TEN_STRUCT_COUNT; i++)
    if (ten_str_is(dialect, ten_struct_infos[i].dialect) && ten_str_is(mnemonic, ten_struct_infos[i].mnemonic))
      return (ten_struct_id)i;
  return TEN_STRUCT_NONE;
}

static bool known_attr(ten_parser *p, const ten_token *place, ten_str dialect, ten_str mnemonic, const ten_attr **out) {
  const ten_enum_id enumeration = find_enum(dialect, mnemonic);
  if (enumeration) return enum_value(p, enumeration, out);
  if (ten_str_is(mnemonic, "bounds")) return bounds(p, out);
  if (ten_str_is(mnemonic, "type_extensions")) {
    const ten_attr *field = NULL;
    if (!ten_expect(p, '<', "'<'") || !ten_expect_word(p, "bounds") || !ten_expect(p, '=', "'='") ||
        !ten_parse_ints(p, true, &field) || !ten_expect(p, '>', "'>'"))
      return false;
    return *out = ten_attr_struct(p->module, TEN_STRUCT_TYPE_EXTENSIONS, &field), true;
  }
  const ten_struct_id record = find_struct(dialect, mnemonic);
  if (record == TEN_STRUCT_SUB_AXIS_INFO) return sub_axis(p, out);
  if (record) return ten_parse_struct(p, record, out);
  return ten_fail(p, place, "%.*s has no attribute '%.*s'", TEN_FMT(dialect), TEN_FMT(mnemonic));
}

bool ten_parse_dialect_attr(ten_parser *p, ten_token name, const ten_attr **out) {
  const char *start = name.text.data + 1, *end = name.text.data + name.text.size;
  const char *point = memchr(start, '.', (size_t)(end - start));
  const ten_str dialect = {start, (size_t)((point ? point : end) - start)};
  if (ten_str_is(dialect, "stablehlo") || ten_str_is(dialect, "chlo")) {
    if (point) return known_attr(p, &name, dialect, (ten_str){point + 1, (size_t)(end - point - 1)}, out);
    if (!ten_expect(p, '<', "'<'")) return false;
    const ten_token mnemonic = p->token;
    if (!ten_accept(p, TOK_BARE)) return ten_expected(p, "the name of an attribute");
    return known_attr(p, &mnemonic, dialect, mnemonic.text, out) && ten_expect(p, '>', "'>'");
  }
  if (ten_at(p, '<') && p->token.text.data == end) {
    if (!ten_skip_balanced(p)) return false;
    end = p->token.text.data + 1;
    ten_advance(p);
  }
  *out = ten_attr_opaque(p->module, (ten_str){name.text.data, (size_t)(end - name.text.data)});
  return true;
}
