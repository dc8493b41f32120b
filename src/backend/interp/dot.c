/* dot.c: contractions. Dimensions get labels; a label in both operands and the result is a batch, one not in the
 * result is summed over. Integers wrap; floats are summed in order in f32, f64 in f64, and rounded once to the result's
 * type: as in every backend's accumulators. */
#include "backend/interp/interp.h"

#include <stdlib.h>

#include "backend/interp/lanes.h"

enum { LABELS_MAX = 2 * TEN_RANK_MAX };

typedef struct contraction {
  uint32_t out_rank, sum_rank;
  uint8_t out[LABELS_MAX], sum[LABELS_MAX]; /* labels */
  int64_t size[256];
  bool known[256];
  size_t stride[2][256]; /* in elements, added up for a repeated label */
} contraction;

static ten_status *add_operand(interp_call *call, contraction *c, unsigned side, const ten_tensor *x,
                               const uint8_t *labels) {
  size_t stride = 1;
  for (uint32_t i = x->rank; i-- > 0;) {
    const uint8_t label = labels[i];
    if (c->known[label] && c->size[label] != x->dims[i])
      return interp_error(call, TEN_INVALID, "dimensions of %lld and %lld are contracted or batched with each other",
                          (long long)c->size[label], (long long)x->dims[i]);
    c->known[label] = true;
    c->size[label] = x->dims[i];
    c->stride[side][label] += stride;
    stride *= (size_t)x->dims[i];
  }
  return NULL;
}

static void offsets_of(const contraction *c, unsigned side, uint32_t rank, const uint8_t *labels, size_t count,
                       size_t *out) {
  int64_t dims[LABELS_MAX], index[LABELS_MAX] = {0};
  for (uint32_t i = 0; i < rank; i++) dims[i] = c->size[labels[i]];
  for (size_t k = 0; k < count; k++) {
    out[k] = 0;
    for (uint32_t i = 0; i < rank; i++) out[k] += (size_t)index[i] * c->stride[side][labels[i]];
    interp_index_next(rank, dims, index);
  }
}

/* Integers mixed with floats are converted to double. */
static double *all_reals(const ten_tensor *x) {
  double *out = ten_alloc((interp_parts(x) + 1) * sizeof *out);
  interp_lanes lanes;
  if (interp_is_integral(x->dtype)) {
    const int64_t *a = interp_lanes_ints(&lanes, x);
    for (size_t i = 0; i < x->count; i++) out[i] = interp_is_unsigned(x->dtype) ? (double)(uint64_t)a[i] : (double)a[i];
  } else {
    memcpy(out, interp_lanes_reals(&lanes, x), interp_parts(x) * sizeof *out);
  }
  interp_lanes_free(&lanes);
  return out;
}

typedef struct offsets {
  size_t *out[2], *sum[2], count;
} offsets;

static void sum_ints(const ten_tensor *x, const ten_tensor *y, const offsets *o, ten_tensor *out) {
  interp_lanes left, right;
  const int64_t *a = interp_lanes_ints(&left, x), *b = y ? interp_lanes_ints(&right, y) : NULL;
  for (size_t i = 0; i < out->count; i++) {
    uint64_t sum = 0;
    for (size_t k = 0; k < o->count; k++)
      sum += (uint64_t)a[o->out[0][i] + o->sum[0][k]] * (b ? (uint64_t)b[o->out[1][i] + o->sum[1][k]] : 1);
    interp_store_int(out, i, (int64_t)sum);
  }
  interp_lanes_free(&left);
  if (y) interp_lanes_free(&right);
}

/* Rounds to the accumulator's type. */
static double keep(bool single, double value) { return single ? (double)(float)value : value; }

/* Elements of at most 32 bits are summed in f32. */
static bool is_single(const ten_tensor *x, const ten_tensor *y) {
  return ten_dtype_bytes(ten_dtype_part(x->dtype)) <= 4 && (!y || ten_dtype_bytes(ten_dtype_part(y->dtype)) <= 4);
}

static void sum_reals(const ten_tensor *x, const ten_tensor *y, const offsets *o, ten_tensor *out) {
  double *a = all_reals(x), *b = y ? all_reals(y) : NULL;
  const bool single = is_single(x, y);
  for (size_t i = 0; i < out->count; i++) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
      sum = keep(single, sum + keep(single, a[o->out[0][i] + o->sum[0][k]] * (b ? b[o->out[1][i] + o->sum[1][k]] : 1)));
    if (interp_is_integral(out->dtype))
      interp_store_int(out, i, (int64_t)sum);
    else
      interp_store_real(out, i, sum);
  }
  free(a);
  free(b);
}

static void sum_complex(const ten_tensor *x, const ten_tensor *y, const offsets *o, ten_tensor *out) {
  double *a = all_reals(x), *b = y ? all_reals(y) : NULL;
  const bool single = is_single(x, y);
  for (size_t i = 0; i < out->count; i++) {
    double real = 0, imag = 0;
    for (size_t k = 0; k < o->count; k++) {
      const double *u = a + 2 * (o->out[0][i] + o->sum[0][k]);
      const double *v = b ? b + 2 * (o->out[1][i] + o->sum[1][k]) : (const double[]){1, 0};
      real = keep(single, real + keep(single, keep(single, u[0] * v[0]) - keep(single, u[1] * v[1])));
      imag = keep(single, imag + keep(single, keep(single, u[0] * v[1]) + keep(single, u[1] * v[0])));
    }
    interp_store_real(out, 2 * i, real);
    interp_store_real(out, 2 * i + 1, imag);
  }
  free(a);
  free(b);
}

/* `labels`: those of x, of y (NULL for one operand), and of the result. */
static ten_status *contract(interp_call *call, const ten_tensor *x, const uint8_t *x_labels, const ten_tensor *y,
                            const uint8_t *y_labels, uint32_t out_rank, const uint8_t *out_labels) {
  contraction *c = ten_alloc(sizeof *c);
  memset(c, 0, sizeof *c);
  ten_status *status = add_operand(call, c, 0, x, x_labels);
  if (!status && y) status = add_operand(call, c, 1, y, y_labels);
  int64_t dims[TEN_RANK_MAX];
  c->out_rank = out_rank;
  if (!status && out_rank > TEN_RANK_MAX)
    status = interp_error(call, TEN_LIMIT, "rank %u of the result is more than is supported", out_rank);
  for (uint32_t i = 0; i < out_rank && !status; i++) {
    if (!c->known[out_labels[i]])
      status = interp_error(call, TEN_INVALID, "the result has a label that no operand has");
    c->out[i] = out_labels[i];
    dims[i] = c->size[out_labels[i]];
    c->known[out_labels[i]] = false; /* the remaining known labels are summed over */
  }
  offsets o = {.count = 1};
  for (int label = 0; label < 256; label++)
    if (c->known[label]) {
      c->sum[c->sum_rank++] = (uint8_t)label;
      o.count *= (size_t)c->size[label];
    }
  if (!status) status = interp_make(call, 0, out_rank, dims, &call->out[0]);
  if (!status) {
    ten_tensor *out = call->out[0];
    for (unsigned side = 0; side < 2; side++) {
      o.out[side] = ten_alloc((out->count + 1) * sizeof(size_t));
      o.sum[side] = ten_alloc((o.count + 1) * sizeof(size_t));
      offsets_of(c, side, c->out_rank, c->out, out->count, o.out[side]);
      offsets_of(c, side, c->sum_rank, c->sum, o.count, o.sum[side]);
    }
    if (ten_dtype_is_complex(x->dtype))
      sum_complex(x, y, &o, out);
    else if (interp_is_integral(x->dtype) && (!y || interp_is_integral(y->dtype)) && interp_is_integral(out->dtype))
      sum_ints(x, y, &o, out);
    else
      sum_reals(x, y, &o, out);
    for (unsigned side = 0; side < 2; side++) free(o.out[side]), free(o.sum[side]);
  }
  free(c);
  return status;
}

/* Labels of dot_general: batch dimensions 0…, contracted ones 64…, free ones of lhs 128…, of rhs 192…. */
static ten_status *dot(interp_call *call, const ten_tensor *x, const ten_tensor *y, const ten_dot_dims *dims) {
  uint8_t left[TEN_RANK_MAX], right[TEN_RANK_MAX], out[LABELS_MAX];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < x->rank; i++) left[i] = (uint8_t)(128 + i);
  for (uint32_t i = 0; i < y->rank; i++) right[i] = (uint8_t)(192 + i);
  const struct {
    ten_ints a, b;
    int first;
  } pairs[] = {{dims->lhs_batch, dims->rhs_batch, 0}, {dims->lhs_contract, dims->rhs_contract, 64}};
  for (int p = 0; p < 2; p++) {
    if (pairs[p].a.count != pairs[p].b.count)
      return interp_error(call, TEN_INVALID, "dimension lists differ in length");
    for (size_t i = 0; i < pairs[p].a.count; i++) {
      const int64_t a = pairs[p].a.data[i], b = pairs[p].b.data[i];
      if (a < 0 || a >= x->rank || b < 0 || b >= y->rank)
        return interp_error(call, TEN_INVALID, "dimension %lld of lhs or %lld of rhs is out of range", (long long)a,
                            (long long)b);
      left[a] = right[b] = (uint8_t)((size_t)pairs[p].first + i);
    }
  }
  for (size_t i = 0; i < dims->lhs_batch.count; i++) out[rank++] = (uint8_t)i;
  for (uint32_t i = 0; i < x->rank; i++)
    if (left[i] >= 128) out[rank++] = left[i];
  for (uint32_t i = 0; i < y->rank; i++)
    if (right[i] >= 192) out[rank++] = right[i];
  return contract(call, x, left, y, right, rank, out);
}

ten_status *interp_dot_general(interp_call *call) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(call->op, "dot_dimension_numbers"));
  return dot(call, call->in[0], call->in[1], &dims);
}

/* Contracts the last dimension of lhs with the first of rhs. */
ten_status *interp_dot(interp_call *call) {
  if (!call->in[0]->rank || !call->in[1]->rank)
    return interp_error(call, TEN_INVALID, "operands must have at least one dimension");
  const int64_t last = (int64_t)call->in[0]->rank - 1, first = 0;
  const ten_dot_dims dims = {.lhs_contract = {&last, 1}, .rhs_contract = {&first, 1}};
  return dot(call, call->in[0], call->in[1], &dims);
}

/* "ij,jk->ik"; an ellipsis stands for the dimensions that no letter names, aligned from the right. */
static ten_status *einsum_labels(interp_call *call, ten_str text, uint32_t rank, uint8_t *labels, uint32_t *out_count) {
  uint32_t letters = 0, count = 0;
  for (size_t i = 0; i < text.size; i++) letters += text.data[i] != '.' && text.data[i] != ' ';
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == ' ') continue;
    if (text.data[i] != '.') {
      if (count < LABELS_MAX) labels[count++] = (uint8_t)text.data[i];
      continue;
    }
    for (uint32_t k = letters < rank ? rank - letters : 0; k > 0 && count < LABELS_MAX; k--)
      labels[count++] = (uint8_t)(128 + k);
    i += 2;
  }
  *out_count = count;
  return count > TEN_RANK_MAX || (rank != UINT32_MAX && count != rank)
             ? interp_error(call, TEN_INVALID, "einsum_config has %u labels for rank %u", count, rank)
             : NULL;
}

static ten_status *einsum(interp_call *call, uint32_t operands) {
  const ten_str config = ten_attr_as_string(ten_op_attr(call->op, "einsum_config"));
  size_t arrow = 0, comma = config.size;
  while (arrow + 1 < config.size && !(config.data[arrow] == '-' && config.data[arrow + 1] == '>')) arrow++;
  for (size_t i = 0; i < arrow; i++)
    if (config.data[i] == ',') comma = i;
  if (arrow + 1 >= config.size || (operands == 2) != (comma < arrow))
    return interp_error(call, TEN_INVALID, "einsum_config \"%.*s\" is malformed; it is \"lhs,rhs->result\"",
                        TEN_FMT(config));
  uint8_t left[LABELS_MAX], right[LABELS_MAX], out[LABELS_MAX];
  uint32_t count;
  TEN_TRY(einsum_labels(call, (ten_str){config.data, operands == 2 ? comma : arrow}, call->in[0]->rank, left, &count));
  if (operands == 2)
    TEN_TRY(
        einsum_labels(call, (ten_str){config.data + comma + 1, arrow - comma - 1}, call->in[1]->rank, right, &count));
  const ten_str result = {config.data + arrow + 2, config.size - arrow - 2};
  TEN_TRY(einsum_labels(call, result, interp_out_type(call, 0)->rank, out, &count));
  return contract(call, call->in[0], left, operands == 2 ? call->in[1] : NULL, right, count, out);
}

ten_status *interp_einsum(interp_call *call) { return einsum(call, 2); }
ten_status *interp_unary_einsum(interp_call *call) { return einsum(call, 1); }

/* chlo.ragged_dot: rows of lhs form groups of given sizes. If the ragged dimension is free, each group has its own rhs;
 * if it is contracted, each group has its own result; if it is a batch, groups have no effect. */
static bool group_range(const ten_tensor *sizes, size_t batch, size_t group, int64_t *low, int64_t *high) {
  const size_t groups = sizes->rank ? (size_t)sizes->dims[sizes->rank - 1] : 1;
  const size_t row = sizes->count > groups ? batch * groups : 0;
  if (group >= groups) return false;
  *low = 0;
  for (size_t g = 0; g < group; g++) *low += ten_tensor_int(sizes, row + g);
  *high = *low + ten_tensor_int(sizes, row + group);
  return true;
}

typedef struct ragged {
  const ten_tensor *x, *y, *sizes;
  ten_dot_dims dims;
  int64_t ragged, group; /* of lhs; of rhs, or -1 */
  bool free_mode;        /* otherwise contracted */
} ragged;

/* One element of the result, by index: [group?] batch…, lhs free…, rhs free…. */
static double ragged_element(const ragged *r, const int64_t *index) {
  int64_t a[TEN_RANK_MAX] = {0}, b[TEN_RANK_MAX] = {0}, sizes[TEN_RANK_MAX], at[TEN_RANK_MAX] = {0};
  uint32_t next = 0;
  const int64_t group = r->free_mode ? 0 : index[next++];
  size_t batch = 0;
  for (size_t i = 0; i < r->dims.lhs_batch.count; i++, next++) {
    a[r->dims.lhs_batch.data[i]] = b[r->dims.rhs_batch.data[i]] = index[next];
    batch = batch * (size_t)r->x->dims[r->dims.lhs_batch.data[i]] + (size_t)index[next];
  }
  for (uint32_t i = 0; i < r->x->rank; i++)
    if (!ten_ints_has(r->dims.lhs_batch, i) && !ten_ints_has(r->dims.lhs_contract, i)) a[i] = index[next++];
  for (uint32_t i = 0; i < r->y->rank; i++)
    if (!ten_ints_has(r->dims.rhs_batch, i) && !ten_ints_has(r->dims.rhs_contract, i) && i != r->group)
      b[i] = index[next++];
  int64_t low = 0, high = 0;
  if (r->free_mode) {
    size_t g = 0;
    while (group_range(r->sizes, batch, g, &low, &high) && a[r->ragged] >= high) g++;
    if (!group_range(r->sizes, batch, g, &low, &high)) return 0; /* rows after the last group */
    b[r->group] = (int64_t)g;
  } else {
    group_range(r->sizes, batch, (size_t)group, &low, &high);
  }
  double sum = 0;
  const uint32_t rank = (uint32_t)r->dims.lhs_contract.count;
  for (uint32_t i = 0; i < rank; i++) {
    sizes[i] = r->x->dims[r->dims.lhs_contract.data[i]];
    if (!sizes[i]) return 0;
  }
  do {
    for (uint32_t i = 0; i < rank; i++) a[r->dims.lhs_contract.data[i]] = b[r->dims.rhs_contract.data[i]] = at[i];
    if (!r->free_mode && (a[r->ragged] < low || a[r->ragged] >= high)) continue;
    const size_t u = interp_offset(r->x->rank, r->x->dims, a), v = interp_offset(r->y->rank, r->y->dims, b);
    if (interp_is_integral(r->x->dtype))
      sum += (double)ten_tensor_int(r->x, u) * (double)ten_tensor_int(r->y, v);
    else
      sum += ten_tensor_real(r->x, u, 0) * ten_tensor_real(r->y, v, 0);
  } while (interp_index_next(rank, sizes, at));
  return sum;
}

ten_status *interp_ragged_dot(interp_call *call) {
  const ten_attr *attr = ten_op_attr(call->op, "ragged_dot_dimension_numbers");
  ragged r = {.x = call->in[0], .y = call->in[1], .sizes = call->in[2], .dims = ten_dot_dims_of(attr), .group = -1};
  const ten_ints rows = ten_attr_as_ints(ten_attr_field(attr, "lhs_ragged_dimensions"));
  const ten_ints groups = ten_attr_as_ints(ten_attr_field(attr, "rhs_group_dimensions"));
  if (rows.count != 1 || groups.count > 1)
    return interp_error(call, TEN_INVALID, "there must be one ragged dimension and at most one group dimension");
  if (ten_dtype_is_complex(r.x->dtype))
    return interp_error(call, TEN_UNSUPPORTED, "complex elements are not supported");
  r.ragged = rows.data[0];
  if (ten_ints_has(r.dims.lhs_batch, r.ragged)) return dot(call, r.x, r.y, &r.dims);
  r.free_mode = !ten_ints_has(r.dims.lhs_contract, r.ragged);
  if (r.free_mode && !groups.count)
    return interp_error(call, TEN_INVALID, "a free ragged dimension requires a group dimension of rhs");
  if (groups.count) r.group = groups.data[0];
  int64_t dims[3 * TEN_RANK_MAX], index[3 * TEN_RANK_MAX] = {0};
  uint32_t rank = 0;
  if (!r.free_mode) dims[rank++] = r.sizes->rank ? r.sizes->dims[r.sizes->rank - 1] : 1;
  for (size_t i = 0; i < r.dims.lhs_batch.count; i++) dims[rank++] = r.x->dims[r.dims.lhs_batch.data[i]];
  for (uint32_t i = 0; i < r.x->rank; i++)
    if (!ten_ints_has(r.dims.lhs_batch, i) && !ten_ints_has(r.dims.lhs_contract, i)) dims[rank++] = r.x->dims[i];
  for (uint32_t i = 0; i < r.y->rank; i++)
    if (!ten_ints_has(r.dims.rhs_batch, i) && !ten_ints_has(r.dims.rhs_contract, i) && i != r.group)
      dims[rank++] = r.y->dims[i];
  TEN_TRY(interp_make(call, 0, rank, dims, &call->out[0]));
  for (size_t i = 0; i < call->out[0]->count; i++) {
    const double sum = ragged_element(&r, index);
    if (interp_is_integral(call->out[0]->dtype))
      interp_store_int(call->out[0], i, (int64_t)sum);
    else
      interp_store_real(call->out[0], i, sum);
    interp_index_next(rank, dims, index);
  }
  return NULL;
}
