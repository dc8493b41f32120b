/* sym.c: Python arithmetic on sizes and other numbers. Sizes are known, so this is evaluated here; a number read out of
 * a tensor is computed by the program. */
#include "front/aten/lower.h"

static at_ref of_int(int64_t i) { return (at_ref){.kind = AT_INT, .i = i, .f = (double)i}; }
static at_ref of_float(double f) { return (at_ref){.kind = AT_FLOAT, .f = f}; }
static at_ref of_bool(bool b) { return (at_ref){.kind = AT_BOOL, .i = b, .f = b}; }

static void sym_size(at *l) {
  ten_value *x = at_t(l, "self");
  if (at_has(l, "dim") && at_rank(x)) {
    at_ret_ref(l, 0, of_int(at_dim(l, x, at_dim_arg(l, "dim", 0, at_rank(x)))));
    return;
  }
  for (uint32_t i = 0; i < at_rank(x); i++) at_ret_ref(l, i, of_int(at_dim(l, x, i)));
}

static void sym_numel(at *l) { at_ret_ref(l, 0, of_int(at_count(at_t(l, "self")))); }

static void sym_stride(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  const ten_attr *noted = ten_op_attr(l->op, "aten.order"); /* the order in memory, if different */
  const ten_ints order = ten_attr_as_ints(noted);
  if (noted && order.count != at_rank(x))
    at_fail(l, TEN_UNSUPPORTED, "strides of a view of part of another tensor are not known");
  int64_t stride = 1;
  for (uint32_t i = at_rank(x); i-- > 0;) {
    const int64_t d = noted ? order.data[i] : i;
    if (d == dim) break;
    stride *= at_dim(l, x, d);
  }
  at_ret_ref(l, 0, of_int(stride));
}

static void sym_zero(at *l) { at_ret_ref(l, 0, of_int(0)); }

/* The value of a rank-0 tensor as a Python number: a constant if known, else a value of the program. */
static void lower_item(at *l) {
  ten_value *x = at_t(l, "self");
  at_check(l, at_count(x) == 1, "a tensor of one element is needed");
  at_ref ref = {.kind = at_type(x) == TEN_I1 ? AT_BOOL : at_is_float(x) ? AT_FLOAT : AT_INT};
  const bool half = at_is_float(x) && at_type(x) != TEN_F32 && at_type(x) != TEN_F64;
  const ten_attr *constant = at_is_complex(x) || half ? NULL : at_known(l, x);
  if (constant && ref.kind == AT_FLOAT) {
    float single;
    memcpy(at_type(x) == TEN_F32 ? (void *)&single : (void *)&ref.f, ten_dense_at(constant, 0),
           at_type(x) == TEN_F32 ? 4 : 8);
    if (at_type(x) == TEN_F32) ref.f = (double)single;
  } else if (constant)
    ref.i = ten_dense_int(constant, 0), ref.f = (double)ref.i;
  else
    ref.value = at_reshape(l, x, 0, NULL);
  at_ret_ref(l, 0, ref);
}

typedef enum sym_op {
  S_ADD,
  S_SUB,
  S_MUL,
  S_FLOORDIV,
  S_TRUEDIV,
  S_MOD,
  S_POW,
  S_EQ,
  S_NE,
  S_LT,
  S_LE,
  S_GT,
  S_GE,
  S_AND,
  S_OR,
  S_MAX,
  S_MIN,
  S_NEG,
  S_NOT,
  S_SQRT,
  S_FLOOR,
  S_CEIL,
  S_TRUNC,
  S_FLOAT,
  S_INT,
  S_ABS,
  S_ROUND
} sym_op;

/* Arguments of Python functions have no schema: any name is accepted. */
static at_ref operand(at *l, int k) {
  static const char *const names[2][5] = {{"a", "self", "arg0", "x", "input"}, {"b", "other", "arg1", "y", "exponent"}};
  for (int i = 0; i < 5; i++)
    if (at_has(l, names[k][i])) return at_arg(l, names[k][i]);
  at_fail(l, TEN_INVALID, "operand %d is missing", k);
}

static double floor_divide(double a, double b) { return floor(a / b); }

static at_ref evaluate_int(at *l, sym_op op, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (op) {
    case S_ADD: at_check(l, !__builtin_add_overflow(a, b, &r), "a size that does not fit"); return of_int(r);
    case S_SUB: at_check(l, !__builtin_sub_overflow(a, b, &r), "a size that does not fit"); return of_int(r);
    case S_MUL: at_check(l, !__builtin_mul_overflow(a, b, &r), "a size that does not fit"); return of_int(r);
    case S_FLOORDIV:
    case S_MOD: {
      at_check(l, b != 0 && !(a == INT64_MIN && b == -1), "a division by zero");
      const int64_t rest = a % b;
      const bool down = rest && (rest < 0) != (b < 0);
      return of_int(op == S_MOD ? rest + (down ? b : 0) : a / b - down);
    }
    case S_POW: {
      if (b < 0) return of_float(pow((double)a, (double)b));
      r = 1;
      for (int64_t i = 0; i < b; i++)
        at_check(l, !__builtin_mul_overflow(r, a, &r) && i < 64, "a size that does not fit");
      return of_int(r);
    }
    case S_MAX: return of_int(a > b ? a : b);
    case S_MIN: return of_int(a < b ? a : b);
    case S_EQ: return of_bool(a == b);
    case S_NE: return of_bool(a != b);
    case S_LT: return of_bool(a < b);
    case S_LE: return of_bool(a <= b);
    case S_GT: return of_bool(a > b);
    case S_GE: return of_bool(a >= b);
    case S_AND: return of_int(a & b);
    case S_OR: return of_int(a | b);
    default: return of_float((double)a / (double)b);
  }
}

static at_ref evaluate_float(at *l, sym_op op, double a, double b) {
  switch (op) {
    case S_ADD: return of_float(a + b);
    case S_SUB: return of_float(a - b);
    case S_MUL: return of_float(a * b);
    case S_TRUEDIV: return of_float(a / b);
    case S_FLOORDIV: return of_float(floor_divide(a, b));
    case S_MOD: return of_float(a - b * floor(a / b));
    case S_POW: return of_float(pow(a, b));
    case S_MAX: return of_float(a > b ? a : b);
    case S_MIN: return of_float(a < b ? a : b);
    case S_EQ: return of_bool(a == b);
    case S_NE: return of_bool(a != b);
    case S_LT: return of_bool(a < b);
    case S_LE: return of_bool(a <= b);
    case S_GT: return of_bool(a > b);
    case S_GE: return of_bool(a >= b);
    default: at_fail(l, TEN_UNSUPPORTED, "float operands are not supported");
  }
}

static at_ref evaluate_value(at *l, sym_op op, at_ref a, at_ref b) {
  const bool real = a.kind == AT_FLOAT || b.kind == AT_FLOAT || op == S_TRUEDIV;
  const ten_dtype dtype = real ? TEN_F64 : a.kind == AT_BOOL && b.kind == AT_BOOL ? TEN_I1 : TEN_I64;
  ten_value *x = at_ref_value(l, a, dtype), *y = at_ref_value(l, b, dtype), *r;
  at_ref out = {.kind = real ? AT_FLOAT : dtype == TEN_I1 ? AT_BOOL : AT_INT};
  switch (op) {
    case S_ADD: r = at_add(l, x, y); break;
    case S_SUB: r = at_sub(l, x, y); break;
    case S_MUL: r = at_mul(l, x, y); break;
    case S_TRUEDIV: r = at_div(l, x, y); break;
    case S_POW: r = at_bin(l, TEN_OP_POWER, x, y); break;
    case S_MAX: r = at_max(l, x, y); break;
    case S_MIN: r = at_min(l, x, y); break;
    case S_AND: r = at_and(l, x, y); break;
    case S_OR: r = at_or(l, x, y); break;
    case S_FLOORDIV: {
      ten_value *q = at_div(l, x, y);
      if (real) {
        r = at_un(l, TEN_OP_FLOOR, q);
        break;
      }
      ten_value *rest = at_sub(l, x, at_mul(l, q, y)), *zero = at_num(l, x, 0);
      r = at_sel(l,
                 at_and(l, at_cmp(l, TEN_NE, rest, zero),
                        at_cmp(l, TEN_NE, at_cmp(l, TEN_LT, rest, zero), at_cmp(l, TEN_LT, y, zero))),
                 at_addn(l, q, -1), q);
      break;
    }
    case S_EQ:
    case S_NE:
    case S_LT:
    case S_LE:
    case S_GT:
    case S_GE: {
      static const ten_compare directions[] = {TEN_EQ, TEN_NE, TEN_LT, TEN_LE, TEN_GT, TEN_GE};
      r = at_cmp(l, directions[op - S_EQ], x, y);
      out.kind = AT_BOOL;
      break;
    }
    default: at_fail(l, TEN_UNSUPPORTED, "a number that is known only while the program runs is not supported");
  }
  out.value = r;
  return out;
}

static void sym_binary(at *l) {
  const at_ref a = operand(l, 0), b = operand(l, 1);
  const sym_op op = (sym_op)l->row->code;
  if (a.kind == AT_TENSOR || b.kind == AT_TENSOR)
    at_fail(l, TEN_UNSUPPORTED, "Python arithmetic on tensors is not supported");
  if (a.value || b.value)
    at_ret_ref(l, 0, evaluate_value(l, op, a, b));
  else if (a.kind == AT_BOOL && b.kind == AT_BOOL && (op == S_AND || op == S_OR))
    at_ret_ref(l, 0, of_bool(op == S_AND ? a.i && b.i : a.i || b.i));
  else if (a.kind == AT_FLOAT || b.kind == AT_FLOAT)
    at_ret_ref(l, 0, evaluate_float(l, op, a.f, b.f));
  else
    at_ret_ref(l, 0, op == S_TRUEDIV ? of_float(a.f / b.f) : evaluate_int(l, op, a.i, b.i));
}

static void sym_unary(at *l) {
  const at_ref a = operand(l, 0);
  const sym_op op = (sym_op)l->row->code;
  if (a.value) {
    at_ref out = a;
    if (op == S_NEG)
      out.value = at_neg(l, a.value);
    else if (op == S_NOT)
      out.value = at_not(l, at_cast(l, a.value, TEN_I1)), out.kind = AT_BOOL;
    else if (op == S_FLOAT)
      out.value = at_cast(l, a.value, TEN_F64), out.kind = AT_FLOAT;
    else if (op == S_INT || op == S_TRUNC)
      out.value = at_cast(l, a.value, TEN_I64), out.kind = AT_INT;
    else if (op == S_SQRT)
      out.value = at_sqrt(l, at_cast(l, a.value, TEN_F64)), out.kind = AT_FLOAT;
    else if (op == S_FLOOR || op == S_CEIL) {
      ten_value *x = at_cast(l, a.value, TEN_F64);
      out.value = at_cast(l, at_un(l, op == S_FLOOR ? TEN_OP_FLOOR : TEN_OP_CEIL, x), TEN_I64), out.kind = AT_INT;
    } else
      at_fail(l, TEN_UNSUPPORTED, "a number that is known only while the program runs is not supported");
    at_ret_ref(l, 0, out);
    return;
  }
  const bool whole = a.kind != AT_FLOAT;
  if (!whole && (op == S_FLOOR || op == S_CEIL || op == S_TRUNC || op == S_INT || op == S_ROUND))
    at_check(l, fabs(a.f) < 9e18, "a size that does not fit");
  switch (op) {
    case S_NEG: at_ret_ref(l, 0, whole ? of_int(at_sub_size(l, 0, a.i)) : of_float(-a.f)); break;
    case S_ABS: at_ret_ref(l, 0, whole ? of_int(a.i < 0 ? at_sub_size(l, 0, a.i) : a.i) : of_float(fabs(a.f))); break;
    case S_NOT: at_ret_ref(l, 0, of_bool(whole ? !a.i : a.f == 0)); break;
    case S_SQRT: at_ret_ref(l, 0, of_float(sqrt(whole ? (double)a.i : a.f))); break;
    case S_FLOOR: at_ret_ref(l, 0, of_int(whole ? a.i : (int64_t)floor(a.f))); break;
    case S_CEIL: at_ret_ref(l, 0, of_int(whole ? a.i : (int64_t)ceil(a.f))); break;
    case S_ROUND: at_ret_ref(l, 0, of_int(whole ? a.i : (int64_t)nearbyint(a.f))); break;
    case S_INT:
    case S_TRUNC: at_ret_ref(l, 0, of_int(whole ? a.i : (int64_t)a.f)); break;
    default: at_ret_ref(l, 0, of_float(whole ? (double)a.i : a.f));
  }
}

static void sym_sum(at *l) {
  const ten_ints items = at_ints(l, at_has(l, "args") ? "args" : "a");
  int64_t sum = 0;
  for (size_t i = 0; i < items.count; i++)
    at_check(l, !__builtin_add_overflow(sum, items.data[i], &sum), "a size that does not fit");
  at_ret_ref(l, 0, of_int(sum));
}

static void sym_ite(at *l) {
  const at_ref p = at_has(l, "b") ? at_arg(l, "b") : at_arg(l, "arg0"),
               t = at_has(l, "t") ? at_arg(l, "t") : at_arg(l, "arg1"),
               f = at_has(l, "f") ? at_arg(l, "f") : at_arg(l, "arg2");
  if (p.value) at_fail(l, TEN_UNSUPPORTED, "a number that is known only while the program runs is not supported");
  at_ret_ref(l, 0, p.i ? t : f);
}

static void lower_nothing(at *l) {
  if (at_has(l, "self") && at_arg(l, "self").kind == AT_TENSOR) at_ret_ref(l, 0, at_arg(l, "self"));
}

/* _assert_async: of a tensor; the functional form returns the token for later ones. */
static void lower_assert_async(at *l) {
  ten_value *held = at_t(l, "self");
  const ten_str message = at_has(l, "assert_msg") ? at_string(l, "assert_msg")
                                                  : TEN_STR("Expected Tensor with single nonzero value, but got zero");
  at_assert(l, at_cmp(l, TEN_NE, held, at_num(l, held, 0)), "RuntimeError", "%.*s", TEN_FMT(message));
  at_ret_ref(l, 0, at_arg(l, at_has(l, "dep_token") ? "dep_token" : "self"));
}

static void lower_assert(at *l) {
  const at_ref held = at_arg(l, "self");
  const ten_str message = at_has(l, "assert_msg") ? at_string(l, "assert_msg") : TEN_STR("an assertion does not hold");
  if ((held.kind == AT_BOOL || held.kind == AT_INT) && !held.value) at_check(l, held.i, "%.*s", TEN_FMT(message));
  if (held.value)
    at_assert(l, at_cmp(l, TEN_NE, held.value, at_num(l, held.value, 0)), "RuntimeError", "%.*s", TEN_FMT(message));
}

const at_row at_rows_sym[] = {{"sym_size", sym_size},
                              {"sym_numel", sym_numel},
                              {"numel", sym_numel},
                              {"sym_stride", sym_stride},
                              {"sym_storage_offset", sym_zero},
                              {"item", lower_item},
                              {"_local_scalar_dense", lower_item},
                              {"_operator.add", sym_binary, .code = S_ADD},
                              {"_operator.sub", sym_binary, .code = S_SUB},
                              {"_operator.mul", sym_binary, .code = S_MUL},
                              {"_operator.floordiv", sym_binary, .code = S_FLOORDIV},
                              {"_operator.truediv", sym_binary, .code = S_TRUEDIV},
                              {"_operator.mod", sym_binary, .code = S_MOD},
                              {"_operator.pow", sym_binary, .code = S_POW},
                              {"_operator.eq", sym_binary, .code = S_EQ},
                              {"_operator.ne", sym_binary, .code = S_NE},
                              {"_operator.lt", sym_binary, .code = S_LT},
                              {"_operator.le", sym_binary, .code = S_LE},
                              {"_operator.gt", sym_binary, .code = S_GT},
                              {"_operator.ge", sym_binary, .code = S_GE},
                              {"_operator.and_", sym_binary, .code = S_AND},
                              {"_operator.or_", sym_binary, .code = S_OR},
                              {"_operator.neg", sym_unary, .code = S_NEG},
                              {"_operator.not_", sym_unary, .code = S_NOT},
                              {"_operator.pos", sym_unary, .code = S_INT},
                              {"_operator.abs", sym_unary, .code = S_ABS},
                              {"math.sqrt", sym_unary, .code = S_SQRT},
                              {"math.floor", sym_unary, .code = S_FLOOR},
                              {"math.ceil", sym_unary, .code = S_CEIL},
                              {"math.trunc", sym_unary, .code = S_TRUNC},
                              {"builtins.round", sym_unary, .code = S_ROUND},
                              {"torch.sym_float", sym_unary, .code = S_FLOAT},
                              {"torch.sym_int", sym_unary, .code = S_INT},
                              {"torch.sym_max", sym_binary, .code = S_MAX},
                              {"torch.sym_min", sym_binary, .code = S_MIN},
                              {"torch.sym_not", sym_unary, .code = S_NOT},
                              {"torch.sym_sqrt", sym_unary, .code = S_SQRT},
                              {"torch._sym_sqrt", sym_unary, .code = S_SQRT},
                              {"torch.sym_ite", sym_ite},
                              {"torch.sym_sum", sym_sum},
                              {"_assert_scalar", lower_assert},
                              {"_assert_async", lower_assert_async},
                              {"_functional_assert_async", lower_assert_async},
                              {"sym_constrain_range", lower_nothing},
                              {"sym_constrain_range_for_size", lower_nothing},
                              {"_assert_tensor_metadata", lower_nothing},
                              {"_functional_sym_constrain_range", lower_nothing},
                              {"_print", lower_nothing},
                              {"_propagate_xla_data", lower_nothing},
                              {"prims.device_put", lower_nothing},
                              {NULL}};
