/* mempool.c: blocks of segments, each a mapping of the system's. A block is in use, warm (free, its pages are there) or
 * cold (free, its pages are not: they read as zeros). Free blocks are in lists by size: eight classes to each power of
 * two, the block that came back last first. A request takes the first that fits, warm before cold; the rest of a larger
 * block becomes a block. One that comes back merges with its free neighbours.
 *
 * 1. The blocks of a segment, in the order of their addresses, cover it; no two warm neighbours, no two cold ones.
 * 2. `used` is the sum of the blocks in use, `reserved` that of these and the warm ones.
 * 3. In a child that was forked while another thread changed the lists (`busy`), they are dropped: their memory
 * stays, blocks in use stay valid. */
#include "value/mempool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread.h"

#if defined(__SANITIZE_ADDRESS__)
#define POOL_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_POISON 1
#endif
#endif
#ifdef POOL_POISON
#include <sanitizer/asan_interface.h>
#define poison(data, bytes) ASAN_POISON_MEMORY_REGION(data, bytes)
#define unpoison(data, bytes) ASAN_UNPOISON_MEMORY_REGION(data, bytes)
#else
#define poison(data, bytes) ((void)(data), (void)(bytes))
#define unpoison(data, bytes) ((void)(data), (void)(bytes))
#endif

enum {
  STEPS = 8, /* classes to a power of two */
  CLASSES = 40 * STEPS,
  LOOKS = 8,  /* blocks of the request's own class that are looked at: some of them may be too small */
  WASTE = 32, /* a rest of less than 1/WASTE of a block stays with it */
  SEGMENT_LEAST = 4 << 20,
  SEGMENT_MOST = 64 << 20,
  LARGE_PAGE = 2 << 20,
  SHARE = 16 /* of the machine's memory, that free blocks may hold */
};

typedef enum block_state { BLOCK_USED, BLOCK_WARM, BLOCK_COLD } block_state;

typedef struct segment {
  char *data;
  size_t bytes;
  ten_mempool_block *first; /* its lowest: the struct stays, blocks join the one before them */
  struct segment *next, *previous;
} segment;

struct ten_mempool_block {
  ten_mempool *pool; /* NULL: in the list of spare structs */
  segment *segment;
  char *data;
  size_t bytes;
  block_state state;
  uint32_t generation;
  ten_mempool_block *after, *before;  /* neighbours in the segment */
  ten_mempool_block *next, *previous; /* in the list of its class, or of spare structs */
};

typedef struct free_lists {
  ten_mempool_block *first[CLASSES];
  uint64_t any[(CLASSES + 63) / 64]; /* a bit for each class with blocks */
} free_lists;

struct ten_mempool {
  ten_mutex mutex;
  size_t references; /* the owners and the blocks in use */
  uint32_t forks, generation;
  bool busy;
  size_t page, idle_most, limit;
  segment *segments;
  size_t mapped;
  free_lists lists[3]; /* by state; of BLOCK_USED: none */
  ten_mempool_block *spare;
  ten_mempool_stats stats;
};

/* ---- locking ---- */
static void lists_forget(ten_mempool *pool) {
  memset(pool->lists, 0, sizeof pool->lists);
  pool->segments = NULL;
  pool->spare = NULL;
  pool->mapped = 0;
  pool->stats.used = pool->stats.reserved = 0;
  pool->generation++;
}

static void lock(ten_mempool *pool) {
  ten_mutex_lock_leaf(&pool->mutex);
  if (pool->forks != ten_forks()) {
    if (pool->busy) lists_forget(pool);
    pool->forks = ten_forks();
  }
  __atomic_store_n(&pool->busy, true, __ATOMIC_RELEASE);
}

static void unlock(ten_mempool *pool) {
  __atomic_store_n(&pool->busy, false, __ATOMIC_RELEASE);
  ten_mutex_unlock_leaf(&pool->mutex);
}

/* ---- lists ---- */
/* Classes grow by an eighth: blocks of 8 to 9 units of a power of two, of 9 to 10, … */
static unsigned class_of(size_t pages) {
  if (pages < STEPS) return (unsigned)pages;
  const unsigned power = 63 - (unsigned)__builtin_clzll(pages);
  const unsigned class = (power - 2) * STEPS + (unsigned)(pages >> (power - 3) & (STEPS - 1));
  return class < CLASSES ? class : CLASSES - 1;
}

static void list_add(ten_mempool *pool, ten_mempool_block *block, block_state state) {
  free_lists *lists = &pool->lists[state];
  const unsigned class = class_of(block->bytes / pool->page);
  block->state = state;
  block->previous = NULL;
  block->next = lists->first[class];
  if (block->next) block->next->previous = block;
  lists->first[class] = block;
  lists->any[class / 64] |= (uint64_t)1 << class % 64;
}

static void list_remove(ten_mempool *pool, ten_mempool_block *block) {
  free_lists *lists = &pool->lists[block->state];
  const unsigned class = class_of(block->bytes / pool->page);
  if (block->next) block->next->previous = block->previous;
  if (block->previous)
    block->previous->next = block->next;
  else if (!(lists->first[class] = block->next))
    lists->any[class / 64] &= ~((uint64_t)1 << class % 64);
}

static ten_mempool_block *list_find(const ten_mempool *pool, block_state state, size_t bytes) {
  const free_lists *lists = &pool->lists[state];
  const unsigned class = class_of(bytes / pool->page);
  ten_mempool_block *block = lists->first[class];
  for (int i = 0; block && (i < LOOKS || class == CLASSES - 1); i++, block = block->next)
    if (block->bytes >= bytes) return block;
  for (unsigned word = (class + 1) / 64; word < sizeof lists->any / sizeof *lists->any; word++) {
    uint64_t any = lists->any[word];
    if (word == (class + 1) / 64) any &= ~(uint64_t)0 << (class + 1) % 64;
    if (any) return lists->first[word * 64 + (unsigned)__builtin_ctzll(any)];
  }
  return NULL;
}

/* ---- blocks ---- */
static ten_mempool_block *block_new(ten_mempool *pool, segment *in, char *data, size_t bytes) {
  ten_mempool_block *block = pool->spare;
  if (block)
    pool->spare = block->next;
  else
    block = malloc(sizeof *block);
  if (block)
    *block =
        (ten_mempool_block){.pool = pool, .segment = in, .data = data, .bytes = bytes, .generation = pool->generation};
  return block;
}

static void block_drop(ten_mempool *pool, ten_mempool_block *block) {
  block->next = pool->spare;
  pool->spare = block;
}

/* Without memory for the struct the block stays whole. */
static void split(ten_mempool *pool, ten_mempool_block *block, size_t bytes, block_state rest_state) {
  const size_t rest_bytes = block->bytes - bytes;
  if (!rest_bytes || rest_bytes < block->bytes / WASTE) return;
  ten_mempool_block *rest = block_new(pool, block->segment, block->data + bytes, rest_bytes);
  if (!rest) return;
  rest->before = block;
  rest->after = block->after;
  if (rest->after) rest->after->before = rest;
  block->after = rest;
  block->bytes = bytes;
  list_add(pool, rest, rest_state);
}

/* `block` takes its neighbour `after` in; neither is in a list. */
static void join(ten_mempool *pool, ten_mempool_block *block) {
  ten_mempool_block *after = block->after;
  block->bytes += after->bytes;
  block->after = after->after;
  if (block->after) block->after->before = block;
  block_drop(pool, after);
}

/* Puts a free block into its list, merged with its neighbours of the same state. */
static ten_mempool_block *settle(ten_mempool *pool, ten_mempool_block *block, block_state state) {
  ten_mempool_block *before = block->before;
  if (block->after && block->after->state == state) {
    list_remove(pool, block->after);
    join(pool, block);
  }
  if (before && before->state == state) {
    list_remove(pool, before);
    join(pool, before);
    block = before;
  }
  list_add(pool, block, state);
  return block;
}

/* ---- segments ---- */
/* Large pages where the system has them: fewer faults at the first write, and fewer TLB misses afterwards. */
static segment *segment_map(size_t bytes, bool large_pages) {
  segment *made = malloc(sizeof *made);
  if (!made) return NULL;
  const size_t whole = bytes + LARGE_PAGE;
  char *data =
      whole < bytes ? MAP_FAILED : mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    free(made);
    return NULL;
  }
  const size_t skip = (LARGE_PAGE - ((uintptr_t)data & (LARGE_PAGE - 1))) & (LARGE_PAGE - 1);
  if (skip) munmap(data, skip);
  if (LARGE_PAGE - skip) munmap(data + skip + bytes, LARGE_PAGE - skip);
#ifdef MADV_HUGEPAGE
  if (large_pages) (void)madvise(data + skip, bytes, MADV_HUGEPAGE);
#else
  (void)large_pages;
#endif
  poison(data + skip, bytes);
  *made = (segment){.data = data + skip, .bytes = bytes};
  return made;
}

static void segment_unmap(ten_mempool *pool, segment *old) {
  *(old->previous ? &old->previous->next : &pool->segments) = old->next;
  if (old->next) old->next->previous = old->previous;
  pool->mapped -= old->bytes;
  unpoison(old->data, old->bytes);
  munmap(old->data, old->bytes);
  free(old);
}

/* Segments grow with the pool, so that there are few of them. */
static ten_mempool_block *grow(ten_mempool *pool, size_t bytes) {
  size_t wanted = pool->mapped < SEGMENT_LEAST ? SEGMENT_LEAST : pool->mapped;
  if (wanted > SEGMENT_MOST) wanted = SEGMENT_MOST;
  const size_t least = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  if (least < bytes) return NULL;
  const bool large_pages = bytes >= SEGMENT_LEAST || wanted > SEGMENT_LEAST; /* a few small arrays need none */
  segment *made = wanted > least ? segment_map(wanted / LARGE_PAGE * LARGE_PAGE, large_pages) : NULL;
  if (!made) made = segment_map(least, large_pages);
  ten_mempool_block *block = made ? block_new(pool, made, made->data, made->bytes) : NULL;
  if (!block) {
    if (made) munmap(made->data, made->bytes);
    free(made);
    return NULL;
  }
  made->first = block;
  made->next = pool->segments;
  if (made->next) made->next->previous = made;
  pool->segments = made;
  pool->mapped += made->bytes;
  list_add(pool, block, BLOCK_COLD);
  return block;
}

/* ---- free memory ---- */
/* A warm block's pages go to the system; a segment without blocks in use goes whole. */
static void cool(ten_mempool *pool, ten_mempool_block *block) {
  list_remove(pool, block);
  pool->stats.reserved -= block->bytes;
  if (madvise(block->data, block->bytes, MADV_DONTNEED)) { /* locked in memory */
    unpoison(block->data, block->bytes);
    memset(block->data, 0, block->bytes);
    poison(block->data, block->bytes);
  }
  segment *in = block->segment;
  block = settle(pool, block, BLOCK_COLD);
  if (block->bytes < in->bytes) return;
  list_remove(pool, block);
  block_drop(pool, block);
  segment_unmap(pool, in);
}

/* The largest first: few calls of the system, and the small ones are needed again sooner. */
static size_t trim(ten_mempool *pool, size_t keep) {
  const size_t before = pool->stats.reserved;
  const free_lists *warm = &pool->lists[BLOCK_WARM];
  for (unsigned class = CLASSES; class --> 0;)
    while (warm->first[class] && pool->stats.reserved - pool->stats.used > keep) cool(pool, warm->first[class]);
  return before - pool->stats.reserved;
}

/* Room for `bytes` more under the limit. */
static void make_room(ten_mempool *pool, size_t bytes) {
  const ten_mempool_stats *stats = &pool->stats;
  if (stats->reserved + bytes <= pool->limit) return;
  const size_t used = stats->used + bytes;
  trim(pool, used < pool->limit ? pool->limit - used : 0);
}

static ten_mempool_block *find(ten_mempool *pool, size_t bytes) {
  ten_mempool_block *block = list_find(pool, BLOCK_WARM, bytes);
  if (block) return block;
  if (pool->limit != SIZE_MAX) make_room(pool, bytes);
  block = list_find(pool, BLOCK_COLD, bytes);
  if (!block) block = grow(pool, bytes);
  if (!block && trim(pool, 0)) block = grow(pool, bytes);
  return block;
}

static ten_mempool_block *take(ten_mempool *pool, size_t bytes, bool *out_clear) {
  ten_mempool_block *block = find(pool, bytes);
  if (!block) return NULL;
  const block_state state = block->state;
  list_remove(pool, block);
  split(pool, block, bytes, state);
  block->state = BLOCK_USED;
  ten_mempool_stats *stats = &pool->stats;
  stats->used += block->bytes;
  if (state == BLOCK_COLD) stats->reserved += block->bytes;
  if (stats->used > stats->used_peak) stats->used_peak = stats->used;
  if (stats->reserved > stats->reserved_peak) stats->reserved_peak = stats->reserved;
  stats->allocations++;
  stats->reused += state == BLOCK_WARM;
  pool->references++;
  *out_clear = state == BLOCK_COLD;
  return block;
}

ten_mempool_block *ten_mempool_take(ten_mempool *pool, size_t bytes, bool zeroed) {
  const size_t size = (bytes + pool->page - 1) / pool->page * pool->page;
  if (size < bytes || !size) return NULL;
  bool clear;
  lock(pool);
  ten_mempool_block *block = take(pool, size, &clear);
  unlock(pool);
  if (!block) return NULL;
  unpoison(block->data, bytes);
  if (zeroed && !clear) memset(block->data, 0, bytes);
  return block;
}

void *ten_mempool_block_data(const ten_mempool_block *block) { return block->data; }
size_t ten_mempool_block_bytes(const ten_mempool_block *block) { return block->bytes; }

/* ---- lifetime ---- */
ten_mempool *ten_mempool_create(void) {
  ten_mempool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  pool->page = page > 0 ? (size_t)page : 4096;
  pool->idle_most = pages > 0 ? (size_t)pages / SHARE * pool->page : SIZE_MAX;
  pool->limit = SIZE_MAX;
  pool->references = 1;
  pool->forks = ten_forks();
  ten_mutex_init(&pool->mutex);
  return pool;
}

ten_mempool *ten_mempool_retain(ten_mempool *pool) {
  lock(pool);
  pool->references++;
  unlock(pool);
  return pool;
}

static void destroy(ten_mempool *pool) {
  while (pool->segments) {
    ten_mempool_block *block = pool->segments->first, *after;
    for (; block; block = after) {
      after = block->after;
      free(block);
    }
    segment_unmap(pool, pool->segments);
  }
  for (ten_mempool_block *block = pool->spare, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  ten_mutex_destroy(&pool->mutex);
  free(pool);
}

void ten_mempool_release(ten_mempool *pool) {
  if (!pool) return;
  lock(pool);
  const bool last = !--pool->references;
  if (!last) trim(pool, 0);
  unlock(pool);
  if (last) destroy(pool);
}

void ten_mempool_give_back(void *given) {
  ten_mempool_block *block = given;
  ten_mempool *pool = block->pool;
  lock(pool);
  if (block->generation == pool->generation) {
    poison(block->data, block->bytes);
    pool->stats.used -= block->bytes;
    settle(pool, block, BLOCK_WARM);
    if (pool->stats.reserved - pool->stats.used > pool->idle_most) trim(pool, pool->idle_most / 2);
  }
  const bool last = !--pool->references;
  unlock(pool);
  if (last) destroy(pool);
}

size_t ten_mempool_trim(ten_mempool *pool, size_t keep) {
  lock(pool);
  const size_t bytes = trim(pool, keep);
  unlock(pool);
  return bytes;
}

void ten_mempool_set_limit(ten_mempool *pool, size_t bytes) {
  lock(pool);
  pool->limit = bytes;
  make_room(pool, 0);
  unlock(pool);
}

void ten_mempool_get_stats(ten_mempool *pool, ten_mempool_stats *out_stats) {
  lock(pool);
  *out_stats = pool->stats;
  unlock(pool);
}
