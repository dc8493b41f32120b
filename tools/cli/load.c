/* load.c: loads programs from files of any format. */
#include "cli/load.h"

#include <stdlib.h>

#include "base/source.h"
#include "driver/specialise.h"
#include "front/import/load.h"
#include "ir/bytecode/bytecode.h"
#include "ir/verify/verify.h"

static void close_source(void *source) { ten_source_close(source); }

static void destroy(void *module) { ten_module_destroy(module); }

/* How a file is to be read. */
typedef struct request {
  const cli_shapes *shapes; /* NULL: as it is */
  ten_buf *open;            /* its open sizes, in words; or NULL */
} request;

/* For the given shapes, or those at export. */
static ten_status *lower(const request *wanted, ten_module *aten, ten_module **out_module) {
  if (!wanted || !wanted->shapes) return ten_aten_lower(aten, NULL, out_module);
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  const uint32_t count = func ? ten_func_type(func)->input_count : 0;
  ten_aten_input *inputs = ten_alloc((count + 1) * sizeof *inputs);
  ten_status *status = cli_shapes_of_archive(wanted->shapes, aten, inputs);
  const ten_aten_options options = {.inputs = inputs, .input_count = count};
  if (!status) status = ten_aten_lower(aten, &options, out_module);
  if (!status && wanted->open && !wanted->shapes->batch && !wanted->shapes->shapes.count)
    (wanted->shapes->by_symbol ? cli_symbols_describe : cli_shapes_describe)(aten, inputs, wanted->open);
  free(inputs);
  return status;
}

/* A PyTorch archive, lowered to StableHLO. Weights are shared with the ATen module. */
static ten_status *read_archive(const char *path, ten_source *source, const request *wanted, ten_module **out_module) {
  ten_module *aten;
  TEN_TRY(ten_annotate(ten_archive_load(ten_file_bytes(&source->file), source, &aten), "reading %s", path));
  ten_status *status = lower(wanted, aten, out_module);
  if (status) {
    ten_module_destroy(aten);
    return ten_annotate(status, "lowering %s", path);
  }
  ten_module_on_destroy(*out_module, destroy, aten);
  return NULL;
}

/* Large constants are views of the mapped file, which then lives as long as the module. */
static ten_status *read_binary(const char *path, ten_source *source, const request *wanted, ten_module **out_module) {
  const ten_str bytes = ten_file_bytes(&source->file);
  TEN_TRY(ten_import_is_archive(bytes) ? read_archive(path, source, wanted, out_module)
                                       : ten_bytecode_read(bytes.data, bytes.size, path, true, out_module));
  ten_module_on_destroy(*out_module, close_source, source);
  return NULL;
}

static ten_status *load_parts(const char *path, const request *wanted, ten_module_list *out_list) {
  *out_list = (ten_module_list){0};
  ten_source *source;
  TEN_TRY(ten_source_open(path, &source));
  const char *name = strcmp(path, "-") ? path : "<stdin>";
  const ten_str bytes = ten_file_bytes(&source->file);
  ten_status *status;
  if (ten_bytecode_is(bytes.data, bytes.size) || ten_import_is_archive(bytes)) {
    ten_module *module = NULL;
    status = read_binary(name, source, wanted, &module);
    if (!status) {
      source = NULL;
      out_list->items = ten_alloc(sizeof *out_list->items);
      out_list->items[out_list->count++] = module;
    }
  } else {
    status = ten_text_parse_all(bytes.data, bytes.size, name, out_list);
  }
  ten_source_close(source);
  return status;
}

ten_status *cli_load_parts(const char *path, ten_module_list *out_list) { return load_parts(path, NULL, out_list); }

static ten_status *load_all(const char *path, const request *wanted, ten_module_list *out_list) {
  ten_status *status = load_parts(path, wanted, out_list);
  for (size_t i = 0; i < out_list->count && !status; i++) status = ten_verify(out_list->items[i]);
  if (status) ten_module_list_free(out_list);
  return status;
}

ten_status *cli_load_all(const char *path, ten_module_list *out_list) { return load_all(path, NULL, out_list); }

static ten_status *load_one(const char *path, const request *wanted, ten_module **out_module) {
  *out_module = NULL;
  ten_module_list list;
  TEN_TRY(load_all(path, wanted, &list));
  if (list.count == 1) {
    *out_module = list.items[0];
    list.count = 0;
  }
  const size_t count = list.count;
  ten_module_list_free(&list);
  return *out_module ? NULL : ten_error(TEN_INVALID, "%s: has %zu programs; one is wanted", path, count);
}

ten_status *cli_load(const char *path, ten_module **out_module) { return load_one(path, NULL, out_module); }

ten_status *cli_load_shaped(const char *path, const char *entry, const cli_shapes *shapes, ten_module **out_module,
                            ten_buf *out_open) {
  const request wanted = {shapes, out_open};
  TEN_TRY(load_one(path, &wanted, out_module));
  const ten_op *func = ten_module_entry(*out_module, ten_str_of(entry));
  if (!func || !ten_func_is_dynamic(func)) return NULL;
  ten_status *status = cli_shapes_apply(shapes, entry, out_module);
  if (status) ten_module_destroy(*out_module), *out_module = NULL;
  return status;
}

ten_status *cli_entry(const ten_module *module, const char *name, ten_op **out_func) {
  *out_func = ten_module_entry(module, ten_str_of(name));
  if (*out_func) return NULL;
  ten_buf names = {0};
  for (const ten_op *op = ten_module_body(module)->first; op; op = op->next)
    if (ten_op_is_func(op)) ten_buf_printf(&names, "%s@%.*s", names.size ? ", " : "", TEN_FMT(ten_func_name(op)));
  ten_status *status;
  if (!names.size) {
    status = ten_error(TEN_NOT_FOUND, "the program has no functions");
  } else if (name) {
    status = ten_error(TEN_NOT_FOUND, "no function @%s; the program has: %s", name, names.data);
  } else {
    status = ten_error(TEN_NOT_FOUND, "no @main and several functions: choose one with --entry (%s)", names.data);
  }
  ten_buf_free(&names);
  return status;
}
