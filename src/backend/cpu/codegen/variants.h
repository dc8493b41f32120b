/* variants.h: generated functions that serve many sizes. */
#ifndef TEN_CPU_VARIANTS_H
#define TEN_CPU_VARIANTS_H

#include "backend/cpu/codegen/cg.h"
#include "backend/settings.h"
#include "backend/shared.h"

typedef struct cpu_variants cpu_variants;
/* Those of a program, made when first needed. The caller holds shared->mutex, here and below. */
cpu_variants *cpu_variants_of(ten_shared *shared);
/* Whether some size has been seen: from then on code is taken from here. */
bool cpu_variants_begun(const cpu_variants *variants);

/* The functions of the first size, whose code is generated for that alone: what is in their slots is noted. */
void cpu_variants_note(cpu_variants *variants, ten_cg *cg, const ten_settings *settings, uint32_t symbol_count);

/* One generated function of a program: where it is, and the numbers that it reads (args[-1]). */
typedef struct cpu_linked {
  void *address;
  const uint64_t *numbers; /* in the arena given */
} cpu_linked;
/* The functions of another size: those that are there, and the others, for which code is generated; `out_compiled`:
 * there were such. Uses up cg's module. */
TEN_MUST_USE ten_status *cpu_variants_link(cpu_variants *variants, ten_cg *cg, const ten_settings *settings,
                                           uint32_t symbol_count, ten_arena *arena, cpu_linked *out_linked,
                                           bool *out_compiled);

#endif
