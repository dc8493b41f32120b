/* test_arena.c: bump allocation, and the growable array. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check.h"

static void memory_is_zeroed_aligned_and_apart(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  char *previous = NULL;
  for (size_t size = 0; size < 3000; size += 7) {
    char *data = ten_arena_alloc(&arena, size);
    assert_int_equal((uintptr_t)data % 16, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(data[i], 0);
    memset(data, 0x5A, size);
    if (previous && size > 7) assert_int_equal(previous[size - 8], 0x5A);
    previous = data;
  }
  ten_arena_destroy(&arena);
}

static void a_big_thing_leaves_the_bump_block_in_use(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  char *before = ten_arena_alloc(&arena, 16);
  memset(ten_arena_alloc(&arena, 10 << 20), 1, 10 << 20);
  char *after = ten_arena_alloc(&arena, 16);
  assert_ptr_equal(after, before + 16);
  assert_true(arena.reserved < (11 << 20));
  ten_arena_destroy(&arena);
  assert_int_equal(arena.reserved, 0);
}

static void a_big_thing_may_come_first(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  memset(ten_arena_alloc(&arena, 100000), 1, 100000);
  memset(ten_arena_alloc(&arena, 16), 1, 16);
  memset(ten_arena_alloc(&arena, 100000), 1, 100000);
  ten_arena_destroy(&arena);
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  assert_null(ten_arena_try(&arena, SIZE_MAX));
  assert_null(ten_arena_try(&arena, SIZE_MAX - 15));
  assert_non_null(ten_arena_try(&arena, 1));
  ten_arena_destroy(&arena);
}

static void copies_are_copies(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  char text[] = "tenfold!";
  char *copy = ten_arena_strdup(&arena, text, 7);
  const int *numbers = ten_arena_copy(&arena, (int[]){1, 2, 3}, 3 * sizeof(int));
  text[0] = 'X';
  assert_string_equal(copy, "tenfold");
  assert_int_equal(numbers[2], 3);
  assert_non_null(ten_arena_copy(&arena, NULL, 0));
  assert_string_equal(ten_arena_strdup(&arena, NULL, 0), "");
  ten_arena_destroy(&arena);
}

static void what_is_kept_outlives_its_arena(void **state) {
  (void)state;
  enum { LARGE = 3 << 20 };
  static const char elsewhere[] = "neither's";
  ten_arena from, to;
  ten_arena_init(&from);
  ten_arena_init(&to);
  const char *small = ten_arena_strdup(&from, "small", 5);
  char *large = ten_arena_alloc(&from, LARGE);
  memset(large, 7, LARGE);
  assert_ptr_equal(ten_arena_keep(&to, &from, large + 1000, 10), large + 1000);
  assert_ptr_equal(ten_arena_keep(&to, &from, large, LARGE), large); /* it is there already */
  const char *copy = ten_arena_keep(&to, &from, small, 6);
  assert_ptr_not_equal(copy, small);
  assert_ptr_equal(ten_arena_keep(&to, &from, elsewhere, sizeof elsewhere), elsewhere);
  assert_true(to.reserved > LARGE && from.reserved < LARGE);
  ten_arena_destroy(&from);
  assert_string_equal(copy, "small");
  for (size_t i = 0; i < LARGE; i += 999) assert_int_equal(large[i], 7);
  assert_non_null(ten_arena_alloc(&to, 100));
  ten_arena_destroy(&to);
}

static void vectors_grow(void **state) {
  (void)state;
  TEN_VEC(int) vec = {0};
  for (int i = 0; i < 1000; i++) ten_vec_push(&vec, i * i);
  assert_int_equal(vec.count, 1000);
  for (int i = 0; i < 1000; i++) assert_int_equal(vec.data[i], i * i);
  ten_vec_reserve(&vec, 5000);
  assert_true(vec.capacity >= 5000);
  ten_vec_free(&vec);
  assert_int_equal(vec.count, 0);
  assert_null(vec.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
      cmocka_unit_test(a_big_thing_leaves_the_bump_block_in_use),
      cmocka_unit_test(a_big_thing_may_come_first),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(copies_are_copies),
      cmocka_unit_test(what_is_kept_outlives_its_arena),
      cmocka_unit_test(vectors_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
