/* test_out_of_memory.c: each allocation of parsing, compiling, running, training and migrating fails in turn, in one
 * process. It is an error or makes no difference; and afterwards the same things work, with the same objects.
 *
 * The linker hands the calls of malloc and the like to the functions below (--wrap), those of this project's own code
 * and of nobody else. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/recover.h"
#include "base/str.h"
#include "base/thread.h"
#include "check.h"
#include "tenfold/executable.h"
#include "tenfold/migrate.h"
#include "tenfold/program.h"
#include "tenfold/train.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
char *__wrap_strdup(const char *string);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
/* What a jump leaves behind is lost (docs/decisions/001-out-of-memory.md): the leak checker does not count it. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

static atomic_long fail_at, counted; /* which of them fails, and how many there were; fail_at 0: none */
static atomic_bool stays;            /* and all later ones */
static atomic_bool happened;         /* one has failed */

static bool fails(void) {
  const long at = atomic_load(&fail_at);
  if (!at) return false;
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (number != at && !(number > at && atomic_load(&stays))) return false;
  atomic_store(&happened, true);
  return true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
char *__wrap_strdup(const char *string) { return fails() ? NULL : __real_strdup(string); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static void arm(long number, bool and_later) {
  if (__lsan_disable) __lsan_disable();
  atomic_store(&happened, false);
  atomic_store(&stays, and_later);
  atomic_store(&counted, 0);
  atomic_store(&fail_at, number);
}

static bool disarm(void) {
  atomic_store(&fail_at, 0);
  if (__lsan_enable) __lsan_enable();
  return atomic_load(&happened);
}

/* A status, if any, that says so. */
static void check_refused(ten_status *status) {
  if (!status) return;
  if (ten_status_code(status) != TEN_LIMIT) print_error("%s\n", ten_status_text(status));
  assert_int_equal(ten_status_code(status), TEN_LIMIT);
  assert_non_null(strstr(ten_status_text(status), "memory"));
  ten_status_free(status);
}

static const char text[] =
    "func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<f32>) {\n"
    "  %w = stablehlo.constant dense<[[1., 2., 3., 4.], [5., 6., 7., 8.], [1., 0., 0., 1.], [0., 1., 1., 0.]]> : "
    "tensor<4x4xf32>\n"
    "  %zero = stablehlo.constant dense<0.> : tensor<f32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %y = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> "
    "tensor<4xf32>\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %l:2 = stablehlo.while(%a = %i, %b = %y) : tensor<i32>, tensor<4xf32> cond {\n"
    "    %c = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %d = stablehlo.add %a, %one : tensor<i32>\n"
    "    %e = stablehlo.tanh %b : tensor<4xf32>\n"
    "    stablehlo.return %d, %e : tensor<i32>, tensor<4xf32>\n"
    "  }\n"
    "  %s = stablehlo.reduce(%l#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "  return %y, %s : tensor<4xf32>, tensor<f32>\n"
    "}\n";

static ten_status *make(const char *device, ten_executable **out) {
  *out = NULL;
  ten_program *model = NULL;
  ten_status *status = ten_program_parse(text, sizeof text - 1, NULL, &model);
  ten_compile_options options = {.size = sizeof options, .device = device};
  if (!status) status = ten_program_compile(model, &options, out);
  ten_program_release(model);
  return status;
}

static ten_status *call(ten_executable *compiled, float *y, float *sum) {
  static float x[] = {1, -1, 2, 0.5f};
  static int32_t turns = 3;
  static const int64_t four = 4;
  const ten_buffer in[] = {{.dtype = TEN_F32, .rank = 1, .dims = &four, .data = x, .bytes = sizeof x},
                           {.dtype = TEN_I32, .data = &turns, .bytes = sizeof turns}};
  const ten_buffer out[] = {{.dtype = TEN_F32, .rank = 1, .dims = &four, .data = y, .bytes = 4 * sizeof *y},
                            {.dtype = TEN_F32, .data = sum, .bytes = sizeof *sum}};
  return ten_executable_execute(compiled, in, 2, out, 2);
}

static void check_answer(const float *y, float sum) {
  static const float wanted[] = {7, 17, 1.5f, 1};
  for (int i = 0; i < 4; i++) assert_float_equal(y[i], wanted[i], 1e-5);
  assert_float_equal(sum, 2.46646, 1e-4);
}

/* Every allocation of calls to one program; each failure is followed by a call that must be right. */
static void calls_fail(ten_executable *compiled, bool and_later) {
  bool hit = true;
  for (long n = 1; hit; n++) {
    float y[4] = {0}, sum = 0;
    arm(n, and_later);
    ten_status *status = call(compiled, y, &sum);
    hit = disarm();
    if (!status) check_answer(y, sum);
    if (status) assert_true(hit);
    check_refused(status);
    check_ok(call(compiled, y, &sum));
    check_answer(y, sum);
  }
}

static void compilations_fail(const char *device, bool and_later) {
  bool hit = true;
  for (long n = 1; hit; n++) {
    ten_executable *compiled = NULL;
    arm(n, and_later);
    ten_status *status = make(device, &compiled);
    hit = disarm();
    assert_true(!status == (compiled != NULL));
    if (!status) {
      float y[4] = {0}, sum = 0;
      check_ok(call(compiled, y, &sum));
      check_answer(y, sum);
    }
    check_refused(status);
    ten_executable_release(compiled);
  }
}

static void programs(const char *device) {
  ten_executable *compiled = NULL;
  check_ok(make(device, &compiled));
  calls_fail(compiled, false);
  calls_fail(compiled, true);
  ten_executable_release(compiled);
  compilations_fail(device, false);
  compilations_fail(device, true);
}

static void interpreted_programs(void **state) {
  (void)state;
  programs("interp");
}

static void compiled_programs(void **state) {
  (void)state;
  setenv("TENFOLD_CACHE", "off", 1);
  programs("cpu");
}

static ten_training *open_training(const char *path, const char *device) {
  const ten_training_options options = {
      .size = sizeof options, .device = device, .loss = "output", .optimizer = "momentum,lr=0.1"};
  ten_training *training = NULL;
  check_ok(ten_training_create(path, &options, &training));
  return training;
}

static ten_status *step(ten_training *training, double *loss) {
  static float x[] = {1, -1, 2, 0.5f};
  static const int64_t four = 4;
  const ten_buffer in = {.dtype = TEN_F32, .rank = 1, .dims = &four, .data = x, .bytes = sizeof x};
  return ten_training_step(training, &in, 1, loss);
}

/* A step whose allocations fail is not done, or done whole: the state is that of a training without failures. */
static void steps_fail(const char *path, const char *device) {
  ten_training *training = open_training(path, device), *other = open_training(path, device);
  bool hit = true;
  for (long n = 1; hit; n++) {
    const int64_t before = ten_training_steps(training);
    double loss = 0, wanted = 0;
    arm(n, n % 2);
    ten_status *status = step(training, &loss);
    hit = disarm();
    assert_int_equal(ten_training_steps(training), before + !status);
    assert_true(status ? loss == 0 : loss > 0);
    check_refused(status);
    while (ten_training_steps(other) < ten_training_steps(training)) check_ok(step(other, &wanted));
    for (size_t i = 0; i < ten_training_state_count(training); i++) {
      const ten_buffer a = ten_training_state(training, i, NULL), b = ten_training_state(other, i, NULL);
      assert_int_equal(a.bytes, b.bytes);
      assert_memory_equal(a.data, b.data, a.bytes);
    }
  }
  check_ok(step(training, &(double){0}));
  ten_training_release(training);
  ten_training_release(other);
}

static void training_steps(void **state) {
  (void)state;
  static const char model[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<f32> {\n"
      "  %w = stablehlo.constant {aten.kind = \"parameter\", aten.name = \"w\"} dense<[1., 2., 3., 4.]> : "
      "tensor<4xf32>\n"
      "  %zero = stablehlo.constant dense<0.> : tensor<f32>\n"
      "  %y = stablehlo.multiply %x, %w : tensor<4xf32>\n"
      "  %s = stablehlo.multiply %y, %y : tensor<4xf32>\n"
      "  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
      "tensor<f32>) -> tensor<f32>\n"
      "  return %r : tensor<f32>\n"
      "}\n";
  char path[] = "/tmp/tenfold-train-XXXXXX.mlir";
  const int file = mkstemps(path, 5);
  assert_true(file >= 0 && write(file, model, sizeof model - 1) == (ssize_t)sizeof model - 1);
  close(file);
  steps_fail(path, "cpu");
  steps_fail(path, "interp");
  unlink(path);
}

static void migrations(void **state) {
  (void)state;
  static const char source[] =
      "import torch\nx = torch.zeros(3).cuda()\nwith torch.cuda.amp.autocast():\n  y = x + 1\n";
  ten_migration *migration = NULL;
  ten_status *missing = ten_migrate_text("a.py", source, sizeof source - 1, NULL, &migration);
  ten_migration_destroy(migration);
  if (missing && ten_status_code(missing) == TEN_UNSUPPORTED) { /* no grammar in this build */
    ten_status_free(missing);
    skip(); /* without the Python grammar nothing is migrated */
  }
  check_ok(missing);
  bool hit = true;
  for (long n = 1; hit; n++) {
    arm(n, false);
    ten_status *status = ten_migrate_text("a.py", source, sizeof source - 1, NULL, &migration);
    char *report = NULL;
    if (!status) status = ten_migration_report(migration, TEN_REPORT_JSON, &report);
    hit = disarm();
    check_refused(status);
    free(report);
    ten_migration_destroy(migration);
  }
}

static ten_mutex mutex = TEN_MUTEX_INIT;

static ten_status *leave_locked(void *argument) {
  ten_mutex_lock(argument);
  ten_out_of_memory(12);
}

static void a_mutex_is_unlocked_on_the_way_out(void **state) {
  (void)state;
  check_error(ten_recover("testing", leave_locked, &mutex), TEN_LIMIT,
              "out of memory: 12 bytes could not be allocated while testing");
  assert_int_equal(ten_mutexes_held(), 0);
  ten_mutex_lock(&mutex); /* would wait for ever */
  ten_mutex_unlock(&mutex);
}

static void fail_one(void *user, size_t index, size_t worker) {
  (void)worker;
  atomic_fetch_add((atomic_int *)user, 1);
  if (index == 3) ten_out_of_memory(99);
}

static ten_status *run_loop(void *count) {
  ten_parallel_for(1000, 4, fail_one, count);
  return NULL;
}

static void a_parallel_loop_fails_in_its_callers_thread(void **state) {
  (void)state;
  atomic_int count = 0;
  check_error(ten_recover("looping", run_loop, &count), TEN_LIMIT,
              "out of memory: 99 bytes could not be allocated while looping");
  assert_true(atomic_load(&count) >= 4);
}

static void an_error_needs_no_memory(void **state) {
  (void)state;
  arm(1, true);
  ten_status *status = ten_error(TEN_INVALID, "a value of %d", 3);
  status = ten_annotate(ten_error_at(ten_error_raises(status, "IndexError"), "a.mlir", 3, 4), "testing");
  disarm();
  check_error(status, TEN_LIMIT, "out of memory");
  status = ten_error(TEN_INVALID, "a value of %d", 3);
  arm(1, true);
  status = ten_annotate(ten_error_at(status, "a.mlir", 3, 4), "testing");
  const bool same = !strcmp(ten_status_text(status), "a value of 3");
  disarm();
  assert_true(same);
  check_error(status, TEN_INVALID, "a value of 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mutex_is_unlocked_on_the_way_out),
      cmocka_unit_test(a_parallel_loop_fails_in_its_callers_thread),
      cmocka_unit_test(an_error_needs_no_memory),
      cmocka_unit_test(interpreted_programs),
      cmocka_unit_test(compiled_programs),
      cmocka_unit_test(training_steps),
      cmocka_unit_test(migrations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
