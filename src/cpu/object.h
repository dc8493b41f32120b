/* object.h: a compiled program as a file (.ten): code, plan, packed constants, memory plan. It maps in and runs without
 * compiling.
 *
 * What is written is what runs: the steps of every call, the buffers they name, the constants those read, and what
 * loading worked out (KEPT). A file says which CPU it needs and is refused where that is missing. Nothing in a file is
 * trusted before it is checked. */
#ifndef TEN_CPU_OBJECT_H
#define TEN_CPU_OBJECT_H

#include "cpu/program.h"

/* Appends the file's bytes. `code` is the object code the program was loaded from. */
TEN_MUST_USE ten_status *cpu_object_write(const cpu_program *program, const ten_cpu_target *target, ten_str code,
                                          ten_buf *out);
/* `data` is 64-aligned and must outlive the program: constants are read where they lie. */
TEN_MUST_USE ten_status *cpu_object_read(const void *data, size_t size, const char *name, cpu_program **out_program);

/* cache.c: programs compiled before, in the user's cache directory. Off when TENFOLD_CACHE is "off". */
typedef struct cpu_cache_key {
  uint64_t low, high;
} cpu_cache_key;
cpu_cache_key cpu_cache_key_of(const ten_module *module, const ten_cpu_target *target, unsigned threads);
/* NULL when there is none, or none that can be used. */
cpu_program *cpu_cache_find(cpu_cache_key key);
void cpu_cache_store(cpu_cache_key key, ten_str bytes); /* a cache that cannot be written is no error */

#endif
