/* chlo.h: the parts of CHLO's legalisation in separate files. */
#ifndef TEN_PASS_CHLO_H
#define TEN_PASS_CHLO_H

#include "ir/builder.h"

/* chlo_scan.c: a while loop over slices; replaces the results. False: unchanged. */
bool ten_chlo_scan(ten_builder *b, ten_op *op);
/* chlo_ragged.c: NULL: unchanged. */
ten_value *ten_chlo_ragged_dot(ten_builder *b, const ten_op *op);

#endif
