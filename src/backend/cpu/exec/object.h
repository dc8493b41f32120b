/* object.h: a compiled program as a file (.ten): code, plan, packed constants, memory plan. It is mapped and runs
 * without compiling.
 *
 * A file contains what runs: the steps of every call, their buffers, the constants they read, and the hoisted constants
 * (HOISTED). It names the CPU it needs and is rejected elsewhere.
 *
 * The checksum and every field of the plan are checked before use, so that a damaged file is an error. The object code
 * inside is machine code, which cannot be checked: trust a file as you would an executable. */
#ifndef TEN_CPU_OBJECT_H
#define TEN_CPU_OBJECT_H

#include "backend/cpu/exec/loaded.h"
#include "backend/cpu/machine.h"
#include "base/digest.h"

/* A file to be written: small items in `text`, with large data in between, borrowed from the program. */
typedef struct cpu_object_cut {
  size_t at; /* in text */
  ten_str data;
} cpu_object_cut;
typedef struct cpu_object {
  ten_buf text;
  TEN_VEC(cpu_object_cut) cuts;
  size_t borrowed; /* bytes of all cuts */
} cpu_object;

/* For a program without HOST steps; `code` is the object code it was loaded from. The caller frees the object. */
void cpu_object_write(const exec_loaded *loaded, const ten_cpu_target *target, ten_str code, cpu_object *out_object);
size_t cpu_object_size(const cpu_object *object);
/* The file's parts, in order; the caller owns the array. */
ten_str *cpu_object_parts(const cpu_object *object, size_t *out_count);
void cpu_object_free(cpu_object *object);
/* Writes the checksum, and the key of a file in the cache (NULL: none), into the header. Reads all of the object. */
void cpu_object_seal(cpu_object *object, const ten_digest *key);

/* object_read.c: the format. Its version number is incremented on any change: the order of the contents, a descriptor,
 * the number of a kind of step (tests/cpu/test_object.c). */
enum { CPU_OBJECT_FORMAT = 18, CPU_OBJECT_HEADER = 128 };
typedef struct cpu_object_header {
  char magic[16];
  uint64_t format, size; /* of the whole file */
  uint64_t checksum[2];  /* XXH3 of what follows the header */
  ten_digest key;
  uint8_t reserved[48]; /* zeros */
} cpu_object_header;
extern const char cpu_object_magic[16];
/* Checks magic, format and size. */
TEN_MUST_USE ten_status *cpu_object_check_header(const void *data, size_t size, const char *name,
                                                 cpu_object_header *out_header);

/* What a file was compiled for; borrowed from it. */
typedef struct cpu_object_needs {
  ten_str triple, features, isa; /* isa: of the kernels that its constants are packed for */
  uint64_t fingerprint;          /* of the machine; 0: any that runs the kernels */
  ten_str code;                  /* object code */
} cpu_object_needs;
/* Fills `loaded`, which is open and empty, with program, constants and kernels. */
TEN_MUST_USE ten_status *cpu_object_parse(const void *data, size_t size, const char *name, exec_loaded *loaded,
                                          cpu_object_needs *out_needs);

/* object_check.c: whether every C kernel stays within its buffers; the problem, or NULL. Kernels are chosen, nothing is
 * loaded. */
const char *exec_check(const exec_loaded *loaded);
/* The same as an error. The program may have at most `most_functions` generated functions: a file cannot have more
 * than bytes of code. */
TEN_MUST_USE ten_status *cpu_object_check(const exec_loaded *loaded, size_t most_functions, const char *name);
/* For a checked program, before it is loaded: sets its maximum number of threads. If that is more than it was written
 * for, its scratch grows. */
TEN_MUST_USE ten_status *cpu_object_use_threads(exec_loaded *loaded, unsigned threads, const char *name);

/* Checks header and checksum. */
TEN_MUST_USE ten_status *cpu_object_verify(const void *data, size_t size, const char *name);

#endif
