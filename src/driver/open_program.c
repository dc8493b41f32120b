/* open_program.c: runs a program with open dimensions: a static module for each set of shapes, compiled with the code
 * that all of them share. An archive is lowered for the shapes; StableHLO is refined with them. */
#include "driver/open_program.h"

#include <stdlib.h>
#include <string.h>

#include "driver/devices.h"
#include "driver/open_state.h"
#include "driver/sizes.h"
#include "driver/specialise.h"

static ten_op *find_entry(const ten_import *program, const char *entry) {
  if (program->aten) return ten_module_entry(program->aten, TEN_STR("main"));
  return ten_module_entry(program->stablehlo, ten_str_of(entry));
}

bool ten_import_is_open(const ten_import *program, const char *entry) {
  const ten_op *func = find_entry(program, entry);
  return func && ten_func_is_dynamic(func);
}

/* ---- one set of shapes ---- */
static ten_status *make(void *context, ten_tensor *const *inputs, ten_executable **out_executable,
                        ten_module **out_module) {
  const open_program *p = context;
  const ten_type *declared = ten_func_type(p->declared);
  const uint32_t count = declared->input_count;
  ten_module *types = ten_module_create();
  ten_aten_input *given = ten_arena_new_array(&types->arena, ten_aten_input, count + 1);
  memset(given, 0, (count + 1) * sizeof *given);
  for (uint32_t i = 0; i < count; i++)
    if (ten_type_is_tensor(declared->inputs[i]))
      given[i].type = ten_type_tensor(types, inputs[i]->dtype, inputs[i]->rank, inputs[i]->dims);
  const ten_aten_options options = {.inputs = given, .input_count = count, .unchecked = p->unchecked};
  ten_status *status = ten_sizes_lower(&p->program, p->declared, &options, out_module);
  if (!status) {
    const ten_op *func = ten_module_entry(*out_module, ten_func_name(p->declared));
    ten_settings settings = p->settings;
    settings.verified = settings.module_lent = p->program.aten != NULL;
    ten_sizes_prepare(&p->program, p->declared, p->key, p->device, &options, &types->arena, &settings);
    status = ten_compile(p->device, *out_module, func, &settings, out_executable);
    if (status) ten_module_destroy(*out_module), *out_module = NULL;
  }
  ten_module_destroy(types);
  return status;
}

ten_status *open_prepare(open_program *p, ten_tensor *const *inputs) {
  ten_executable *made;
  ten_shaped *used;
  TEN_TRY(ten_shapes_find(p->shapes, inputs, p->base.input_count, make, p, &made, &used));
  ten_shapes_done(p->shapes, used);
  return NULL;
}

static ten_status *execute(ten_executable *base, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs) {
  open_program *p = (open_program *)base;
  ten_executable *made;
  ten_shaped *used;
  TEN_TRY(ten_shapes_find(p->shapes, inputs, input_count, make, p, &made, &used));
  ten_status *status = ten_execute(made, inputs, input_count, options, outputs);
  ten_shapes_done(p->shapes, used);
  return status;
}

/* ---- the signature ---- */
/* A result's type: the dimensions that the archive leaves open are open, the others as lowered. A tensor that is
 * written in place has the type of its input or weight. */
static const ten_type *result_type(ten_module *module, const ten_type *declared, const ten_op *lowered, uint32_t i) {
  const ten_type *type = ten_func_type(lowered)->results[i], *like = NULL;
  const ten_attr *input = ten_func_result_attr(lowered, i, "aten.mutates_input");
  if (!ten_type_is_tensor(type) || ten_func_result_attr(lowered, i, "aten.mutates"))
    return ten_type_import(module, type);
  const int64_t number = input ? ten_attr_as_int(input, -1) : -1;
  if (number >= 0 && number < declared->input_count) like = declared->inputs[number];
  if (!input && i < declared->result_count) like = declared->results[i];
  if (like && (!ten_type_is_tensor(like) || like->rank != type->rank)) like = NULL;
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t d = 0; d < type->rank; d++)
    dims[d] = like && like->dims[d] != TEN_DYNAMIC ? type->dims[d] : TEN_DYNAMIC;
  return ten_type_tensor(module, type->dtype, type->rank, dims);
}

static void sign_archive(open_program *p, const ten_op *lowered) {
  const ten_type *declared = ten_func_type(p->declared), *type = ten_func_type(lowered);
  ten_module *module = p->signature = ten_module_create();
  const size_t count = (size_t)type->input_count + type->result_count;
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count + 1);
  for (uint32_t i = 0; i < type->input_count; i++)
    types[i] = ten_type_import(module, i < declared->input_count && ten_type_is_tensor(declared->inputs[i])
                                           ? declared->inputs[i]
                                           : type->inputs[i]);
  for (uint32_t i = 0; i < type->result_count; i++)
    types[type->input_count + i] = result_type(module, declared, lowered, i);
  ten_op *func = ten_func_create(module, TEN_STR("main"), type->input_count, types, type->result_count,
                                 types + type->input_count, NULL);
  const ten_attr *inputs = ten_op_attr(p->declared, "arg_attrs"), *results = ten_op_attr(lowered, "res_attrs");
  if (inputs) ten_op_set_attr(module, func, TEN_STR("arg_attrs"), ten_attr_import(module, inputs, false));
  if (results) ten_op_set_attr(module, func, TEN_STR("res_attrs"), ten_attr_import(module, results, false));
  p->base.func = func;
}

ten_status *open_sign(open_program *p, const char *entry) {
  p->declared = find_entry(&p->program, entry);
  if (!p->declared)
    return entry ? ten_error(TEN_NOT_FOUND, "the program has no function @%s", entry)
                 : ten_error(TEN_NOT_FOUND, "the program has neither @main nor a single public function: name one");
  p->key = ten_sizes_key(&p->program, p->declared);
  p->base.func = p->declared;
  if (p->program.aten) {
    const ten_aten_options options = {.unchecked = p->unchecked};
    ten_module *example;
    TEN_TRY(ten_import_specialize(&p->program, &options, &example));
    sign_archive(p, ten_module_entry(example, TEN_STR("main")));
    ten_module_destroy(example);
  }
  p->base.input_count = ten_func_type(p->base.func)->input_count;
  p->base.output_count = ten_func_type(p->base.func)->result_count;
  return NULL;
}

/* ---- the executable ---- */
static const ten_backend backend = {.name = "cpu",
                                    .summary = "programs with open dimensions",
                                    .internal = true,
                                    .execute = execute,
                                    .destroy = open_destroy};

open_program *open_create(const ten_open_options *options) {
  open_program *p = ten_alloc(sizeof *p);
  memset(p, 0, sizeof *p);
  p->base.backend = &backend;
  p->device = ten_backend_default();
  p->settings = options->settings;
  p->settings.shared = options->settings.shared ? ten_shared_retain(options->settings.shared) : ten_shared_create();
  p->unchecked = options->unchecked;
  p->shapes = ten_shapes_create();
  return p;
}

void open_destroy(ten_executable *base) {
  open_program *p = (open_program *)base;
  ten_shapes_destroy(p->shapes);
  ten_shared_release(p->settings.shared);
  if (p->signature) ten_module_destroy(p->signature);
  ten_import_destroy(&p->program);
  if (p->file.data) ten_file_unmap(&p->file);
  free(p);
}

/* A view: lowering numbers the values of an archive, and other threads may be at it. */
void open_view(open_program *p, const ten_import *program) {
  if (program->aten) p->program.aten = ten_module_clone_view(program->aten);
  if (program->stablehlo) p->program.stablehlo = ten_module_clone_view(program->stablehlo);
}

ten_status *ten_open_program_create(const ten_import *program, const ten_open_options *options,
                                    ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("compiling the program");
  open_program *p = open_create(options);
  open_view(p, program);
  ten_status *status = open_sign(p, options->entry);
  if (status)
    open_destroy(&p->base);
  else
    *out_executable = &p->base;
  return status;
}
