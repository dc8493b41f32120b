/* quantize.c: integers that stand for real numbers, as quantized exports write them: q = round(x / scale) + zero_point.
 * The ops are those of PyTorch's quantized_decomposed library and of torchao. A scale is for the whole tensor, for each
 * place of an axis (channel), for each row (token), or for blocks. Arithmetic has the types that PyTorch's own
 * definitions promote to, so that ties round alike. */
#include "front/aten/lower.h"

typedef enum span { SPAN_TENSOR, SPAN_CHANNEL, SPAN_TOKEN, SPAN_GROUP, SPAN_BLOCK } span;

/* Tensors with a scale and a zero point that broadcast against them. */
typedef struct quantized {
  ten_value *x, *scale, *zero; /* zero: NULL for none */
  uint32_t rank;               /* of the whole, before it was split into blocks */
  int64_t dims[AT_DIMS];
} quantized;

static ten_value *number_of(at *l, const char *name, ten_dtype dtype) {
  ten_value *value = at_ref_value(l, at_arg(l, name), dtype);
  at_check(l, at_count(value) == 1, "%s has %lld elements, not one", name, (long long)at_count(value));
  return at_reshape(l, value, 0, NULL);
}

static void check_count(at *l, const char *name, const ten_value *x, int64_t count) {
  at_check(l, at_count(x) == count, "%s has %lld elements, not %lld", name, (long long)at_count(x), (long long)count);
}

/* One pair for each place of an axis. */
static void channels_read(at *l, quantized *q) {
  const int64_t axis = at_dim_arg(l, "axis", 0, at_rank(q->x)), count = at_dim(l, q->x, axis);
  check_count(l, "scales", q->scale, count);
  q->scale = at_along(l, at_flatten(l, q->scale), q->rank, axis);
  if (!q->zero) return;
  check_count(l, "zero_points", q->zero, count);
  q->zero = at_along(l, at_flatten(l, q->zero), q->rank, axis);
}

/* Rows of `size` elements with a pair each. */
static void rows_read(at *l, quantized *q, int64_t size) {
  const int64_t rows = size ? at_count(q->x) / size : 0, split[2] = {rows, size}, column[2] = {rows, 1};
  check_count(l, "scales", q->scale, rows);
  q->x = at_reshape(l, q->x, 2, split);
  q->scale = at_reshape(l, q->scale, 2, column);
  if (!q->zero) return;
  check_count(l, "zero_points", q->zero, rows);
  q->zero = at_reshape(l, q->zero, 2, column);
}

/* Blocks of block_size; each dimension becomes two, of which the second is inside a block. */
static void blocks_read(at *l, quantized *q) {
  const ten_ints block = at_ints(l, "block_size");
  at_check(l, block.count == q->rank && 2 * q->rank <= AT_MAX_RANK, "block_size has %zu dimensions, the tensor %u",
           block.count, q->rank);
  int64_t split[AT_DIMS], outer[AT_DIMS], blocks = 1;
  for (uint32_t i = 0; i < q->rank; i++) {
    const int64_t size = block.data[i] == -1 ? q->dims[i] : block.data[i];
    at_check(l, size > 0 && q->dims[i] % size == 0, "blocks of %lld in a dimension of %lld", (long long)size,
             (long long)q->dims[i]);
    split[2 * i] = outer[2 * i] = q->dims[i] / size, blocks *= split[2 * i];
    split[2 * i + 1] = size, outer[2 * i + 1] = 1;
  }
  check_count(l, "scale", q->scale, blocks);
  q->x = at_reshape(l, q->x, 2 * q->rank, split);
  q->scale = at_reshape(l, q->scale, 2 * q->rank, outer);
  if (!q->zero) return;
  check_count(l, "zero_point", q->zero, blocks);
  q->zero = at_reshape(l, q->zero, 2 * q->rank, outer);
}

static int64_t group_size(at *l, const quantized *q) {
  at_check(l, q->rank == 2, "a tensor of %u dimensions, not 2", q->rank);
  int64_t size = at_int(l, "group_size", 128);
  const int64_t width = q->dims[1];
  if (size > width && at_rank(q->scale) && at_dim(l, q->scale, at_rank(q->scale) - 1) == 1) size = width;
  at_check(l, size > 1 && width % size == 0, "groups of %lld in rows of %lld", (long long)size, (long long)width);
  return size;
}

static quantized quantized_read(at *l) {
  quantized q = {.x = at_t(l, "input")};
  q.rank = at_rank(q.x);
  for (uint32_t i = 0; i < q.rank; i++) q.dims[i] = at_dim(l, q.x, i);
  const bool plural = at_has(l, "scales");
  q.scale = at_t(l, plural ? "scales" : "scale");
  q.zero = at_topt(l, plural ? "zero_points" : "zero_point");
  switch ((span)(l->row->code >> 1)) {
    case SPAN_CHANNEL: channels_read(l, &q); break;
    case SPAN_TOKEN:
      at_check(l, q.rank > 0, "no rows");
      rows_read(l, &q, q.dims[q.rank - 1]);
      break;
    case SPAN_GROUP: rows_read(l, &q, group_size(l, &q)); break;
    default: blocks_read(l, &q); break;
  }
  return q;
}

static ten_value *clamped(at *l, ten_value *x) {
  const bool low = at_has(l, "quant_min"), high = at_has(l, "quant_max");
  if (low) x = at_max(l, x, at_cast(l, number_of(l, "quant_min", TEN_I64), at_type(x)));
  if (high) x = at_min(l, x, at_cast(l, number_of(l, "quant_max", TEN_I64), at_type(x)));
  return x;
}

/* One scale for all: a number, or a tensor of one element, whose inverse PyTorch takes in f64. */
static void lower_quantize_tensor(at *l) {
  ten_value *x = at_cast(l, at_t(l, "input"), TEN_F32), *scale = number_of(l, "scale", TEN_F64);
  ten_value *inverse = at_cast(l, at_div(l, at_num(l, scale, 1), scale), TEN_F32);
  ten_value *q = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, at_mul(l, x, inverse));
  q = clamped(l, at_add(l, q, at_cast(l, number_of(l, "zero_point", TEN_I64), TEN_F32)));
  at_ret(l, 0, at_cast(l, q, at_dtype(l, "dtype", TEN_I8)));
}

static void lower_dequantize_tensor(at *l) {
  const ten_dtype out = at_dtype(l, "out_dtype", TEN_F32);
  const ten_dtype wide = at_acc_type(out); /* what a half type is multiplied with a number in */
  ten_value *x = at_cast(l, at_cast(l, at_t(l, "input"), out), wide);
  x = at_sub(l, x, at_cast(l, number_of(l, "zero_point", TEN_I64), wide));
  x = at_cast(l, at_cast(l, x, out), wide);
  at_ret(l, 0, at_cast(l, at_mul(l, x, at_cast(l, number_of(l, "scale", TEN_F64), wide)), out));
}

/* code & 1: the zero point is added before rounding. */
static void lower_quantize(at *l) {
  const quantized q = quantized_read(l);
  const ten_dtype half = at_type(q.x), own = half == TEN_F16 || half == TEN_BF16 ? TEN_F32 : half;
  const ten_dtype wide = at_promote(own, at_type(q.scale));
  ten_value *inverse = at_cast(l, at_div(l, at_num(l, q.scale, 1), q.scale), wide);
  ten_value *y = at_mul(l, at_cast(l, q.x, wide), inverse), *zero = q.zero ? at_cast(l, q.zero, wide) : NULL;
  if (zero && l->row->code & 1) y = at_add(l, y, zero);
  y = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, y);
  if (zero && !(l->row->code & 1)) y = at_add(l, y, zero);
  y = at_cast(l, clamped(l, y), at_dtype(l, at_has(l, "output_dtype") ? "output_dtype" : "dtype", TEN_I8));
  at_ret(l, 0, at_reshape(l, y, q.rank, q.dims));
}

static void lower_dequantize(at *l) {
  const quantized q = quantized_read(l);
  const ten_dtype out = at_dtype(l, at_has(l, "output_dtype") ? "output_dtype" : "out_dtype", TEN_F32);
  ten_dtype wide = q.zero ? at_promote(at_type(q.x), at_type(q.zero)) : at_type(q.x);
  if ((span)(l->row->code >> 1) == SPAN_BLOCK) wide = out; /* torchao's are of the result's type from the start */
  ten_value *y = at_cast(l, q.x, wide);
  if (q.zero) y = at_sub(l, y, at_cast(l, q.zero, wide));
  const ten_dtype scaled = wide == out ? out : at_promote(wide, at_type(q.scale));
  y = at_cast(l, at_mul(l, at_cast(l, y, scaled), at_cast(l, q.scale, scaled)), out);
  at_ret(l, 0, at_reshape(l, y, q.rank, q.dims));
}

static void ret_declared(at *l, uint32_t index, ten_value *value, ten_dtype otherwise) {
  const ten_type *declared = at_declared(l, index);
  at_ret(l, index, at_cast(l, value, declared ? declared->dtype : otherwise));
}

/* The scale and zero point of a whole tensor's range; code 1: of a range around 0. */
static void lower_choose_qparams(at *l) {
  ten_value *x = at_flatten(l, at_t(l, "input"));
  const int64_t all = 0, one = 1;
  const double low = (double)at_int_any(l, "quant_min", -128), high = (double)at_int_any(l, "quant_max", 127);
  at_check(l, low < high, "quant_min %g is not below quant_max %g", low, high);
  at_check(l, at_count(x) > 0, "a tensor without elements has no range");
  ten_value *zero = at_num(l, x, 0);
  ten_value *least = at_min(l, at_reduce(l, TEN_OP_MINIMUM, x, 1, &all, false), zero);
  ten_value *most = at_max(l, at_reduce(l, TEN_OP_MAXIMUM, x, 1, &all, false), zero);
  ten_value *scale, *point = NULL;
  if (l->row->code) {
    scale = at_div(l, at_max(l, at_neg(l, least), most), at_num(l, x, (high - low) / 2));
    point = at_const(l, TEN_I64, at_dtype(l, "dtype", TEN_I8) == TEN_UI8 ? 128 : 0);
  } else {
    scale = at_div(l, at_sub(l, most, least), at_num(l, x, high - low));
  }
  scale = at_cast(l, scale, at_promote(at_type(scale), TEN_F32)); /* eps is an f32 tensor */
  scale = at_max(l, scale, at_num(l, scale, at_float(l, "eps", 1.1920928955078125e-07)));
  if (!l->row->code) {
    ten_value *steps = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, at_div(l, at_cast(l, least, at_type(scale)), scale));
    point = at_sub(l, at_const(l, TEN_I64, low), at_cast(l, steps, TEN_I64));
    point = at_min(l, at_max(l, point, at_num(l, point, low)), at_num(l, point, high));
  }
  ret_declared(l, 0, at_reshape(l, scale, 1, &one), TEN_F64);
  ret_declared(l, 1, at_reshape(l, point, 1, &one), TEN_I64);
}

/* The same of each row, to i8. code 1: of ranges that are not around 0. */
static void lower_choose_per_token(at *l) {
  ten_value *x = at_t(l, "input");
  at_check(l, at_rank(x) > 0 && at_dim(l, x, at_rank(x) - 1) > 0, "rows without elements have no range");
  const int64_t last = (int64_t)at_rank(x) - 1;
  ten_value *scale, *point;
  if (!l->row->code) {
    scale = at_reduce(l, TEN_OP_MAXIMUM, at_un(l, TEN_OP_ABS, x), 1, &last, true);
    if (at_type(scale) == TEN_F16) scale = at_cast(l, scale, TEN_F32);
    scale = at_div(l, at_max(l, scale, at_num(l, scale, 1e-5)), at_num(l, scale, 127));
    point = at_mul(l, scale, at_num(l, scale, 0));
  } else {
    ten_value *zero = at_num(l, x, 0), *least = at_min(l, at_reduce(l, TEN_OP_MINIMUM, x, 1, &last, true), zero),
              *most = at_max(l, at_reduce(l, TEN_OP_MAXIMUM, x, 1, &last, true), zero);
    scale = at_div(l, at_sub(l, most, least), at_num(l, x, 255));
    scale = at_max(l, scale, at_num(l, scale, 1.1920928955078125e-07));
    ten_value *low = at_div(l, least, scale), *high = at_div(l, most, scale);
    ten_value *above = at_cmp(l, TEN_GT, at_add(l, at_addn(l, low, -128), at_addn(l, high, 127)), zero);
    point = at_sel(l, above, at_sub(l, at_num(l, x, -128), low), at_sub(l, at_num(l, x, 127), high));
    point = at_min(l, at_max(l, point, at_num(l, x, -128)), at_num(l, x, 127));
    point = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, point);
  }
  ret_declared(l, 0, scale, l->row->code ? TEN_F64 : at_type(scale));
  ret_declared(l, 1, point, l->row->code ? TEN_I64 : at_type(point));
}

/* Quantized and back, all in f32. */
static void lower_fake_quant_per_channel(at *l) {
  ten_value *x = at_t(l, "input");
  const int64_t axis = at_dim_arg(l, "axis", 0, at_rank(x));
  ten_value *scale = at_along(l, at_cast(l, at_t(l, "scales"), TEN_F32), at_rank(x), axis);
  ten_value *zero = at_along(l, at_cast(l, at_t(l, "zero_points"), TEN_F32), at_rank(x), axis);
  ten_value *inverse = at_div(l, at_num(l, scale, 1), scale);
  ten_value *q = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, at_mul(l, at_cast(l, x, TEN_F32), inverse));
  q = clamped(l, at_add(l, q, zero));
  at_ret(l, 0, at_cast(l, at_mul(l, at_sub(l, q, zero), scale), at_type(x)));
}

static void lower_convert_element_type(at *l) {
  ten_value *x = at_t(l, "input");
  at_ret(l, 0, at_cast(l, x, at_dtype(l, "dtype", at_type(x))));
}

/* i8 × i8 with sums in i32. */
static void lower_int_mm(at *l) {
  ten_value *a = at_t(l, "self"), *b = at_t(l, "mat2");
  at_check(l, at_rank(a) == 2 && at_rank(b) == 2 && at_dim(l, a, 1) == at_dim(l, b, 0),
           "matrices of %u and %u dimensions do not multiply", at_rank(a), at_rank(b));
  at_ret(l, 0, at_matmul(l, at_cast(l, a, TEN_I32), at_cast(l, b, TEN_I32)));
}

#define SPAN(kind, first) (((kind) << 1) | (first))
const at_row at_rows_quantize[] = {
    {"_int_mm", lower_int_mm},
    {"quantized_decomposed.quantize_per_tensor", lower_quantize_tensor},
    {"quantized_decomposed.dequantize_per_tensor", lower_dequantize_tensor},
    {"quantized_decomposed.quantize_per_channel", lower_quantize, .code = SPAN(SPAN_CHANNEL, 0)},
    {"quantized_decomposed.dequantize_per_channel", lower_dequantize, .code = SPAN(SPAN_CHANNEL, 0)},
    {"quantized_decomposed.quantize_per_token", lower_quantize, .code = SPAN(SPAN_TOKEN, 1)},
    {"quantized_decomposed.dequantize_per_token", lower_dequantize, .code = SPAN(SPAN_TOKEN, 0)},
    {"quantized_decomposed.quantize_per_channel_group", lower_quantize, .code = SPAN(SPAN_GROUP, 1)},
    {"quantized_decomposed.dequantize_per_channel_group", lower_dequantize, .code = SPAN(SPAN_GROUP, 0)},
    {"quantized_decomposed.choose_qparams", lower_choose_qparams},
    {"quantized_decomposed.choose_qparams_symmetric", lower_choose_qparams, .code = 1},
    {"quantized_decomposed.choose_qparams_per_token", lower_choose_per_token},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric", lower_choose_per_token, .code = 1},
    {"quantized_decomposed.fake_quant_per_channel", lower_fake_quant_per_channel},
    {"quantized_decomposed.convert_element_type", lower_convert_element_type},
    {"torchao.quantize_affine", lower_quantize, .code = SPAN(SPAN_BLOCK, 0)},
    {"torchao.dequantize_affine", lower_dequantize, .code = SPAN(SPAN_BLOCK, 0)},
    {NULL}};
