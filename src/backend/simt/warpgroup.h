/* warpgroup.h: the arithmetic of a tile by wgmma (sm_90a): two groups of four warps multiply slices that lie in shared
 * memory, while the next slices are copied there. */
#ifndef TEN_SIMT_WARPGROUP_H
#define TEN_SIMT_WARPGROUP_H

#include "backend/simt/tile_parts.h"

/* Whether operands of these types and places can be copied as wgmma reads them. */
bool simt_warpgroup_takes(simt_gen *gen, const simt_tile *t);
size_t simt_warpgroup_shared(const simt_tile *t);
void simt_warpgroup_emit_start(simt_gen *gen, const simt_tile *t);
/* All slices of the tile at `p`, whose depth is not set: the sums are in `sums` when it ends. */
void simt_warpgroup_emit_slices(simt_gen *gen, const simt_tile *t, const simt_tile_place *p);
/* The products of slice `slot`, committed; the end of all, after which the sums may be read. */
void simt_warpgroup_emit_products(simt_gen *gen, const simt_tile *t);
void simt_warpgroup_emit_settle(simt_gen *gen, const simt_tile *t);
int64_t simt_warpgroup_slot(const simt_tile *t, int side); /* bytes of an operand's slice */
void simt_warpgroup_emit_stage(simt_gen *gen, const simt_tile *t);
/* What the text calls. */
void simt_warpgroup_prelude(ten_buf *out);

#endif
