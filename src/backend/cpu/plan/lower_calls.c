/* lower_calls.c: ops that a C kernel of rt/ computes whole, and ops that need the caller. Operands and results are in
 * memory. */
#include <string.h>

#include "backend/cpu/plan/lower.h"
#include "base/float.h"
#include "ir/assert.h"

enum { FFT_GRAIN = 1 << 12 }; /* numbers that are transformed in one go */

static void read_operands(cpu_lowering *l, cpu_step *step, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (cpu_has_memory(ten_op_operand(op, i))) cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, i)));
}

static void write_results(cpu_lowering *l, cpu_step *step, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (cpu_has_memory(&op->results[i])) cpu_step_write(step, cpu_value_place(l->plan, &op->results[i]));
}

static void write_scratch(cpu_lowering *l, cpu_step *step, size_t bytes) {
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes));
}

#define DESCRIPTOR(l, step, type) ((type *)((step)->descriptor = ten_arena_new(&(l)->plan->arena, type)))

/* Product of all dimensions but the last `trailing`. */
static int64_t batch_of(const ten_type *type, uint32_t trailing) {
  int64_t count = 1;
  for (uint32_t i = 0; i + trailing < type->rank; i++) count *= type->dims[i];
  return count;
}

/* The comparator's answer depends on how the first operand's two numbers compare with each other, with zero and with
 * themselves, and on nothing else. */
static bool is_simple(const ten_op *op) {
  const ten_block *block = ten_op_body(op, 0);
  for (uint32_t i = 2; i < block->arg_count; i++)
    if (block->args[i]->uses) return false;
  for (const ten_op *at = block->first; at; at = at->next) {
    for (uint32_t i = 0; i < at->operand_count; i++) {
      const ten_value *x = ten_op_operand(at, i);
      if (x->op ? x->op->block != block : x->block != block) return false;
    }
    switch (at->code) {
      case TEN_OP_CONSTANT: {
        const ten_attr *dense = ten_op_attr(at, "value");
        const ten_dtype dtype = at->results[0].type->dtype;
        if (dtype == TEN_I1) break;
        if (!ten_dtype_is_float(dtype)) return false;
        const double x = ten_float_decode(dtype, ten_dense_at(dense, 0));
        if (x == x && x != 0) return false;
        break;
      }
      case TEN_OP_COMPARE:
      case TEN_OP_SELECT:
      case TEN_OP_AND:
      case TEN_OP_OR:
      case TEN_OP_XOR:
      case TEN_OP_NOT: break;
      default:
        if (!ten_op_has(at, TEN_TRAIT_TERMINATOR)) return false;
    }
  }
  return true;
}

/* How many of the first are read: all results are read by slices that start with the first. */
static int64_t top_of(const ten_op *op, int64_t dim, int64_t size) {
  int64_t top = 0;
  for (uint32_t i = 0; i < op->result_count; i++)
    for (const ten_use *use = op->results[i].uses; use; use = use->next) {
      if (use->owner->code != TEN_OP_SLICE) return size;
      const ten_ints start = ten_op_ints(use->owner, "start_indices"), limit = ten_op_ints(use->owner, "limit_indices");
      if (start.data[dim]) return size;
      if (limit.data[dim] > top) top = limit.data[dim];
    }
  return top;
}

/* What orders the numbers of a type by their bits; false: it is not known. */
static bool sort_kind(ten_dtype dtype, ten_cpu_sort *sort) {
  sort->kind = TEN_SORT_FLOAT;
  switch (dtype) {
    case TEN_F16: sort->infinity = 0x7c00; return true;
    case TEN_BF16: sort->infinity = 0x7f80; return true;
    case TEN_F32: sort->infinity = 0x7f800000; return true;
    case TEN_F64: sort->infinity = UINT64_C(0x7ff0000000000000); return true;
    case TEN_I8:
    case TEN_I16:
    case TEN_I32:
    case TEN_I64: sort->kind = TEN_SORT_SIGNED; return true;
    case TEN_UI8:
    case TEN_UI16:
    case TEN_UI32:
    case TEN_UI64: sort->kind = TEN_SORT_UNSIGNED; return true;
    default: return false;
  }
}

ten_status *cpu_lower_sort(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_SORT, op, body);
  const ten_type *type = ten_op_operand(op, 0)->type;
  int64_t dim = ten_op_int(op, "dimension", -1);
  if (dim < 0) dim += type->rank;
  ten_cpu_sort *sort = DESCRIPTOR(l, step, ten_cpu_sort);
  uint32_t *bytes = ten_arena_new_array(&l->plan->arena, uint32_t, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    bytes[i] = (uint32_t)ten_dtype_bytes(ten_op_operand(op, i)->type->dtype);
  *sort =
      (ten_cpu_sort){.count = op->operand_count, .size = type->rank ? type->dims[dim] : 1, .inner = 1, .bytes = bytes};
  for (uint32_t i = (uint32_t)dim + 1; i < type->rank; i++) sort->inner *= type->dims[i];
  sort->rows = sort->size ? ten_type_count(type) / sort->size : 0;
  read_operands(l, step, op);
  cpu_collect_region(l, step, &op->regions[0]); /* what the comparator looks at outside comes after the operands */
  sort->extra = (uint32_t)step->inputs.count;
  write_results(l, step, op);
  sort->top = type->rank ? top_of(op, dim, sort->size) : 1;
  sort->simple = !sort->extra && is_simple(op) && sort_kind(type->dtype, sort);
  write_scratch(l, step, ten_cpu_sort_scratch(sort) * l->plan->threads);
  step->count = sort->rows;
  return NULL;
}

ten_status *cpu_lower_cholesky(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_CHOLESKY, op, body);
  const ten_type *type = op->results[0].type;
  *DESCRIPTOR(l, step, ten_cpu_cholesky) = (ten_cpu_cholesky){
      .dtype = type->dtype, .n = type->dims[type->rank - 1], .lower = ten_attr_as_bool(ten_op_attr(op, "lower"))};
  read_operands(l, step, op);
  write_results(l, step, op);
  step->count = batch_of(type, 2);
  return NULL;
}

ten_status *cpu_lower_triangular_solve(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_TRISOLVE, op, body);
  const ten_type *a = ten_op_operand(op, 0)->type, *type = op->results[0].type;
  const int transpose = ten_op_attr(op, "transpose_a")->enumeration.value;
  *DESCRIPTOR(l, step, ten_cpu_trisolve) =
      (ten_cpu_trisolve){.dtype = type->dtype,
                         .n = a->dims[a->rank - 1],
                         .rows = type->dims[type->rank - 2],
                         .cols = type->dims[type->rank - 1],
                         .left = ten_attr_as_bool(ten_op_attr(op, "left_side")),
                         .lower = ten_attr_as_bool(ten_op_attr(op, "lower")),
                         .unit = ten_attr_as_bool(ten_op_attr(op, "unit_diagonal")),
                         .transpose = transpose == 2 || transpose == 3,
                         .conjugate = transpose == 3};
  read_operands(l, step, op);
  write_results(l, step, op);
  step->count = batch_of(type, 2);
  return NULL;
}

/* The transform along one dimension, from one place to another. */
static void lower_line_fft(cpu_lowering *l, const ten_op *op, cpu_body *body, ten_cpu_fft shape, uint32_t from,
                           uint32_t to) {
  ten_cpu_fft *fft = ten_arena_copy(&l->plan->arena, &shape, sizeof shape);
  ten_cpu_fft_shape(fft);
  const size_t bytes = ten_cpu_fft_table_size(fft);
  void *table = ten_arena_alloc(&l->plan->module->arena, bytes); /* constants outlive the plan */
  ten_cpu_fft_table(fft, table);
  const uint32_t constant = cpu_buffer_new(l->plan, CPU_CONSTANT, NULL, bytes);
  l->plan->buffers.data[constant].data = table;
  cpu_step *step = cpu_step_new(l, CPU_FFT, op, body);
  step->descriptor = fft;
  step->count = (fft->fft.lines + fft->fft.group - 1) / fft->fft.group;
  step->grain = 1 + FFT_GRAIN / (fft->fft.m * fft->fft.group);
  cpu_step_read(step, from);
  cpu_step_read(step, constant);
  cpu_step_write(step, to);
  write_scratch(l, step, fft->scratch * l->plan->threads);
}

/* One dimension after the other, the last one first; a transform to real numbers ends with that one. */
ten_status *cpu_lower_fft(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  enum { FORWARD, BACKWARD, FROM_REAL, TO_REAL };
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  const ten_ints length = ten_op_ints(op, "fft_length");
  const int kind = ten_op_attr(op, "fft_type")->enumeration.value;
  const bool wide = to->dtype == TEN_C128 || to->dtype == TEN_F64;
  const uint32_t rank = to->rank, count = (uint32_t)length.count;
  int64_t *dims = ten_arena_new_array(&l->plan->arena, int64_t, rank + 1); /* of what is there before a step */
  memcpy(dims, from->dims, rank * sizeof *dims);
  uint32_t place = cpu_value_place(l->plan, ten_op_operand(op, 0));
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t dim = kind == TO_REAL ? rank - count + i : rank - 1 - i;
    const bool last_dim = dim == rank - 1, ends = i == count - 1;
    ten_cpu_fft fft = {.fft = {.n = length.data[dim - (rank - count)],
                               .inner = 1,
                               .lines = 1,
                               .kind = kind == FROM_REAL && last_dim ? TEN_FFT_FROM_REAL
                                       : kind == TO_REAL && last_dim ? TEN_FFT_TO_REAL
                                                                     : TEN_FFT_COMPLEX,
                               .inverse = kind == BACKWARD || kind == TO_REAL,
                               .wide = wide}};
    int64_t elements = 1;
    for (uint32_t k = 0; k < rank; k++) {
      if (k > dim) fft.fft.inner *= dims[k];
      if (k != dim) fft.fft.lines *= dims[k];
    }
    dims[dim] = to->dims[dim];
    for (uint32_t k = 0; k < rank; k++) elements *= dims[k];
    const size_t each = wide ? sizeof(double) : sizeof(float);
    const uint32_t next = ends ? cpu_value_place(l->plan, &op->results[0])
                               : cpu_buffer_new(l->plan, CPU_ARENA, NULL, (size_t)elements * 2 * each);
    if (fft.fft.lines > 0 && fft.fft.n > 0) lower_line_fft(l, op, body, fft, place, next);
    place = next;
  }
  return NULL;
}

ten_status *cpu_lower_rng(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_RNG, op, body);
  const ten_type *state = ten_op_operand(op, 0)->type, *type = op->results[1].type;
  /* XLA splits the first even dimension, or else the longest. */
  uint32_t split = type->rank;
  for (uint32_t i = type->rank; i-- > 0;)
    if (type->dims[i] % 2 == 0) split = i;
  for (uint32_t i = 0; i < type->rank && split == type->rank; i++) {
    bool longest = true;
    for (uint32_t k = 0; k < type->rank; k++) longest = longest && type->dims[k] <= type->dims[i];
    if (longest) split = i;
  }
  int64_t inner = 1;
  for (uint32_t i = split + 1; i < type->rank; i++) inner *= type->dims[i];
  *DESCRIPTOR(l, step, ten_cpu_rng) = (ten_cpu_rng){.algorithm = ten_op_attr(op, "rng_algorithm")->enumeration.value,
                                                    .dtype = type->dtype,
                                                    .count = ten_type_count(type),
                                                    .state_count = (int64_t)(ten_type_bytes(state) / 8),
                                                    .split = type->rank ? type->dims[split] : 1,
                                                    .inner = inner ? inner : 1}; /* it divides */
  read_operands(l, step, op);
  write_results(l, step, op);
  step->count = ten_cpu_rng_units(step->descriptor);
  return NULL;
}

ten_status *cpu_lower_assert(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_ASSERT, op, body);
  *DESCRIPTOR(l, step, ten_check) = ten_assert_check(op);
  read_operands(l, step, op);
  return NULL;
}

ten_status *cpu_lower_host(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_HOST, op, body);
  l->plan->has_host = true;
  read_operands(l, step, op);
  for (uint32_t r = 0; r < op->region_count; r++) cpu_collect_region(l, step, &op->regions[r]);
  write_results(l, step, op);
  return NULL;
}
