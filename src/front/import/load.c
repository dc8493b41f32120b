/* load.c: loads programs from files of any format. */
#include "front/import/load.h"

#include <stdlib.h>

#include "base/mapped.h"
#include "base/source.h"
#include "front/import/pt2.h"
#include "ir/bytecode/bytecode.h"
#include "ir/verify/verify.h"

static void close_source(void *source) { ten_source_close(source); }

bool ten_import_is_archive(ten_str bytes) { return ten_zip_sniff(bytes); }

ten_status *ten_archive_load(ten_str bytes, ten_source *source, ten_module **out_aten) {
  TEN_RECOVER("reading the archive");
  return ten_pt2_import(bytes, source, out_aten);
}

/* Weights are views of the mapped file, which lives as long as the module. */
static ten_status *keep_source(ten_source *source, ten_status *status, ten_module *module) {
  if (status) {
    ten_source_close(source);
    return status;
  }
  ten_file_release_pages(&source->file); /* sequential reading is done; weights are paged in on demand */
  ten_module_on_destroy(module, close_source, source);
  return NULL;
}

static ten_status *load(const char *path, ten_import *out_program) {
  ten_source *source;
  TEN_TRY(ten_source_open(path, &source));
  const char *name = strcmp(path, "-") ? path : "<stdin>";
  const ten_str bytes = ten_file_bytes(&source->file);
  if (ten_zip_sniff(bytes)) {
    ten_status *status = ten_annotate(ten_pt2_import(bytes, source, &out_program->aten), "reading %s", name);
    out_program->bytes = bytes;
    return keep_source(source, status, out_program->aten);
  }
  if (ten_bytecode_is(bytes.data, bytes.size)) {
    ten_status *status = ten_bytecode_read(bytes.data, bytes.size, name, true, &out_program->stablehlo);
    return keep_source(source, status, out_program->stablehlo);
  }
  ten_status *status = ten_text_parse(bytes.data, bytes.size, name, &out_program->stablehlo);
  ten_source_close(source);
  return status;
}

ten_status *ten_import_load(const char *path, ten_import *out_program) {
  *out_program = (ten_import){0};
  TEN_RECOVER("loading the program");
  ten_status *status = load(path, out_program);
  if (!status) status = ten_mapped_check();
  if (!status && out_program->stablehlo) status = ten_verify(out_program->stablehlo);
  if (status) ten_import_destroy(out_program);
  return status;
}

void ten_import_destroy(ten_import *program) {
  if (program->aten) ten_module_destroy(program->aten);
  if (program->stablehlo) ten_module_destroy(program->stablehlo);
  *program = (ten_import){0};
}

ten_status *ten_import_specialize(const ten_import *program, const ten_aten_options *options, ten_module **out_module) {
  *out_module = NULL;
  TEN_RECOVER("lowering the program");
  if (program->aten) return ten_aten_lower(program->aten, options, out_module);
  *out_module = ten_module_clone_view(program->stablehlo);
  return NULL;
}
