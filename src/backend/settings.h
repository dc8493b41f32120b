/* settings.h: how the functions of a module are to be compiled, as attributes of the module. */
#ifndef TEN_BACKEND_SETTINGS_H
#define TEN_BACKEND_SETTINGS_H

#include "ir/module.h"

/* Precision "bf16": inputs of f32 matmuls and convolutions are rounded to bf16, sums stay f32; "f32", or NULL, rounds
 * nothing. Exact convolutions: none goes through Winograd. */
TEN_MUST_USE ten_status *ten_settings_apply(ten_module *module, const char *precision, bool exact_conv);
/* How much is done to make it fast. 3, the default: everything; 2: no Winograd; 1: nothing that changes the order of
 * sums either. */
TEN_MUST_USE ten_status *ten_settings_set_level(ten_module *module, int level);
/* The program is compiled for one use: it is not written to the cache. */
void ten_settings_set_transient(ten_module *module);

/* What a module says. */
bool ten_settings_bf16(const ten_module *module);
bool ten_settings_has_precision(const ten_module *module);
bool ten_settings_exact_conv(const ten_module *module);
int ten_settings_level(const ten_module *module);
bool ten_settings_transient(const ten_module *module);

#endif
