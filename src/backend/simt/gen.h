/* gen.h: generates kernel source from StableHLO values, one element at a time.
 *
 * Pure ops are emitted on demand: simt_element(value, index) appends the statements that compute that element
 * and returns the register that holds it. A value with a buffer (gen->stored) is loaded; any other is
 * computed where it is needed: this is the fusion. The text is a subset of C that CUDA C, HIP and OpenCL C share;
 * the prelude (language.c) covers the differences.
 *
 * 1. Registers are numbered: v12. Integers have the C type of their size, i1 is bool, f32 and f64 are themselves;
 *    narrower floats are an f32 that always holds a value of the narrow type (each op rounds); complex is two of them.
 * 2. Elements in memory follow tenfold/dtype.h.
 * 3. An element is emitted once per index and scope; loops and branches open a scope. */
#ifndef TEN_SIMT_GEN_H
#define TEN_SIMT_GEN_H

#include "backend/simt/language.h"
#include "ir/dims.h"

enum { SIMT_NARROW_MOST = 1 << 30, SIMT_LANES_MOST = 8 };

/* An index: register v<var>, or the constant if var is 0. */
typedef struct simt_ix {
  uint32_t var;
  int64_t number;
} simt_ix;

typedef struct simt_val {
  uint32_t re, im; /* registers; im 0: not complex */
} simt_val;

/* A mutable register. */
typedef struct simt_var {
  ten_dtype dtype;
  simt_val at;
} simt_var;

typedef struct simt_scope simt_scope;

typedef struct simt_gen {
  ten_module *ir;               /* borrowed: its arena holds temporary IR */
  const bool *stored;           /* by ten_value.number: whether a value has a buffer */
  const uint8_t *const *orders; /* by ten_value.number: dimensions in memory order; NULL: as in the type */
  bool narrow;                  /* indices are i32: every value has fewer than SIMT_NARROW_MOST elements */
  simt_language language;
  int arch;  /* of CUDA: 90 for sm_90 */
  bool tf32; /* f32 products may be computed from f32 with short mantissas */
  uint32_t value_count;

  /* state of the current kernel */
  ten_buf text;
  unsigned indent;
  uint32_t registers; /* used so far; numbered from 1 in each kernel */
  simt_scope *scope;
  struct simt_binding *bindings; /* by ten_value.number */
  uint32_t stamp;
  uint32_t lanes[SIMT_LANES_MOST]; /* indices that one thread computes the elements of, see lanes.c */
  int64_t lane_count;              /* 0: none */
  uint32_t loads;                  /* of single elements */
  int group;                       /* threads of a group; 0: SIMT_GROUP */
  simt_map maps[SIMT_MAPS_MOST];   /* parameters m0, m1… */
  uint32_t map_count;
  int resident;                     /* groups of threads that a processor must have room for; 0: any number */
  ten_buf locals;                   /* declarations of memory that a group of threads shares */
  TEN_VEC(const ten_value *) reads; /* values whose buffers the kernel reads: parameters p0, p1… */
  ten_status *error;                /* the first one */
} simt_gen;

/* Bytes of shared memory that a group of threads may have; of CUDA as much as GPUs of its architecture have. */
size_t simt_shared_most(const simt_gen *gen);
bool simt_has_tensor_cores(const simt_gen *gen); /* and copies to shared memory that do not wait */
void simt_gen_init(simt_gen *gen, ten_module *ir, uint32_t value_count, const bool *stored);
void simt_gen_free(simt_gen *gen);
void simt_fail(simt_gen *gen, ten_status *status);
void simt_kernel_begin(simt_gen *gen);
void simt_kernel_end(simt_gen *gen);

/* Text. */
void simt_line(simt_gen *gen, const char *format, ...) TEN_PRINTF(2, 3);
uint32_t simt_define(simt_gen *gen, const char *type, const char *format, ...) TEN_PRINTF(3, 4);
void simt_open(simt_gen *gen, const char *format, ...) TEN_PRINTF(2, 3); /* "for (…) {": opens a scope */
void simt_close(simt_gen *gen);
const char *simt_register_type(ten_dtype dtype); /* of the parts, for complex */
const char *simt_memory_type(ten_dtype dtype);   /* likewise */

/* Narrow floats other than bf16 are passed to the prelude's functions as format arguments: these. */
const char *simt_format(simt_gen *gen, ten_dtype dtype);

/* Indices; constants are folded. */
static inline simt_ix simt_number(int64_t number) { return (simt_ix){0, number}; }
static inline simt_ix simt_index_of(uint32_t var) { return (simt_ix){var, 0}; }
const char *simt_text(simt_gen *gen, simt_ix index); /* as an operand */
simt_ix simt_add(simt_gen *gen, simt_ix x, simt_ix y);
simt_ix simt_subtract(simt_gen *gen, simt_ix x, simt_ix y);
simt_ix simt_multiply(simt_gen *gen, simt_ix x, int64_t y);
simt_ix simt_divide(simt_gen *gen, simt_ix x, int64_t y); /* both non-negative */
simt_ix simt_modulo(simt_gen *gen, simt_ix x, int64_t y);
const char *simt_index_type(const simt_gen *gen);
/* Of indices that the program computes: i64, or where a language may lack it an i32 that clamps them. */
const char *simt_wide_type(const simt_gen *gen);
simt_ix simt_linear(simt_gen *gen, const ten_type *type, const simt_ix *index);
void simt_delinearise(simt_gen *gen, uint32_t rank, const int64_t *dims, simt_ix linear, simt_ix *out);
/* The same in the value's memory order. */
simt_ix simt_place(simt_gen *gen, const ten_value *value, const simt_ix *index);
void simt_unplace(simt_gen *gen, const ten_value *value, simt_ix linear, simt_ix *out);
static inline const uint8_t *simt_order(const simt_gen *gen, const ten_value *value) {
  return gen->orders ? gen->orders[value->number] : NULL;
}
simt_ix *simt_indices(simt_gen *gen, uint32_t rank); /* an array to fill */
/* Opens a loop over [0, count) and returns its index. Ends with simt_close. */
simt_ix simt_loop(simt_gen *gen, int64_t count);

/* Registers. */
simt_var simt_var_new(simt_gen *gen, ten_dtype dtype, simt_val initial);
void simt_set(simt_gen *gen, const simt_var *var, simt_val value);
simt_val simt_zero(simt_gen *gen, ten_dtype dtype);
simt_val simt_constant(simt_gen *gen, ten_dtype dtype, const void *bytes);
simt_val simt_load(simt_gen *gen, ten_dtype dtype, const char *pointer, simt_ix at);
void simt_store(simt_gen *gen, ten_dtype dtype, const char *pointer, simt_ix at, simt_val value);

/* On-demand emission. `index` has the value's rank entries. */
simt_val simt_element(simt_gen *gen, const ten_value *value, const simt_ix *index);
/* What an element is, for as long as the scope is open. */
void simt_remember(simt_gen *gen, const ten_value *value, const simt_ix *index, simt_val element);
/* lanes.c: loads the elements of all lanes, where the index has one of them and they follow each other. */
bool simt_load_lanes(simt_gen *gen, const ten_value *value, const simt_ix *index, simt_val *out);
/* Binds the value, at any index, to this register for the rest of the kernel. */
void simt_bind(simt_gen *gen, const ten_value *value, simt_val scalar);
uint32_t simt_parameter(simt_gen *gen, const ten_value *value); /* of a value with a buffer: its parameter index */
void simt_region(simt_gen *gen, const ten_region *region, const simt_val *args, simt_val *out);
/* Whether simt_element supports the op with its types; otherwise it is a separate step. */
bool simt_can_emit(const ten_op *op);
bool simt_can_emit_regions(const ten_op *op);

/* One emitter per op: writes result_count values to out. */
typedef void (*simt_emit)(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_pointwise(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_map(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_iota(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_moved(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_pad(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_concatenate(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_dynamic_slice(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_dynamic_update_slice(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_gather(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_bitcast(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_reduce(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_reduce_window(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_select_and_scatter(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_dot_general(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);
void simt_emit_convolution(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out);

/* For broadcast, transpose, slice, reverse and reshape: the operand index of a result element. */
void simt_operand_index(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix *out);
/* The position in the base of `size` elements of tap k of the window at place i; the conditions for it to be in bounds
 * and not in a dilation hole are appended to `inside` as " && …". The window has `taps` and visits `places`. */
simt_ix simt_window_position(simt_gen *gen, const ten_window *window, uint32_t d, int64_t size, simt_ix i, simt_ix k,
                             int64_t taps, int64_t places, ten_buf *inside);

/* Arithmetic on registers (scalar.c, convert.c). */
bool simt_has_unary(ten_opcode code, ten_dtype dtype);
bool simt_has_binary(ten_opcode code, ten_dtype dtype);
simt_val simt_unary(simt_gen *gen, ten_opcode code, ten_dtype dtype, simt_val x);
simt_val simt_binary(simt_gen *gen, ten_opcode code, ten_dtype dtype, simt_val x, simt_val y);
simt_val simt_select(simt_gen *gen, ten_dtype dtype, uint32_t condition, simt_val x, simt_val y);
uint32_t simt_compare(simt_gen *gen, int direction, bool total, ten_dtype dtype, simt_val x, simt_val y);
simt_val simt_convert(simt_gen *gen, ten_dtype from, ten_dtype to, simt_val x);
/* The expression rounded to a narrow float or truncated to a narrow integer, as a new register. */
uint32_t simt_fit(simt_gen *gen, ten_dtype dtype, const char *format, ...) TEN_PRINTF(3, 4);
simt_ix simt_as_index(simt_gen *gen, ten_dtype dtype, simt_val value); /* i64, by the type's signedness */

/* Each element of the result depends on the operands' elements at the same index, or on scalars. */
static inline bool simt_is_pointwise(const ten_op *op) {
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE) || op->code == TEN_OP_SELECT || op->code == TEN_OP_CLAMP;
}

static inline bool simt_is_unsigned(ten_dtype dtype) {
  return ten_dtype_class(dtype) == TEN_CLASS_UINT || ten_dtype_class(dtype) == TEN_CLASS_BOOL;
}

#endif
