/* plugin_cost.c: what a program costs: operations, counted on the program as it came (a loop's body once, as its trips
 * are not known); bytes, counted on the plan as it runs, after fusion; memory, from the plan. */
#include <stdlib.h>

#include "plugin/plugin.h"

typedef struct operations {
  const ten_module *module;
  double flops, transcendentals;
  int depth;
} operations;

static double elements(const ten_type *type) {
  double count = 1;
  if (!ten_type_is_tensor(type)) return 0;
  for (uint32_t i = 0; i < type->rank; i++) count *= (double)type->dims[i];
  return count;
}

static double dot_flops(const ten_op *op) {
  const ten_type *lhs = ten_op_operand(op, 0)->type;
  double sum = 2 * elements(op->results[0].type);
  if (op->code == TEN_OP_DOT) return sum * (lhs->rank ? (double)lhs->dims[lhs->rank - 1] : 1);
  const ten_ints dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers")).lhs_contract;
  for (size_t i = 0; i < dims.count; i++) sum *= (double)lhs->dims[dims.data[i]];
  return sum;
}

static double conv_flops(const ten_op *op) {
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_type *kernel = ten_op_operand(op, 1)->type;
  const double outputs = (double)kernel->dims[dims.kernel_output_feature];
  return outputs > 0 ? 2 * elements(op->results[0].type) * elements(kernel) / outputs : 0;
}

static void count_block(operations *o, const ten_block *block);

static void count_op(operations *o, const ten_op *op) {
  const double out = op->result_count ? elements(op->results[0].type) : 0;
  switch (op->code) {
    case TEN_OP_DOT:
    case TEN_OP_DOT_GENERAL: o->flops += dot_flops(op); return;
    case TEN_OP_CONVOLUTION: o->flops += conv_flops(op); return;
    case TEN_OP_REDUCE:
    case TEN_OP_ALL_REDUCE: o->flops += op->operand_count ? elements(ten_op_operand(op, 0)->type) : 0; return;
    case TEN_OP_REDUCE_WINDOW: {
      const ten_ints window = ten_op_ints(op, "window_dimensions");
      double each = 1;
      for (size_t i = 0; i < window.count; i++) each *= (double)window.data[i];
      o->flops += out * each;
      return;
    }
    case TEN_OP_EXPONENTIAL:
    case TEN_OP_EXPONENTIAL_MINUS_ONE:
    case TEN_OP_LOG:
    case TEN_OP_LOG_PLUS_ONE:
    case TEN_OP_LOGISTIC:
    case TEN_OP_POWER:
    case TEN_OP_SINE:
    case TEN_OP_COSINE:
    case TEN_OP_TAN:
    case TEN_OP_TANH:
    case TEN_OP_SQRT:
    case TEN_OP_RSQRT:
    case TEN_OP_CBRT:
    case TEN_OP_ATAN2: o->transcendentals += out; return;
    case TEN_OP_CALL: {
      const ten_attr *callee = ten_op_attr(op, "callee");
      const ten_op *func = callee ? ten_module_find(o->module, ten_attr_as_string(callee)) : NULL;
      if (func && o->depth++ < 64) count_block(o, ten_op_body(func, 0));
      o->depth--;
      return;
    }
    default: break;
  }
  if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && op->code != TEN_OP_CONVERT) o->flops += out;
  for (uint32_t r = 0; r < op->region_count; r++) count_block(o, ten_op_body(op, r));
}

static void count_block(operations *o, const ten_block *block) {
  for (const ten_op *op = block ? block->first : NULL; op; op = op->next) count_op(o, op);
}

static PJRT_NamedValue property(const char *name, double value) {
  return (PJRT_NamedValue){.struct_size = sizeof(PJRT_NamedValue),
                           .name = name,
                           .name_size = strlen(name),
                           .type = PJRT_NamedValue_kFloat,
                           .float_value = (float)value,
                           .value_size = 1};
}

void plugin_costs(plugin_program *p) {
  operations o = {.module = p->module};
  count_block(&o, ten_op_body(p->executable->func, 0));
  p->costs[0] = property("flops", o.flops);
  p->costs[1] = property("transcendentals", o.transcendentals);
  p->costs[2] = property("bytes accessed", ten_executable_cost(p->executable).bytes);
}

PJRT_Error *plugin_PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args *args) {
  args->properties = args->executable->program->costs;
  args->num_properties = PLUGIN_COSTS;
  return NULL;
}

static int64_t bytes_of(uint32_t count, const ten_type *const *types) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    if (types[i]->kind == TEN_TYPE_TENSOR) sum += (int64_t)ten_type_bytes(types[i]);
  return sum;
}

PJRT_Error *plugin_PJRT_Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args *args) {
  const plugin_program *p = args->executable->program;
  const ten_type *type = ten_func_type(p->executable->func);
  PJRT_Executable_GetCompiledMemoryStats_Args out = {
      .struct_size = args->struct_size, .extension_start = args->extension_start, .executable = args->executable};
  out.argument_size_in_bytes = bytes_of(type->input_count, type->inputs);
  out.output_size_in_bytes = bytes_of(type->result_count, type->results);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (p->donated[i]) out.alias_size_in_bytes += bytes_of(1, &type->inputs[i]);
  ten_memory memory;
  if (ten_executable_memory(p->executable, &memory)) out.temp_size_in_bytes = (int64_t)memory.work;
  out.peak_memory_in_bytes = out.argument_size_in_bytes + out.output_size_in_bytes + out.temp_size_in_bytes;
  memcpy(args, &out, args->struct_size < sizeof out ? args->struct_size : sizeof out);
  return NULL;
}
