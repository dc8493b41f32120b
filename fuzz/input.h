/* input.h: what the fuzzers share: bytes as a file for readers that take a path, and choices taken from the input. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"

/* A file in memory that holds the bytes; close(fd) takes it away. */
static inline int fuzz_file(const void *data, size_t size, char path[32]) {
  const int fd = memfd_create("fuzz", 0);
  for (size_t done = 0; done < size;) {
    const ssize_t count = write(fd, (const char *)data + done, size - done);
    if (count <= 0) break;
    done += (size_t)count;
  }
  snprintf(path, 32, "/proc/self/fd/%d", fd);
  return fd;
}

/* The input as a string of choices: zeros where it has ended. */
typedef struct fuzz_bytes {
  const uint8_t *data;
  size_t size;
} fuzz_bytes;

static inline uint32_t fuzz_byte(fuzz_bytes *in) {
  if (!in->size) return 0;
  in->size--;
  return *in->data++;
}

static inline uint64_t fuzz_number(fuzz_bytes *in) {
  static const uint64_t edges[] = {
      0, 1, 2, 3, 255, 256, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
  const uint32_t way = fuzz_byte(in);
  if (way < 128) return way;
  if (way < 192) return edges[way % (sizeof edges / sizeof *edges)];
  uint64_t value = 0;
  for (uint32_t i = 0; i < way % 9; i++) value = value << 8 | fuzz_byte(in);
  return value;
}

/* Up to `most` of the bytes that are left. */
static inline ten_str fuzz_text(fuzz_bytes *in, size_t most) {
  size_t size = fuzz_byte(in);
  if (size > most) size = most;
  if (size > in->size) size = in->size;
  const ten_str text = {(const char *)in->data, size};
  in->data += size;
  in->size -= size;
  return text;
}

#endif
