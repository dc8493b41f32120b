/* settings.c: compile settings as attributes of a module, which the key of the cache therefore covers. */
#include "backend/settings.h"

#include <string.h>

static const char precision_name[] = "tenfold.precision", exact_conv_name[] = "tenfold.exact_conv",
                  level_name[] = "tenfold.opt_level", transient_name[] = "tenfold.passing";

ten_status *ten_settings_apply(ten_module *module, const char *precision, bool exact_conv) {
  const bool bf16 = precision && !strcmp(precision, "bf16");
  if (precision && !bf16 && strcmp(precision, "f32"))
    return ten_error(TEN_INVALID, "unknown precision '%s'; use f32 or bf16", precision);
  if (bf16)
    ten_op_set_attr(module, module->op, ten_str_of(precision_name), ten_attr_string(module, ten_str_of(precision)));
  if (exact_conv) ten_op_set_attr(module, module->op, ten_str_of(exact_conv_name), ten_attr_unit(module));
  return NULL;
}

ten_status *ten_settings_set_level(ten_module *module, int level) {
  if (level < 1 || level > 3) return ten_error(TEN_INVALID, "unknown optimisation level %d; use 1, 2 or 3", level);
  if (level == 3) return NULL;
  ten_op_set_attr(module, module->op, ten_str_of(level_name), ten_attr_i64(module, level));
  return ten_settings_apply(module, NULL, true);
}

void ten_settings_set_transient(ten_module *module) {
  ten_op_set_attr(module, module->op, ten_str_of(transient_name), ten_attr_unit(module));
}

bool ten_settings_bf16(const ten_module *module) {
  return ten_str_is(ten_attr_as_string(ten_op_attr(module->op, precision_name)), "bf16");
}
bool ten_settings_has_precision(const ten_module *module) { return ten_op_attr(module->op, precision_name) != NULL; }
bool ten_settings_exact_conv(const ten_module *module) { return ten_op_attr(module->op, exact_conv_name) != NULL; }
int ten_settings_level(const ten_module *module) {
  return (int)ten_attr_as_int(ten_op_attr(module->op, level_name), 3);
}
bool ten_settings_transient(const ten_module *module) { return ten_op_attr(module->op, transient_name) != NULL; }
