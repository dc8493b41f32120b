/* cache.c: compiled programs on disk, under $XDG_CACHE_HOME/tenfold (or ~/.cache/tenfold; TENFOLD_CACHE_DIR names
 * another place, TENFOLD_CACHE=off none). A file is written beside its place and renamed over it, so that readers and
 * writers of any number of processes see whole files or none. When the directory grows past TENFOLD_CACHE_MB (1024),
 * the files not used for longest go. */
#include "cpu/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "cpu/object.h"
#include "tenfold/version.h"

bool ten_cache_dir(ten_buf *out) {
  const char *off = getenv("TENFOLD_CACHE"), *own = getenv("TENFOLD_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  if (off && !strcmp(off, "off")) return false;
  if (own && *own)
    ten_buf_adds(out, own);
  else if (xdg && *xdg)
    ten_buf_printf(out, "%s/tenfold", xdg);
  else if (home && *home)
    ten_buf_printf(out, "%s/.cache/tenfold", home);
  else
    return false;
  return true;
}

cpu_cache_key cpu_cache_key_of(const ten_module *module, const ten_cpu_target *target, unsigned threads) {
  ten_buf text = {0};
  ten_buf_printf(&text, "%s %s %s %s %u", TENFOLD_VERSION, target->triple, target->cpu, target->features, threads);
  const ten_hash128 machine = ten_hash128_of(text.data, text.size, 0);
  ten_buf_free(&text);
  return (cpu_cache_key){ten_op_hash(module->op), machine.low ^ machine.high};
}

static bool entry_path(cpu_cache_key key, ten_buf *out) {
  if (!ten_cache_dir(out)) return false;
  ten_buf_printf(out, "/%016llx%016llx.ten", (unsigned long long)key.low, (unsigned long long)key.high);
  return true;
}

cpu_program *cpu_cache_find(cpu_cache_key key) {
  ten_buf path = {0};
  cpu_program *program = NULL;
  ten_file file = {0};
  if (entry_path(key, &path) && !access(path.data, R_OK)) {
    ten_status *status = ten_file_map(path.data, &file);
    if (!status) status = cpu_object_read(file.data, file.size, path.data, &program);
    if (status && file.data) ten_file_unmap(&file);
    ten_status_free(status); /* an entry that cannot be used is as good as none */
    if (program) {
      program->file = file;
      utimensat(AT_FDCWD, path.data, NULL, 0); /* used just now */
    }
  }
  ten_buf_free(&path);
  return program;
}

typedef struct entry {
  char *path; /* owned */
  uint64_t bytes;
  struct timespec used;
} entry;

static int oldest_first(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

typedef struct listing {
  TEN_VEC(entry) entries;
  uint64_t bytes;
} listing;

static void list_entries(const char *dir, listing *out) {
  DIR *open = opendir(dir);
  if (!open) return;
  for (const struct dirent *item = readdir(open); item; item = readdir(open)) {
    if (!ten_str_ends(ten_str_of(item->d_name), ".ten")) continue;
    ten_buf path = {0};
    ten_buf_printf(&path, "%s/%s", dir, item->d_name);
    struct stat info;
    if (stat(path.data, &info)) {
      ten_buf_free(&path);
      continue;
    }
    ten_vec_push(&out->entries, (entry){ten_buf_take(&path), (uint64_t)info.st_size, info.st_mtim});
    out->bytes += (uint64_t)info.st_size;
  }
  closedir(open);
}

static void listing_free(listing *list) {
  for (size_t i = 0; i < list->entries.count; i++) free(list->entries.data[i].path);
  ten_vec_free(&list->entries);
}

static uint64_t most_bytes(void) {
  const char *wanted = getenv("TENFOLD_CACHE_MB");
  const long long megabytes = wanted ? atoll(wanted) : 0;
  return (uint64_t)(megabytes > 0 ? megabytes : 1024) << 20;
}

static void trim(const char *dir) {
  listing list = {0};
  list_entries(dir, &list);
  const uint64_t most = most_bytes();
  if (list.bytes > most) {
    qsort(list.entries.data, list.entries.count, sizeof *list.entries.data, oldest_first);
    for (size_t i = 0; i < list.entries.count && list.bytes > most; i++)
      if (!unlink(list.entries.data[i].path)) list.bytes -= list.entries.data[i].bytes;
  }
  listing_free(&list);
}

void cpu_cache_store(cpu_cache_key key, ten_str bytes) {
  ten_buf dir = {0}, path = {0};
  if (bytes.size <= most_bytes() && ten_cache_dir(&dir) && entry_path(key, &path)) {
    ten_status *status = ten_dir_make(dir.data);
    if (!status) status = ten_file_write_atomic(path.data, bytes.data, bytes.size);
    if (!status) trim(dir.data);
    ten_status_free(status);
  }
  ten_buf_free(&dir);
  ten_buf_free(&path);
}

ten_cache_usage ten_cache_measure(void) {
  ten_cache_usage usage = {.limit = most_bytes()};
  ten_buf dir = {0};
  if (ten_cache_dir(&dir)) {
    listing list = {0};
    list_entries(dir.data, &list);
    usage.entries = list.entries.count;
    usage.bytes = list.bytes;
    listing_free(&list);
  }
  ten_buf_free(&dir);
  return usage;
}

ten_status *ten_cache_clear(size_t *out_removed) {
  *out_removed = 0;
  ten_status *status = NULL;
  ten_buf dir = {0};
  if (ten_cache_dir(&dir)) {
    listing list = {0};
    list_entries(dir.data, &list);
    for (size_t i = 0; i < list.entries.count; i++) {
      if (!unlink(list.entries.data[i].path))
        ++*out_removed;
      else if (!status)
        status = ten_error(TEN_IO, "cannot remove %s", list.entries.data[i].path);
    }
    listing_free(&list);
  }
  ten_buf_free(&dir);
  return status;
}
