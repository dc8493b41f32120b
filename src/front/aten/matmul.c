/* matmul.c: matmuls with PyTorch's batch and vector forms, and einsum. */
#include "front/aten/lower.h"

#include <ctype.h>
#include <stdio.h>

static ten_value *dot_as(at *l, ten_value *a, ten_value *b, ten_ints batch_a, ten_ints batch_b, ten_ints sum_a,
                         ten_ints sum_b, ten_dtype result) {
  at_check(l, at_type(a) == at_type(b), "%s and %s do not multiply", ten_dtype_name(at_type(a)),
           ten_dtype_name(at_type(b)));
  at_check(l, sum_a.count == sum_b.count && batch_a.count == batch_b.count, "dimensions that do not pair");
  for (size_t i = 0; i < sum_a.count; i++)
    at_check(l, at_dim(l, a, sum_a.data[i]) == at_dim(l, b, sum_b.data[i]), "sizes %lld and %lld do not multiply",
             (long long)at_dim(l, a, sum_a.data[i]), (long long)at_dim(l, b, sum_b.data[i]));
  for (size_t i = 0; i < batch_a.count; i++)
    at_check(l, at_dim(l, a, batch_a.data[i]) == at_dim(l, b, batch_b.data[i]), "batches of %lld and %lld",
             (long long)at_dim(l, a, batch_a.data[i]), (long long)at_dim(l, b, batch_b.data[i]));
  const ten_dot_dims dims = {batch_a, batch_b, sum_a, sum_b};
  return ten_build_dot(&l->b, a, b, &dims, result);
}

ten_value *at_dot(at *l, ten_value *a, ten_value *b, ten_ints batch_a, ten_ints batch_b, ten_ints sum_a,
                  ten_ints sum_b) {
  return dot_as(l, a, b, batch_a, batch_b, sum_a, sum_b, at_type(a));
}

#define INTS(...) ((ten_ints){(const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)})
static const ten_ints no_dims = {NULL, 0};

ten_value *at_linear(at *l, ten_value *x, ten_value *weight, ten_value *bias) {
  const int64_t last = (int64_t)at_rank(x) - 1;
  at_check(l, last >= 0 && at_rank(weight) >= 1, "no dimension to multiply along");
  const int64_t in = (int64_t)at_rank(weight) - 1;
  const ten_ints along = {&last, 1}, across = {&in, 1};
  if (!bias) return dot_as(l, x, weight, no_dims, no_dims, along, across, at_type(x));
  if (!(at_type(x) == TEN_BF16 || at_type(x) == TEN_F16) || at_type(bias) != at_type(x))
    return at_add(l, dot_as(l, x, weight, no_dims, no_dims, along, across, at_type(x)), bias);
  /* As in PyTorch: rounded once, after the bias. */
  ten_value *y = dot_as(l, x, weight, no_dims, no_dims, along, across, TEN_F32);
  return at_cast(l, at_add(l, y, at_cast(l, bias, TEN_F32)), at_type(x));
}

ten_value *at_matmul(at *l, ten_value *a, ten_value *b) {
  const uint32_t ra = at_rank(a), rb = at_rank(b);
  at_check(l, ra > 0 && rb > 0, "a scalar in a matmul");
  const int64_t last = (int64_t)ra - 1;
  if (rb == 1) return at_dot(l, a, b, no_dims, no_dims, (ten_ints){&last, 1}, INTS(0));
  const int64_t row = (int64_t)rb - 2;
  if (rb == 2) return at_dot(l, a, b, no_dims, no_dims, (ten_ints){&last, 1}, INTS(0));
  if (ra == 1) return at_dot(l, a, b, no_dims, no_dims, INTS(0), (ten_ints){&row, 1});
  /* Batches broadcast. */
  const uint32_t batch_a = ra - 2, batch_b = rb - 2, batch = batch_a > batch_b ? batch_a : batch_b;
  int64_t dims_a[AT_DIMS], dims_b[AT_DIMS], order[AT_DIMS];
  at_check(l, batch + 2 <= AT_MAX_RANK, "too many dimensions");
  for (uint32_t i = 0; i < batch; i++) {
    const int64_t da = i + batch_a >= batch ? at_dim(l, a, i + batch_a - batch) : 1,
                  db = i + batch_b >= batch ? at_dim(l, b, i + batch_b - batch) : 1;
    at_check(l, da == db || da == 1 || db == 1, "batches of %lld and %lld", (long long)da, (long long)db);
    dims_a[i] = dims_b[i] = da == 1 ? db : da;
    order[i] = i;
  }
  for (uint32_t i = 0; i < 2; i++)
    dims_a[batch + i] = at_dim(l, a, batch_a + i), dims_b[batch + i] = at_dim(l, b, batch_b + i);
  a = at_expand(l, a, batch + 2, dims_a);
  b = at_expand(l, b, batch + 2, dims_b);
  const int64_t sum_a = batch + 1, sum_b = batch;
  return at_dot(l, a, b, (ten_ints){order, batch}, (ten_ints){order, batch}, (ten_ints){&sum_a, 1},
                (ten_ints){&sum_b, 1});
}

/* In a program exported under autocast, only the type of the result shows it. */
ten_value *at_autocast(at *l, ten_value *x) {
  ten_dtype to = l->autocast;
  if (!x || !at_is_float(x) || at_type(x) == TEN_F64) return x;
  if (to == TEN_DTYPE_NONE && at_type(x) == TEN_F32 && l->op->result_count) {
    const ten_type *made = l->op->results[0].type;
    if (ten_type_is_tensor(made) && (made->dtype == TEN_BF16 || made->dtype == TEN_F16)) to = made->dtype;
  }
  return to == TEN_DTYPE_NONE ? x : at_cast(l, x, to);
}

/* StableHLO's dot does not take booleans; use integers. */
static void lower_matmul(at *l) {
  const char *other = at_has(l, "mat2")     ? "mat2"
                      : at_has(l, "vec")    ? "vec"
                      : at_has(l, "vec2")   ? "vec2"
                      : at_has(l, "tensor") ? "tensor"
                                            : "other";
  at_ret(l, 0, at_matmul(l, at_autocast(l, at_t(l, "self")), at_autocast(l, at_t(l, other))));
}

static void lower_linear(at *l) {
  ten_value *x = at_autocast(l, at_t(l, "input")), *weight = at_autocast(l, at_t(l, "weight")),
            *bias = at_autocast(l, at_topt(l, "bias"));
  at_ret(l, 0, at_linear(l, x, weight, bias));
}

/* beta·self + alpha·product. A beta of 0 ignores the content of self, also NaN. */
static ten_value *add_scaled(at *l, ten_value *product) {
  const at_ref alpha = at_arg(l, "alpha"), beta = at_arg(l, "beta");
  ten_value *self = at_autocast(l, at_t(l, "self"));
  if (alpha.kind != AT_NONE && !(!alpha.value && (alpha.kind == AT_FLOAT ? alpha.f == 1 : alpha.i == 1)))
    product = at_mul(l, product, at_ref_value(l, alpha, at_type(product)));
  if (beta.kind != AT_NONE && !beta.value && (beta.kind == AT_FLOAT ? beta.f == 0 : beta.i == 0)) {
    uint32_t rank;
    int64_t dims[AT_DIMS];
    at_broadcast_dims(l, self, product, &rank, dims);
    return at_expand(l, product, rank, dims);
  }
  if (beta.kind != AT_NONE && !(!beta.value && (beta.kind == AT_FLOAT ? beta.f == 1 : beta.i == 1)))
    self = at_mul(l, self, at_ref_value(l, beta, at_type(self)));
  return at_add(l, at_cast(l, self, at_type(product)), product);
}

static void lower_addmm(at *l) {
  ten_value *product = at_matmul(l, at_autocast(l, at_t(l, "mat1")), at_autocast(l, at_t(l, "mat2")));
  if (l->row->code) product = at_gelu(l, product, false);
  at_ret(l, 0, add_scaled(l, product));
}

static void lower_baddbmm(at *l) {
  ten_value *product = at_matmul(l, at_autocast(l, at_t(l, "batch1")), at_autocast(l, at_t(l, "batch2")));
  const int64_t zero = 0;
  if (l->row->code) product = at_sum(l, product, 1, &zero, false);
  at_ret(l, 0, add_scaled(l, product));
}

static void lower_addmv(at *l) { at_ret(l, 0, add_scaled(l, at_matmul(l, at_t(l, "mat"), at_t(l, "vec")))); }

static ten_value *outer(at *l, ten_value *a, ten_value *b) {
  return at_mul(l, at_unsqueeze(l, a, 1), at_unsqueeze(l, b, 0));
}

static void lower_addr(at *l) {
  const ten_dtype dtype = at_promote(at_type(at_t(l, "vec1")), at_type(at_t(l, "vec2")));
  at_ret(l, 0, add_scaled(l, outer(l, at_cast(l, at_t(l, "vec1"), dtype), at_cast(l, at_t(l, "vec2"), dtype))));
}

static void lower_outer(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "vec2", false, &a, &b);
  at_ret(l, 0, at_type(a) == TEN_I1 ? at_and(l, at_unsqueeze(l, a, 1), at_unsqueeze(l, b, 0)) : outer(l, a, b));
}

static void lower_inner(at *l) {
  ten_value *a = at_t(l, "self"), *b = at_t(l, "other");
  if (!at_rank(a) || !at_rank(b)) {
    at_ret(l, 0, at_mul(l, a, b));
    return;
  }
  const int64_t la = (int64_t)at_rank(a) - 1, lb = (int64_t)at_rank(b) - 1;
  at_ret(l, 0, at_dot(l, a, b, no_dims, no_dims, (ten_ints){&la, 1}, (ten_ints){&lb, 1}));
}

static void lower_vdot(at *l) {
  ten_value *a = at_t(l, "self");
  if (at_is_complex(a)) a = at_un(l, TEN_OP_CHLO_CONJ, a);
  at_ret(l, 0, at_dot(l, a, at_t(l, "other"), no_dims, no_dims, INTS(0), INTS(0)));
}

static void lower_tensordot(at *l) {
  ten_value *a = at_t(l, "self"), *b = at_t(l, "other");
  const ten_ints da = at_ints(l, "dims_self"), db = at_ints(l, "dims_other");
  int64_t wa[AT_DIMS], wb[AT_DIMS];
  at_check(l, da.count == db.count && da.count <= AT_MAX_RANK, "dimensions that do not pair");
  for (size_t i = 0; i < da.count; i++)
    wa[i] = at_wrap(l, da.data[i], at_rank(a)), wb[i] = at_wrap(l, db.data[i], at_rank(b));
  for (size_t i = 0; i < da.count; i++) { /* a scalar broadcasts to the other side's length */
    const int64_t of_a = at_dim(l, a, wa[i]), of_b = at_dim(l, b, wb[i]);
    if (of_a == 1 && of_b != 1) b = at_sum(l, b, 1, &wb[i], true);
    if (of_b == 1 && of_a != 1) a = at_sum(l, a, 1, &wa[i], true);
  }
  at_ret(l, 0, at_dot(l, a, b, no_dims, no_dims, (ten_ints){wa, da.count}, (ten_ints){wb, db.count}));
}

static void lower_bilinear(at *l) {
  ten_value *x = at_t(l, "input1"), *y = at_t(l, "input2"), *weight = at_t(l, "weight"), *bias = at_topt(l, "bias");
  const int64_t lx = (int64_t)at_rank(x) - 1, one = 1, two = 2;
  /* […, in1] × [out, in1, in2] → […, out, in2]; times y and summed over in2. */
  ten_value *part = at_dot(l, x, weight, no_dims, no_dims, (ten_ints){&lx, 1}, (ten_ints){&one, 1});
  (void)two;
  ten_value *z = at_mul(l, part, at_unsqueeze(l, y, lx));
  const int64_t last = (int64_t)at_rank(z) - 1;
  z = at_sum(l, z, 1, &last, false);
  at_ret(l, 0, bias ? at_add(l, z, bias) : z);
}

/* ---- einsum ---- */
typedef struct term {
  ten_value *value;
  char labels[AT_DIMS]; /* one per dimension; from 1 upwards for those of an ellipsis */
} term;

/* The labels of one operand; the dimensions of an ellipsis are bytes 1, 2, … counted from the end. */
static const char *labels_read(at *l, const char *at_, const char *end, const ten_value *x, term *t) {
  char text[64];
  size_t n = 0, dots = SIZE_MAX;
  while (at_ < end && *at_ != ',' && !(at_[0] == '-' && at_ + 1 < end && at_[1] == '>')) {
    if (at_[0] == '.' && end - at_ >= 3) {
      dots = n;
      at_ += 3;
    } else {
      if (*at_ != ' ') {
        at_check(l, n + 1 < sizeof text, "an equation that is too long");
        at_check(l, isalpha((unsigned char)*at_), "'%c' is no label of a dimension", *at_);
        text[n++] = *at_;
      }
      at_++;
    }
  }
  const size_t rank = at_rank(x);
  at_check(l, n <= rank && rank <= AT_MAX_RANK && (dots != SIZE_MAX || n == rank),
           "an operand has %zu dimensions, the equation %zu", rank, n);
  const size_t extra = rank - n;
  size_t k = 0;
  for (size_t i = 0; i <= n; i++) {
    if (i == dots)
      for (size_t e = 0; e < extra; e++) t->labels[k++] = (char)(extra - e);
    if (i < n) t->labels[k++] = text[i];
  }
  t->labels[k] = 0;
  return at_;
}

static int64_t label_find(const term *t, char label) {
  for (uint32_t i = 0; t->labels[i]; i++)
    if (t->labels[i] == label) return i;
  return -1;
}

/* A repeated label in one operand: take the diagonal. */
static void term_diagonal(at *l, term *t) {
  for (uint32_t i = 0; t->labels[i]; i++)
    for (uint32_t j = i + 1; t->labels[j]; j++) {
      if (t->labels[i] != t->labels[j]) continue;
      ten_value *x = t->value;
      ten_value *same = at_cmp(l, TEN_EQ, at_iota(l, TEN_I32, at_rank(x), at_dims(x), i),
                               at_iota(l, TEN_I32, at_rank(x), at_dims(x), j));
      const int64_t dim = j;
      t->value = at_reduce(l, TEN_OP_ADD, at_sel(l, same, x, at_num(l, x, 0)), 1, &dim, false);
      memmove(t->labels + j, t->labels + j + 1, strlen(t->labels + j));
      j--;
    }
}

static void term_drop(at *l, term *t, const char *keep) {
  int64_t dims[AT_DIMS];
  uint32_t count = 0, k = 0;
  for (uint32_t i = 0; t->labels[i]; i++) {
    if (!strchr(keep, t->labels[i]))
      dims[count++] = i;
    else
      t->labels[k++] = t->labels[i];
  }
  t->labels[k] = 0;
  if (count) t->value = at_sum(l, t->value, count, dims, false);
}

/* Contracts a and b: shared labels that are needed later are batch dimensions, others are summed. */
static void term_join(at *l, term *a, const term *b_, const char *keep) {
  term b = *b_, out = {0};
  int64_t batch_a[AT_DIMS], batch_b[AT_DIMS], sum_a[AT_DIMS], sum_b[AT_DIMS];
  size_t batches = 0, sums = 0, n = 0;
  for (uint32_t i = 0; a->labels[i]; i++) {
    const int64_t j = label_find(&b, a->labels[i]);
    if (j < 0) continue;
    /* A size of 1 broadcasts. */
    if (at_dim(l, a->value, i) != at_dim(l, b.value, j)) {
      int64_t dims[AT_DIMS];
      term *small = at_dim(l, a->value, i) == 1 ? a : &b;
      const int64_t where = small == a ? i : j, size = small == a ? at_dim(l, b.value, j) : at_dim(l, a->value, i);
      for (uint32_t k = 0; k < at_rank(small->value); k++) dims[k] = k == where ? size : at_dim(l, small->value, k);
      small->value = at_expand(l, small->value, at_rank(small->value), dims);
    }
    if (strchr(keep, a->labels[i]))
      batch_a[batches] = i, batch_b[batches++] = j, out.labels[n++] = a->labels[i];
    else
      sum_a[sums] = i, sum_b[sums++] = j;
  }
  for (uint32_t i = 0; a->labels[i]; i++)
    if (label_find(&b, a->labels[i]) < 0) out.labels[n++] = a->labels[i];
  for (uint32_t i = 0; b.labels[i]; i++)
    if (label_find(a, b.labels[i]) < 0) out.labels[n++] = b.labels[i];
  at_check(l, n <= AT_MAX_RANK, "too many dimensions");
  out.value = at_dot(l, a->value, b.value, (ten_ints){batch_a, batches}, (ten_ints){batch_b, batches},
                     (ten_ints){sum_a, sums}, (ten_ints){sum_b, sums});
  *a = out;
}

/* The labels of the result: as written after the arrow at `cursor`, or every label that occurs once, in order, with the
 * ellipsis first. `all` are the labels of the operands. */
static size_t result_labels(at *l, ten_str equation, const char *cursor, const char *all, char *out) {
  const char *end = equation.data + equation.size;
  size_t n = 0;
  char ellipsis = 0;
  for (const char *c = all; *c; c++)
    if (*c > 0 && *c < 32 && *c > ellipsis) ellipsis = *c;
  if (cursor + 1 < end && cursor[0] == '-') {
    for (cursor += 2; cursor < end; cursor++) {
      if (*cursor == ' ') continue;
      if (*cursor == '.') {
        for (char e = ellipsis; e > 0 && n < AT_MAX_RANK; e--) out[n++] = e;
        cursor += 2;
      } else {
        at_check(l, n < AT_MAX_RANK && strchr(all, *cursor), "the result has a label no operand has");
        out[n++] = *cursor;
      }
    }
    return n;
  }
  for (char e = ellipsis; e > 0; e--) out[n++] = e;
  for (int c = 'A'; c <= 'z'; c++) {
    int seen = 0;
    for (size_t i = 0; i < equation.size; i++) seen += equation.data[i] == c;
    if (seen == 1 && n < AT_MAX_RANK) out[n++] = (char)c;
  }
  return n;
}

static void lower_einsum(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  const ten_str equation = at_string(l, "equation");
  at_check(l, count > 0 && count <= 32, "%zu operands", count);
  at_check(l, equation.data, "argument 'equation' is missing");
  term *terms = at_new_array(l, term, count);
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; i < count; i++) {
    at_check(l, xs[i], "an operand is missing");
    xs[i] = at_autocast(l, xs[i]);
    dtype = at_promote(dtype, at_type(xs[i]));
  }
  const char *cursor = equation.data, *end = equation.data + equation.size;
  char all[64] = {0}, out[AT_DIMS] = {0};
  size_t all_count = 0;
  for (size_t i = 0; i < count; i++) {
    terms[i].value = at_cast(l, xs[i], dtype);
    cursor = labels_read(l, cursor, end, xs[i], &terms[i]);
    at_check(l, i + 1 == count || (cursor < end && *cursor == ','), "the equation has fewer operands");
    if (i + 1 < count) cursor++;
    term_diagonal(l, &terms[i]);
    for (const char *c = terms[i].labels; *c; c++)
      if (!strchr(all, *c) && all_count + 1 < sizeof all) all[all_count++] = *c;
  }
  const size_t n = result_labels(l, equation, cursor, all, out);
  for (size_t i = 0; i < count; i++) {
    char keep[256] = {0};
    snprintf(keep, sizeof keep, "%s", out);
    for (size_t k = 0; k < count; k++)
      if (k > i || (k == 0 && i > 0)) strncat(keep, terms[k].labels, sizeof keep - strlen(keep) - 1);
    term_drop(l, &terms[i], keep);
    if (i == 0) continue;
    char later[256] = {0};
    snprintf(later, sizeof later, "%s", out);
    for (size_t k = i + 1; k < count; k++) strncat(later, terms[k].labels, sizeof later - strlen(later) - 1);
    term_join(l, &terms[0], &terms[i], later);
  }
  term_drop(l, &terms[0], out);
  int64_t permutation[AT_DIMS];
  at_check(l, strlen(terms[0].labels) == n, "the result names a label twice");
  for (size_t i = 0; i < n; i++) permutation[i] = label_find(&terms[0], out[i]);
  at_ret(l, 0, at_permute(l, terms[0].value, permutation));
}

const at_row at_rows_matmul[] = {{"mm", lower_matmul},
                                 {"bmm", lower_matmul},
                                 {"matmul", lower_matmul},
                                 {"__matmul__", lower_matmul},
                                 {"linalg_matmul", lower_matmul},
                                 {"mv", lower_matmul},
                                 {"dot", lower_matmul},
                                 {"linear", lower_linear},
                                 {"addmm", lower_addmm},
                                 {"_addmm_activation", lower_addmm, .code = 1},
                                 {"baddbmm", lower_baddbmm},
                                 {"addbmm", lower_baddbmm, .code = 1},
                                 {"addmv", lower_addmv},
                                 {"addr", lower_addr},
                                 {"outer", lower_outer},
                                 {"ger", lower_outer},
                                 {"inner", lower_inner},
                                 {"vdot", lower_vdot},
                                 {"tensordot", lower_tensordot},
                                 {"bilinear", lower_bilinear},
                                 {"einsum", lower_einsum},
                                 {NULL}};
