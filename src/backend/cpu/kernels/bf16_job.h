/* bf16_job.h: one product in bf16, planned: what bf16_plan.c decides, bf16_image.c writes out and bf16.c runs. */
#ifndef TEN_CPU_KERNELS_BF16_JOB_H
#define TEN_CPU_KERNELS_BF16_JOB_H

#include "backend/cpu/kernels/bf16_rows.h"

enum {
  GROUP = 8,
  NEAR_BYTES = 1 << 20 /* of either matrix, that L2 keeps while the other passes by */,
  TILE = BF16_ROWS * BF16_COLUMNS,
  WIDE = GROUP * BF16_COLUMNS /* columns of a thread's tile */,
  BF16_PATCH = 32 /* numbers of a patch that are written at once, at most */
};

typedef struct bf16_job {
  const ten_bf16_form *form;
  const ten_gemm *gemm;
  const ten_conv2d *conv;
  image shape;
  uint16_t *a;
  const uint16_t *b;
  int64_t *offsets;
  int64_t blocks, row_stride;
  int64_t images, image_stride, rows, wide, kept; /* rows of each image; of every `wide`, the first `kept` count */
  bool joined;    /* all images are one, since nothing lies between the last row of one and the first of the next */
  bool patches;   /* every pixel's patch is written out */
  int64_t pixels; /* rows of each image that count */
  int64_t n, panels, panel_size, b_image;
  int64_t chunk, chunks, group, groups; /* rows, and panels, of a task */
  int64_t height;                       /* rows of a block, but of the last of a task */
  int64_t together;                     /* panels whose sums the epilogue gets in one go, GROUP at most */
  bool by_groups; /* a group of panels meets all rows before the next; else rows meet all groups */
  bool in_place;  /* a is the caller's: its last rows are copied, since whole blocks are read */
  bool far_rows;  /* it is too large to be near, and its rows follow each other */
  bool copies;    /* all of its rows are, some at a time, since they are too far apart */
  uint16_t *last; /* of each thread: those rows; its patches; or its window */
  int64_t *plain; /* offsets of patches, where `wild` */
  bool wild;      /* the image has numbers that are not finite, which weights of zero do not hide */
  int64_t window; /* rows of each phase of an image in a window; 0: the image is written out for all */
  float *c, *tiles;
  int64_t ldc, first_row;
  char *out; /* where the epilogue of a tile writes, rows of n numbers of out_bytes; NULL: unknown */
  int64_t out_bytes;
  const void *const *also; /* what it reads besides, likewise */
  int also_count;
  int64_t also_bytes;
  ten_epilogue epilogue;
  void *epilogue_context;
  size_t offset_bytes, a_bytes;
} bf16_job;

/* bf16_plan.c. The scratch of either is what as many threads need; placing a job gives it that scratch. */
bf16_job TEN_K(bf16_gemm_job)(const ten_gemm *gemm, unsigned threads);
bf16_job TEN_K(bf16_conv_job)(const ten_conv2d *conv, unsigned threads);
size_t TEN_K(bf16_job_scratch)(const bf16_job *job, unsigned threads);
void TEN_K(bf16_job_place)(bf16_job *job, void *scratch, unsigned threads);
/* From one copied row to the next; what a thread has of `last`; and how much of that, at its end, is rows of taps. */
int64_t TEN_K(bf16_copied_row)(const bf16_job *job);
size_t TEN_K(bf16_last_bytes)(const bf16_job *job);
size_t TEN_K(bf16_taps_bytes)(const bf16_job *job);

/* bf16_image.c. The patches of pixels [v0, v1) of all images. */
void TEN_K(bf16_write_patches)(const bf16_job *job, int64_t v0, int64_t v1, uint16_t *to);
/* Row y of one phase of an image, with its padding, and what the end of the last row needs of the next. */
void TEN_K(bf16_write_row)(const bf16_job *job, int64_t n, int64_t phase, int64_t y, uint16_t *to);
void TEN_K(bf16_write_end)(const bf16_job *job, uint16_t *to);
/* What a task needs of an image, from row y0 on; whether it has numbers that are not finite, where that matters. */
bool TEN_K(bf16_write_window)(const bf16_job *job, int64_t n, int64_t y0, uint16_t *to);
bool TEN_K(bf16_has_wild)(const uint16_t *numbers, int64_t count);
/* Rows of taps, out of the image, without the pixels after them. */
void TEN_K(bf16_copy_taps)(const bf16_job *job, const uint16_t *a, int64_t rows, uint16_t *to);

#endif
