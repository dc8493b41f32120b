/* machine.h: identifies the machine without LLVM, and describes code generation targets. */
#ifndef TEN_CPU_MACHINE_H
#define TEN_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A code generation target. `generic` is the portable form that every CPU of the architecture runs. */
typedef struct ten_cpu_target {
  char *triple, *cpu, *features; /* owned */
  bool has_f16, has_bf16;        /* half, bf16 conversions in hardware; bf16 without subnormals */
  bool has_maximum;              /* IEEE 754's maximum and minimum are one instruction */
  uint64_t fingerprint;          /* of this machine (below); 0: portable */
} ten_cpu_target;

/* A hash of the CPU's features: code generated under the same fingerprint runs here. Never 0. */
uint64_t ten_cpu_fingerprint(void);
/* "x86_64", "aarch64" */
const char *ten_cpu_architecture(void);
/* Bytes of a core's L2 cache. */
size_t ten_cpu_near_cache(void);

#endif
