/* release_weights.h: giving memory of constants back while a program is compiled. */
#ifndef TEN_CPU_RUN_RELEASE_WEIGHTS_H
#define TEN_CPU_RUN_RELEASE_WEIGHTS_H

#include "backend/cpu/run/executable.h"
#include "base/pages.h"

/* What the passes have read of the module's constants. */
void cpu_release_sources(const ten_module *module);

/* Around exec_load: what each step of `init` has read. */
typedef struct cpu_release {
  ten_pages pages;
  bool listed;        /* `pages` are there */
  ten_module *module; /* borrowed: what the passes made lies there */
  size_t done;        /* steps of init */
} cpu_release;
void cpu_release_start(cpu_executable *executable, cpu_release *release);
void cpu_release_stop(cpu_executable *executable, cpu_release *release);

#endif
