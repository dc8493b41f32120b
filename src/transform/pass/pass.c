/* pass.c: the table of passes and the runner. */
#include "transform/pass/pass.h"
#include "base/clock.h"
#include "base/environment.h"
#include "ir/verify/verify.h"

const ten_pass *const ten_passes[] = {
    &ten_pass_affine,        &ten_pass_associate,
    &ten_pass_attention,     &ten_pass_batches,
    &ten_pass_byte_products, &ten_pass_chlo,
    &ten_pass_cse,           &ten_pass_dce,
    &ten_pass_grad,          &ten_pass_expand,
    &ten_pass_flow,          &ten_pass_gathers,
    &ten_pass_groups,        &ten_pass_attention_grad,
    &ten_pass_fold,          &ten_pass_inline,
    &ten_pass_integer_sums,  &ten_pass_layout,
    &ten_pass_phases,        &ten_pass_depthwise,
    &ten_pass_derivative,    &ten_pass_lookup,
    &ten_pass_merge_matmuls, &ten_pass_quantize,
    &ten_pass_random,        &ten_pass_narrow,
    &ten_pass_narrow_rows,   &ten_pass_partial,
    &ten_pass_planar,        &ten_pass_round_once,
    &ten_pass_scan,          &ten_pass_simplify,
    &ten_pass_taps,          &ten_pass_trim,
    &ten_pass_tuple,         &ten_pass_unshard,
    &ten_pass_unzip,         &ten_pass_updates,
    &ten_pass_volumes,       &ten_pass_windows,
    &ten_pass_zip,           NULL,
};

const ten_pass *ten_pass_find(ten_str name) {
  for (const ten_pass *const *pass = ten_passes; *pass; pass++)
    if (ten_str_is(name, (*pass)->name)) return *pass;
  return NULL;
}

typedef struct each {
  ten_module *module;
  ten_opcode code;
  void (*visit)(ten_module *module, ten_op *op);
} each;

static ten_status *visit_parent(ten_op *parent, void *context) {
  const each *e = context;
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next)
      for (ten_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (op->code == e->code) e->visit(e->module, op);
      }
  return NULL;
}

ten_status *ten_pass_each(ten_module *module, ten_opcode code, void (*visit)(ten_module *, ten_op *)) {
  each e = {module, code, visit};
  return ten_op_walk(module->op, visit_parent, &e);
}

static ten_status *pass_run(const ten_pass *pass, ten_module *module) {
  TEN_RECOVER("rewriting the program");
  return pass->run(module);
}

ten_status *ten_pipeline_run(const ten_pass *const *passes, ten_module *module, const ten_pipeline_options *options) {
  static const ten_pipeline_options plain = {0};
  if (!options) options = &plain;
  const bool verify = options->verify_each || ten_env_switch(TEN_ENV_VERIFY_EACH, false);
  if (verify) TEN_TRY(ten_annotate(ten_verify(module), "verifying the module before the first pass"));
  for (const ten_pass *const *pass = passes; *pass; pass++) {
    const double start = ten_clock();
    TEN_TRY(ten_annotate(pass_run(*pass, module), "running pass %s", (*pass)->name));
    const double seconds = ten_clock() - start;
    if (options->after) options->after(options->user, *pass, module, seconds);
    if (verify) TEN_TRY(ten_annotate(ten_verify(module), "verifying the module after pass %s", (*pass)->name));
  }
  return NULL;
}
