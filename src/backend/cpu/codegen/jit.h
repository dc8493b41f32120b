/* jit.h: LLVM modules to object code. */
#ifndef TEN_CPU_JIT_H
#define TEN_CPU_JIT_H

#include <llvm-c/Core.h>

#include "base/str.h"
#include "tenfold/status.h"

/* What code is made for. `generic` is the portable form that every CPU of the architecture runs. */
typedef struct ten_cpu_target {
  char *triple, *cpu, *features; /* owned */
  bool has_f16, has_bf16;        /* half, bf16 converts in hardware; bf16 without subnormals */
  bool has_maximum;              /* IEEE 754's maximum and minimum are one instruction */
  uint64_t fingerprint;          /* of this machine (machine.h); 0: for others too */
} ten_cpu_target;

/* What TENFOLD_CPU says: "generic", "avx2", "avx512"; NULL: this CPU. */
const char *ten_cpu_target_wanted(void);
/* That, as LLVM sees it. */
TEN_MUST_USE ten_status *ten_cpu_target_host(ten_cpu_target *out_target);
/* Every CPU that runs the kernels of this name, with nothing of this one. */
TEN_MUST_USE ten_status *ten_cpu_target_of_kernels(const char *isa, ten_cpu_target *out_target);
void ten_cpu_target_free(ten_cpu_target *target);

/* Optimises the module and compiles it. Text goes to `assembly` instead when that is not NULL. */
TEN_MUST_USE ten_status *ten_jit_optimise(LLVMModuleRef module, const ten_cpu_target *target);
TEN_MUST_USE ten_status *ten_jit_compile(LLVMModuleRef module, const ten_cpu_target *target, bool assembly,
                                         ten_buf *out);

#endif
