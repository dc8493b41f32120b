/* mapped.h: files that are truncated while they are mapped. Reading past the new end raises SIGBUS in the thread that
 * reads, which may be in a kernel or in a parser.
 *
 * Every mapped file is registered here. The SIGBUS handler maps zeros over the lost part of such a file, marks the
 * file, and resumes the thread; ten_mapped_check then reports it before results are returned or written. A fault at any
 * other address goes to the previously installed handler, so the host's own handling is unchanged. */
#ifndef TEN_BASE_MAPPED_H
#define TEN_BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

#include "tenfold/status.h"

typedef struct ten_mapped ten_mapped;

/* `data` and `size` as mapped, `path` for messages. Installs the handler on first use. */
ten_mapped *ten_mapped_add(const void *data, size_t size, const char *path);
void ten_mapped_remove(ten_mapped *mapped); /* call before unmapping; NULL is fine */

/* TEN_IO when a mapped file has lost a part that was read: discard results computed from it. Otherwise this costs one
 * load of a counter. */
TEN_MUST_USE ten_status *ten_mapped_check(void);
/* How many files were truncated, in total. */
unsigned ten_mapped_lost(void);

#endif
