/* optimizer.c: updates of parameters by optimizers, each one op: tenfold_aten::adam_ is Adam and AdamW, term by term as
 * PyTorch's foreach functions write them (python/tenfold/torch/lazy/optimizers.py). */
#include "front/aten/lower.h"

enum { ADAM_REST, ADAM_BETA2, ADAM_REST2, ADAM_EPS, ADAM_DECAY, ADAM_NUMBERS }; /* of `fixed`; REST: 1 - beta */

/* `decay`: what the parameter is multiplied by first; `step_size`: minus the rate over the first bias correction;
 * `correction`: the root of the second. These three change from step to step. */
static void lower_adam(at *l) {
  at_tensor *parameter = at_alias(l, "self"), *first = at_alias(l, "exp_avg"), *second = at_alias(l, "exp_avg_sq"),
            *most = at_alias(l, "max_exp_avg_sq");
  at_check(l, parameter && first && second, "a parameter and both averages are needed");
  double *fixed;
  const size_t count = at_floats(l, "fixed", &fixed);
  at_check(l, count == ADAM_NUMBERS, "%zu fixed numbers where %d are needed", count, ADAM_NUMBERS);
  ten_value *p = at_read(l, parameter), *g = at_t(l, "grad");
  const ten_dtype dtype = at_type(p);
  if (at_bool(l, "maximize", false)) g = at_neg(l, g);
  if (fixed[ADAM_DECAY] != 0) g = at_add(l, g, at_muln(l, p, fixed[ADAM_DECAY]));
  p = at_mul(l, p, at_ref_value(l, at_arg(l, "decay"), dtype));
  ten_value *m = at_lerp(l, at_read(l, first), g, at_num(l, g, fixed[ADAM_REST]));
  ten_value *v = at_muln(l, at_read(l, second), fixed[ADAM_BETA2]);
  v = at_add(l, v, at_muln(l, at_mul(l, g, g), fixed[ADAM_REST2]));
  at_write(l, first, m);
  at_write(l, second, v);
  if (most) {
    v = at_max(l, at_read(l, most), v);
    at_write(l, most, v);
  }
  ten_value *root = at_div(l, at_un(l, TEN_OP_SQRT, v), at_ref_value(l, at_arg(l, "correction"), dtype));
  ten_value *change = at_div(l, m, at_addn(l, root, fixed[ADAM_EPS]));
  at_write(l, parameter, at_add(l, p, at_mul(l, change, at_ref_value(l, at_arg(l, "step_size"), dtype))));
}

const at_row at_rows_optimizer[] = {{"tenfold_aten.adam_", lower_adam}, {NULL}};
