/* outputs.c: memory of a program's results. What a result of an earlier call lay in is used again once nobody holds it:
 * new pages from the system have to be cleared and mapped, which takes longer than many programs need to write them. At
 * most one block is held for each result, and none where all of them are a large part of the machine's memory. */
#include <stdlib.h>
#include <unistd.h>

#include "backend/cpu/run/executable.h"
#include "base/thread.h"

enum {
  SMALL = 16 << 10, /* bytes: these malloc has at hand */
  SHARE = 32        /* of the machine's memory, that blocks of one program may take */
};

typedef struct cpu_outputs {
  ten_mutex mutex;
  size_t references;  /* the executable and every result that lies in one of the blocks */
  bool open;          /* the executable is there */
  ten_tensor **spare; /* by result: a tensor that nobody holds, or NULL; owned */
  uint32_t count;
} cpu_outputs;

typedef struct loan {
  cpu_outputs *outputs;
  ten_tensor *tensor; /* whose memory is lent; owned */
  uint32_t index;
} loan;

static size_t bytes_of(const exec_type *type) {
  size_t bytes = type->dtype == TEN_DTYPE_NONE ? 0 : ten_dtype_bytes(type->dtype);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] < 0 || !ten_mul(bytes, (size_t)type->dims[i], &bytes)) return SIZE_MAX;
  return bytes;
}

static bool is_modest(const exec_program *program) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return false;
  size_t total = 0;
  for (uint32_t i = 0; i < program->output_count; i++)
    if (!ten_add(total, bytes_of(&program->outputs[i]), &total)) return false;
  return total / (size_t)page < (size_t)pages / SHARE;
}

static cpu_outputs *outputs_create(const exec_program *program) {
  cpu_outputs *outputs = ten_alloc(sizeof *outputs);
  *outputs = (cpu_outputs){.references = 1, .open = true, .count = program->output_count};
  outputs->spare = ten_alloc((program->output_count + 1) * sizeof(ten_tensor *));
  for (uint32_t i = 0; i < program->output_count; i++) outputs->spare[i] = NULL;
  ten_mutex_init(&outputs->mutex);
  return outputs;
}

/* With the mutex held, which it gives back. */
static void drop(cpu_outputs *outputs) {
  const bool last = --outputs->references == 0;
  ten_mutex_unlock(&outputs->mutex);
  if (!last) return;
  ten_mutex_destroy(&outputs->mutex);
  free(outputs->spare);
  free(outputs);
}

void cpu_outputs_destroy(cpu_outputs *outputs) {
  if (!outputs) return;
  ten_mutex_lock(&outputs->mutex);
  outputs->open = false;
  ten_tensors_release(outputs->spare, outputs->count);
  drop(outputs);
}

static void give_back(void *owner) {
  loan *back = owner;
  cpu_outputs *outputs = back->outputs;
  ten_mutex_lock(&outputs->mutex);
  ten_tensor *rest = back->tensor;
  if (outputs->open && !outputs->spare[back->index]) {
    outputs->spare[back->index] = rest;
    rest = NULL;
  }
  drop(outputs);
  ten_tensor_release(rest);
  free(back);
}

/* Those of the executable, made at its first call; NULL: it holds none. Of a program for one of many shapes a block
 * would rarely be used again. */
static cpu_outputs *outputs_of(cpu_executable *executable) {
  cpu_outputs *outputs = __atomic_load_n(&executable->outputs, __ATOMIC_ACQUIRE), *none = NULL;
  const exec_program *program = &executable->exec.program;
  if (outputs || executable->settings.shared || !is_modest(program)) return outputs;
  outputs = outputs_create(program);
  if (__atomic_compare_exchange_n(&executable->outputs, &none, outputs, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return outputs;
  cpu_outputs_destroy(outputs);
  return none;
}

ten_status *cpu_output_create(cpu_executable *executable, uint32_t index, ten_tensor **out_tensor) {
  const exec_type *type = &executable->exec.program.outputs[index];
  cpu_outputs *outputs = bytes_of(type) < SMALL ? NULL : outputs_of(executable);
  if (!outputs) return ten_tensor_create_unset(type->dtype, type->rank, type->dims, out_tensor);
  ten_mutex_lock(&outputs->mutex);
  ten_tensor *tensor = outputs->spare[index];
  outputs->spare[index] = NULL;
  outputs->references++;
  ten_mutex_unlock(&outputs->mutex);
  ten_status *status = tensor ? NULL : ten_tensor_create_unset(type->dtype, type->rank, type->dims, &tensor);
  loan *lent = status ? NULL : malloc(sizeof *lent);
  if (!status && !lent) status = ten_error(TEN_LIMIT, "out of memory: a result of a program");
  if (status) {
    ten_tensor_release(tensor);
    ten_mutex_lock(&outputs->mutex);
    drop(outputs);
    return status;
  }
  *lent = (loan){outputs, tensor, index};
  status = ten_tensor_from_memory(type->dtype, type->rank, type->dims, tensor->data, give_back, lent, out_tensor);
  if (status) give_back(lent);
  return status;
}
