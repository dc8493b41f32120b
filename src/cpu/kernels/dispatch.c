/* dispatch.c: which table this CPU can run. */
#include <stdlib.h>
#include <string.h>

#include "cpu/kernels/tables.h"

static bool can_run(const ten_kernels *kernels) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (kernels == &ten_kernels_avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
  if (kernels == &ten_kernels_avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return kernels == &ten_kernels_generic;
}

static const ten_kernels *const tables[] = {
#if defined(__x86_64__)
    &ten_kernels_avx512, &ten_kernels_avx2,
#endif
    &ten_kernels_generic};
enum { TABLE_COUNT = sizeof tables / sizeof *tables };

const ten_kernels *ten_kernels_named(const char *isa) {
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (!strcmp(tables[i]->isa, isa) && can_run(tables[i])) return tables[i];
  return NULL;
}

const ten_kernels *ten_kernels_best(void) {
  const char *forced = getenv("TENFOLD_CPU");
  const ten_kernels *named = forced && *forced ? ten_kernels_named(forced) : NULL;
  if (named) return named;
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (can_run(tables[i])) return tables[i];
  return &ten_kernels_generic;
}
