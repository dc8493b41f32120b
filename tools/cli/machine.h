/* machine.h: properties of this machine, for `tenfold doctor`. */
#ifndef TEN_CLI_MACHINE_H
#define TEN_CLI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

typedef struct machine_feature {
  const char *name; /* as LLVM and /proc/cpuinfo name it, or nearly */
  bool there;
} machine_feature;

/* The vector and matrix features that select kernels; returns how many were written. */
size_t machine_features(machine_feature *out, size_t most);
const char *machine_architecture(void);

/* Each appends what it finds, or nothing. */
void machine_system(ten_buf *out); /* Debian GNU/Linux 12 (bookworm), Linux 6.1 */
void machine_cpu(ten_buf *out);
double machine_memory_gib(void);

/* The first line that a command prints, without its newline; nothing when it fails. Runs no shell. */
void machine_ask(const char *const *arguments, ten_buf *out);

#endif
