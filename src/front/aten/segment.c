/* segment.c: torch.segment_reduce and its gradient. Segments of rows of the first dimension, given by lengths or by
 * offsets. */
#include "front/aten/lower.h"

typedef struct segments {
  ten_value *lengths; /* i64[count] */
  ten_value *of_row;  /* i64[rows]: the segment of each row; count behind the last */
  int64_t count;
} segments;

static segments segments_read(at *l, const ten_value *data) {
  if (at_topt(l, "indices")) at_fail(l, TEN_UNSUPPORTED, "segments given by indices are not supported");
  at_check(l, at_rank(data) > 0, "a number without dimensions");
  if (at_dim_arg(l, "axis", 0, at_rank(data))) at_fail(l, TEN_UNSUPPORTED, "only the first dimension is supported");
  ten_value *lengths = at_topt(l, "lengths"), *offsets = at_topt(l, "offsets"), *ends;
  at_check(l, lengths || offsets, "neither lengths nor offsets");
  if (lengths) {
    lengths = at_cast(l, lengths, TEN_I64);
    ends = at_cumulate(l, TEN_OP_ADD, lengths, 0);
  } else {
    offsets = at_cast(l, offsets, TEN_I64);
    const int64_t n = at_dim(l, offsets, 0);
    at_check(l, at_rank(offsets) == 1 && n > 0, "offsets of %u dimensions", at_rank(offsets));
    ends = at_slice(l, offsets, 0, 1, n, 1);
    lengths = at_sub(l, ends, at_slice(l, offsets, 0, 0, n - 1, 1));
  }
  at_check(l, at_rank(lengths) == 1, "lengths of %u dimensions", at_rank(lengths));
  const int64_t grid[2] = {at_dim(l, data, 0), at_dim(l, lengths, 0)}, second = 1;
  ten_value *after = at_cmp(l, TEN_GE, at_iota(l, TEN_I64, 2, grid, 0), ends);
  return (segments){lengths, at_reduce(l, TEN_OP_ADD, at_cast(l, after, TEN_I64), 1, &second, false), grid[1]};
}

/* An element per row or segment, broadcast to `like`. */
static ten_value *widened(at *l, ten_value *vector, const ten_value *like) {
  return at_expand_like(l, at_along(l, vector, at_rank(like), 0), like);
}

static ten_opcode code_of(at *l, ten_str reduce, double *start) {
  *start = 0;
  if (ten_str_is(reduce, "sum") || ten_str_is(reduce, "mean")) return TEN_OP_ADD;
  *start = 1;
  if (ten_str_is(reduce, "prod")) return TEN_OP_MULTIPLY;
  *start = -INFINITY;
  if (ten_str_is(reduce, "max")) return TEN_OP_MAXIMUM;
  *start = INFINITY;
  if (ten_str_is(reduce, "min")) return TEN_OP_MINIMUM;
  at_fail(l, TEN_INVALID, "reduction '%.*s' is not supported", TEN_FMT(reduce));
}

static void lower_segment_reduce(at *l) {
  ten_value *data = at_t(l, "data");
  const segments s = segments_read(l, data);
  const ten_str reduce = at_string(l, "reduce");
  const bool given = at_has(l, "initial");
  double start;
  const ten_opcode code = code_of(l, reduce, &start);
  if (given) start = at_float(l, "initial", 0);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(data); i++) dims[i] = i ? at_dim(l, data, i) : s.count;
  ten_value *base = at_full(l, at_type(data), at_rank(data), dims, start);
  ten_value *y = at_scatter(l, code, base, widened(l, s.of_row, data), data, 0);
  if (ten_str_is(reduce, "mean")) { /* of an empty segment: the initial value, or NaN */
    ten_value *length = widened(l, at_cast(l, s.lengths, at_type(data)), y), *zero = at_num(l, length, 0);
    ten_value *nothing = given ? y : at_expand_like(l, at_num(l, y, NAN), y);
    y = at_sel(l, at_cmp(l, TEN_GT, length, zero), at_div(l, y, length), nothing);
  }
  at_ret(l, 0, y);
}

/* Maximum and minimum split their gradient among equals. */
static void lower_segment_reduce_backward(at *l) {
  ten_value *grad = at_t(l, "grad"), *data = at_t(l, "data"), *output = at_t(l, "output");
  const segments s = segments_read(l, data);
  const ten_str reduce = at_string(l, "reduce");
  double start;
  const ten_opcode code = code_of(l, reduce, &start);
  if (code == TEN_OP_MULTIPLY) at_fail(l, TEN_UNSUPPORTED, "reduction by product is not supported");
  ten_value *none = at_expand_like(l, at_num(l, data, 0), data), *y = none;
  if (s.count) {
    y = at_take(l, grad, s.of_row, 0);
    if (ten_str_is(reduce, "mean"))
      y = at_div(l, y, widened(l, at_cast(l, at_take(l, s.lengths, s.of_row, 0), at_type(data)), data));
    if (code != TEN_OP_ADD) {
      ten_value *best = at_take(l, output, s.of_row, 0);
      ten_value *same = at_or(l, at_cmp(l, TEN_EQ, data, best), at_and(l, at_isnan(l, data), at_isnan(l, best)));
      ten_value *hit = at_cast(l, same, at_type(data)), *zeros = at_expand_like(l, at_num(l, grad, 0), grad);
      ten_value *count = at_scatter(l, TEN_OP_ADD, zeros, widened(l, s.of_row, data), hit, 0);
      y = at_sel(l, same, at_div(l, y, at_take(l, count, s.of_row, 0)), none);
    }
    ten_value *inside = at_cmp(l, TEN_LT, s.of_row, at_int_num(l, s.of_row, s.count));
    y = at_sel(l, widened(l, inside, data), y, none);
  }
  at_ret(l, 0, y);
}

const at_row at_rows_segment[] = {
    {"segment_reduce", lower_segment_reduce}, {"_segment_reduce_backward", lower_segment_reduce_backward}, {NULL}};
