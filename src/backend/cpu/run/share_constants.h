/* share_constants.h: hoisted constants that the sizes of a program have in common. */
#ifndef TEN_CPU_RUN_SHARE_CONSTANTS_H
#define TEN_CPU_RUN_SHARE_CONSTANTS_H

#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/run/executable.h"

typedef struct cpu_constant_keys cpu_constant_keys;
/* Before the program is loaded: takes the hoisted constants that other sizes have, and drops the steps that would
 * compute them. What is returned goes to cpu_lend_constants; NULL: nothing can be shared. */
cpu_constant_keys *cpu_borrow_constants(cpu_executable *executable, const cpu_linked *linked);
/* After it was loaded, if that was `good`: shares the ones that it computed itself. */
void cpu_lend_constants(cpu_executable *executable, cpu_constant_keys *keys, bool good);
/* Before the program is closed. */
void cpu_return_constants(cpu_executable *executable);

#endif
