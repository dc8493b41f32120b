/* release_weights.h: giving memory of constants back while a program is compiled. */
#ifndef TEN_CPU_FORGET_H
#define TEN_CPU_FORGET_H

#include "backend/cpu/exec/program.h"
#include "base/pages.h"

/* What the passes have read of the module's constants. */
void cpu_forget_sources(const ten_module *module);

/* Around cpu_load: what each step of `init` has read. */
typedef struct cpu_forgetting {
  ten_pages pages;
  size_t done; /* steps of init */
} cpu_forgetting;
void cpu_forget_start(cpu_program *program, cpu_forgetting *forgetting);
void cpu_forget_stop(cpu_program *program, cpu_forgetting *forgetting);

#endif
