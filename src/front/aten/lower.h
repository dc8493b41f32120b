/* lower.h: helpers of the lowerings: arguments of the current ATen op, tensors with PyTorch's aliasing, and StableHLO
 * arithmetic with PyTorch's broadcasting. Only src/front/aten includes this; the entry point is aten.h.
 *
 * 1. Shapes are known: a program is lowered for given input shapes, and symbolic integers are plain numbers here.
 * 2. A lowering never returns an error: at_fail leaves it (longjmp to the driver, which creates the status). Everything
 * a lowering allocates is in the module's arena, so nothing leaks.
 * 3. The driver handles views and in-place ops: a view is a function of its parent, recomputed when the parent
 * changed. */
#ifndef TEN_ATEN_LOWER_H
#define TEN_ATEN_LOWER_H

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include "front/aten/aten.h"
#include "ir/builder.h"

enum {
  AT_MAX_RANK = 16,             /* of a tensor: checked for inputs, weights and every op created */
  AT_DIMS = 2 * AT_MAX_RANK + 4 /* of an array for the dimensions that a lowering collects, of two tensors at most */
};

typedef struct at at;

/* Memory that several tensors may alias. */
typedef struct at_storage {
  ten_value *value;
  uint32_t version;
  ten_str name;  /* of the buffer or parameter, or empty */
  int32_t input; /* of the function, or -1 */
  bool weight;   /* defined by a constant op */
  uint32_t part; /* of a weight: the last part that may read it */
} at_storage;

typedef struct at_tensor at_tensor;
struct at_tensor {
  at_storage *storage;
  at_tensor *parent;   /* NULL: the whole storage */
  ten_op *view;        /* the op that derived it from parent */
  uint32_t view_index; /* which of its results */
  ten_value *value;    /* as of `version`, in `part` */
  uint32_t version, part;
};

typedef enum at_kind { AT_NONE, AT_TENSOR, AT_BOOL, AT_INT, AT_FLOAT, AT_COMPLEX } at_kind;

/* An ATen value during lowering. A Python number read out of a tensor (item) has kind INT, FLOAT or BOOL and a
 * value. */
typedef struct at_ref {
  at_kind kind;
  at_tensor *tensor; /* TENSOR */
  int64_t i;         /* BOOL, INT */
  double f;          /* FLOAT; INT too; COMPLEX: the real part */
  double imag;       /* COMPLEX */
  ten_value *value;  /* a number known only at run time: rank 0 */
} at_ref;

typedef struct at_answer {
  const ten_value *value;
  int64_t number;
  struct at_answer *next;
} at_answer;

/* A range that a value was checked against, in a block. */
typedef struct at_checked {
  const ten_value *value;
  const ten_block *block;
  int64_t low, limit;
  struct at_checked *next;
} at_checked;

typedef void (*at_lowering)(at *l);
typedef ten_value *(*at_view)(at *l, ten_value *self, uint32_t index);

typedef struct at_row {
  const char *name; /* "add" matches every overload, "add.Scalar" that one */
  at_lowering run;
  at_view view; /* instead of run: the result is a view of the argument `self` */
  int flags;
  int code; /* distinguishes rows that share a lowering: an opcode, a direction */
} at_row;
enum { AT_VIEW_OTHER = 0, AT_VIEW_RESHAPE = 1, AT_VIEW_COPY_IF = 2 };

struct at {
  ten_builder b;
  ten_op *op;        /* the ATen op being lowered */
  const at_row *row; /* and its row */
  at_ref *refs;      /* by value number */
  size_t ref_count;
  at_ref *results; /* of the current op */
  uint32_t result_count;
  const at_row **rows; /* open-addressed by name */
  size_t row_capacity;
  const ten_aten_options *options;
  ten_value *rng; /* state after the last random op, ui64[2] */
  bool rng_used;
  uint64_t region_draws; /* random ops in the current region */
  ten_dtype autocast;    /* NONE: off */
  bool checks;           /* emit checks for errors that eager mode raises (check.c) */
  at_checked *checked;   /* latest first */
  uint32_t depth;
  ten_block *body; /* of the function */
  /* Data-dependent sizes (function.c). */
  bool asks;              /* the program may be run to find them */
  uint32_t part;          /* how many times it was */
  ten_op *reached;        /* the current op of @main */
  TEN_VEC(int64_t) asked; /* answers it received */
  size_t replayed;        /* and how many of them it has queried again in this part */
  at_answer *answers;     /* known numbers of this part, latest first */
  ten_value *question;    /* the value that must be known before lowering can continue */
  jmp_buf *escape;
  ten_status *status;
};

_Noreturn void at_fail(at *l, ten_code code, const char *format, ...) TEN_PRINTF(3, 4);
#define at_check(l, condition, ...)                           \
  do {                                                        \
    if (!(condition)) at_fail((l), TEN_INVALID, __VA_ARGS__); \
  } while (0)

/* Zeroed memory in the module for results computed here; a program whose sizes need too much is refused. */
void *at_array(at *l, size_t count, size_t size);
#define at_new_array(l, type, count) ((type *)at_array((l), (size_t)(count), sizeof(type)))

/* ---- arguments, by their names in PyTorch's schema ---- */
bool at_has(at *l, const char *name); /* given, and not None */
at_ref at_arg(at *l, const char *name);
at_tensor *at_alias(at *l, const char *name); /* the tensor itself, for writes; NULL for None */
ten_value *at_t(at *l, const char *name);
ten_value *at_topt(at *l, const char *name);                 /* NULL for None */
size_t at_ts(at *l, const char *name, ten_value ***out);     /* a list of tensors */
size_t at_ts_opt(at *l, const char *name, ten_value ***out); /* None items are NULL */
/* A size, step, amount, count or choice: none exceeds the size of a tensor, and a sum of two fits. */
int64_t at_int(at *l, const char *name, int64_t otherwise);
int64_t at_int_any(at *l, const char *name, int64_t otherwise); /* an element, or an index that a size clips */
double at_float(at *l, const char *name, double otherwise);
bool at_bool(at *l, const char *name, bool otherwise);
ten_ints at_ints(at *l, const char *name);
/* The value if it depends on constants alone: a weight, a buffer, a size. NULL: known only at run time. */
const ten_attr *at_known(at *l, ten_value *value);
/* A number of the program that determines a size or index. Leaves when it is unknown: the program is run for it, or, if
 * queries are not allowed, refused; `what` names it. */
int64_t at_ask(at *l, ten_value *number, const char *what);
size_t at_floats(at *l, const char *name, double **out);
ten_dtype at_dtype(at *l, const char *name, ten_dtype otherwise);
ten_str at_string(at *l, const char *name);
/* Window arguments of `rank` dimensions: one number applies to all. */
void at_window(at *l, const char *name, uint32_t rank, int64_t otherwise, int64_t *out);
/* The result type that the importer declares, or NULL; may have dynamic dimensions. */
const ten_type *at_declared(at *l, uint32_t index);

/* ---- results ---- */
void at_ret(at *l, uint32_t index, ten_value *value);
void at_ret_ref(at *l, uint32_t index, at_ref ref);
/* Writes through a tensor: updates its storage and everything that aliases it. */
void at_write(at *l, at_tensor *tensor, ten_value *value);
ten_value *at_read(at *l, at_tensor *tensor);
at_tensor *at_tensor_new(at *l, ten_value *value);

/* ---- shapes ---- */
static inline uint32_t at_rank(const ten_value *x) { return x->type->rank; }
/* Size i of x; an invalid dimension ends the lowering. */
static inline int64_t at_dim(at *l, const ten_value *x, int64_t i) {
  at_check(l, i >= 0 && i < x->type->rank, "dimension %lld of a tensor of rank %u", (long long)i, x->type->rank);
  return x->type->dims[i];
}
static inline void at_need_rank(at *l, const ten_value *x, uint32_t least) {
  at_check(l, x->type->rank >= least, "a tensor of rank %u where %u dimensions are needed", x->type->rank, least);
}
/* All at_rank(x) of them, for functions that also take a rank; at_dim reads one. */
static inline const int64_t *at_dims(const ten_value *x) { return x->type->dims; }
/* The first `rank` of them. */
static inline const int64_t *at_dims_first(at *l, const ten_value *x, uint32_t rank) {
  at_need_rank(l, x, rank);
  return x->type->dims;
}
/* Item i of a list argument; a shorter list ends the lowering. */
static inline int64_t at_item(at *l, ten_ints list, size_t i) {
  at_check(l, i < list.count, "a list of %zu numbers where %zu are needed", list.count, i + 1);
  return list.data[i];
}
static inline ten_dtype at_type(const ten_value *x) { return x->type->dtype; }
static inline int64_t at_count(const ten_value *x) { return ten_type_count(x->type); }
static inline bool at_is_float(const ten_value *x) { return ten_dtype_is_float(at_type(x)); }
static inline bool at_is_complex(const ten_value *x) { return ten_dtype_is_complex(at_type(x)); }
int64_t at_wrap(at *l, int64_t dim, uint32_t rank); /* negative dimensions count from the end */
int64_t at_dim_arg(at *l, const char *name, int64_t otherwise, uint32_t rank);
/* A list of dimensions made positive; empty or None: all of them. Returns the count. */
uint32_t at_dims_arg(at *l, const char *name, uint32_t rank, int64_t *out);
void at_broadcast_dims(at *l, const ten_value *a, const ten_value *b, uint32_t *rank, int64_t *dims);
int64_t at_product(at *l, uint32_t rank, const int64_t *dims); /* checked */
/* Arithmetic on sizes; overflow ends the lowering. */
int64_t at_mul_size(at *l, int64_t a, int64_t b);
int64_t at_add_size(at *l, int64_t a, int64_t b);
int64_t at_sub_size(at *l, int64_t a, int64_t b);
int64_t at_reach(at *l, int64_t step, int64_t count); /* from the first of `count` positions to the last */

ten_value *at_reshape(at *l, ten_value *x, uint32_t rank, const int64_t *dims);
ten_value *at_expand(at *l, ten_value *x, uint32_t rank, const int64_t *dims);
ten_value *at_expand_like(at *l, ten_value *x, const ten_value *like);
ten_value *at_flatten(at *l, ten_value *x);
ten_value *at_unsqueeze(at *l, ten_value *x, int64_t dim);
ten_value *at_squeeze(at *l, ten_value *x, int64_t dim);
ten_value *at_permute(at *l, ten_value *x, const int64_t *permutation);
ten_value *at_swap(at *l, ten_value *x, int64_t a, int64_t b);
ten_value *at_slice(at *l, ten_value *x, int64_t dim, int64_t start, int64_t limit, int64_t step);
ten_value *at_cat(at *l, size_t count, ten_value *const *xs, int64_t dim);
/* Edge padding of one dimension; negative amounts crop. */
ten_value *at_pad(at *l, ten_value *x, int64_t dim, int64_t low, int64_t high, int64_t interior, double value);
/* A vector along `dim` reshaped to broadcast against rank `rank`. */
ten_value *at_along(at *l, ten_value *vector, uint32_t rank, int64_t dim);

/* ---- numbers ---- */
ten_value *at_num(at *l, const ten_value *like, double value); /* rank-0, of like's element type */
ten_value *at_int_num(at *l, const ten_value *like, int64_t value);
ten_value *at_const(at *l, ten_dtype dtype, double value);
ten_value *at_full(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims, double value);
ten_value *at_iota(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims, int64_t dim);
ten_value *at_cast(at *l, ten_value *x, ten_dtype dtype);
ten_value *at_ref_value(at *l, at_ref ref, ten_dtype dtype); /* a number or tensor as a value of that type */

/* Broadcasting arithmetic on equal element types. */
ten_value *at_bin(at *l, ten_opcode code, ten_value *a, ten_value *b);
ten_value *at_un(at *l, ten_opcode code, ten_value *a);
ten_value *at_cmp(at *l, ten_compare direction, ten_value *a, ten_value *b);
ten_value *at_sel(at *l, ten_value *pred, ten_value *on_true, ten_value *on_false);
ten_value *at_add(at *l, ten_value *a, ten_value *b);
ten_value *at_sub(at *l, ten_value *a, ten_value *b);
ten_value *at_mul(at *l, ten_value *a, ten_value *b);
ten_value *at_div(at *l, ten_value *a, ten_value *b);
/* start + weight · (end - start), in the form that is exact at the nearer end. */
ten_value *at_lerp(at *l, ten_value *start, ten_value *end, ten_value *weight);
ten_value *at_max(at *l, ten_value *a, ten_value *b);
ten_value *at_min(at *l, ten_value *a, ten_value *b);
ten_value *at_addn(at *l, ten_value *a, double b);
ten_value *at_muln(at *l, ten_value *a, double b);
ten_value *at_neg(at *l, ten_value *a);
ten_value *at_not(at *l, ten_value *a); /* of booleans */
ten_value *at_and(at *l, ten_value *a, ten_value *b);
ten_value *at_or(at *l, ten_value *a, ten_value *b);
ten_value *at_isnan(at *l, ten_value *a);
ten_value *at_isfinite(at *l, ten_value *a); /* of floats */

/* ---- promotion (promote.c) ---- */
ten_dtype at_promote(ten_dtype a, ten_dtype b);
typedef struct at_mix {
  ten_dtype dim, zero, wrapped; /* tensors with dimensions, without, Python numbers; NONE: none of these */
} at_mix;
void at_mix_add(at_mix *mix, at_ref ref, const ten_value *value);
ten_dtype at_mix_type(at_mix mix);
/* The two arguments as tensors of their common type; `to_float`: integers become f32. */
void at_pair(at *l, const char *a, const char *b, bool to_float, ten_value **out_a, ten_value **out_b);
ten_dtype at_float_type(ten_dtype dtype); /* itself when inexact, else f32 */
ten_dtype at_acc_type(ten_dtype dtype);   /* f32 for f16 and bf16 */

/* ---- reductions (reduce.c) ---- */
ten_value *at_reduce(at *l, ten_opcode code, ten_value *x, uint32_t count, const int64_t *dims, bool keep);
/* The accumulation type of sums: f64 where that costs nothing, as PyTorch's CPU kernels do for many. */
ten_dtype at_wide_type(const ten_value *x);
/* Groups of channels (norm.c). Values of groups, [n, groups], for each of their channels, as [n, c, 1, …] of that rank;
 * and sums of [n, c, …] over the channels of each group and all that follows, [n, groups]. */
ten_value *at_to_channels(at *l, ten_value *groups, int64_t channels, uint32_t rank);
ten_value *at_over_groups(at *l, ten_value *x, int64_t groups);
/* An operand of a matmul or convolution (or NULL) in the type that autocast lowers it to. */
ten_value *at_autocast(at *l, ten_value *x);
ten_value *at_sum(at *l, ten_value *x, uint32_t count, const int64_t *dims, bool keep);
ten_value *at_mean(at *l, ten_value *x, uint32_t count, const int64_t *dims, bool keep);
ten_value *at_softmax(at *l, ten_value *x, int64_t dim, bool log);
/* The maximum of each row, which a softmax subtracts; no gradient goes through it. */
ten_value *at_shift(at *l, ten_value *x, int64_t dim);
/* The cumulative combination along a dimension, as PyTorch's cumulative ops. */
ten_value *at_cumulate(at *l, ten_opcode code, ten_value *x, int64_t dim);
/* Lowest (or highest) value that a type holds. */
ten_value *at_lowest(at *l, ten_dtype dtype);
ten_value *at_highest(at *l, ten_dtype dtype);
/* Index of the first largest (smallest) element along dim, NaN first; i64, dim removed. The value too, if
 * requested. */
ten_value *at_arg_extreme(at *l, ten_value *x, int64_t dim, bool largest, ten_value **out_value);

/* ---- contractions (matmul.c) ---- */
ten_value *at_matmul(at *l, ten_value *a, ten_value *b);
ten_value *at_linear(at *l, ten_value *x, ten_value *weight, ten_value *bias); /* x wᵀ + bias */
/* out[batch, free a, free b]; sums over the contracted dimensions. */
ten_value *at_dot(at *l, ten_value *a, ten_value *b, ten_ints batch_a, ten_ints batch_b, ten_ints sum_a,
                  ten_ints sum_b);
/* x with gradients stopped: its bits as integers, and back. x itself unless it is differentiated. */
ten_value *at_stop(at *l, ten_value *x);

/* ---- indexing (index.c) ---- */
/* x[…, index, …] along dim, replaced by the dimensions of index. Out of range is clamped, as in gather. */
ten_value *at_take(at *l, ten_value *x, ten_value *index, int64_t dim);
/* torch.gather. */
ten_value *at_gather(at *l, ten_value *x, ten_value *index, int64_t dim);
/* x with updates combined at the indices of torch.scatter. UNKNOWN: replaced. */
ten_value *at_scatter(at *l, ten_opcode code, ten_value *x, ten_value *index, ten_value *updates, int64_t dim);
/* Whether such an index is known to move whole rows: the same along every other dimension. */
bool at_moves_rows(at *l, const ten_value *x, const ten_value *index, int64_t dim);
/* Combines (or writes) updates at flat positions of x: index i64[n], updates [n]. */
ten_value *at_scatter_flat(at *l, ten_opcode code, ten_value *x, ten_value *index, ten_value *updates);
/* Scatters updates of shape [rest before where, index dims, rest after] into x, at indices along `dims`. */
ten_value *at_scatter_at(at *l, ten_opcode code, ten_value *x, size_t count, const int64_t *dims,
                         ten_value *const *indices, uint32_t where, ten_value *updates);
/* Indices below 0 count from the end. */
ten_value *at_wrapped(at *l, ten_value *index, int64_t size);
/* The n-th true element takes the n-th value. */
ten_value *at_masked_values(at *l, ten_value *mask, ten_value *values);
/* Checks indices of gather and scatter: negative ones are invalid. */
void at_assert_places(at *l, ten_value *index, const ten_value *x, int64_t dim, const char *exception);
/* pointwise.c: |x|, also of complex numbers. */
ten_value *at_abs(at *l, ten_value *x);

/* ---- checks (check.c): the program fails with this Python exception where one does not hold ---- */
void at_assert(at *l, ten_value *ok, const char *exception, const char *format, ...) TEN_PRINTF(4, 5); /* all of `ok` */
/* low <= x < limit for all x, integers; "{}" in the text is replaced by one that fails. */
void at_assert_range(at *l, ten_value *x, int64_t low, int64_t limit, const char *exception, const char *format, ...)
    TEN_PRINTF(6, 7);
/* Indices along a dimension of `size`; `negative`: negative ones count from its end. */
void at_assert_index(at *l, ten_value *index, int64_t dim, int64_t size, bool negative, const char *exception);
void at_assert_divisor(at *l, ten_value *x); /* no integer is 0 */

/* ---- data-dependent sizes (counted.c) ---- */
/* The true positions of a mask, in order: a list for each of its dimensions, of one length. */
void at_true_places(at *l, ten_value *mask, ten_value **lists);
/* The largest of i64 plus one: a size for which they all are valid indices. */
ten_value *at_largest_and_one(at *l, ten_value *x);

/* ---- sort (sort.c) ---- */
void at_sort(at *l, ten_value *x, int64_t dim, bool descending, ten_value **values, ten_value **indices);

/* ---- random (rng.c) ---- */
ten_value *at_rng_state(at *l); /* state of the next random numbers */
ten_value *at_uniform(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims); /* [0, 1) */
ten_value *at_normal(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims);

/* ---- pointwise pieces used elsewhere (activation.c, norm.c) ---- */
ten_value *at_gelu(at *l, ten_value *x, bool tanh_form);
ten_value *at_sigmoid(at *l, ten_value *x);
/* Of max pooling, by its input: the first maximum of each window is found again. */
ten_value *at_pool_gradient(at *l, ten_value *x, ten_value *grad, const ten_window *window);
ten_value *at_relu(at *l, ten_value *x);
ten_value *at_silu(at *l, ten_value *x);
ten_value *at_softplus(at *l, ten_value *x);
ten_value *at_exp(at *l, ten_value *x);
ten_value *at_log(at *l, ten_value *x);
ten_value *at_tanh(at *l, ten_value *x);
ten_value *at_sqrt(at *l, ten_value *x);
ten_value *at_rsqrt(at *l, ten_value *x);
ten_value *at_dropout(at *l, ten_value *x, double p, ten_value **out_mask);

/* ---- views (views.c) ---- */
/* The parent with the view's elements replaced by `value`. */
ten_value *at_view_put(at *l, at_tensor *tensor, ten_value *parent, ten_value *value);
void at_slice_args(at *l, const ten_value *self, int64_t *dim, int64_t *start, int64_t *limit, int64_t *step);
bool at_view_permutation(at *l, uint32_t rank, int64_t *permutation);

/* ---- the driver (lower.c) ---- */
/* Lowers region r of the current op in place with these arguments; out receives its results. */
size_t at_run_region(at *l, ten_op *op, uint32_t r, size_t count, const at_ref *args, at_ref *out, size_t out_capacity);
/* The same for an op and all that follow it in its block. */
size_t at_run_ops(at *l, ten_op *first, at_ref *out, size_t capacity);
/* Builds the table of rows by name, before lookups; the caller frees l->rows. */
void at_table_make(at *l);
const at_row *at_row_find(const at *l, ten_str name);
/* The row that lowers an op, of the functional form if it is in-place; NULL: none. */
const at_row *at_row_of(const at *l, ten_str name, bool *in_place);
/* A constant op of the ATen program. */
ten_value *at_weight(at *l, const ten_op *op);
/* The row of an op with a registered lowering, or NULL (custom.c). */
const at_row *at_row_registered(ten_str name);

// clang-format off: a table
#define AT_FAMILIES(X) \
  X(pointwise) X(arithmetic) X(activation) X(reduce) X(cumulative) X(matmul) X(differences) X(conv) X(norm) \
  X(pool) X(attention) X(index) X(scatter) X(shape) X(views) X(create) X(rng) X(sort) X(control) X(sym) X(rnn) \
  X(pad) X(loss) X(backward) X(norm_backward) X(resize) X(special) X(fft) X(stft) X(composite) X(linalg) \
  X(custom) X(loss_backward) X(bessel) X(polynomial) X(linalg_qr) X(linalg_eigen) X(quantize) X(grouped) \
  X(embedding) X(grid_sample) X(counted) X(ctc) X(segment) X(rnn_backward) X(optimizer)
// clang-format on
#define AT_DECLARE(family) extern const at_row at_rows_##family[];
AT_FAMILIES(AT_DECLARE)
#undef AT_DECLARE

/* fft.c: one transform along the last dimension; n is the length of the real side. The kinds are FFT_TYPE's wire
 * values. */
enum { AT_FFT_FORWARD = 0, AT_FFT_INVERSE = 1, AT_FFT_REAL = 2, AT_FFT_TO_REAL = 3 };
ten_value *at_fft(at *l, ten_value *x, int kind, int64_t n);
/* loss.c: the number of row pairs of a matrix, and the indices of the first and of the second row of each. */
int64_t at_point_pairs(at *l, ten_value *points, ten_value *ends[2]);

#endif
