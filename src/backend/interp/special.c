/* special.c: chlo's special functions, computed in 113 bits (quad.c) and rounded once. */
#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/quad.h"

static void store(ten_tensor *out, size_t i, quad value) {
  if (out->dtype == TEN_F32)
    ((float *)out->data)[i] = (float)value;
  else
    interp_store_real(out, i, (double)value);
}

bool interp_special_real(ten_opcode code, const ten_tensor *x, ten_tensor *out) {
  static quad (*const functions[TEN_OP_COUNT])(quad) = {
      [TEN_OP_CHLO_LGAMMA] = quad_lgamma,
      [TEN_OP_CHLO_DIGAMMA] = quad_digamma,
      [TEN_OP_CHLO_ERF_INV] = quad_erf_inv,
      [TEN_OP_CHLO_BESSEL_I1E] = quad_bessel_i1e,
  };
  if (!functions[code]) return false;
  for (size_t i = 0; i < x->count; i++) store(out, i, functions[code]((quad)ten_tensor_real(x, i, 0)));
  return true;
}

/* The next value of the element type from a towards b, stepping through bit patterns. */
static void next_after(const ten_tensor *x, const ten_tensor *y, size_t i, ten_tensor *out) {
  const double a = ten_tensor_real(x, i, 0), b = ten_tensor_real(y, i, 0);
  if (isnan(a) || isnan(b)) {
    interp_store_real(out, i, (double)NAN);
    return;
  }
  const size_t size = ten_dtype_bytes(x->dtype);
  uint64_t bits = 0;
  memcpy(&bits, interp_at(x, i), size); /* little-endian, like all tensors here */
  const uint64_t sign = UINT64_C(1) << (ten_dtype_bits(x->dtype) - 1);
  if (a == b)
    memcpy(&bits, interp_at(y, i), size);
  else if (a == 0)
    bits = 1 | (b < 0 ? sign : 0);
  else
    bits += (a < b) == !(bits & sign) ? 1 : UINT64_MAX;
  memcpy(interp_to(out, i), &bits, size);
}

ten_status *interp_special_binary(interp_call *call) {
  const ten_tensor *x = call->in[0], *y = call->in[1];
  if (!ten_tensor_same_shape(x, y)) return interp_error(call, TEN_INVALID, "operands differ in shape");
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  for (size_t i = 0; i < x->count; i++) {
    const quad a = (quad)ten_tensor_real(x, i, 0), b = (quad)ten_tensor_real(y, i, 0);
    switch (call->op->code) {
      case TEN_OP_CHLO_ZETA:
      case TEN_OP_CHLO_BROADCAST_ZETA: store(call->out[0], i, quad_zeta(a, b)); break;
      case TEN_OP_CHLO_POLYGAMMA:
      case TEN_OP_CHLO_BROADCAST_POLYGAMMA: store(call->out[0], i, quad_polygamma(a, b)); break;
      default: next_after(x, y, i, call->out[0]); break;
    }
  }
  return NULL;
}
