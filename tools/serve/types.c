/* types.c: the table of element types. */
#include "serve/types.h"

static const serve_type types[] = {
    {"BOOL", TEN_I1, 1},           {"UINT8", TEN_UI8, 2},  {"UINT16", TEN_UI16, 3}, {"UINT32", TEN_UI32, 4},
    {"UINT64", TEN_UI64, 5},       {"INT8", TEN_I8, 6},    {"INT16", TEN_I16, 7},   {"INT32", TEN_I32, 8},
    {"INT64", TEN_I64, 9},         {"FP16", TEN_F16, 10},  {"FP32", TEN_F32, 11},   {"FP64", TEN_F64, 12},
    {"BYTES", TEN_DTYPE_NONE, 13}, {"BF16", TEN_BF16, 14},
};
enum { COUNT = sizeof types / sizeof *types };

const serve_type *serve_type_named(ten_str name) {
  for (size_t i = 0; i < COUNT; i++)
    if (ten_str_is(name, types[i].name)) return &types[i];
  return NULL;
}

const serve_type *serve_type_of(ten_dtype dtype) {
  for (size_t i = 0; i < COUNT; i++)
    if (types[i].dtype == dtype && dtype != TEN_DTYPE_NONE) return &types[i];
  return NULL;
}
