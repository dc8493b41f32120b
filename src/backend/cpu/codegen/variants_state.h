/* variants_state.h: what is known of a program's variants, for variants.c and variants_file.c. */
#ifndef TEN_CPU_VARIANTS_STATE_H
#define TEN_CPU_VARIANTS_STATE_H

#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/exec/arenas.h"
#include "backend/cpu/exec/load.h"
#include "base/digest.h"
#include "base/hash.h"

/* An entry of a table: a slot's value, or its reciprocal for division. */
typedef struct cpu_load {
  size_t slot;
  bool reciprocal;
} cpu_load;

enum { CPU_SLOT_FIXED = -1 };

typedef struct cpu_variant {
  uint64_t *values; /* owned, by slot: its value if fixed */
  int32_t *load_of; /* owned, by slot: the load, or CPU_SLOT_FIXED */
  TEN_VEC(cpu_load) loads;
  void *address;
  uint32_t code, function; /* where the address came from: cpu_variants.codes, and the number there */
} cpu_variant;

/* The same function of the program at several sizes: by its ordinal among equal spellings. */
typedef struct cpu_history {
  TEN_VEC(uint64_t *) sizes; /* owned, each by slot: those for which code was generated */
  TEN_VEC(size_t) rounds;    /* for each, its index in cpu_variants.open */
} cpu_history;

typedef struct cpu_variants_entry {
  ten_hash128 key;
  size_t slot_count;
  TEN_VEC(cpu_variant *) variants; /* owned */
  TEN_VEC(cpu_history) histories;
} cpu_variants_entry;

typedef struct cpu_variants_code {
  ten_loaded *loaded; /* owned */
  uint32_t functions; /* numbers of its functions are below this */
  void **addresses;   /* owned, by number, where it was read from a file; or NULL */
  bool foreign;       /* read from a file, for another architecture: not loaded */
  ten_buf object;     /* owned: what it was loaded from, if that is retained */
  uint64_t used;      /* cpu_variants.clock when a size last used it */
} cpu_variants_code;

struct cpu_constants {
  char *memory;   /* owned */
  uint32_t users; /* executables */
};

typedef struct cpu_known_constant {
  ten_hash128 key;
  const char *data;
  cpu_constants *in;
} cpu_known_constant;

struct cpu_variants {
  bool begun;
  bool recorded;                         /* generated code is stored in the cache, as `record` */
  ten_digest record;                     /* the key */
  uint64_t clock;                        /* counts the sizes linked */
  TEN_VEC(int64_t *) open;               /* owned: the open sizes of each compilation */
  size_t open_count;                     /* of the first; other compilations with another number are ignored */
  TEN_VEC(cpu_variants_entry *) entries; /* owned */
  TEN_VEC(cpu_variants_code) codes;
  TEN_VEC(cpu_known_constant) constants;
  ten_cpu_target target; /* of the last lookup; without a triple: none yet */
  char *wanted;          /* owned: the value of TENFOLD_CPU then, or NULL */
  exec_arenas *arenas;   /* owned, or NULL */
  struct ten_pool *pool; /* owned, or NULL */
  unsigned threads;      /* that it was started with */
};

void cpu_variant_free(cpu_variant *variant);
void cpu_variants_free(void *variants);

#endif
