/* object.h: a compiled program as a file (.ten): code, plan, packed constants, memory plan. It maps in and runs without
 * compiling.
 *
 * What is written is what runs: the steps of every call, the buffers they name, the constants those read, and what
 * loading worked out (KEPT). A file says which CPU it needs and is refused where that is missing. Nothing in a file is
 * trusted before it is checked. */
#ifndef TEN_CPU_OBJECT_H
#define TEN_CPU_OBJECT_H

#include "cpu/program.h"

/* A file about to be written: small things in `text`, with large data to go in between, borrowed from the program. */
typedef struct cpu_object_cut {
  size_t at; /* in text */
  ten_str data;
} cpu_object_cut;
typedef struct cpu_object {
  ten_buf text;
  TEN_VEC(cpu_object_cut) cuts;
  size_t borrowed; /* bytes of all cuts */
} cpu_object;

/* `code` is the object code the program was loaded from. The object is to be freed, error or not. */
TEN_MUST_USE ten_status *cpu_object_write(const cpu_program *program, const ten_cpu_target *target, ten_str code,
                                          cpu_object *out_object);
size_t cpu_object_size(const cpu_object *object);
/* What the file is made of, in order; the array is the caller's. */
ten_str *cpu_object_parts(const cpu_object *object, size_t *out_count);
void cpu_object_free(cpu_object *object);
/* object_read.c: what both sides agree on. Builds with another layout do not read each other's files. */
extern const char cpu_object_magic[16];
uint64_t cpu_object_layout(void);
/* The number of the C function that the step calls, 0: none; and how large its descriptor is. */
uint64_t cpu_object_function(const cpu_step *step, size_t *out_size);

/* What a file was made for; borrowed from it. */
typedef struct cpu_object_needs {
  ten_str triple, features, isa; /* the last of the kernels that its constants are packed for */
  uint64_t fingerprint;          /* of the machine; 0: what any has that runs the kernels */
  ten_str code;                  /* object code */
} cpu_object_needs;
/* Fills `program` (to be unloaded, error or not) with plan, constants and kernels; the types in it belong to no module
 * yet. */
TEN_MUST_USE ten_status *cpu_object_parse(const void *data, size_t size, const char *name, cpu_program *program,
                                          cpu_object_needs *out_needs);

/* `data` is 64-aligned and must outlive the program: constants are read where they lie. */
TEN_MUST_USE ten_status *cpu_object_read(const void *data, size_t size, const char *name, cpu_program **out_program);

/* cache.c: programs compiled before, in the user's cache directory. Off when TENFOLD_CACHE is "off". */
typedef struct cpu_cache_key {
  uint64_t low, high;
} cpu_cache_key;
cpu_cache_key cpu_cache_key_of(const ten_module *module, unsigned threads);
/* NULL when there is none, or none that can be used. */
cpu_program *cpu_cache_find(cpu_cache_key key);
/* A file on its way to the disk: written by a thread of its own when it is large. The object's data must stay as it is
 * until cpu_cache_wait, which is also what frees it. A cache that cannot be written is no error. */
typedef struct cpu_cache_write cpu_cache_write;
cpu_cache_write *cpu_cache_store(cpu_cache_key key, cpu_object *object, ten_buf *code); /* takes both; NULL: done */
void cpu_cache_wait(cpu_cache_write *write);                                            /* NULL is fine */

#endif
