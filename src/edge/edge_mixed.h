/* edge_mixed.h: what the files of `quantize --target cpu` share. */
#ifndef TEN_EDGE_MIXED_H
#define TEN_EDGE_MIXED_H

#include "ir/builder.h"

/* fold_scales.c: value·factor + constant, of which only what is above zero matters where the constant is zero, with
 * both in constants behind the value; NULL where they cannot be. The value has one use. */
ten_value *edge_fold_scale(ten_builder b, ten_value *value, double factor, double constant);

#endif
