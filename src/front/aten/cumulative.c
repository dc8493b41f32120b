/* cumulative.c: cumulative sums, products and extrema. Each step doubles the prefix length (n log n work, log n steps):
 * nothing is sequential, and the program has no loop. */
#include "front/aten/lower.h"

static ten_value *shifted(at *l, ten_value *x, int64_t dim, int64_t by, ten_value *fill) {
  int64_t low[AT_DIMS] = {0}, high[AT_DIMS] = {0}, inner[AT_DIMS] = {0};
  low[dim] = by, high[dim] = -by;
  return ten_build_pad(&l->b, x, fill, low, high, inner);
}

ten_value *at_cumulate(at *l, ten_opcode code, ten_value *x, int64_t dim) {
  if (!at_rank(x)) return x;
  ten_value *fill = code == TEN_OP_MULTIPLY  ? at_num(l, x, 1)
                    : code == TEN_OP_MAXIMUM ? at_lowest(l, at_type(x))
                    : code == TEN_OP_MINIMUM ? (at_is_float(x) ? at_num(l, x, INFINITY) : at_highest(l, at_type(x)))
                                             : at_num(l, x, 0);
  for (int64_t by = 1; by < at_dim(l, x, dim); by *= 2) x = at_bin(l, code, x, shifted(l, x, dim, by, fill));
  return x;
}

static void lower_cumulative(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_dtype own = at_is_float(x) || at_is_complex(x) ? at_type(x) : TEN_I64, dtype = at_dtype(l, "dtype", own);
  x = at_cast(l, at_cast(l, x, dtype), at_acc_type(dtype));
  at_ret(l, 0, at_cast(l, at_cumulate(l, (ten_opcode)l->row->code, x, at_dim_arg(l, "dim", 0, at_rank(x))), dtype));
}

static void lower_logcumsumexp(at *l) {
  ten_value *self = at_t(l, "self"), *x = at_cast(l, self, at_float_type(at_type(self)));
  if (at_type(x) == TEN_F32) x = at_cast(l, x, TEN_F64); /* its gradient is the exponential of one: precision matters */
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  for (int64_t by = 1; at_rank(x) && by < at_dim(l, x, dim); by *= 2) {
    ten_value *y = shifted(l, x, dim, by, at_num(l, x, -INFINITY));
    ten_value *top = at_max(l, x, y), *gap = at_neg(l, at_un(l, TEN_OP_ABS, at_sub(l, x, y)));
    ten_value *sum = at_add(l, top, at_un(l, TEN_OP_LOG_PLUS_ONE, at_exp(l, gap)));
    /* Equal infinities have no difference. */
    x = at_sel(l, at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, top), at_num(l, x, INFINITY)), top, sum);
  }
  at_ret(l, 0, at_cast(l, x, at_float_type(at_type(self))));
}

/* With the index of the last of equals, as in PyTorch: the last that equals the extremum so far. */
static void lower_cumextreme(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  const bool boolean = at_type(x) == TEN_I1;
  if (!at_rank(x)) {
    at_ret(l, 0, x);
    at_ret(l, 1, at_const(l, TEN_I64, 0));
    return;
  }
  if (boolean) x = at_cast(l, x, TEN_I32);
  ten_value *extreme = at_cumulate(l, (ten_opcode)l->row->code, x, dim), *here = at_cmp(l, TEN_EQ, x, extreme);
  if (at_is_float(x)) here = at_or(l, here, at_isnan(l, x));
  ten_value *place = at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim);
  place = at_sel(l, here, place, at_num(l, place, -1));
  at_ret(l, 0, boolean ? at_cast(l, extreme, TEN_I1) : extreme);
  at_ret(l, 1, at_cumulate(l, TEN_OP_MAXIMUM, place, dim));
}

const at_row at_rows_cumulative[] = {{"cumsum", lower_cumulative, .code = TEN_OP_ADD},
                                     {"cumprod", lower_cumulative, .code = TEN_OP_MULTIPLY},
                                     {"logcumsumexp", lower_logcumsumexp},
                                     {"_logcumsumexp", lower_logcumsumexp},
                                     {"cummax", lower_cumextreme, .code = TEN_OP_MAXIMUM},
                                     {"cummin", lower_cumextreme, .code = TEN_OP_MINIMUM},
                                     {NULL}};
