/* polynomial.c: orthogonal polynomials of degree n at x, both tensors. All satisfy p₊ = ((a·x + b)·p - c·p₋)/d with
 * coefficients that depend on the degree; one loop runs to the largest degree, and an element keeps its value once its
 * own degree is reached. Inside (-1, 1) Chebyshev's use cosines for large degrees, as in PyTorch. */
#include "front/aten/lower.h"

typedef enum family {
  CHEBYSHEV_T,
  CHEBYSHEV_U,
  CHEBYSHEV_V,
  CHEBYSHEV_W,
  HERMITE_H,
  HERMITE_HE,
  LAGUERRE,
  LEGENDRE
} family;
enum { SHIFTED = 16 }; /* at 2x - 1 instead of x */

typedef struct loop {
  at *l;
  family kind;
} loop;

/* Values: k, the largest degree, x, n, p₋, p. */
static void loop_cond(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], args[1]);
  ten_build_return(b, 1, &more);
}

/* a·q - c·p as PyTorch's compilers contract it: a·q is not rounded before the subtraction. */
static ten_value *less(at *l, ten_value *a, ten_value *q, ten_value *c, ten_value *p) {
  ten_value *cp = at_mul(l, c, p);
  if (at_type(q) != TEN_F32) return at_sub(l, at_mul(l, a, q), cp);
  ten_value *aq = at_mul(l, at_cast(l, a, TEN_F64), at_cast(l, q, TEN_F64));
  return at_cast(l, at_sub(l, aq, at_cast(l, cp, TEN_F64)), TEN_F32);
}

static ten_value *next_value(at *l, family kind, ten_value *k, ten_value *x, ten_value *p, ten_value *q) {
  ten_value *twice = at_add(l, x, x), *one = at_num(l, x, 1);
  switch (kind) {
    case HERMITE_H: return less(l, twice, q, at_add(l, k, k), p);
    case HERMITE_HE: return less(l, x, q, k, p);
    case LAGUERRE: {
      ten_value *a = at_add(l, at_add(l, k, k), at_sub(l, one, x));
      return at_div(l, less(l, a, q, k, p), at_add(l, k, one));
    }
    case LEGENDRE: {
      ten_value *a = at_mul(l, at_add(l, at_add(l, k, k), one), x);
      return at_div(l, less(l, a, q, k, p), at_add(l, k, one));
    }
    default: return at_sub(l, at_mul(l, twice, q), p);
  }
}

static void loop_body(ten_builder *b, ten_value *const *args, void *context) {
  const loop *it = context;
  at *l = it->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *k = args[0], *x = args[2], *n = args[3], *p = args[4], *q = args[5];
  ten_value *r = next_value(l, it->kind, at_cast(l, k, at_type(x)), x, p, q), *go = at_cmp(l, TEN_LT, k, n);
  ten_value *out[6] = {at_add(l, k, at_int_num(l, k, 1)), args[1], x, n, at_sel(l, go, q, p), at_sel(l, go, r, q)};
  ten_build_return(&l->b, 6, out);
  l->b = was;
}

/* The polynomial of degree 1. */
static ten_value *first_degree(at *l, family kind, ten_value *x) {
  switch (kind) {
    case CHEBYSHEV_U:
    case HERMITE_H: return at_add(l, x, x);
    case CHEBYSHEV_V: return at_addn(l, at_add(l, x, x), -1);
    case CHEBYSHEV_W: return at_addn(l, at_add(l, x, x), 1);
    case LAGUERRE: return at_sub(l, at_num(l, x, 1), x);
    default: return x;
  }
}

/* The value at an end of [-1, 1]: `size` is its magnitude there, with alternating signs by degree at -1. */
static ten_value *at_end(at *l, ten_value *y, ten_value *x, ten_value *odd, double end, ten_value *size) {
  ten_value *value = end < 0 ? at_sel(l, odd, at_neg(l, size), size) : size;
  return at_sel(l, at_cmp(l, TEN_EQ, x, at_num(l, x, end)), value, y);
}

static ten_value *chebyshev_far(at *l, family kind, ten_value *x, ten_value *m) {
  ten_value *turn = ten_build_unary(&l->b, TEN_OP_CHLO_ACOS, x), *half = at_muln(l, turn, 0.5);
  ten_value *middle = at_mul(l, at_addn(l, m, 0.5), turn);
  switch (kind) {
    case CHEBYSHEV_T: return at_un(l, TEN_OP_COSINE, at_mul(l, m, turn));
    case CHEBYSHEV_U:
      return at_div(l, at_un(l, TEN_OP_SINE, at_mul(l, at_addn(l, m, 1), turn)), at_un(l, TEN_OP_SINE, turn));
    case CHEBYSHEV_V: return at_div(l, at_un(l, TEN_OP_COSINE, middle), at_un(l, TEN_OP_COSINE, half));
    default: return at_div(l, at_un(l, TEN_OP_SINE, middle), at_un(l, TEN_OP_SINE, half));
  }
}

static void lower_polynomial(at *l) {
  const family kind = (family)(l->row->code & (SHIFTED - 1));
  ten_value *x, *degree;
  at_pair(l, "x", "n", true, &x, &degree);
  uint32_t rank;
  int64_t dims[AT_DIMS], all[AT_DIMS];
  at_broadcast_dims(l, x, degree, &rank, dims);
  x = at_expand(l, x, rank, dims), degree = at_expand(l, degree, rank, dims);
  if (!at_product(l, rank, dims)) {
    at_ret(l, 0, x);
    return;
  }
  if (l->row->code & SHIFTED) x = at_addn(l, at_add(l, x, x), -1);
  for (uint32_t i = 0; i < rank; i++) all[i] = i;
  ten_value *n = at_cast(l, degree, TEN_I64), *zero = at_num(l, n, 0), *one = at_num(l, x, 1);
  ten_value *m = at_cast(l, n, at_type(x));
  ten_value *cosine = NULL;
  if (kind <= CHEBYSHEV_W)
    cosine = at_and(l, at_cmp(l, TEN_GT, n, at_num(l, n, kind == CHEBYSHEV_T ? 6 : 8)),
                    at_cmp(l, TEN_LT, at_un(l, TEN_OP_ABS, x), one));
  ten_value *steps = cosine ? at_sel(l, cosine, zero, n) : n;
  ten_value *unit = at_expand_like(l, one, x), *first = first_degree(l, kind, x);
  ten_value *inits[6] = {ten_build_scalar_int(&l->b, TEN_I64, 1),
                         at_reduce(l, TEN_OP_MAXIMUM, steps, rank, all, false),
                         x,
                         steps,
                         unit,
                         first};
  loop it = {l, kind};
  ten_op *run = ten_build_while(&l->b, 6, inits, loop_cond, loop_body, &it);
  ten_value *y = at_sel(l, at_cmp(l, TEN_EQ, n, zero), one, ten_op_result(run, 5));
  if (cosine) y = at_sel(l, cosine, chebyshev_far(l, kind, x, m), y);
  if (kind <= CHEBYSHEV_W || kind == LEGENDRE) {
    ten_value *odd = at_cmp(l, TEN_NE, at_bin(l, TEN_OP_REMAINDER, n, at_num(l, n, 2)), zero);
    ten_value *next = at_addn(l, m, 1), *wide = at_addn(l, at_add(l, m, m), 1);
    ten_value *high = kind == CHEBYSHEV_U ? next : kind == CHEBYSHEV_W ? wide : unit;
    ten_value *low = kind == CHEBYSHEV_U ? next : kind == CHEBYSHEV_V ? wide : unit;
    y = at_end(l, at_end(l, y, x, odd, 1, high), x, odd, -1, low);
  }
  if (kind == HERMITE_H || kind == HERMITE_HE) /* overflows beyond this degree */
    y = at_sel(l, at_cmp(l, TEN_GT, n, at_num(l, n, at_type(x) == TEN_F64 ? 512 : 128)), at_num(l, x, NAN), y);
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_LT, n, zero), at_num(l, x, 0), y));
}

const at_row at_rows_polynomial[] = {
    {"special_chebyshev_polynomial_t", lower_polynomial, .code = CHEBYSHEV_T},
    {"special_chebyshev_polynomial_u", lower_polynomial, .code = CHEBYSHEV_U},
    {"special_chebyshev_polynomial_v", lower_polynomial, .code = CHEBYSHEV_V},
    {"special_chebyshev_polynomial_w", lower_polynomial, .code = CHEBYSHEV_W},
    {"special_shifted_chebyshev_polynomial_t", lower_polynomial, .code = CHEBYSHEV_T | SHIFTED},
    {"special_shifted_chebyshev_polynomial_u", lower_polynomial, .code = CHEBYSHEV_U | SHIFTED},
    {"special_shifted_chebyshev_polynomial_v", lower_polynomial, .code = CHEBYSHEV_V | SHIFTED},
    {"special_shifted_chebyshev_polynomial_w", lower_polynomial, .code = CHEBYSHEV_W | SHIFTED},
    {"special_hermite_polynomial_h", lower_polynomial, .code = HERMITE_H},
    {"special_hermite_polynomial_he", lower_polynomial, .code = HERMITE_HE},
    {"special_laguerre_polynomial_l", lower_polynomial, .code = LAGUERRE},
    {"special_legendre_polynomial_p", lower_polynomial, .code = LEGENDRE},
    {NULL}};
