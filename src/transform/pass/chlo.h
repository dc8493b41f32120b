/* chlo.h: the parts of CHLO's legalisation that fill a file of their own. */
#ifndef TEN_PASS_CHLO_H
#define TEN_PASS_CHLO_H

#include "ir/builder.h"

/* chlo_scan.c: a while loop over slices; replaces the results. False: left alone. */
bool ten_chlo_scan(ten_builder *b, ten_op *op);
/* chlo_ragged.c: NULL: left alone. */
ten_value *ten_chlo_ragged_dot(ten_builder *b, const ten_op *op);

#endif
