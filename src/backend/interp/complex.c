/* complex.c: complex elements. Functions are evaluated in 113 bits (quad.h) by the C library's complex functions,
 * which handle branch cuts and cancellation, and rounded once. */
#include "backend/interp/complex.h"

#include "backend/interp/lanes.h"
#include "base/quad.h"

static void store_quad(ten_tensor *tensor, size_t part, quad value) {
  if (ten_dtype_part(tensor->dtype) == TEN_F32)
    ((float *)tensor->data)[part] = (float)value;
  else
    ((double *)tensor->data)[part] = (double)value;
}

static quad_complex sign_of(quad_complex z) {
  const quad x = quad_re(z), y = quad_im(z);
  if (isnan(x) || isnan(y)) return quad_make((quad)NAN, (quad)NAN);
  if (x == 0 && y == 0) return quad_make(0, 0);
  const quad size = Q(hypot)(x, y);
  return quad_make(x / size, y / size);
}

static quad_complex exponential(quad_complex z) {
  /* An undefined angle makes everything undefined, even exp(-inf + i·inf): StableHLO's answer, unlike C's. */
  return isinf(quad_im(z)) ? quad_make((quad)NAN, (quad)NAN) : Q(cexp)(z);
}

/* (x + 2)·x + y² without rounding in between: each product of doubles is exact, so only the sum needs care. */
static quad sum_of_three(quad a, quad b, quad c) {
  const quad s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
  const quad u = s + c, v = u - s, f = (s - (u - v)) + (c - v);
  return u + (e + f);
}

static quad_complex log_plus_one(quad_complex z) {
  const quad x = quad_re(z), y = quad_im(z);
  const quad size = Q(fabs)(x) + Q(fabs)(y);
  if (!(size < 1)) {
    if (isinf(x) || isinf(y) || isnan(x) || isnan(y) || size > QC(1e20)) return Q(clog)(quad_make(x + 1, y));
  }
  const quad near = sum_of_three(x + x, x * x, y * y);
  const quad real = near > QC(-0.5) ? Q(log1p)(near) / 2 : Q(log)(Q(hypot)(x + 1, y));
  return quad_make(real, Q(atan2)(y, x + 1));
}

/* sin / cos, so that an infinite real part gives NaN in both parts; C's gives a zero on the axis. */
static quad_complex tangent(quad_complex z) {
  const quad x = quad_re(z);
  return isinf(x) && quad_im(z) == 0 ? quad_make(x - x, x - x) : Q(ctan)(z);
}

static quad_complex exponential_minus_one(quad_complex z) {
  const quad x = quad_re(z), y = quad_im(z);
  if (isinf(x) && !isfinite(y)) return quad_make(y - y, y - y); /* e^x·cos y has no limit there */
  if (!isfinite(x) || !isfinite(y)) {
    const quad_complex e = Q(cexp)(z);
    return quad_make(quad_re(e) - 1, quad_im(e));
  }
  /* e^x·cos y - 1 = (e^x - 1)·cos y - 2·sin²(y / 2) */
  const quad half = Q(sin)(y / 2);
  return quad_make(Q(expm1)(x) * Q(cos)(y) - 2 * half * half, y == 0 ? y : Q(exp)(x) * Q(sin)(y));
}

static quad_complex cube_root(quad_complex z) {
  const quad x = quad_re(z), y = quad_im(z);
  if (x == 0 && y == 0) return z;
  const quad size = Q(cbrt)(Q(hypot)(x, y)), angle = Q(atan2)(y, x) / 3;
  return quad_make(size * Q(cos)(angle), size * Q(sin)(angle));
}

static quad_complex square(quad_complex z) {
  const quad x = quad_re(z), y = quad_im(z);
  return quad_make((x - y) * (x + y), 2 * x * y);
}

/* Shared by asin and acos: with |x| + i·|y| = sin(u + i·v), it is cos u·cosh v + i·v. The real part is that of √(1 -
 * z)·√(1 + z), a sum of two non-negative terms; it grows as |y| does. */
static quad_complex asin_acos_kernel(quad_complex z) {
  const quad x = Q(fabs)(quad_re(z)), y = Q(fabs)(quad_im(z));
  if (isinf(x) || isinf(y)) return quad_make(y, (quad)INFINITY);
  const quad_complex less = Q(csqrt)(quad_make(1 - x, -y)), more = Q(csqrt)(quad_make(1 + x, y));
  return quad_make(quad_re(less) * quad_re(more) - quad_im(less) * quad_im(more), quad_im(Q(casin)(quad_make(x, y))));
}

static bool apply(ten_opcode code, quad_complex z, quad_complex *r) {
  const quad_complex one = quad_make(1, 0);
  switch (code) {
    case TEN_OP_NEGATE: *r = quad_make(-quad_re(z), -quad_im(z)); return true;
    case TEN_OP_CHLO_CONJ: *r = quad_make(quad_re(z), -quad_im(z)); return true;
    case TEN_OP_CHLO_SQUARE: *r = square(z); return true;
    case TEN_OP_SIGN: *r = sign_of(z); return true;
    case TEN_OP_EXPONENTIAL: *r = exponential(z); return true;
    case TEN_OP_EXPONENTIAL_MINUS_ONE: *r = exponential_minus_one(z); return true;
    case TEN_OP_LOG: *r = Q(clog)(z); return true;
    case TEN_OP_LOG_PLUS_ONE: *r = log_plus_one(z); return true;
    case TEN_OP_LOGISTIC: *r = one / (one + Q(cexp)(-z)); return true;
    case TEN_OP_SQRT: *r = Q(csqrt)(z); return true;
    case TEN_OP_RSQRT: *r = one / Q(csqrt)(z); return true;
    case TEN_OP_CBRT: *r = cube_root(z); return true;
    case TEN_OP_SINE: *r = Q(csin)(z); return true;
    case TEN_OP_COSINE: *r = Q(ccos)(z); return true;
    case TEN_OP_TAN:
    case TEN_OP_CHLO_TAN: *r = tangent(z); return true;
    case TEN_OP_TANH: *r = Q(ctanh)(z); return true;
    case TEN_OP_CHLO_SINH: *r = Q(csinh)(z); return true;
    case TEN_OP_CHLO_COSH: *r = Q(ccosh)(z); return true;
    case TEN_OP_CHLO_ASIN: *r = Q(casin)(z); return true;
    case TEN_OP_CHLO_ACOS: *r = Q(cacos)(z); return true;
    case TEN_OP_CHLO_ATAN: *r = Q(catan)(z); return true;
    case TEN_OP_CHLO_ASINH: *r = Q(casinh)(z); return true;
    case TEN_OP_CHLO_ACOSH: *r = Q(cacosh)(z); return true;
    case TEN_OP_CHLO_ATANH: *r = Q(catanh)(z); return true;
    case TEN_OP_CHLO_ASIN_ACOS_KERNEL: *r = asin_acos_kernel(z); return true;
    default: return false;
  }
}

ten_status *interp_complex_unary(interp_call *call) {
  const ten_tensor *x = call->in[0];
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  for (size_t i = 0; i < x->count; i++) {
    const quad_complex z = quad_make((quad)ten_tensor_real(x, i, 0), (quad)ten_tensor_real(x, i, 1));
    if (call->op->code == TEN_OP_ABS) {
      store_quad(call->out[0], i, Q(hypot)(quad_re(z), quad_im(z)));
      continue;
    }
    quad_complex r;
    if (!apply(call->op->code, z, &r))
      return interp_error(call, TEN_UNSUPPORTED, "is not defined on elements of type %s", ten_dtype_name(x->dtype));
    store_quad(call->out[0], 2 * i, quad_re(r));
    store_quad(call->out[0], 2 * i + 1, quad_im(r));
  }
  return NULL;
}

static quad_complex power(quad_complex a, quad_complex b) {
  if (quad_re(a) == 0 && quad_im(a) == 0) {
    if (quad_re(b) == 0 && quad_im(b) == 0) return quad_make(1, 0);
    if (quad_re(b) > 0) return quad_make(0, 0);
  }
  return Q(cpow)(a, b);
}

/* atan2(y, x) = -i·log((x + i·y) / sqrt(x² + y²)) */
static quad_complex arc_tangent(quad_complex y, quad_complex x) {
  const quad_complex i = quad_make(0, 1);
  return -i * Q(clog)((x + i * y) / Q(csqrt)(x * x + y * y));
}

static double round_part(const ten_tensor *like, double value) {
  return ten_dtype_part(like->dtype) == TEN_F32 ? (double)(float)value : value;
}

ten_status *interp_complex_binary(interp_call *call, ten_opcode code, const ten_tensor *x, const ten_tensor *y,
                                  ten_tensor *out) {
  interp_lanes left, right;
  const double *a = interp_lanes_reals(&left, x), *b = interp_lanes_reals(&right, y);
  const size_t sa = x->count != 1 ? 2 : 0, sb = y->count != 1 ? 2 : 0;
  bool known = true;
  for (size_t i = 0; i < out->count && known; i++) {
    const double ax = a[i * sa], ay = a[i * sa + 1], bx = b[i * sb], by = b[i * sb + 1];
    const quad_complex u = quad_make((quad)ax, (quad)ay), v = quad_make((quad)bx, (quad)by);
    quad_complex r = quad_make(0, 0);
    switch (code) {
      case TEN_OP_ADD: r = u + v; break;
      case TEN_OP_SUBTRACT: r = u - v; break;
      case TEN_OP_MULTIPLY:
        /* One product of each sum is rounded, the other fused: as XLA does on machines with FMA. */
        r = quad_make((quad)fma(ax, bx, -round_part(x, ay * by)), (quad)fma(ay, bx, round_part(x, ax * by)));
        break;
      case TEN_OP_DIVIDE: r = u / v; break;
      case TEN_OP_POWER: r = power(u, v); break;
      case TEN_OP_ATAN2: r = arc_tangent(u, v); break;
      case TEN_OP_MAXIMUM: r = (ax == bx ? ay > by : ax > bx) ? u : v; break;
      case TEN_OP_MINIMUM: r = (ax == bx ? ay < by : ax < bx) ? u : v; break;
      default: known = false; break;
    }
    store_quad(out, 2 * i, quad_re(r));
    store_quad(out, 2 * i + 1, quad_im(r));
  }
  interp_lanes_free(&left);
  interp_lanes_free(&right);
  if (known) return NULL;
  return interp_error(call, TEN_UNSUPPORTED, "is not defined on elements of type %s", ten_dtype_name(x->dtype));
}

ten_status *interp_complex(interp_call *call) {
  const ten_tensor *real = call->in[0], *imag = call->in[1];
  if (!ten_tensor_same_shape(real, imag)) return interp_error(call, TEN_INVALID, "the parts differ in shape");
  TEN_TRY(interp_make_like(call, 0, real, &call->out[0]));
  const size_t size = ten_dtype_bytes(real->dtype);
  char *to = call->out[0]->data;
  for (size_t i = 0; i < real->count; i++, to += 2 * size) {
    memcpy(to, interp_at(real, i), size);
    memcpy(to + size, interp_at(imag, i), size);
  }
  return NULL;
}

/* For a real tensor: itself, and zeros. */
ten_status *interp_real_imag(interp_call *call) {
  const ten_tensor *x = call->in[0];
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  const bool imag = call->op->code == TEN_OP_IMAG;
  const size_t size = ten_dtype_bytes(call->out[0]->dtype);
  if (!ten_dtype_is_complex(x->dtype)) {
    if (!imag && x->bytes) memcpy(call->out[0]->data, x->data, x->bytes);
    return NULL;
  }
  for (size_t i = 0; i < x->count; i++) memcpy(interp_to(call->out[0], i), interp_at(x, i) + (imag ? size : 0), size);
  return NULL;
}
