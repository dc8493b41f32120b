/* test_fork.c: a process forks while other threads call, compile and wait. The child has one thread and locks that
 * nobody will ever release: it must work, or say that it cannot, and never hang. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/shared.h"
#include "base/thread.h"
#include "check.h"
#include "tenfold/executable.h"
#include "tenfold/program.h"

/* Products and a loop: large enough that two threads share them out. */
static const char product[] =
    "func.func @main(%a: tensor<96x96xf32>) -> tensor<96x96xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> "
    "tensor<96x96xf32>\n"
    "  %1 = stablehlo.sine %0 : tensor<96x96xf32>\n"
    "  %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> "
    "tensor<96x96xf32>\n"
    "  return %2 : tensor<96x96xf32>\n"
    "}\n";
/* Compiled when it is called, for each length. */
static const char open_shape[] =
    "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %0 = stablehlo.cosine %a : tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";

enum { CALLERS = 4, FORKS = 12, COUNT = 96 * 96, CHILD_SECONDS = 60, HUNG = 99 };

static float input[COUNT], wanted[COUNT];
static ten_executable *shared;
static atomic_bool stop;

static ten_executable *compile(const char *text) {
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text, strlen(text), NULL, &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  ten_program_release(model);
  return compiled;
}

static ten_status *call(ten_executable *compiled, float *out) {
  ten_buffer x = ten_executable_input(compiled, 0), y = ten_executable_output(compiled, 0);
  x.data = input, y.data = out;
  return ten_executable_execute(compiled, &x, 1, &y, 1);
}

/* The child's exit status: 0 when it did what was asked of it, or refused. An alarm ends one that hangs. */
static int run_child(int (*child)(void)) {
  fflush(NULL);
  const pid_t process = fork();
  assert_true(process >= 0);
  if (!process) {
    alarm(CHILD_SECONDS);
    _exit(child());
  }
  int how = 0;
  assert_int_equal(waitpid(process, &how, 0), process);
  if (WIFSIGNALED(how)) print_error("the child ended by signal %d\n", WTERMSIG(how));
  return WIFSIGNALED(how) ? HUNG : WEXITSTATUS(how);
}

static void *keep_calling(void *argument) {
  (void)argument;
  float *out = malloc(sizeof wanted);
  while (!atomic_load(&stop)) {
    ten_status *status = call(shared, out);
    if (status || memcmp(out, wanted, sizeof wanted)) abort();
  }
  free(out);
  return NULL;
}

static int child_calls(void) {
  float *out = malloc(sizeof wanted);
  for (int i = 0; i < 3; i++) {
    memset(out, 0, sizeof wanted);
    if (call(shared, out)) return 2;
    if (memcmp(out, wanted, sizeof wanted)) return 3;
  }
  free(out);
  ten_executable_release(shared);
  return 0;
}

static void with_threads(void *(*body)(void *), int (*child)(void)) {
  ten_thread threads[CALLERS];
  atomic_store(&stop, false);
  for (int i = 0; i < CALLERS; i++) check_ok(ten_thread_start(0, body, NULL, &threads[i]));
  int worst = 0;
  for (int i = 0; i < FORKS && !worst; i++) {
    usleep(2000);
    worst = run_child(child);
  }
  atomic_store(&stop, true);
  for (int i = 0; i < CALLERS; i++) ten_thread_join(threads[i]);
  assert_int_equal(worst, 0);
}

static void a_child_calls_while_threads_call(void **state) {
  (void)state;
  shared = compile(product);
  check_ok(call(shared, wanted));
  with_threads(keep_calling, child_calls);
  ten_executable_release(shared);
}

/* A program of its own each time, so that no cache has it. */
static ten_status *compile_new(unsigned number) {
  char text[512];
  snprintf(text, sizeof text,
           "func.func @main(%%a: tensor<64xf32>) -> tensor<64xf32> {\n"
           "  %%c = stablehlo.constant dense<%u.5> : tensor<64xf32>\n"
           "  %%0 = stablehlo.multiply %%a, %%c : tensor<64xf32>\n"
           "  %%1 = stablehlo.exponential %%0 : tensor<64xf32>\n"
           "  return %%1 : tensor<64xf32>\n"
           "}\n",
           number);
  ten_program *model;
  ten_executable *compiled = NULL;
  ten_status *status = ten_program_parse(text, strlen(text), NULL, &model);
  if (status) return status;
  status = ten_program_compile(model, NULL, &compiled);
  ten_program_release(model);
  float out[64];
  if (!status) status = call(compiled, out);
  ten_executable_release(compiled);
  return status;
}

static void *keep_compiling(void *argument) {
  (void)argument;
  static atomic_uint numbers;
  while (!atomic_load(&stop))
    if (compile_new(atomic_fetch_add(&numbers, 1))) abort();
  return NULL;
}

static int child_compiles(void) {
  ten_status *status = compile_new(1u << 20);
  if (!status) return 0;
  const bool refused = strstr(ten_status_text(status), "forked while another thread was compiling") != NULL;
  ten_status_free(status);
  return refused ? 0 : 4;
}

static void a_child_compiles_or_refuses(void **state) {
  (void)state;
  with_threads(keep_compiling, child_compiles);
}

static int child_takes_new_shapes(void) {
  float out[64];
  int64_t length = 64;
  ten_buffer x = ten_executable_input(shared, 0), y = ten_executable_output(shared, 0);
  x.dims = y.dims = &length;
  x.data = input, y.data = out, x.bytes = y.bytes = sizeof out;
  ten_status *status = ten_executable_execute(shared, &x, 1, &y, 1);
  if (!status) return 0;
  const bool refused = strstr(ten_status_text(status), "forked") != NULL;
  ten_status_free(status);
  return refused ? 0 : 5;
}

static void *keep_changing_shape(void *argument) {
  (void)argument;
  float *out = malloc(sizeof wanted);
  static atomic_int lengths = 65;
  while (!atomic_load(&stop)) {
    int64_t length = atomic_fetch_add(&lengths, 1) % COUNT;
    ten_buffer x = ten_executable_input(shared, 0), y = ten_executable_output(shared, 0);
    x.dims = y.dims = &length;
    x.data = input, y.data = out, x.bytes = y.bytes = (size_t)length * sizeof *out;
    if (ten_executable_execute(shared, &x, 1, &y, 1)) abort();
  }
  free(out);
  return NULL;
}

/* The lock is held while a shape is compiled. */
static void a_child_meets_a_new_shape(void **state) {
  (void)state;
  shared = compile(open_shape);
  with_threads(keep_changing_shape, child_takes_new_shapes);
  ten_executable_release(shared);
}

static ten_event *pending;

static int child_waits(void) {
  ten_status *status = ten_event_wait(pending);
  const int done = ten_event_done(pending);
  if (!status) return done ? 0 : 6;
  const bool refused = strstr(ten_status_text(status), "before this process was forked") != NULL;
  ten_status_free(status);
  return refused ? 0 : 7;
}

static void a_child_does_not_wait_for_the_parents_call(void **state) {
  (void)state;
  shared = compile(product);
  float *out = malloc(sizeof wanted);
  ten_buffer x = ten_executable_input(shared, 0), y = ten_executable_output(shared, 0);
  x.data = input, y.data = out;
  check_ok(ten_executable_start(shared, &x, 1, &y, 1, &pending));
  assert_int_equal(run_child(child_waits), 0);
  check_ok(ten_event_wait(pending));
  ten_event_release(pending);
  free(out);
  ten_executable_release(shared);
}

static ten_mutex held = TEN_MUTEX_INIT;

static void *hold(void *argument) {
  ten_mutex_lock(&held);
  atomic_store((atomic_bool *)argument, true);
  while (!atomic_load(&stop)) usleep(1000);
  ten_mutex_unlock(&held);
  return NULL;
}

static int child_locks(void) {
  ten_mutex_lock(&held);
  ten_mutex_unlock(&held);
  ten_mutex_destroy(&held);
  return 0;
}

static void a_mutex_of_a_thread_that_is_gone(void **state) {
  (void)state;
  atomic_bool locked = false;
  ten_thread thread;
  atomic_store(&stop, false);
  check_ok(ten_thread_start(0, hold, &locked, &thread));
  while (!atomic_load(&locked)) usleep(1000);
  assert_int_equal(run_child(child_locks), 0);
  atomic_store(&stop, true);
  ten_thread_join(thread);
}

static ten_shared *generated;
static int destroyed;

static void destroy_code(void *code) {
  (void)code;
  destroyed++;
}

static void *hold_code(void *argument) {
  ten_shared_lock(generated);
  atomic_store((atomic_bool *)argument, true);
  while (!atomic_load(&stop)) usleep(1000);
  ten_shared_unlock(generated);
  return NULL;
}

static int child_starts_anew(void) {
  ten_shared_lock(generated);
  const bool dropped = !generated->code;
  ten_shared_unlock(generated);
  ten_shared_release(generated);
  return dropped && !destroyed ? 0 : 1;
}

static int child_goes_on(void) {
  ten_shared_lock(generated);
  const bool there = generated->code;
  ten_shared_unlock(generated);
  ten_shared_release(generated);
  return there && destroyed == 1 ? 0 : 1;
}

static void code_that_a_thread_was_changing(void **state) {
  (void)state;
  generated = ten_shared_create();
  generated->code = input;
  generated->destroy = destroy_code;
  assert_int_equal(run_child(child_goes_on), 0);
  atomic_bool locked = false;
  ten_thread thread;
  atomic_store(&stop, false);
  check_ok(ten_thread_start(0, hold_code, &locked, &thread));
  while (!atomic_load(&locked)) usleep(1000);
  assert_int_equal(run_child(child_starts_anew), 0);
  atomic_store(&stop, true);
  ten_thread_join(thread);
  ten_shared_release(generated);
  assert_int_equal(destroyed, 1);
}

int main(void) {
  setenv("TENFOLD_THREADS", "2", 1);
  setenv("TENFOLD_CACHE", "off", 1);
  for (int i = 0; i < COUNT; i++) input[i] = (float)(i % 17) * 0.01f;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child_calls_while_threads_call), cmocka_unit_test(a_child_compiles_or_refuses),
      cmocka_unit_test(a_child_meets_a_new_shape),        cmocka_unit_test(a_child_does_not_wait_for_the_parents_call),
      cmocka_unit_test(a_mutex_of_a_thread_that_is_gone), cmocka_unit_test(code_that_a_thread_was_changing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
