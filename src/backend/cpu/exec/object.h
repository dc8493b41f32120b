/* object.h: a compiled program as a file (.ten): code, plan, packed constants, memory plan. It maps in and runs without
 * compiling.
 *
 * What is written is what runs: the steps of every call, the buffers they name, the constants those read, and what
 * loading worked out (HOISTED). A file says which CPU it needs and is refused where that is missing.
 *
 * The checksum and every number of the plan are checked before they are used, so that a damaged file is an error. The
 * object code inside is machine code, which nothing can check: a file is to be trusted as an executable is. */
#ifndef TEN_CPU_OBJECT_H
#define TEN_CPU_OBJECT_H

#include "backend/cpu/exec/loaded.h"
#include "backend/cpu/machine.h"
#include "base/digest.h"

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

/* Of a program without HOST steps; `code` is the object code it was loaded from. The object is to be freed. */
void cpu_object_write(const exec_loaded *loaded, const ten_cpu_target *target, ten_str code, cpu_object *out_object);
size_t cpu_object_size(const cpu_object *object);
/* What the file is made of, in order; the array is the caller's. */
ten_str *cpu_object_parts(const cpu_object *object, size_t *out_count);
void cpu_object_free(cpu_object *object);
/* The checksum, and the key of a file in the cache (NULL: none), into the header. Reads all of the object. */
void cpu_object_seal(cpu_object *object, const ten_digest *key);

/* object_read.c: what both sides agree on. The format has one number, which goes up when anything in it changes: the
 * order of what is written, a descriptor, the number of a kind of step (tests/cpu/test_object.c). */
enum { CPU_OBJECT_FORMAT = 16, CPU_OBJECT_HEADER = 128 };
typedef struct cpu_object_header {
  char magic[16];
  uint64_t format, size; /* of all of the file */
  uint64_t checksum[2];  /* XXH3 of what follows the header */
  ten_digest key;
  uint8_t reserved[48]; /* zeros */
} cpu_object_header;
extern const char cpu_object_magic[16];
/* Magic, format and size. */
TEN_MUST_USE ten_status *cpu_object_check_header(const void *data, size_t size, const char *name,
                                                 cpu_object_header *out_header);

/* What a file was made for; borrowed from it. */
typedef struct cpu_object_needs {
  ten_str triple, features, isa; /* the last of the kernels that its constants are packed for */
  uint64_t fingerprint;          /* of the machine; 0: what any has that runs the kernels */
  ten_str code;                  /* object code */
} cpu_object_needs;
/* Fills `loaded`, which is open and empty, with program, constants and kernels. */
TEN_MUST_USE ten_status *cpu_object_parse(const void *data, size_t size, const char *name, exec_loaded *loaded,
                                          cpu_object_needs *out_needs);

/* object_check.c: whether every kernel that is not generated stays within its buffers; what is wrong, or NULL. Kernels
 * are chosen, nothing is loaded. */
const char *exec_check(const exec_loaded *loaded);
/* The same as an error. The program may have at most `most_functions` generated functions: a file has no more of them
 * than bytes of code. */
TEN_MUST_USE ten_status *cpu_object_check(const exec_loaded *loaded, size_t most_functions, const char *name);
/* Of a program that was checked, before it is loaded: at most so many threads will run it. Where that is more than it
 * was written for, its scratch grows. */
TEN_MUST_USE ten_status *cpu_object_use_threads(exec_loaded *loaded, unsigned threads, const char *name);

/* Header and checksum. */
TEN_MUST_USE ten_status *cpu_object_verify(const void *data, size_t size, const char *name);

#endif
