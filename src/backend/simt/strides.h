/* strides.h: where an operand's elements lie in a buffer, one stride a dimension. */
#ifndef TEN_SIMT_STRIDES_H
#define TEN_SIMT_STRIDES_H

#include "backend/simt/contract.h"

/* Dimensions that follow each other in memory as one; counts are of elements. */
typedef struct simt_span {
  int64_t size, stride;
} simt_span;

enum { SIMT_SPANS_MOST = 5 };

typedef struct simt_spans {
  simt_span at[SIMT_SPANS_MOST]; /* the innermost first */
  uint32_t count;
} simt_spans;

/* An operand of a contraction in its buffer. */
typedef struct simt_strided {
  const ten_value *source;
  int64_t offset;
  simt_spans batch, lines, depth;
} simt_strided;

/* False: it is not in a buffer, or its elements do not lie at strides. */
bool simt_strided_operand(simt_gen *gen, const simt_contraction *c, int side, simt_strided *out);
/* The same with these dimensions as batch, lines and depth. */
bool simt_strided_dims(simt_gen *gen, const ten_value *value, const simt_operand_dims *dims, simt_strided *out);

#endif
