/* written.h: which pieces of memory were written since one last looked, as the system's page tables know it: nothing is
 * read. Linux from 6.7 on; elsewhere nothing is watched, and who wants to know compares the bytes. */
#ifndef TEN_PYTHON_WRITTEN_H
#define TEN_PYTHON_WRITTEN_H

#include <stddef.h>
#include <stdint.h>

typedef struct written_watch written_watch;

typedef struct written_piece {
  const char *data;
  size_t bytes;
} written_piece;

/* Watches pieces of memory from now on, until it is closed; they stay where they are for as long. NULL: none of them
 * can be. */
written_watch *written_open(const written_piece *pieces, size_t count);
/* A number for each piece. It is another one than the last time if the piece was written since, or something next to it
 * on the same page was. 0: this piece is not watched. A write that comes while the bytes are read afterwards shows the
 * next time. Any thread may ask. */
void written_look(written_watch *watch, uint64_t *numbers);
void written_close(written_watch *watch);

#endif
