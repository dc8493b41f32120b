/* recipe.c: parses training options, and converts a program to a training step.
 * Needs: a program whose weights are named constants (a .pt2 archive has them).  Keeps: of the program only what the
 * step needs. */
#include "train/recipe.h"

#include <stdlib.h>

#include "ir/verify/verify.h"
#include "train/budget.h"
#include "transform/grad/train.h"
#include "transform/pass/grad.h"
#include "transform/pass/pass.h"
#include "value/tensor.h"

static void drop_module(void *module) { ten_module_destroy(module); }

static ten_status *read_loss(const char *text, ten_import *program, ten_module **out_module,
                             ten_train_options *options) {
  *out_module = NULL;
  if (!text || !strcmp(text, "cross_entropy"))
    options->loss = TEN_LOSS_CROSS_ENTROPY;
  else if (!strcmp(text, "mse"))
    options->loss = TEN_LOSS_MSE;
  else if (!strcmp(text, "output"))
    options->loss = TEN_LOSS_OUTPUT;
  else if (ten_str_ends(ten_str_of(text), ".pt2") || ten_str_ends(ten_str_of(text), ".mlir")) {
    options->loss = TEN_LOSS_PROGRAM;
    TEN_TRY(ten_import_load(text, program));
    TEN_TRY(ten_import_specialize(program, NULL, out_module));
    options->loss_program = *out_module;
  } else {
    return ten_error(TEN_INVALID, "unknown loss '%s'; use cross_entropy, mse, output, or a program (.pt2, .mlir)",
                     text);
  }
  return NULL;
}

static ten_status *read_options(const ten_recipe *recipe, ten_train_options *options) {
  TEN_TRY(ten_train_parse_optimizer(recipe->optimizer ? recipe->optimizer : "sgd", options));
  if (recipe->schedule) TEN_TRY(ten_train_parse_schedule(recipe->schedule, options));
  options->accumulate = recipe->accumulate;
  options->clip = recipe->clip;
  return NULL;
}

/* Sets the first dimension of every input with an open one. */
static ten_status *set_batch(ten_import *program, int64_t batch, ten_aten_input *inputs) {
  const ten_op *func = ten_module_entry(program->aten, TEN_STR("main"));
  const ten_type *type = ten_func_type(func);
  bool found = false;
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_type *declared = type->inputs[i];
    if (declared->kind != TEN_TYPE_TENSOR || !declared->rank || declared->dims[0] != TEN_DYNAMIC) continue;
    int64_t dims[TEN_RANK_MAX];
    const ten_ints hints = ten_attr_as_ints(ten_func_arg_attr(func, i, "aten.example"));
    for (uint32_t d = 0; d < declared->rank; d++)
      dims[d] = declared->dims[d] == TEN_DYNAMIC && d < hints.count ? hints.data[d] : declared->dims[d];
    dims[0] = batch;
    inputs[i].type = ten_type_tensor(program->aten, declared->dtype, declared->rank, dims);
    found = true;
  }
  if (found) return NULL;
  const ten_type *first = type->input_count ? type->inputs[0] : NULL;
  if (first && first->kind == TEN_TYPE_TENSOR && first->rank && first->dims[0] == batch) return NULL;
  return ten_error(TEN_INVALID,
                   "the model was exported with a batch that is fixed%s; export it with dynamic_shapes to choose "
                   "another",
                   first && first->kind == TEN_TYPE_TENSOR && first->rank ? "" : " (it has no batch)");
}

static ten_status *lower(const ten_recipe *recipe, ten_import *program, ten_module **out_module) {
  *out_module = NULL;
  if (!program->aten) {
    if (recipe->batch) return ten_error(TEN_UNSUPPORTED, "a batch can be chosen for PyTorch archives only");
    return ten_import_specialize(program, NULL, out_module);
  }
  const ten_op *func = ten_module_entry(program->aten, TEN_STR("main"));
  if (!func) return ten_error(TEN_INVALID, "the program has no @main to train");
  const uint32_t count = ten_func_type(func)->input_count;
  ten_aten_input *inputs = ten_alloc((count + 1) * sizeof *inputs);
  ten_status *status = recipe->batch ? set_batch(program, recipe->batch, inputs) : NULL;
  const ten_aten_options options = {.inputs = inputs, .input_count = count, .seed_input = true, .training = true};
  if (!status) status = ten_import_specialize(program, &options, out_module);
  free(inputs);
  return status;
}

ten_status *ten_recipe_build(const ten_recipe *recipe, ten_import *program, ten_module **out_module) {
  *out_module = NULL;
  ten_train_options options = {0};
  TEN_TRY(read_options(recipe, &options));
  ten_budget budget = {.gradient = TEN_STR("loss.grad"), .entry = TEN_STR("step"), .finish = ten_train_order};
  budget.keep = recipe->keep && !recipe->memory;
  if (recipe->memory) TEN_TRY(ten_budget_parse(recipe->memory, &budget.bytes));
  ten_import loss_program = {0};
  ten_module *module = NULL, *loss = NULL;
  ten_status *status = read_loss(recipe->loss, &loss_program, &loss, &options);
  if (!status) status = lower(recipe, program, &module);
  if (!status) status = ten_verify(module);
  if (!status) status = ten_grad_prepare(module);
  const ten_pass *narrow = recipe->keep ? &ten_pass_narrow_rows : &ten_pass_narrow;
  if (!status && !recipe->whole) status = narrow->run(module); /* what is not computed needs no gradient */
  if (!status && !recipe->whole) status = ten_pass_associate.run(module);
  if (!status) status = ten_train_build(module, &options);
  if (!status) status = ten_budget_fit(module, &budget);
  if (!status) status = ten_annotate(ten_verify(module), "checking the training step");
  if (status) {
    ten_module_destroy(module);
  } else { /* constants refer to these */
    if (program->aten) ten_module_on_destroy(module, drop_module, program->aten);
    if (program->stablehlo) ten_module_on_destroy(module, drop_module, program->stablehlo);
    if (loss_program.aten) ten_module_on_destroy(module, drop_module, loss_program.aten);
    if (loss_program.stablehlo) ten_module_on_destroy(module, drop_module, loss_program.stablehlo);
    *program = loss_program = (ten_import){0};
    *out_module = module;
  }
  if (loss) ten_module_destroy(loss);
  ten_import_destroy(&loss_program);
  return status;
}

ten_status *ten_recipe_load(const ten_recipe *recipe, const char *path, ten_module **out_module) {
  *out_module = NULL;
  TEN_RECOVER("making the training step");
  ten_import program = {0};
  TEN_TRY(ten_import_load(path, &program));
  ten_status *status = ten_recipe_build(recipe, &program, out_module);
  ten_import_destroy(&program);
  return status;
}
