/* load.c: programs from files, whatever form they are in. */
#include "cli/load.h"

#include <stdlib.h>

#include "base/file.h"
#include "import/load.h"
#include "ir/bytecode/bytecode.h"
#include "ir/verify/verify.h"

static void unmap(void *file) {
  ten_file_unmap(file);
  free(file);
}

static void destroy(void *module) { ten_module_destroy(module); }

/* A PyTorch archive, lowered to StableHLO for the shapes it was exported with. Weights are shared with the ATen module.
 */
static ten_status *read_archive(const char *path, ten_str bytes, ten_module **out_module) {
  ten_module *aten;
  TEN_TRY(ten_annotate(ten_archive_load(bytes, &aten), "reading %s", path));
  ten_status *status = ten_aten_lower(aten, NULL, out_module);
  if (status) {
    ten_module_destroy(aten);
    return ten_annotate(status, "lowering %s", path);
  }
  ten_module_on_destroy(*out_module, destroy, aten);
  return NULL;
}

/* Large constants stay where they are in the mapped file, which then lives as long as the module. */
static ten_status *read_binary(const char *path, ten_file *file, ten_module **out_module) {
  const ten_str bytes = ten_file_bytes(file);
  TEN_TRY(ten_program_is_archive(bytes) ? read_archive(path, bytes, out_module)
                                        : ten_bytecode_read(bytes.data, bytes.size, path, true, out_module));
  ten_file *kept = ten_alloc(sizeof *kept);
  *kept = *file;
  *file = (ten_file){0};
  ten_module_on_destroy(*out_module, unmap, kept);
  return NULL;
}

ten_status *cli_load_parts(const char *path, ten_module_list *out_list) {
  *out_list = (ten_module_list){0};
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const char *name = strcmp(path, "-") ? path : "<stdin>";
  ten_status *status;
  if (ten_bytecode_is(file.data, file.size) || ten_program_is_archive(ten_file_bytes(&file))) {
    ten_module *module = NULL;
    status = read_binary(name, &file, &module);
    if (!status) {
      out_list->items = ten_alloc(sizeof *out_list->items);
      out_list->items[out_list->count++] = module;
    }
  } else {
    status = ten_text_parse_all(file.data, file.size, name, out_list);
  }
  ten_file_unmap(&file);
  return status;
}

ten_status *cli_load_all(const char *path, ten_module_list *out_list) {
  ten_status *status = cli_load_parts(path, out_list);
  for (size_t i = 0; i < out_list->count && !status; i++) status = ten_verify(out_list->items[i]);
  if (status) ten_module_list_free(out_list);
  return status;
}

ten_status *cli_load(const char *path, ten_module **out_module) {
  *out_module = NULL;
  ten_module_list list;
  TEN_TRY(cli_load_all(path, &list));
  if (list.count == 1) {
    *out_module = list.items[0];
    list.count = 0;
  }
  const size_t count = list.count;
  ten_module_list_free(&list);
  return *out_module ? NULL : ten_error(TEN_INVALID, "%s: has %zu programs; one is wanted", path, count);
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
    status = ten_error(TEN_NOT_FOUND, "no function @%s; there are: %s", name, names.data);
  } else {
    status = ten_error(TEN_NOT_FOUND, "no @main and several functions: choose one with --entry (%s)", names.data);
  }
  ten_buf_free(&names);
  return status;
}
