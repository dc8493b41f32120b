/* bulk.h: tiles by wgmma whose slices the tensor memory accelerator (TMA, sm_90) copies. */
#ifndef TEN_SIMT_BULK_H
#define TEN_SIMT_BULK_H

#include "backend/simt/tile_parts.h"

enum { SIMT_BULK_GROUP = 288 }; /* threads: two groups of four warps that multiply, and a warp that copies */

/* Whether both operands are tensors in memory of which slices are boxes. */
bool simt_bulk_takes(simt_gen *gen, const simt_tile *t);
size_t simt_bulk_shared(const simt_tile *t);
/* Opens the part of the threads that multiply, with the sums in `sums`; its end. */
void simt_bulk_emit_slices(simt_gen *gen, const simt_tile *t, const simt_tile_place *p);
void simt_bulk_emit_end(simt_gen *gen);
void simt_bulk_prelude(ten_buf *out);

#endif
