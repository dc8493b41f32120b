/* written.c: pages that were written, by userfaultfd's asynchronous write protection and the PAGEMAP_SCAN ioctl.
 *
 * A page is armed by protecting it; the first write to it, by whatever thread or system call, lifts the protection in
 * the kernel and goes on. A scan finds the pages that are not protected and arms them again in one step. What counts:
 *  - Only private anonymous memory is watched: others can write to shared memory and to files, and not by these pages.
 *  - A page is armed once for the whole process, so a write is found by one scan alone. Watches may have pages in
 * common (a model that was compiled for two shapes): whoever finds a write says so to all of them.
 *  - A child of fork has other pages, of which the parent's descriptors know nothing. Everything that is shared in the
 *    process lies in memory that is zero in a child: there, what the parent watched is not watched.
 *  - A piece whose pages cannot be scanned (remapped, say) counts as written.
 * Pages that a device writes by itself, pinned before they were armed, are the one thing that goes unseen. */
#include "written.h"

#if defined __linux__ && defined __has_include
#if __has_include(<linux/userfaultfd.h>)
#define CAN_WATCH 1
#endif
#endif

#ifdef CAN_WATCH

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/environment.h"
#include "base/thread.h"

/* ---- what older headers lack ---- */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
enum { FEATURE_UNPOPULATED = 1 << 13, FEATURE_ASYNC = 1 << 15 };
enum { PAGE_WRITTEN = 1 << 1, SCAN_ARMS = 1 << 0, SCAN_MUST_BE_ASYNC = 1 << 1 };

typedef struct page_region {
  uint64_t from, to, categories;
} page_region;

typedef struct page_scan {
  uint64_t size, flags, from, to, reached, regions, region_count, most_pages;
  uint64_t inverted, all_of, any_of, reported;
} page_scan;
#define PAGES_SCAN _IOWR('f', 16, page_scan)

/* ---- what the process shares ---- */
typedef struct span { /* whole pages */
  uint64_t from, to;
} span;

typedef struct watched {
  span pages;
  size_t index; /* among the pieces of the request */
  uint64_t number;
} watched;

struct written_watch {
  uint64_t process; /* whose pages: shared->process when it was opened */
  written_watch *next;
  size_t asked;
  TEN_VEC(watched) pieces; /* by address */
  uint64_t longest;        /* of the pieces */
  TEN_VEC(span) ranges;    /* their pages, without overlaps */
};

/* All zero in a child of fork, which is also an unlocked mutex. */
typedef struct shared_state {
  ten_mutex mutex;
  uint64_t process; /* 0: the descriptors are not open */
  int faults, pages;
  written_watch *watches;
} shared_state;

static shared_state *shared;

static void map_shared(void) {
  const ten_mutex unlocked = TEN_MUTEX_INIT;
  void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  if (memcmp(memory, &unlocked, sizeof unlocked) || madvise(memory, sizeof *shared, MADV_WIPEONFORK))
    munmap(memory, sizeof *shared);
  else
    shared = memory;
}

static bool open_descriptors(void) {
  static atomic_uint_fast64_t processes; /* a child counts on from its parent */
  if (shared->process) return true;
  const int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  if (faults < 0) return false;
  struct uffdio_api api = {.api = UFFD_API,
                           .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | FEATURE_UNPOPULATED | FEATURE_ASYNC};
  const int pages = ioctl(faults, UFFDIO_API, &api) ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages < 0) return close(faults), false;
  shared->faults = faults;
  shared->pages = pages;
  shared->process = atomic_fetch_add(&processes, 1) + 1;
  return true;
}

/* ---- ranges ---- */
/* To every watch that has something there. */
static void tell(uint64_t from, uint64_t to) {
  for (written_watch *watch = shared->watches; watch; watch = watch->next) {
    size_t low = 0, high = watch->pieces.count; /* the first that may reach beyond `from` */
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (watch->pieces.data[middle].pages.from + watch->longest <= from)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < watch->pieces.count && watch->pieces.data[low].pages.from < to; low++)
      if (watch->pieces.data[low].pages.to > from) watch->pieces.data[low].number++;
  }
}

/* Tells of the pages that were written, and arms them again. */
static bool scan(span range) {
  enum { REGIONS = 128 };
  page_region found[REGIONS];
  for (uint64_t at = range.from; at < range.to;) {
    /* These masks and no others: the kernel has a short way for them, and takes a page that is gone for written. */
    page_scan s = {.size = sizeof s,
                   .flags = SCAN_ARMS | SCAN_MUST_BE_ASYNC,
                   .from = at,
                   .to = range.to,
                   .regions = (uint64_t)(uintptr_t)found,
                   .region_count = REGIONS,
                   .all_of = PAGE_WRITTEN,
                   .reported = PAGE_WRITTEN};
    const int count = ioctl(shared->pages, PAGES_SCAN, &s);
    if (count < 0 || s.reached <= at) return false;
    for (int i = 0; i < count; i++) tell(found[i].from, found[i].to);
    at = s.reached;
  }
  return true;
}

/* Gives up those of the pages that no watch has. */
static void release(uint64_t from, uint64_t to) {
  for (const written_watch *watch = shared->watches; watch; watch = watch->next)
    for (size_t i = 0; i < watch->ranges.count; i++) {
      const span used = watch->ranges.data[i];
      if (used.to <= from || used.from >= to) continue;
      if (from < used.from) release(from, used.from);
      if (used.to < to) release(used.to, to);
      return;
    }
  struct uffdio_range range = {.start = from, .len = to - from};
  (void)ioctl(shared->faults, UFFDIO_UNREGISTER, &range); /* fails where it is not mapped any more */
}

static bool arm(span range) {
  struct uffdio_register r = {.range = {.start = range.from, .len = range.to - range.from},
                              .mode = UFFDIO_REGISTER_MODE_WP};
  if (ioctl(shared->faults, UFFDIO_REGISTER, &r)) return false;
  if (scan(range)) return true;
  release(range.from, range.to);
  return false;
}

/* ---- memory that can be watched ---- */
typedef TEN_VEC(span) span_list;

/* Private anonymous memory, by address; neighbours are joined. */
static void find_private(span_list *out) {
  FILE *file = fopen("/proc/self/maps", "re");
  char *line = NULL;
  size_t room = 0;
  while (file && getline(&line, &room, file) > 0) {
    unsigned long long from, to, inode;
    char access[5];
    int name = 0;
    if (sscanf(line, "%llx-%llx %4s %*s %*s %llu %n", &from, &to, access, &inode, &name) < 4 || !name) continue;
    const char *text = line + name;
    if (access[3] != 'p' || inode || (*text && strncmp(text, "[heap]", 6) != 0 && strncmp(text, "[anon:", 6) != 0))
      continue;
    if (out->count && out->data[out->count - 1].to == from)
      out->data[out->count - 1].to = to;
    else
      ten_vec_push(out, ((span){from, to}));
  }
  free(line);
  if (file) fclose(file);
}

static bool is_within(const span_list *list, span wanted) {
  size_t low = 0, high = list->count; /* the first that ends beyond its start */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list->data[middle].to <= wanted.from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < list->count && list->data[low].from <= wanted.from && list->data[low].to >= wanted.to;
}

static int by_address(const void *left, const void *right) {
  const uint64_t a = ((const watched *)left)->pages.from, b = ((const watched *)right)->pages.from;
  return (a > b) - (a < b);
}

static void choose_pieces(written_watch *watch, const written_piece *pieces, size_t count) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  span_list private = {0};
  find_private(&private);
  for (size_t i = 0; i < count; i++) {
    const uint64_t from = (uint64_t)(uintptr_t)pieces[i].data, to = from + pieces[i].bytes;
    const span pages = {from / page * page, (to + page - 1) / page * page};
    if (from < to && is_within(&private, pages))
      ten_vec_push(&watch->pieces, ((watched){.pages = pages, .index = i, .number = 1}));
  }
  ten_vec_free(&private);
  if (watch->pieces.count) qsort(watch->pieces.data, watch->pieces.count, sizeof *watch->pieces.data, by_address);
}

/* Pieces one after the other are one range. Those that cannot be armed are left out. */
static void arm_pieces(written_watch *watch) {
  size_t kept = 0;
  for (size_t first = 0, end; first < watch->pieces.count; first = end) {
    watched *pieces = watch->pieces.data;
    span range = pieces[first].pages;
    for (end = first + 1; end < watch->pieces.count && pieces[end].pages.from <= range.to; end++)
      if (pieces[end].pages.to > range.to) range.to = pieces[end].pages.to;
    if (!arm(range)) continue;
    ten_vec_push(&watch->ranges, range);
    for (size_t i = first; i < end; i++) {
      const uint64_t length = pieces[i].pages.to - pieces[i].pages.from;
      if (length > watch->longest) watch->longest = length;
      pieces[kept++] = pieces[i];
    }
  }
  watch->pieces.count = kept;
}

/* ---- the interface ---- */
static void destroy(written_watch *watch) {
  ten_vec_free(&watch->pieces);
  ten_vec_free(&watch->ranges);
  free(watch);
}

written_watch *written_open(const written_piece *pieces, size_t count) {
  static ten_once once = TEN_ONCE_INIT;
  if (!ten_env_switch(TEN_ENV_WATCH, true)) return NULL;
  ten_once_run(&once, map_shared);
  if (!shared || !count) return NULL;
  written_watch *watch = ten_alloc(sizeof *watch);
  watch->asked = count;
  choose_pieces(watch, pieces, count);
  ten_vec_reserve(&watch->ranges, watch->pieces.count); /* nothing that is armed is lost */
  if (watch->pieces.count) {
    ten_mutex_lock(&shared->mutex);
    if (open_descriptors()) arm_pieces(watch);
    if (watch->ranges.count) {
      watch->process = shared->process;
      watch->next = shared->watches;
      shared->watches = watch;
    }
    ten_mutex_unlock(&shared->mutex);
  }
  if (watch->ranges.count) return watch;
  destroy(watch);
  return NULL;
}

void written_look(written_watch *watch, uint64_t *numbers) {
  memset(numbers, 0, watch->asked * sizeof *numbers);
  ten_mutex_lock(&shared->mutex);
  if (watch->process == shared->process) {
    for (size_t i = 0; i < watch->ranges.count; i++)
      if (!scan(watch->ranges.data[i])) tell(watch->ranges.data[i].from, watch->ranges.data[i].to);
    for (size_t i = 0; i < watch->pieces.count; i++)
      numbers[watch->pieces.data[i].index] = watch->pieces.data[i].number;
  }
  ten_mutex_unlock(&shared->mutex);
}

void written_close(written_watch *watch) {
  if (!watch) return;
  ten_mutex_lock(&shared->mutex);
  if (watch->process == shared->process) {
    written_watch **link = &shared->watches;
    while (*link != watch) link = &(*link)->next;
    *link = watch->next;
    for (size_t i = 0; i < watch->ranges.count; i++) release(watch->ranges.data[i].from, watch->ranges.data[i].to);
  }
  ten_mutex_unlock(&shared->mutex);
  destroy(watch);
}

#else

written_watch *written_open(const written_piece *pieces, size_t count) {
  (void)pieces, (void)count;
  return NULL;
}

void written_look(written_watch *watch, uint64_t *numbers) { (void)watch, (void)numbers; }

void written_close(written_watch *watch) { (void)watch; }

#endif
