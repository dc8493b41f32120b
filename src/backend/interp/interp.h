/* interp.h: types and functions shared by the interpreter's files.
 *
 * A function becomes a plan: blocks of instructions whose operands and results are slots of one frame. A kernel reads
 * call->in, fills call->out (owned references), and may run the regions of its op. */
#ifndef TEN_INTERP_INTERP_H
#define TEN_INTERP_INTERP_H

#include "backend/backend.h"
#include "ir/dims.h"

typedef struct interp_inst interp_inst;
typedef struct interp_block interp_block;
typedef struct interp_func interp_func;
typedef struct interp_program interp_program;
typedef struct interp_state interp_state;
typedef struct interp_call interp_call;
typedef struct interp_grid interp_grid;
typedef struct interp_probes interp_probes;
typedef ten_status *(*interp_kernel)(interp_call *call);

struct interp_block {
  const ten_block *block;
  interp_inst *insts;
  uint32_t count;
  const uint32_t *args;    /* slots */
  const uint32_t *returns; /* slots of the terminator's operands */
  uint32_t arg_count, return_count;
  bool lifts; /* scalar to scalar, elementwise throughout: can run on whole tensors at once */
};

struct interp_inst {
  const ten_op *op;
  interp_kernel kernel;
  const uint32_t *operands, *results; /* slots */
  const uint32_t *dead;               /* slots whose last use is here */
  uint32_t dead_count;
  interp_block *regions; /* op->region_count of them */
  interp_func *callee;   /* of func.call and composite */
  ten_tensor *constant;  /* of constants; owned by the program */
};

struct interp_func {
  const ten_op *op;
  uint32_t slots;
  interp_block body;
  interp_func *next;
};

struct interp_program {
  ten_executable base;
  ten_module *module;
  ten_arena arena;    /* plans */
  interp_func *funcs; /* all reachable functions */
  interp_func *entry;
  TEN_VEC(ten_tensor *) constants;
};

/* One running process: a replica and partition, or the only process. */
struct interp_state {
  const interp_program *program;
  const ten_run_options *options;
  interp_grid *grid; /* NULL: a single process */
  uint32_t replica, partition;
  interp_probes *probes; /* shared by the whole run */
  uint64_t rng_calls;    /* of stablehlo.rng in this process */
  uint32_t depth;        /* of calls */
};

struct interp_call {
  interp_state *state;
  const interp_inst *inst;
  const ten_op *op;
  ten_tensor **frame;
  ten_tensor **in; /* borrowed */
  ten_tensor **out;
  bool expressed; /* quantized operands are already dequantized, and results are real: see quant.c */
  /* Collectives of a compiled program: the combiner to use instead of the op's region; NULL: run the region. */
  ten_status *(*combine)(interp_call *call, const ten_tensor *x, const ten_tensor *y, ten_tensor **out);
  void *user;
};

extern const interp_kernel interp_kernels[TEN_OP_COUNT];
extern const ten_backend ten_interp_backend;

/* plan.c */
TEN_MUST_USE ten_status *interp_plan(interp_program *program, const ten_op *func, interp_func **out_func);
interp_func *interp_func_find(const interp_program *program, const ten_op *func);
/* The function that a symbol names, looked up from `from` outwards; NULL if not found. */
ten_op *interp_symbol(const ten_op *from, const ten_attr *symbol);

/* run.c: arguments are borrowed, results owned by the caller (and NULL on error). */
TEN_MUST_USE ten_status *interp_func_run(interp_state *state, const interp_func *func, ten_tensor *const *args,
                                         ten_tensor **results);
TEN_MUST_USE ten_status *interp_block_run(interp_call *call, const interp_block *block, ten_tensor *const *args,
                                          ten_tensor **results);
static inline const interp_block *interp_region(const interp_call *call, uint32_t i) { return &call->inst->regions[i]; }

/* Errors that name the op. */
#define interp_error(call, code, ...) ten_op_error((call)->op, (code), __VA_ARGS__)

/* A new result of the op: element type of the result's type, given shape; `like`: the shape of an operand. */
TEN_MUST_USE ten_status *interp_make(interp_call *call, uint32_t result, uint32_t rank, const int64_t *dims,
                                     ten_tensor **out);
TEN_MUST_USE ten_status *interp_make_like(interp_call *call, uint32_t result, const ten_tensor *like, ten_tensor **out);
static inline const ten_type *interp_in_type(const interp_call *call, uint32_t i) {
  return ten_op_operand(call->op, i)->type;
}
static inline const ten_type *interp_out_type(const interp_call *call, uint32_t i) { return call->op->results[i].type; }

/* Kernels, by file. */
// clang-format off: a table
#define INTERP_KERNELS(X)                                                                                           \
  X(unary) X(binary) X(compare) X(select) X(clamp) X(complex) X(real_imag) X(is_finite) X(reduce_precision)         \
  X(bitcast_convert) X(convert) X(special_binary) X(is_infinite) X(mulhi) X(constant)                               \
  X(constant_like) X(iota) X(dynamic_iota) X(broadcast) X(broadcast_in_dim) X(reshape) X(dynamic_reshape)           \
  X(transpose) X(reverse) X(slice) X(real_dynamic_slice) X(dynamic_slice) X(dynamic_update_slice) X(pad)            \
  X(dynamic_pad) X(concatenate) X(get_dimension_size) X(set_dimension_size) X(reduce) X(map) X(reduce_window)       \
  X(select_and_scatter) X(sort) X(top_k) X(scan) X(dot_general) X(dot) X(einsum) X(unary_einsum) X(ragged_dot)      \
  X(convolution) X(gather) X(scatter) X(torch_index_select) X(batch_norm_training) X(batch_norm_inference)          \
  X(batch_norm_grad) X(cholesky) X(triangular_solve) X(fft) X(rng) X(rng_bit_generator) X(quantize) X(dequantize)   \
  X(if) X(case) X(while) X(callee) X(custom_call) X(identity) X(token) X(tuple) X(get_tuple_element) X(async_start) \
  X(async_done) X(infeed) X(outfeed) X(send) X(recv) X(replica_id) X(partition_id) X(all_gather) X(all_reduce)      \
  X(reduce_scatter) X(all_to_all) X(collective_broadcast) X(collective_permute) X(collective_reduce)                \
  X(cross_replica_sum) X(run_parallel) X(broadcast_op) X(check) X(print) X(probe) X(expect_serialized_eq)
// clang-format on
#define INTERP_DECLARE(name) ten_status *interp_##name(interp_call *call);
INTERP_KERNELS(INTERP_DECLARE)
#undef INTERP_DECLARE

/* special.c: applies a special function elementwise, rounded once; false: not a special function. */
bool interp_special_real(ten_opcode code, const ten_tensor *x, ten_tensor *out);
/* pointwise.c: by op code, for kernels that need arithmetic. */
TEN_MUST_USE ten_status *interp_binary_on(interp_call *call, ten_opcode code, const ten_tensor *x, const ten_tensor *y,
                                          ten_tensor **out);
TEN_MUST_USE ten_status *interp_compare_on(interp_call *call, int direction, bool total, const ten_tensor *x,
                                           const ten_tensor *y, ten_tensor **out);

/* reduce.c: applies a scalar region to every element. Arguments have the given shape, or are scalars that are
 * broadcast; results have the shape, and the element types the region returns. */
TEN_MUST_USE ten_status *interp_elementwise(interp_call *call, const interp_block *block, ten_tensor *const *args,
                                            uint32_t rank, const int64_t *dims, ten_tensor **results);
/* A tensor of that shape filled with the scalar. */
TEN_MUST_USE ten_status *interp_fill(const ten_tensor *scalar, uint32_t rank, const int64_t *dims, ten_tensor **out);

/* convert.c: retains x when it has that type already. */
TEN_MUST_USE ten_status *interp_convert_to(interp_call *call, ten_tensor *x, ten_dtype dtype, ten_tensor **out);

/* control.c */
bool interp_is_true(const ten_tensor *pred);

/* check.c */
interp_probes *interp_probes_create(void);
void interp_probes_destroy(interp_probes *probes);

/* factor.c: a custom call that factorises matrices, or not found. */
bool interp_is_factor(ten_str target); /* whether a custom call is one of these */
TEN_MUST_USE ten_status *interp_factor(interp_call *call, ten_str target, bool *out_found);

/* quant.c: for an op with quantized operands or results that has no quantized kernel. */
bool interp_is_quantized(const ten_op *op);
TEN_MUST_USE ten_status *interp_quantized(interp_call *call, interp_kernel kernel);

/* shape.c: copies a box of elements of `size` bytes between two strided arrays; strides are in bytes, may be ≤ 0. */
void interp_copy_box(uint32_t rank, const int64_t *dims, char *to, const int64_t *to_strides, const char *from,
                     const int64_t *from_strides, size_t size);
/* Row-major strides in bytes. */
void interp_strides(const ten_tensor *tensor, int64_t *strides);
/* Advances the index in a box, last dimension fastest; false after the last one. */
bool interp_index_next(uint32_t rank, const int64_t *dims, int64_t *index);
static inline size_t interp_offset(uint32_t rank, const int64_t *dims, const int64_t *index) {
  size_t offset = 0;
  for (uint32_t i = 0; i < rank; i++) offset = offset * (size_t)dims[i] + (size_t)index[i];
  return offset;
}
static inline const char *interp_at(const ten_tensor *tensor, size_t index) {
  return (const char *)tensor->data + index * ten_dtype_bytes(tensor->dtype);
}
static inline char *interp_to(ten_tensor *tensor, size_t index) {
  return (char *)tensor->data + index * ten_dtype_bytes(tensor->dtype);
}
/* A scalar that holds element `index`. */
TEN_MUST_USE ten_status *interp_scalar(const ten_tensor *from, size_t index, ten_tensor **out);

#endif
