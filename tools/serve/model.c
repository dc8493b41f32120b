/* model.c: loading models and running them. A program with open sizes is compiled for the shapes that requests have; a
 * bounded number of those programs is cached in LRU order, so that a client who sends ever new shapes costs time and
 * not memory. */
#include "serve/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/shared.h"
#include "base/arena.h"
#include "base/mapped.h"
#include "driver/chain.h"
#include "driver/devices.h"
#include "driver/open_program.h"
#include "driver/sizes.h"
#include "driver/specialise.h"
#include "train/step_file.h"

/* The program for inputs of known shapes. Reference-counted: one that runs may be evicted meanwhile. */
struct serve_variant {
  serve_variant *next;
  int references;             /* atomic */
  int64_t *dims;              /* owned: of all inputs, one after the other */
  ten_aten_input *wanted;     /* owned: the chain points into it */
  ten_chain *chain;           /* owned, or NULL */
  ten_module *module;         /* owned, unless the chain's */
  ten_executable *executable; /* owned; NULL: the chain runs part by part, */
  pthread_mutex_t serial;     /* one call at a time */
};

static void variant_release(serve_variant *variant) {
  if (!variant || __atomic_sub_fetch(&variant->references, 1, __ATOMIC_ACQ_REL)) return;
  ten_executable_release(variant->executable);
  if (variant->chain) ten_chain_close(variant->chain);
  if (variant->module) ten_module_destroy(variant->module);
  pthread_mutex_destroy(&variant->serial);
  free(variant->wanted);
  free(variant->dims);
  free(variant);
}

static void ports_free(serve_port *ports, uint32_t count) {
  for (uint32_t i = 0; ports && i < count; i++) free(ports[i].name);
  free(ports);
}

serve_model *serve_model_retain(serve_model *model) {
  __atomic_add_fetch(&model->references, 1, __ATOMIC_RELAXED);
  return model;
}

void serve_model_release(serve_model *model) {
  if (!model || __atomic_sub_fetch(&model->references, 1, __ATOMIC_ACQ_REL)) return;
  while (model->variants) {
    serve_variant *variant = model->variants;
    model->variants = variant->next;
    variant_release(variant);
  }
  ten_executable_release(model->compiled);
  ten_shared_release(model->shared);
  ten_import_destroy(&model->program);
  ports_free(model->inputs, model->input_count);
  ports_free(model->outputs, model->output_count);
  pthread_mutex_destroy(&model->mutex);
  pthread_mutex_destroy(&model->compiling);
  free(model->name);
  free(model->version);
  free(model->path);
  free(model);
}

int serve_port_find(const serve_port *ports, uint32_t count, ten_str name) {
  for (uint32_t i = 0; i < count; i++)
    if (ten_str_is(name, ports[i].name)) return (int)i;
  return -1;
}

static ten_status *port_make(const serve_model *model, const char *what, uint32_t index, ten_str name,
                             const ten_type *type, serve_port *out) {
  char own[64];
  snprintf(own, sizeof own, "%s%u", what, index);
  out->name = ten_alloc((name.size ? name.size : strlen(own)) + 1);
  if (name.size) {
    memcpy(out->name, name.data, name.size);
    out->name[name.size] = 0;
  } else {
    strcpy(out->name, own);
  }
  out->type = ten_type_is_tensor(type) ? serve_type_of(type->dtype) : NULL;
  if (!out->type || !type->ranked || type->quant)
    return ten_error(TEN_UNSUPPORTED,
                     "%s: %s '%s' is of type %s, which the Open Inference Protocol has no name for (BOOL, INT8 to "
                     "INT64, UINT8 to UINT64, FP16, BF16, FP32 and FP64 can be served)",
                     model->path, what, out->name,
                     ten_type_is_tensor(type) ? ten_dtype_name(type->dtype) : "no tensor");
  if (type->rank > TEN_RANK_MAX)
    return ten_error(TEN_LIMIT, "%s: '%s' has %u dimensions", model->path, own, type->rank);
  out->rank = type->rank;
  for (uint32_t d = 0; d < type->rank; d++) out->dims[d] = type->dims[d] == TEN_DYNAMIC ? -1 : type->dims[d];
  return NULL;
}

/* Names, types and shapes. Results beyond those declared, such as mutated buffers, are not served. */
static ten_status *describe(serve_model *model) {
  const ten_type *type = ten_func_type(model->func);
  model->inputs = ten_alloc((type->input_count + 1) * sizeof *model->inputs);
  memset(model->inputs, 0, (type->input_count + 1) * sizeof *model->inputs);
  model->outputs = ten_alloc((type->result_count + 1) * sizeof *model->outputs);
  memset(model->outputs, 0, (type->result_count + 1) * sizeof *model->outputs);
  model->input_count = type->input_count;
  model->output_count = type->result_count;
  for (uint32_t i = 0; i < type->input_count; i++)
    TEN_TRY(port_make(model, "input", i, ten_func_input_name(model->func, i), type->inputs[i], &model->inputs[i]));
  for (uint32_t i = 0; i < type->result_count; i++)
    TEN_TRY(port_make(model, "output", i, ten_func_result_name(model->func, i), type->results[i], &model->outputs[i]));
  return NULL;
}

/* Shapes as a lowering takes them. */
static ten_aten_options lowering_for(serve_model *model, ten_tensor *const *inputs, serve_variant *variant) {
  const ten_type *declared = ten_func_type(model->func);
  ten_module *module = model->program.aten ? model->program.aten : model->program.stablehlo;
  variant->wanted = ten_alloc((model->input_count + 1) * sizeof *variant->wanted);
  memset(variant->wanted, 0, (model->input_count + 1) * sizeof *variant->wanted);
  for (uint32_t i = 0; i < model->input_count; i++)
    variant->wanted[i].type = ten_type_with_shape(module, declared->inputs[i], inputs[i]->rank, inputs[i]->dims);
  return (ten_aten_options){.inputs = variant->wanted, .input_count = model->input_count};
}

/* Compiles a module that was lowered so; code is shared between variants. */
static ten_status *compile_lowered(serve_model *model, ten_module *module, const ten_aten_options *lowering,
                                   serve_variant *variant) {
  ten_settings settings = {.shared = model->shared};
  if (settings.shared)
    ten_sizes_prepare(&model->program, model->func, model->key, model->device, lowering, &module->arena, &settings);
  const ten_op *func = ten_module_entry(module, (ten_str){0});
  return ten_compile(model->device, module, func, &settings, &variant->executable);
}

static ten_status *archive_variant(serve_model *model, ten_tensor *const *inputs, serve_variant *variant) {
  const ten_chain_options options = {.lowering = lowering_for(model, inputs, variant), .device = model->device};
  TEN_TRY(ten_chain_open(&model->program, &options, &variant->chain));
  bool whole;
  ten_module *module = ten_chain_first(variant->chain, &whole);
  return whole ? compile_lowered(model, module, &options.lowering, variant) : NULL;
}

static ten_status *module_variant(serve_model *model, ten_tensor *const *inputs, serve_variant *variant) {
  if (model->shared) {
    const ten_aten_options lowering = lowering_for(model, inputs, variant);
    TEN_TRY(ten_sizes_lower(&model->program, model->func, &lowering, &variant->module));
    return compile_lowered(model, variant->module, &lowering, variant);
  }
  TEN_TRY(ten_import_specialize(&model->program, NULL, &variant->module));
  ten_op *func = ten_module_entry(variant->module, (ten_str){0});
  if (!model->device->dynamic && ten_func_is_dynamic(func)) {
    ten_module *special = NULL;
    TEN_TRY(ten_specialise(variant->module, func, inputs, model->input_count, &special, &func));
    ten_module_destroy(variant->module);
    variant->module = special;
  }
  return ten_compile(model->device, variant->module, func, &(ten_settings){0}, &variant->executable);
}

static size_t dims_copy(const serve_model *model, ten_tensor *const *inputs, int64_t *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < model->input_count; i++)
    for (uint32_t d = 0; d < inputs[i]->rank; d++, count++)
      if (out) out[count] = inputs[i]->dims[d];
  return count;
}

static bool dims_equal(const serve_model *model, ten_tensor *const *inputs, const int64_t *dims) {
  for (uint32_t i = 0; i < model->input_count; dims += inputs[i]->rank, i++)
    if (inputs[i]->rank && memcmp(dims, inputs[i]->dims, inputs[i]->rank * sizeof *dims) != 0) return false;
  return true;
}

/* The one for these shapes, moved to the front and retained; or NULL. */
static serve_variant *variant_find(serve_model *model, ten_tensor *const *inputs) {
  pthread_mutex_lock(&model->mutex);
  serve_variant **at = &model->variants, *found;
  while (*at && !dims_equal(model, inputs, (*at)->dims)) at = &(*at)->next;
  found = *at;
  if (found) {
    *at = found->next;
    found->next = model->variants;
    model->variants = found;
    __atomic_add_fetch(&found->references, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&model->mutex);
  return found;
}

/* Adds it in front and retains it for the caller; evicts the least recently used one. */
static void variant_add(serve_model *model, serve_variant *variant) {
  serve_variant *dropped = NULL;
  pthread_mutex_lock(&model->mutex);
  variant->references++;
  variant->next = model->variants;
  model->variants = variant;
  if (++model->variant_count > model->variants_most) {
    serve_variant **at = &model->variants;
    while ((*at)->next) at = &(*at)->next;
    dropped = *at;
    *at = NULL;
    model->variant_count--;
  }
  pthread_mutex_unlock(&model->mutex);
  variant_release(dropped);
}

typedef struct making {
  serve_model *model;
  ten_tensor *const *inputs;
  serve_variant *variant;
} making;

static ten_status *variant_fill(void *argument) {
  making *m = argument;
  m->variant->dims = ten_alloc((dims_copy(m->model, m->inputs, NULL) + 1) * sizeof(int64_t));
  dims_copy(m->model, m->inputs, m->variant->dims);
  return m->model->program.aten ? archive_variant(m->model, m->inputs, m->variant)
                                : module_variant(m->model, m->inputs, m->variant);
}

static ten_status *variant_get(serve_model *model, ten_tensor *const *inputs, serve_variant **out_variant) {
  *out_variant = variant_find(model, inputs);
  if (*out_variant) return NULL;
  pthread_mutex_lock(&model->compiling);
  *out_variant = variant_find(model, inputs); /* another thread may have compiled it */
  ten_status *status = NULL;
  if (!*out_variant) {
    serve_variant *variant = calloc(1, sizeof *variant);
    if (!variant) {
      status = ten_error(TEN_LIMIT, "out of memory");
    } else {
      variant->references = 1;
      pthread_mutex_init(&variant->serial, NULL);
      making m = {model, inputs, variant};
      status = ten_recover("compiling the model", variant_fill, &m);
      if (status)
        variant_release(variant);
      else
        variant_add(model, *out_variant = variant);
    }
  }
  pthread_mutex_unlock(&model->compiling);
  return ten_annotate(status, "compiling model '%s' for these shapes", model->name);
}

/* Drops results that are not served. */
static ten_status *run_executable(serve_model *model, ten_executable *executable, ten_tensor *const *inputs,
                                  ten_tensor **outputs) {
  TEN_RECOVER("running the model");
  ten_tensor **all = ten_alloc((executable->output_count + 1) * sizeof *all);
  memset(all, 0, (executable->output_count + 1) * sizeof *all);
  ten_status *status = ten_execute(executable, inputs, executable->input_count, NULL, all);
  if (!status) status = ten_mapped_check();
  for (uint32_t i = 0; i < model->output_count && !status; i++) outputs[i] = all[i], all[i] = NULL;
  ten_tensors_release(all, executable->output_count);
  free(all);
  return status;
}

static ten_status *run_parts(serve_model *model, serve_variant *variant, ten_tensor *const *inputs,
                             ten_tensor **outputs) {
  ten_tensor **all = NULL;
  uint32_t count = 0;
  pthread_mutex_lock(&variant->serial);
  ten_status *status = ten_chain_execute(variant->chain, inputs, model->input_count, NULL, &all, &count);
  pthread_mutex_unlock(&variant->serial);
  for (uint32_t i = 0; i < model->output_count && !status; i++) outputs[i] = all[i], all[i] = NULL;
  if (all) ten_tensors_release(all, count);
  free(all);
  return status;
}

ten_status *serve_model_run(serve_model *model, ten_tensor *const *inputs, ten_tensor **outputs) {
  memset(outputs, 0, model->output_count * sizeof *outputs);
  if (model->compiled) return run_executable(model, model->compiled, inputs, outputs);
  serve_variant *variant;
  TEN_TRY(variant_get(model, inputs, &variant));
  ten_status *status = variant->executable ? run_executable(model, variant->executable, inputs, outputs)
                                           : run_parts(model, variant, inputs, outputs);
  variant_release(variant);
  return status;
}

/* One run on zeros, so that the first request does not wait for the compiler; open sizes are 1. Failures on zeros (such
 * as an index that must not be 0) are left to the requests. */
static ten_status *warm_up(serve_model *model) {
  ten_tensor **values = ten_alloc((model->input_count + model->output_count + 1) * sizeof *values);
  memset(values, 0, (model->input_count + model->output_count + 1) * sizeof *values);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < model->input_count && !status; i++) {
    int64_t dims[TEN_RANK_MAX];
    for (uint32_t d = 0; d < model->inputs[i].rank; d++)
      dims[d] = model->inputs[i].dims[d] < 0 ? 1 : model->inputs[i].dims[d];
    status = ten_tensor_create(model->inputs[i].type->dtype, model->inputs[i].rank, dims, &values[i]);
  }
  serve_variant *variant = NULL;
  if (!status && !model->compiled) status = variant_get(model, values, &variant);
  variant_release(variant);
  if (!status) ten_status_free(serve_model_run(model, values, values + model->input_count));
  ten_tensors_release(values, (size_t)model->input_count + model->output_count);
  free(values);
  return status;
}

static bool is_dynamic(const serve_model *model) {
  for (uint32_t i = 0; i < model->input_count; i++)
    for (uint32_t d = 0; d < model->inputs[i].rank; d++)
      if (model->inputs[i].dims[d] < 0) return true;
  return false;
}

static ten_status *open_file(serve_model *model, const char *device) {
  if (ten_step_file_at(model->path))
    return ten_error(TEN_INVALID, "%s is a training step, which cannot be served", model->path);
  if (ten_backend_of_file(model->path)) {
    TEN_TRY(ten_compiled_file_open(model->path, device, &model->compiled));
    model->func = model->compiled->func;
    model->platform = "tenfold_compiled";
    return NULL;
  }
  TEN_TRY(ten_backend_open(device ? device : "cpu", &model->device));
  TEN_TRY(ten_import_load(model->path, &model->program));
  model->platform = model->program.aten ? "pytorch_pt2" : "stablehlo";
  model->func = ten_module_entry(model->program.aten ? model->program.aten : model->program.stablehlo, (ten_str){0});
  if (!model->func) return ten_error(TEN_NOT_FOUND, "%s has neither @main nor a single public function", model->path);
  if (model->device->learn && ten_import_is_open(&model->program, NULL)) {
    model->shared = ten_shared_create();
    model->key = ten_sizes_key(&model->program, model->func);
  }
  return NULL;
}

static ten_status *load(serve_model *model, const serve_model_options *options, char **out_note) {
  TEN_TRY(open_file(model, options->device));
  TEN_TRY(describe(model));
  ten_status *warm = warm_up(model);
  /* A program with open sizes may not accept a size of 1: its first request compiles it. */
  if (warm && !is_dynamic(model)) return warm;
  ten_status_free(warm);
  if (options->max_batch > 1) {
    bool can = false;
    TEN_TRY(serve_batch_try(model, options->max_batch, options->batch_rounding, &can, out_note));
    const int64_t most = options->max_batch < SERVE_BATCH_MOST ? options->max_batch : SERVE_BATCH_MOST;
    if (can) model->batcher = (serve_batcher){most, options->batch_delay};
  }
  return NULL;
}

ten_status *serve_model_load(const char *path, const char *name, const char *version,
                             const serve_model_options *options, serve_model **out_model, char **out_note) {
  *out_model = NULL;
  *out_note = NULL;
  TEN_RECOVER("loading a model");
  serve_model *model = ten_alloc(sizeof *model);
  *model = (serve_model){.references = 1,
                         .name = ten_strdup(name),
                         .version = ten_strdup(version),
                         .path = ten_strdup(path),
                         .variants_most = (size_t)options->max_shapes};
  pthread_mutex_init(&model->mutex, NULL);
  pthread_mutex_init(&model->compiling, NULL);
  ten_status *status = load(model, options, out_note);
  if (status)
    serve_model_release(model);
  else
    *out_model = model;
  return ten_annotate(status, "loading model '%s'", name);
}
