/* rules.h: the rules of every family, named after the op they differentiate; rules.c tabulates them. */
#ifndef TEN_GRAD_RULES_H
#define TEN_GRAD_RULES_H

#include "transform/grad/vjp.h"

// clang-format off: a table
#define TEN_VJP_RULES(X)                                                                                             \
  X(ABS, abs) X(ADD, add) X(ATAN2, atan2) X(CBRT, cbrt) X(CEIL, none) X(CLAMP, clamp) X(COMPLEX, complex)            \
  X(CONVERT, convert) X(COSINE, cosine) X(DIVIDE, divide) X(EXPONENTIAL, exponential)                                \
  X(EXPONENTIAL_MINUS_ONE, expm1) X(FLOOR, none) X(IMAG, imag) X(LOG, log) X(LOG_PLUS_ONE, log1p)                    \
  X(LOGISTIC, logistic) X(MAXIMUM, extremum) X(MINIMUM, extremum) X(MULTIPLY, multiply) X(NEGATE, negate)            \
  X(POWER, power) X(REAL, real) X(REDUCE_PRECISION, same) X(REMAINDER, remainder) X(ROUND_NEAREST_AFZ, none)         \
  X(ROUND_NEAREST_EVEN, none) X(RSQRT, rsqrt) X(SELECT, select) X(SIGN, sign) X(SINE, sine) X(SQRT, sqrt)            \
  X(SUBTRACT, subtract) X(TAN, tan) X(TANH, tanh) X(OPTIMIZATION_BARRIER, same) X(CHLO_ACOS, chlo_acos)              \
  X(CHLO_ACOSH, chlo_acosh) X(CHLO_ASIN, chlo_asin) X(CHLO_ASINH, chlo_asinh) X(CHLO_ATAN, chlo_atan)                \
  X(CHLO_ATANH, chlo_atanh) X(CHLO_CONJ, chlo_conj) X(CHLO_COSH, chlo_cosh) X(CHLO_SINH, chlo_sinh) X(CHLO_TAN, tan) \
  X(CHLO_DIGAMMA, chlo_digamma) X(CHLO_ERF, chlo_erf) X(CHLO_ERFC, chlo_erfc) X(CHLO_ERF_INV, chlo_erf_inv)          \
  X(CHLO_LGAMMA, chlo_lgamma) X(CHLO_SQUARE, chlo_square) X(CHLO_POLYGAMMA, chlo_polygamma) X(CHLO_ZETA, chlo_zeta)  \
  X(CHLO_NEXT_AFTER, chlo_next_after) X(CHLO_BESSEL_I1E, chlo_bessel_i1e) X(BROADCAST, broadcast) X(BROADCAST_IN_DIM, broadcast_in_dim) X(CONCATENATE, concatenate) \
  X(DYNAMIC_SLICE, dynamic_slice) X(DYNAMIC_UPDATE_SLICE, dynamic_update_slice) X(PAD, pad) X(RESHAPE, reshape)      \
  X(REVERSE, reverse) X(SLICE, slice) X(TRANSPOSE, transpose) X(CONVOLUTION, convolution)                            \
  X(DOT_GENERAL, dot_general) X(DOT, dot) X(REDUCE, reduce) X(REDUCE_WINDOW, reduce_window)                          \
  X(SELECT_AND_SCATTER, select_and_scatter) X(MAP, map) X(GATHER, gather) X(SCATTER, scatter) X(SORT, sort)          \
  X(CHLO_TOP_K, chlo_top_k) X(WHILE, while) X(IF, if) X(CASE, case) X(FFT, fft) X(CHOLESKY, cholesky)                \
  X(TRIANGULAR_SOLVE, triangular_solve) X(BATCH_NORM_INFERENCE, batch_norm_inference)                                \
  X(BATCH_NORM_TRAINING, batch_norm_training)
// clang-format on

#define DECLARE(code, rule) ten_status *ten_rule_##rule(ten_vjp *v);
TEN_VJP_RULES(DECLARE)
#undef DECLARE

#endif
