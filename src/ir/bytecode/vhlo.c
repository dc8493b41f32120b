/* vhlo.c: the tables of vhlo.h and look-up in them. */
#include "ir/bytecode/vhlo.h"

#define VER(major, minor) VHLO_VERSION(major, minor)
#define CURRENT VHLO_LATEST
#define P(attr_name, attr_default) {attr_name, VHLO_DEFAULT_##attr_default}
#define NO_ATTRS {NULL, VHLO_DEFAULT_REQUIRED}
enum {
  ONE = VHLO_LIMIT_ONE,
  REGIONS = VHLO_LIMIT_REGIONS,
  ELEMENT = VHLO_LIMIT_ELEMENT,
  CUSTOM_CALL = VHLO_LIMIT_CUSTOM_CALL
};

/* The rows of ops.def's column `wire`: expands its arguments, then its word selects the macro. */
#define FORM(op_code, form_name, since, until, ...) \
  {&(form_name)[sizeof "stablehlo"], TEN_OP_##op_code, since, until, 0, (const vhlo_attr_row[]){__VA_ARGS__, NO_ATTRS}},
#define FORMS(...) FORMS_OF(__VA_ARGS__)
#define FORMS_OF(op_code, op_name, word, ...) FORMS_##word(op_code, op_name, __VA_ARGS__)
#define FORMS_NONE(...)
#define FORMS_SINCE(op_code, op_name, major, minor) FORM(op_code, op_name "_v1", VER(major, minor), CURRENT, NO_ATTRS)
#define FORMS_ACCURATE(op_code, op_name, major, minor) \
  FORM(op_code, op_name "_v1", VER(major, minor), CURRENT, P("result_accuracy", ACCURACY))
#define FORMS_ACCURATE_SINCE(op_code, op_name, major, minor, then_major, then_minor)         \
  FORM(op_code, op_name "_v1", VER(major, minor), VER(then_major, then_minor) - 1, NO_ATTRS) \
  FORM(op_code, op_name "_v2", VER(then_major, then_minor), CURRENT, P("result_accuracy", ACCURACY))
#define WIRE_NONE NONE, 0
#define WIRE_ROWS NONE, 0
#define WIRE_SINCE(major, minor) SINCE, major, minor
#define WIRE_ACCURATE(major, minor) ACCURATE, major, minor
#define WIRE_ACCURATE_SINCE(...) ACCURATE_SINCE, __VA_ARGS__

const vhlo_op vhlo_ops[] = {
#define OP(code, name, o0, o1, r0, r1, g0, g1, traits, cost, wire, ...) FORMS(code, name, WIRE_##wire)
#include "ir/ops.def"
#undef OP
#define VHLO(op_name, code, since, until, limits, ...) \
  {op_name, TEN_OP_##code, since, until, limits, (const vhlo_attr_row[]){__VA_ARGS__, NO_ATTRS}},
#include "ir/bytecode/vhlo.def"
#undef VHLO
};
const size_t vhlo_op_count = sizeof vhlo_ops / sizeof *vhlo_ops;

const vhlo_scalar vhlo_scalars[] = {
    {0, TEN_I1, VER(0, 9)},           {2, TEN_BF16, VER(0, 9)},         {3, TEN_F16, VER(0, 9)},
    {4, TEN_F32, VER(0, 9)},          {5, TEN_F64, VER(0, 9)},          {6, TEN_F8E4M3FN, VER(0, 9)},
    {7, TEN_F8E5M2, VER(0, 9)},       {9, TEN_INDEX, VER(0, 9)},        {10, TEN_I4, VER(0, 9)},
    {11, TEN_I8, VER(0, 9)},          {12, TEN_I16, VER(0, 9)},         {13, TEN_I32, VER(0, 9)},
    {14, TEN_I64, VER(0, 9)},         {15, TEN_UI4, VER(0, 9)},         {16, TEN_UI8, VER(0, 9)},
    {17, TEN_UI16, VER(0, 9)},        {18, TEN_UI32, VER(0, 9)},        {19, TEN_UI64, VER(0, 9)},
    {27, TEN_F8E4M3FNUZ, VER(0, 10)}, {28, TEN_F8E5M2FNUZ, VER(0, 10)}, {29, TEN_F8E4M3B11FNUZ, VER(0, 11)},
    {31, TEN_I2, VER(1, 2)},          {32, TEN_UI2, VER(1, 2)},         {34, TEN_TF32, VER(1, 6)},
    {35, TEN_F8E4M3, VER(1, 7)},      {36, TEN_F8E3M4, VER(1, 7)},      {37, TEN_F4E2M1FN, VER(1, 8)},
    {38, TEN_F6E2M3FN, VER(1, 8)},    {39, TEN_F6E3M2FN, VER(1, 8)},    {40, TEN_F8E8M0FNU, VER(1, 8)},
};
const size_t vhlo_scalar_count = sizeof vhlo_scalars / sizeof *vhlo_scalars;

const vhlo_enum vhlo_enums[] = {
    {3, TEN_ENUM_COMPARISON_DIRECTION, VER(0, 9)},
    {4, TEN_ENUM_COMPARISON_TYPE, VER(0, 9)},
    {5, TEN_ENUM_CUSTOM_CALL_API_VERSION, VER(0, 9)},
    {7, TEN_ENUM_FFT_TYPE, VER(0, 9)},
    {11, TEN_ENUM_PRECISION, VER(0, 9)},
    {12, TEN_ENUM_RNG_ALGORITHM, VER(0, 9)},
    {13, TEN_ENUM_RNG_DISTRIBUTION, VER(0, 9)},
    {16, TEN_ENUM_TRANSPOSE, VER(0, 9)},
    {19, TEN_ENUM_RESULT_ACCURACY_MODE, VER(1, 9)},
};
const size_t vhlo_enum_count = sizeof vhlo_enums / sizeof *vhlo_enums;

const vhlo_scalar builtin_scalars[] = {
    {1, TEN_INDEX, 0},      {3, TEN_BF16, 0},        {4, TEN_F16, 0},         {5, TEN_F32, 0},
    {6, TEN_F64, 0},        {21, TEN_TF32, 0},       {22, TEN_F8E5M2, 0},     {23, TEN_F8E4M3, 0},
    {24, TEN_F8E4M3FN, 0},  {25, TEN_F8E5M2FNUZ, 0}, {26, TEN_F8E4M3FNUZ, 0}, {27, TEN_F8E4M3B11FNUZ, 0},
    {28, TEN_F8E3M4, 0},    {29, TEN_F4E2M1FN, 0},   {30, TEN_F6E2M3FN, 0},   {31, TEN_F6E3M2FN, 0},
    {32, TEN_F8E8M0FNU, 0},
};
const size_t builtin_scalar_count = sizeof builtin_scalars / sizeof *builtin_scalars;

const vhlo_enum stablehlo_enums[] = {
    {2, TEN_ENUM_COMPARISON_DIRECTION, 0},
    {3, TEN_ENUM_COMPARISON_TYPE, 0},
    {6, TEN_ENUM_FFT_TYPE, 0},
    {8, TEN_ENUM_PRECISION, 0},
    {9, TEN_ENUM_RNG_ALGORITHM, 0},
    {10, TEN_ENUM_RNG_DISTRIBUTION, 0},
    {12, TEN_ENUM_TRANSPOSE, 0},
    {16, TEN_ENUM_RESULT_ACCURACY_MODE, 0},
};
const size_t stablehlo_enum_count = sizeof stablehlo_enums / sizeof *stablehlo_enums;

const vhlo_enum chlo_enums[] = {{0, TEN_ENUM_CHLO_COMPARISON_DIRECTION, 0}, {1, TEN_ENUM_CHLO_COMPARISON_TYPE, 0}};
const size_t chlo_enum_count = sizeof chlo_enums / sizeof *chlo_enums;

const vhlo_op *vhlo_op_find(ten_str name) {
  for (size_t i = 0; i < vhlo_op_count; i++)
    if (ten_str_is(name, vhlo_ops[i].name)) return &vhlo_ops[i];
  return NULL;
}

const vhlo_op *vhlo_op_at(ten_opcode code, uint16_t version) {
  for (size_t i = 0; i < vhlo_op_count; i++)
    if (vhlo_ops[i].code == code && vhlo_ops[i].since <= version && version <= vhlo_ops[i].until) return &vhlo_ops[i];
  return NULL;
}

const vhlo_op *vhlo_op_newest(ten_opcode code) { return vhlo_op_at(code, VHLO_LATEST); }

const vhlo_op *vhlo_op_oldest(ten_opcode code) {
  const vhlo_op *oldest = NULL;
  for (size_t i = 0; i < vhlo_op_count; i++)
    if (vhlo_ops[i].code == code && (!oldest || vhlo_ops[i].since < oldest->since)) oldest = &vhlo_ops[i];
  return oldest;
}

const vhlo_attr_row *vhlo_op_attr(const vhlo_op *op, ten_str name) {
  for (const vhlo_attr_row *row = op->attrs; row->name; row++)
    if (ten_str_is(name, row->name)) return row;
  return NULL;
}
