/* pool.c: pooling over windows, fixed and adaptive. */
#include "front/aten/lower.h"

enum { SPATIAL_MAX = 3 };

typedef struct pool {
  uint32_t rank; /* spatial */
  int64_t kernel[SPATIAL_MAX], stride[SPATIAL_MAX], padding[SPATIAL_MAX], dilation[SPATIAL_MAX], out[SPATIAL_MAX],
      extra[SPATIAL_MAX];
} pool;

/* Sizes of the result; `extra` is the part beyond the padding that ceil_mode reads. */
static pool pool_read(at *l, const ten_value *x, uint32_t rank, bool dilated) {
  pool p = {.rank = rank};
  at_window(l, "kernel_size", rank, 1, p.kernel);
  memcpy(p.stride, p.kernel, sizeof p.stride);
  if (at_ints(l, "stride").count) at_window(l, "stride", rank, 1, p.stride);
  at_window(l, "padding", rank, 0, p.padding);
  for (uint32_t i = 0; i < rank; i++) p.dilation[i] = 1;
  if (dilated) at_window(l, "dilation", rank, 1, p.dilation);
  const bool up = at_bool(l, "ceil_mode", false);
  at_check(l, at_rank(x) == rank + 1 || at_rank(x) == rank + 2, "an input of %u dimensions", at_rank(x));
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t size = at_dim(l, x, (int64_t)(at_rank(x) - rank + i)), reach = p.dilation[i] * (p.kernel[i] - 1) + 1;
    at_check(l,
             p.kernel[i] > 0 && p.stride[i] > 0 && p.dilation[i] > 0 && p.padding[i] >= 0 && p.kernel[i] < 1 << 30 &&
                 p.dilation[i] < 1 << 20,
             "a window of %lld", (long long)p.kernel[i]);
    const int64_t room = size + 2 * p.padding[i] - reach;
    at_check(l, room >= 0 || up, "windows of %lld in %lld", (long long)reach, (long long)size);
    p.out[i] = (room + (up ? p.stride[i] - 1 : 0)) / p.stride[i] + 1;
    if (up && (p.out[i] - 1) * p.stride[i] >= size + p.padding[i]) p.out[i]--;
    const int64_t needed = (p.out[i] - 1) * p.stride[i] + reach;
    p.extra[i] = needed - (size + p.padding[i]);
  }
  return p;
}

static ten_window pool_window(at *l, const ten_value *x, const pool *p) {
  const uint32_t rank = at_rank(x), lead = rank - p->rank;
  int64_t *lists = at_new_array(l, int64_t, (size_t)rank * 6);
  int64_t *size = lists, *stride = lists + rank, *base = lists + 2 * rank, *dilation = lists + 3 * rank,
          *padding = lists + 4 * rank;
  for (uint32_t i = 0; i < rank; i++) {
    size[i] = stride[i] = base[i] = dilation[i] = 1;
    if (i < lead) continue;
    size[i] = p->kernel[i - lead], stride[i] = p->stride[i - lead], dilation[i] = p->dilation[i - lead];
    padding[2 * i] = p->padding[i - lead], padding[2 * i + 1] = p->extra[i - lead];
  }
  return (ten_window){
      .rank = rank, .size = size, .strides = stride, .padding = padding, .base_dilation = base, .dilation = dilation};
}

static void fold_body(ten_builder *b, ten_value *const *args, void *context) {
  ten_value *y = ten_build_binary(b, *(const ten_opcode *)context, args[0], args[1]);
  ten_build_return(b, 1, &y);
}

static ten_value *windows(at *l, ten_opcode code, ten_value *x, ten_value *init, const pool *p) {
  const ten_window window = pool_window(l, x, p);
  return ten_op_result(ten_build_reduce_window(&l->b, 1, &x, &init, &window, fold_body, &code), 0);
}

/* Selects the larger value and its index; the first of equals. */
static void max_body(ten_builder *b, ten_value *const *args, void *context) {
  at *l = context;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *greater = at_cmp(l, TEN_GT, args[2], args[0]);
  if (at_is_float(args[0])) greater = at_or(l, greater, at_isnan(l, args[2]));
  ten_value *earlier = at_and(l, at_cmp(l, TEN_EQ, args[2], args[0]), at_cmp(l, TEN_LT, args[3], args[1]));
  ten_value *take = at_or(l, greater, earlier);
  ten_value *out[2] = {at_sel(l, take, args[2], args[0]), at_sel(l, take, args[3], args[1])};
  ten_build_return(&l->b, 2, out);
  l->b = was;
}

/* Indices in the flattened spatial dimensions. */
static ten_value *spatial_places(at *l, const ten_value *x, uint32_t rank) {
  ten_value *place = NULL;
  int64_t stride = 1;
  for (uint32_t i = at_rank(x); i-- > at_rank(x) - rank;) {
    ten_value *here =
        at_mul(l, at_iota(l, TEN_I64, at_rank(x), at_dims(x), i), ten_build_scalar_int(&l->b, TEN_I64, stride));
    place = place ? at_add(l, place, here) : here;
    stride *= at_dim(l, x, i);
  }
  return place;
}

/* code: the spatial rank; results: the maximum, and its index. */
static void lower_max_pool(at *l) {
  ten_value *x = at_t(l, "self");
  const pool p = pool_read(l, x, (uint32_t)l->row->code, true);
  ten_value *low = at_lowest(l, at_type(x));
  const bool wants_index = l->result_count > 1 && ten_value_has_uses(&l->op->results[1]);
  if (!wants_index) {
    at_ret(l, 0, windows(l, TEN_OP_MAXIMUM, x, low, &p));
    return;
  }
  const ten_window window = pool_window(l, x, &p);
  ten_value *xs[2] = {x, spatial_places(l, x, p.rank)},
            *inits[2] = {low, ten_build_scalar_int(&l->b, TEN_I64, INT64_MAX)};
  ten_op *op = ten_build_reduce_window(&l->b, 2, xs, inits, &window, max_body, l);
  at_ret(l, 0, windows(l, TEN_OP_MAXIMUM, x, low, &p)); /* the indices may have no reader once all is lowered */
  at_ret(l, 1, ten_op_result(op, 1));
}

static void add_body(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *sum = ten_build_binary(b, TEN_OP_ADD, args[0], args[1]);
  ten_build_return(b, 1, &sum);
}

/* Whether the element selected so far stays, given the next one: by the rule of max_body. */
static void stays_body(ten_builder *b, ten_value *const *args, void *context) {
  at *l = context;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *greater = at_cmp(l, TEN_GT, args[1], args[0]);
  if (at_is_float(args[0])) greater = at_or(l, greater, at_isnan(l, args[1]));
  ten_value *stays = at_not(l, greater);
  ten_build_return(&l->b, 1, &stays);
  l->b = was;
}

ten_value *at_pool_gradient(at *l, ten_value *x, ten_value *grad, const ten_window *w) {
  ten_module *m = l->b.module;
  const int64_t pairs[] = {w->rank, 2};
  const ten_named_attr attrs[] = {{TEN_STR("window_dimensions"), ten_attr_dims(m, w->rank, w->size), true},
                                  {TEN_STR("window_strides"), ten_attr_dims(m, w->rank, w->strides), true},
                                  {TEN_STR("padding"), ten_attr_dense_i64(m, 2, pairs, w->padding), true}};
  ten_value *zero = ten_build_scalar(&l->b, at_type(x), 0), *operands[] = {x, grad, zero};
  ten_op *op = ten_build_op(&l->b, TEN_OP_SELECT_AND_SCATTER, 3, operands, 1, &x->type, 3, attrs, 2);
  const ten_type *types[] = {zero->type, zero->type};
  ten_build_region(&l->b, op, 0, 2, types, stays_body, l);
  ten_build_region(&l->b, op, 1, 2, types, add_body, NULL);
  return &op->results[0];
}

/* The gradient of max pooling from its input, without indices: recomputes each window's maximum. */
static void lower_max_pool_grad(at *l) {
  ten_value *x = at_t(l, "self"), *grad = at_t(l, "grad_output");
  const pool p = pool_read(l, x, (uint32_t)l->row->code, true);
  for (uint32_t i = 0; i < p.rank; i++)
    at_check(l, p.dilation[i] == 1, "a dilation of %lld; it must be 1", (long long)p.dilation[i]);
  at_check(l, at_type(x) == at_type(grad) && at_rank(x) == at_rank(grad),
           "a gradient of rank %u for an input of rank %u, or of another type", at_rank(grad), at_rank(x));
  const ten_window w = pool_window(l, x, &p);
  at_ret(l, 0, at_pool_gradient(l, x, grad, &w));
}

/* The number of elements that each window averages, one vector per dimension. */
static ten_value *divisors(at *l, const ten_value *x, const pool *p, bool include_pad) {
  ten_value *total = NULL;
  const uint32_t lead = at_rank(x) - p->rank;
  for (uint32_t i = 0; i < p->rank; i++) {
    const int64_t size = at_dim(l, x, lead + i);
    int64_t *counts = at_new_array(l, int64_t, (size_t)p->out[i] + 1);
    for (int64_t k = 0; k < p->out[i]; k++) {
      int64_t start = k * p->stride[i] - p->padding[i], end = start + p->kernel[i];
      if (end > size + p->padding[i]) end = size + p->padding[i];
      if (!include_pad) {
        if (start < 0) start = 0;
        if (end > size) end = size;
      }
      counts[k] = end - start;
    }
    ten_value *vector =
        at_along(l, at_cast(l, ten_build_i64s(&l->b, (size_t)p->out[i], counts), at_type(x)), at_rank(x), lead + i);
    total = total ? at_mul(l, total, vector) : vector;
  }
  return total;
}

static bool is_uniform(const pool *p, bool include_pad) {
  bool uniform = true;
  for (uint32_t i = 0; i < p->rank; i++)
    uniform &= p->extra[i] <= p->padding[i] && (include_pad || (!p->padding[i] && p->extra[i] <= 0));
  return uniform;
}

static void lower_avg_pool(at *l) {
  ten_value *input = at_t(l, "self");
  const ten_dtype dtype = at_type(input);
  ten_value *x = at_cast(l, input, at_acc_type(dtype));
  const pool p = pool_read(l, x, (uint32_t)l->row->code, false);
  const bool include_pad = at_bool(l, "count_include_pad", true);
  ten_value *sum = windows(l, TEN_OP_ADD, x, at_num(l, x, 0), &p);
  ten_value *by;
  if (at_has(l, "divisor_override"))
    by = at_num(l, x, at_float(l, "divisor_override", 1));
  else if (is_uniform(&p, include_pad)) {
    double n = 1;
    for (uint32_t i = 0; i < p.rank; i++) n *= (double)p.kernel[i];
    by = at_num(l, x, n);
  } else
    by = divisors(l, x, &p, include_pad);
  if (at_is_float(x))
    at_ret(l, 0, at_cast(l, at_div(l, sum, by), dtype));
  else
    at_ret(l, 0, at_div(l, sum, by));
}

/* ---- adaptive ---- */
static int64_t adaptive_start(int64_t i, int64_t in, int64_t out) { return i * in / out; }
static int64_t adaptive_end(int64_t i, int64_t in, int64_t out) { return ((i + 1) * in + out - 1) / out; }

static void adaptive_sizes(at *l, const ten_value *x, uint32_t rank, int64_t *out) {
  const ten_ints size = at_ints(l, "output_size");
  at_check(l, size.count == 1 || size.count == rank, "%zu sizes for %u dimensions", size.count, rank);
  at_check(l, at_rank(x) > rank, "an input of %u dimensions", at_rank(x));
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = size.count == 1 ? size.data[0] : size.data[i];
    if (out[i] == -1) out[i] = at_dim(l, x, (int64_t)(at_rank(x) - rank + i));
    at_check(l, out[i] >= 0 && out[i] < 1 << 20, "a size of %lld", (long long)out[i]);
  }
}

/* Each dimension separately: averages of averages are equal since each window is a box. */
static void lower_adaptive_avg(at *l) {
  ten_value *input = at_t(l, "self"), *x = at_cast(l, input, at_acc_type(at_type(input)));
  const uint32_t rank = (uint32_t)l->row->code, lead = at_rank(x) - rank;
  int64_t out[SPATIAL_MAX];
  adaptive_sizes(l, x, rank, out);
  bool even = true;
  for (uint32_t i = 0; i < rank; i++) even &= out[i] > 0 && at_dim(l, x, lead + i) % out[i] == 0;
  if (even) {
    pool p = {.rank = rank};
    double n = 1;
    bool whole = true;
    int64_t dims[SPATIAL_MAX], all[AT_DIMS];
    for (uint32_t i = 0; i < rank; i++) {
      p.kernel[i] = p.stride[i] = at_dim(l, x, lead + i) / out[i], p.dilation[i] = 1;
      n *= (double)p.kernel[i];
      whole &= out[i] == 1;
      dims[i] = lead + i;
    }
    for (uint32_t i = 0; i < at_rank(x); i++) all[i] = i < lead ? at_dim(l, x, i) : 1;
    ten_value *sum = whole ? at_reshape(l, at_reduce(l, TEN_OP_ADD, x, rank, dims, false), at_rank(x), all)
                           : windows(l, TEN_OP_ADD, x, at_num(l, x, 0), &p);
    at_ret(l, 0, at_cast(l, at_div(l, sum, at_num(l, x, n)), at_type(input)));
    return;
  }
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t dim = lead + i, size = at_dim(l, x, dim), grid[2] = {out[i], size};
    ten_value *row = at_iota(l, TEN_I64, 2, grid, 0), *col = at_iota(l, TEN_I64, 2, grid, 1),
              *osize = at_const(l, TEN_I64, (double)out[i]);
    ten_value *start = at_div(l, at_muln(l, row, (double)size), osize);
    ten_value *end = at_div(l, at_addn(l, at_muln(l, at_addn(l, row, 1), (double)size), (double)(out[i] - 1)), osize);
    ten_value *in = at_and(l, at_cmp(l, TEN_GE, col, start), at_cmp(l, TEN_LT, col, end));
    ten_value *weights = at_div(l, at_cast(l, in, at_type(x)), at_cast(l, at_sub(l, end, start), at_type(x)));
    const int64_t one = 1;
    ten_value *y = at_dot(l, x, weights, (ten_ints){0}, (ten_ints){0}, (ten_ints){&dim, 1}, (ten_ints){&one, 1});
    /* The new dimension is last: move it back. */
    int64_t order[AT_DIMS];
    const uint32_t r = at_rank(y);
    for (uint32_t k = 0; k < r; k++) order[k] = k < dim ? k : k == dim ? r - 1 : k - 1;
    x = at_permute(l, y, order);
  }
  at_ret(l, 0, at_cast(l, x, at_type(input)));
}

static void lower_adaptive_max(at *l) {
  ten_value *x = at_t(l, "self");
  const uint32_t rank = (uint32_t)l->row->code, lead = at_rank(x) - rank;
  int64_t out[SPATIAL_MAX], cells = 1, dims[AT_DIMS];
  adaptive_sizes(l, x, rank, out);
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = i < lead ? at_dim(l, x, i) : out[i - lead];
  for (uint32_t i = 0; i < rank; i++) cells *= out[i];
  at_check(l, cells > 0 && cells <= 4096, "%lld windows of different sizes", (long long)cells);
  ten_value *place = spatial_places(l, x, rank);
  ten_value **values = at_new_array(l, ten_value *, (size_t)cells),
            **where = at_new_array(l, ten_value *, (size_t)cells);
  for (int64_t c = 0; c < cells; c++) {
    ten_value *window = x, *spot = place;
    int64_t rest = c;
    for (uint32_t i = rank; i-- > 0;) {
      const int64_t k = rest % out[i], size = at_dim(l, x, lead + i);
      rest /= out[i];
      window = at_slice(l, window, lead + i, adaptive_start(k, size, out[i]), adaptive_end(k, size, out[i]), 1);
      spot = at_slice(l, spot, lead + i, adaptive_start(k, size, out[i]), adaptive_end(k, size, out[i]), 1);
    }
    int64_t flat[AT_DIMS], n = 1;
    for (uint32_t i = 0; i < lead; i++) flat[i] = at_dim(l, x, i);
    for (uint32_t i = lead; i < at_rank(window); i++) n *= at_dim(l, window, i);
    flat[lead] = n;
    window = at_reshape(l, window, lead + 1, flat), spot = at_reshape(l, spot, lead + 1, flat);
    ten_value *index = at_arg_extreme(l, window, lead, true, &values[c]);
    where[c] = at_gather(l, spot, at_unsqueeze(l, index, lead), lead);
    values[c] = at_unsqueeze(l, values[c], lead);
  }
  at_ret(l, 0, at_reshape(l, at_cat(l, (size_t)cells, values, lead), at_rank(x), dims));
  at_ret(l, 1, at_reshape(l, at_cat(l, (size_t)cells, where, lead), at_rank(x), dims));
}

static void lower_max_unpool(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "indices");
  const uint32_t rank = (uint32_t)l->row->code, lead = at_rank(x) - rank;
  const ten_ints size = at_ints(l, "output_size");
  at_check(l, size.count == rank && at_rank(x) > rank, "%zu sizes", size.count);
  int64_t dims[AT_DIMS], batch = 1, cells = 1, inner = 1;
  for (uint32_t i = 0; i < lead; i++) dims[i] = at_dim(l, x, i), batch *= dims[i];
  for (uint32_t i = 0; i < rank; i++)
    dims[lead + i] = size.data[i], cells = at_mul_size(l, cells, size.data[i]), inner *= at_dim(l, x, lead + i);
  const int64_t flat[2] = {batch, cells}, values[2] = {batch, inner};
  at_assert_range(l, index, 0, cells, "RuntimeError", "max index {} is not within the output, which has %lld places",
                  (long long)cells);
  ten_value *y = at_scatter(l, TEN_OP_UNKNOWN, at_full(l, at_type(x), 2, flat, 0), at_reshape(l, index, 2, values),
                            at_reshape(l, x, 2, values), 1);
  /* Overlapping windows took a shared position from one element: each gets its gradient, as if indices were unique. */
  ten_op *scatter = y->op;
  while (scatter && scatter->code == TEN_OP_RESHAPE) scatter = ten_op_operand(scatter, 0)->op;
  if (scatter && scatter->code == TEN_OP_SCATTER)
    ten_op_set_attr(l->b.module, scatter, TEN_STR("unique_indices"), ten_attr_bool(l->b.module, true));
  at_ret(l, 0, at_reshape(l, y, at_rank(x), dims));
}

/* Windows of one size at random positions: sample u of a plane puts window i at ⌊(i+u)a⌋ - ⌊ua⌋, the last at the end.
 * The samples start with the width in two dimensions, with the depth in three. */
static void lower_fractional_max(at *l) {
  ten_value *x = at_t(l, "self"), *drawn = at_t(l, at_has(l, "random_samples") ? "random_samples" : "_random_samples");
  const uint32_t rank = (uint32_t)l->row->code, lead = at_rank(x) - rank;
  int64_t kernel[SPATIAL_MAX], out[SPATIAL_MAX], cells = 1, taps = 1, inner = 1, planes = 1, dims[AT_DIMS];
  at_window(l, "kernel_size", rank, 1, kernel);
  at_window(l, "output_size", rank, 1, out);
  at_check(l, at_rank(x) > rank, "an input of %u dimensions", at_rank(x));
  for (uint32_t i = 0; i < lead; i++) planes *= dims[i] = at_dim(l, x, i);
  for (uint32_t i = 0; i < rank; i++) {
    dims[lead + i] = out[i], inner *= at_dim(l, x, lead + i);
    at_check(l, out[i] > 0 && kernel[i] > 0 && kernel[i] <= at_dim(l, x, lead + i), "windows of %lld in %lld",
             (long long)kernel[i], (long long)at_dim(l, x, lead + i));
    cells = at_mul_size(l, cells, out[i]), taps = at_mul_size(l, taps, kernel[i]);
  }
  if (at_rank(drawn) == 3) { /* without a batch, PyTorch may draw more samples than the first planes use */
    const int64_t batch = lead > 1 ? dims[0] : 1, channels = dims[lead - 1];
    at_check(l, at_dim(l, drawn, 0) >= batch && at_dim(l, drawn, 1) >= channels, "too few samples");
    drawn = at_slice(l, at_slice(l, drawn, 0, 0, batch, 1), 1, 0, channels, 1);
  }
  drawn = at_reshape(l, drawn, 2, (const int64_t[]){planes, rank});
  ten_value *place = NULL; /* [planes, cells, taps] in the flattened input */
  int64_t cube[3] = {1, cells, taps}, cell_step = cells, tap_step = taps;
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t in = at_dim(l, x, lead + i), column = rank == 2 ? 1 - i : i, row[2] = {1, out[i]};
    ten_value *u = at_slice(l, drawn, 1, column, column + 1, 1);
    const double a = out[i] > 1 ? (double)((float)(in - kernel[i]) / (float)(out[i] - 1)) : 0;
    ten_value *k = at_iota(l, at_type(u), 2, row, 1);
    ten_value *start =
        at_sub(l, at_un(l, TEN_OP_FLOOR, at_muln(l, at_add(l, k, u), a)), at_un(l, TEN_OP_FLOOR, at_muln(l, u, a)));
    start = at_sel(l, at_cmp(l, TEN_EQ, k, at_num(l, k, (double)(out[i] - 1))), at_num(l, k, (double)(in - kernel[i])),
                   start);
    cell_step /= out[i], tap_step /= kernel[i];
    ten_value *cell = at_iota(l, TEN_I64, 1, &cells, 0);
    cell = at_bin(l, TEN_OP_REMAINDER, at_div(l, cell, at_num(l, cell, (double)cell_step)),
                  at_num(l, cell, (double)out[i]));
    start = at_unsqueeze(l, at_take(l, at_cast(l, start, TEN_I64), cell, 1), 2);
    ten_value *tap = at_iota(l, TEN_I64, 3, cube, 2);
    tap = at_bin(l, TEN_OP_REMAINDER, at_div(l, tap, at_num(l, tap, (double)tap_step)),
                 at_num(l, tap, (double)kernel[i]));
    ten_value *here = at_add(l, start, tap);
    place = place ? at_add(l, at_muln(l, place, (double)in), here) : here;
  }
  const int64_t flat[2] = {planes, inner}, all[2] = {planes, cells * taps}, whole[3] = {planes, cells, taps};
  ten_value *got = at_gather(l, at_reshape(l, x, 2, flat), at_reshape(l, place, 2, all), 1), *value;
  ten_value *best = at_arg_extreme(l, at_reshape(l, got, 3, whole), 2, true, &value);
  ten_value *where = at_squeeze(l, at_gather(l, place, at_unsqueeze(l, best, 2), 2), 2);
  at_ret(l, 0, at_reshape(l, value, at_rank(x), dims));
  at_ret(l, 1, at_reshape(l, where, at_rank(x), dims));
}

const at_row at_rows_pool[] = {{"max_pool1d", lower_max_pool, .code = 1},
                               {"max_pool2d", lower_max_pool, .code = 2},
                               {"max_pool3d", lower_max_pool, .code = 3},
                               {"max_pool1d_with_indices", lower_max_pool, .code = 1},
                               {"max_pool2d_with_indices", lower_max_pool, .code = 2},
                               {"max_pool3d_with_indices", lower_max_pool, .code = 3},
                               {"max_pool2d_backward", lower_max_pool_grad, .code = 2},
                               {"avg_pool1d", lower_avg_pool, .code = 1},
                               {"avg_pool2d", lower_avg_pool, .code = 2},
                               {"avg_pool3d", lower_avg_pool, .code = 3},
                               {"adaptive_avg_pool1d", lower_adaptive_avg, .code = 1},
                               {"adaptive_avg_pool2d", lower_adaptive_avg, .code = 2},
                               {"adaptive_avg_pool3d", lower_adaptive_avg, .code = 3},
                               {"_adaptive_avg_pool2d", lower_adaptive_avg, .code = 2},
                               {"_adaptive_avg_pool3d", lower_adaptive_avg, .code = 3},
                               {"adaptive_max_pool1d", lower_adaptive_max, .code = 1},
                               {"adaptive_max_pool2d", lower_adaptive_max, .code = 2},
                               {"adaptive_max_pool3d", lower_adaptive_max, .code = 3},
                               {"fractional_max_pool2d", lower_fractional_max, .code = 2},
                               {"fractional_max_pool3d", lower_fractional_max, .code = 3},
                               {"max_unpool2d", lower_max_unpool, .code = 2},
                               {"max_unpool3d", lower_max_unpool, .code = 3},
                               {NULL}};
