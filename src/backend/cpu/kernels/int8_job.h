/* int8_job.h: how an 8-bit matmul is split into tasks. */
#ifndef TEN_CPU_KERNELS_INT8_JOB_H
#define TEN_CPU_KERNELS_INT8_JOB_H

#include "backend/cpu/kernels/int8.h"
#include "backend/cpu/kernels/isa.h"

enum {
  INT8_LINE = 64,
  INT8_TILES = 4,                         /* tiles of a form's rows that a task computes one below the other, */
  INT8_PANELS = INT8_SPAN / INT8_COLUMNS, /* and panels next to each other */
  INT8_ROWS = 56,
  INT8_PLANES = 2,                    /* of a copy that is split; others leave the second one alone */
  INT8_BLOCK = INT8_ROWS * INT8_SPAN, /* sums of a task */
  INT8_COPIED = 1 << 14,              /* bytes that a task copies */
  INT8_CACHED = 3 << 17               /* bytes that stay in a cache of a core while others go by */
};

/* The image that blocks read: the input, or a padded copy. */
typedef struct int8_image {
  int64_t rows, width;    /* of each of the n images */
  int64_t pixel, row;     /* bytes from one to the next */
  int64_t step_h, step_w; /* pixels of the padded input between those of the copy */
} int8_image;

typedef struct int8_job {
  const ten_int8 *p;
  int8_image image;
  const uint8_t *data; /* of the image */
  uint8_t *copy, flip; /* what bytes are combined with, to change their sign */
  int64_t plane;       /* bytes from the copy of the lower four bits to that of the upper ones; 0: not split */
  int32_t correction;  /* times a column's sum of weights: for a changed sign, and the zero point */
  int64_t copied;      /* pixels that a task copies */
  int64_t down, right; /* pixels of the image between those of neighbouring outputs */
  int64_t offsets[INT8_TAPS], segments, quads;
  int64_t lines, line, line_rows; /* number of lines, their pixels; lines of an image */
  int64_t pieces, together;       /* tasks that a line is split into; lines of a task */
  int64_t row_blocks, column_blocks;
  bool shares_rows;         /* consecutive tasks do; otherwise weights */
  bool is_far;              /* the image is larger than a cache */
  int64_t steps, soon_step; /* of a tile, and bytes that each prefetches */
  char *sums;
  int64_t sums_bytes; /* of one worker */
} int8_job;

size_t TEN_K(int8_scratch)(const ten_int8 *p, unsigned threads);
void TEN_K(int8_pack)(const ten_int8 *p, const int8_t *weights, int64_t begin, int64_t end, int8_t *packed);
void TEN_K(int8_run)(const ten_int8 *p, ten_pool *pool);
/* Finishes rows of sums that are `ldc` apart. */
void TEN_K(int8_finish)(const ten_int8_finish *finish, const int32_t *sums, int64_t ldc, int64_t rows, int64_t columns,
                        int64_t co);
extern const ten_int8_form TEN_K(int8_portable);

#endif
