/* load.c: one door for programs in files. */
#include "import/load.h"

#include <stdlib.h>

#include "base/file.h"
#include "import/pt2.h"
#include "ir/bytecode/bytecode.h"

static void unmap(void *file) {
  ten_file_unmap(file);
  free(file);
}

bool ten_program_is_archive(ten_str bytes) { return ten_zip_sniff(bytes); }

ten_status *ten_archive_load(ten_str bytes, ten_module **out_aten) { return ten_pt2_import(bytes, out_aten); }

/* Weights stay where they are in the mapped file, which lives as long as the module. */
static ten_status *keep_file(ten_file *file, ten_status *status, ten_module *module) {
  if (status) {
    unmap(file);
    return status;
  }
  ten_file_forget(file); /* reading it all is over; weights come when they are wanted */
  ten_module_on_destroy(module, unmap, file);
  return NULL;
}

ten_status *ten_program_load(const char *path, ten_program *out_program) {
  *out_program = (ten_program){0};
  ten_file *file = ten_alloc(sizeof *file);
  *file = (ten_file){0};
  ten_status *status = ten_file_map(path, file);
  if (status) {
    free(file);
    return status;
  }
  const char *name = strcmp(path, "-") ? path : "<stdin>";
  const ten_str bytes = ten_file_bytes(file);
  if (ten_zip_sniff(bytes)) {
    status = ten_annotate(ten_pt2_import(bytes, &out_program->aten), "reading %s", name);
    return keep_file(file, status, out_program->aten);
  }
  if (ten_bytecode_is(bytes.data, bytes.size)) {
    status = ten_bytecode_read(bytes.data, bytes.size, name, true, &out_program->stablehlo);
    return keep_file(file, status, out_program->stablehlo);
  }
  status = ten_text_parse(bytes.data, bytes.size, name, &out_program->stablehlo);
  unmap(file);
  return status;
}

void ten_program_destroy(ten_program *program) {
  if (program->aten) ten_module_destroy(program->aten);
  if (program->stablehlo) ten_module_destroy(program->stablehlo);
  *program = (ten_program){0};
}

ten_status *ten_program_specialize(const ten_program *program, const ten_aten_options *options,
                                   ten_module **out_module) {
  *out_module = NULL;
  if (program->aten) return ten_aten_lower(program->aten, options, out_module);
  *out_module = ten_module_clone_view(program->stablehlo);
  return NULL;
}
