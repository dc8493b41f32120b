/* pass.h: the interface of a pass, and the runner, which alone times, verifies and dumps. */
#ifndef TEN_PASS_PASS_H
#define TEN_PASS_PASS_H

#include "ir/module.h"
#include "ir/ten.h"

typedef struct ten_pass {
  const char *name;    /* for --pass */
  const char *summary; /* one line */
  ten_status *(*run)(ten_module *module);
} ten_pass;

extern const ten_pass ten_pass_affine, ten_pass_associate, ten_pass_attention, ten_pass_attention_grad,
    ten_pass_batches, ten_pass_byte_products, ten_pass_chlo, ten_pass_cse, ten_pass_dce, ten_pass_depthwise,
    ten_pass_derivative, ten_pass_expand, ten_pass_flow, ten_pass_fold, ten_pass_grad, ten_pass_grad_marked,
    ten_pass_gathers, ten_pass_groups, ten_pass_inline, ten_pass_integer_sums, ten_pass_layout, ten_pass_lookup,
    ten_pass_merge_matmuls, ten_pass_narrow, ten_pass_narrow_rows, ten_pass_partial, ten_pass_phases, ten_pass_planar,
    ten_pass_quantize, ten_pass_random, ten_pass_round_once, ten_pass_scan, ten_pass_simplify, ten_pass_taps,
    ten_pass_trim, ten_pass_tuple, ten_pass_unshard, ten_pass_unzip, ten_pass_updates, ten_pass_volumes,
    ten_pass_windows, ten_pass_zip;

/* Every pass of the command, ended by NULL. ten_pass_grad_marked, which also marks the forward ops of a gradient, is
 * not among them. */
extern const ten_pass *const ten_passes[];
const ten_pass *ten_pass_find(ten_str name); /* NULL when there is none */

/* Calls `visit` for every op of that code, also in regions; it may replace and erase the op. */
TEN_MUST_USE ten_status *ten_pass_each(ten_module *module, ten_opcode code, void (*visit)(ten_module *, ten_op *));

/* Whether a value is a scalar constant of f32, f64, i32 or i64 that is the identity of `code` (add, multiply, maximum,
 * minimum). */
bool ten_is_neutral(const ten_value *value, ten_opcode code);
/* Whether a value is log(exp(x) + exp(y)), written without overflow and correct for infinities. */
bool ten_is_log_sum(const ten_value *value, ten_value **out_x, ten_value **out_y);

/* layout.c: a convolution's kernel that was transposed or reversed is read as it was before. */
void ten_conv_absorb_kernel(ten_module *module, ten_op *op);

/* inline.c: the inliner on one function. */
TEN_MUST_USE ten_status *ten_inline_function(ten_module *module, ten_op *func);

typedef struct ten_pipeline_options {
  /* Called after each pass with the module; `seconds` is the time of the pass alone. May be NULL. */
  void (*after)(void *user, const ten_pass *pass, const ten_module *module, double seconds);
  void *user;
  /* The module is verified before the first pass and after each, and the first error ends the run; TENFOLD_VERIFY_EACH
   * enables it for all pipelines of the process. */
  bool verify_each;
} ten_pipeline_options;

/* Runs `passes` (ended by NULL) in order; stops at the first error, which then names the pass. `options` may be NULL.
 */
TEN_MUST_USE ten_status *ten_pipeline_run(const ten_pass *const *passes, ten_module *module,
                                          const ten_pipeline_options *options);

#endif
