/* cache.c: compiled programs on disk, under $XDG_CACHE_HOME/tenfold (or ~/.cache/tenfold; TENFOLD_CACHE_DIR names
 * another place, TENFOLD_CACHE=off none). A file is written beside its place and renamed over it, so that readers and
 * writers of any number of processes see whole files or none. When the directory grows past TENFOLD_CACHE_MB (1024),
 * the files not used for longest go. */
#include "cpu/cache.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "cpu/machine.h"
#include "cpu/object.h"
#include "tenfold/version.h"

enum { BACKGROUND_FROM = 1 << 22, WRITE_PIECE = 1 << 26, STALE_SECONDS = 3600 };

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

/* Which build this is: what one compiled, another may not understand, though both say the same version. */
static uint64_t build_id(void) {
  Dl_info info;
  struct stat file;
  if (!dladdr((const void *)(uintptr_t)cpu_cache_find, &info) || stat(info.dli_fname, &file)) return 0;
  const int64_t parts[] = {file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
  return ten_hash64(parts, sizeof parts, 0);
}

cpu_cache_key cpu_cache_key_of(const ten_module *module, unsigned threads) {
  ten_buf text = {0};
  const char *grain = getenv("TENFOLD_GRAIN"), *wanted = ten_cpu_target_wanted(),
             *schedule = getenv("TENFOLD_SCHEDULE"), *chunk = getenv("TENFOLD_CHUNK");
  ten_buf_printf(&text, "%s %llx %s %llx %s %u %s %s %s", TENFOLD_VERSION, (unsigned long long)build_id(),
                 ten_cpu_architecture(), (unsigned long long)ten_cpu_fingerprint(), wanted ? wanted : "", threads,
                 grain ? grain : "", schedule ? schedule : "", chunk ? chunk : "by cost");
  const ten_hash128 machine = ten_hash128_of(text.data, text.size, 0);
  ten_buf_free(&text);
  return (cpu_cache_key){ten_op_hash(module->op), machine.low ^ machine.high};
}

static bool entry_path(cpu_cache_key key, ten_buf *out) {
  if (!ten_cache_dir(out)) return false;
  ten_buf_printf(out, "/%016llx%016llx.ten", (unsigned long long)key.low, (unsigned long long)key.high);
  return true;
}

/* The end of an entry. An entry is not synced: whether it came to the disk whole matters only after a boot, and then
 * whoever finds it first compares the checksum. */
typedef struct trailer {
  uint64_t checksum, boot, mark;
} trailer;
static const uint64_t mark = 0x0a6e65742e646e65; /* "end.ten\n" */

static uint64_t boot_id(void) {
  char text[64] = {0};
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  return size > 0 ? ten_hash64(text, (size_t)size, 0) : 0; /* 0: unknown, always compared */
}

static uint64_t checksum(const ten_str *parts, size_t count) {
  ten_hasher *hasher = ten_hasher_create();
  for (size_t i = 0; i < count; i++) ten_hasher_add(hasher, parts[i].data, parts[i].size);
  const uint64_t sum = ten_hasher_result(hasher).low;
  ten_hasher_destroy(hasher);
  return sum;
}

static bool is_whole(const ten_file *file, const char *path) {
  trailer end;
  if (file->size < sizeof end) return false;
  const ten_str body = {file->data, file->size - sizeof end};
  memcpy(&end, file->data + body.size, sizeof end);
  if (end.mark != mark) return false;
  const uint64_t boot = boot_id();
  if (boot && boot == end.boot) return true;
  if (checksum(&body, 1) != end.checksum) return false;
  end.boot = boot;
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    const ssize_t wrote = pwrite(fd, &end, sizeof end, (off_t)body.size);
    (void)wrote; /* it will be compared again */
    close(fd);
  }
  return true;
}

cpu_program *cpu_cache_find(cpu_cache_key key) {
  ten_buf path = {0};
  cpu_program *program = NULL;
  ten_file file = {0};
  if (entry_path(key, &path) && !access(path.data, R_OK)) {
    ten_status *status = ten_file_map(path.data, &file);
    if (!status && is_whole(&file, path.data)) status = cpu_object_read(file.data, file.size, path.data, &program);
    if (!program && file.data) ten_file_unmap(&file);
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
    const bool partial = ten_str_ends(ten_str_of(item->d_name), ".tmp");
    if (!partial && !ten_str_ends(ten_str_of(item->d_name), ".ten")) continue;
    ten_buf path = {0};
    ten_buf_printf(&path, "%s/%s", dir, item->d_name);
    struct stat info;
    if (partial) { /* left by a process that was killed */
      if (!stat(path.data, &info) && time(NULL) - info.st_mtime > STALE_SECONDS) unlink(path.data);
      ten_buf_free(&path);
      continue;
    }
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

struct cpu_cache_write {
  cpu_object object;
  ten_buf code; /* one of the object's parts may be borrowed from it */
  ten_buf dir, path;
  ten_thread thread;
};

static bool write_all(int fd, const ten_str *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t at = 0; at < parts[i].size;) {
      const size_t rest = parts[i].size - at;
      const ssize_t wrote = write(fd, parts[i].data + at, rest < WRITE_PIECE ? rest : WRITE_PIECE);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return false;
      at += (size_t)wrote;
    }
  return true;
}

/* Beside its place, then renamed: nobody sees half an entry. */
static void *write_entry(void *argument) {
  cpu_cache_write *w = argument;
  ten_status *status = ten_dir_make(w->dir.data);
  if (status) {
    ten_status_free(status);
    return NULL;
  }
  size_t count = 0;
  ten_str *parts = cpu_object_parts(&w->object, &count);
  const trailer end = {checksum(parts, count), boot_id(), mark};
  ten_buf name = {0};
  ten_buf_printf(&name, "%s.%ld-%p.tmp", w->path.data, (long)getpid(), (void *)w);
  const int fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) {
    const ten_str last = {(const char *)&end, sizeof end};
    bool good = write_all(fd, parts, count) && write_all(fd, &last, 1);
    good = !close(fd) && good;
    if (!good || rename(name.data, w->path.data)) unlink(name.data);
    trim(w->dir.data);
  }
  ten_buf_free(&name);
  free(parts);
  return NULL;
}

/* The program runs meanwhile, and comes first. */
static void *write_behind(void *argument) {
  setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
  return write_entry(argument);
}

static void write_free(cpu_cache_write *w) {
  cpu_object_free(&w->object);
  ten_buf_free(&w->code);
  ten_buf_free(&w->dir);
  ten_buf_free(&w->path);
  free(w);
}

cpu_cache_write *cpu_cache_store(cpu_cache_key key, cpu_object *object, ten_buf *code) {
  cpu_cache_write *w = ten_alloc(sizeof *w);
  *w = (cpu_cache_write){.object = *object, .code = *code};
  *object = (cpu_object){0};
  *code = (ten_buf){0};
  const size_t size = cpu_object_size(&w->object);
  const bool wanted = size <= most_bytes() && ten_cache_dir(&w->dir) && entry_path(key, &w->path);
  if (wanted && size >= BACKGROUND_FROM) {
    ten_status *status = ten_thread_start(0, write_behind, w, &w->thread);
    if (!status) return w;
    ten_status_free(status);
  }
  if (wanted) write_entry(w);
  write_free(w);
  return NULL;
}

void cpu_cache_wait(cpu_cache_write *write) {
  if (!write) return;
  ten_thread_join(write->thread);
  write_free(write);
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
