/* vmap.c: what was recorded for one example, for a batch of them. Like a gradient it is one more operation: StableHLO
 * made of the graph between the stand-ins of the example and the outputs, and remembered by the graph's key. */
#include <stdlib.h>

#include "ir/text/text.h"
#include "tensor/internal.h"
#include "transform/batch/batch.h"

static ten_status *batch_text(ten_device *device, const tensor_graph *graph, size_t batched_count, int64_t size,
                              ten_buf *out) {
  ten_module *module, *made = NULL;
  TEN_TRY(tensor_graph_lower(device, graph, true, &module));
  bool *batched = ten_alloc((graph->inputs.count + 1) * sizeof *batched);
  for (size_t i = 0; i < graph->inputs.count; i++) batched[i] = i < batched_count;
  ten_status *status = ten_batch_module(module, (ten_str){0}, batched, size, &made);
  if (!status) ten_text_print(out, made, NULL);
  free(batched);
  if (made) ten_module_destroy(made);
  ten_module_destroy(module);
  return status;
}

/* The text, stored as a program is. */
static ten_status *batch_of(ten_device *device, tensor_graph *graph, size_t batched_count, int64_t size,
                            uint32_t *out_string) {
  tensor_graph_key(graph);
  ten_vec_push(&graph->key, UINT64_MAX - 2);
  ten_vec_push(&graph->key, batched_count);
  ten_vec_push(&graph->key, (uint64_t)size);
  tensor_graph_key_outputs(graph);
  const tensor_program *found = tensor_program_find(device, graph);
  if (found) {
    *out_string = found->text;
    return NULL;
  }
  ten_buf text = {0};
  ten_status *status = batch_text(device, graph, batched_count, size, &text);
  if (!status) {
    *out_string = tensor_string(device, (ten_str){text.data, text.size});
    tensor_program_store(device, graph, NULL, *out_string);
  }
  ten_buf_free(&text);
  return status;
}

static ten_status *vmap(ten_device *device, tensor_graph *graph, size_t input_count, ten_array *const *batches,
                        ten_array **out_arrays) {
  uint32_t string;
  TEN_TRY(batch_of(device, graph, input_count, ten_array_dims(batches[0])[0], &string));
  const size_t count = graph->inputs.count;
  ten_array **inputs = ten_alloc((count + 1) * sizeof *inputs);
  for (size_t i = 0; i < count; i++)
    inputs[i] = i < input_count ? ten_array_retain(batches[i])
                                : tensor_array_new(device, graph->inputs.data[i].node, graph->inputs.data[i].result);
  tensor_graph_reset(graph);
  ten_status *status = tensor_record_body(device, string, count, inputs, out_arrays, graph->outputs.count);
  for (size_t i = 0; i < count; i++) tensor_array_drop(device, inputs[i]);
  free(inputs);
  return status;
}

static ten_status *check(size_t input_count, ten_array *const *inputs, ten_array *const *batches, size_t output_count,
                         ten_array *const *outputs) {
  if (!input_count) return ten_error(TEN_INVALID, "a batch of examples without inputs");
  if (!output_count || output_count > TENSOR_OUTPUTS_MAX)
    return ten_error(TEN_INVALID, "%zu outputs; there are 1 to %d", output_count, TENSOR_OUTPUTS_MAX);
  const ten_device *device = outputs[0]->device;
  for (size_t i = 1; i < output_count; i++)
    if (outputs[i]->device != device)
      return ten_error(TEN_INVALID, "output %zu is on \"%s\", output 0 on \"%s\"", i, outputs[i]->device->name,
                       device->name);
  for (size_t i = 0; i < input_count; i++) {
    const tensor_result *one = tensor_result_of(inputs[i]), *all = tensor_result_of(batches[i]);
    if (inputs[i]->device != device || batches[i]->device != device)
      return ten_error(TEN_INVALID, "input %zu is not on \"%s\", where the outputs are", i, device->name);
    if (all->dtype != one->dtype || all->rank != one->rank + 1 ||
        (one->rank && memcmp(all->dims + 1, one->dims, one->rank * sizeof *one->dims) != 0))
      return ten_error(TEN_INVALID, "batch %zu has not the type of its example with one more dimension in front", i);
    const int64_t size = tensor_result_of(batches[0])->dims[0];
    if (all->dims[0] != size)
      return ten_error(TEN_INVALID, "batch %zu has %lld examples, batch 0 %lld", i, (long long)all->dims[0],
                       (long long)size);
  }
  return NULL;
}

ten_status *ten_array_vmap(size_t input_count, ten_array *const *inputs, ten_array *const *batches, size_t output_count,
                           ten_array *const *outputs, ten_array **out_arrays) {
  for (size_t i = 0; i < output_count; i++) out_arrays[i] = NULL;
  TEN_RECOVER("making a batch");
  TEN_TRY(tensor_live("inputs of an example", input_count, inputs));
  TEN_TRY(tensor_live("a batch of examples", input_count, batches));
  TEN_TRY(tensor_live("results of an example", output_count, outputs));
  TEN_TRY(check(input_count, inputs, batches, output_count, outputs));
  ten_device *device = outputs[0]->device;
  tensor_graph graph = {0};
  tensor_operand *cuts = ten_alloc((input_count + 1) * sizeof *cuts);
  for (size_t i = 0; i < input_count; i++) cuts[i] = (tensor_operand){inputs[i]->node, inputs[i]->result};
  for (size_t i = 0; i < output_count; i++)
    ten_vec_push(&graph.outputs, (tensor_operand){outputs[i]->node, outputs[i]->result});
  tensor_lock(device);
  tensor_graph_collect(device, &graph, output_count, graph.outputs.data, input_count, cuts, true);
  ten_status *status = graph.inputs.count == input_count
                           ? vmap(device, &graph, input_count, batches, out_arrays)
                           : ten_error(TEN_INVALID, "an array stands for two inputs; each must be its own");
  tensor_graph_reset(&graph);
  tensor_unlock(device);
  tensor_graph_free(&graph);
  free(cuts);
  return status;
}
