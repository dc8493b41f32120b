/* Memory that calls use in turn: which block a call gets, and when one is replaced. */
#include "backend/cpu/exec/arenas.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static exec_arenas *arenas;

static void *take(size_t bytes, size_t *out_bytes) {
  void *memory = exec_arenas_take(arenas, bytes, out_bytes);
  assert_non_null(memory);
  assert_true(*out_bytes >= bytes);
  assert_true((uintptr_t)memory % 64 == 0);
  memset(memory, 0xA5, *out_bytes); /* whatever is there belongs to the caller */
  return memory;
}

/* One call: the bytes that it got. */
static size_t call(size_t bytes) {
  size_t got;
  void *memory = take(bytes, &got);
  exec_arenas_give(arenas, memory, got);
  return got;
}

/* One call after the other gets the same block, also for fewer bytes. */
static void calls_take_turns(void **state) {
  (void)state;
  arenas = exec_arenas_create();
  size_t first_bytes, bytes;
  void *first = take(5000, &first_bytes);
  for (size_t wanted = 0; wanted <= 5000; wanted += 500) {
    exec_arenas_give(arenas, first, first_bytes);
    assert_ptr_equal(take(wanted, &bytes), first);
    assert_int_equal(bytes, first_bytes);
  }
  void *second = take(5000, &bytes); /* at the same time */
  assert_ptr_not_equal(second, first);
  exec_arenas_give(arenas, second, bytes);
  exec_arenas_give(arenas, first, first_bytes);
  assert_ptr_equal(take(4000, &first_bytes), first);
  assert_ptr_equal(take(4000, &bytes), second);
  exec_arenas_give(arenas, first, first_bytes);
  exec_arenas_give(arenas, second, bytes);
  exec_arenas_destroy(arenas);
}

/* A larger call replaces a block: what is left fits it, and smaller ones. */
static void blocks_grow(void **state) {
  (void)state;
  arenas = exec_arenas_create();
  size_t seen = 0, changes = 0;
  for (size_t wanted = 1000; wanted < 100000; wanted += 100) {
    const size_t bytes = call(wanted);
    assert_true(bytes >= seen && bytes <= wanted + wanted / 4 + 64);
    changes += bytes != seen;
    seen = bytes;
  }
  assert_true(changes < 60); /* of 990 */
  exec_arenas_destroy(arenas);
}

static size_t resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
  fclose(file);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Programs that are far apart in what they need, as forward and backward are, get no more than that. */
static void blocks_are_no_larger_than_needed(void **state) {
  (void)state;
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  skip(); /* sanitizers do not reuse freed memory at once, and have pages of their own */
#endif
#endif
  enum { FORWARD = 2400000, BACKWARD = 4500000 };
  arenas = exec_arenas_create();
  mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_ writes to what aligned_alloc leaves unused, too */
  const size_t before = resident();
  assert_int_equal(call(FORWARD), FORWARD);
  assert_int_equal(call(BACKWARD), BACKWARD);
  assert_true(resident() - before < BACKWARD + BACKWARD / 8);
  exec_arenas_destroy(arenas);
}

/* After one large call and many small ones the memory of the large one is given up. */
static void blocks_shrink(void **state) {
  (void)state;
  enum { LARGE = 1 << 24, SMALL = 1 << 16 };
  arenas = exec_arenas_create();
  size_t calls = 0;
  assert_true(call(LARGE) >= LARGE);
  while (call(SMALL) >= LARGE && calls < 1000) calls++;
  assert_in_range(calls, 10, 200);
  assert_true(call(SMALL) < LARGE);
  /* not where large ones come in between */
  for (size_t i = 0; i < 300; i++) assert_true(call(i % 8 ? SMALL : LARGE) >= LARGE);
  exec_arenas_destroy(arenas);
}

static void too_much_is_refused(void **state) {
  (void)state;
  arenas = exec_arenas_create();
  size_t bytes;
  assert_null(exec_arenas_take(arenas, SIZE_MAX / 4, &bytes));
  assert_true(call(100) >= 100); /* goes on working */
  exec_arenas_destroy(arenas);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_take_turns), cmocka_unit_test(blocks_grow),
                                     cmocka_unit_test(blocks_are_no_larger_than_needed),
                                     cmocka_unit_test(blocks_shrink), cmocka_unit_test(too_much_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
