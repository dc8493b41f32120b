/* bf16_job.h: a planned bf16 matmul: bf16_plan.c decides, bf16_image.c writes A and bf16.c runs. */
#ifndef TEN_CPU_KERNELS_BF16_JOB_H
#define TEN_CPU_KERNELS_BF16_JOB_H

#include "backend/cpu/kernels/bf16_rows.h"

enum {
  GROUP = 8,
  NEAR_BYTES = 1 << 20 /* of either matrix, kept in L2 while the other is streamed */,
  TILE = BF16_ROWS * BF16_COLUMNS,
  WIDE = GROUP * BF16_COLUMNS /* columns of a thread's tile */,
  BF16_PATCH = 32 /* maximum elements of a patch stored at once */
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
  int64_t images, image_stride, rows, wide, kept; /* rows of each image; of every `wide`, the first `kept` are valid */
  bool joined;                                    /* all images form one matrix, since there is no gap between them */
  bool patches;                                   /* patches of all pixels are written */
  int64_t pixels;                                 /* valid rows of each image */
  int64_t n, panels, panel_size, b_image;
  int64_t chunk, chunks, group, groups; /* rows, and panels, per task */
  int64_t height;                       /* rows of a block, except the last of a task */
  int64_t together;                     /* panels whose sums go to the epilogue together, at most GROUP */
  bool by_groups; /* a group of panels multiplies all rows before the next; otherwise rows multiply all groups */
  bool in_place;  /* a is the caller's: its last rows are copied, since whole blocks are read */
  bool far_rows;  /* a exceeds the cache, and its rows are contiguous */
  bool copies;    /* all rows of a are copied, some at a time, since they are too far apart */
  uint16_t *last; /* per thread: those rows; its patches; or its window */
  int64_t *plain; /* offsets of patches, for `wild` */
  bool wild;      /* the image has non-finite elements, which zero weights do not mask */
  int64_t window; /* rows per phase of an image in a window; 0: the whole image is written */
  float *c, *tiles;
  int64_t ldc, first_row;
  char *out; /* output of the epilogue of a tile, rows of n elements of out_bytes; NULL: unknown */
  int64_t out_bytes;
  const void *const *also; /* its other inputs, likewise */
  int also_count;
  int64_t also_bytes;
  ten_epilogue epilogue;
  void *epilogue_context;
  size_t offset_bytes, a_bytes;
} bf16_job;

/* bf16_plan.c. Scratch is for that many threads; bf16_job_place assigns the scratch. */
bf16_job TEN_K(bf16_gemm_job)(const ten_gemm *gemm, unsigned threads);
bf16_job TEN_K(bf16_conv_job)(const ten_conv2d *conv, unsigned threads);
size_t TEN_K(bf16_job_scratch)(const bf16_job *job, unsigned threads);
void TEN_K(bf16_job_place)(bf16_job *job, void *scratch, unsigned threads);
/* Pitch of copied rows; bytes of `last` per thread; and of those, at its end, the bytes for rows of taps. */
int64_t TEN_K(bf16_copied_row)(const bf16_job *job);
size_t TEN_K(bf16_last_bytes)(const bf16_job *job);
size_t TEN_K(bf16_taps_bytes)(const bf16_job *job);

/* bf16_image.c. The patches of pixels [v0, v1) of all images. */
void TEN_K(bf16_write_patches)(const bf16_job *job, int64_t v0, int64_t v1, uint16_t *to);
/* Writes row y of one phase of an image, with its padding, and what the end of the last row reads past it. */
void TEN_K(bf16_write_row)(const bf16_job *job, int64_t n, int64_t phase, int64_t y, uint16_t *to);
void TEN_K(bf16_write_end)(const bf16_job *job, uint16_t *to);
/* Writes a task's part of an image, from row y0 on; returns whether it has non-finite elements, where that matters. */
bool TEN_K(bf16_write_window)(const bf16_job *job, int64_t n, int64_t y0, uint16_t *to);
bool TEN_K(bf16_has_wild)(const uint16_t *numbers, int64_t count);
/* Copies rows of taps from the image, without the pixels after them. */
void TEN_K(bf16_copy_taps)(const bf16_job *job, const uint16_t *a, int64_t rows, uint16_t *to);

#endif
