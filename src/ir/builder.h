/* builder.h: creates StableHLO ops at an insertion point, with inferred result types. Shapes must be static where a
 * result shape has to be computed; callers pass valid operands. Invalid ones (a dimension number outside the rank, a
 * size that overflows) are refused: by `refuse` where they come from the caller's input (src/front/aten), else by an
 * assert, as they are a bug. */
#ifndef TEN_IR_BUILDER_H
#define TEN_IR_BUILDER_H

#include "ir/dims.h"

typedef struct ten_builder {
  ten_module *module;
  ten_block *block;   /* the insertion point */
  ten_op *before;     /* before this op of `block`; NULL: at the end */
  const ten_loc *loc; /* the location of every op created */
  /* Leaves (longjmp) with the reason why an op cannot be created. NULL: an assert. */
  void (*refuse)(void *context, const char *reason);
  void *refuse_context;
  uint32_t rank_max; /* of a result; 0: only the builder's own limit */
} ten_builder;

/* The most elements of a tensor whose sizes the program determines, with sizes of 0 counted as 1: the address space, so
 * that sums of a few sizes fit 64 bits. */
#define TEN_BUILD_COUNT_MAX ((int64_t)1 << 47)

/* Checks of operands, in the builder and in code built on it: refuses with the formatted reason. */
void ten_build_refuse(const ten_builder *b, const char *format, ...) TEN_PRINTF(2, 3);
#define ten_build_check(b, condition, ...)                \
  do {                                                    \
    if (!(condition)) ten_build_refuse((b), __VA_ARGS__); \
  } while (0)
/* Size `dim` of x; refuses a dimension number that x does not have. */
int64_t ten_build_dim(const ten_builder *b, const ten_value *x, int64_t dim);
/* Whether a size is known and different: dynamic sizes match anything. */
static inline bool ten_size_differs(int64_t a, int64_t b) { return a != b && a != TEN_DYNAMIC && b != TEN_DYNAMIC; }
/* A builder at the end of another block, with the same `refuse` as b. */
static inline ten_builder ten_builder_in(const ten_builder *b, ten_block *block) {
  ten_builder inner = *b;
  inner.block = block, inner.before = NULL;
  return inner;
}

typedef enum ten_compare {
  TEN_EQ,
  TEN_NE,
  TEN_GE,
  TEN_GT,
  TEN_LE,
  TEN_LT
} ten_compare; /* values of COMPARISON_DIRECTION */

/* The general form; everything else goes through it. */
ten_op *ten_build_op(ten_builder *b, ten_opcode code, uint32_t operand_count, ten_value *const *operands,
                     uint32_t result_count, const ten_type *const *types, uint32_t attr_count,
                     const ten_named_attr *attrs, uint32_t region_count);
/* An op outside the table in generic form, such as "aten.add.Tensor". */
ten_op *ten_build_named(ten_builder *b, ten_str name, uint32_t operand_count, ten_value *const *operands,
                        uint32_t result_count, const ten_type *const *types, uint32_t attr_count,
                        const ten_named_attr *attrs, uint32_t region_count);

/* Constants. Values are rounded to the element type (ints: truncated). Complex: the real part. */
ten_value *ten_build_constant(ten_builder *b, const ten_attr *dense);
ten_value *ten_build_splat(ten_builder *b, const ten_type *type, double value);
ten_value *ten_build_splat_int(ten_builder *b, const ten_type *type, int64_t value);
ten_value *ten_build_scalar(ten_builder *b, ten_dtype dtype, double value);
ten_value *ten_build_scalar_int(ten_builder *b, ten_dtype dtype, int64_t value);
ten_value *ten_build_like(ten_builder *b, ten_value *like, double value);       /* a splat of like's type */
ten_value *ten_build_i64s(ten_builder *b, size_t count, const int64_t *values); /* tensor<count x i64> */
ten_value *ten_build_iota(ten_builder *b, const ten_type *type, int64_t dim);

/* Elementwise; `code` is any elementwise op whose result type is its operand's type. */
ten_value *ten_build_unary(ten_builder *b, ten_opcode code, ten_value *x);
ten_value *ten_build_binary(ten_builder *b, ten_opcode code, ten_value *x, ten_value *y);
ten_value *ten_build_compare(ten_builder *b, ten_compare direction, ten_value *x, ten_value *y);
ten_value *ten_build_select(ten_builder *b, ten_value *pred, ten_value *on_true, ten_value *on_false);
ten_value *ten_build_clamp(ten_builder *b, ten_value *min, ten_value *x, ten_value *max);
ten_value *ten_build_convert(ten_builder *b, ten_value *x, ten_dtype dtype); /* x itself when it has that type */
ten_value *ten_build_complex(ten_builder *b, ten_value *real, ten_value *imag);
ten_value *ten_build_part(ten_builder *b, ten_opcode real_or_imag, ten_value *x);

/* Shape. Each returns x itself when it would be a no-op. */
ten_value *ten_build_reshape(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims);
ten_value *ten_build_broadcast(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims, const int64_t *map);
/* NumPy broadcasting: trailing dimensions are aligned. */
ten_value *ten_build_broadcast_to(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims);
ten_value *ten_build_transpose(ten_builder *b, ten_value *x, const int64_t *permutation);
ten_value *ten_build_reverse(ten_builder *b, ten_value *x, size_t count, const int64_t *dims);
ten_value *ten_build_slice(ten_builder *b, ten_value *x, const int64_t *start, const int64_t *limit,
                           const int64_t *strides);
ten_value *ten_build_slice_dim(ten_builder *b, ten_value *x, int64_t dim, int64_t start, int64_t limit, int64_t stride);
ten_value *ten_build_pad(ten_builder *b, ten_value *x, ten_value *value, const int64_t *low, const int64_t *high,
                         const int64_t *interior);
ten_value *ten_build_concat(ten_builder *b, uint32_t count, ten_value *const *xs, int64_t dim);
ten_value *ten_build_dynamic_slice(ten_builder *b, ten_value *x, ten_value *const *starts, const int64_t *sizes);
ten_value *ten_build_dynamic_update_slice(ten_builder *b, ten_value *x, ten_value *update, ten_value *const *starts);

/* Contractions. `dtype` is the result's element type; TEN_DTYPE_NONE: x's. */
ten_value *ten_build_dot(ten_builder *b, ten_value *x, ten_value *y, const ten_dot_dims *dims, ten_dtype dtype);
ten_value *ten_build_matmul(ten_builder *b, ten_value *x, ten_value *y); /* […,m,k] × […,k,n], equal batch dims */
typedef struct ten_conv_config {
  ten_conv_dims dims;
  uint32_t rank;                                                                        /* spatial */
  const int64_t *strides, *padding /* low, high pairs */, *lhs_dilation, *rhs_dilation; /* NULL: 1, 0 */
  const uint8_t *reversal;                                                              /* NULL: none */
  int64_t feature_groups, batch_groups;
} ten_conv_config;
ten_value *ten_build_conv(ten_builder *b, ten_value *x, ten_value *kernel, const ten_conv_config *config);

/* Reductions: `code` is a binary op (ADD, MAXIMUM, AND…), or pass the body. */
ten_value *ten_build_reduce(ten_builder *b, ten_opcode code, ten_value *x, ten_value *init, size_t count,
                            const int64_t *dims);
typedef void (*ten_body)(ten_builder *b, ten_value *const *args, void *context); /* must end with ten_build_return */
ten_op *ten_build_reduce_with(ten_builder *b, uint32_t count, ten_value *const *xs, ten_value *const *inits,
                              size_t dim_count, const int64_t *dims, ten_body body, void *context);
ten_op *ten_build_reduce_window(ten_builder *b, uint32_t count, ten_value *const *xs, ten_value *const *inits,
                                const ten_window *window, ten_body body, void *context);
ten_op *ten_build_sort(ten_builder *b, uint32_t count, ten_value *const *xs, int64_t dim, bool stable, ten_body compare,
                       void *context);
ten_value *ten_build_gather(ten_builder *b, ten_value *x, ten_value *indices, const ten_gather_dims *dims,
                            const int64_t *slice_sizes, bool sorted);
/* Combines with `code`; TEN_OP_UNKNOWN: the update replaces the element. */
ten_value *ten_build_scatter(ten_builder *b, ten_opcode code, ten_value *x, ten_value *indices, ten_value *updates,
                             const ten_scatter_dims *dims, bool sorted, bool unique);

/* Control flow. Bodies take the arguments of the op's regions. */
ten_op *ten_build_while(ten_builder *b, uint32_t count, ten_value *const *inits, ten_body cond, ten_body body,
                        void *context);
ten_op *ten_build_if(ten_builder *b, ten_value *pred, uint32_t result_count, const ten_type *const *types,
                     ten_body on_true, ten_body on_false, void *context);
ten_op *ten_build_call(ten_builder *b, const ten_op *func, ten_value *const *args);
/* stablehlo.return inside a region, func.return inside a function. */
void ten_build_return(ten_builder *b, uint32_t count, ten_value *const *values);
/* Fills region r of op with one block whose arguments have these types, and calls body on it. */
void ten_build_region(ten_builder *b, ten_op *op, uint32_t r, uint32_t arg_count, const ten_type *const *types,
                      ten_body body, void *context);

#endif
