/* format.c: the forms of ops, from their column in ir/ops.def, and their tokens. */
#include "ir/text/format.h"

#include "ir/text/printer.h"

#define TEXT(format) {format}
#define CUSTOM(name) {.parse = ten_parse_##name##_op, .print = ten_print_##name##_op}
#define GENERIC {NULL}
#define UNARY TEXT("$0 {} : S")
#define BINARY TEXT("$0 , $1 {} : S")
#define OPERANDS TEXT("$* {} : F")
#define CHLO_UNARY TEXT("$0 {} : O0 -> R")
#define CHLO_PAIR TEXT("$0 , $1 {} : O0 , O1 -> R")
#define CHLO_BROADCAST TEXT("$0 , $1 {} : ( O0 , O1 ) -> R")

const ten_text_form ten_text_forms[TEN_OP_COUNT] = {
#define OP(code, name, o0, o1, r0, r1, g0, g1, traits, cost, wire, text, ...) [TEN_OP_##code] = text,
#include "ir/ops.def"
#undef OP
};

static const struct {
  const char *name;
  const char *attrs[6];
} parts[] = {
    {"slice", {"start_indices", "limit_indices", "strides"}},
    {"conv", {"dimension_numbers"}},
    {"window", {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"}},
    {"target", {"call_target_name"}},
    {"precision", {"precision_config"}},
    {"algorithm", {"precision_config", "algorithm"}},
    {"dot", {"dot_dimension_numbers"}},
    {"format", {"exponent_bits", "mantissa_bits"}},
};

ten_format_item ten_format_next(const char **cursor) {
  const char *at = *cursor;
  while (*at == ' ') at++;
  const char *end = at;
  while (*end && *end != ' ') end++;
  *cursor = end;
  const ten_str word = {at, (size_t)(end - at)}, rest = {at + 1, word.size ? word.size - 1 : 0};
  if (!word.size) return (ten_format_item){.kind = FORMAT_END, .name = word, .index = -1};
  if (*at == '$' && ten_str_is(word, "$*"))
    return (ten_format_item){.kind = FORMAT_OPERANDS, .name = rest, .index = -1};
  if (*at == '$' && ten_str_is(word, "$*,"))
    return (ten_format_item){.kind = FORMAT_OPERANDS_COMMA, .name = rest, .index = -1};
  if (*at == '$') return (ten_format_item){.kind = FORMAT_OPERAND, .name = rest, .index = at[1] - '0'};
  if (*at == '@') {
    const char *colon = memchr(rest.data, ':', rest.size);
    if (!colon) return (ten_format_item){.kind = FORMAT_ATTR, .name = rest, .index = -1};
    return (ten_format_item){
        FORMAT_ATTR, {rest.data, (size_t)(colon - rest.data)}, {colon + 1, (size_t)(end - colon - 1)}, -1};
  }
  if (*at == '!') return (ten_format_item){.kind = FORMAT_PART, .name = rest, .index = -1};
  if (ten_str_is(word, "{}")) return (ten_format_item){.kind = FORMAT_DICT, .name = rest, .index = -1};
  if (ten_str_is(word, "?)")) return (ten_format_item){.kind = FORMAT_GROUP_END, .name = rest, .index = -1};
  if (ten_str_starts(word, "(?")) {
    const ten_str name = {at + 2, word.size - 2};
    return (ten_format_item){
        .kind = FORMAT_GROUP, .name = {name.data, ten_str_is(name, "$") ? 0 : name.size}, .index = -1};
  }
  if (*at >= 'A' && *at <= 'Z')
    return (ten_format_item){.kind = FORMAT_TYPE, .name = word, .index = word.size > 1 ? at[1] - '0' : -1};
  return (ten_format_item){.kind = FORMAT_LITERAL, .name = word, .index = -1};
}

const char *ten_format_of(ten_opcode code, ten_str name) {
  return code == TEN_OP_UNKNOWN ? ten_sdy_format(name) : ten_text_forms[code].format;
}

const char *const *ten_format_part_attrs(ten_str part) {
  static const char *const none[] = {NULL};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (ten_str_is(part, parts[i].name)) return parts[i].attrs;
  return none;
}

bool ten_format_covers(const char *format, ten_str attr) {
  for (;;) {
    const ten_format_item item = ten_format_next(&format);
    if (item.kind == FORMAT_END) return false;
    if (item.kind == FORMAT_ATTR && ten_str_eq(item.name, attr)) return true;
    if (item.kind != FORMAT_PART) continue;
    for (const char *const *name = ten_format_part_attrs(item.name); *name; name++)
      if (ten_str_is(attr, *name)) return true;
  }
}
