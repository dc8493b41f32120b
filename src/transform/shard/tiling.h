/* tiling.h: how a tensor is split into tiles over devices, in either dialect. */
#ifndef TEN_PASS_TILING_H
#define TEN_PASS_TILING_H

#include "ir/dims.h"
#include "ir/module.h"
#include "value/tensor.h" /* TEN_RANK_MAX */

typedef struct ten_tiling {
  uint32_t rank, devices;
  int64_t tiles[TEN_RANK_MAX]; /* of each dimension; 1: not split */
  uint32_t *place;             /* owned; the tile of device d along dimension i: place[d * rank + i] */
  uint32_t parts;              /* the number of summands of the value (sdy's `unreduced`); 1: reduced */
  uint32_t *part;              /* owned; the summand of device d; NULL with one */
} ten_tiling;

/* Replicated on every device. */
void ten_tiling_whole(uint32_t rank, uint32_t devices, ten_tiling *out);
void ten_tiling_copy(const ten_tiling *from, ten_tiling *out);
void ten_tiling_free(ten_tiling *tiling);
/* Whether every device has all dimensions, of the value or of a summand. */
bool ten_tiling_is_whole(const ten_tiling *tiling);
/* Treats the value as reduced. */
void ten_tiling_drop_parts(ten_tiling *tiling);
/* Whether every tile exists: two dimensions split over the same devices have only those on the diagonal. */
bool ten_tiling_is_complete(const ten_tiling *tiling);
bool ten_tiling_equal(const ten_tiling *a, const ten_tiling *b);
/* The shape of a tile; false when the dimensions cannot be split evenly. */
bool ten_tiling_local(const ten_tiling *tiling, const int64_t *dims, int64_t *out_dims);
/* A device that holds the tile at this position; every tile must exist. */
uint32_t ten_tiling_holder(const ten_tiling *tiling, const uint32_t *place);

/* Readers: after an error `out` holds nothing.
 *
 * `#sdy.sharding<@mesh, …>`, with or without the words before `<`. Meshes are looked up in `module`. Axes that `only`
 * (text like `{"x", "y"}`; empty: all) does not name do not split anything. */
TEN_MUST_USE ten_status *ten_tiling_of_sdy(const ten_module *module, ten_str text, ten_str only, uint32_t rank,
                                           uint32_t devices, ten_tiling *out);
/* The texts of `#sdy.sharding_per_value<[<…>, <…>]>`, one after the other; false at the end. */
bool ten_tiling_next_sdy(ten_str *rest, ten_str *out_text);
/* `{devices=[2,1]<=[2]}` and other forms of mhlo.sharding. */
TEN_MUST_USE ten_status *ten_tiling_of_hlo(ten_str text, uint32_t rank, uint32_t devices, ten_tiling *out);

#endif
