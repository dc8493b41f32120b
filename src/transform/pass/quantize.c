/* quantize.c: quantized programs as plain ones. Ops that move elements work on the stored integers; for all others
 * operands become real numbers, the plain op runs, and results are rounded back, each step in the expressed type as the
 * specification has it. Needs: verified IR, static shapes where scales differ along a dimension.  Keeps: results, bit
 * for bit.  Leaves no quantized type. */
#include "ir/builder.h"
#include "ir/storage.h"
#include "transform/pass/pass.h"

static bool is_quantized(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->quant) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].type->quant) return true;
  return false;
}

/* A value for every element out of one number a parameter: splat, along one axis, or by blocks. */
static ten_value *parameter(ten_builder *b, const ten_quant *quant, const ten_type *like, ten_dtype dtype, bool scale) {
  ten_module *m = b->module;
  const ten_type *type = ten_type_tensor(m, dtype, like->rank, like->dims);
#define AT(i) (scale ? quant->scales[i] : (double)quant->zero_points[i])
  if (quant->count <= 1 || !quant->axis_count) return ten_build_splat(b, type, AT(0));
  const size_t bytes = ten_dtype_bytes(dtype);
  if (!quant->block_sizes) {
    const int64_t count = (int64_t)quant->count, axis = quant->axes[0];
    const ten_type *row = ten_type_tensor(m, dtype, 1, &count);
    char *data = ten_arena_alloc(&m->arena, quant->count * bytes);
    for (size_t i = 0; i < quant->count; i++) {
      const ten_attr *one = ten_op_attr(ten_build_scalar(b, dtype, AT(i))->op, "value");
      memcpy(data + i * bytes, one->dense.data, bytes);
    }
    ten_value *line = ten_build_constant(b, ten_attr_dense(m, row, data, quant->count * bytes));
    return ten_build_broadcast(b, line, like->rank, like->dims, &axis);
  }
  const size_t count = (size_t)ten_type_count(like);
  char *data = ten_arena_alloc(&m->arena, count * bytes);
  for (size_t i = 0; i < count; i++) {
    size_t rest = i, place = 0, scale_of = 1;
    for (uint32_t d = like->rank; d-- > 0;) {
      const size_t at = rest % (size_t)like->dims[d], blocks = (size_t)quant->blocks[d];
      rest /= (size_t)like->dims[d];
      const size_t size = (size_t)like->dims[d] / (blocks ? blocks : 1);
      place += (size ? at / size : 0) * scale_of;
      scale_of *= blocks;
    }
    const ten_attr *one = ten_op_attr(ten_build_scalar(b, dtype, AT(place))->op, "value");
    memcpy(data + i * bytes, one->dense.data, bytes);
  }
#undef AT
  return ten_build_constant(b, ten_attr_dense(m, type, data, count * bytes));
}

static const ten_type *storage_type(ten_module *m, const ten_type *type) {
  return ten_type_tensor_of(m, ten_type_scalar(m, type->quant->storage), type->ranked, type->rank, type->dims,
                            type->encoding);
}

/* (stored - zero point), as the expressed type, times scale. */
static ten_value *to_real(ten_builder *b, ten_value *x, const ten_type *type) {
  const ten_quant *quant = type->quant;
  ten_value *stored = ten_build_convert(b, x, TEN_I64);
  ten_value *steps = ten_build_binary(b, TEN_OP_SUBTRACT, stored, parameter(b, quant, type, TEN_I64, false));
  ten_value *real = ten_build_convert(b, steps, quant->expressed);
  return ten_build_binary(b, TEN_OP_MULTIPLY, real, parameter(b, quant, type, quant->expressed, true));
}

/* round(clamp(real / scale + zero point)). */
static ten_value *to_stored(ten_builder *b, ten_value *x, const ten_type *type) {
  const ten_quant *quant = type->quant;
  ten_value *scaled = ten_build_binary(b, TEN_OP_DIVIDE, x, parameter(b, quant, type, quant->expressed, true));
  ten_value *moved = ten_build_binary(b, TEN_OP_ADD, scaled, parameter(b, quant, type, quant->expressed, false));
  ten_value *low = ten_build_like(b, moved, (double)quant->storage_min),
            *high = ten_build_like(b, moved, (double)quant->storage_max);
  ten_value *rounded = ten_build_unary(b, TEN_OP_ROUND_NEAREST_EVEN, ten_build_clamp(b, low, moved, high));
  /* of the quantized type for now: whoever uses it must see what the integers stand for */
  return &ten_build_op(b, TEN_OP_CONVERT, 1, &rounded, 1, &type, 0, NULL, 0)->results[0];
}

static const ten_type *expressed_type(ten_module *m, const ten_type *type) {
  return type->quant ? ten_type_tensor(m, type->quant->expressed, type->rank, type->dims) : type;
}

static ten_status *visit(ten_op *op, void *context) {
  ten_module *m = context;
  if (!is_quantized(op) || ten_op_on_storage(op)) return NULL;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!ten_type_is_static(ten_op_operand(op, i)->type))
      return ten_op_error(op, TEN_UNSUPPORTED, "quantized operands of unknown shape are not supported");
  ten_builder b = {.module = m, .block = op->block, .before = op, .loc = op->loc};
  ten_value **operands = ten_arena_new_array(&m->arena, ten_value *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = ten_op_operand(op, i);
    if (operands[i]->type->quant) operands[i] = to_real(&b, operands[i], operands[i]->type);
  }
  if (op->code == TEN_OP_UNIFORM_QUANTIZE || op->code == TEN_OP_UNIFORM_DEQUANTIZE) {
    const ten_type *type = op->results[0].type;
    ten_value_replace(&op->results[0], type->quant ? to_stored(&b, operands[0], type) : operands[0]);
    ten_op_erase(op);
    return NULL;
  }
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = expressed_type(m, op->results[i].type);
  ten_op *plain =
      ten_build_op(&b, op->code, op->operand_count, operands, op->result_count, types, op->attr_count, op->attrs, 0);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    ten_value_replace(&op->results[i], type->quant ? to_stored(&b, &plain->results[i], type) : &plain->results[i]);
  }
  ten_op_erase(op);
  return NULL;
}

/* Whatever is still of a quantized type holds the stored integers: say so. */
static ten_status *retype(ten_op *op, void *context) {
  ten_module *m = context;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].type->quant) op->results[i].type = storage_type(m, op->results[i].type);
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->arg_count; i++)
        if (block->args[i]->type->quant) block->args[i]->type = storage_type(m, block->args[i]->type);
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (value && value->dense.type->quant)
    ten_op_set_attr(m, op, TEN_STR("value"),
                    ten_attr_dense_view(m, storage_type(m, value->dense.type), value->dense.data, value->dense.size,
                                        value->dense.splat));
  if (ten_op_is_func(op) && op->regions[0].first) ten_func_update_type(m, op);
  return NULL;
}

static ten_status *quantize_run(ten_module *module) {
  TEN_TRY(ten_op_walk(module->op, visit, module));
  return ten_op_walk(module->op, retype, module);
}

const ten_pass ten_pass_quantize = {
    .name = "quantize", .summary = "rewrite quantized ops as integer and float ops", .run = quantize_run};
