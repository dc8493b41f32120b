/* check.c: errors that eager mode raises. A lowering states a condition; the program checks it at run time
 * (ir/assert.h). Conditions known to hold, for constants, iotas and what a few ops derive from them, are omitted. */
#include <limits.h>
#include <stdarg.h>

#include "front/aten/lower.h"
#include "ir/assert.h"

enum { DEPTH = 12, SCAN_MAX = 1 << 12, ROWS_FROM = 1 << 13, ROW_MIN = 1 << 10, ROW_MAX = 1 << 12 };

typedef struct bounds {
  int64_t low, high;
} bounds;

static bool bounds_of(const ten_value *x, int depth, bounds *out);

static bool bounds_of_constant(const ten_attr *dense, bounds *out) {
  if (!dense || !dense->dense.data || !ten_dtype_is_int(dense->dense.type->dtype)) return false;
  const int64_t count = dense->dense.splat ? 1 : ten_type_count(dense->dense.type);
  if (!count || count > SCAN_MAX) return false;
  *out = (bounds){INT64_MAX, INT64_MIN};
  for (int64_t i = 0; i < count; i++) {
    const int64_t x = ten_dense_int(dense, i);
    if (x < out->low) out->low = x;
    if (x > out->high) out->high = x;
  }
  return true;
}

/* The bounds of all operands from `first` on. */
static bool bounds_of_operands(const ten_op *op, uint32_t first, int depth, bounds *out) {
  *out = (bounds){INT64_MAX, INT64_MIN};
  for (uint32_t i = first; i < op->operand_count; i++) {
    bounds b;
    if (!bounds_of(ten_op_operand(op, i), depth, &b)) return false;
    if (b.low < out->low) out->low = b.low;
    if (b.high > out->high) out->high = b.high;
  }
  return op->operand_count > first;
}

static bool bounds_of_sum(const ten_op *op, int depth, bounds *out) {
  bounds a, b;
  if (!bounds_of(ten_op_operand(op, 0), depth, &a) || !bounds_of(ten_op_operand(op, 1), depth, &b)) return false;
  const int64_t most = INT32_MAX; /* far from overflow */
  if (a.low < -most || a.high > most || b.low < -most || b.high > most) return false;
  *out = op->code == TEN_OP_ADD ? (bounds){a.low + b.low, a.high + b.high} : (bounds){a.low - b.high, a.high - b.low};
  return true;
}

/* Bounds of all elements of an integer tensor; false: unknown. */
static bool bounds_of(const ten_value *x, int depth, bounds *out) {
  const ten_op *op = x->op;
  const ten_dtype dtype = x->type->dtype;
  if (!op || !depth || (dtype != TEN_I64 && dtype != TEN_I32)) return false;
  switch (op->code) {
    case TEN_OP_CONSTANT: return bounds_of_constant(ten_op_attr(op, "value"), out);
    case TEN_OP_IOTA: *out = (bounds){0, x->type->dims[ten_op_int(op, "iota_dimension", 0)] - 1}; return true;
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_REVERSE:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_GATHER: return bounds_of(ten_op_operand(op, 0), depth - 1, out);
    case TEN_OP_CONVERT: return dtype == TEN_I64 && bounds_of(ten_op_operand(op, 0), depth - 1, out);
    case TEN_OP_SORT: return bounds_of(ten_op_operand(op, x->index), depth - 1, out);
    case TEN_OP_CONCATENATE: return bounds_of_operands(op, 0, depth - 1, out);
    case TEN_OP_SELECT: return bounds_of_operands(op, 1, depth - 1, out);
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT: return bounds_of_sum(op, depth - 1, out);
    case TEN_OP_CLAMP: {
      bounds low, high;
      if (!bounds_of(ten_op_operand(op, 0), depth - 1, &low) || !bounds_of(ten_op_operand(op, 2), depth - 1, &high))
        return false;
      *out = (bounds){low.low < high.low ? low.low : high.low, high.high};
      return true;
    }
    default: return false;
  }
}

/* The number of equal parts that fit a cache; 1: no split. */
static int64_t parts_of(int64_t count) {
  if (count < ROWS_FROM) return 1;
  for (int64_t parts = (count + ROW_MAX - 1) / ROW_MAX; parts <= count / ROW_MIN; parts++)
    if (count % parts == 0) return parts;
  return 1;
}

/* Reduces all elements to one; large tensors in parts, which threads share. */
static ten_value *reduce_all(at *l, ten_opcode code, ten_value *x) {
  const int64_t count = at_count(x), parts = parts_of(count), dims[2] = {0, 1};
  if (!at_rank(x)) return x;
  if (parts == 1) return at_reduce(l, code, at_flatten(l, x), 1, dims, false);
  x = at_reshape(l, x, 2, (const int64_t[]){parts, count / parts});
  return at_reduce(l, code, at_reduce(l, code, x, 1, dims + 1, false), 1, dims, false);
}

static void emit(at *l, ten_value *ok, ten_value *value, const char *exception, const char *format, va_list args) {
  ten_buf text = {0};
  ten_buf_vprintf(&text, format, args);
  ten_buf_printf(&text, " (%.*s)", TEN_FMT(l->op->name));
  ten_build_assert(&l->b, ok, value, exception, (ten_str){text.data, text.size});
  ten_buf_free(&text);
}

void at_assert(at *l, ten_value *ok, const char *exception, const char *format, ...) {
  if (!l->checks || !at_count(ok)) return;
  va_list args;
  va_start(args, format);
  emit(l, reduce_all(l, TEN_OP_AND, ok), NULL, exception, format, args);
  va_end(args);
}

static ten_value *bitcast(at *l, ten_value *x, ten_dtype dtype) {
  const ten_type *type = ten_type_tensor(l->b.module, dtype, at_rank(x), at_dims(x));
  return ten_op_result(ten_build_op(&l->b, TEN_OP_BITCAST_CONVERT, 1, &x, 1, &type, 0, NULL, 0), 0);
}

/* Whether all of x was already checked against these bounds in this block; else records the check. */
static bool was_checked(at *l, const ten_value *x, int64_t low, int64_t limit) {
  while (x->op && x->op->code == TEN_OP_RESHAPE) x = ten_op_operand(x->op, 0);
  for (const at_checked *c = l->checked; c; c = c->next)
    if (c->value == x && c->block == l->b.block && c->low >= low && c->limit <= limit) return true;
  at_checked *now = ten_arena_new(&l->b.module->arena, at_checked);
  *now = (at_checked){x, l->b.block, low, limit, l->checked};
  l->checked = now;
  return false;
}

/* One comparison covers both ends: x - low, as unsigned, is below limit - low. The message shows the largest such
 * value. */
void at_assert_range(at *l, ten_value *x, int64_t low, int64_t limit, const char *exception, const char *format, ...) {
  bounds known;
  if (!l->checks || !at_count(x)) return;
  while (x->op && x->op->code == TEN_OP_BROADCAST_IN_DIM) x = ten_op_operand(x->op, 0); /* the same elements, once */
  if (bounds_of(x, DEPTH, &known) && known.low >= low && known.high < limit) return;
  if (was_checked(l, x, low, limit)) return;
  const bool narrow = at_type(x) == TEN_I32 && low > INT32_MIN && limit < INT32_MAX;
  x = at_cast(l, x, narrow ? TEN_I32 : TEN_I64);
  ten_value *from = ten_build_scalar_int(&l->b, at_type(x), low);
  ten_value *above = bitcast(l, low ? at_sub(l, x, from) : x, narrow ? TEN_UI32 : TEN_UI64);
  ten_value *most = reduce_all(l, TEN_OP_MAXIMUM, above);
  ten_value *ok = at_cmp(l, TEN_LT, most, ten_build_scalar_int(&l->b, at_type(most), limit > low ? limit - low : 0));
  ten_value *shown = bitcast(l, most, at_type(x));
  va_list args;
  va_start(args, format);
  emit(l, ok, at_cast(l, low ? at_add(l, shown, from) : shown, TEN_I64), exception, format, args);
  va_end(args);
}

void at_assert_index(at *l, ten_value *index, int64_t dim, int64_t size, bool negative, const char *exception) {
  at_assert_range(l, index, negative ? -size : 0, size, exception,
                  "index {} is out of bounds for dimension %lld with size %lld", (long long)dim, (long long)size);
}

/* The minimum as unsigned numbers, which vectorizes. */
void at_assert_divisor(at *l, ten_value *x) {
  bounds known;
  const ten_dtype dtype = at_type(x);
  if (!l->checks || !ten_dtype_is_int(dtype) || !at_count(x)) return;
  if (bounds_of(x, DEPTH, &known) && (known.low > 0 || known.high < 0)) return;
  if (dtype == TEN_I64 || dtype == TEN_I32 || dtype == TEN_I16 || dtype == TEN_I8)
    x = bitcast(l, x,
                dtype == TEN_I64   ? TEN_UI64
                : dtype == TEN_I32 ? TEN_UI32
                : dtype == TEN_I16 ? TEN_UI16
                                   : TEN_UI8);
  ten_value *least = reduce_all(l, TEN_OP_MINIMUM, x);
  at_assert(l, at_cmp(l, TEN_NE, least, at_num(l, least, 0)), "RuntimeError",
            "ZeroDivisionError: an integer is divided by 0");
}
