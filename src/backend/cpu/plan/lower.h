/* lower.h: state shared by the files that lower ops to steps. */
#ifndef TEN_CPU_LOWER_H
#define TEN_CPU_LOWER_H

#include "backend/cpu/choose/choose.h"
#include "backend/cpu/codegen/cg.h"
#include "backend/cpu/plan/plan.h"

/* A matmul that is computed with its epilogue, at the position of the root. */
typedef struct cpu_absorbed {
  const ten_op *op;
  const ten_value *root;
} cpu_absorbed;

typedef struct cpu_lowering {
  cpu_plan *plan;
  bool *in_memory;                  /* by ten_value.number */
  bool *alias;                      /* likewise: a reshape that aliases its operand's memory */
  bool *viewed;                     /* likewise: read as a view of another value (views.c) */
  cpu_absorbed **absorbed, **taken; /* by number of the matmul, of the root */
  const cpu_chosen **chosen;        /* by number of an op's first result: its C kernel, or NULL (choose.c) */
  const ten_op **attention;         /* by number of its scores: the call that may compute them inside */
  const ten_value **row_root;       /* by number of a reduction: the kernel that computes it row by row */
  bool *byte_source;                /* by ten_value.number: kernels read it where its widened value is an operand */
  const ten_value **group;          /* by number of an update: the leader of its kernel's group */
  uint32_t *row_count;              /* by number of a root: its number of such reductions */
  uint32_t *visited;                /* by ten_value.number: the step that visited it last */
  uint32_t visit;
} cpu_lowering;

typedef ten_status *(*cpu_lower_op)(cpu_lowering *l, const ten_op *op, cpu_body *body);

/* lower.c */
TEN_MUST_USE ten_status *cpu_lower_block(cpu_lowering *l, const ten_block *block, cpu_body *body);
uint32_t cpu_buffer_new(cpu_plan *plan, cpu_place place, const ten_type *type, size_t bytes);
uint32_t cpu_value_buffer(const cpu_plan *plan, const ten_value *value); /* UINT32_MAX: none */
/* The value's buffer, created if it has none. */
uint32_t cpu_value_place(cpu_plan *plan, const ten_value *value);
cpu_step *cpu_step_new(cpu_lowering *l, cpu_step_kind kind, const ten_op *op, cpu_body *body);
void cpu_step_read(cpu_step *step, uint32_t buffer); /* all reads come before the first write */
void cpu_step_write(cpu_step *step, uint32_t buffer);
void cpu_copy(cpu_lowering *l, const ten_op *op, uint32_t from, uint32_t to, cpu_body *body);
/* Adds to the step, as inputs, the values in memory that computing `value` reads. */
void cpu_collect(cpu_lowering *l, cpu_step *step, const ten_value *value);
/* Likewise for what the ops inside a region read from outside. */
void cpu_collect_region(cpu_lowering *l, cpu_step *step, const ten_region *region);
/* Units of work: the rows of `type`, with the cost per element in about nanoseconds. */
void cpu_step_rows(cpu_step *step, const ten_type *type, int64_t element_cost);
/* A loop nest that writes `roots` (results of equal shape). */
TEN_MUST_USE ten_status *cpu_lower_loops(cpu_lowering *l, const ten_op *op, const ten_value *const *roots,
                                         uint32_t count, cpu_body *body);

/* fuse.c: element i of its result needs only element i of that operand. */
bool cpu_is_pointwise(const ten_op *op, uint32_t operand);
/* Fills in_memory, absorbed and taken for the values of a block. */
void cpu_fuse(cpu_lowering *l, const ten_block *block);
/* rows.c: whether op's result, one element per row, can be computed inside root's kernel row by row. */
bool cpu_row_fits(cpu_lowering *l, const ten_op *op, const ten_value *root);
/* Whether the value, whose rows the kernel would read several times, is better as a matmul's epilogue. */
bool cpu_row_holds_matmul(cpu_lowering *l, const ten_value *value, const ten_value *root);
void cpu_row_stages(cpu_lowering *l, cpu_step *step);
/* updates.c: fills `group` for the results of a function. */
void cpu_group_updates(cpu_lowering *l, const ten_block *block);
/* The values of `leader`'s kernel; returns their number. */
enum { CPU_GROUP_MAX = 4 };
uint32_t cpu_group_members(const cpu_lowering *l, const ten_value *leader, const ten_value *members[CPU_GROUP_MAX]);
/* Lowers the kernel of the group of op's result, at its last member's position. False: it is in no group. */
bool cpu_lower_group(cpu_lowering *l, const ten_op *op, cpu_body *body, ten_status **status);
/* lower_gemm.c */
bool cpu_depends(cpu_lowering *l, const ten_value *value, const ten_value *matmul);
bool cpu_can_absorb(cpu_lowering *l, const ten_op *op, const ten_value *root);
/* Lowers the op with the elementwise epilogue that ends in `root` (the op's own result: none). False: no tuned
 * kernel. */
bool cpu_lower_chosen(cpu_lowering *l, const ten_op *op, const ten_value *root, cpu_body *body, ten_status **status);
/* The epilogue's inputs become the step's first args. */
void cpu_collect_epilogue(cpu_lowering *l, cpu_step *step, const ten_op *op, const ten_value *const *roots,
                          uint32_t count, bool tile);
/* Which of them, the step's only args yet, have the root's layout and element size; returns their number. */
int cpu_epilogue_also(const cpu_plan *plan, const cpu_step *step, const ten_value *root, uint32_t also[TEN_ALSO],
                      int64_t *out_bytes);
/* Operands and result of a matmul that the tuned kernels support: f32, or bf16 (`narrow`) with either result. */
bool cpu_matmul_types(const ten_type *x, const ten_type *y, const ten_type *type, bool *out_narrow);

/* lower_int8.c: NULL unless the choice is a matmul or convolution of bytes. */
const struct cpu_int8 *cpu_chosen_int8(const cpu_lowering *l, const ten_op *op);
/* The value that the op's kernel reads for this operand. */
ten_value *cpu_byte_source(const cpu_lowering *l, const ten_op *op, uint32_t operand);

/* finish_int8.c: an epilogue that the kernel computes without generated code, if the step has one. */
void cpu_find_finish(const cpu_step *step, const ten_op *op, const ten_value *root, struct cpu_int8 *d);

/* views.c: a view: element [i…] of the value is base[offset + i·strides…]. */
enum { CPU_VIEW_RANK = 16 };
typedef struct cpu_view {
  const ten_value *base;
  int64_t offset, strides[CPU_VIEW_RANK];
} cpu_view;
bool cpu_view_of(const cpu_lowering *l, const ten_value *value, cpu_view *out);
/* Whether a value that is not materialized is a view, possibly permuted, of one that is. */
bool cpu_view_in_memory(const cpu_lowering *l, const ten_value *value, cpu_view *out);
/* Whether only attention reads op's result, and can read it as a view of its operand; marks it. */
bool cpu_take_view(cpu_lowering *l, const ten_op *op);

/* lower_attention.c */
bool cpu_is_attention(const ten_op *op);
const ten_value *cpu_attention_scores(const ten_op *op); /* behind reshapes without other readers */
/* Whether the call can compute its scores from this matmul's operands. */
bool cpu_attention_reads(cpu_lowering *l, const ten_op *op); /* its inputs, as currently viewed */
bool cpu_attention_takes(cpu_lowering *l, const ten_op *op, const ten_op *dot);

/* lower_attention_grad.c */
bool cpu_is_attention_grad(const ten_op *op);
bool cpu_attention_grad_reads(const cpu_lowering *l, const ten_op *op); /* its inputs, as currently viewed */

/* lower_calls.c: shared by whole-op kernels: operands and results are in memory. */
void cpu_step_read_operands(cpu_lowering *l, cpu_step *step, const ten_op *op);
void cpu_step_write_results(cpu_lowering *l, cpu_step *step, const ten_op *op);
void cpu_step_write_scratch(cpu_lowering *l, cpu_step *step, size_t bytes);
/* Product of all dimensions but the last `trailing`. */
int64_t cpu_batch_of(const ten_type *type, uint32_t trailing);
/* Ops that need the caller; lower_scatter.c: ops that write into a copy of their operand. */
ten_status *cpu_lower_assert(cpu_lowering *l, const ten_op *op, cpu_body *body);
ten_status *cpu_lower_host(cpu_lowering *l, const ten_op *op, cpu_body *body);
ten_status *cpu_lower_scatter(cpu_lowering *l, const ten_op *op, cpu_body *body);
ten_status *cpu_lower_update(cpu_lowering *l, const ten_op *op, cpu_body *body);
ten_status *cpu_lower_select_and_scatter(cpu_lowering *l, const ten_op *op, cpu_body *body);
/* Dimensions of a dot_general as batch × m × k × n with strides, of any type. */
bool cpu_gemm_shape(ten_arena *arena, const ten_op *op, cpu_gemm *g);
bool cpu_gemm_split_shape(ten_arena *arena, const ten_op *op, cpu_gemm *g);
/* lower_flow.c */
ten_status *cpu_lower_while(cpu_lowering *l, const ten_op *op, cpu_body *body);
ten_status *cpu_lower_case(cpu_lowering *l, const ten_op *op, cpu_body *body);

static inline bool cpu_has_memory(const ten_value *value) { return value->type->kind == TEN_TYPE_TENSOR; }

/* Elements from one index of a dimension to the next, in row-major order. */
static inline int64_t cpu_stride_of(const ten_type *type, int64_t dim) {
  int64_t stride = 1;
  for (uint32_t k = (uint32_t)dim + 1; k < type->rank; k++) stride *= type->dims[k];
  return stride;
}

/* Whether an operand or a result is empty: whole-op kernels need elements, and divide by extents; generated loops
 * handle any size. */
static inline bool cpu_is_empty(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (cpu_has_memory(ten_op_operand(op, i)) && !ten_type_count(ten_op_operand(op, i)->type)) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (cpu_has_memory(&op->results[i]) && !ten_type_count(op->results[i].type)) return true;
  return false;
}

#endif
