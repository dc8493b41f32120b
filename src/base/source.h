/* source.h: a file that is mapped, and what says that its content is still the same.
 *
 * An identity (device, inode, size, times of the last change) can stand for the content of a file that was read before:
 * the kernel sets the time of change, and no system call sets it to a chosen value. It cannot where changes happen
 * unseen: within a tick of the kernel's clock, through a mapping that somebody may write to, or on a file system whose
 * times somebody else keeps. ten_identity_holds says where it can. */
#ifndef TEN_BASE_SOURCE_H
#define TEN_BASE_SOURCE_H

#include "base/digest.h"
#include "base/file.h"
#include "base/thread.h"

typedef struct ten_identity {
  uint64_t device, inode, size;
  int64_t modified[2], changed[2]; /* seconds, nanoseconds */
} ten_identity;

/* False when it is no regular file. */
bool ten_identity_of(int fd, ten_identity *out_identity);
static inline bool ten_identity_eq(const ten_identity *a, const ten_identity *b) { return !memcmp(a, b, sizeof *a); }
/* Whether every change from now on will give the file another identity. `now`: seconds of the system's clock. */
bool ten_identity_holds(int fd, int64_t now);
/* The system's start, which no other has; 0 when it is not known. What is not on the disk yet may be lost after it. */
uint64_t ten_boot_id(void);

typedef struct ten_source {
  ten_file file;
  int fd; /* -1: not a file that could be read again */
  ten_mutex mutex;
  bool known; /* digest, of the content that `identity` stands for */
  ten_identity identity;
  ten_digest digest;
} ten_source;

TEN_MUST_USE ten_status *ten_source_open(const char *path, ten_source **out_source);
void ten_source_close(ten_source *source); /* NULL is fine */
/* Of all of the file, by reading it; false when that fails, or it changes meanwhile. Takes no memory of the mapping. */
bool ten_file_digest(int fd, const ten_identity *identity, ten_digest *out_digest);

#endif
