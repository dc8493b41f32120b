/* rng.c: random bits as a step (rt/rng.c). */
#include "backend/cpu/exec/kernel.h"

static void check_rng(cpu_checker *c) {
  const ten_cpu_rng *d = c->step->descriptor;
  const int64_t sizes[] = {d->count, d->state_count, d->split, d->inner};
  cpu_check_args(c, 3, 1);
  cpu_check(c, d->dtype > TEN_DTYPE_NONE && d->dtype < TEN_DTYPE_COUNT && ten_dtype_bytes(d->dtype) <= 8,
            "random bits of an unknown type");
  if (c->wrong || !cpu_check_sizes(c, 4, sizes)) return;
  const int64_t words = d->algorithm != 1 && d->state_count > 2 ? 3 : 2;
  cpu_check(c, d->inner > 0, "an invalid shape of random bits");
  cpu_check(c, CPU_PRODUCT(d->split, d->inner) >= 0, "an invalid shape of random bits");
  cpu_check_room(c, 0, false, 8 * words);
  cpu_check_room(c, 1, true, 8 * words);
  cpu_check_room(c, 2, true, CPU_PRODUCT(d->count, (int64_t)ten_dtype_bytes(d->dtype)));
  if (!c->wrong) cpu_check_units(c, ten_cpu_rng_units(d));
}

const exec_kernel exec_kernel_rng = {.descriptor = sizeof(ten_cpu_rng), .run = ten_cpu_rng_run, .check = check_rng};
