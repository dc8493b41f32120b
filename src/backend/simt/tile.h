/* tile.h: tiled matmuls and convolutions: a group of threads computes a block of the result from operands that it
 * copies, a slice of the depth at a time, into shared memory. Sums run over the depth in order, so results are
 * deterministic. */
#ifndef TEN_SIMT_TILE_H
#define TEN_SIMT_TILE_H

#include "backend/simt/contract.h"

typedef enum simt_math {
  SIMT_FMA,      /* f32, one fused multiply-add after the other */
  SIMT_MMA_BF16, /* tensor cores (CUDA): operands that are bf16 or f16; sums are f32 */
  SIMT_MMA_F16,
  SIMT_MMA_TF32 /* f32 whose mantissas are cut to 10 bits, where the user wants that */
} simt_math;

typedef struct simt_tile {
  simt_contraction c;
  simt_math math;
  int64_t rows, columns, depth; /* of a tile; depth of a slice */
  int64_t splits, chunk;        /* the depth is split into so many pieces of `chunk`, summed by a second kernel */
  int64_t groups;               /* of threads */
  bool warpgroups;              /* by wgmma, see warpgroup.c */
  bool bulk;                    /* these copied by TMA, see bulk.c */
  int slots;                    /* slices in shared memory */
  int lag;                      /* of warpgroups: slices whose products may still be running */
  int resident;                 /* groups that a processor is to have room for; 0: as many as it has */
  size_t shared;                /* bytes */
  ten_value *partial;           /* partial sums: [splits, batch, rows, columns] */
} simt_tile;

/* False: not tiled; one thread computes an element. */
bool simt_tile_choose(simt_gen *gen, const ten_op *op, simt_tile *out);
/* The kernel of tile `i`. Without splits it writes `outputs`, otherwise tile->partial. */
void simt_tile_emit(simt_gen *gen, const simt_tile *tile, simt_ix i, const ten_value *const *outputs, uint32_t count);
/* The kernel of result element `i`: sums the pieces and writes `outputs`. */
void simt_tile_emit_sum(simt_gen *gen, const simt_tile *tile, simt_ix i, const ten_value *const *outputs,
                        uint32_t count);

/* Stores to q0, q1… the values in `outputs`, which are computed from `result` at the same linear index and are not
 * stored yet (gen->stored). */
void simt_store_outputs(simt_gen *gen, const ten_value *result, const simt_ix *index, simt_val element,
                        const ten_value *const *outputs, uint32_t count);
/* The same to q<first> and those after it. */
void simt_store_outputs_from(simt_gen *gen, const ten_value *result, const simt_ix *index, simt_val element,
                             const ten_value *const *outputs, uint32_t count, uint32_t first);

#endif
