/* shared.h: state shared by the executables of one program when it is compiled for one set of sizes after another. The
 * first size is compiled as usual; from then on generated code takes what differs between sizes as arguments, and
 * another size needs no code generation (cpu/codegen/variants.h). Thread-safe. */
#ifndef TEN_BACKEND_SHARED_H
#define TEN_BACKEND_SHARED_H

#include <stdbool.h>

#include "base/thread.h"

typedef struct ten_shared {
  int references;
  ten_mutex mutex; /* guards all of this; held while code is generated */
  uint32_t forks;  /* ten_forks() when it was locked last */
  bool busy;       /* it is locked */
  void *code;      /* owned: specific to the backend, or NULL */
  void (*destroy)(void *code);
  uint64_t compilations, sizes; /* how often code was generated, and executables created */
  bool learnt;                  /* other sizes than those compiled for told what code is to read */
  bool keep_code;               /* object code is retained, so that it can be written to a file; set before first use */
} ten_shared;

ten_shared *ten_shared_create(void);
/* In a process that was forked while another thread held the lock, `code` may be half changed: it is left alone, as
 * executables use its memory, and starts anew. */
void ten_shared_lock(ten_shared *shared);
void ten_shared_unlock(ten_shared *shared);
ten_shared *ten_shared_retain(ten_shared *shared); /* NULL is fine, here and below */
void ten_shared_release(ten_shared *shared);

typedef struct ten_shared_counts {
  uint64_t compilations, sizes;
} ten_shared_counts;
ten_shared_counts ten_shared_count(ten_shared *shared);

#endif
