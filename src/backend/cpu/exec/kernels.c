/* kernels.c: the table of C kernels, generated from kernels.def. */
#include "backend/cpu/exec/kernel.h"

#define KERNEL(KIND, name, file) extern const exec_kernel exec_kernel_##name;
#include "backend/cpu/exec/kernels.def"

static const exec_kernel *const kernels[CPU_KIND_COUNT] = {
#define KERNEL(KIND, name, file) [CPU_##KIND] = &exec_kernel_##name,
#include "backend/cpu/exec/kernels.def"
};

static const char *const names[CPU_KIND_COUNT] = {
    [CPU_LOOPS] = "loops",   [CPU_SCATTER] = "scatter",
    [CPU_UPDATE] = "update", [CPU_SELECT_SCATTER] = "select_scatter",
    [CPU_COPY] = "copy",     [CPU_WHILE] = "while",
    [CPU_CASE] = "case",     [CPU_ASSERT] = "assert",
    [CPU_CHUNKS] = "chunks", [CPU_HOST] = "host",
#define KERNEL(KIND, name, file) [CPU_##KIND] = #name,
#include "backend/cpu/exec/kernels.def"
};

const exec_kernel *exec_kernel_of(cpu_step_kind kind) { return kind < CPU_KIND_COUNT ? kernels[kind] : NULL; }

const char *cpu_step_kind_name(cpu_step_kind kind) { return names[kind]; }

double exec_step_flops(const exec_step *step) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  return kernel && kernel->flops ? kernel->flops(step->descriptor) : 0;
}

void exec_link_epilogue(exec_step *step, const ten_kernels *isa, void *code) {
  (void)isa;
  if (code) step->epilogue = code;
}
