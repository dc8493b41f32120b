/* lower_gemm.c: matmuls of f32 and bf16 through the tuned kernels: B is packed (once, when it is a constant), A is read
 * in place, and an elementwise kernel over the result becomes the epilogue. Dimensions are normalized to batch × m × k
 * × n with strides; other forms are compiled to generated loops. */
#include <string.h>

#include "backend/cpu/choose/tune.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/plan/lower.h"

/* Collapses the listed dimensions of an operand to one of `size` with one stride: false if impossible. */
static bool collapse(const ten_type *type, ten_ints dims, int64_t *size, int64_t *stride) {
  *size = 1;
  *stride = 1;
  bool any = false;
  for (size_t i = dims.count; i-- > 0;) {
    const int64_t count = type->dims[dims.data[i]];
    if (count == 1) continue;
    int64_t step = 1;
    for (uint32_t k = (uint32_t)dims.data[i] + 1; k < type->rank; k++) step *= type->dims[k];
    if (any && step != *stride * *size) return false;
    if (!any) *stride = step;
    any = true;
    *size *= count;
  }
  return true;
}

static ten_ints free_dims(ten_arena *arena, const ten_type *type, ten_ints batch, ten_ints contract) {
  int64_t *dims = ten_arena_new_array(arena, int64_t, type->rank);
  size_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_ints_has(batch, i) && !ten_ints_has(contract, i)) dims[count++] = i;
  return (ten_ints){dims, count};
}

/* Batch dimensions in list order: sizes, and strides in both operands; contiguous neighbours are merged. */
static bool batch_dims(const ten_type *x, const ten_type *y, ten_ints bx, ten_ints by, cpu_gemm *g) {
  g->batch_rank = 0;
  for (size_t i = 0; i < bx.count; i++) {
    const int64_t size = x->dims[bx.data[i]];
    if (size == 1) continue;
    int64_t sx = 1, sy = 1;
    for (uint32_t k = (uint32_t)bx.data[i] + 1; k < x->rank; k++) sx *= x->dims[k];
    for (uint32_t k = (uint32_t)by.data[i] + 1; k < y->rank; k++) sy *= y->dims[k];
    if (g->batch_rank && g->a_batch[g->batch_rank - 1] == sx * size && g->b_batch[g->batch_rank - 1] == sy * size) {
      g->batch[g->batch_rank - 1] *= size;
      g->a_batch[g->batch_rank - 1] = sx;
      g->b_batch[g->batch_rank - 1] = sy;
      continue;
    }
    if (g->batch_rank == CPU_GEMM_BATCH) return false;
    g->batch[g->batch_rank] = size;
    g->a_batch[g->batch_rank] = sx;
    g->b_batch[g->batch_rank++] = sy;
  }
  return true;
}

bool cpu_matmul_types(const ten_type *x, const ten_type *y, const ten_type *type, bool *out_narrow) {
  *out_narrow = x->dtype == TEN_BF16;
  if (x->dtype != y->dtype || (x->dtype != TEN_F32 && x->dtype != TEN_BF16)) return false;
  return type->dtype == TEN_F32 || (*out_narrow && type->dtype == TEN_BF16);
}

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  cpu_gemm *g = descriptor;
  if (cpu_is_empty(op)) return false;
  const ten_type *x = ten_op_operand(op, 0)->type, *y = ten_op_operand(op, 1)->type, *type = op->results[0].type;
  bool narrow = false;
  if (!cpu_matmul_types(x, y, type, &narrow)) return false;
  if (!cpu_gemm_shape(&l->plan->arena, op, g)) return false;
  g->narrow = g->bf16 = narrow;
  return true;
}

/* Dimensions of a dot_general other than A's rows: columns, contraction, batches. */
static bool columns_shape(ten_arena *arena, const ten_op *op, ten_dot_dims dims, cpu_gemm *g) {
  const ten_type *x = ten_op_operand(op, 0)->type, *y = ten_op_operand(op, 1)->type;
  const ten_ints columns = free_dims(arena, y, dims.rhs_batch, dims.rhs_contract);
  int64_t k = 0;
  *g = (cpu_gemm){.batches = 1};
  return collapse(y, columns, &g->n, &g->b_col) && collapse(x, dims.lhs_contract, &g->k, &g->a_col) &&
         collapse(y, dims.rhs_contract, &k, &g->b_row) && batch_dims(x, y, dims.lhs_batch, dims.rhs_batch, g);
}

static void count_batches(cpu_gemm *g) {
  for (uint32_t i = 0; i < g->batch_rank; i++) g->batches *= g->batch[i];
}

bool cpu_gemm_shape(ten_arena *arena, const ten_op *op, cpu_gemm *g) {
  const ten_type *x = ten_op_operand(op, 0)->type;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (!columns_shape(arena, op, dims, g)) return false;
  count_batches(g);
  return collapse(x, free_dims(arena, x, dims.lhs_batch, dims.lhs_contract), &g->m, &g->a_row);
}

/* If the rows have no single stride, the first of them become a batch dimension over which B is broadcast. */
bool cpu_gemm_split_shape(ten_arena *arena, const ten_op *op, cpu_gemm *g) {
  const ten_type *x = ten_op_operand(op, 0)->type;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_ints rows = free_dims(arena, x, dims.lhs_batch, dims.lhs_contract);
  int64_t size = 0, stride = 0;
  if (!columns_shape(arena, op, dims, g) || g->batch_rank == CPU_GEMM_BATCH) return false;
  size_t first = 1;
  for (; first < rows.count; first++)
    if (collapse(x, (ten_ints){rows.data, first}, &size, &stride) &&
        collapse(x, (ten_ints){rows.data + first, rows.count - first}, &g->m, &g->a_row))
      break;
  if (first >= rows.count) return false;
  g->batch[g->batch_rank] = size;
  g->a_batch[g->batch_rank] = stride;
  g->b_batch[g->batch_rank++] = 0;
  count_batches(g);
  return true;
}

/* cpu_fuse numbers the ops of a block in order: earlier ops cannot depend on the matmul. */
static bool stands_before(const ten_value *value, const ten_value *matmul) {
  return value->op->block == matmul->op->block && value->op->number < matmul->op->number;
}

/* Only elementwise ops and reshapes lie between, so that element i of the root needs only element i of the matmul. */
static bool straight_path(cpu_lowering *l, const ten_value *value, const ten_value *matmul, bool is_root) {
  if (value == matmul) return true;
  if (!value->op || (!is_root && l->in_memory[value->number]) || stands_before(value, matmul)) return true;
  if (l->visited[value->number] == l->visit) return true;
  l->visited[value->number] = l->visit;
  const ten_op *op = value->op;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (cpu_is_pointwise(op, i) ? !straight_path(l, x, matmul, false) : cpu_depends(l, x, matmul)) return false;
  }
  return true;
}

/* Whether computing `value`, inside the kernel, needs `matmul`. */
bool cpu_depends(cpu_lowering *l, const ten_value *value, const ten_value *matmul) {
  if (value == matmul) return true;
  if (!value->op || l->in_memory[value->number] || stands_before(value, matmul)) return false;
  for (uint32_t i = 0; i < value->op->operand_count; i++)
    if (cpu_depends(l, ten_op_operand(value->op, i), matmul)) return true;
  return false;
}

/* Rows and columns that a tuned kernel passes to an epilogue; false when `op` has no such kernel. `bf16`: the epilogue
 * may write a type other than f32. */
static bool epilogue_shape(const cpu_lowering *l, const ten_op *op, bool attention, int64_t *rows, int64_t *columns,
                           bool *bf16) {
  const cpu_gemm *g = cpu_chosen_gemm(l, op);
  const cpu_conv *c = cpu_chosen_conv(l, op);
  const cpu_int8 *bytes = cpu_chosen_int8(l, op);
  if (bytes) {
    *rows = bytes->batches * bytes->shape.n * bytes->shape.oh * bytes->shape.ow;
    *columns = bytes->shape.co;
    return !attention;
  }
  if (g && (g->batch_rank <= 1 || attention)) {
    *rows = g->batches * g->m;
    *columns = g->n;
    *bf16 = g->bf16 || l->plan->bf16;
    return true;
  }
  if (!c) return false;
  *rows = c->conv.n * c->conv.oh * c->conv.ow;
  *columns = c->conv.co;
  *bf16 = c->bf16;
  return true;
}

bool cpu_can_absorb(cpu_lowering *l, const ten_op *op, const ten_value *root) {
  const ten_type *type = root->type;
  int64_t rows = 0, columns = 0;
  const ten_op *attention = l->attention[root->number];
  if (root == &op->results[0]) return attention && cpu_attention_takes(l, attention, op);
  bool bf16 = false;
  if (l->row_count[root->number] || !root->op || root->op->result_count != 1 || !type->rank) return false;
  if (root->op->code == TEN_OP_RESHAPE || !cpu_is_pointwise(root->op, 0) || cpu_chosen_of(l, root->op) ||
      !epilogue_shape(l, op, attention != NULL, &rows, &columns, &bf16))
    return false;
  const bool bytes = cpu_chosen_int8(l, op) && (ten_dtype_bits(type->dtype) == 8 || ten_dtype_bits(type->dtype) == 32),
             other = bytes || ((bf16 || cpu_chosen_int8(l, op)) && !attention &&
                               (type->dtype == TEN_BF16 || type->dtype == TEN_F16));
  if (type->dtype != TEN_F32 && !other) return false;
  if (attention && !cpu_attention_takes(l, attention, op)) return false;
  if (ten_type_count(type) != rows * columns || type->dims[type->rank - 1] != columns) return false;
  const ten_value *roots[CPU_GROUP_MAX] = {root};
  uint32_t count = 1;
  if (l->group[root->number] || cpu_is_update(l->plan, root)) {
    if (attention || bf16 || op->code != TEN_OP_DOT_GENERAL || cpu_chosen_int8(l, op)) return false;
    if (l->group[root->number]) count = cpu_group_members(l, root, roots);
  }
  for (uint32_t i = 0; i < count; i++) {
    l->visit++;
    if (roots[i]->type->dtype != type->dtype || !straight_path(l, roots[i], &op->results[0], true)) return false;
  }
  return true;
}

bool cpu_lower_chosen(cpu_lowering *l, const ten_op *op, const ten_value *root, cpu_body *body, ten_status **status) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  if (chosen) *status = chosen->choice->lower(l, op, chosen->descriptor, root, body);
  return chosen != NULL;
}

void cpu_collect_epilogue(cpu_lowering *l, cpu_step *step, const ten_op *op, const ten_value *const *roots,
                          uint32_t count, bool tile) {
  if (roots[0] == &op->results[0]) {
    if (tile) ten_vec_push(&step->roots, roots[0]);
    return;
  }
  l->visited[op->results[0].number] = l->visit; /* the matmul is available */
  for (uint32_t k = 0; k < count; k++) {
    const ten_op *last = roots[k]->op;
    for (uint32_t i = 0; i < last->operand_count; i++) cpu_collect(l, step, ten_op_operand(last, i));
    ten_vec_push(&step->roots, roots[k]);
  }
}

int cpu_epilogue_also(const cpu_plan *plan, const cpu_step *step, const ten_value *root, uint32_t also[TEN_ALSO],
                      int64_t *out_bytes) {
  int count = 0;
  for (uint32_t i = 0; i < step->args.count && count < TEN_ALSO; i++) {
    const ten_type *type = plan->buffers.data[step->args.data[i]].type;
    if (!type || type->rank != root->type->rank || !ten_type_count(type)) continue;
    if (memcmp(type->dims, root->type->dims, type->rank * sizeof *type->dims)) continue;
    const int64_t bytes = (int64_t)ten_dtype_bytes(type->dtype);
    if (count && bytes != *out_bytes) continue;
    *out_bytes = bytes;
    also[count++] = i;
  }
  return count;
}

enum { PACK_GRAIN = 1 << 15 }; /* elements packed per task */

static uint32_t scratch(cpu_lowering *l, size_t bytes) { return cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes); }

/* Roots of one shape; several are computed, each in its own buffer, from a matmul that is not stored. */
static ten_status *lower_gemm(cpu_lowering *l, const ten_op *op, const cpu_gemm *shape, const ten_value *const *roots,
                              uint32_t count, cpu_body *body) {
  const ten_kernels *kernels = ten_kernels_best();
  cpu_gemm *g = ten_arena_copy(&l->plan->arena, shape, sizeof *shape);
  g->bf16 |= l->plan->bf16;
  const bool update = roots[0] != &op->results[0] && cpu_is_update(l->plan, roots[0]);
  g->tile = op->results[0].type->dtype != TEN_F32 || roots[0]->type->dtype != TEN_F32 || count > 1 || update;
  g->outputs = count;
  g->out_bytes = (int64_t)ten_dtype_bytes(roots[0]->type->dtype);
  if (l->plan->tuning) cpu_tuned_gemm(l->plan->tuning, g);
  g->packed_size = cpu_gemm_packed_size(kernels, g);
  const uint32_t a = cpu_value_place(l->plan, ten_op_operand(op, 0)),
                 b = cpu_value_place(l->plan, ten_op_operand(op, 1));
  cpu_step *pack = cpu_step_new(l, CPU_PACK_B, op, body);
  const uint32_t packed = scratch(l, (size_t)(g->packed_size * g->batches) * (g->bf16 ? 2 : sizeof(float)));
  pack->descriptor = g;
  pack->count = cpu_pack_b_units(g);
  pack->grain = 1 + PACK_GRAIN / (g->k * kernels->gemm_nr);
  cpu_step_read(pack, b);
  cpu_step_write(pack, packed);

  cpu_step *step = cpu_step_new(l, CPU_GEMM, op, body);
  step->descriptor = g;
  cpu_collect_epilogue(l, step, op, roots, count, g->tile);
  g->epilogue_args = (uint32_t)step->args.count;
  g->also_count = cpu_epilogue_also(l->plan, step, roots[0], g->also, &g->also_bytes);
  cpu_step_read(step, a);
  cpu_step_read(step, packed);
  for (uint32_t i = 0; i < count; i++) cpu_step_write(step, cpu_value_place(l->plan, roots[i]));
  const size_t bytes = cpu_gemm_scratch(kernels, g, l->plan->threads);
  cpu_step_write(step, scratch(l, bytes ? bytes : 64));
  return NULL;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  const ten_value *roots[CPU_GROUP_MAX] = {root};
  const uint32_t count = l->group[root->number] ? cpu_group_members(l, root, roots) : 1;
  return lower_gemm(l, op, descriptor, roots, count, body);
}

const cpu_kernel_choice cpu_choice_gemm = {.ops = {TEN_OP_DOT_GENERAL}, .compute = 1, .match = match, .lower = lower};
