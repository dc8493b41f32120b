/* model.c: the runtime inside an exported shared object: reads its plan once, then calls it. Linked, with its
 * dependencies, into every such object; the library itself does not use it. */
#include "backend/cpu/export/model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "backend/cpu/exec/object.h"

/* Stored in ten_exported.state, which starts as zeros: an all-zero mutex is valid. */
typedef struct model_state {
  _Atomic(exec_loaded *) program; /* owned; NULL: not open */
  pthread_mutex_t lock;           /* guards opening */
} model_state;
_Static_assert(sizeof(model_state) <= TEN_EXPORTED_STATE * sizeof(uint64_t), "the glue gives it less");

static model_state *state_of(ten_exported *model) { return (model_state *)model->state; }

/* Features that code for avx2 and avx512 (x86-64-v3 and v4) uses beyond those of the kernels of these names. */
static bool runs_code(const ten_kernels *kernels) {
#if defined(__x86_64__)
  enum { MOVBE = 1 << 22, F16C = 1 << 29, BMI1 = 1 << 3, BMI2 = 1 << 8, LZCNT = 1 << 5, CD = 1 << 28 };
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool avx512 = kernels->isa[0] == 'a' && kernels->isa[3] == '5';
  if (kernels->isa[0] != 'a') return true;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (MOVBE | F16C)) != (MOVBE | F16C)) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & (BMI1 | BMI2)) != (BMI1 | BMI2)) return false;
  if (avx512 && !(b & CD)) return false;
  return __get_cpuid(0x80000001u, &a, &b, &c, &d) && (c & LZCNT);
#else
  (void)kernels;
  return true;
#endif
}

static unsigned wanted_threads(uint32_t threads) {
  const char *wanted = getenv("TENFOLD_THREADS");
  if (!threads && wanted && atoi(wanted) > 0) threads = (uint32_t)atoi(wanted);
  return threads ? threads : (unsigned)ten_cpu_count();
}

static void program_free(exec_loaded *program) {
  exec_close(program);
  free(program);
}

static _Thread_local char found[512]; /* message of the last failed check */

static int code_of(ten_status *status) {
  if (ten_status_exception(status)) {
    snprintf(found, sizeof found, "%s", ten_status_text(status));
    ten_status_free(status);
    return TEN_EXPORTED_CHECK;
  }
  const int code = ten_status_code(status) == TEN_LIMIT         ? TEN_EXPORTED_MEMORY
                   : ten_status_code(status) == TEN_UNSUPPORTED ? TEN_EXPORTED_CPU
                                                                : TEN_EXPORTED_DATA;
  ten_status_free(status);
  return code;
}

static ten_status *read_program(const ten_exported *model, uint32_t threads, exec_loaded *program) {
  TEN_RECOVER("loading the model");
  cpu_object_needs needs;
  TEN_TRY(cpu_object_parse(model->data, model->size, "the model", program, &needs));
  TEN_TRY(cpu_object_check(program, model->code_count, "the model"));
  if (!runs_code(program->kernels)) return ten_error(TEN_UNSUPPORTED, "this CPU lacks instructions");
  TEN_TRY(cpu_object_use_threads(program, wanted_threads(threads), "the model"));
  return exec_load(program, model->code);
}

static int open_program(ten_exported *model, uint32_t threads, exec_loaded **out_program) {
  exec_loaded *program = malloc(sizeof *program);
  if (!program) return TEN_EXPORTED_MEMORY;
  exec_open(program);
  ten_status *status = read_program(model, threads, program);
  const int code = status ? code_of(status) : TEN_EXPORTED_OK;
  if (code) {
    program_free(program);
    return code;
  }
  *out_program = program;
  return TEN_EXPORTED_OK;
}

int ten_exported_open(ten_exported *model, uint32_t threads) {
  model_state *state = state_of(model);
  if (atomic_load_explicit(&state->program, memory_order_acquire)) return TEN_EXPORTED_OK;
  pthread_mutex_lock(&state->lock);
  int code = TEN_EXPORTED_OK;
  if (!atomic_load(&state->program)) {
    exec_loaded *program = NULL;
    code = open_program(model, threads, &program);
    atomic_store_explicit(&state->program, program, memory_order_release);
  }
  pthread_mutex_unlock(&state->lock);
  return code;
}

int ten_exported_call(ten_exported *model, void *const *inputs, void *const *outputs) {
  const int code = ten_exported_open(model, 0);
  if (code) return code;
  exec_loaded *program = atomic_load_explicit(&state_of(model)->program, memory_order_acquire);
  ten_status *status = exec_call(program, NULL, false, inputs, outputs);
  return status ? code_of(status) : TEN_EXPORTED_OK;
}

void ten_exported_close(ten_exported *model) {
  model_state *state = state_of(model);
  pthread_mutex_lock(&state->lock);
  exec_loaded *program = atomic_exchange(&state->program, NULL);
  pthread_mutex_unlock(&state->lock);
  if (program) program_free(program);
}

const char *ten_exported_message(int code) {
  static const char *const messages[] = {
      [TEN_EXPORTED_OK] = "nothing is wrong",
      [TEN_EXPORTED_CPU] = "this CPU lacks instructions that the model was compiled for",
      [TEN_EXPORTED_MEMORY] = "there is not enough memory for the model",
      [TEN_EXPORTED_DATA] = "the model's file is damaged",
  };
  if (code == TEN_EXPORTED_CHECK) return found;
  return code < 0 || (size_t)code >= sizeof messages / sizeof *messages ? "there is no such code" : messages[code];
}
