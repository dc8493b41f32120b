/* lower_fft.c: Fourier transforms (rt/fft.c): one step per dimension. */
#include <string.h>

#include "backend/cpu/plan/lower.h"

enum { FFT_GRAIN = 1 << 12 }; /* elements transformed per task */

/* The transform along one dimension, from one buffer to another. */
static void lower_line_fft(cpu_lowering *l, const ten_op *op, cpu_body *body, ten_cpu_fft shape, uint32_t from,
                           uint32_t to) {
  ten_cpu_fft *fft = ten_arena_copy(&l->plan->arena, &shape, sizeof shape);
  ten_cpu_fft_shape(fft);
  const size_t bytes = ten_cpu_fft_table_size(fft);
  void *table = ten_arena_alloc(&l->plan->module->arena, bytes); /* constants outlive the plan */
  ten_cpu_fft_table(fft, table);
  const uint32_t constant = cpu_buffer_new(l->plan, CPU_CONSTANT, NULL, bytes);
  l->plan->buffers.data[constant].data = table;
  cpu_step *step = cpu_step_new(l, CPU_FFT, op, body);
  step->descriptor = fft;
  step->count = (fft->fft.lines + fft->fft.group - 1) / fft->fft.group;
  step->grain = 1 + FFT_GRAIN / (fft->fft.m * fft->fft.group);
  cpu_step_read(step, from);
  cpu_step_read(step, constant);
  cpu_step_write(step, to);
  cpu_step_write_scratch(l, step, fft->scratch * l->plan->threads);
}

/* Each dimension has its own descriptor. */
static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l, (void)op, (void)descriptor;
  return true;
}

/* One dimension at a time, the last first; a complex-to-real transform ends with that one. */
static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  (void)descriptor, (void)root;
  enum { FORWARD, BACKWARD, FROM_REAL, TO_REAL };
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  const ten_ints length = ten_op_ints(op, "fft_length");
  const int kind = ten_op_attr(op, "fft_type")->enumeration.value;
  const bool wide = to->dtype == TEN_C128 || to->dtype == TEN_F64;
  const uint32_t rank = to->rank, count = (uint32_t)length.count;
  int64_t *dims = ten_arena_new_array(&l->plan->arena, int64_t, rank + 1); /* before each step */
  memcpy(dims, from->dims, rank * sizeof *dims);
  uint32_t place = cpu_value_place(l->plan, ten_op_operand(op, 0));
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t dim = kind == TO_REAL ? rank - count + i : rank - 1 - i;
    const bool last_dim = dim == rank - 1, ends = i == count - 1;
    ten_cpu_fft fft = {.fft = {.n = length.data[dim - (rank - count)],
                               .inner = 1,
                               .lines = 1,
                               .kind = kind == FROM_REAL && last_dim ? TEN_FFT_FROM_REAL
                                       : kind == TO_REAL && last_dim ? TEN_FFT_TO_REAL
                                                                     : TEN_FFT_COMPLEX,
                               .inverse = kind == BACKWARD || kind == TO_REAL,
                               .wide = wide}};
    int64_t elements = 1;
    for (uint32_t k = 0; k < rank; k++) {
      if (k > dim) fft.fft.inner *= dims[k];
      if (k != dim) fft.fft.lines *= dims[k];
    }
    dims[dim] = to->dims[dim];
    for (uint32_t k = 0; k < rank; k++) elements *= dims[k];
    const size_t each = wide ? sizeof(double) : sizeof(float);
    const uint32_t next = ends ? cpu_value_place(l->plan, &op->results[0])
                               : cpu_buffer_new(l->plan, CPU_ARENA, NULL, (size_t)elements * 2 * each);
    if (fft.fft.lines > 0 && fft.fft.n > 0) lower_line_fft(l, op, body, fft, place, next);
    place = next;
  }
  return NULL;
}

const cpu_kernel_choice cpu_choice_fft = {.ops = {TEN_OP_FFT}, .compute = 0.1, .match = match, .lower = lower};
