/* train.c: the public API of gradients and training (tenfold/train.h). */
#include <stdlib.h>

#include "api/api.h"
#include "backend/settings.h"
#include "base/versioned.h"
#include "driver/devices.h"
#include "ir/verify/verify.h"
#include "tenfold/train.h"
#include "train/recipe.h"
#include "train/trainer.h"
#include "transform/pass/grad.h"

static void drop_program(void *program) { ten_program_release(program); }

ten_status *ten_program_gradient(ten_program *program, const ten_gradient_options *options,
                                 ten_program **out_gradient) {
  *out_gradient = NULL;
  TEN_RECOVER("differentiating the program");
  TEN_TRY(TEN_OPTIONS_CHECK(options, ten_gradient_options, take_cotangents));
  ten_grad_options wanted = {0};
  if (options)
    wanted = (ten_grad_options){.args = options->by,
                                .arg_count = options->by_count,
                                .with_results = options->with_results != 0,
                                .take_cotangents = options->take_cotangents != 0};
  ten_module *module;
  TEN_TRY(ten_grad_module(program->module, &wanted, &module));
  ten_module_on_destroy(module, drop_program, ten_program_retain(program));
  ten_status *status = ten_verify(module);
  if (status) {
    ten_module_destroy(module);
    return status;
  }
  ten_program *made = ten_alloc(sizeof *made);
  *made = (ten_program){.references = 1, .module = module};
  *out_gradient = made;
  return NULL;
}

struct ten_training {
  ten_module *module;   /* owned; NULL: from a step file */
  ten_trainer *trainer; /* owned */
  char **names;         /* owned, as are the texts: of the inputs, then of the state */
  ten_position position;
};

static ten_recipe recipe_of(const ten_training_options *options) {
  if (!options) return (ten_recipe){0};
  return (ten_recipe){.loss = options->loss,
                      .optimizer = options->optimizer,
                      .schedule = options->schedule,
                      .clip = options->clip,
                      .accumulate = options->accumulate,
                      .memory = options->memory,
                      .batch = options->batch};
}

static ten_status *settings_of(const ten_training_options *options, ten_settings *out_settings) {
  return ten_settings_parse(options ? options->precision : NULL, false, out_settings);
}

static char *text_of(ten_str text) {
  char *copy = ten_alloc(text.size + 1);
  memcpy(copy, text.data, text.size);
  return copy;
}

static ten_training *wrap(ten_module *module, ten_trainer *trainer) {
  ten_training *t = ten_alloc(sizeof *t);
  size_t fields, slots;
  const ten_dataset_field *field = ten_trainer_fields(trainer, &fields);
  const ten_step_slot *slot = ten_trainer_slots(trainer, &slots);
  *t =
      (ten_training){.module = module, .trainer = trainer, .names = ten_alloc((fields + slots + 1) * sizeof *t->names)};
  for (size_t i = 0; i < fields; i++) t->names[i] = text_of(field[i].name);
  for (size_t i = 0; i < slots; i++) t->names[fields + i] = text_of(slot[i].name);
  return t;
}

ten_status *ten_training_create(const char *path, const ten_training_options *options, ten_training **out_training) {
  *out_training = NULL;
  TEN_RECOVER("making the training step");
  TEN_TRY(TEN_OPTIONS_CHECK(options, ten_training_options, memory));
  const char *name = options && options->device ? options->device : "cpu";
  const ten_backend *backend = ten_backend_find(ten_str_of(name));
  if (!backend) return ten_backend_unknown(name);
  const ten_recipe recipe = recipe_of(options);
  ten_settings settings;
  TEN_TRY(settings_of(options, &settings));
  ten_module *module;
  TEN_TRY(ten_recipe_load(&recipe, path, &module));
  ten_trainer *trainer;
  ten_status *status = ten_trainer_create(backend, module, &settings, &trainer);
  if (status) {
    ten_module_destroy(module);
    return status;
  }
  *out_training = wrap(module, trainer);
  return NULL;
}

ten_status *ten_training_compile_to(const char *path, const ten_training_options *options, const char *step_path) {
  TEN_RECOVER("compiling the training step");
  TEN_TRY(TEN_OPTIONS_CHECK(options, ten_training_options, memory));
  if (options && options->device && strcmp(options->device, "cpu"))
    return ten_error(TEN_UNSUPPORTED, "step files are for the CPU, not for '%s'", options->device);
  const ten_recipe recipe = recipe_of(options);
  ten_settings settings;
  TEN_TRY(settings_of(options, &settings));
  ten_module *module;
  TEN_TRY(ten_recipe_load(&recipe, path, &module));
  ten_status *status = ten_trainer_compile_to(module, &settings, step_path);
  ten_module_destroy(module);
  return status;
}

ten_status *ten_training_open(const char *step_path, ten_training **out_training) {
  *out_training = NULL;
  TEN_RECOVER("opening the training step");
  ten_trainer *trainer;
  TEN_TRY(ten_trainer_open(step_path, &trainer));
  *out_training = wrap(NULL, trainer);
  return NULL;
}

void ten_training_release(ten_training *training) {
  if (!training) return;
  const size_t count = ten_training_input_count(training) + ten_training_state_count(training);
  for (size_t i = 0; i < count; i++) free(training->names[i]);
  free(training->names);
  ten_trainer_destroy(training->trainer);
  ten_module_destroy(training->module);
  free(training);
}

size_t ten_training_input_count(const ten_training *training) {
  size_t count;
  ten_trainer_fields(training->trainer, &count);
  return count;
}

ten_buffer ten_training_input(const ten_training *training, size_t index, const char **out_name) {
  size_t count;
  const ten_type *type = ten_trainer_fields(training->trainer, &count)[index].type;
  if (out_name) *out_name = training->names[index];
  return (ten_buffer){.dtype = type->dtype, .rank = type->rank, .dims = type->dims, .bytes = ten_type_bytes(type)};
}

ten_status *ten_training_step(ten_training *training, const ten_buffer *inputs, size_t input_count, double *out_loss) {
  *out_loss = 0;
  TEN_RECOVER("training");
  const size_t count = ten_training_input_count(training);
  if (input_count != count) return ten_error(TEN_INVALID, "a step takes %zu inputs, %zu are given", count, input_count);
  for (size_t i = 0; i < count; i++) {
    const ten_buffer wanted = ten_training_input(training, i, NULL);
    TEN_TRY(ten_buffer_check("input", i, &inputs[i], &wanted));
  }
  ten_tensor **tensors = ten_alloc((count + 1) * sizeof *tensors);
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++)
    status = ten_tensor_from_memory(inputs[i].dtype, inputs[i].rank, inputs[i].dims, inputs[i].data, NULL, NULL,
                                    &tensors[i]);
  if (!status) status = ten_trainer_step(training->trainer, tensors, out_loss);
  ten_tensors_release(tensors, count);
  free(tensors);
  return status;
}

int64_t ten_training_steps(const ten_training *training) { return ten_trainer_steps(training->trainer); }

size_t ten_training_state_count(const ten_training *training) {
  size_t count;
  ten_trainer_slots(training->trainer, &count);
  return count;
}

ten_buffer ten_training_state(const ten_training *training, size_t index, const char **out_name) {
  ten_tensor *value;
  ten_status *status = ten_trainer_value(training->trainer, index, &value);
  if (status) { /* out of memory for a copy in PyTorch's order */
    ten_status_free(status);
    return (ten_buffer){0};
  }
  if (out_name) *out_name = training->names[ten_training_input_count(training) + index];
  return (ten_buffer){
      .dtype = value->dtype, .rank = value->rank, .dims = value->dims, .data = value->data, .bytes = value->bytes};
}

ten_status *ten_training_save(const ten_training *training, const char *path) {
  TEN_RECOVER("saving the state");
  return ten_trainer_save(training->trainer, path, &training->position);
}

ten_status *ten_training_resume(ten_training *training, const char *path) {
  TEN_RECOVER("resuming the state");
  return ten_trainer_resume(training->trainer, path, &training->position);
}
