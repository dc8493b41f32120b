/* test_thread.c: a parallel loop does each piece once; once is once. */
#include "base/thread.h"

#include <stdatomic.h>
#include <string.h>

#include "check.h"

enum { COUNT = 10000 };

typedef struct tally {
  atomic_int seen[COUNT];
  atomic_size_t most_worker;
} tally;

static void mark(void *user, size_t index, size_t worker) {
  tally *t = user;
  atomic_fetch_add(&t->seen[index], 1);
  size_t most = atomic_load(&t->most_worker);
  while (worker > most && !atomic_compare_exchange_weak(&t->most_worker, &most, worker)) {
  }
}

static void each_index_once(void **state) {
  (void)state;
  static tally t;
  for (size_t threads = 0; threads <= 5; threads++) {
    memset(&t, 0, sizeof t);
    ten_parallel_for(COUNT, threads, mark, &t);
    for (size_t i = 0; i < COUNT; i++) assert_int_equal(t.seen[i], 1);
    if (threads) assert_true(t.most_worker < threads);
  }
  memset(&t, 0, sizeof t);
  ten_parallel_for(0, 4, mark, &t);
  ten_parallel_for(1, 4, mark, &t);
  assert_int_equal(t.seen[0], 1);
  assert_int_equal(t.most_worker, 0);
}

typedef struct counter {
  ten_mutex mutex;
  ten_cond cond;
  size_t value;
} counter;

static void add_under_lock(void *user, size_t index, size_t worker) {
  (void)index, (void)worker;
  counter *c = user;
  ten_mutex_lock(&c->mutex);
  c->value++;
  ten_cond_broadcast(&c->cond);
  ten_mutex_unlock(&c->mutex);
}

static void *wait_for_all(void *user) {
  counter *c = user;
  ten_mutex_lock(&c->mutex);
  while (c->value < 1000) ten_cond_wait(&c->cond, &c->mutex);
  ten_mutex_unlock(&c->mutex);
  return c;
}

static void locks_and_conditions(void **state) {
  (void)state;
  counter c = {0};
  ten_mutex_init(&c.mutex);
  ten_cond_init(&c.cond);
  ten_thread thread;
  check_ok(ten_thread_start(1 << 20, wait_for_all, &c, &thread));
  ten_parallel_for(1000, 4, add_under_lock, &c);
  assert_ptr_equal(ten_thread_join(thread), &c);
  assert_int_equal(c.value, 1000);
  ten_cond_destroy(&c.cond);
  ten_mutex_destroy(&c.mutex);
}

static atomic_int once_calls;
static ten_once once = TEN_ONCE_INIT;
static void count_call(void) { atomic_fetch_add(&once_calls, 1); }
static void run_once(void *user, size_t index, size_t worker) {
  (void)user, (void)index, (void)worker;
  ten_once_run(&once, count_call);
  assert_int_equal(once_calls, 1);
}

static void once_is_once(void **state) {
  (void)state;
  ten_parallel_for(100, 4, run_once, NULL);
  assert_int_equal(once_calls, 1);
}

static void there_is_a_processor(void **state) {
  (void)state;
  assert_true(ten_cpu_count() >= 1);
}

static void an_impossible_stack_is_an_error(void **state) {
  (void)state;
  ten_thread thread;
  ten_status *status = ten_thread_start(1, wait_for_all, NULL, &thread);
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), TEN_LIMIT);
  ten_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_index_once),
      cmocka_unit_test(locks_and_conditions),
      cmocka_unit_test(once_is_once),
      cmocka_unit_test(there_is_a_processor),
      cmocka_unit_test(an_impossible_stack_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
