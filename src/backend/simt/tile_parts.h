/* tile_parts.h: the parts of a tile that depend on the arithmetic: operand layouts in shared memory, multiplication. */
#ifndef TEN_SIMT_TILE_PARTS_H
#define TEN_SIMT_TILE_PARTS_H

#include "backend/simt/tile.h"

enum {
  SIMT_STAGE = 32,       /* rows of sums that are in shared memory at a time */
  SIMT_WARPGROUP_PAD = 8 /* columns that a row of sums is longer; of warpgroups all rows are there at a time */
};

/* How an operand gets to shared memory. */
typedef enum simt_fill_kind {
  SIMT_FILL_ELEMENTS, /* computed one by one */
  SIMT_FILL_COPY,     /* copied one by one: f32 in a buffer */
  SIMT_FILL_DEEP,     /* copied by 16 bytes along the depth */
  SIMT_FILL_LINES     /* copied by 16 bytes along the lines: lies as [depth][line] */
} simt_fill_kind;

typedef struct simt_filling {
  simt_fill_kind kind;
  const ten_value *source; /* the buffer; NULL for SIMT_FILL_ELEMENTS */
  bool deep;               /* threads next to each other take elements next to each other along the depth */
} simt_filling;

simt_filling simt_tile_filling(simt_gen *gen, const simt_tile *t, int side);
int64_t simt_tile_element_bytes(const simt_tile *t); /* in shared memory */

/* Position of a tile: first row, column and depth of a slice, its batch and piece. */
typedef struct simt_tile_place {
  simt_ix batch, split, row, column, depth;
} simt_tile_place;

/* A loop that distributes `count` items over the threads of a group: e is this thread's. Ends with two simt_close. A
 * loop over a constant range can be unrolled. */
void simt_share_out(simt_gen *gen, int64_t count);
size_t simt_tile_shared(simt_gen *gen, const simt_tile *t);
void simt_tile_emit_start(simt_gen *gen, const simt_tile *t); /* pointers, and zeroed sums */
void simt_tile_emit_fill(simt_gen *gen, const simt_tile *t, int side, const simt_tile_place *p, uint32_t slot);
void simt_tile_emit_sums(simt_gen *gen, const simt_tile *t);  /* of the slice in slot step & … */
void simt_tile_emit_stage(simt_gen *gen, const simt_tile *t); /* rows of `part` to `stage` */

/* tile_plain.c: the same of SIMT_FMA where shared memory is an array of f32, `stage`; an element of a slice to it. */
void simt_tile_plain_start(simt_gen *gen, const simt_tile *t);
void simt_tile_plain_store(simt_gen *gen, const simt_tile *t, int side, uint32_t slot, uint32_t line, uint32_t depth,
                           uint32_t element);
void simt_tile_plain_sums(simt_gen *gen, const simt_tile *t);
void simt_tile_plain_stage(simt_gen *gen, const simt_tile *t);

#endif
