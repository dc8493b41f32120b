/* program.c: the public API of programs (tenfold/program.h). */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "front/import/load.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* Takes ownership of the verified module, and of the archive with its data. */
static ten_program *make(ten_module *module, ten_import *archive) {
  ten_program *program = ten_alloc(sizeof *program);
  *program = (ten_program){.references = 1, .module = module, .archive = archive};
  return program;
}

ten_status *ten_program_parse(const void *data, size_t size, const char *name, ten_program **out_program) {
  *out_program = NULL;
  TEN_RECOVER("parsing the program");
  ten_module *module = NULL;
  const char *path = name ? name : "<memory>";
  TEN_TRY(ten_bytecode_is(data, size) ? ten_bytecode_read(data, size, path, false, &module)
                                      : ten_text_parse(data, size, path, &module));
  ten_status *status = ten_verify(module);
  if (status)
    ten_module_destroy(module);
  else
    *out_program = make(module, NULL);
  return status;
}

static void drop(ten_import *archive) {
  if (!archive) return;
  ten_import_destroy(archive);
  free(archive);
}

ten_status *ten_program_load(const char *path, ten_program **out_program) {
  *out_program = NULL;
  TEN_RECOVER("loading the program");
  ten_import *archive = ten_alloc(sizeof *archive);
  ten_status *status = ten_import_load(path, archive);
  if (status) {
    free(archive);
    return status;
  }
  ten_module *module = NULL;
  status = ten_import_specialize(archive, NULL, &module);
  if (status)
    drop(archive);
  else
    *out_program = make(module, archive);
  return status;
}

ten_program *ten_program_retain(ten_program *program) {
  __atomic_add_fetch(&program->references, 1, __ATOMIC_RELAXED);
  return program;
}

void ten_program_release(ten_program *program) {
  if (!program || __atomic_sub_fetch(&program->references, 1, __ATOMIC_ACQ_REL)) return;
  ten_module_destroy(program->module);
  drop(program->archive);
  free(program);
}
