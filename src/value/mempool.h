/* mempool.h: host memory of tensors that is used again. Blocks are cut from large mappings and merged with their free
 * neighbours when they come back: memory that was written before has its pages, which the system would otherwise have
 * to clear and map at every allocation. Safe from any thread, and in a forked child. */
#ifndef TEN_VALUE_MEMPOOL_H
#define TEN_VALUE_MEMPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ten_mempool ten_mempool;
typedef struct ten_mempool_block ten_mempool_block;

enum { TEN_MEMPOOL_SMALL = 4096 }; /* bytes: allocations below it are better left to malloc */

typedef struct ten_mempool_stats {
  size_t used, used_peak;         /* bytes of blocks that are in use, now and peak */
  size_t reserved, reserved_peak; /* these, and free blocks whose pages the process holds */
  uint64_t allocations, reused;   /* of blocks so far; how many lay in pages that the process had */
} ten_mempool_stats;

/* NULL: out of memory. The caller owns it; blocks hold a reference each. */
ten_mempool *ten_mempool_create(void);
ten_mempool *ten_mempool_retain(ten_mempool *pool);
void ten_mempool_release(ten_mempool *pool); /* NULL is fine; frees what no block is in */

/* A block of at least `bytes`, aligned to a page; zeroed where that is wanted, or else not set. NULL: out of memory. */
ten_mempool_block *ten_mempool_take(ten_mempool *pool, size_t bytes, bool zeroed);
void *ten_mempool_block_data(const ten_mempool_block *block);
size_t ten_mempool_block_bytes(const ten_mempool_block *block); /* what it takes of the pool */
void ten_mempool_give_back(void *block);

/* Gives free memory to the system until at most `keep` bytes of it are left. Returns how many bytes went. */
size_t ten_mempool_trim(ten_mempool *pool, size_t keep);
/* What `reserved` stays within as long as `used` does: free memory is given to the system for it. SIZE_MAX: no limit.
 */
void ten_mempool_set_limit(ten_mempool *pool, size_t bytes);
void ten_mempool_get_stats(ten_mempool *pool, ten_mempool_stats *out_stats);

#endif
