/* int8.h: matmuls and convolutions of 8-bit integers with 32-bit sums. Sums are exact modulo 2^32, so that neither the
 * order of summation, nor the instruction set, nor the number of threads changes a bit.
 *
 * Everything is a convolution: a matmul is one line of `w` pixels with one tap. The input is read in place where its
 * bytes already have the form's sign, its pixels lie together and nothing is padded; otherwise it is copied once, into
 * a padded image of bytes with the sign flipped, which some forms want as two planes of four bits. Weights are packed,
 * the same for every form: panels of 32 columns, [segment][quad][32][4], where a segment is a run of k that is
 * contiguous in the image (a row of taps, or one tap), padded with zeros to whole quads; then the 32 sums of the
 * columns, by which a flipped sign is compensated. Depthwise weights are [tap][channel]. */
#ifndef TEN_CPU_KERNELS_INT8_H
#define TEN_CPU_KERNELS_INT8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/cpu/kernels/pool.h"

enum {
  INT8_COLUMNS = 32,
  INT8_QUAD = 4,
  INT8_TAPS = 1024,              /* most taps of a kernel */
  INT8_SPAN = 4 * INT8_COLUMNS,  /* between rows of sums */
  INT8_STEP = 2,                 /* quads that are multiplied at a time, and after which something is prefetched */
  INT8_HALF = 7,                 /* rows of a tile that are at one distance; the others follow at the same distance */
  INT8_TILE_ROWS = 2 * INT8_HALF /* most rows of a tile, where its form does not say otherwise */
};

/* What becomes of a sum s in column j, in f32, each operation rounded; the other is a byte o of the same shape:
 *   t = s·scale[j] + bias[j] (+ o·other_scale);  floats: t;  bytes: round(clamp(0, t, 255)) to even, 0 for NaN. */
typedef enum ten_int8_finish_kind { INT8_SUMS, INT8_FLOATS, INT8_BYTES, INT8_FINISH_COUNT } ten_int8_finish_kind;
typedef struct ten_int8_finish {
  ten_int8_finish_kind kind;
  float other_scale;
  const float *scale, *bias; /* [co] */
  const uint8_t *other;      /* [rows][co]; NULL: none; only of bytes */
  void *out;                 /* [rows][co] */
} ten_int8_finish;

/* Rows of A by one panel of B. Row r starts at a + r·row_stride, and those of the second half at a + second, at the
 * same distance; its segment s, of `quads` times four bytes, at offsets[s] from there. Sums start as `init`. */
typedef struct ten_int8_tile {
  const uint8_t *a;
  int64_t plane; /* of a split image: bytes from the lower bits to the upper */
  int64_t row_stride, second;
  int half; /* the second half is the last rows, from the half-th on: INT8_HALF, or what the form was begun with */
  int done; /* rows at the start that another tile finished already */
  const int64_t *offsets;
  int64_t segments, quads;
  const int8_t *b;
  const int32_t *init;
  int rows;
  int32_t *sums;                 /* [rows][INT8_SPAN]; or: */
  const ten_int8_finish *finish; /* with its pointers at the tile's first element; of rows that are `co` apart */
  int64_t co;
  int columns;       /* of the panel's that there are */
  const char *soon;  /* what to prefetch for later, */
  int64_t soon_step; /* bytes of it for each INT8_STEP quads */
} ten_int8_tile;

/* c[rows][32] = init + A × B: row r of A starts at a + r·row_stride; its segment s, of `quads` times four bytes, at
 * offsets[s] from there. */
typedef void (*ten_int8_block)(const uint8_t *a, int64_t row_stride, const int64_t *offsets, int64_t segments,
                               int64_t quads, const int8_t *b, const int32_t *init, int rows, int32_t *c, int64_t ldc);

typedef struct ten_int8_form {
  const char *name;
  ten_int8_block block;
  void (*tile)(const ten_int8_tile *tile); /* NULL: of blocks */
  int rows;                                /* that a block computes best */
  bool is_signed;                          /* A's bytes are signed; otherwise unsigned */
  bool is_split; /* the image is two planes of bytes: the lower four bits of each, and the upper ones */
  /* Where halves of a tile are of any number of rows, the same for all tiles between `begin` and `end`, which are
   * called on the thread that runs them. NULL: of INT8_HALF. */
  void (*begin)(int half, int64_t quads);
  void (*end)(void);
  const struct ten_int8_form *(*instead)(int64_t quads); /* which form computes segments of that length; NULL: this */
} ten_int8_form;

typedef struct ten_int8 {
  bool is_unsigned; /* the input's bytes; weights are signed */
  int64_t zero;     /* a byte that stands for 0: padding; it is subtracted from all */
  /* x [n, h, w, ci] with pixels `pixel` bytes apart and channels `channel`; images, and rows of them, lie together
   * (row = w·pixel). A matmul: n = h = 1, w = m. */
  int64_t n, h, w, ci, co, kh, kw, oh, ow, pixel, channel;
  int64_t stride_h, stride_w, pad_top, pad_left, dilation_h, dilation_w, spread_h, spread_w, groups;
  int64_t weights[4]; /* strides of the unpacked kernel: kh, kw, ci, co; negative if reversed */
  /* of one run */
  const void *x;
  const void *packed;
  int32_t *out; /* sums are stored there where there is no epilogue: [n·oh·ow, co] */
  /* as ten_epilogue (kernels.h), but c are integers: stores the results of a block of rows, counted from first_row */
  void (*epilogue)(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1);
  void *epilogue_context;
  int64_t first_row;
  ten_int8_finish finish; /* instead of an epilogue, unless it leaves sums */
  void *scratch;
  const ten_int8_form *form;
} ten_int8;

/* The fastest on this CPU; never NULL. TENFOLD_CPU forces an instruction set's form, or names one: "amx", "vnni",
 * "dotprod", "i8mm". */
const ten_int8_form *ten_int8_best(void);
/* NULL when unknown or unsupported by this CPU; "portable" is that of the best kernels. */
const ten_int8_form *ten_int8_named(const char *name);

/* Sizes follow from the shape alone, the same for every CPU. */
static inline bool ten_int8_is_depthwise(const ten_int8 *p) {
  return p->groups > 1 && p->groups == p->ci && p->groups == p->co;
}
/* Whether the taps of a row are contiguous in the image. */
static inline bool ten_int8_runs(const ten_int8 *p) { return p->groups <= 1 && p->dilation_w == 1; }
static inline int64_t ten_int8_segments(const ten_int8 *p) { return ten_int8_runs(p) ? p->kh : p->kh * p->kw; }
static inline int64_t ten_int8_run_bytes(const ten_int8 *p) {
  return p->ci / (p->groups > 1 ? p->groups : 1) * (ten_int8_runs(p) ? p->kw : 1);
}
static inline int64_t ten_int8_quads(const ten_int8 *p) { return (ten_int8_run_bytes(p) + INT8_QUAD - 1) / INT8_QUAD; }
static inline int64_t ten_int8_panel_bytes(const ten_int8 *p) {
  return (ten_int8_segments(p) * ten_int8_quads(p) + 1) * INT8_QUAD * INT8_COLUMNS;
}
static inline int64_t ten_int8_panels(const ten_int8 *p) { /* of one group */
  return (p->co / (p->groups > 1 ? p->groups : 1) + INT8_COLUMNS - 1) / INT8_COLUMNS;
}
/* A unit of packing is a panel, or a tap of a depthwise kernel. */
static inline int64_t ten_int8_pack_units(const ten_int8 *p) {
  return ten_int8_is_depthwise(p) ? p->kh * p->kw : ten_int8_panels(p) * (p->groups > 1 ? p->groups : 1);
}
static inline int64_t ten_int8_packed_bytes(const ten_int8 *p) {
  return ten_int8_is_depthwise(p) ? p->kh * p->kw * p->co : ten_int8_pack_units(p) * ten_int8_panel_bytes(p);
}

#endif
