/* pass.c: the table of passes and the runner. */
#include "pass/pass.h"

#include <time.h>

const ten_pass *const ten_passes[] = {
    &ten_pass_affine,    &ten_pass_attention, &ten_pass_chlo,     &ten_pass_cse,    &ten_pass_dce,     &ten_pass_grad,
    &ten_pass_expand,    &ten_pass_flow,      &ten_pass_fold,     &ten_pass_inline, &ten_pass_layout,  &ten_pass_phases,
    &ten_pass_depthwise, &ten_pass_quantize,  &ten_pass_simplify, &ten_pass_tuple,  &ten_pass_unshard, NULL,
};

const ten_pass *ten_pass_find(ten_str name) {
  for (const ten_pass *const *pass = ten_passes; *pass; pass++)
    if (ten_str_is(name, (*pass)->name)) return *pass;
  return NULL;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

ten_status *ten_pipeline_run(const ten_pass *const *passes, ten_module *module, const ten_pipeline_options *options) {
  static const ten_pipeline_options plain = {0};
  if (!options) options = &plain;
  if (options->verify) TEN_TRY(ten_annotate(options->verify(module), "verifying the module before the first pass"));
  for (const ten_pass *const *pass = passes; *pass; pass++) {
    const double start = now();
    TEN_TRY(ten_annotate((*pass)->run(module), "running pass %s", (*pass)->name));
    const double seconds = now() - start;
    if (options->after) options->after(options->user, *pass, module, seconds);
    if (options->verify)
      TEN_TRY(ten_annotate(options->verify(module), "verifying the module after pass %s", (*pass)->name));
  }
  return NULL;
}
