/* pointwise.c: elementwise arithmetic on bools, integers and floats; complex.c has complex arithmetic. A scalar operand
 * is broadcast to a larger one: regions that run on whole tensors (see `lifts`) create such pairs. */
#include <math.h>

#include "backend/interp/complex.h"
#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"

#define LOOP(value) \
  for (size_t i = 0; i < count; i++) r[i] = (value)

static bool unary_bool(ten_opcode code, size_t count, const int64_t *x, int64_t *r) {
  switch (code) {
    case TEN_OP_NOT: LOOP(!x[i]); return true;
    case TEN_OP_ABS:
    case TEN_OP_SIGN:
    case TEN_OP_CHLO_SQUARE:
    case TEN_OP_CHLO_CONJ:
    case TEN_OP_POPCNT: LOOP(x[i]); return true;
    case TEN_OP_NEGATE: LOOP(x[i]); return true; /* as in arithmetic modulo 2 */
    default: return false;
  }
}

static int64_t leading_zeros(uint64_t bits, unsigned width) {
  int64_t zeros = 0;
  for (unsigned i = width; i-- > 0 && !(bits >> i & 1);) zeros++;
  return zeros;
}

static uint64_t low_bits(unsigned width) { return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1; }

static bool unary_int(ten_opcode code, ten_dtype dtype, size_t count, const int64_t *x, int64_t *r) {
  const unsigned width = ten_dtype_bits(dtype);
  const uint64_t mask = low_bits(width);
  const bool is_unsigned = interp_is_unsigned(dtype);
  switch (code) {
    case TEN_OP_ABS: LOOP(is_unsigned || x[i] >= 0 ? x[i] : (int64_t)(0 - (uint64_t)x[i])); return true;
    case TEN_OP_NEGATE: LOOP((int64_t)(0 - (uint64_t)x[i])); return true;
    case TEN_OP_NOT: LOOP(~x[i]); return true;
    case TEN_OP_SIGN: LOOP(is_unsigned ? x[i] != 0 : (x[i] > 0) - (x[i] < 0)); return true;
    case TEN_OP_POPCNT: LOOP(__builtin_popcountll((uint64_t)x[i] & mask)); return true;
    case TEN_OP_COUNT_LEADING_ZEROS: LOOP(leading_zeros((uint64_t)x[i] & mask, width)); return true;
    case TEN_OP_CHLO_SQUARE: LOOP((int64_t)((uint64_t)x[i] * (uint64_t)x[i])); return true;
    case TEN_OP_CHLO_CONJ: LOOP(x[i]); return true;
    default: return false;
  }
}

static double sign_of(double x) { return isnan(x) || x == 0 ? x : x < 0 ? -1 : 1; }

static double logistic_of(double x) { return 1 / (1 + exp(-x)); }

static bool unary_real(ten_opcode code, size_t count, const double *x, double *r) {
  switch (code) {
    case TEN_OP_ABS: LOOP(fabs(x[i])); return true;
    case TEN_OP_CBRT: LOOP(cbrt(x[i])); return true;
    case TEN_OP_CEIL: LOOP(ceil(x[i])); return true;
    case TEN_OP_COSINE: LOOP(cos(x[i])); return true;
    case TEN_OP_EXPONENTIAL: LOOP(exp(x[i])); return true;
    case TEN_OP_EXPONENTIAL_MINUS_ONE: LOOP(expm1(x[i])); return true;
    case TEN_OP_FLOOR: LOOP(floor(x[i])); return true;
    case TEN_OP_LOG: LOOP(log(x[i])); return true;
    case TEN_OP_LOG_PLUS_ONE: LOOP(log1p(x[i])); return true;
    case TEN_OP_LOGISTIC: LOOP(logistic_of(x[i])); return true;
    case TEN_OP_NEGATE: LOOP(-x[i]); return true;
    case TEN_OP_ROUND_NEAREST_AFZ: LOOP(round(x[i])); return true;
    case TEN_OP_ROUND_NEAREST_EVEN: LOOP(rint(x[i])); return true;
    case TEN_OP_RSQRT: LOOP(1 / sqrt(x[i])); return true;
    case TEN_OP_SIGN: LOOP(sign_of(x[i])); return true;
    case TEN_OP_SINE: LOOP(sin(x[i])); return true;
    case TEN_OP_SQRT: LOOP(sqrt(x[i])); return true;
    case TEN_OP_TAN:
    case TEN_OP_CHLO_TAN: LOOP(tan(x[i])); return true;
    case TEN_OP_TANH: LOOP(tanh(x[i])); return true;
    case TEN_OP_CHLO_SQUARE: LOOP(x[i] * x[i]); return true;
    case TEN_OP_CHLO_CONJ: LOOP(x[i]); return true;
    case TEN_OP_CHLO_ACOS: LOOP(acos(x[i])); return true;
    case TEN_OP_CHLO_ACOSH: LOOP(acosh(x[i])); return true;
    case TEN_OP_CHLO_ASIN: LOOP(asin(x[i])); return true;
    case TEN_OP_CHLO_ASINH: LOOP(asinh(x[i])); return true;
    case TEN_OP_CHLO_ATAN: LOOP(atan(x[i])); return true;
    case TEN_OP_CHLO_ATANH: LOOP(atanh(x[i])); return true;
    case TEN_OP_CHLO_COSH: LOOP(cosh(x[i])); return true;
    case TEN_OP_CHLO_SINH: LOOP(sinh(x[i])); return true;
    case TEN_OP_CHLO_ERF: LOOP(erf(x[i])); return true;
    case TEN_OP_CHLO_ERFC: LOOP(erfc(x[i])); return true;
    default: return false;
  }
}

static ten_status *no_such(interp_call *call, const ten_tensor *x) {
  return interp_error(call, TEN_UNSUPPORTED, "is not defined on elements of type %s", ten_dtype_name(x->dtype));
}

ten_status *interp_unary(interp_call *call) {
  const ten_tensor *x = call->in[0];
  if (ten_dtype_is_complex(x->dtype)) return interp_complex_unary(call);
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  if (ten_dtype_is_float(x->dtype) && interp_special_real(call->op->code, x, call->out[0])) return NULL;
  interp_lanes in, out;
  bool known;
  if (interp_is_integral(x->dtype)) {
    const int64_t *a = interp_lanes_ints(&in, x);
    int64_t *r = interp_lanes_new_ints(&out, x->count);
    known = x->dtype == TEN_I1 ? unary_bool(call->op->code, x->count, a, r)
                               : unary_int(call->op->code, x->dtype, x->count, a, r);
    if (known) interp_store_ints(call->out[0], r);
  } else {
    const double *a = interp_lanes_reals(&in, x);
    double *r = interp_lanes_new_reals(&out, x->count);
    known = unary_real(call->op->code, x->count, a, r);
    if (known) interp_store_reals(call->out[0], r);
  }
  interp_lanes_free(&in);
  interp_lanes_free(&out);
  return known ? NULL : no_such(call, x);
}

/* Strides of 0 or 1: 0 broadcasts a scalar operand. */
#define A a[i * sa]
#define B b[i * sb]

static bool binary_bool(ten_opcode code, size_t count, const int64_t *a, size_t sa, const int64_t *b, size_t sb,
                        int64_t *r) {
  switch (code) {
    case TEN_OP_ADD:
    case TEN_OP_OR:
    case TEN_OP_MAXIMUM: LOOP(A | B); return true;
    case TEN_OP_MULTIPLY:
    case TEN_OP_AND:
    case TEN_OP_MINIMUM: LOOP(A & B); return true;
    case TEN_OP_XOR:
    case TEN_OP_SUBTRACT: LOOP(A ^ B); return true;
    case TEN_OP_POWER: LOOP(A | !B); return true;
    default: return false;
  }
}

/* Never traps: x / 0 is -1 (all ones), x % 0 is x, and the one overflow wraps. */
static int64_t divide_signed(int64_t a, int64_t b) {
  return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static int64_t divide_unsigned(uint64_t a, uint64_t b) { return b == 0 ? -1 : (int64_t)(a / b); }
static int64_t remainder_signed(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static int64_t remainder_unsigned(uint64_t a, uint64_t b) { return b == 0 ? (int64_t)a : (int64_t)(a % b); }

static int64_t power_int(bool is_unsigned, int64_t base, int64_t exponent) {
  if (!is_unsigned && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent & 1 ? -1 : 1;
    return 0;
  }
  uint64_t result = 1, square = (uint64_t)base;
  for (uint64_t left = (uint64_t)exponent; left; left >>= 1, square *= square)
    if (left & 1) result *= square;
  return (int64_t)result;
}

/* The shift amount is unsigned: a negative one, or one of at least the width, shifts everything out. */
static int64_t shift_left(unsigned width, int64_t a, int64_t b) {
  return (uint64_t)b >= width ? 0 : (int64_t)((uint64_t)a << b);
}
static int64_t shift_logical(unsigned width, int64_t a, int64_t b) {
  return (uint64_t)b >= width ? 0 : (int64_t)(((uint64_t)a & low_bits(width)) >> b);
}
static int64_t shift_arithmetic(unsigned width, int64_t a, int64_t b) {
  const unsigned up = 64 - width; /* aligns the type's sign bit with the lane's, for unsigned types too */
  const int64_t wide = (int64_t)((uint64_t)a << up) >> up;
  return (uint64_t)b >= width ? (wide < 0 ? -1 : 0) : wide >> b;
}

static bool binary_int(ten_opcode code, ten_dtype dtype, size_t count, const int64_t *a, size_t sa, const int64_t *b,
                       size_t sb, int64_t *r) {
  const bool is_unsigned = interp_is_unsigned(dtype);
  const unsigned width = ten_dtype_bits(dtype);
  switch (code) {
    case TEN_OP_ADD: LOOP((int64_t)((uint64_t)A + (uint64_t)B)); return true;
    case TEN_OP_SUBTRACT: LOOP((int64_t)((uint64_t)A - (uint64_t)B)); return true;
    case TEN_OP_MULTIPLY: LOOP((int64_t)((uint64_t)A * (uint64_t)B)); return true;
    case TEN_OP_DIVIDE:
      LOOP(is_unsigned ? divide_unsigned((uint64_t)A, (uint64_t)B) : divide_signed(A, B));
      return true;
    case TEN_OP_REMAINDER:
      LOOP(is_unsigned ? remainder_unsigned((uint64_t)A, (uint64_t)B) : remainder_signed(A, B));
      return true;
    case TEN_OP_MAXIMUM: LOOP((is_unsigned ? (uint64_t)A > (uint64_t)B : A > B) ? A : B); return true;
    case TEN_OP_MINIMUM: LOOP((is_unsigned ? (uint64_t)A < (uint64_t)B : A < B) ? A : B); return true;
    case TEN_OP_AND: LOOP(A & B); return true;
    case TEN_OP_OR: LOOP(A | B); return true;
    case TEN_OP_XOR: LOOP(A ^ B); return true;
    case TEN_OP_POWER: LOOP(power_int(is_unsigned, A, B)); return true;
    case TEN_OP_SHIFT_LEFT: LOOP(shift_left(width, A, B)); return true;
    case TEN_OP_SHIFT_RIGHT_LOGICAL: LOOP(shift_logical(width, A, B)); return true;
    case TEN_OP_SHIFT_RIGHT_ARITHMETIC: LOOP(shift_arithmetic(width, A, B)); return true;
    default: return false;
  }
}

/* NaN propagates; -0 is less than +0. */
static double larger(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static double smaller(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}

static bool binary_real(ten_opcode code, size_t count, const double *a, size_t sa, const double *b, size_t sb,
                        double *r) {
  switch (code) {
    case TEN_OP_ADD: LOOP(A + B); return true;
    case TEN_OP_SUBTRACT: LOOP(A - B); return true;
    case TEN_OP_MULTIPLY: LOOP(A * B); return true;
    case TEN_OP_DIVIDE: LOOP(A / B); return true;
    case TEN_OP_REMAINDER: LOOP(fmod(A, B)); return true;
    case TEN_OP_MAXIMUM: LOOP(larger(A, B)); return true;
    case TEN_OP_MINIMUM: LOOP(smaller(A, B)); return true;
    case TEN_OP_POWER: LOOP(pow(A, B)); return true;
    case TEN_OP_ATAN2: LOOP(atan2(A, B)); return true;
    default: return false;
  }
}

ten_status *interp_binary(interp_call *call) {
  return interp_binary_on(call, call->op->code, call->in[0], call->in[1], &call->out[0]);
}

/* The operand with the result's shape, or NULL if the shapes are incompatible. */
static const ten_tensor *common_shape(const ten_tensor *a, const ten_tensor *b) {
  if (ten_tensor_same_shape(a, b) || b->rank == 0) return a;
  return a->rank == 0 ? b : NULL;
}

static ten_status *shapes_differ(interp_call *call, const ten_tensor *a, const ten_tensor *b) {
  ten_buf x = {0}, y = {0};
  ten_tensor_print_type(&x, a);
  ten_tensor_print_type(&y, b);
  ten_status *status = interp_error(call, TEN_INVALID, "operands are %s and %s", x.data, y.data);
  ten_buf_free(&x);
  ten_buf_free(&y);
  return status;
}

ten_status *interp_binary_on(interp_call *call, ten_opcode code, const ten_tensor *x, const ten_tensor *y,
                             ten_tensor **out) {
  const ten_tensor *shape = common_shape(x, y);
  if (!shape || x->dtype != y->dtype) return shapes_differ(call, x, y);
  TEN_TRY(ten_tensor_create(x->dtype, shape->rank, shape->dims, out));
  if (ten_dtype_is_complex(x->dtype)) return interp_complex_binary(call, code, x, y, *out);
  const size_t count = shape->count, sa = x->count != 1, sb = y->count != 1;
  interp_lanes left, right, result;
  bool known;
  if (interp_is_integral(x->dtype)) {
    const int64_t *a = interp_lanes_ints(&left, x), *b = interp_lanes_ints(&right, y);
    int64_t *r = interp_lanes_new_ints(&result, count);
    known = x->dtype == TEN_I1 ? binary_bool(code, count, a, sa, b, sb, r)
                               : binary_int(code, x->dtype, count, a, sa, b, sb, r);
    if (known) interp_store_ints(*out, r);
  } else {
    const double *a = interp_lanes_reals(&left, x), *b = interp_lanes_reals(&right, y);
    double *r = interp_lanes_new_reals(&result, count);
    known = binary_real(code, count, a, sa, b, sb, r);
    if (known) interp_store_reals(*out, r);
  }
  interp_lanes_free(&left);
  interp_lanes_free(&right);
  interp_lanes_free(&result);
  return known ? NULL : no_such(call, x);
}

/* IEEE's total order as integers: -NaN < -inf < … < -0 < +0 < … < inf < NaN. */
static int64_t total_order(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? (int64_t)(~(uint64_t)bits ^ (UINT64_C(1) << 63)) : bits;
}

enum { EQ, NE, GE, GT, LE, LT }; /* of COMPARISON_DIRECTION */

#define COMPARE(x, y)                 \
  switch (direction) {                \
    case EQ: LOOP((x) == (y)); break; \
    case NE: LOOP((x) != (y)); break; \
    case GE: LOOP((x) >= (y)); break; \
    case GT: LOOP((x) > (y)); break;  \
    case LE: LOOP((x) <= (y)); break; \
    default: LOOP((x) < (y)); break;  \
  }

ten_status *interp_compare_on(interp_call *call, int direction, bool total, const ten_tensor *x, const ten_tensor *y,
                              ten_tensor **out) {
  const ten_tensor *shape = common_shape(x, y);
  if (!shape || x->dtype != y->dtype) return shapes_differ(call, x, y);
  if (ten_dtype_is_complex(x->dtype) && direction != EQ && direction != NE)
    return interp_error(call, TEN_INVALID, "complex elements cannot be ordered");
  TEN_TRY(ten_tensor_create(TEN_I1, shape->rank, shape->dims, out));
  uint8_t *r = (*out)->data;
  const size_t count = shape->count, sa = x->count != 1, sb = y->count != 1;
  interp_lanes left, right;
  if (ten_dtype_is_complex(x->dtype)) {
    const double *a = interp_lanes_reals(&left, x), *b = interp_lanes_reals(&right, y);
    LOOP((a[2 * i * sa] == b[2 * i * sb] && a[2 * i * sa + 1] == b[2 * i * sb + 1]) == (direction == EQ));
  } else if (interp_is_integral(x->dtype)) {
    const int64_t *a = interp_lanes_ints(&left, x), *b = interp_lanes_ints(&right, y);
    if (interp_is_unsigned(x->dtype))
      COMPARE((uint64_t)A, (uint64_t)B)
    else
      COMPARE(A, B)
  } else {
    const double *a = interp_lanes_reals(&left, x), *b = interp_lanes_reals(&right, y);
    if (total)
      COMPARE(total_order(A), total_order(B))
    else
      COMPARE(A, B)
  }
  interp_lanes_free(&left);
  interp_lanes_free(&right);
  return NULL;
}

ten_status *interp_compare(interp_call *call) {
  const int direction = (int)ten_op_int(call->op, "comparison_direction", EQ);
  const bool total = ten_op_int(call->op, "compare_type", 0) == 2;
  return interp_compare_on(call, direction, total, call->in[0], call->in[1], &call->out[0]);
}

ten_status *interp_select(interp_call *call) {
  const ten_tensor *pred = call->in[0], *on_true = call->in[1], *on_false = call->in[2];
  const ten_tensor *shape = common_shape(on_true, on_false);
  if (shape) shape = shape->rank == 0 ? pred : shape;
  if (!shape || on_true->dtype != on_false->dtype) return shapes_differ(call, on_true, on_false);
  if (pred->rank && !ten_tensor_same_shape(pred, shape)) return shapes_differ(call, pred, shape);
  TEN_TRY(interp_make_like(call, 0, shape, &call->out[0]));
  const size_t size = ten_dtype_bytes(on_true->dtype), sp = pred->count != 1, st = on_true->count != 1,
               sf = on_false->count != 1;
  const uint8_t *p = pred->data;
  for (size_t i = 0; i < shape->count; i++)
    memcpy(interp_to(call->out[0], i), p[i * sp] ? interp_at(on_true, i * st) : interp_at(on_false, i * sf), size);
  return NULL;
}

/* min(max(x, low), high), as in XLA: if the bounds cross, high wins. */
ten_status *interp_clamp(interp_call *call) {
  ten_tensor *raised = NULL;
  ten_status *status = interp_binary_on(call, TEN_OP_MAXIMUM, call->in[1], call->in[0], &raised);
  if (!status) status = interp_binary_on(call, TEN_OP_MINIMUM, raised, call->in[2], &call->out[0]);
  ten_tensor_release(raised);
  return status;
}

ten_status *interp_is_finite(interp_call *call) {
  const ten_tensor *x = call->in[0];
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  uint8_t *r = call->out[0]->data;
  for (size_t i = 0; i < x->count; i++) r[i] = isfinite(ten_tensor_real(x, i, 0)) != 0;
  return NULL;
}

ten_status *interp_is_infinite(interp_call *call) {
  const ten_tensor *x = call->in[0];
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  uint8_t *r = call->out[0]->data;
  for (size_t i = 0; i < x->count; i++) {
    const double value = ten_tensor_real(x, i, 0);
    r[i] = isinf(value) &&
           (call->op->code == TEN_OP_CHLO_IS_INF || (value > 0) == (call->op->code == TEN_OP_CHLO_IS_POS_INF));
  }
  return NULL;
}

/* The upper half of the full product. */
ten_status *interp_mulhi(interp_call *call) {
  const ten_tensor *x = call->in[0], *y = call->in[1];
  if (!ten_tensor_same_shape(x, y)) return shapes_differ(call, x, y);
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  const unsigned width = ten_dtype_bits(x->dtype);
  const bool is_unsigned = interp_is_unsigned(x->dtype);
  for (size_t i = 0; i < x->count; i++) {
    const int64_t a = ten_tensor_int(x, i), b = ten_tensor_int(y, i);
    const unsigned __int128 product =
        is_unsigned ? (unsigned __int128)(uint64_t)a * (uint64_t)b : (unsigned __int128)((__int128)a * b);
    interp_store_int(call->out[0], i, (int64_t)(uint64_t)(product >> width));
  }
  return NULL;
}
