/* store.h: the disk cache's interface for the compiler. */
#ifndef TEN_CPU_CACHE_STORE_H
#define TEN_CPU_CACHE_STORE_H

#include "backend/cpu/exec/object.h"
#include "backend/cpu/run/executable.h"

/* cache.c: programs compiled before, in the user's cache directory. Off when TENFOLD_CACHE is "off". */
typedef struct cpu_cache_key {
  ten_digest digest; /* of the program with its weights, the machine, this build and all that affects the result */
  bool usable;       /* false: the weights' file changed while it was read */
} cpu_cache_key;
/* For a plan with its module and settings, before any pass. */
struct cpu_plan;
cpu_cache_key cpu_cache_key_of(const struct cpu_plan *plan);
/* NULL when there is none that can be used. */
cpu_executable *cpu_cache_find(const cpu_cache_key *key);
/* Whether the files of the module's constants are unchanged since its key was made. */
bool cpu_cache_key_holds(const ten_module *module);
/* A file being written to disk: by a separate thread when it is large. The object's data must not change until
 * cpu_cache_wait, which also frees it. A cache that cannot be written is no error. */
typedef struct cpu_cache_write cpu_cache_write;
/* Takes ownership of both; NULL: done. */
cpu_cache_write *cpu_cache_store(const cpu_cache_key *key, cpu_object *object, ten_buf *code);
void cpu_cache_wait(cpu_cache_write *write); /* NULL is fine */

/* What decides about every entry: version, build, machine, and what the environment says of code. */
void cpu_cache_add_machine(const char *what, ten_digester *out);

/* sizes.c: the code that sizes of a program share, in the same directory (backend.h, recall). */
struct ten_shared;
TEN_MUST_USE ten_status *cpu_sizes_recall(const ten_backend *self, const ten_settings *settings, ten_hash128 program,
                                          bool *out_found);
/* Stores it, if it was recalled or would have been; after code was generated. */
void cpu_sizes_store(struct ten_shared *shared);

#endif
