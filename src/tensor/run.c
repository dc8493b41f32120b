/* run.c: what was recorded is run: the graph that a value needs is looked up among the programs of the device, lowered
 * and compiled where it is new, and called. Small graphs run on the interpreter until they were seen often enough. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/cost.h"
#include "ir/verify/verify.h"
#include "tensor/internal.h"

void tensor_program_free(tensor_program *program) {
  if (program->interpreted) program->interpreted->backend->destroy(program->interpreted);
  if (program->compiled) program->compiled->backend->destroy(program->compiled);
  if (program->module) ten_module_destroy(program->module);
  free(program->key);
  free(program);
}

static void table_add(ten_device *device, uint32_t place) {
  const size_t capacity = device->program_table.capacity;
  size_t slot = device->programs.data[place]->hash & (capacity - 1);
  while (device->program_table.slots[slot]) slot = (slot + 1) & (capacity - 1);
  device->program_table.slots[slot] = place + 1;
}

static void table_make(ten_device *device) {
  size_t capacity = device->program_table.capacity ? device->program_table.capacity : 256;
  while (capacity < device->programs.count * 2 + 2) capacity *= 2;
  device->program_table.slots = ten_renew(device->program_table.slots, capacity * sizeof(uint32_t));
  device->program_table.capacity = capacity;
  for (uint32_t i = 0; i < device->programs.count; i++) table_add(device, i);
}

static int by_last(const void *a, const void *b) {
  const tensor_program *x = *(tensor_program *const *)a, *y = *(tensor_program *const *)b;
  return x->last > y->last ? -1 : x->last < y->last;
}

/* Drops the half that was not used for longest, but for what functions hold. */
static void programs_trim(ten_device *device) {
  qsort(device->programs.data, device->programs.count, sizeof *device->programs.data, by_last);
  size_t kept = 0, words = 0, all = 0;
  for (size_t i = 0; i < device->programs.count; i++) {
    tensor_program *program = device->programs.data[i];
    words += program->key_count;
    if ((i < TENSOR_PROGRAMS_MAX / 2 && words <= TENSOR_PROGRAM_WORDS / 2) || program->references) {
      device->programs.data[kept++] = program;
      all += program->key_count;
    } else {
      tensor_program_free(program);
    }
  }
  device->programs.count = kept;
  device->program_words = all;
}

static uint64_t key_hash(const tensor_graph *graph) {
  return ten_hash64(graph->key.data, graph->key.count * sizeof *graph->key.data, 1);
}

static bool op_moves(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_MODULE:
    case TEN_OP_FUNC:
    case TEN_OP_FUNC_RETURN:
    case TEN_OP_CONSTANT:
    case TEN_OP_SLICE:
    case TEN_OP_RESHAPE:
    case TEN_OP_REVERSE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_CONCATENATE: return true;
    default: return false;
  }
}

static ten_status *count_op(ten_op *op, void *context) {
  tensor_program *program = context;
  ten_work counted = {0};
  ten_count_op(NULL, op, &counted);
  program->work += 8 + counted.flops;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_is_tensor(op->results[i].type)) program->work += (uint64_t)ten_type_count(op->results[i].type);
  program->moves &= op_moves(op);
  return NULL;
}

tensor_program *tensor_program_store(ten_device *device, const tensor_graph *graph, ten_module *module, uint32_t text) {
  tensor_program *program = ten_alloc(sizeof *program);
  *program = (tensor_program){.hash = key_hash(graph), .key_count = graph->key.count, .module = module, .text = text};
  program->last = device->runs;
  program->key = ten_alloc(graph->key.count * sizeof *program->key);
  memcpy(program->key, graph->key.data, graph->key.count * sizeof *program->key);
  if (device->programs.count >= TENSOR_PROGRAMS_MAX ||
      device->program_words + program->key_count > TENSOR_PROGRAM_WORDS) {
    programs_trim(device);
    table_make(device);
  }
  ten_vec_push(&device->programs, program);
  device->program_words += program->key_count;
  if (device->programs.count * 2 >= device->program_table.capacity)
    table_make(device);
  else
    table_add(device, (uint32_t)device->programs.count - 1);
  return program;
}

tensor_program *tensor_program_find(const ten_device *device, const tensor_graph *graph) {
  if (!device->program_table.capacity) return NULL;
  const uint64_t hash = key_hash(graph);
  size_t slot = hash & (device->program_table.capacity - 1);
  for (; device->program_table.slots[slot]; slot = (slot + 1) & (device->program_table.capacity - 1)) {
    tensor_program *program = device->programs.data[device->program_table.slots[slot] - 1];
    if (program->hash != hash || program->key_count != graph->key.count) continue;
    if (!memcmp(program->key, graph->key.data, graph->key.count * sizeof *program->key)) return program;
  }
  return NULL;
}

ten_status *tensor_program_of(ten_device *device, const tensor_graph *graph, tensor_program **out_program) {
  *out_program = tensor_program_find(device, graph);
  if (*out_program) return NULL;
  ten_module *module;
  TEN_TRY(tensor_graph_lower(device, graph, false, &module));
  tensor_program *program = tensor_program_store(device, graph, module, 0);
  program->func = ten_module_entry(module, TEN_STR("main"));
  *out_program = program;
  program->moves = true;
  return ten_op_walk(module->op, count_op, program);
}

static ten_status *executable_of(ten_device *device, tensor_program *program, ten_executable **out_executable) {
  const bool moves = device->mover && program->moves && program->work < TENSOR_MOVED_WORK;
  const bool interpret =
      moves || (device->small && !program->compiled && program->spent + program->work < TENSOR_INTERPRET_WORK);
  const ten_backend *small = moves ? device->mover : device->small;
  ten_executable **executable = interpret ? &program->interpreted : &program->compiled;
  program->spent += program->work + TENSOR_INTERPRET_WORK / 128;
  if (interpret)
    device->interpreted_runs++;
  else
    device->compiled += !*executable;
  if (!*executable)
    TEN_TRY(ten_compile(interpret ? small : device->backend, program->module, program->func, NULL, executable));
  *out_executable = *executable;
  return NULL;
}

ten_status *tensor_program_run(ten_device *device, tensor_program *program, ten_tensor *const *inputs,
                               size_t input_count, ten_tensor **outputs) {
  ten_executable *executable;
  TEN_TRY(tensor_memory_admit(device, program->func));
  program->runs++;
  program->last = ++device->runs;
  device->use = TENSOR_RUNS;
  ten_status *status = executable_of(device, program, &executable);
  const ten_run_options options = {.pool = device->pool, .resident = device->mover != NULL};
  for (size_t i = 0; i < input_count && !status && executable->backend != device->backend; i++)
    status = ten_tensor_load(inputs[i]);
  if (!status) status = tensor_memory_explain(device, ten_execute(executable, inputs, input_count, &options, outputs));
  device->use = TENSOR_CHANGES;
  return status;
}

/* What a graph returns: results that an array is, or that operations outside of the graph use. */
static void outputs_find(tensor_graph *graph) {
  for (size_t n = 0; n < graph->nodes.count; n++) {
    tensor_node *node = graph->nodes.data[n];
    for (uint32_t i = 0; i < node->result_count; i++) {
      const tensor_result *result = &node->results[i];
      if (!result->handles && result->users == result->inner) continue;
      ten_vec_push(&graph->outputs, (tensor_operand){node, i});
      ten_vec_push(&graph->key, (uint64_t)node->number << 16 | i);
    }
  }
}

static ten_status *values_compute(ten_device *device, const tensor_graph *graph, ten_tensor **values) {
  tensor_program *program;
  ten_status *status = tensor_program_of(device, graph, &program);
  if (status) return tensor_wrong_values(device, status, graph);
  for (size_t i = 0; i < graph->inputs.count; i++) values[i] = tensor_operand_result(&graph->inputs.data[i])->value;
  status = tensor_program_run(device, program, values, graph->inputs.count, values + graph->inputs.count);
  return tensor_wrong_values(device, status, graph);
}

enum { VALUES_SMALL = 64, WALKED_MOST = 1 << 16 };

static ten_status *graph_run(ten_device *device, tensor_graph *graph) {
  tensor_graph_key(graph);
  outputs_find(graph);
  ten_tensor *small[VALUES_SMALL];
  const size_t count = graph->inputs.count + graph->outputs.count;
  ten_tensor **values = count <= VALUES_SMALL ? small : ten_alloc(count * sizeof *values);
  device->walking = graph == &device->walked;
  ten_status *status = values_compute(device, graph, values);
  device->walking = false;
  tensor_graph_reset(graph);
  for (size_t i = 0; i < graph->outputs.count && !status; i++)
    tensor_node_set(device, graph->outputs.data[i].node, graph->outputs.data[i].result,
                    values[graph->inputs.count + i]);
  if (values != small) free(values);
  if (status) return status;
  for (size_t n = 0; n < graph->nodes.count; n++) graph->nodes.data[n]->references++;
  for (size_t n = 0; n < graph->nodes.count; n++) tensor_node_done(device, graph->nodes.data[n]);
  for (size_t n = 0; n < graph->nodes.count; n++) tensor_node_release(device, graph->nodes.data[n]);
  return NULL;
}

static ten_status *abstract_error(void) {
  return ten_error_raises(ten_error(TEN_INVALID,
                                    "a value is read (by float(x), `if x > 0` or print(x), say) of an array "
                                    "that stands for an input of a function that is being recorded"),
                          "TypeError");
}

ten_status *tensor_evaluate(ten_device *device, size_t count, const tensor_operand *roots) {
  TEN_TRY(tensor_usable(device));
  for (size_t i = 0; i < count; i++)
    if (roots[i].node->abstract && !tensor_operand_result(&roots[i])->value) return abstract_error();
  tensor_graph *graph = &device->walked; /* nothing that runs records, so that there is one at a time */
  tensor_graph_clear(graph);
  tensor_graph_collect(device, graph, count, roots, 0, NULL, false);
  ten_status *status = graph->nodes.count ? graph_run(device, graph) : NULL;
  if (graph->key.capacity > WALKED_MOST) tensor_graph_free(graph);
  return status;
}

ten_status *tensor_flush(ten_device *device) {
  TEN_VEC(tensor_operand) roots = {0};
  for (tensor_node *node = device->first; node; node = node->next)
    for (uint32_t i = 0; i < node->result_count; i++)
      if (node->results[i].handles) ten_vec_push(&roots, (tensor_operand){node, i});
  ten_status *status = roots.count ? tensor_evaluate(device, roots.count, roots.data) : NULL;
  ten_vec_free(&roots);
  return status;
}
