/* grid_sample.c: images sampled at given coordinates, and the gradients with respect to image and coordinates. A sample
 * is a sum over taps: the element at an integer position, times one factor per dimension; the gradient of a coordinate
 * replaces that dimension's factor by its slope. */
#include "front/aten/lower.h"

enum { SPATIAL_MAX = 3, TAPS_MAX = 4 };
typedef enum mode { LINEAR, NEAREST, CUBIC } mode;

/* -1…1 → 0…size-1, by the corner convention; and its slope. */
static double unnormal_slope(int64_t size, bool align) { return (double)(align ? size - 1 : size) / 2; }
static ten_value *unnormal(at *l, ten_value *g, int64_t size, bool align) {
  return align ? at_muln(l, at_addn(l, g, 1), (double)(size - 1) / 2)
               : at_muln(l, at_addn(l, at_muln(l, at_addn(l, g, 1), (double)size), -1), 0.5);
}

/* x reflected into low2/2…high2/2; *slope becomes ±1. */
static ten_value *reflect(at *l, ten_value *x, double low2, double high2, ten_value **slope) {
  if (low2 == high2) {
    *slope = at_expand_like(l, at_num(l, x, 0), x);
    return *slope;
  }
  const double low = low2 / 2, span = (high2 - low2) / 2;
  ten_value *from = at_addn(l, x, -low), *d = at_un(l, TEN_OP_ABS, from), *width = at_num(l, x, span);
  ten_value *extra = at_bin(l, TEN_OP_REMAINDER, d, width), *flips = at_un(l, TEN_OP_FLOOR, at_div(l, d, width));
  ten_value *odd = at_cmp(l, TEN_NE, at_bin(l, TEN_OP_REMAINDER, flips, at_num(l, x, 2)), at_num(l, x, 0));
  ten_value *back = at_cmp(l, TEN_NE, odd, at_cmp(l, TEN_LT, from, at_num(l, x, 0)));
  *slope = at_sel(l, back, at_num(l, x, -1), at_num(l, x, 1));
  return at_addn(l, at_sel(l, odd, at_sub(l, width, extra), extra), low);
}

/* Clips by the padding mode: 0 zeros (no clipping), 1 border, 2 reflection. */
static ten_value *bounded(at *l, ten_value *x, int64_t size, int64_t padding, bool align, ten_value **slope) {
  ten_value *zero = at_num(l, x, 0), *top = at_num(l, x, (double)(size - 1));
  *slope = at_expand_like(l, at_num(l, x, 1), x);
  if (padding == 2)
    x = align ? reflect(l, x, 0, 2 * (double)(size - 1), slope) : reflect(l, x, -1, 2 * (double)size - 1, slope);
  if (padding == 0) return x;
  ten_value *in = at_and(l, at_cmp(l, TEN_GT, x, zero), at_cmp(l, TEN_LT, x, top));
  *slope = at_sel(l, in, *slope, zero);
  return at_min(l, at_max(l, x, zero), top);
}

/* Along one dimension: the position of each tap, its factor and the factor's slope, each [n, out…]. */
typedef struct axis {
  int taps;
  ten_value *where[TAPS_MAX], *factor[TAPS_MAX], *slope[TAPS_MAX], *turn; /* turn: d position / d grid */
} axis;

static void cubic_tap(at *l, axis *a, int tap, ten_value *part) {
  const double k = -0.75;
  ten_value *d = at_un(l, TEN_OP_ABS, at_addn(l, part, -(double)(tap - 1))), *f, *s;
  if (tap == 1 || tap == 2) {
    f = at_addn(l, at_mul(l, at_mul(l, at_addn(l, at_muln(l, d, k + 2), -(k + 3)), d), d), 1);
    s = at_mul(l, at_addn(l, at_muln(l, d, 3 * (k + 2)), -2 * (k + 3)), d);
  } else {
    f = at_addn(l, at_mul(l, at_addn(l, at_mul(l, at_addn(l, at_muln(l, d, k), -5 * k), d), 8 * k), d), -4 * k);
    s = at_addn(l, at_mul(l, at_addn(l, at_muln(l, d, 3 * k), -10 * k), d), 8 * k);
  }
  a->factor[tap] = f;
  a->slope[tap] = tap < 2 ? s : at_neg(l, s);
}

static axis axis_read(at *l, ten_value *g, int64_t size, mode how, int64_t padding, bool align) {
  axis a = {.taps = how == NEAREST ? 1 : how == CUBIC ? 4 : 2};
  ten_value *x = unnormal(l, g, size, align), *one = at_expand_like(l, at_num(l, g, 1), g), *unused;
  a.turn = one;
  if (how != CUBIC) x = bounded(l, x, size, padding, align, &a.turn);
  a.turn = at_muln(l, a.turn, unnormal_slope(size, align));
  if (how == NEAREST) {
    a.where[0] = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, x), a.factor[0] = one, a.slope[0] = at_muln(l, one, 0);
    return a;
  }
  ten_value *base = at_un(l, TEN_OP_FLOOR, x), *part = at_sub(l, x, base);
  for (int tap = 0; tap < a.taps; tap++) {
    if (how == CUBIC) {
      cubic_tap(l, &a, tap, part);
      a.where[tap] = bounded(l, at_addn(l, base, tap - 1), size, padding, align, &unused);
    } else {
      a.factor[tap] = tap ? part : at_addn(l, at_neg(l, part), 1), a.slope[tap] = tap ? one : at_neg(l, one);
      a.where[tap] = at_addn(l, base, tap);
    }
  }
  return a;
}

typedef struct sampler {
  ten_value *input;
  uint32_t rank; /* spatial */
  axis axes[SPATIAL_MAX];
  int taps;                           /* of all dimensions */
  int64_t image[3], spots[3], out[5]; /* [n, c, cells], [n, c, samples], [n, c, out…] */
} sampler;

static sampler sampler_read(at *l) {
  ten_value *input = at_t(l, "input"), *grid = at_t(l, "grid");
  sampler s = {.input = input, .rank = at_rank(input) - 2, .taps = 1};
  const int64_t padding = at_int(l, "padding_mode", 0), last = s.rank + 1, n = at_dim(l, input, 0),
                c = at_dim(l, input, 1);
  const bool align = at_bool(l, "align_corners", false);
  at_check(l, (s.rank == 2 || s.rank == 3) && at_rank(grid) == s.rank + 2, "an input of %u dimensions", at_rank(input));
  s.image[0] = s.spots[0] = s.out[0] = n, s.image[1] = s.spots[1] = s.out[1] = c, s.image[2] = s.spots[2] = 1;
  for (uint32_t i = 0; i < s.rank; i++) {
    const int64_t k = (int64_t)s.rank - 1 - i, size = at_dim(l, input, i + 2); /* the grid stores the width first */
    ten_value *g = at_squeeze(l, at_slice(l, grid, last, k, k + 1, 1), last);
    s.axes[i] = axis_read(l, g, size, (mode)at_int(l, "interpolation_mode", 0), padding, align);
    s.taps *= s.axes[i].taps;
    s.out[i + 2] = at_dim(l, grid, i + 1);
    s.image[2] *= size, s.spots[2] *= s.out[i + 2];
  }
  return s;
}

/* Tap t of dimension i, in tap order. */
static int tap_of(const sampler *s, uint32_t i, int t) {
  for (uint32_t k = 0; k < i; k++) t /= s->axes[k].taps;
  return t % s->axes[i].taps;
}

/* Positions in the flattened image [n, 1, samples], and whether they are inside it. */
static ten_value *tap_place(at *l, const sampler *s, int t, ten_value **out_inside) {
  ten_value *inside = NULL, *flat = NULL;
  for (uint32_t i = 0; i < s->rank; i++) {
    ten_value *where = s->axes[i].where[tap_of(s, i, t)], *zero = at_num(l, where, 0);
    const int64_t size = at_dim(l, s->input, i + 2);
    ten_value *top = at_num(l, where, (double)(size - 1));
    ten_value *ok = at_and(l, at_cmp(l, TEN_GE, where, zero), at_cmp(l, TEN_LE, where, top));
    inside = inside ? at_and(l, inside, ok) : ok;
    ten_value *place = at_cast(l, at_min(l, at_max(l, where, zero), top), TEN_I64);
    flat = flat ? at_add(l, at_muln(l, flat, (double)size), place) : place;
  }
  const int64_t thin[3] = {s->spots[0], 1, s->spots[2]};
  *out_inside = at_reshape(l, inside, 3, thin);
  return at_expand(l, at_reshape(l, flat, 3, thin), 3, s->spots);
}

/* The product of the factors of tap t as [n, 1, samples]; with the slope for dimension `by` (-1: none). */
static ten_value *tap_weight(at *l, const sampler *s, int t, int by) {
  ten_value *weight = NULL;
  for (uint32_t i = 0; i < s->rank; i++) {
    const int tap = tap_of(s, i, t);
    ten_value *f = (int)i == by ? s->axes[i].slope[tap] : s->axes[i].factor[tap];
    weight = weight ? at_mul(l, weight, f) : f;
  }
  return at_reshape(l, weight, 3, (const int64_t[]){s->spots[0], 1, s->spots[2]});
}

static ten_value *tap_values(at *l, const sampler *s, ten_value *place, ten_value *inside) {
  ten_value *got = at_gather(l, at_reshape(l, s->input, 3, s->image), place, 2);
  return at_sel(l, inside, got, at_num(l, got, 0));
}

static void lower_grid_sampler(at *l) {
  const sampler s = sampler_read(l);
  ten_value *sum = NULL, *inside;
  for (int t = 0; t < s.taps; t++) {
    ten_value *place = tap_place(l, &s, t, &inside);
    ten_value *got = at_mul(l, tap_values(l, &s, place, inside), tap_weight(l, &s, t, -1));
    sum = sum ? at_add(l, sum, got) : got;
  }
  at_ret(l, 0, at_reshape(l, sum, s.rank + 2, s.out));
}

static void lower_grid_sampler_backward(at *l) {
  const sampler s = sampler_read(l);
  const ten_ints mask = at_ints(l, "output_mask");
  const bool by_input = mask.count < 1 || mask.data[0], by_grid = mask.count < 2 || mask.data[1];
  ten_value *grad = at_reshape(l, at_t(l, "grad_output"), 3, s.spots), *inside, *by[SPATIAL_MAX] = {NULL};
  ten_value *image = at_full(l, at_type(grad), 3, s.image, 0), *zero = at_num(l, grad, 0);
  const int64_t channels = 1;
  for (int t = 0; t < s.taps; t++) {
    ten_value *place = tap_place(l, &s, t, &inside);
    if (by_input) {
      ten_value *share = at_sel(l, inside, at_mul(l, grad, tap_weight(l, &s, t, -1)), zero);
      image = at_scatter(l, TEN_OP_ADD, image, place, share, 2);
    }
    if (!by_grid) continue;
    ten_value *pull = at_sum(l, at_mul(l, grad, tap_values(l, &s, place, inside)), 1, &channels, true);
    for (uint32_t i = 0; i < s.rank; i++) {
      ten_value *part = at_mul(l, pull, tap_weight(l, &s, t, (int)i));
      by[i] = by[i] ? at_add(l, by[i], part) : part;
    }
  }
  if (by_input) at_ret(l, 0, at_reshape(l, image, at_rank(s.input), at_dims(s.input)));
  if (!by_grid) return;
  ten_value *parts[SPATIAL_MAX];
  for (uint32_t i = 0; i < s.rank; i++) { /* the width first */
    ten_value *turn = s.axes[i].turn;
    parts[s.rank - 1 - i] =
        at_unsqueeze(l, at_mul(l, at_reshape(l, by[i], at_rank(turn), at_dims(turn)), turn), at_rank(turn));
  }
  at_ret(l, 1, at_cat(l, s.rank, parts, s.rank + 1));
}

const at_row at_rows_grid_sample[] = {{"grid_sampler", lower_grid_sampler},
                                      {"grid_sampler_2d", lower_grid_sampler},
                                      {"grid_sampler_3d", lower_grid_sampler},
                                      {"_grid_sampler_2d_cpu_fallback", lower_grid_sampler},
                                      {"grid_sampler_2d_backward", lower_grid_sampler_backward},
                                      {"grid_sampler_3d_backward", lower_grid_sampler_backward},
                                      {NULL}};
