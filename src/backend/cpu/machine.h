/* machine.h: which machine this is, without asking LLVM, and what code is made for. */
#ifndef TEN_CPU_MACHINE_H
#define TEN_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What code is made for. `generic` is the portable form that every CPU of the architecture runs. */
typedef struct ten_cpu_target {
  char *triple, *cpu, *features; /* owned */
  bool has_f16, has_bf16;        /* half, bf16 converts in hardware; bf16 without subnormals */
  bool has_maximum;              /* IEEE 754's maximum and minimum are one instruction */
  uint64_t fingerprint;          /* of this machine (below); 0: for others too */
} ten_cpu_target;

/* A number for what this CPU can do: code that was made where it is the same runs here. Never 0. */
uint64_t ten_cpu_fingerprint(void);
/* "x86_64", "aarch64" */
const char *ten_cpu_architecture(void);
/* Bytes of the cache that a core has next to it (its second). */
size_t ten_cpu_near_cache(void);

#endif
