/* describe.c: prints the tables of ops as documentation (docs/ops.md), so that it matches the code. */
#include "ir/verify/rules.h"

static void add_words(ten_buf *out, size_t start, const char *words) {
  ten_buf_printf(out, "%s%s", out->size > start ? ", " : "", words);
}

/* The allowed operands in a few words: "int scalar", "float, complex". */
static void add_class(ten_buf *out, uint32_t class) {
  const size_t start = out->size;
  const bool number = (class & NUMBER) == NUMBER;
  if (class & IS_ANYTHING) {
    ten_buf_adds(out, "anything");
    return;
  }
  if (number) add_words(out, start, "number");
  if (!number && (class & IS_PRED)) add_words(out, start, "bool");
  if (!number && (class & INT))
    add_words(out, start,
              (class & ONLY_I32)         ? "i32"
              : (class & ONLY_UI32)      ? "ui32"
              : (class & INT) == INT     ? "int"
              : (class & INT) == IS_SINT ? "signed int"
                                         : "unsigned int");
  if (class & IS_INDEX) add_words(out, start, "index");
  if (!number && (class & IS_FLOAT)) add_words(out, start, (class & ONLY_F32_F64) ? "f32, f64" : "float");
  if (!number && (class & IS_COMPLEX)) add_words(out, start, "complex");
  if (class & IS_QUANT) add_words(out, start, "quantized");
  if (class & IS_QUANT_AXIS) add_words(out, start, "quantized per axis");
  if (class & IS_TOKEN) add_words(out, start, "token");
  if (class & IS_TUPLE) add_words(out, start, "tuple");
  if (class & IS_BUFFER) add_words(out, start, "buffer");
  if (class & IS_FUTURE) add_words(out, start, "future");
  if (class & OF_RANK_0) ten_buf_adds(out, " (scalar)");
  if (class & OF_RANK_1) ten_buf_adds(out, " (rank 1)");
  if (class & OF_RANK_2) ten_buf_adds(out, " (rank 2)");
  if (class & STATIC) ten_buf_adds(out, " (static)");
  if (class & STATIC_OR_BOUNDED) ten_buf_adds(out, " (static or bounded)");
}

static void add_values(ten_buf *out, uint32_t min, uint32_t max, const uint32_t *classes, uint32_t class_count) {
  if (!max) return;
  if (max == TEN_ANY_COUNT)
    ten_buf_printf(out, "%u or more", min);
  else if (min == max)
    ten_buf_printf(out, "%u", min);
  else
    ten_buf_printf(out, "%u to %u", min, max);
  for (uint32_t i = 0; i < class_count && classes[i]; i++) {
    ten_buf_adds(out, i ? "; " : ": ");
    add_class(out, classes[i]);
  }
}

static void add_attrs(ten_buf *out, const ten_attr_spec *spec) {
  static const char *const kinds[] = {
      [TEN_SPEC_ANY] = "any",       [TEN_SPEC_UNIT] = "unit",        [TEN_SPEC_BOOL] = "bool",
      [TEN_SPEC_I32] = "i32",       [TEN_SPEC_I64] = "i64",          [TEN_SPEC_UI32] = "ui32",
      [TEN_SPEC_UI64] = "ui64",     [TEN_SPEC_F32] = "f32",          [TEN_SPEC_F64] = "f64",
      [TEN_SPEC_STRING] = "string", [TEN_SPEC_TYPE] = "type",        [TEN_SPEC_SYMBOL] = "symbol",
      [TEN_SPEC_ARRAY] = "array",   [TEN_SPEC_DICT] = "dict",        [TEN_SPEC_DIMS] = "i64s",
      [TEN_SPEC_BOOLS] = "i1s",     [TEN_SPEC_ELEMENTS] = "constant"};
  for (const ten_attr_spec *at = spec; at->kind != TEN_SPEC_END; at++) {
    const char *kind = at->kind == TEN_SPEC_ENUM     ? ten_enum_infos[at->subject].mnemonic
                       : at->kind == TEN_SPEC_STRUCT ? ten_struct_infos[at->subject].mnemonic
                                                     : kinds[at->kind];
    ten_buf_printf(out, "%s%s: %s%s", at == spec ? "" : "; ", at->name, kind, at->required ? "" : "?");
  }
}

static void add_traits(ten_buf *out, uint32_t traits) {
  static const struct {
    uint32_t bit;
    const char *name;
  } names[] = {{TEN_TRAIT_PURE, "pure"},
               {TEN_TRAIT_REGION_PURE, "pure if its regions are"},
               {TEN_TRAIT_ELEMENTWISE, "elementwise"},
               {TEN_TRAIT_BROADCASTS_SCALARS, "broadcasts scalars"},
               {TEN_TRAIT_COMMUTATIVE, "commutative"},
               {TEN_TRAIT_COLLECTIVE, "collective"},
               {TEN_TRAIT_SIDE_EFFECT, "side effect"},
               {TEN_TRAIT_TERMINATOR, "terminator"},
               {TEN_TRAIT_SYMBOL, "symbol"},
               {TEN_TRAIT_ISOLATED, "isolated"}};
  const size_t start = out->size;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (traits & names[i].bit) add_words(out, start, names[i].name);
}

static void add_row(ten_buf *out, const ten_op_info *info, const ten_rule *rule) {
  ten_buf_printf(out, "| `%s` | ", info->name);
  add_values(out, info->operands_min, info->operands_max, rule->in, TEN_RULE_OPERANDS);
  ten_buf_adds(out, " | ");
  add_values(out, info->results_min, info->results_max, rule->out, TEN_RULE_RESULTS);
  ten_buf_adds(out, " | ");
  if (info->regions_max == TEN_ANY_COUNT)
    ten_buf_adds(out, "any");
  else if (info->regions_max)
    ten_buf_printf(out, "%u", info->regions_max);
  ten_buf_adds(out, " | ");
  add_attrs(out, info->attrs);
  ten_buf_adds(out, " | ");
  add_traits(out, info->traits);
  ten_buf_adds(out, " |\n");
}

void ten_ops_describe(ten_buf *out) {
  ten_buf_adds(
      out,
      "# The ops\n\n"
      "Every op that Tenfold knows, with what its operands and results may be. This page is what `tenfold help --ops` prints, made "
      "from the same tables that read, check and print programs; what else an op requires is in the StableHLO "
      "specification, and the verifier names it.\n\n"
      "Where fewer kinds are listed than there are operands, the last one stands for the rest. An attribute "
      "marked `?` may be left out; others are required. Any op may carry further attributes of other dialects.\n");
  ten_str dialect = {0};
  for (int code = 1; code < TEN_OP_COUNT; code++) {
    const ten_op_info *info = &ten_op_infos[code];
    const ten_str own = {info->name, strcspn(info->name, ".")};
    if (!ten_str_eq(own, dialect)) {
      ten_buf_printf(out, "\n## %.*s\n\n", TEN_FMT(own));
      ten_buf_adds(out, "| op | operands | results | regions | attributes | traits |\n|---|---|---|---|---|---|\n");
      dialect = own;
    }
    add_row(out, info, &ten_rules[code]);
  }
}
