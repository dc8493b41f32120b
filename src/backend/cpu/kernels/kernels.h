/* kernels.h: the kernels that generated code and plans call. One table per instruction set, with the same functions;
 * the best for the CPU is chosen once (TENFOLD_CPU=generic|avx2|avx512 forces one).
 *
 * Rules: no allocation (the caller provides scratch), no globals, results independent of the number of threads. */
#ifndef TEN_CPU_KERNELS_KERNELS_H
#define TEN_CPU_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/cpu/kernels/bf16.h"
#include "backend/cpu/kernels/int8.h"
#include "backend/cpu/kernels/matmul.h"
#include "backend/cpu/kernels/pool.h"
#include "backend/cpu/kernels/split.h"

/* Runs over a block of output rows while they are still in cache: rows [m0, m1), columns [n0, n1) of the output matrix,
 * `c` pointing at element (m0, n0). Generated code computes bias, activation, residual… here. NULL: nothing to do. */
typedef void (*ten_epilogue)(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1);
/* Predefined epilogues (epilogues.c). */
enum { TEN_READY_BIAS, TEN_READY_BIAS_RELU, TEN_READY_RELU, TEN_READY_COUNT };

/* C[m,n] = A[m,k] × B[k,n] (+ C when accumulate). A is read through its strides (in elements); B is packed
 * (gemm_pack_b), or also read through its strides when `direct`; C is row-major with rows ldc apart. `batch` > 1
 * repeats it, advancing by the batch strides. */
enum { TEN_ALSO = 3 };
typedef struct ten_gemm {
  /* independent tasks that run concurrently; not for the bf16_ functions */
  ten_task overlap;
  void *overlap_context;
  int64_t overlap_count;
  int64_t m, n, k;
  const float *a;
  int64_t a_row, a_col;
  const float *b;
  bool direct;          /* B is not packed */
  int64_t b_row, b_col; /* of an unpacked B */
  float *c;
  int64_t ldc;
  int64_t batch, a_batch, b_batch, c_batch; /* batch 0 means 1 */
  bool accumulate;
  ten_epilogue epilogue;
  void *epilogue_context;
  void *scratch; /* gemm_scratch bytes, 64-aligned */
  int64_t block; /* maximum panels of rows that a task packs; 0: the kernel decides. Results do not depend on it */
  /* c NULL: the epilogue gets a temporary tile, and stores the output itself. For gemm_scratch, `tile` says so */
  bool tile;
  const ten_split_form *split; /* used for large matmuls; NULL: none */
  /* of the bf16_ functions: A may be bf16; B is packed by bf16_pack_b, b_batch in packed elements */
  const ten_bf16_form *form;
  bool narrow;
  int64_t first_row; /* the row number that the epilogue gets for row 0 */
  /* the output rows of a tile's epilogue, n elements of out_bytes each; NULL: unknown. Only for prefetching. */
  void *out;
  int64_t out_bytes;
  /* the epilogue's other inputs, in the output's layout, elements of also_bytes. Likewise. */
  const void *also[TEN_ALSO];
  int also_count;
  int64_t also_bytes;
} ten_gemm;

/* 2-D convolution, channels last: x [n, h, w, ci], y [n, oh, ow, co]; the kernel packed by conv_pack from [kh, kw, ci,
 * co]. */
typedef struct ten_conv2d {
  int64_t n, h, w, ci, co, kh, kw, oh, ow;
  int64_t stride_h, stride_w, pad_top, pad_left, dilation_h, dilation_w;
  /* Only TEN_CONV_GROUPS: the number of groups of channels, each with its own kernel, and the input dilation
   * (lhs_dilation). 0 and 1: one group, no dilation. */
  int64_t groups, spread_h, spread_w;
  const float *x;
  const float *kernel; /* packed for `algorithm` */
  float *y;
  ten_epilogue epilogue; /* over rows = output pixels (n·oh·ow), columns = co; ldc = co */
  void *epilogue_context;
  void *scratch;
  int algorithm;               /* ten_conv_algorithm */
  int64_t block;               /* Winograd: tiles per task; otherwise as in ten_gemm */
  const ten_split_form *split; /* as in ten_gemm, for plain matmuls */
  const ten_bf16_form *form;   /* of the bf16_ functions, as in ten_gemm */
  bool narrow;
  void *out;
  int64_t out_bytes;
  const void *also[TEN_ALSO];
  int also_count;
  int64_t also_bytes;
} ten_conv2d;

typedef enum ten_conv_algorithm {
  TEN_CONV_GEMM,       /* 1×1, stride 1, no padding: a plain matmul */
  TEN_CONV_IM2COL,     /* implicit: patches are packed block by block */
  TEN_CONV_WINOGRAD43, /* 3×3, stride 1: F(4×4, 3×3) */
  TEN_CONV_WINOGRAD23, /* 3×3, stride 1: F(2×2, 3×3), smaller error */
  TEN_CONV_GROUPS      /* groups of channels, any window: see group.c */
} ten_conv_algorithm;

enum {
  TEN_GROUP_TAPS = 128,  /* maximum for a grouped kernel */
  TEN_GROUP_COLUMNS = 4, /* minimum output channels of a group with more than one input channel */
};

/* The kernel gradient of a convolution: x its input, g the cotangent of its output, dw [kh, kw, ci, co]. */
typedef struct ten_wgrad2d {
  int64_t n, h, w, ci, co, kh, kw, oh, ow;
  int64_t stride_h, stride_w, pad_top, pad_left, dilation_h, dilation_w;
  int64_t groups; /* of channels: dw is [kh, kw, ci / groups, co]; 0 and 1: one */
  const float *x, *g;
  float *dw;
  void *scratch;
  bool winograd; /* by F(3,4): only if wgrad_can_winograd */
} ten_wgrad2d;

/* out[m, dv] = softmax(q[m, d] · k[n, d]ᵀ)[m, n] · v[n, dv] per batch, with the epilogue over the scores before the
 * softmax (rows counted over batches). Strides are in elements; missing batch dimensions have size one. With `scores`,
 * q and k are unused: the scores are given, [batches, m, n]. */
enum { TEN_ATTENTION_BATCH = 4 };
typedef struct ten_attention {
  int64_t batches, m, n, d, dv;
  int64_t batch[TEN_ATTENTION_BATCH], q_batch[TEN_ATTENTION_BATCH], k_batch[TEN_ATTENTION_BATCH],
      v_batch[TEN_ATTENTION_BATCH], out_batch[TEN_ATTENTION_BATCH];
  int64_t q_row, q_col, k_row, k_col, v_row, v_col, out_row;
  const void *q, *k, *v; /* f32; bf16 if narrow */
  bool q_narrow, k_narrow, v_narrow;
  const float *scores;
  float *out;
  ten_epilogue epilogue;
  void *epilogue_context;
  void *scratch;
  bool empty_is_zero; /* a row of only -inf gives zeros, not NaN */
  /* The result will be rounded to bf16, so that the matmuls may be in bf16, by `form` (NULL: f32). */
  bool rounded;
  const ten_bf16_form *form;
} ten_attention;

/* The gradient of softmax(scale · q·kᵀ)·v, of n queries and n keys of d elements each. Inputs are q, k, v and the
 * gradient of the result, in this order, each as [batch…, n, d] through an offset and strides in elements; outputs are
 * the gradients of q, k and v, `out_part` apart, each contiguous in its d elements. A unit is a batch. */
enum { TEN_GRAD_Q, TEN_GRAD_K, TEN_GRAD_V, TEN_GRAD_OUT, TEN_GRAD_INPUTS };
enum { TEN_ATTENTION_GRAD_ROWS = 128, TEN_PANEL_MOST = 32 /* maximum rows or columns of a panel, on any CPU */ };
typedef struct ten_attention_grad {
  int64_t batches, n, d, batch[TEN_ATTENTION_BATCH];
  int64_t offset[TEN_GRAD_INPUTS], row[TEN_GRAD_INPUTS], column[TEN_GRAD_INPUTS],
      strides[TEN_GRAD_INPUTS][TEN_ATTENTION_BATCH];
  int64_t out_row, out_part, out_batch[TEN_ATTENTION_BATCH];
  float scale;
} ten_attention_grad;
/* Row pitch of scores in floats: a cache line more than a row, so that rows map to different sets of L1. */
static inline int64_t ten_attention_grad_row(const ten_attention_grad *a) {
  return (a->n + TEN_PANEL_MOST - 1) / TEN_PANEL_MOST * TEN_PANEL_MOST + 16;
}
/* Floats of scratch per worker. */
static inline int64_t ten_attention_grad_scratch(const ten_attention_grad *a) {
  const int64_t rows = TEN_ATTENTION_GRAD_ROWS, more = TEN_PANEL_MOST, longer = a->n > a->d ? a->n : a->d;
  const int64_t packed = 2 * a->d * (a->n + more) + a->n * (a->d + more) + (rows + more) * (longer + more);
  return (packed + rows * (a->d + more) + 2 * rows * ten_attention_grad_row(a) + 15) / 16 * 16;
}

/* Lines of `n` complex elements, `inner` elements apart; adjacent lines start one element apart until there are `inner`
 * of them. Real input, or output known to be real, is n / 2 + 1 complex elements on its other side. A unit is `group`
 * lines. `table` is made by rt/fft.c. */
enum { TEN_FFT_COMPLEX, TEN_FFT_FROM_REAL, TEN_FFT_TO_REAL };
typedef struct ten_fft {
  int64_t n, m; /* m: n, or the length of the convolution that computes it */
  int64_t inner, lines, group;
  int kind;
  bool inverse; /* and divided by n */
  bool wide;    /* f64 */
  bool half;    /* from or to real, with two elements packed as a complex one: m is n / 2 */
} ten_fft;

/* to[k] = from[0] ∘ … ∘ from[k] along a dimension of n elements, `inner` apart; or from its end. A unit is one line, or
 * TEN_SCAN_COLUMNS adjacent ones. */
enum { TEN_SCAN_F32, TEN_SCAN_F64, TEN_SCAN_I32, TEN_SCAN_I64, TEN_SCAN_WIDE /* f32, sums and products in f64 */ };
enum { TEN_SCAN_SUM, TEN_SCAN_PRODUCT, TEN_SCAN_LARGEST, TEN_SCAN_SMALLEST, TEN_SCAN_LOG_SUM /* floats, from -inf */ };
enum { TEN_SCAN_COLUMNS = 256 };
typedef struct ten_scan {
  int type, op;
  int64_t outer, n, inner;
  bool reverse;
} ten_scan;

/* M·X = B of f32 or f64, M the triangle of `a` or its transpose. X and B: `sides` columns (left), or rows, each a
 * right-hand side. `forward`: M is lower triangular. */
typedef struct ten_solve {
  int64_t n, sides;
  bool wide, left, transposed, forward, unit;
} ten_solve;

/* A transposed tensor: the output's dimensions, and their strides in input and output, in elements of 1, 2, 4 or 8
 * bytes. `near` is the one whose input stride is 1. A unit is a row of the output or, over the last and `near`, a
 * strip of TEN_MOVE_BLOCK. */
enum { TEN_MOVE_RANK = 8, TEN_MOVE_BLOCK = 64 };
typedef struct ten_move {
  uint32_t rank, near;
  size_t bytes;
  int64_t dims[TEN_MOVE_RANK], in_steps[TEN_MOVE_RANK], out_steps[TEN_MOVE_RANK];
} ten_move;

enum { TEN_RANDOM_LANES = 64 }; /* counters whose random words are computed at once */

typedef struct ten_kernels {
  const char *isa;
  int gemm_mr, gemm_nr;
  /* The number of floats of a packed B; and packing of panels [begin, end), of gemm_nr columns except the last ones,
   * with B read through its strides. */
  int64_t (*gemm_packed_size)(int64_t k, int64_t n);
  void (*gemm_pack_b)(int64_t k, int64_t n, const float *b, int64_t b_row, int64_t b_col, int64_t begin, int64_t end,
                      float *packed);
  size_t (*gemm_scratch)(const ten_gemm *gemm, unsigned threads); /* for a pool of up to `threads` */
  void (*gemm_run)(const ten_gemm *gemm, ten_pool *pool);
  /* Convolution: which algorithms support it, their memory, and running it. */
  bool (*conv_can)(const ten_conv2d *conv, ten_conv_algorithm algorithm);
  int64_t (*conv_packed_size)(const ten_conv2d *conv, ten_conv_algorithm algorithm);
  /* `kernel` read through strides (in elements, negative ones too) of kh, kw, ci, co; units [begin, end) of
   * conv_pack_units. */
  int64_t (*conv_pack_units)(const ten_conv2d *conv);
  void (*conv_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel, const int64_t strides[4],
                    int64_t begin, int64_t end, float *packed);
  size_t (*conv_scratch)(const ten_conv2d *conv, unsigned threads);
  void (*conv_run)(const ten_conv2d *conv, ten_pool *pool);
  bool (*wgrad_can_winograd)(const ten_wgrad2d *wgrad);
  size_t (*wgrad_scratch)(const ten_wgrad2d *wgrad, unsigned threads);
  void (*wgrad_run)(const ten_wgrad2d *wgrad, ten_pool *pool);
  /* The same in bf16 (bf16.h): inputs are rounded to it, sums are f32; `narrow`: they are already bf16. Packed sizes in
   * bf16 elements; a unit of packing is a panel. */
  const ten_bf16_form *bf16_portable;
  int64_t (*bf16_packed_size)(int64_t k, int64_t n);
  void (*bf16_pack_b)(int64_t k, int64_t n, const void *b, bool narrow, int64_t b_row, int64_t b_col, int64_t begin,
                      int64_t end, uint16_t *packed);
  size_t (*bf16_gemm_scratch)(const ten_gemm *gemm, unsigned threads);
  void (*bf16_gemm_run)(const ten_gemm *gemm, ten_pool *pool);
  int64_t (*bf16_conv_packed_size)(const ten_conv2d *conv);
  int64_t (*bf16_conv_pack_units)(const ten_conv2d *conv);
  void (*bf16_conv_pack)(const ten_conv2d *conv, const void *kernel, bool narrow, const int64_t strides[4],
                         int64_t begin, int64_t end, uint16_t *packed);
  size_t (*bf16_conv_scratch)(const ten_conv2d *conv, unsigned threads);
  void (*bf16_conv_run)(const ten_conv2d *conv, ten_pool *pool);
  /* 8-bit integers (int8.h). `weights` is the first element of the unpacked kernel's view; units [begin, end) of
   * ten_int8_pack_units. */
  const ten_int8_form *int8_portable;
  size_t (*int8_scratch)(const ten_int8 *p, unsigned threads);
  void (*int8_pack)(const ten_int8 *p, const int8_t *weights, int64_t begin, int64_t end, int8_t *packed);
  void (*int8_run)(const ten_int8 *p, ten_pool *pool);
  size_t (*attention_scratch)(const ten_attention *attention, unsigned threads);
  void (*attention_run)(const ten_attention *attention, ten_pool *pool);
  /* Units [begin, end); scratch of 4·fft_part(m, group) elements. */
  void (*fft_run)(const ten_fft *fft, const void *from, const void *table, void *to, void *scratch, int64_t begin,
                  int64_t end);
  /* Units [begin, end); scratch of TEN_MATMUL_SCRATCH bytes, 64-aligned. */
  void (*product_run)(const ten_matmul *product, const void *a, const void *b, void *c, void *scratch, int64_t begin,
                      int64_t end);
  void (*cholesky_run)(bool wide, int64_t n, bool lower, const void *a, void *out);
  void (*solve_run)(const ten_solve *solve, const void *a, const void *b, void *x);
  /* The words of `counter` and the following ones; Philox has 128-bit counters, from (low, high). */
  void (*threefry_run)(const uint32_t key[2], uint64_t counter, uint32_t out[2][TEN_RANDOM_LANES]);
  void (*philox_run)(const uint32_t key[2], uint64_t low, uint64_t high, uint64_t counter,
                     uint32_t out[4][TEN_RANDOM_LANES]);
  void (*move_run)(const ten_move *move, const void *from, void *to, int64_t begin, int64_t end);
  const ten_epilogue *ready; /* [TEN_READY_COUNT]; context: addresses, the bias first */
  void (*scan_run)(const ten_scan *scan, const void *from, const void *init, void *to, int64_t begin, int64_t end);
  void (*attention_grad_run)(const ten_attention_grad *a, const float *const in[TEN_GRAD_INPUTS], float *out,
                             float *scratch, int64_t begin, int64_t end);
} ten_kernels;

/* The table for this CPU; never NULL. */
const ten_kernels *ten_kernels_best(void);
/* TENFOLD_CPU is read once; this rereads it. */
void ten_kernels_reload(void);
/* By name, for tests and forcing; NULL when unknown or unsupported by this CPU. */
const ten_kernels *ten_kernels_named(const char *isa);

#endif
