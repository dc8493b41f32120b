/* settings.c: parses compile settings from option strings. */
#include "backend/settings.h"

#include <string.h>

static const char *const names[] = {
    [TEN_PRECISION_F32] = "f32", [TEN_PRECISION_BF16] = "bf16", [TEN_PRECISION_TF32] = "tf32"};

const char *ten_precision_name(ten_precision precision) {
  return names[precision == TEN_PRECISION_DEFAULT ? TEN_PRECISION_F32 : precision];
}

ten_status *ten_precision_parse(const char *precision, ten_precision *out_precision) {
  *out_precision = TEN_PRECISION_DEFAULT;
  if (!precision) return NULL;
  for (size_t i = TEN_PRECISION_F32; i < sizeof names / sizeof *names; i++)
    if (!strcmp(precision, names[i])) *out_precision = (ten_precision)i;
  return *out_precision ? NULL : ten_error(TEN_INVALID, "unknown precision '%s'; use f32, bf16 or tf32", precision);
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
