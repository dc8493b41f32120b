/* move.c: transposes and concatenations as steps. */
#include "backend/cpu/exec/move.h"

#include <string.h>

#include "backend/cpu/exec/kernel.h"

static void run_move(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  ten_kernels_best()->move_run(descriptor, args[0], args[1], begin, end);
}

static void run_join(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_join *join = descriptor;
  size_t row = 0;
  for (uint32_t i = 0; i < join->count; i++) row += join->bytes[i];
  for (int64_t unit = begin; unit < end; unit++) {
    char *to = (char *)args[join->count] + (size_t)unit * row;
    for (uint32_t i = 0; i < join->count; to += join->bytes[i++])
      if (join->bytes[i]) /* an empty input may have no address */
        memmove(to, (const char *)args[i] + join->offset[i] + unit * join->step[i], join->bytes[i]);
  }
}

static void check_move(cpu_checker *c) {
  const ten_move *d = c->step->descriptor;
  cpu_check_args(c, 2, 1);
  cpu_check(c, d->rank && d->rank <= TEN_MOVE_RANK && d->near < d->rank,
            "a transpose with an invalid number of dimensions");
  cpu_check(c, d->bytes == 1 || d->bytes == 2 || d->bytes == 4 || d->bytes == 8, "elements of an unknown size");
  if (c->wrong || !cpu_check_sizes(c, d->rank, d->dims)) return;
  cpu_check(c, d->in_steps[d->near] == 1 && d->out_steps[d->rank - 1] == 1, "a transpose with wrong strides");
  int64_t each = 1, dims[TEN_MOVE_RANK]; /* units per index of the first dimension */
  for (uint32_t i = 0; i < d->rank; i++) {
    dims[i] = d->dims[i];
    if (i && i + 1 < d->rank)
      each = CPU_PRODUCT(each, i == d->near ? (dims[i] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK : dims[i]);
  }
  const int64_t first = d->rank == 1 ? 1 : d->near ? dims[0] : (dims[0] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK;
  const int64_t units = CPU_PRODUCT(first, each);
  /* A step inside CHUNKS has fewer units: a subrange of the first dimension. */
  const bool some = d->rank > 1 && d->near && c->step->count < units && each > 0 && c->step->count % each == 0;
  if (some) dims[0] = c->step->count / each;
  cpu_check(c, some || c->step->count == units, "a wrong number of units");
  cpu_check_reach(c, 0, false, 0, d->rank, dims, d->in_steps, (int64_t)d->bytes);
  cpu_check_reach(c, 1, true, 0, d->rank, dims, d->out_steps, (int64_t)d->bytes);
}

static void check_join(cpu_checker *c) {
  const ten_join *d = c->step->descriptor;
  cpu_check(c, d->count && d->count <= TEN_JOIN_MOST, "a concatenation of too many operands");
  if (c->wrong) return;
  cpu_check_args(c, d->count + 1, d->count);
  int64_t row = 0;
  for (uint32_t i = 0; i < d->count && !c->wrong; i++) {
    const int64_t bytes = (int64_t)d->bytes[i], sizes[] = {c->step->count, bytes}, steps[] = {d->step[i], 1};
    cpu_check_sizes(c, 1, &bytes);
    cpu_check_reach(c, i, false, d->offset[i], 2, sizes, steps, 1);
    row += bytes;
  }
  if (!c->wrong) cpu_check_room(c, d->count, true, CPU_PRODUCT(c->step->count, row));
}

_Static_assert(sizeof(ten_join) <= EXEC_DESCRIPTOR_MOST, "choose.c has room for no more");
const exec_kernel exec_kernel_move = {.descriptor = sizeof(ten_move), .run = run_move, .check = check_move};
const exec_kernel exec_kernel_join = {.descriptor = sizeof(ten_join), .run = run_join, .check = check_join};
