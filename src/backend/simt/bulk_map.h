/* bulk_map.h: operands of a contraction as tensor maps, of which the slices of a tile are boxes. */
#ifndef TEN_SIMT_BULK_MAP_H
#define TEN_SIMT_BULK_MAP_H

#include "backend/simt/strides.h"
#include "backend/simt/tile_parts.h"

/* What a dimension of a map goes along. */
typedef enum simt_bulk_role {
  SIMT_BULK_DEPTH,
  SIMT_BULK_LINES,
  SIMT_BULK_BATCH, /* the outermost digit of what is left of the batch */
  SIMT_BULK_TAPS,
  SIMT_BULK_PIXELS /* of a window: one of its places, or images */
} simt_bulk_role;

typedef struct simt_bulk_operand {
  simt_map map;
  simt_bulk_role roles[SIMT_MAP_RANK];
  simt_spans batch;
  bool across; /* contiguous along lines: boxes of 64 of them */
  const ten_value *source;
} simt_bulk_operand;

/* Both operands' maps; of a convolution with windows, these. False: they are none. */
typedef struct simt_bulk_operands {
  simt_bulk_operand side[2];
  bool windows;
  simt_window window;
} simt_bulk_operands;
bool simt_bulk_operands_of(simt_gen *gen, const simt_tile *t, simt_bulk_operands *out);

enum { SIMT_BULK_LINES_EACH = 64 };

#endif
