/* variants.h: generated functions that serve many sizes. */
#ifndef TEN_CPU_VARIANTS_H
#define TEN_CPU_VARIANTS_H

#include "backend/cpu/codegen/cg.h"
#include "backend/settings.h"
#include "backend/shared.h"
#include "base/hash.h"

typedef struct cpu_variants cpu_variants;
/* The variants of a program, created on first use. The caller holds the lock of `shared`, here and below. */
cpu_variants *cpu_variants_of(ten_shared *shared);
/* Whether some size has been compiled: from then on code is shared. */
bool cpu_variants_begun(const cpu_variants *variants);

/* Records the functions of the first size, whose code is specialised for it: the values of their slots. */
void cpu_variants_note(cpu_variants *variants, ten_cg *cg, const ten_settings *settings, uint32_t symbol_count);

/* The CPU to generate for, as ten_cpu_target_host says, but looked up once: that takes a quarter of a millisecond where
 * a hypervisor answers. The caller frees the target. */
TEN_MUST_USE ten_status *cpu_variants_target(cpu_variants *variants, ten_cpu_target *out_target);

/* The threads that all sizes run on, started at first; NULL: none could be, or another number of them was. Valid as
 * long as the variants. */
struct ten_pool *cpu_variants_pool(cpu_variants *variants, unsigned threads);

/* The working memory that executables of all sizes share; NULL: out of memory. Valid as long as the variants. */
struct exec_arenas *cpu_variants_arenas(cpu_variants *variants);

/* Memory with hoisted constants (run/share_constants.h) that a size computed and others use; each that does counts as a
 * user, and the last to return it frees it. */
typedef struct cpu_constants cpu_constants;
/* The constant with this key, and the memory that it is in, or NULL; the caller becomes no user. */
const char *cpu_variants_constant(const cpu_variants *variants, ten_hash128 key, cpu_constants **out_in);
/* Takes the memory, whose only user is the caller. */
cpu_constants *cpu_variants_keep(char *memory);
/* A constant in there, unless one with this key is known. */
void cpu_variants_add(cpu_variants *variants, ten_hash128 key, const char *data, cpu_constants *in);
void cpu_variants_use(cpu_constants *constants);
void cpu_variants_return(cpu_variants *variants, cpu_constants *constants);

/* One generated function of a program: its address, and the constants that it reads (args[-1]). */
typedef struct cpu_linked {
  void *address;
  const uint64_t *numbers; /* in the arena given */
  size_t count;            /* of them */
} cpu_linked;
/* Links the functions of another size: existing ones, and newly generated ones; `out_compiled`: whether any was
 * generated. Consumes cg's module. */
TEN_MUST_USE ten_status *cpu_variants_link(cpu_variants *variants, ten_cg *cg, const ten_settings *settings,
                                           uint32_t symbol_count, ten_arena *arena, cpu_linked *out_linked,
                                           bool *out_compiled);

/* variants_file.c: variants as bytes, and read into `out_variants`, which has none; `data` is 64-aligned and not needed
 * afterwards. Of the code that was generated, what was used last is written, and of the sets of sizes it was generated
 * for the last ones: a record that one process after another adds to stays small. `keep`: what is read can be written
 * again. */
enum { CPU_VARIANTS_CODES_MOST = 8, CPU_VARIANTS_ROUNDS_MOST = 16 };
void cpu_variants_write(const cpu_variants *variants, ten_buf *out);
TEN_MUST_USE ten_status *cpu_variants_read(const void *data, size_t size, bool keep, cpu_variants *out_variants);
/* Removes what was read. */
void cpu_variants_clear(cpu_variants *variants);

#endif
