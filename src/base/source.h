/* source.h: a mapped file, and how to tell whether its content is unchanged.
 *
 * An identity (device, inode, size, times of the last change) can stand for the content of a file that was read before:
 * the kernel sets the time of change, and no system call sets it to a chosen value. This fails where a change may leave
 * the times alone: within a tick of the kernel's clock, through a writable mapping, or on a file system whose times
 * another machine sets. ten_identity_holds detects these cases. */
#ifndef TEN_BASE_SOURCE_H
#define TEN_BASE_SOURCE_H

#include "base/digest.h"
#include "base/file.h"
#include "base/thread.h"

typedef struct ten_identity {
  uint64_t device, inode, size;
  int64_t modified[2], changed[2]; /* seconds, nanoseconds */
} ten_identity;

/* False when it is not a regular file. */
bool ten_identity_of(int fd, ten_identity *out_identity);
static inline bool ten_identity_eq(const ten_identity *a, const ten_identity *b) { return !memcmp(a, b, sizeof *a); }
/* Whether every later change will give the file another identity. `now`: seconds of the system clock. */
bool ten_identity_holds(int fd, int64_t now);
/* Identifies the system's current boot; 0 when unknown. Data not yet on disk may be lost at the next boot. */
uint64_t ten_boot_id(void);

typedef struct ten_source {
  ten_file file;
  int fd; /* -1: not a file that can be read again */
  ten_mutex mutex;
  bool known; /* digest of the content that `identity` stands for */
  ten_identity identity;
  ten_digest digest;
} ten_source;

TEN_MUST_USE ten_status *ten_source_open(const char *path, ten_source **out_source);
void ten_source_close(ten_source *source); /* NULL is fine */
/* Reads the whole file for its digest; false on failure or when it changes meanwhile. Does not touch the mapping. */
bool ten_file_digest(int fd, const ten_identity *identity, ten_digest *out_digest);

#endif
