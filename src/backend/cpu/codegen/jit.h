/* jit.h: LLVM modules to object code. */
#ifndef TEN_CPU_JIT_H
#define TEN_CPU_JIT_H

#include <llvm-c/Core.h>

#include "backend/cpu/machine.h"
#include "base/str.h"
#include "tenfold/status.h"

/* TENFOLD_CPU: "generic", "avx2", "avx512"; NULL: this CPU. */
const char *ten_cpu_target_wanted(void);
/* That, as an LLVM target. */
TEN_MUST_USE ten_status *ten_cpu_target_host(ten_cpu_target *out_target);
/* Any CPU that runs the kernels of this name, without features of this machine. */
TEN_MUST_USE ten_status *ten_cpu_target_of_kernels(const char *isa, ten_cpu_target *out_target);
void ten_cpu_target_free(ten_cpu_target *target);

/* Optimises the module and compiles it. Text goes to `assembly` instead when that is not NULL. */
TEN_MUST_USE ten_status *ten_jit_optimise(LLVMModuleRef module, const ten_cpu_target *target);
TEN_MUST_USE ten_status *ten_jit_compile(LLVMModuleRef module, const ten_cpu_target *target, bool assembly,
                                         ten_buf *out);

#endif
