/* pages.c: /proc/self/maps says which pages belong to a file. Only the system knows for sure: a program may have come
 * from a mapped file, a pipe, or the caller's memory. */
#include "base/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void ten_pages_list(ten_pages *out_pages) {
  *out_pages = (ten_pages){0};
  FILE *file = fopen("/proc/self/maps", "r");
  char line[512];
  while (file && fgets(line, sizeof line, file)) {
    unsigned long begin = 0, end = 0, inode = 0;
    char rights[8] = "";
    if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &begin, &end, rights, &inode) != 4) continue;
    if (!inode || strcmp(rights, "r--p")) continue;
    ten_vec_push(&out_pages->files, (ten_str){(const char *)(uintptr_t)begin, end - begin});
  }
  if (file) fclose(file);
}

void ten_pages_drop(const void *data, size_t size) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)data;
  const uintptr_t begin = (start + page - 1) / page * page, end = (start + size) / page * page;
  if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED); /* advisory */
}

void ten_pages_release(const ten_pages *pages, const void *data, size_t size) {
  const char *at = data;
  for (size_t i = 0; i < pages->files.count; i++) {
    const ten_str *file = &pages->files.data[i];
    if (at >= file->data && at + size <= file->data + file->size) ten_pages_drop(data, size);
  }
}
