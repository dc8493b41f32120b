/* machine.h: which machine this is, without asking LLVM. */
#ifndef TEN_CPU_MACHINE_H
#define TEN_CPU_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* A number for what this CPU can do: code that was made where it is the same runs here. Never 0. */
uint64_t ten_cpu_fingerprint(void);
/* "x86_64", "aarch64" */
const char *ten_cpu_architecture(void);
/* Bytes of the cache that a core has next to it (its second). */
size_t ten_cpu_near_cache(void);

#endif
