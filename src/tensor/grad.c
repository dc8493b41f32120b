/* grad.c: gradients of what was recorded, and recordings as functions. A gradient is one more operation: StableHLO made
 * of the graph between an array and what it is differentiated by, and remembered by the graph's key. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/text/text.h"
#include "tensor/internal.h"
#include "transform/pass/grad.h"

void ten_tape_begin(ten_device *device) {
  tensor_lock(device);
  device->tapes++;
  tensor_unlock(device);
}

void ten_tape_end(ten_device *device) {
  TEN_RECOVER_AS("ending a tape", );
  tensor_lock(device);
  if (device->tapes && !--device->tapes) tensor_tape_forget(device);
  tensor_unlock(device);
}

static ten_status *gradient_text(ten_device *device, const tensor_graph *graph, size_t count, ten_buf *out) {
  ten_module *module, *made = NULL;
  TEN_TRY(tensor_graph_lower(device, graph, true, &module));
  ten_status *status = ten_grad_prepare(module);
  uint32_t *args = ten_alloc((count + 1) * sizeof *args);
  for (uint32_t i = 0; i < count; i++) args[i] = i;
  const ten_grad_options options = {.args = args, .arg_count = count};
  if (!status) status = ten_grad_module(module, &options, &made);
  if (!status) ten_text_print(out, made, NULL);
  free(args);
  if (made) ten_module_destroy(made);
  ten_module_destroy(module);
  return status;
}

/* The text of the gradient, stored as a program is. */
static ten_status *gradient_of(ten_device *device, tensor_graph *graph, size_t count, uint32_t *out_string) {
  tensor_graph_key(graph);
  ten_vec_push(&graph->key, UINT64_MAX - 1);
  ten_vec_push(&graph->key, count);
  const tensor_operand *loss = &graph->outputs.data[0];
  const int64_t number = tensor_operand_result(loss)->number;
  ten_vec_push(&graph->key,
               number >= 0 ? (uint64_t)number : (uint64_t)loss->node->number << 16 | loss->result << 1 | 1);
  tensor_program *found = tensor_program_find(device, graph);
  if (found) {
    *out_string = found->text;
    return NULL;
  }
  ten_buf text = {0};
  ten_status *status = gradient_text(device, graph, count, &text);
  if (!status) {
    *out_string = tensor_string(device, (ten_str){text.data, text.size});
    tensor_program_store(device, graph, NULL, *out_string);
  }
  ten_buf_free(&text);
  return status;
}

static ten_status *gradient_record(ten_device *device, tensor_graph *graph, size_t count, ten_array **made) {
  uint32_t string;
  TEN_TRY(gradient_of(device, graph, count, &string));
  const size_t input_count = graph->inputs.count;
  ten_array **inputs = ten_alloc((input_count + 1) * sizeof *inputs);
  for (size_t i = 0; i < input_count; i++)
    inputs[i] = tensor_array_new(device, graph->inputs.data[i].node, graph->inputs.data[i].result);
  tensor_graph_reset(graph);
  ten_status *status = tensor_record_body(device, string, input_count, inputs, made, count);
  for (size_t i = 0; i < input_count; i++) tensor_array_drop(device, inputs[i]);
  free(inputs);
  return status;
}

static ten_status *grad(ten_device *device, ten_array *loss, size_t count, ten_array *const *by,
                        ten_array **out_gradients) {
  tensor_operand *cuts = ten_alloc((count + 1) * sizeof *cuts);
  for (size_t i = 0; i < count; i++) cuts[i] = (tensor_operand){by[i]->node, by[i]->result};
  const tensor_operand root = {loss->node, loss->result};
  tensor_graph graph = {0};
  tensor_graph_collect(device, &graph, 1, &root, count, cuts, true);
  ten_vec_push(&graph.outputs, root);
  const size_t unique = graph.inputs.count; /* of the arrays to differentiate by */
  size_t *places = ten_alloc((count + 1) * sizeof *places);
  for (size_t i = 0; i < count; i++) places[i] = (size_t)tensor_operand_result(&cuts[i])->number;
  ten_array **made = ten_alloc((unique + 1) * sizeof *made);
  memset(made, 0, (unique + 1) * sizeof *made);
  ten_status *status = gradient_record(device, &graph, unique, made);
  tensor_graph_reset(&graph);
  for (size_t i = 0; i < count && !status; i++) out_gradients[i] = ten_array_retain(made[places[i]]);
  for (size_t i = 0; i < unique; i++)
    if (made[i]) tensor_array_drop(device, made[i]);
  tensor_graph_free(&graph);
  free(made);
  free(places);
  free(cuts);
  return status;
}

ten_status *ten_array_grad(ten_array *loss, size_t count, ten_array *const *by, ten_array **out_gradients) {
  for (size_t i = 0; i < count; i++) out_gradients[i] = NULL;
  TEN_RECOVER("differentiating");
  TEN_TRY(tensor_live("the loss of gradients", 1, &loss));
  TEN_TRY(tensor_live("gradients", count, by));
  if (!ten_dtype_is_float(ten_array_dtype(loss)) || ten_array_rank(loss))
    return ten_error(TEN_INVALID, "gradients are of one float number without dimensions, not of %s with %u dimensions",
                     ten_dtype_name(ten_array_dtype(loss)), ten_array_rank(loss));
  for (size_t i = 0; i < count; i++) {
    if (by[i]->device != loss->device)
      return ten_error(TEN_INVALID, "array %zu is on \"%s\", the loss on \"%s\"", i, by[i]->device->name,
                       loss->device->name);
    if (!ten_dtype_is_float(ten_array_dtype(by[i])))
      return ten_error(TEN_INVALID, "gradients are by float arrays; array %zu is of %s", i,
                       ten_dtype_name(ten_array_dtype(by[i])));
  }
  if (!count) return NULL;
  tensor_lock(loss->device);
  ten_status *status = grad(loss->device, loss, count, by, out_gradients);
  tensor_unlock(loss->device);
  return status;
}

/* ---- functions ---- */
struct ten_function {
  ten_device *device;      /* retained */
  tensor_program *program; /* held: not trimmed */
  size_t input_count, output_count, value_count;
  tensor_type *types;  /* owned: of the inputs */
  ten_tensor **values; /* owned references behind room for the inputs: what else it depends on */
};

static ten_status *function_make(ten_device *device, tensor_graph *graph, ten_function *function) {
  tensor_graph_key(graph);
  tensor_graph_key_outputs(graph);
  TEN_TRY(tensor_program_of(device, graph, &function->program));
  function->program->references++;
  function->program->spent = TENSOR_INTERPRET_WORK;
  function->value_count = graph->inputs.count;
  function->types = ten_alloc((function->input_count + 1) * sizeof *function->types);
  function->values = ten_alloc((graph->inputs.count + 1) * sizeof *function->values);
  memset(function->values, 0, (graph->inputs.count + 1) * sizeof *function->values);
  for (size_t i = 0; i < graph->inputs.count; i++) {
    const tensor_result *result = tensor_operand_result(&graph->inputs.data[i]);
    if (i >= function->input_count) {
      if (!result->value)
        return ten_error(TEN_INVALID, "a function depends on an input of another that is being recorded");
      function->values[i] = ten_tensor_retain(result->value);
      continue;
    }
    function->types[i] = (tensor_type){.dtype = result->dtype, .rank = result->rank};
    if (result->rank) memcpy(function->types[i].dims, result->dims, result->rank * sizeof *result->dims);
  }
  return NULL;
}

/* All but the reference of its device. */
static void function_free(ten_function *function) {
  if (function->program) {
    tensor_lock(function->device);
    function->program->references--;
    tensor_unlock(function->device);
  }
  if (function->values) ten_tensors_release(function->values, function->value_count);
  free(function->values);
  free(function->types);
  free(function);
}

ten_status *ten_function_create(size_t input_count, ten_array *const *inputs, size_t output_count,
                                ten_array *const *outputs, ten_function **out_function) {
  *out_function = NULL;
  TEN_RECOVER("making a function");
  if (!output_count) return ten_error(TEN_INVALID, "a function without results");
  TEN_TRY(tensor_live("inputs of a function", input_count, inputs));
  TEN_TRY(tensor_live("results of a function", output_count, outputs));
  ten_device *device = outputs[0]->device;
  for (size_t i = 0; i < input_count + output_count; i++)
    if ((i < input_count ? inputs[i] : outputs[i - input_count])->device != device)
      return ten_error(TEN_INVALID, "inputs and results of a function are on one device, here \"%s\"", device->name);
  tensor_graph graph = {0};
  tensor_operand *cuts = ten_alloc((input_count + 1) * sizeof *cuts);
  for (size_t i = 0; i < input_count; i++) cuts[i] = (tensor_operand){inputs[i]->node, inputs[i]->result};
  for (size_t i = 0; i < output_count; i++)
    ten_vec_push(&graph.outputs, (tensor_operand){outputs[i]->node, outputs[i]->result});
  ten_function *function = ten_alloc(sizeof *function);
  *function = (ten_function){.device = device, .input_count = input_count, .output_count = output_count};
  tensor_lock(device);
  tensor_graph_collect(device, &graph, output_count, graph.outputs.data, input_count, cuts, true);
  ten_status *status = graph.inputs.count == input_count
                           ? NULL
                           : ten_error(TEN_INVALID, "an array is two inputs of a function; each must be its own");
  if (!status) status = function_make(device, &graph, function);
  tensor_graph_reset(&graph);
  tensor_unlock(device);
  tensor_graph_free(&graph);
  free(cuts);
  if (status)
    function_free(function);
  else
    ten_device_retain(device), *out_function = function;
  return status;
}

static ten_status *inputs_take(const ten_function *function, ten_array *const *inputs, ten_tensor **values) {
  for (size_t i = 0; i < function->input_count; i++) {
    const tensor_type *type = &function->types[i];
    const tensor_result *result = tensor_result_of(inputs[i]);
    if (inputs[i]->device != function->device || result->dtype != type->dtype || result->rank != type->rank ||
        (type->rank && memcmp(result->dims, type->dims, type->rank * sizeof *type->dims) != 0))
      return ten_error(TEN_INVALID, "input %zu is not of the type, shape and device that the function was made for", i);
    if (!result->value)
      TEN_TRY(tensor_evaluate(function->device, 1, &(tensor_operand){inputs[i]->node, inputs[i]->result}));
    values[i] = result->value;
  }
  return NULL;
}

ten_status *ten_function_call(ten_function *function, ten_array *const *inputs, ten_array **outputs) {
  for (size_t i = 0; i < function->output_count; i++) outputs[i] = NULL;
  TEN_RECOVER("calling a function");
  TEN_TRY(tensor_live("calling a function", function->input_count, inputs));
  ten_device *device = function->device;
  ten_tensor **values = ten_alloc((function->value_count + function->output_count + 1) * sizeof *values);
  ten_tensor **results = values + function->value_count;
  memcpy(values, function->values, function->value_count * sizeof *values);
  tensor_lock(device);
  ten_status *status = inputs_take(function, inputs, values);
  if (!status) status = tensor_program_run(device, function->program, values, function->value_count, results);
  status = tensor_wrong_values(device, status, NULL);
  for (size_t i = 0; i < function->output_count && !status; i++) outputs[i] = tensor_array_of(device, results[i]);
  tensor_unlock(device);
  free(values);
  return status;
}

void tensor_function_counts(const ten_function *function, size_t *out_inputs, size_t *out_outputs) {
  *out_inputs = function->input_count;
  *out_outputs = function->output_count;
}

void ten_function_release(ten_function *function) {
  if (!function) return;
  ten_device *device = function->device;
  function_free(function);
  ten_device_release(device);
}
