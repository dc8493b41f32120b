/* edge_mixed.h: what the files of `quantize --target cpu` share. */
#ifndef TEN_EDGE_MIXED_H
#define TEN_EDGE_MIXED_H

#include "edge/edge.h"
#include "ir/builder.h"

enum { EDGE_LEVELS = 255 }; /* steps between the least and the largest unsigned byte */

/* ranges.c */
/* Ranges of the report's tensors, all of which are values of the function, on the data. The function returns other
 * values meanwhile. */
TEN_MUST_USE ten_status *edge_observe(edge_report *report, ten_module *module, ten_op *func, const char *data,
                                      const edge_options *options);
/* Scale and zero point of a tensor's range as unsigned bytes; zero is one of them. */
void edge_byte_scale(const edge_tensor *seen, float *out_scale, int64_t *out_zero);
/* One more layer. */
void edge_report_scale(edge_report *report, ten_str name, const char *kind, const ten_type *type, float scale,
                       int64_t zero);

/* fold_scales.c: value·factor + constant, of which only what is above zero matters where the constant is zero, with
 * both in constants behind the value; NULL where they cannot be. The value has one use. */
ten_value *edge_fold_scale(ten_builder b, ten_value *value, double factor, double constant);

#endif
