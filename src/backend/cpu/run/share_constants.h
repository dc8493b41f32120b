/* share_constants.h: hoisted constants that the sizes of a program have in common. */
#ifndef TEN_CPU_RUN_SHARE_CONSTANTS_H
#define TEN_CPU_RUN_SHARE_CONSTANTS_H

#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/exec/loaded.h"
#include "base/hash.h"

/* What the results of `init` are computed from, before the program is loaded; false: something cannot be told. */
bool cpu_constants_key(const exec_program *program, const cpu_linked *linked, const ten_settings *settings,
                       ten_hash128 *out_key);

#endif
