/* differences.c: differences of neighbours (diff), and their slopes (gradient). */
#include "front/aten/lower.h"

static ten_value *part(at *l, ten_value *x, int64_t dim, int64_t start, int64_t limit) {
  return at_slice(l, x, dim, start, limit, 1);
}

enum { DIFF_MAX = 1 << 12 }; /* each is three ops */

static void lower_diff(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t n = at_int(l, "n", 1), dim = at_dim_arg(l, "dim", -1, at_rank(x));
  if (n == 0) {
    at_ret(l, 0, x);
    return;
  }
  ten_value *parts[3];
  size_t count = 0;
  if (at_has(l, "prepend")) parts[count++] = at_t(l, "prepend");
  parts[count++] = x;
  if (at_has(l, "append")) parts[count++] = at_t(l, "append");
  x = at_cat(l, count, parts, dim);
  if (n > DIFF_MAX && at_dim(l, x, dim) > DIFF_MAX)
    at_fail(l, TEN_LIMIT, "%lld differences of differences; at most %d are taken", (long long)n, (int)DIFF_MAX);
  for (int64_t k = 0; k < n && at_dim(l, x, dim) > 0; k++) {
    const int64_t size = at_dim(l, x, dim);
    ten_value *a = part(l, x, dim, 1, size), *b = part(l, x, dim, 0, size - 1);
    x = at_type(x) == TEN_I1 ? at_bin(l, TEN_OP_XOR, a, b) : at_sub(l, a, b);
  }
  at_ret(l, 0, x);
}

/* Weighted sum of three neighbours: weights are vectors along `dim`, or scalars. */
typedef struct weights {
  ten_value *before, *here, *after;
} weights;

static ten_value *weighted(at *l, ten_value *x, int64_t dim, int64_t start, int64_t count, weights w) {
  ten_value *sum = at_mul(l, part(l, x, dim, start, start + count), w.before);
  sum = at_add(l, sum, at_mul(l, part(l, x, dim, start + 1, start + 1 + count), w.here));
  return at_add(l, sum, at_mul(l, part(l, x, dim, start + 2, start + 2 + count), w.after));
}

/* The slope of the parabola through three points at distances p and q, at the first (place 0), second or third. */
static weights slope(at *l, ten_value *p, ten_value *q, int place) {
  ten_value *both = at_add(l, p, q), *left = at_mul(l, p, both), *middle = at_mul(l, p, q), *right = at_mul(l, q, both);
  if (place == 0)
    return (weights){at_neg(l, at_div(l, at_add(l, p, both), left)), at_div(l, both, middle),
                     at_neg(l, at_div(l, p, right))};
  if (place == 1)
    return (weights){at_neg(l, at_div(l, q, left)), at_div(l, at_sub(l, q, p), middle), at_div(l, p, right)};
  return (weights){at_div(l, q, left), at_neg(l, at_div(l, both, middle)), at_div(l, at_add(l, q, both), right)};
}

/* Interior points, for uniform or nonuniform spacing. */
static ten_value *inner(at *l, ten_value *x, int64_t dim, ten_value *gaps, bool even) {
  const int64_t n = at_dim(l, x, dim);
  ten_value *p = part(l, gaps, dim, 0, n - 2), *q = part(l, gaps, dim, 1, n - 1);
  if (!even) return weighted(l, x, dim, 0, n - 2, slope(l, p, q, 1));
  return at_div(l, at_sub(l, part(l, x, dim, 2, n), part(l, x, dim, 0, n - 2)), at_add(l, p, q));
}

/* `gaps` between neighbours, a vector along `dim`. */
static ten_value *slopes(at *l, ten_value *x, int64_t dim, ten_value *gaps, bool even, int64_t order) {
  const int64_t n = at_dim(l, x, dim);
  at_check(l, n > order, "%lld points, fewer than the edges need", (long long)n);
  ten_value *first = part(l, gaps, dim, 0, 1), *last = part(l, gaps, dim, n - 2, n - 1), *pieces[3];
  if (order == 2) {
    pieces[0] = weighted(l, x, dim, 0, 1, slope(l, first, part(l, gaps, dim, 1, 2), 0));
    pieces[2] = weighted(l, x, dim, n - 3, 1, slope(l, part(l, gaps, dim, n - 3, n - 2), last, 2));
  } else {
    pieces[0] = at_div(l, at_sub(l, part(l, x, dim, 1, 2), part(l, x, dim, 0, 1)), first);
    pieces[2] = at_div(l, at_sub(l, part(l, x, dim, n - 1, n), part(l, x, dim, n - 2, n - 1)), last);
  }
  size_t count = 1;
  if (n > 2) pieces[count++] = inner(l, x, dim, gaps, even);
  pieces[count++] = pieces[2];
  return at_cat(l, count, pieces, dim);
}

/* The spacing along the index-th of the chosen dimensions: a scalar for all, one for each dimension, or the coordinates
 * themselves. */
static ten_value *gaps_of(at *l, const ten_value *x, int64_t dim, size_t index, bool places_given) {
  const int64_t n = at_dim(l, x, dim);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = i == dim ? n - 1 : 1;
  if (places_given) {
    ten_value **places;
    const size_t count = at_ts(l, "spacing", &places);
    at_check(l, index < count, "places of %zu dimensions", count);
    ten_value *lie = at_cast(l, at_flatten(l, places[index]), at_type(x));
    at_check(l, at_dim(l, lie, 0) == n, "%lld places of %lld points", (long long)at_dim(l, lie, 0), (long long)n);
    return at_reshape(l, at_sub(l, part(l, lie, 0, 1, n), part(l, lie, 0, 0, n - 1)), at_rank(x), dims);
  }
  double gap = 1;
  if (ten_str_starts(l->op->name, "aten.gradient.scalarray")) {
    double *each;
    const size_t count = at_floats(l, "spacing", &each);
    at_check(l, index < count, "distances of %zu dimensions", count);
    gap = each[index];
  } else if (at_has(l, "spacing")) {
    gap = at_float(l, "spacing", 1);
  }
  return at_full(l, at_type(x), at_rank(x), dims, gap);
}

static void lower_gradient(at *l) {
  ten_value *x = at_t(l, "self");
  if (!at_is_complex(x)) x = at_cast(l, x, at_float_type(at_type(x)));
  const int64_t order = at_int(l, "edge_order", 1);
  const bool places_given = ten_str_starts(l->op->name, "aten.gradient.tensorarray");
  const ten_ints chosen = at_ints(l, "dim"); /* none: all of them */
  const size_t count = chosen.count ? chosen.count : at_rank(x);
  at_check(l, order == 1 || order == 2, "edges of order %lld", (long long)order);
  for (size_t i = 0; i < count; i++) {
    const int64_t dim = chosen.count ? at_wrap(l, chosen.data[i], at_rank(x)) : (int64_t)i;
    at_check(l, at_dim(l, x, dim) > 1, "one point has no slope");
    ten_value *gaps = gaps_of(l, x, dim, i, places_given);
    at_ret(l, (uint32_t)i, slopes(l, x, dim, gaps, !places_given, order));
  }
}

const at_row at_rows_differences[] = {{"diff", lower_diff}, {"gradient", lower_gradient}, {NULL}};
