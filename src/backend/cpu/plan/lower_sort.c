/* lower_sort.c: sorting by a whole-op kernel (rt/sort.c); the comparator is generated. */
#include "backend/cpu/plan/lower.h"
#include "base/float.h"

/* Whether the comparator's result depends only on how the first operand's two elements compare with each other, with
 * zero and with themselves. */
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

/* How many of the first elements are read: all results are read by slices that start at the first. */
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

/* How to order a type by its bits; false: unknown. */
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

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  ten_cpu_sort *sort = descriptor;
  const ten_type *type = ten_op_operand(op, 0)->type;
  int64_t dim = ten_op_int(op, "dimension", -1);
  if (dim < 0) dim += type->rank;
  uint32_t *bytes = ten_arena_new_array(&l->plan->arena, uint32_t, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    bytes[i] = (uint32_t)ten_dtype_bytes(ten_op_operand(op, i)->type->dtype);
  *sort =
      (ten_cpu_sort){.count = op->operand_count, .size = type->rank ? type->dims[dim] : 1, .inner = 1, .bytes = bytes};
  for (uint32_t i = (uint32_t)dim + 1; i < type->rank; i++) sort->inner *= type->dims[i];
  sort->rows = sort->size ? ten_type_count(type) / sort->size : 0;
  sort->top = type->rank ? top_of(op, dim, sort->size) : 1;
  sort->simple = is_simple(op) && sort_kind(type->dtype, sort);
  return true;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  (void)root;
  cpu_step *step = cpu_step_new(l, CPU_SORT, op, body);
  ten_cpu_sort *sort = step->descriptor = ten_arena_copy(&l->plan->arena, descriptor, sizeof *sort);
  cpu_step_read_operands(l, step, op);
  cpu_collect_region(l, step, &op->regions[0]); /* captured values of the comparator follow the operands */
  sort->extra = (uint32_t)step->inputs.count;
  sort->simple &= !sort->extra;
  cpu_step_write_results(l, step, op);
  cpu_step_write_scratch(l, step, ten_cpu_sort_scratch(sort) * l->plan->threads);
  step->count = sort->rows;
  return NULL;
}

const cpu_kernel_choice cpu_choice_sort = {.ops = {TEN_OP_SORT}, .compute = 0.01, .match = match, .lower = lower};
