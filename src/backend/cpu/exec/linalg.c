/* linalg.c: steps for Cholesky factorisation and triangular solves (rt/linalg.c). */
#include "backend/cpu/exec/kernel.h"

static bool is_number(ten_dtype dtype) {
  return (unsigned)dtype < TEN_DTYPE_COUNT && (ten_dtype_is_float(dtype) || ten_dtype_is_complex(dtype));
}

static void check_cholesky(cpu_checker *c) {
  const ten_cpu_cholesky *d = c->step->descriptor;
  CPU_CHECK_BOOL(c, d->lower);
  cpu_check_args(c, 2, 1);
  cpu_check(c, is_number(d->dtype), "a matrix whose elements are not numbers");
  if (c->wrong || !cpu_check_sizes(c, 1, &d->n)) return;
  const int64_t bytes = CPU_PRODUCT(c->step->count, d->n, d->n, (int64_t)ten_dtype_bytes(d->dtype));
  cpu_check_room(c, 0, false, bytes);
  cpu_check_room(c, 1, true, bytes);
}

static void check_trisolve(cpu_checker *c) {
  const ten_cpu_trisolve *d = c->step->descriptor;
  CPU_CHECK_BOOL(c, d->left);
  CPU_CHECK_BOOL(c, d->lower);
  CPU_CHECK_BOOL(c, d->unit);
  CPU_CHECK_BOOL(c, d->transpose);
  CPU_CHECK_BOOL(c, d->conjugate);
  cpu_check_args(c, 3, 2);
  cpu_check(c, is_number(d->dtype), "a matrix whose elements are not numbers");
  const int64_t sizes[] = {d->n, d->rows, d->cols};
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  cpu_check(c, d->n == (d->left ? d->rows : d->cols), "matrices of incompatible shapes");
  const int64_t element = (int64_t)ten_dtype_bytes(d->dtype);
  cpu_check_room(c, 0, false, CPU_PRODUCT(c->step->count, d->n, d->n, element));
  cpu_check_room(c, 1, false, CPU_PRODUCT(c->step->count, d->rows, d->cols, element));
  cpu_check_room(c, 2, true, CPU_PRODUCT(c->step->count, d->rows, d->cols, element));
}

const exec_kernel exec_kernel_cholesky = {
    .descriptor = sizeof(ten_cpu_cholesky), .run = ten_cpu_cholesky_run, .check = check_cholesky};
const exec_kernel exec_kernel_trisolve = {
    .descriptor = sizeof(ten_cpu_trisolve), .run = ten_cpu_trisolve_run, .check = check_trisolve};
