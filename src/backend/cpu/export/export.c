/* export.c: compiles a function, and links code, plan, constants and the runtime (model.c) into one shared object.
 * Link inputs are in a temporary folder next to the result, which is moved into place atomically. */
#include "backend/cpu/export/export.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/backend.h"
#include "backend/cpu/choose/tune.h"
#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/exec/object.h"
#include "backend/cpu/export/elf.h"
#include "base/c_name.h"
#include "base/file.h"

/* A C identifier from a file name. */
static void name_of(const ten_export_options *options, ten_buf *out) {
  const char *path = options->name ? options->name : options->path, *slash = strrchr(path, '/');
  const char *start = slash && !options->name ? slash + 1 : path;
  if (!options->name && !strncmp(start, "lib", 3) && start[3] != '.' && start[3]) start += 3;
  for (const char *at = start; *at && (options->name || *at != '.'); at++) {
    if (at == start && isdigit((unsigned char)*at)) ten_buf_addc(out, '_');
    ten_buf_addc(out, isalnum((unsigned char)*at) ? *at : '_');
  }
  if (!out->size) ten_buf_adds(out, "model");
}

static ten_status *check_name(const ten_export_options *options) {
  ten_buf name = {0};
  name_of(options, &name);
  const char *why = ten_c_name_problem(options->name ? options->name : name.data);
  ten_status *status = why ? ten_error(TEN_INVALID, "'%s' cannot be the name of a C function: %s%s",
                                       options->name ? options->name : name.data, why,
                                       options->name ? "" : "; the name of the file decides unless --name does")
                           : NULL;
  ten_buf_free(&name);
  return status;
}

static ten_status *check_types(const cpu_executable *executable, const ten_op *func) {
  const exec_program *flat = &executable->exec.program;
  for (uint32_t i = 0; i < flat->input_count + flat->output_count; i++) {
    const exec_type *type = i < flat->input_count ? &flat->inputs[i] : &flat->outputs[i - flat->input_count];
    if (type->dtype == TEN_DTYPE_NONE)
      return ten_op_error(func, TEN_UNSUPPORTED,
                          "an exported function takes and returns tensors; tokens are not supported");
  }
  return NULL;
}

typedef struct workshop {
  char *dir; /* owned */
} workshop;

static ten_status *workshop_open(const char *path, workshop *out) {
  ten_buf dir = {0};
  ten_buf_printf(&dir, "%s.XXXXXX", path);
  out->dir = ten_buf_take(&dir);
  if (mkdtemp(out->dir)) return NULL;
  ten_status *status = ten_error(TEN_IO, "cannot write to the folder of %s: %s", path, strerror(errno));
  free(out->dir);
  out->dir = NULL;
  return status;
}

static char *workshop_path(const workshop *w, const char *name) {
  ten_buf path = {0};
  ten_buf_printf(&path, "%s/%s", w->dir, name);
  return ten_buf_take(&path);
}

static void workshop_close(workshop *w) {
  if (!w->dir) return;
  static const char *const names[] = {"code.o", "glue.o", "data.o", "show.map", "out.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[PATH_MAX]; /* on the stack: cleanup must work without memory */
    snprintf(path, sizeof path, "%s/%s", w->dir, names[i]);
    unlink(path);
  }
  rmdir(w->dir);
  free(w->dir);
}

static ten_status *write_in(const workshop *w, const char *name, const void *data, size_t size) {
  char *path = workshop_path(w, name);
  ten_status *status = ten_file_write_atomic(path, data, size);
  free(path);
  return status;
}

/* The plan and constants of a program, in the form of a .ten file without code. */
static ten_status *write_data(const cpu_executable *executable, const ten_cpu_target *target, const workshop *w,
                              size_t *out_size) {
  cpu_object object = {0};
  ten_status *status = cpu_check_storable(executable);
  if (!status) {
    cpu_object_write(&executable->exec, target, (ten_str){0}, &object);
    *out_size = cpu_object_size(&object);
    size_t count = 0;
    cpu_object_seal(&object, NULL);
    ten_str *parts = cpu_object_parts(&object, &count);
    char *path = workshop_path(w, "data.o");
    /* code reaches its data within 2 GB */
    status = *out_size > (size_t)INT32_MAX - (64 << 20)
                 ? ten_error(TEN_LIMIT,
                             "the program's constants take %zu bytes, and a shared object holds 2 GB: write a "
                             ".ten file instead",
                             *out_size)
                 : ten_elf_write(path, "ten_exported_data", parts, count);
    free(path);
    free(parts);
  }
  cpu_object_free(&object);
  return status;
}

static ten_status *link_all(const workshop *w, const char *name, const char *to) {
  ten_buf script = {0};
  ten_buf_printf(&script, "{\n  global: %s; %s_open; %s_close; %s_message;\n  local: *;\n};\n", name, name, name, name);
  ten_status *status = write_in(w, "show.map", script.data, script.size);
  ten_buf_free(&script);
  char *objects[] = {workshop_path(w, "code.o"), workshop_path(w, "glue.o"), workshop_path(w, "data.o")};
  char *map = workshop_path(w, "show.map"), *out = workshop_path(w, "out.so");
  if (!status) status = ten_export_link((const char *const *)objects, 3, map, out);
  if (!status && rename(out, to)) status = ten_error(TEN_IO, "cannot write %s: %s", to, strerror(errno));
  for (size_t i = 0; i < 3; i++) free(objects[i]);
  free(map);
  free(out);
  return status;
}

static ten_status *export_program(const cpu_executable *executable, const ten_op *func, const ten_cpu_target *target,
                                  ten_str code, const ten_export_options *options, const workshop *w) {
  TEN_RECOVER("writing the shared object");
  TEN_TRY(check_types(executable, func));
  ten_buf name = {0}, glue = {0}, header = {0};
  size_t size = 0;
  name_of(options, &name);
  ten_status *status = write_in(w, "code.o", code.data, code.size);
  if (!status) status = write_data(executable, target, w, &size);
  if (!status) status = ten_export_glue(&executable->exec.program, target, name.data, size, &glue);
  if (!status) status = write_in(w, "glue.o", glue.data, glue.size);
  if (!status) status = link_all(w, name.data, options->path);
  if (!status && options->header) {
    ten_export_header(&executable->exec.program, options, name.data, executable->exec.kernels->isa, &header);
    status = ten_file_write_atomic(options->header, header.data, header.size);
  }
  ten_buf_free(&name);
  ten_buf_free(&glue);
  ten_buf_free(&header);
  return status;
}

ten_status *cpu_export(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                       const ten_export_options *options, ten_tuning *tuning) {
  (void)self;
  cpu_tuning measured = {0};
  ten_cpu_target target = {0};
  workshop w = {0};
  cpu_executable *executable = NULL;
  ten_buf code = {0};
  ten_status *status = check_name(options);
  if (!status) status = ten_cpu_target_of_kernels(ten_kernels_best()->isa, &target);
  if (!status) status = workshop_open(options->path, &w);
  if (!status)
    status = cpu_compile_whole(module, func, settings, &target, tuning ? &measured : NULL, &executable, &code);
  if (!status) status = export_program(executable, func, &target, (ten_str){code.data, code.size}, options, &w);
  workshop_close(&w);
  ten_buf_free(&code);
  ten_cpu_target_free(&target);
  if (executable) cpu_destroy(&executable->base);
  if (tuning) cpu_tuning_report(&measured, tuning);
  cpu_tuning_free(&measured);
  return status;
}
