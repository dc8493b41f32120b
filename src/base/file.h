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
  struct ten_mapped *note; /* of a mapped file: whether it was truncated (mapped.h) */
} ten_file;

/* Maps a regular file; reads a pipe, a device or "-" (standard input) to its end. Pages of a mapped file are read on
 * demand: if another process truncates the file, the lost part reads as zeros, and ten_mapped_check (mapped.h) fails
 * from then on. */
TEN_MUST_USE ten_status *ten_file_map(const char *path, ten_file *out_file);
/* The same, but the file stays open: the caller closes out_fd; it is -1 when the file was read and not mapped. */
TEN_MUST_USE ten_status *ten_file_map_open(const char *path, ten_file *out_file, int *out_fd);
/* The same for an open file; `path` is for messages. */
TEN_MUST_USE ten_status *ten_file_map_descriptor(int fd, const char *path, ten_file *out_file);
void ten_file_unmap(ten_file *file);
/* Releases the pages of a mapped file; later reads load them from the disk again. */
void ten_file_release_pages(const ten_file *file);
static inline ten_str ten_file_bytes(const ten_file *file) { return (ten_str){file->data, file->size}; }

/* Locks a new temporary file, so that no other process takes it for a stale one. False: another process did before it
 * was locked; the file is then closed. */
bool ten_file_claim(int fd);
/* Writes the parts, one after the other, to a temporary file next to `path`, syncs it and renames it over `path`: a
 * reader, also after a crash, sees the whole old file or the whole new one. Removes temporary files that killed writers
 * of `path` left. Permissions of an existing file stay; a symbolic link is followed; a device or pipe is written
 * directly. */
TEN_MUST_USE ten_status *ten_file_write_parts(const char *path, const ten_str *parts, size_t count);
TEN_MUST_USE ten_status *ten_file_write_atomic(const char *path, const void *data, size_t size);

/* Whether `path` can be written as above, or created with ten_dir_make: the directory exists and is writable. For
 * checking before the contents are computed. The disk may still fill up meanwhile. */
TEN_MUST_USE ten_status *ten_file_check_output(const char *path);
TEN_MUST_USE ten_status *ten_dir_check_output(const char *path);

/* Writes or reads all of it through a pipe; false when the other end is closed. */
bool ten_pipe_write(int file, const void *data, size_t size);
bool ten_pipe_read(int file, void *data, size_t size);

/* Creates the directory and its parents; succeeds when it exists. */
TEN_MUST_USE ten_status *ten_dir_make(const char *path);
/* The same; directories that it creates are accessible to this user only. */
TEN_MUST_USE ten_status *ten_dir_make_private(const char *path);

#endif
