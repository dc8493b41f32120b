/* faults.c: a library to preload (LD_PRELOAD) that fails one allocation of a program, or all from one on.
 *
 *   TENFOLD_FAULT_AT=7        the seventh allocation returns NULL (MAP_FAILED of mmap); 0: none, they are only counted
 *   TENFOLD_FAULT_FROM=1      and so does every later one
 *   TENFOLD_FAULT_CALLERS=all those of every library count; else only those that Tenfold's own code makes
 *   TENFOLD_FAULT_COUNT=PATH  where to write how many there were when the program ends
 *
 * A program may say so itself: faults_arm(at, from) counts anew, faults_arm(0, 0) returns how many there were.
 * Whose allocation it is, is told by the address it returns to. Programs that the program starts are left alone. */
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are two names here */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { RANGES = 512 };
typedef struct range {
  uintptr_t begin, end;
  bool own;
} range;

static range ranges[RANGES];
static atomic_size_t range_count;
static atomic_bool reading;
static atomic_long counted;
static long fail_at;
static bool fail_from, count_all, ready;
static const char *count_path;

static int add_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  size_t *count = context;
  const char *base = strrchr(info->dlpi_name, '/');
  base = base ? base + 1 : info->dlpi_name;
  const bool own = !*base ? !strstr(program_invocation_name, "python")
                          : strstr(base, "tenfold") != NULL || !strncmp(base, "_core.", 6);
  for (int i = 0; i < info->dlpi_phnum && *count < RANGES; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    ranges[(*count)++] = (range){begin, begin + segment->p_memsz, own};
  }
  return 0;
}

static const range *range_of(uintptr_t address) {
  const size_t count = atomic_load(&range_count);
  for (size_t i = 0; i < count; i++)
    if (address >= ranges[i].begin && address < ranges[i].end) return &ranges[i];
  return NULL;
}

/* A library that was loaded since is looked up when it first allocates. */
static bool is_own(const void *caller) {
  const range *found = range_of((uintptr_t)caller);
  if (!found && !atomic_exchange(&reading, true)) {
    size_t count = 0;
    dl_iterate_phdr(add_object, &count);
    atomic_store(&range_count, count);
    atomic_store(&reading, false);
    found = range_of((uintptr_t)caller);
  }
  return found && found->own;
}

static bool fails(const void *caller) {
  if (!ready || (!count_all && !is_own(caller))) return false;
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (!fail_at || (number != fail_at && !(fail_from && number > fail_at))) return false;
  errno = ENOMEM;
  return true;
}

__attribute__((constructor)) static void start(void) {
  const char *at = getenv("TENFOLD_FAULT_AT"), *callers = getenv("TENFOLD_FAULT_CALLERS");
  fail_at = at ? strtol(at, NULL, 10) : 0;
  fail_from = getenv("TENFOLD_FAULT_FROM") != NULL;
  count_all = callers && !strcmp(callers, "all");
  count_path = getenv("TENFOLD_FAULT_COUNT");
  unsetenv("LD_PRELOAD");
  ready = true;
}

__attribute__((destructor)) static void finish(void) {
  ready = false;
  const int fd = count_path ? open(count_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (fd < 0) return;
  char text[32];
  const int size = snprintf(text, sizeof text, "%ld\n", atomic_load(&counted));
  if (write(fd, text, (size_t)size) != size) _exit(99);
  close(fd);
}

#define SHOWN __attribute__((visibility("default")))

SHOWN long faults_arm(long at, int from);
SHOWN long faults_arm(long at, int from) {
  fail_at = 0;
  fail_from = from != 0;
  const long count = atomic_exchange(&counted, 0);
  fail_at = at;
  return count;
}

#define CALLER __builtin_return_address(0)

SHOWN void *malloc(size_t size) { return fails(CALLER) ? NULL : __libc_malloc(size); }
SHOWN void *calloc(size_t count, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(count, size); }
SHOWN void *realloc(void *old, size_t size) { return fails(CALLER) ? NULL : __libc_realloc(old, size); }
SHOWN void *aligned_alloc(size_t alignment, size_t size) {
  return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}
SHOWN int posix_memalign(void **out, size_t alignment, size_t size) {
  if (fails(CALLER)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
SHOWN char *strdup(const char *text) {
  if (fails(CALLER)) return NULL;
  const size_t size = strlen(text) + 1;
  char *copy = __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}
static void *map(const char *name, void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  void *(*real)(void *, size_t, int, int, int, off_t);
  *(void **)&real = dlsym(RTLD_NEXT, name);
  return real(address, size, protection, flags, fd, offset);
}
SHOWN void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  return fails(CALLER) ? MAP_FAILED : map("mmap", address, size, protection, flags, fd, offset);
}
SHOWN void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  return fails(CALLER) ? MAP_FAILED : map("mmap64", address, size, protection, flags, fd, offset);
}
