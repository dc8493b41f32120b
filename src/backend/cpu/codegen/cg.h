/* cg.h: generates LLVM code from StableHLO values, one element at a time.
 *
 * Pure ops are emitted on demand: cg_element(value, index) emits the code that computes that one element, at the
 * builder's position, by recursively emitting the elements it depends on. A value in memory (bound to a pointer) is
 * loaded; any other is computed where it is needed: this is the fusion. A kernel is a loop nest around cg_element of
 * its results.
 *
 * 1. In registers: integers and i1 have LLVM's type of their width; f32 and f64 are themselves; narrower floats are an
 * LLVM float that always holds a value of the narrow type (each op rounds); complex is a pair.
 * 2. In memory: as in tenfold/dtype.h.
 * 3. An element is emitted once per index and scope; loops and branches open a scope. */
#ifndef TEN_CPU_CODEGEN_CG_H
#define TEN_CPU_CODEGEN_CG_H

#include <llvm-c/Core.h>

#include "backend/cpu/codegen/jit.h"
#include "ir/dims.h"

typedef struct cg_val {
  LLVMValueRef re, im; /* im: complex only */
} cg_val;

typedef struct cg_scope cg_scope;

/* An index of which more is known than its dimension's size: low <= index < high. */
typedef struct cg_range {
  LLVMValueRef index;
  int64_t low, high;
} cg_range;
enum { CG_RANGES = 8 };

typedef struct ten_cg {
  LLVMContextRef context; /* owned */
  LLVMModuleRef module;   /* owned until the JIT takes it */
  LLVMBuilderRef b;       /* owned */
  LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
  ten_module *ir;               /* borrowed: its arena holds temporary IR */
  const ten_cpu_target *target; /* borrowed */
  bool huge;                    /* some value has 2^31 elements or more */
  bool open;                    /* functions may serve other sizes, too: they read size constants from args[-1] */

  /* of the current function */
  bool drops_subnormals; /* flushes them to zero, as its bf16 matmul does */
  LLVMValueRef function;
  LLVMBasicBlockRef entry; /* allocas are appended here */
  cg_scope *scope;
  struct cg_binding *bindings; /* indexed by ten_value.number */
  uint32_t value_count, stamp;
  cg_range ranges[CG_RANGES]; /* where code is emitted now (segments.c) */
  uint32_t range_count;

  ten_status *error; /* the first one; emission continues with undefined values */
} ten_cg;

TEN_MUST_USE ten_status *cg_create(ten_module *ir, uint32_t value_count, ten_cg **out_cg);
void cg_destroy(ten_cg *cg);
void cg_fail(ten_cg *cg, ten_status *status);

/* Functions and bindings. After cg_function_begin the builder is in its entry block. */
LLVMValueRef cg_function_begin(ten_cg *cg, const char *name, LLVMTypeRef type, bool external);
void cg_function_end(ten_cg *cg);
void cg_function_end_value(ten_cg *cg, LLVMValueRef value);
void cg_bind_memory(ten_cg *cg, const ten_value *value, LLVMValueRef pointer);
/* Binds the current row: element i of its last dimension is element i there. */
void cg_bind_row(ten_cg *cg, const ten_value *value, LLVMValueRef pointer);
void cg_bind_scalar(ten_cg *cg, const ten_value *value, cg_val scalar);
/* Whether a value is available: in memory, or bound to a register. */
bool cg_is_bound(const ten_cg *cg, const ten_value *value);
/* Bound to memory that has all of its elements. */
bool cg_is_in_memory(const ten_cg *cg, const ten_value *value);

/* On-demand emission. `index` has the value's rank entries. */
cg_val cg_element(ten_cg *cg, const ten_value *value, const LLVMValueRef *index);
/* Every result of op at the same index (results of equal shape). */
void cg_results(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
/* The region's block on scalars: args in, returned values out. */
void cg_region(ten_cg *cg, const ten_region *region, const cg_val *args, cg_val *out);
/* Whether cg_element supports the op (otherwise it needs a separate kernel). */
bool cg_can_emit(const ten_op *op);

/* One emitter per op: writes result_count values to out. */
typedef void (*cg_emit)(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_pointwise(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_moved(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_reshape(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_pad(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_concatenate(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_iota(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_dynamic_slice(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_dynamic_update_slice(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_gather(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_bitcast_convert(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_torch_index_select(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_reduce(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_reduce_window(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_map(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_dot_general(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);
void cg_emit_convolution(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out);

/* segments.c: units [begin, end) of the roots' shape, rows or single elements, in a loop for each part in which
 * concatenations, pads and windows read the same operand in bounds. False: nothing was emitted, since one loop is as
 * good. */
typedef void cg_nest_body(ten_cg *cg, void *context, const LLVMValueRef *index);
bool cg_segmented_loops(ten_cg *cg, const ten_value *const *roots, size_t count, bool by_rows, LLVMValueRef begin,
                        LLVMValueRef end, cg_nest_body *body, void *context);
/* What is known of an index there: low <= value <= high. */
bool cg_bounds_of(const ten_cg *cg, LLVMValueRef value, int64_t *low, int64_t *high);
/* reduce.c: whether a window is emitted position by position, without a loop. */
bool cg_unrolls_window(const ten_op *op, const ten_window *window);

/* columns.c: a reduce that keeps the last dimension: blocks [begin, end) of columns into its results' memory. The width
 * of a block; 0: not such a reduce. */
int64_t cg_columns_width(const ten_op *op);
void cg_generate_columns(ten_cg *cg, const ten_op *op, const LLVMValueRef *outputs, LLVMValueRef begin,
                         LLVMValueRef end);

/* The element of a splat constant. */
cg_val cg_constant(ten_cg *cg, ten_dtype dtype, const void *bytes);

/* Memory (memory.c). */
LLVMTypeRef cg_register_type(ten_cg *cg, ten_dtype dtype); /* of the parts, for complex */
LLVMTypeRef cg_memory_type(ten_cg *cg, ten_dtype dtype);
cg_val cg_load(ten_cg *cg, ten_dtype dtype, LLVMValueRef base, LLVMValueRef element);
void cg_store(ten_cg *cg, ten_dtype dtype, LLVMValueRef base, LLVMValueRef element, cg_val value);
/* Its bits in memory, as an integer of the type's size; and back. Not for complex. */
LLVMValueRef cg_to_bits(ten_cg *cg, ten_dtype dtype, LLVMValueRef value);
LLVMValueRef cg_from_bits(ten_cg *cg, ten_dtype dtype, LLVMValueRef bits);
/* A float register rounded to a narrow type; f32 and f64 unchanged. */
LLVMValueRef cg_round(ten_cg *cg, ten_dtype dtype, LLVMValueRef value);
cg_val cg_round_val(ten_cg *cg, ten_dtype dtype, cg_val value);
LLVMValueRef cg_linear(ten_cg *cg, const ten_type *type, const LLVMValueRef *index);
LLVMValueRef *cg_indices(ten_cg *cg, uint32_t rank); /* an array to fill */
void cg_delinearise(ten_cg *cg, uint32_t rank, const int64_t *dims, LLVMValueRef linear, LLVMValueRef *out);
/* index.c: an index operand (its element at `at`), clamped to [0, high]; a large unsigned value is large, not negative.
 */
LLVMValueRef cg_start_index(ten_cg *cg, const ten_value *value, const LLVMValueRef *at, int64_t high);

/* Control flow (flow.c). Variables live in allocas, which LLVM turns into registers. */
LLVMValueRef cg_const(ten_cg *cg, int64_t value); /* i64 */
LLVMValueRef cg_real(ten_cg *cg, LLVMTypeRef type, double value);
LLVMValueRef cg_alloca(ten_cg *cg, LLVMTypeRef type, uint64_t count);
/* Of at least so many; rounded up to few sizes if functions may serve other sizes. */
LLVMValueRef cg_alloca_row(ten_cg *cg, LLVMTypeRef type, uint64_t count);
typedef struct cg_var {
  ten_dtype dtype;
  LLVMValueRef re, im; /* allocas */
} cg_var;
cg_var cg_var_new(ten_cg *cg, ten_dtype dtype);
void cg_var_set(ten_cg *cg, const cg_var *var, cg_val value);
cg_val cg_var_get(ten_cg *cg, const cg_var *var);
typedef struct cg_loop {
  LLVMBasicBlockRef body, exit;
  LLVMValueRef index; /* i64 phi */
  LLVMValueRef to, step;
} cg_loop;
void cg_loop_begin(ten_cg *cg, cg_loop *loop, LLVMValueRef from, LLVMValueRef to, int64_t step);
void cg_loop_end(ten_cg *cg, cg_loop *loop);
/* The same, for a loop to vectorize to `width` where possible. */
void cg_loop_end_wide(ten_cg *cg, cg_loop *loop, unsigned width);
/* The same, for a loop over many elements whose body may be long: interleaves it where that pays. */
void cg_loop_end_long(ten_cg *cg, cg_loop *loop);
/* Attaches loop metadata for LLVM's passes to this latch branch. */
void cg_loop_hint(ten_cg *cg, LLVMValueRef branch, const char *name, unsigned number);
typedef struct cg_if {
  LLVMBasicBlockRef on_false, exit;
  bool in_else;
} cg_if;
void cg_if_begin(ten_cg *cg, cg_if *branch, LLVMValueRef condition);
void cg_if_else(ten_cg *cg, cg_if *branch);
void cg_if_end(ten_cg *cg, cg_if *branch);
void cg_scope_push(ten_cg *cg);
void cg_scope_pop(ten_cg *cg);
/* The larger or smaller of two. */
LLVMValueRef cg_bound(ten_cg *cg, bool larger, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef cg_intrinsic(ten_cg *cg, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned count);
LLVMValueRef cg_intrinsic2(ten_cg *cg, const char *name, LLVMTypeRef type0, LLVMTypeRef type1, LLVMValueRef *args,
                           unsigned count);
/* Calls a runtime C function by name (kernels/symbols.h). */
LLVMValueRef cg_call(ten_cg *cg, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned count);

/* Arithmetic on registers (scalar.c, complex.c, math.c). */
cg_val cg_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x);
cg_val cg_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x, cg_val y);
cg_val cg_complex_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x);
cg_val cg_complex_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x, cg_val y);
cg_val cg_convert(ten_cg *cg, ten_dtype from, ten_dtype to, cg_val x);
LLVMValueRef cg_compare(ten_cg *cg, int direction, bool total, ten_dtype dtype, cg_val x, cg_val y);
cg_val cg_select(ten_cg *cg, LLVMValueRef condition, cg_val x, cg_val y);
LLVMValueRef cg_float_math(ten_cg *cg, ten_opcode code, LLVMValueRef x); /* float or double register */
LLVMValueRef cg_atan2_f32(ten_cg *cg, LLVMValueRef y, LLVMValueRef x);
LLVMValueRef cg_power_f32(ten_cg *cg, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef cg_reduce_precision(ten_cg *cg, LLVMValueRef x, int exponent_bits, int mantissa_bits);
/* An index register (any integer type) as i64, by its signedness. */
LLVMValueRef cg_index(ten_cg *cg, ten_dtype dtype, cg_val value);

static inline bool cg_is_unsigned(ten_dtype dtype) {
  return ten_dtype_class(dtype) == TEN_CLASS_UINT || ten_dtype_class(dtype) == TEN_CLASS_BOOL;
}

#endif
