/* dispatch.c: chooses the kernel table for this CPU. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
enum {
  FMA = 1 << 12,
  OSXSAVE = 1 << 27,
  AVX2 = 1 << 5,
  YMM_STATES = 3 << 1,
  ZMM_STATES = YMM_STATES | 7 << 5,
  TILE_STATES = 3 << 17,
  AVX512_BF16 = 1 << 5,
  AVX512_VNNI = 1 << 11,
  AMX_BF16 = 1 << 22,
  AMX_TILE = 1 << 24,
  AMX_INT8 = 1 << 25
};
static const unsigned avx512 = 1u << 16 /* F */ | 1u << 17 /* DQ */ | 1u << 30 /* BW */ | 1u << 31 /* VL */;

/* Which registers the system saves on context switches. */
static bool keeps(unsigned states) {
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & states) == states;
}

enum { KNOWN = 1, HAS_AVX2 = 2, HAS_AVX512 = 4, HAS_AVX512_BF16 = 8, HAS_AMX = 16, HAS_VNNI = 32, HAS_AMX_INT8 = 64 };

/* Not the compiler's builtin: it needs a part of libgcc that a bare linker does not provide. */
static unsigned ask_cpu(void) {
  unsigned a = 0, b = 0, c = 0, d = 0, found = KNOWN;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & FMA) || !(c & OSXSAVE) || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return found;
  if ((b & AVX2) && keeps(YMM_STATES)) found |= HAS_AVX2;
  if ((b & avx512) != avx512 || !keeps(ZMM_STATES)) return found;
  found |= HAS_AVX512;
  if (c & AVX512_VNNI) found |= HAS_VNNI;
  if ((d & AMX_TILE) && keeps(TILE_STATES)) found |= (d & AMX_BF16 ? HAS_AMX : 0) | (d & AMX_INT8 ? HAS_AMX_INT8 : 0);
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVX512_BF16)) found |= HAS_AVX512_BF16;
  return found;
}

/* Queried once: in a virtual machine CPUID traps to the host, which takes longer than a small kernel. */
static bool has(unsigned feature) {
  static atomic_uint known;
  unsigned found = atomic_load_explicit(&known, memory_order_relaxed);
  if (!found) atomic_store_explicit(&known, found = ask_cpu(), memory_order_relaxed);
  return found & feature;
}

static bool can_run(const ten_kernels *kernels) {
  return kernels == &ten_kernels_generic || has(kernels == &ten_kernels_avx512 ? HAS_AVX512 : HAS_AVX2);
}
#else
static bool can_run(const ten_kernels *kernels) { return kernels == &ten_kernels_generic; }
#endif

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

/* TENFOLD_CPU, or nothing. Read once: kernels are chosen while programs run. */
static atomic_int forced_index; /* 0: not read yet */

static const char *forced_name(void) {
  static const char *const names[] = {"",         "generic",  "avx2", "avx512",  "amx", "avx512bf16",
                                      "neonbf16", "portable", "vnni", "dotprod", "i8mm"};
  enum { COUNT = sizeof names / sizeof *names };
  int index = atomic_load_explicit(&forced_index, memory_order_relaxed);
  if (!index) {
    const char *text = getenv("TENFOLD_CPU");
    int found = COUNT - 1;
    while (found && (!text || strcmp(text, names[found]))) found--;
    atomic_store_explicit(&forced_index, index = found + 1, memory_order_relaxed);
  }
  return index > 1 ? names[index - 1] : NULL;
}

void ten_kernels_reload(void) { atomic_store_explicit(&forced_index, 0, memory_order_relaxed); }

const ten_kernels *ten_kernels_best(void) {
  const char *forced = forced_name();
  const ten_kernels *named = forced ? ten_kernels_named(forced) : NULL;
  if (named) return named;
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (can_run(tables[i])) return tables[i];
  return &ten_kernels_generic;
}

#if defined(__x86_64__)
static bool has_amx(unsigned products) {
  enum { UNKNOWN, ALLOWED, REFUSED };
  static atomic_int system;
  if (!has(products)) return false;
  if (atomic_load_explicit(&system, memory_order_relaxed) == UNKNOWN)
    atomic_store_explicit(&system, ten_bf16_amx_allowed() ? ALLOWED : REFUSED, memory_order_relaxed);
  return atomic_load_explicit(&system, memory_order_relaxed) == ALLOWED;
}
#elif defined(__aarch64__)
static bool has_neon_bf16(void) {
  enum { HWCAP2_BF16_BIT = 1 << 14 };
  return getauxval(AT_HWCAP2) & HWCAP2_BF16_BIT;
}
#endif

const ten_bf16_form *ten_bf16_named(const char *name) {
#if defined(__x86_64__)
  if (!strcmp(name, ten_bf16_amx.name)) return has_amx(HAS_AMX) ? &ten_bf16_amx : NULL;
  if (!strcmp(name, ten_bf16_avx512.name)) return has(HAS_AVX512_BF16) ? &ten_bf16_avx512 : NULL;
#elif defined(__aarch64__)
  if (!strcmp(name, ten_bf16_neon.name)) return has_neon_bf16() ? &ten_bf16_neon : NULL;
#endif
  return !strcmp(name, "portable") ? ten_kernels_best()->bf16_portable : NULL;
}

const ten_bf16_form *ten_bf16_best(void) {
  static const char *const order[] = {"amx", "avx512bf16", "neonbf16"};
  const char *forced = forced_name();
  const bool is_forced = forced && ten_kernels_named(forced);
  const ten_bf16_form *form = forced ? ten_bf16_named(forced) : NULL;
  for (size_t i = 0; i < sizeof order / sizeof *order && !form && !is_forced; i++) form = ten_bf16_named(order[i]);
  return form ? form : ten_kernels_best()->bf16_portable;
}

const ten_int8_form *ten_int8_named(const char *name) {
#if defined(__x86_64__)
  if (!strcmp(name, ten_int8_amx.name)) return has(HAS_VNNI) && has_amx(HAS_AMX_INT8) ? &ten_int8_amx : NULL;
  if (!strcmp(name, ten_int8_vnni.name)) return has(HAS_VNNI) ? &ten_int8_vnni : NULL;
  if (!strcmp(name, ten_int8_avx2.name)) return has(HAS_AVX2) ? &ten_int8_avx2 : NULL;
#elif defined(__aarch64__)
  enum { HWCAP_ASIMDDP_BIT = 1 << 20, HWCAP2_I8MM_BIT = 1 << 13 };
  if (!strcmp(name, ten_int8_i8mm.name)) return getauxval(AT_HWCAP2) & HWCAP2_I8MM_BIT ? &ten_int8_i8mm : NULL;
  if (!strcmp(name, ten_int8_dotprod.name)) return getauxval(AT_HWCAP) & HWCAP_ASIMDDP_BIT ? &ten_int8_dotprod : NULL;
#endif
  return !strcmp(name, "portable") ? ten_kernels_best()->int8_portable : NULL;
}

const ten_int8_form *ten_int8_best(void) {
  static const char *const order[] = {"amx", "vnni", "i8mm", "dotprod"};
  const char *forced = forced_name();
  const bool is_forced = forced && ten_kernels_named(forced);
  const ten_int8_form *form = forced ? ten_int8_named(forced) : NULL;
  for (size_t i = 0; i < sizeof order / sizeof *order && !form && !is_forced; i++) form = ten_int8_named(order[i]);
#if defined(__x86_64__)
  /* with AVX-512, the portable form's vectors are longer */
  if (!form && ten_kernels_best() == &ten_kernels_avx2) form = &ten_int8_avx2;
#endif
  return form ? form : ten_kernels_best()->int8_portable;
}

const ten_split_form *ten_split_best(void) {
#if defined(__x86_64__)
  if (has_amx(HAS_AMX) && ten_bf16_best() == &ten_bf16_amx) return &ten_split_amx;
#endif
  return NULL;
}
