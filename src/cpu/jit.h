/* jit.h: LLVM modules to object code, object code into this process. */
#ifndef TEN_CPU_JIT_H
#define TEN_CPU_JIT_H

#include <llvm-c/Core.h>
#include <stdio.h>

#include "base/str.h"
#include "tenfold/status.h"

/* What code is made for. `generic` is the portable form that every CPU of the architecture runs. */
typedef struct ten_cpu_target {
  char *triple, *cpu, *features; /* owned */
  bool has_f16;                  /* half converts in hardware */
} ten_cpu_target;

/* This CPU, or what TENFOLD_CPU says: "generic", "avx2", "avx512". */
TEN_MUST_USE ten_status *ten_cpu_target_host(ten_cpu_target *out_target);
/* Every CPU that runs the kernels of this name, with nothing of this one. */
TEN_MUST_USE ten_status *ten_cpu_target_of_kernels(const char *isa, ten_cpu_target *out_target);
void ten_cpu_target_free(ten_cpu_target *target);

/* Optimises the module and compiles it. Text goes to `assembly` instead when that is not NULL. */
TEN_MUST_USE ten_status *ten_jit_optimise(LLVMModuleRef module, const ten_cpu_target *target);
TEN_MUST_USE ten_status *ten_jit_compile(LLVMModuleRef module, const ten_cpu_target *target, bool assembly,
                                         ten_buf *out);

/* What the generated function of a number is called. */
enum { TEN_KERNEL_NAME = 32 };
static inline void ten_kernel_name(char name[TEN_KERNEL_NAME], uint32_t number) {
  snprintf(name, TEN_KERNEL_NAME, "ten_k%u", number);
}

typedef struct ten_jit ten_jit;
/* `object` is copied. */
TEN_MUST_USE ten_status *ten_jit_load(const void *object, size_t size, ten_jit **out_jit);
/* Addresses of the first `count` generated functions. */
TEN_MUST_USE ten_status *ten_jit_find_all(ten_jit *jit, uint32_t count, void **addresses);
void ten_jit_destroy(ten_jit *jit);

#endif
