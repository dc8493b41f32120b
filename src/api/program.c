/* api_program.c: the public face of programs (tenfold/program.h). */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "front/import/load.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* Takes the module, which is verified, and what it looks into. */
static ten_model *make(ten_module *module, ten_program *archive) {
  ten_model *model = ten_alloc(sizeof *model);
  *model = (ten_model){.references = 1, .module = module, .archive = archive};
  return model;
}

ten_status *ten_model_parse(const void *data, size_t size, const char *name, ten_model **out_model) {
  *out_model = NULL;
  TEN_RECOVER("parsing the program");
  ten_module *module = NULL;
  const char *path = name ? name : "<memory>";
  TEN_TRY(ten_bytecode_is(data, size) ? ten_bytecode_read(data, size, path, false, &module)
                                      : ten_text_parse(data, size, path, &module));
  ten_status *status = ten_verify(module);
  if (status)
    ten_module_destroy(module);
  else
    *out_model = make(module, NULL);
  return status;
}

static void drop(ten_program *archive) {
  if (!archive) return;
  ten_program_destroy(archive);
  free(archive);
}

ten_status *ten_model_load(const char *path, ten_model **out_model) {
  *out_model = NULL;
  TEN_RECOVER("loading the program");
  ten_program *archive = ten_alloc(sizeof *archive);
  ten_status *status = ten_program_load(path, archive);
  if (status) {
    free(archive);
    return status;
  }
  ten_module *module = NULL;
  status = ten_program_specialize(archive, NULL, &module);
  if (status)
    drop(archive);
  else
    *out_model = make(module, archive);
  return status;
}

ten_model *ten_model_retain(ten_model *model) {
  __atomic_add_fetch(&model->references, 1, __ATOMIC_RELAXED);
  return model;
}

void ten_model_release(ten_model *model) {
  if (!model || __atomic_sub_fetch(&model->references, 1, __ATOMIC_ACQ_REL)) return;
  ten_module_destroy(model->module);
  drop(model->archive);
  free(model);
}
