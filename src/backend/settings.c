/* settings.c: compile settings from the words of options. */
#include "backend/settings.h"

#include <string.h>

ten_status *ten_precision_parse(const char *precision, ten_precision *out_precision) {
  *out_precision = TEN_PRECISION_DEFAULT;
  if (!precision) return NULL;
  const bool bf16 = !strcmp(precision, "bf16");
  if (!bf16 && strcmp(precision, "f32"))
    return ten_error(TEN_INVALID, "unknown precision '%s'; use f32 or bf16", precision);
  *out_precision = bf16 ? TEN_PRECISION_BF16 : TEN_PRECISION_F32;
  return NULL;
}

ten_status *ten_settings_parse(const char *precision, bool exact_conv, ten_settings *out_settings) {
  *out_settings = (ten_settings){.exact_conv = exact_conv};
  return ten_precision_parse(precision, &out_settings->precision);
}

ten_status *ten_settings_set_level(ten_settings *settings, int level) {
  if (level < 1 || level > TEN_LEVEL_MOST)
    return ten_error(TEN_INVALID, "unknown optimisation level %d; use 1, 2 or 3", level);
  settings->level = level;
  if (level < TEN_LEVEL_MOST) settings->exact_conv = true;
  return NULL;
}
