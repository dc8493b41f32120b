/* The pool of host memory: reuse, splitting, merging, trimming, limits, threads, forks. */
#include "value/mempool.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "value/tensor.h"

enum { PAGE_MOST = 65536, MIB = 1 << 20 };

static ten_mempool_stats stats_of(ten_mempool *pool) {
  ten_mempool_stats stats;
  ten_mempool_get_stats(pool, &stats);
  return stats;
}

static ten_mempool_block *take(ten_mempool *pool, size_t bytes) {
  ten_mempool_block *block = ten_mempool_take(pool, bytes, false);
  assert_non_null(block);
  memset(ten_mempool_block_data(block), 0xa5, bytes);
  return block;
}

static void memory_is_used_again(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  ten_mempool_block *block = take(pool, 100000);
  void *data = ten_mempool_block_data(block);
  assert_int_equal((uintptr_t)data % 4096, 0);
  assert_in_range(stats_of(pool).used, 100000, 100000 + PAGE_MOST);
  ten_mempool_give_back(block);
  assert_int_equal(stats_of(pool).used, 0);
  assert_int_equal(stats_of(pool).reserved, stats_of(pool).used_peak);
  block = take(pool, 99000); /* the same pages */
  assert_ptr_equal(ten_mempool_block_data(block), data);
  assert_int_equal(stats_of(pool).allocations, 2);
  assert_int_equal(stats_of(pool).reused, 1);
  ten_mempool_give_back(block);
  ten_mempool_release(pool);
}

static void blocks_are_split_and_merged(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  ten_mempool_block *large = take(pool, 3 * MIB);
  char *data = ten_mempool_block_data(large);
  ten_mempool_give_back(large);
  ten_mempool_block *parts[3];
  for (int i = 0; i < 3; i++) parts[i] = take(pool, MIB);
  for (int i = 0; i < 3; i++) assert_ptr_equal(ten_mempool_block_data(parts[i]), data + i * MIB);
  assert_int_equal(stats_of(pool).reserved, 3 * MIB);
  static const int order[] = {0, 2, 1}; /* the last one merges with both neighbours */
  for (int i = 0; i < 3; i++) ten_mempool_give_back(parts[order[i]]);
  large = take(pool, 3 * MIB);
  assert_ptr_equal(ten_mempool_block_data(large), data);
  assert_int_equal(stats_of(pool).reserved, 3 * MIB);
  ten_mempool_give_back(large);
  ten_mempool_release(pool);
}

static void zeroed_blocks_are_zero(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  for (int round = 0; round < 3; round++) {
    ten_mempool_block *block = ten_mempool_take(pool, 5 * MIB, true);
    const char *data = ten_mempool_block_data(block);
    for (size_t i = 0; i < 5 * MIB; i++) assert_int_equal(data[i], 0);
    memset(ten_mempool_block_data(block), 0xff, 5 * MIB);
    ten_mempool_give_back(block);
    if (round == 1) assert_int_equal(ten_mempool_trim(pool, 0), 5 * MIB); /* the third lies in pages of the system's */
  }
  ten_mempool_release(pool);
}

static void trimming_leaves_what_is_used(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  ten_mempool_block *held[8];
  for (int i = 0; i < 8; i++) held[i] = take(pool, MIB);
  for (int i = 0; i < 8; i += 2) ten_mempool_give_back(held[i]);
  assert_int_equal(stats_of(pool).reserved, 8 * MIB);
  assert_int_equal(ten_mempool_trim(pool, 2 * MIB), 2 * MIB);
  assert_int_equal(ten_mempool_trim(pool, 0), 2 * MIB);
  assert_int_equal(stats_of(pool).reserved, 4 * MIB);
  for (int i = 1; i < 8; i += 2) {
    const unsigned char *data = ten_mempool_block_data(held[i]);
    for (size_t k = 0; k < MIB; k += 4096) assert_int_equal(data[k], 0xa5);
    ten_mempool_give_back(held[i]);
  }
  assert_int_equal(stats_of(pool).reserved_peak, 8 * MIB);
  ten_mempool_release(pool);
}

static void limits_trim_first(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  ten_mempool_set_limit(pool, 8 * MIB);
  ten_mempool_block *small[6];
  for (int i = 0; i < 6; i++) small[i] = take(pool, MIB);
  for (int i = 0; i < 6; i++)
    if (i != 3) ten_mempool_give_back(small[i]);
  ten_mempool_block *large = take(pool, 5 * MIB); /* no free block is so large: what is free goes */
  assert_int_equal(stats_of(pool).used, 6 * MIB);
  assert_in_range(stats_of(pool).reserved, 6 * MIB, 8 * MIB);
  ten_mempool_give_back(large);
  ten_mempool_set_limit(pool, 2 * MIB);
  assert_in_range(stats_of(pool).reserved, MIB, 2 * MIB);
  ten_mempool_give_back(small[3]);
  ten_mempool_release(pool);
}

static void blocks_outlive_their_pool(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  ten_tensor *tensor, *tiny;
  check_ok(ten_tensor_create_in(pool, true, TEN_F32, 2, (const int64_t[]){64, 64}, &tensor));
  check_ok(ten_tensor_create_in(pool, true, TEN_F32, 1, (const int64_t[]){64}, &tiny));
  assert_int_equal(ten_tensor_pool_bytes(tensor), stats_of(pool).used);
  assert_int_equal(ten_tensor_pool_bytes(tiny), 0);
  ten_mempool_release(pool);
  for (size_t i = 0; i < tensor->count; i++) assert_true(((float *)tensor->data)[i] == 0);
  ten_tensor_release(tensor);
  ten_tensor_release(tiny);
  assert_null(ten_mempool_take(pool = ten_mempool_create(), SIZE_MAX - 4096, false));
  assert_null(ten_mempool_take(pool, SIZE_MAX, false));
  assert_null(ten_mempool_take(pool, (size_t)1 << 60, false));
  ten_mempool_release(pool);
}

/* Every block is filled with its number, which must still be there when it goes. */
static void *churn(void *argument) {
  ten_mempool *pool = argument;
  enum { HELD = 24 };
  ten_mempool_block *held[HELD] = {0};
  size_t sizes[HELD] = {0};
  uint64_t random = (uint64_t)(uintptr_t)&held | 1;
  for (unsigned round = 0; round < 4000; round++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (random >> 33) % HELD;
    if (held[at]) {
      const unsigned char *data = ten_mempool_block_data(held[at]);
      if (data[0] != at || data[sizes[at] - 1] != at) return "a block changed";
      ten_mempool_give_back(held[at]);
      held[at] = NULL;
      if (random >> 60 == 0) ten_mempool_trim(pool, random >> 44 & 0xfffff);
      continue;
    }
    sizes[at] = (size_t)1 << (12 + (random >> 50) % 8);
    sizes[at] += random >> 40 & (sizes[at] - 1);
    const bool zeroed = random >> 63;
    held[at] = ten_mempool_take(pool, sizes[at], zeroed);
    if (!held[at]) return "out of memory";
    unsigned char *data = ten_mempool_block_data(held[at]);
    if (zeroed && (data[0] || data[sizes[at] / 2] || data[sizes[at] - 1])) return "a block is not zero";
    data[0] = data[sizes[at] - 1] = (unsigned char)at;
    data[sizes[at] / 2] = sizes[at] / 2 && sizes[at] / 2 != sizes[at] - 1 ? 1 : data[sizes[at] / 2];
  }
  for (size_t i = 0; i < HELD; i++)
    if (held[i]) ten_mempool_give_back(held[i]);
  return NULL;
}

static void threads_share_a_pool(void **state) {
  (void)state;
  ten_mempool *pool = ten_mempool_create();
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, churn, pool), 0);
  for (int i = 0; i < 3; i++) {
    void *error;
    assert_int_equal(pthread_join(threads[i], &error), 0);
    assert_null(error);
  }
  assert_int_equal(stats_of(pool).used, 0);
  assert_true(stats_of(pool).reused > 0);
  ten_mempool_trim(pool, 0);
  assert_int_equal(stats_of(pool).reserved, 0);
  ten_mempool_release(pool);
}

typedef struct churning {
  ten_mempool *pool;
  bool stop;
} churning;

static void *churn_on(void *argument) {
  churning *c = argument;
  while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) churn(c->pool);
  return NULL;
}

/* A child that was forked while other threads took blocks works, and what was in use stays valid there. */
static void forked_children_use_it(void **state) {
  (void)state;
  churning c = {.pool = ten_mempool_create()};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, churn_on, &c), 0);
  ten_mempool_block *block = take(c.pool, 123456);
  for (int i = 0; i < 20; i++) {
    const pid_t child = fork();
    if (!child) {
      alarm(60);
      const unsigned char *data = ten_mempool_block_data(block);
      const bool good = data[123455] == 0xa5 && !churn(c.pool);
      ten_mempool_give_back(block);
      _exit(good ? 0 : 1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  }
  __atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  ten_mempool_give_back(block);
  assert_int_equal(stats_of(c.pool).used, 0);
  ten_mempool_release(c.pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_used_again),   cmocka_unit_test(blocks_are_split_and_merged),
      cmocka_unit_test(zeroed_blocks_are_zero), cmocka_unit_test(trimming_leaves_what_is_used),
      cmocka_unit_test(limits_trim_first),      cmocka_unit_test(blocks_outlive_their_pool),
      cmocka_unit_test(threads_share_a_pool),   cmocka_unit_test(forked_children_use_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
