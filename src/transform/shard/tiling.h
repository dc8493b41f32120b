/* tiling.h: how a tensor is cut into tiles over devices, whichever dialect says so. */
#ifndef TEN_PASS_TILING_H
#define TEN_PASS_TILING_H

#include "ir/dims.h"
#include "ir/module.h"
#include "value/tensor.h" /* TEN_RANK_MAX */

typedef struct ten_tiling {
  uint32_t rank, devices;
  int64_t tiles[TEN_RANK_MAX]; /* of each dimension; 1: it is not cut */
  uint32_t *place;             /* owned; which tile device d has along dimension i: place[d * rank + i] */
  uint32_t parts;              /* into how many summands the value is taken apart (sdy's `unreduced`); 1: it is not */
  uint32_t *part;              /* owned; which summand device d has; NULL with one */
} ten_tiling;

/* Every device has all of it. */
void ten_tiling_whole(uint32_t rank, uint32_t devices, ten_tiling *out);
void ten_tiling_copy(const ten_tiling *from, ten_tiling *out);
void ten_tiling_free(ten_tiling *tiling);
/* Whether every device has all dimensions, of the value or of a summand of it. */
bool ten_tiling_is_whole(const ten_tiling *tiling);
/* Takes the value as summed up. */
void ten_tiling_drop_parts(ten_tiling *tiling);
/* Whether every tile is somewhere: two dimensions cut over the same devices have only those on the diagonal. */
bool ten_tiling_is_complete(const ten_tiling *tiling);
bool ten_tiling_equal(const ten_tiling *a, const ten_tiling *b);
/* The shape of a tile; false when the dimensions cannot be cut evenly. */
bool ten_tiling_local(const ten_tiling *tiling, const int64_t *dims, int64_t *out_dims);
/* A device that has the tile at this place; every tile is somewhere. */
uint32_t ten_tiling_holder(const ten_tiling *tiling, const uint32_t *place);

/* Readers: after an error `out` holds nothing.
 *
 * `#sdy.sharding<@mesh, …>`, with or without the words before `<`. Meshes are looked for in `module`. Axes that
 * `only` (text like `{"x", "y"}`; empty: all count) does not name are taken as not cutting anything. */
TEN_MUST_USE ten_status *ten_tiling_of_sdy(const ten_module *module, ten_str text, ten_str only, uint32_t rank,
                                           uint32_t devices, ten_tiling *out);
/* The texts of `#sdy.sharding_per_value<[<…>, <…>]>`, one after the other; false at the end. */
bool ten_tiling_next_sdy(ten_str *rest, ten_str *out_text);
/* `{devices=[2,1]<=[2]}` and the like: what mhlo.sharding holds. */
TEN_MUST_USE ten_status *ten_tiling_of_hlo(ten_str text, uint32_t rank, uint32_t devices, ten_tiling *out);

#endif
