/* mapped.h: files that become shorter while they are mapped. Reading past the new end raises SIGBUS, in whatever thread
 * does it, inside a kernel as likely as in a parser.
 *
 * Every mapped file is noted here. The handler of SIGBUS puts zeros in the place of what such a file lost, marks it,
 * and lets the thread go on; ten_mapped_check then says so before results are handed out or written. A fault at any
 * other address goes to the handler that was there before ours, so a host's own handling is as it was. */
#ifndef TEN_BASE_MAPPED_H
#define TEN_BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

#include "tenfold/status.h"

typedef struct ten_mapped ten_mapped;

/* `data` and `size` as mapped, `path` for messages. Installs the handler unless it is there. */
ten_mapped *ten_mapped_add(const void *data, size_t size, const char *path);
void ten_mapped_remove(ten_mapped *mapped); /* before it is unmapped; NULL is fine */

/* TEN_IO when a file that is mapped now has lost a part that was read: what was computed from it is not to be used. One
 * load of a counter when none has. */
TEN_MUST_USE ten_status *ten_mapped_check(void);
/* How many files did, ever. */
unsigned ten_mapped_lost(void);

#endif
