/* images.c: finds steps that can run for some images of a batch. The first dimension of a value is its n images, so
 * that each is a contiguous part of its memory. A step can run for one of them if its output for that image depends on
 * the same image of some arguments (whose addresses advance with the image) and on others as a whole: then the code for
 * the batch, given the addresses of an image and its share of the units, computes it.
 * Needs: steps as lowered.  Keeps: everything. */
#include <string.h>

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/plan/chunks.h"

typedef struct looking {
  cpu_plan *plan;
  const cpu_step *step;
  const ten_value *matmul; /* available in an epilogue, or NULL */
  int64_t images;
  uint8_t *parts; /* by input of the step; CPU_PART_UNSEEN until visited */
  int budget;     /* maximum number of visited values: a large kernel is skipped */
} looking;

static bool has_images(const ten_type *type, int64_t images) { return type->rank > 0 && type->dims[0] == images; }

/* `own`: the value is read only at the image being written; otherwise anywhere. */
static bool look(looking *l, const ten_value *value, bool is_root, bool own);

static bool look_at_operands(looking *l, const ten_op *op, uint32_t first, uint32_t end, bool own) {
  for (uint32_t i = first; i < end; i++)
    if (!look(l, ten_op_operand(op, i), false, own)) return false;
  return true;
}

/* Whether a window stays within an image. */
static bool window_is_own(const ten_window *w) {
  return w->size[0] == 1 && w->strides[0] == 1 && !w->padding[0] && !w->padding[1] && w->base_dilation[0] == 1 &&
         w->dilation[0] == 1;
}

static bool look_at_broadcast(looking *l, const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  for (size_t i = 0; i < map.count; i++)
    if (map.data[i] == 0 && x->type->dims[i] != 1) return i == 0 && look(l, x, false, true);
  return look(l, x, false, false);
}

static bool look_at_convolution(looking *l, const ten_op *op) {
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (d.input_batch || d.output_batch || ten_op_int(op, "batch_group_count", 1) != 1) return false;
  return look_at_operands(l, op, 0, 1, true) && look_at_operands(l, op, 1, 2, false);
}

/* An op whose result is read at one image. */
static bool look_at_op(looking *l, const ten_op *op) {
  const uint32_t count = op->operand_count;
  if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) {
    for (uint32_t i = 0; i < count; i++) {
      const ten_value *x = ten_op_operand(op, i);
      if (!look(l, x, false, x->type->rank > 0)) return false;
    }
    return true;
  }
  switch (op->code) {
    case TEN_OP_CONSTANT: return ten_op_attr(op, "value")->dense.splat;
    case TEN_OP_IOTA: return ten_op_int(op, "iota_dimension", 0) != 0;
    case TEN_OP_BROADCAST_IN_DIM: return look_at_broadcast(l, op);
    case TEN_OP_RESHAPE: return look_at_operands(l, op, 0, 1, true);
    case TEN_OP_TRANSPOSE: return ten_op_ints(op, "permutation").data[0] == 0 && look_at_operands(l, op, 0, 1, true);
    case TEN_OP_SLICE: return look_at_operands(l, op, 0, 1, true); /* keeps all images */
    case TEN_OP_CONCATENATE: return ten_op_int(op, "dimension", 0) != 0 && look_at_operands(l, op, 0, count, true);
    case TEN_OP_REVERSE: return !ten_ints_has(ten_op_ints(op, "dimensions"), 0) && look_at_operands(l, op, 0, 1, true);
    case TEN_OP_PAD:
      return !ten_op_ints(op, "edge_padding_low").data[0] && !ten_op_ints(op, "edge_padding_high").data[0] &&
             look_at_operands(l, op, 0, 1, true) && look_at_operands(l, op, 1, 2, false);
    case TEN_OP_REDUCE:
      return !ten_ints_has(ten_op_ints(op, "dimensions"), 0) && look_at_operands(l, op, 0, count / 2, true) &&
             look_at_operands(l, op, count / 2, count, false);
    case TEN_OP_REDUCE_WINDOW: {
      const ten_window w = ten_op_window(l->plan->module, op);
      return window_is_own(&w) && look_at_operands(l, op, 0, count / 2, true) &&
             look_at_operands(l, op, count / 2, count, false);
    }
    case TEN_OP_CONVOLUTION: return look_at_convolution(l, op);
    default: return false;
  }
}

static bool look(looking *l, const ten_value *value, bool is_root, bool own) {
  if (--l->budget < 0) return false;
  if (own && !has_images(value->type, l->images)) return false;
  for (size_t i = 0; i < l->step->inputs.count && !is_root; i++) {
    if (l->step->inputs.data[i] != value) continue;
    const uint8_t part = own ? CPU_PART_IMAGE : CPU_PART_WHOLE;
    if (l->parts[i] != CPU_PART_UNSEEN && l->parts[i] != part) return false;
    l->parts[i] = part;
    return true;
  }
  if (value == l->matmul) return own;
  if (!value->op) return false;
  return own ? look_at_op(l, value->op) : look_at_operands(l, value->op, 0, value->op->operand_count, false);
}

/* Inputs of the kernel that ends in the step's roots. */
static bool look_at_roots(cpu_plan *plan, const cpu_step *step, const ten_value *matmul, int64_t images,
                          uint8_t *parts) {
  memset(parts, CPU_PART_UNSEEN, step->inputs.count);
  for (size_t r = 0; r < step->roots.count; r++) {
    looking l = {plan, step, matmul, images, parts, 4096};
    if (!look(&l, step->roots.data[r], step->roots.data[r] != matmul, true)) return false;
  }
  for (size_t i = 0; i < step->inputs.count; i++) /* read only inside a region: the same for every element */
    if (parts[i] == CPU_PART_UNSEEN) parts[i] = CPU_PART_WHOLE;
  return true;
}

static int64_t images_of_loops(cpu_plan *plan, const cpu_step *step, uint8_t *parts) {
  const ten_type *type = step->roots.data[0]->type;
  if (!type->rank || (type->rank == 1 && !step->flat && !step->single)) return 0; /* a unit is a row: only one */
  const int64_t images = type->dims[0];
  if (images < 2 || step->count % images || step->inputs.count != step->read_count) return 0;
  for (size_t i = 0; i < step->roots.count; i++) { /* an op without operands is recomputed where needed */
    if (!step->roots.data[i]->op) return 0;
    parts[step->read_count + i] = CPU_PART_IMAGE;
  }
  return look_at_roots(plan, step, NULL, images, parts) ? images : 0;
}

static int64_t images_of_conv(cpu_plan *plan, const cpu_step *step, uint8_t *parts) {
  const cpu_conv *c = step->descriptor;
  const ten_value *matmul = &step->op->results[0];
  if (c->conv.n < 2 || step->inputs.count != c->epilogue_args) return 0;
  if (!look_at_roots(plan, step, matmul, c->conv.n, parts)) return 0;
  uint8_t *rest = parts + c->epilogue_args;
  rest[0] = rest[2] = CPU_PART_IMAGE;
  rest[1] = CPU_PART_WHOLE;
  rest[3] = CPU_PART_SCRATCH;
  return c->conv.n;
}

/* Whether each operand's rows for an image are in the same image of its source. */
static bool joins_images(const cpu_plan *plan, const cpu_step *step, int64_t images) {
  const ten_join *join = step->descriptor;
  const int64_t rows = step->count / images;
  if (ten_op_int(step->op, "dimension", 0) == 0) return false;
  for (uint32_t i = 0; i < join->count; i++) {
    const int64_t image = (int64_t)plan->buffers.data[step->args.data[i]].bytes / images;
    const int64_t end = join->offset[i] + (rows - 1) * join->step[i] + (int64_t)join->bytes[i];
    if (join->step[i] * rows != image || join->offset[i] < 0 || end > image) return false;
  }
  return true;
}

/* Transposes and concatenations: units are counted along the output, first dimension outermost. */
static int64_t images_of_move(const cpu_plan *plan, const cpu_step *step, uint8_t *parts) {
  const ten_type *type = step->op->results[0].type;
  const int64_t images = type->rank ? type->dims[0] : 0;
  if (images < 2 || step->count % images) return 0;
  if (step->kind == CPU_JOIN && !joins_images(plan, step, images)) return 0;
  if (step->kind == CPU_MOVE) {
    const ten_move *m = step->descriptor;
    if (ten_op_ints(step->op, "permutation").data[0] != 0 || m->rank < 2 || !m->near) return 0;
  }
  memset(parts, CPU_PART_IMAGE, step->args.count);
  return images;
}

int64_t cpu_step_images(cpu_plan *plan, const cpu_step *step, uint8_t *parts) {
  int64_t images = 0;
  if (step->kind == CPU_LOOPS && step->roots.count) images = images_of_loops(plan, step, parts);
  if (step->kind == CPU_CONV) images = images_of_conv(plan, step, parts);
  if (step->kind == CPU_MOVE || step->kind == CPU_JOIN) images = images_of_move(plan, step, parts);
  for (size_t i = 0; i < step->args.count && images; i++)
    if (parts[i] == CPU_PART_IMAGE && plan->buffers.data[step->args.data[i]].bytes % (size_t)images) return 0;
  return images;
}

void cpu_step_take_images(cpu_plan *plan, cpu_step *step, int64_t images, int64_t taken) {
  if (step->kind != CPU_CONV) {
    step->count = step->count / images * taken;
    return;
  }
  cpu_conv *c = ten_arena_copy(&plan->arena, step->descriptor, sizeof *c); /* its packing keeps the original */
  c->conv.n = taken;
  step->descriptor = c;
  const size_t bytes = cpu_conv_scratch(ten_kernels_best(), c, plan->threads);
  plan->buffers.data[step->args.data[c->epilogue_args + 3]].bytes = bytes ? bytes : 64;
}
