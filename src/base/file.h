/* file.h: whole files, read by mapping and written all or nothing. */
#ifndef TEN_BASE_FILE_H
#define TEN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tenfold/status.h"

typedef struct ten_file {
  const char *data; /* owned: mapped or read; never NULL once opened; not NUL-terminated */
  size_t size;
  bool mapped;
  struct ten_mapped *note; /* of a mapped file: whether it became shorter (mapped.h) */
} ten_file;

/* Maps a regular file; reads a pipe, a device or "-" (standard input) to its end. Pages of a mapped file come from the
 * disk as they are touched: what another process cuts off meanwhile reads as zeros, and ten_mapped_check (mapped.h) is
 * an error from then on. */
TEN_MUST_USE ten_status *ten_file_map(const char *path, ten_file *out_file);
/* The same, and the file stays open: out_fd is the caller's to close, or -1 when it was not mapped but read. */
TEN_MUST_USE ten_status *ten_file_map_open(const char *path, ten_file *out_file, int *out_fd);
/* Of a file that is open; `path` is for messages. */
TEN_MUST_USE ten_status *ten_file_map_descriptor(int fd, const char *path, ten_file *out_file);
void ten_file_unmap(ten_file *file);
/* Gives back the memory that a mapped file takes; what is read of it from now on comes from the disk again. */
void ten_file_release_pages(const ten_file *file);
static inline ten_str ten_file_bytes(const ten_file *file) { return (ten_str){file->data, file->size}; }

/* Locks a temporary file that was just made, so that nobody takes it for one that a dead process left. False: somebody
 * did before it was locked; it is closed then. */
bool ten_file_claim(int fd);
/* Writes the parts, one after the other, to a temporary file next to `path`, syncs it and renames it over `path`: a
 * reader sees the old file or the new one, whole, and so does the next boot. What earlier writers of `path` left when
 * they were killed is removed. Permissions of an existing file stay; a
 * symbolic link is followed; a device or pipe is written directly. */
TEN_MUST_USE ten_status *ten_file_write_parts(const char *path, const ten_str *parts, size_t count);
TEN_MUST_USE ten_status *ten_file_write_atomic(const char *path, const void *data, size_t size);

/* Whether `path` could be written as above, or made with ten_dir_make, before the work that makes its contents begins:
 * the directory is there and may be written to. It may still fill up meanwhile. */
TEN_MUST_USE ten_status *ten_file_check_output(const char *path);
TEN_MUST_USE ten_status *ten_dir_check_output(const char *path);

/* All of it, to or from a pipe; false when the other side is gone. */
bool ten_pipe_write(int file, const void *data, size_t size);
bool ten_pipe_read(int file, void *data, size_t size);

/* Makes the directory and those above it; one that is there already is right. */
TEN_MUST_USE ten_status *ten_dir_make(const char *path);
/* The same; those that are made are for this user alone. */
TEN_MUST_USE ten_status *ten_dir_make_private(const char *path);

#endif
