/* format.c: the table of forms, and its words. */
#include "ir/text/format.h"

#include "ir/text/printer.h"

#define UNARY "$0 {} : S"
#define BINARY "$0 , $1 {} : S"
#define OPERANDS "$* {} : F"
#define CHLO_UNARY "$0 {} : O0 -> R"
#define CHLO_PAIR "$0 , $1 {} : O0 , O1 -> R"
#define CHLO_BROADCAST "$0 , $1 {} : ( O0 , O1 ) -> R"

const ten_text_form ten_text_forms[TEN_OP_COUNT] = {
    [TEN_OP_CONSTANT] = {.parse = ten_parse_constant_op, .print = ten_print_constant_op},
    [TEN_OP_IOTA] = {"dim = @iota_dimension {} : R"},
    [TEN_OP_DYNAMIC_IOTA] = {"$0 , dim = @iota_dimension {} : F"},
    [TEN_OP_CREATE_TOKEN] = {"{} : R"},
    [TEN_OP_ABS] = {UNARY},
    [TEN_OP_CBRT] = {UNARY},
    [TEN_OP_CEIL] = {UNARY},
    [TEN_OP_CONVERT] = {UNARY},
    [TEN_OP_COUNT_LEADING_ZEROS] = {UNARY},
    [TEN_OP_COSINE] = {UNARY},
    [TEN_OP_EXPONENTIAL] = {UNARY},
    [TEN_OP_EXPONENTIAL_MINUS_ONE] = {UNARY},
    [TEN_OP_FLOOR] = {UNARY},
    [TEN_OP_IMAG] = {UNARY},
    [TEN_OP_IS_FINITE] = {OPERANDS},
    [TEN_OP_LOG] = {UNARY},
    [TEN_OP_LOG_PLUS_ONE] = {UNARY},
    [TEN_OP_LOGISTIC] = {UNARY},
    [TEN_OP_NOT] = {UNARY},
    [TEN_OP_NEGATE] = {UNARY},
    [TEN_OP_POPCNT] = {UNARY},
    [TEN_OP_REAL] = {UNARY},
    [TEN_OP_ROUND_NEAREST_AFZ] = {UNARY},
    [TEN_OP_ROUND_NEAREST_EVEN] = {UNARY},
    [TEN_OP_RSQRT] = {UNARY},
    [TEN_OP_SIGN] = {UNARY},
    [TEN_OP_SINE] = {UNARY},
    [TEN_OP_SQRT] = {UNARY},
    [TEN_OP_TAN] = {UNARY},
    [TEN_OP_TANH] = {UNARY},
    [TEN_OP_UNIFORM_QUANTIZE] = {UNARY},
    [TEN_OP_UNIFORM_DEQUANTIZE] = {UNARY},
    [TEN_OP_ADD] = {BINARY},
    [TEN_OP_ATAN2] = {BINARY},
    [TEN_OP_COMPLEX] = {"$* {} : C"},
    [TEN_OP_DIVIDE] = {BINARY},
    [TEN_OP_MAXIMUM] = {BINARY},
    [TEN_OP_MINIMUM] = {BINARY},
    [TEN_OP_MULTIPLY] = {BINARY},
    [TEN_OP_POWER] = {BINARY},
    [TEN_OP_REMAINDER] = {BINARY},
    [TEN_OP_SHIFT_LEFT] = {BINARY},
    [TEN_OP_SHIFT_RIGHT_ARITHMETIC] = {BINARY},
    [TEN_OP_SHIFT_RIGHT_LOGICAL] = {BINARY},
    [TEN_OP_SUBTRACT] = {BINARY},
    [TEN_OP_AND] = {BINARY},
    [TEN_OP_OR] = {BINARY},
    [TEN_OP_XOR] = {BINARY},
    [TEN_OP_REPLICA_ID] = {"{} : R"},
    [TEN_OP_PARTITION_ID] = {"{} : R"},
    [TEN_OP_AFTER_ALL] = {"$* {} : S"},
    [TEN_OP_WHILE] = {.parse = ten_parse_while_op, .print = ten_print_while_op},
    [TEN_OP_REDUCE] = {.parse = ten_parse_reduce_op, .print = ten_print_reduce_op},
    [TEN_OP_GET_TUPLE_ELEMENT] = {"$0 [ @index ] {} : F"},
    [TEN_OP_TUPLE] = {"$* {} : T"},
    [TEN_OP_COMPARE] = {"@comparison_direction , $0 , $1 (?compare_type , @compare_type ?) {} : F"},
    [TEN_OP_SLICE] = {"$0 !slice {} : F"},
    [TEN_OP_DYNAMIC_SLICE] = {"$0 , $*, sizes = @slice_sizes {} : F"},
    [TEN_OP_DYNAMIC_UPDATE_SLICE] = {OPERANDS},
    [TEN_OP_BITCAST_CONVERT] = {OPERANDS},
    [TEN_OP_BROADCAST] = {"$0 , sizes = @broadcast_sizes {} : F"},
    [TEN_OP_BROADCAST_IN_DIM] = {"$0 , dims = @broadcast_dimensions {} : F"},
    [TEN_OP_DYNAMIC_BROADCAST_IN_DIM] = {"$0 , $1 , dims = @broadcast_dimensions {} : F"},
    [TEN_OP_CHOLESKY] = {"$0 (?lower , lower = @lower ?) {} : S"},
    [TEN_OP_CLAMP] = {"$0 , $1 , $2 {} : S"},
    [TEN_OP_CONCATENATE] = {"$*, dim = @dimension {} : F"},
    [TEN_OP_COMPOSITE] = {"@name $* !regions {} : F"},
    [TEN_OP_CONVOLUTION] = {"( $* ) dim_numbers = !conv , window = { !window } {} : F"},
    [TEN_OP_CUSTOM_CALL] = {"!target ( $* ) {} : F"},
    [TEN_OP_DOT] = {"$0 , $1 !precision {} : F"},
    [TEN_OP_DOT_GENERAL] = {"$0 , $1 , !dot !algorithm {} : F"},
    [TEN_OP_EINSUM] = {"$0 , $1 , config = @einsum_config {} : F"},
    [TEN_OP_UNARY_EINSUM] = {"$0 , config = @einsum_config {} : F"},
    [TEN_OP_FFT] = {"$0 , type = @fft_type , length = @fft_length {} : F"},
    [TEN_OP_GET_DIMENSION_SIZE] = {"$0 , dim = @dimension {} : F"},
    [TEN_OP_RESHAPE] = {OPERANDS},
    [TEN_OP_DYNAMIC_RESHAPE] = {OPERANDS},
    [TEN_OP_SELECT] = {"$* {} : P"},
    [TEN_OP_SET_DIMENSION_SIZE] = {"$0 , $1 , dim = @dimension {} : F"},
    [TEN_OP_REVERSE] = {"$0 , dims = @dimensions {} : S"},
    [TEN_OP_PAD] =
        {"$0 , $1 , low = @edge_padding_low , high = @edge_padding_high , interior = @interior_padding {} : F"},
    [TEN_OP_TRANSPOSE] = {"$0 , dims = @permutation {} : F"},
    [TEN_OP_RETURN] = {"$* {} (?$ : O ?)"},
    [TEN_OP_OPTIMIZATION_BARRIER] = {"{} !pairwise"},
    [TEN_OP_RNG] = {"$0 , $1 , $2 , distribution = @rng_distribution {} : F"},
    [TEN_OP_RNG_BIT_GENERATOR] = {"$0 , algorithm = @rng_algorithm {} : F"},
    [TEN_OP_REDUCE_PRECISION] = {"$0 , format = !format {} : S"},
    [TEN_OP_REAL_DYNAMIC_SLICE] = {OPERANDS},
    [TEN_OP_DYNAMIC_PAD] = {OPERANDS},

    [TEN_OP_CHLO_BROADCAST_ADD] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_ATAN2] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_DIVIDE] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_MAXIMUM] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_MINIMUM] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_MULTIPLY] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_NEXT_AFTER] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_POLYGAMMA] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_POWER] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_REMAINDER] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_SHIFT_LEFT] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_SHIFT_RIGHT_ARITHMETIC] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_SHIFT_RIGHT_LOGICAL] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_SUBTRACT] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_ZETA] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_AND] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_OR] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_XOR] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_COMPLEX] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_BROADCAST_COMPARE] = {CHLO_BROADCAST},
    [TEN_OP_CHLO_NEXT_AFTER] = {CHLO_PAIR},
    [TEN_OP_CHLO_POLYGAMMA] = {CHLO_PAIR},
    [TEN_OP_CHLO_ZETA] = {CHLO_PAIR},
    [TEN_OP_CHLO_MULHI] = {CHLO_PAIR},
    [TEN_OP_CHLO_ASIN_ACOS_KERNEL] = {CHLO_UNARY},
    [TEN_OP_CHLO_ACOS] = {CHLO_UNARY},
    [TEN_OP_CHLO_ACOSH] = {CHLO_UNARY},
    [TEN_OP_CHLO_ASIN] = {CHLO_UNARY},
    [TEN_OP_CHLO_ASINH] = {CHLO_UNARY},
    [TEN_OP_CHLO_ATAN] = {CHLO_UNARY},
    [TEN_OP_CHLO_ATANH] = {CHLO_UNARY},
    [TEN_OP_CHLO_BESSEL_I1E] = {CHLO_UNARY},
    [TEN_OP_CHLO_CONJ] = {CHLO_UNARY},
    [TEN_OP_CHLO_COSH] = {CHLO_UNARY},
    [TEN_OP_CHLO_SINH] = {CHLO_UNARY},
    [TEN_OP_CHLO_TAN] = {CHLO_UNARY},
    [TEN_OP_CHLO_DIGAMMA] = {CHLO_UNARY},
    [TEN_OP_CHLO_ERF] = {CHLO_UNARY},
    [TEN_OP_CHLO_ERF_INV] = {CHLO_UNARY},
    [TEN_OP_CHLO_ERFC] = {CHLO_UNARY},
    [TEN_OP_CHLO_IS_INF] = {CHLO_UNARY},
    [TEN_OP_CHLO_IS_NEG_INF] = {CHLO_UNARY},
    [TEN_OP_CHLO_IS_POS_INF] = {CHLO_UNARY},
    [TEN_OP_CHLO_LGAMMA] = {CHLO_UNARY},
    [TEN_OP_CHLO_SQUARE] = {CHLO_UNARY},
    [TEN_OP_CHLO_CONSTANT] = {"{} @value !value_type"},
    [TEN_OP_CHLO_BROADCAST_SELECT] = {"$0 , $1 , $2 {} : ( O0 , O1 , O2 ) -> R"},
    [TEN_OP_CHLO_TOP_K] = {"( $0 , k = @k (?is_stable , is_stable = @is_stable ?) ) {} : O0 -> ( R )"},
    [TEN_OP_CHLO_SCAN] = {.parse = ten_parse_scan_op, .print = ten_print_scan_op},

    [TEN_OP_MODULE] = {.parse = ten_parse_module_op, .print = ten_print_module_op},
    [TEN_OP_CAST] = {"(?$ $* : O ?) to R {}"},
    [TEN_OP_FUNC] = {.parse = ten_parse_func_op, .print = ten_print_func_op},
    [TEN_OP_CALL] = {"@callee ( $* ) {} : F"},
    [TEN_OP_FUNC_RETURN] = {"{} (?$ $* : O ?)"},

    [TEN_OP_CHECK_EXPECT_EQ] = {"$0 , $1 {} : O0"},
    [TEN_OP_CHECK_EXPECT_EQ_CONST] = {"$0 , @value {} !value_type"},
    [TEN_OP_CHECK_EXPECT_ALMOST_EQ] = {"$0 , $1 (?tolerance , tolerance = @tolerance ?) {} : O0"},
    [TEN_OP_CHECK_EXPECT_ALMOST_EQ_CONST] = {"$0 , @value (?tolerance , tolerance = @tolerance ?) {} !value_type"},
    [TEN_OP_CHECK_EXPECT_CLOSE] = {"$0 , $1 , max_ulp_difference = @max_ulp_difference"
                                   " (?min_ulp_difference , min_ulp_difference = @min_ulp_difference ?) : {} O0 , O1"},
    [TEN_OP_CHECK_EXPECT_SERIALIZED_EQ] = {"$0 , probe_id = @probe_id (?iteration , iter = @iteration ?) {} : O0"},
    [TEN_OP_INTERPRETER_PRINT] = {"$0 {} : O0"},
    [TEN_OP_INTERPRETER_PROBE] = {"$0 , probe_id = @probe_id {} : S"},
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
