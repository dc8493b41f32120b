/* builder.c: the general op, constants, elementwise and control flow. Shape, contractions and reductions are in
 * build_*.c. */
#include "ir/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/float.h"
#include "base/size.h"
#include "ir/build_infer.h"
#include "ir/verify/verify.h"

enum { REASON_MAX = 256 };

void ten_build_refuse(const ten_builder *b, const char *format, ...) {
  char reason[REASON_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  if (b->refuse) b->refuse(b->refuse_context, reason);
  assert(false && "operands that do not fit the op");
}

int64_t ten_build_dim(const ten_builder *b, const ten_value *x, int64_t dim) {
  ten_build_check(b, dim >= 0 && dim < x->type->rank, "dimension %lld of a tensor of rank %u", (long long)dim,
                  x->type->rank);
  return x->type->dims[dim];
}

/* Sizes that overflow 64 bits, or a rank beyond the caller's arrays, would fail later. */
static void results_check(const ten_builder *b, uint32_t result_count, const ten_type *const *types) {
  for (uint32_t i = 0; i < result_count; i++) {
    const ten_type *type = types[i];
    if (type->kind != TEN_TYPE_TENSOR || !type->ranked) continue;
    ten_build_check(b, !b->rank_max || type->rank <= b->rank_max, "a tensor of rank %u; the limit is %u", type->rank,
                    b->rank_max);
    int64_t count = 1;
    for (uint32_t d = 0; d < type->rank; d++) {
      ten_build_check(b, type->dims[d] >= 0, "a size of %lld", (long long)type->dims[d]);
      ten_build_check(b, ten_mul_i64(count, type->dims[d] ? type->dims[d] : 1, &count) && count <= TEN_BUILD_COUNT_MAX,
                      "a tensor with too many elements");
    }
  }
}

static ten_op *place(ten_builder *b, ten_op *op) {
  if (b->before)
    ten_op_insert_before(b->before, op);
  else
    ten_op_append(b->block, op);
  return op;
}

ten_op *ten_build_op(ten_builder *b, ten_opcode code, uint32_t operand_count, ten_value *const *operands,
                     uint32_t result_count, const ten_type *const *types, uint32_t attr_count,
                     const ten_named_attr *attrs, uint32_t region_count) {
  if (b->refuse) results_check(b, result_count, types);
  return place(b, ten_op_create(b->module, code, (ten_str){0}, b->loc, operand_count, operands, result_count, types,
                                attr_count, attrs, region_count));
}

ten_value *ten_build_inferred(ten_builder *b, ten_opcode code, uint32_t operand_count, ten_value *const *operands,
                              ten_dtype dtype, uint32_t attr_count, const ten_named_attr *attrs) {
  const ten_type *type = NULL;
  ten_op *op =
      ten_op_create(b->module, code, (ten_str){0}, b->loc, operand_count, operands, 1, &type, attr_count, attrs, 0);
  ten_status *status = ten_infer_types(b->module, op, &type);
  if (status) {
    char reason[REASON_MAX / 2];
    snprintf(reason, sizeof reason, "%s", ten_status_message(status));
    ten_status_free(status);
    ten_op_erase(op);
    ten_build_refuse(b, "%s", reason);
  }
  if (dtype != TEN_DTYPE_NONE) type = ten_type_with_dtype(b->module, type, dtype);
  if (b->refuse) results_check(b, 1, &type);
  op->results[0].type = type;
  return &place(b, op)->results[0];
}

ten_op *ten_build_named(ten_builder *b, ten_str name, uint32_t operand_count, ten_value *const *operands,
                        uint32_t result_count, const ten_type *const *types, uint32_t attr_count,
                        const ten_named_attr *attrs, uint32_t region_count) {
  return place(b, ten_op_create(b->module, ten_opcode_find(name), name, b->loc, operand_count, operands, result_count,
                                types, attr_count, attrs, region_count));
}

ten_value *ten_build_constant(ten_builder *b, const ten_attr *dense) {
  const ten_named_attr attr = {TEN_STR("value"), dense, true};
  return &ten_build_op(b, TEN_OP_CONSTANT, 0, NULL, 1, &dense->dense.type, 1, &attr, 0)->results[0];
}

static void encode_int(ten_dtype dtype, int64_t value, void *at) {
  const unsigned bits = ten_dtype_bits(dtype);
  if (dtype == TEN_I1)
    value = value != 0;
  else if (bits < 8)
    value = ten_dtype_class(dtype) == TEN_CLASS_UINT ? value & ((1 << bits) - 1)
                                                     : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
  memcpy(at, &value, ten_dtype_bytes(dtype)); /* little-endian: the low bytes come first */
}

/* Saturates: infinities have no integer. */
static int64_t int_of(double value) {
  const double end = 0x1p63;
  return value >= end ? INT64_MAX : value < -end ? INT64_MIN : value == value ? (int64_t)value : 0;
}

static size_t encode(ten_dtype dtype, double value, void *at) {
  memset(at, 0, 16);
  const ten_dtype part = ten_dtype_part(dtype);
  if (ten_dtype_is_float(part))
    ten_float_encode(part, value, at);
  else
    encode_int(dtype, int_of(value), at);
  return ten_dtype_bytes(dtype);
}

ten_value *ten_build_splat(ten_builder *b, const ten_type *type, double value) {
  _Alignas(16) char at[16];
  const size_t size = encode(type->dtype, value, at);
  const void *data = ten_arena_copy(&b->module->arena, at, size);
  return ten_build_constant(b, ten_attr_dense_view(b->module, type, data, size, ten_type_count(type) != 1));
}

ten_value *ten_build_splat_int(ten_builder *b, const ten_type *type, int64_t value) {
  if (!ten_dtype_is_int(type->dtype) && type->dtype != TEN_I1) return ten_build_splat(b, type, (double)value);
  int64_t at = 0;
  encode_int(type->dtype, value, &at);
  const size_t size = ten_dtype_bytes(type->dtype);
  const void *data = ten_arena_copy(&b->module->arena, &at, size);
  return ten_build_constant(b, ten_attr_dense_view(b->module, type, data, size, ten_type_count(type) != 1));
}

ten_value *ten_build_scalar(ten_builder *b, ten_dtype dtype, double value) {
  return ten_build_splat(b, ten_type_tensor(b->module, dtype, 0, NULL), value);
}
ten_value *ten_build_scalar_int(ten_builder *b, ten_dtype dtype, int64_t value) {
  return ten_build_splat_int(b, ten_type_tensor(b->module, dtype, 0, NULL), value);
}
ten_value *ten_build_like(ten_builder *b, ten_value *like, double value) {
  return ten_build_splat(b, like->type, value);
}

ten_value *ten_build_i64s(ten_builder *b, size_t count, const int64_t *values) {
  const int64_t dim = (int64_t)count;
  return ten_build_constant(b, ten_attr_dense_i64(b->module, 1, &dim, values));
}

ten_value *ten_build_iota(ten_builder *b, const ten_type *type, int64_t dim) {
  ten_build_check(b, dim >= 0 && dim < type->rank, "iota along dimension %lld of a tensor of rank %u", (long long)dim,
                  type->rank);
  const ten_named_attr attr = {TEN_STR("iota_dimension"), ten_attr_i64(b->module, dim), true};
  return &ten_build_op(b, TEN_OP_IOTA, 0, NULL, 1, &type, 1, &attr, 0)->results[0];
}

ten_value *ten_build_unary(ten_builder *b, ten_opcode code, ten_value *x) {
  return &ten_build_op(b, code, 1, &x, 1, &x->type, 0, NULL, 0)->results[0];
}

static void types_check(const ten_builder *b, const ten_value *x, const ten_value *y) {
  if (x->type == y->type) return;
  ten_buf text = {0};
  ten_type_print(&text, x->type);
  ten_buf_adds(&text, " and ");
  ten_type_print(&text, y->type);
  char types[REASON_MAX / 2];
  snprintf(types, sizeof types, "%s", text.data);
  ten_buf_free(&text);
  ten_build_refuse(b, "operands of types %s; they must be the same", types);
}

ten_value *ten_build_binary(ten_builder *b, ten_opcode code, ten_value *x, ten_value *y) {
  types_check(b, x, y);
  ten_value *operands[] = {x, y};
  return &ten_build_op(b, code, 2, operands, 1, &x->type, 0, NULL, 0)->results[0];
}

ten_value *ten_build_compare(ten_builder *b, ten_compare direction, ten_value *x, ten_value *y) {
  types_check(b, x, y);
  ten_value *operands[] = {x, y};
  const ten_type *type = ten_type_with_dtype(b->module, x->type, TEN_I1);
  const ten_named_attr attr = {TEN_STR("comparison_direction"),
                               ten_attr_enum(b->module, TEN_ENUM_COMPARISON_DIRECTION, (int)direction), true};
  return &ten_build_op(b, TEN_OP_COMPARE, 2, operands, 1, &type, 1, &attr, 0)->results[0];
}

ten_value *ten_build_select(ten_builder *b, ten_value *pred, ten_value *on_true, ten_value *on_false) {
  types_check(b, on_true, on_false);
  ten_value *operands[] = {pred, on_true, on_false};
  return &ten_build_op(b, TEN_OP_SELECT, 3, operands, 1, &on_true->type, 0, NULL, 0)->results[0];
}

ten_value *ten_build_clamp(ten_builder *b, ten_value *min, ten_value *x, ten_value *max) {
  ten_value *operands[] = {min, x, max};
  return &ten_build_op(b, TEN_OP_CLAMP, 3, operands, 1, &x->type, 0, NULL, 0)->results[0];
}

ten_value *ten_build_convert(ten_builder *b, ten_value *x, ten_dtype dtype) {
  if (x->type->dtype == dtype && !x->type->quant) return x;
  const ten_type *type = ten_type_with_dtype(b->module, x->type, dtype);
  return &ten_build_op(b, TEN_OP_CONVERT, 1, &x, 1, &type, 0, NULL, 0)->results[0];
}

ten_value *ten_build_complex(ten_builder *b, ten_value *real, ten_value *imag) {
  ten_value *operands[] = {real, imag};
  const ten_type *type = ten_type_with_dtype(b->module, real->type, real->type->dtype == TEN_F64 ? TEN_C128 : TEN_C64);
  return &ten_build_op(b, TEN_OP_COMPLEX, 2, operands, 1, &type, 0, NULL, 0)->results[0];
}

ten_value *ten_build_part(ten_builder *b, ten_opcode real_or_imag, ten_value *x) {
  const ten_type *type = ten_type_with_dtype(b->module, x->type, ten_dtype_part(x->type->dtype));
  return &ten_build_op(b, real_or_imag, 1, &x, 1, &type, 0, NULL, 0)->results[0];
}

void ten_build_region(ten_builder *b, ten_op *op, uint32_t r, uint32_t arg_count, const ten_type *const *types,
                      ten_body body, void *context) {
  ten_builder inner = ten_builder_in(b, ten_block_create(b->module, &op->regions[r]));
  for (uint32_t i = 0; i < arg_count; i++) ten_block_add_arg(b->module, inner.block, types[i], b->loc);
  body(&inner, inner.block->args, context);
}

static const ten_type **types_of(ten_builder *b, uint32_t count, ten_value *const *values) {
  const ten_type **types = ten_arena_new_array(&b->module->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) types[i] = values[i]->type;
  return types;
}

ten_op *ten_build_while(ten_builder *b, uint32_t count, ten_value *const *inits, ten_body cond, ten_body body,
                        void *context) {
  const ten_type **types = types_of(b, count, inits);
  ten_op *op = ten_build_op(b, TEN_OP_WHILE, count, inits, count, types, 0, NULL, 2);
  ten_build_region(b, op, 0, count, types, cond, context);
  ten_build_region(b, op, 1, count, types, body, context);
  return op;
}

ten_op *ten_build_if(ten_builder *b, ten_value *pred, uint32_t result_count, const ten_type *const *types,
                     ten_body on_true, ten_body on_false, void *context) {
  ten_op *op = ten_build_op(b, TEN_OP_IF, 1, &pred, result_count, types, 0, NULL, 2);
  ten_build_region(b, op, 0, 0, NULL, on_true, context);
  ten_build_region(b, op, 1, 0, NULL, on_false, context);
  return op;
}

ten_op *ten_build_call(ten_builder *b, const ten_op *func, ten_value *const *args) {
  const ten_type *type = ten_func_type(func);
  const ten_named_attr attr = {TEN_STR("callee"), ten_attr_symbol(b->module, ten_func_name(func)), true};
  return ten_build_op(b, TEN_OP_CALL, type->input_count, args, type->result_count, type->results, 1, &attr, 0);
}

void ten_build_return(ten_builder *b, uint32_t count, ten_value *const *values) {
  const ten_op *parent = b->block->region->op;
  ten_build_op(b, parent->code == TEN_OP_FUNC ? TEN_OP_FUNC_RETURN : TEN_OP_RETURN, count, values, 0, NULL, 0, NULL, 0);
}
