/* release_weights.h: releases memory of constants while a program is compiled. */
#ifndef TEN_CPU_RUN_RELEASE_WEIGHTS_H
#define TEN_CPU_RUN_RELEASE_WEIGHTS_H

#include "backend/cpu/run/executable.h"
#include "base/pages.h"

/* Releases what the passes have read of the module's constants. */
void cpu_release_sources(const ten_module *module);

/* Takes the constants that lie in the module over to the program, which then needs the module no more. */
void cpu_keep_constants(ten_module *module, exec_program *program);

/* Around exec_load: releases what each step of `init` has read. */
typedef struct cpu_release {
  ten_pages pages;
  bool listed;            /* `pages` is filled */
  const ten_arena *arena; /* borrowed: owns constants created by passes */
  size_t done;            /* steps of init */
} cpu_release;
void cpu_release_start(cpu_executable *executable, cpu_release *release);
void cpu_release_stop(cpu_executable *executable, cpu_release *release);

#endif
