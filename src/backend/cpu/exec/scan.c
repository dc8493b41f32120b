/* scan.c: cumulative sums as a step: args = input, start value, output. */
#include "backend/cpu/exec/kernel.h"

static void run_scan(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  ten_kernels_best()->scan_run(descriptor, args[0], args[1], args[2], begin, end);
}

static void check_scan(cpu_checker *c) {
  const ten_scan *d = c->step->descriptor;
  const int64_t sizes[] = {d->outer, d->n, d->inner};
  CPU_CHECK_BOOL(c, d->reverse);
  cpu_check_args(c, 3, 2);
  const bool wide = d->type == TEN_SCAN_F64 || d->type == TEN_SCAN_I64,
             integer = d->type == TEN_SCAN_I32 || d->type == TEN_SCAN_I64;
  cpu_check(c,
            d->type >= TEN_SCAN_F32 && d->type <= TEN_SCAN_WIDE && d->op >= TEN_SCAN_SUM && d->op <= TEN_SCAN_LOG_SUM,
            "an unknown kind of scan");
  cpu_check(c, !integer || d->op != TEN_SCAN_LOG_SUM, "an unknown kind of scan");
  cpu_check(c,
            d->type != TEN_SCAN_WIDE || d->op == TEN_SCAN_SUM || d->op == TEN_SCAN_PRODUCT || d->op == TEN_SCAN_LOG_SUM,
            "an unknown kind of scan");
  if (c->wrong || !cpu_check_sizes(c, 3, sizes)) return;
  const int64_t element = wide ? 8 : 4;
  cpu_check_room(c, 0, false, CPU_PRODUCT(d->outer, d->n, d->inner, element));
  cpu_check_room(c, 1, false, element);
  cpu_check_room(c, 2, true, CPU_PRODUCT(d->outer, d->n, d->inner, element));
  cpu_check_units(c, CPU_PRODUCT(d->outer, (d->inner + TEN_SCAN_COLUMNS - 1) / TEN_SCAN_COLUMNS));
}

static double scan_flops(const void *descriptor) {
  const ten_scan *d = descriptor;
  return (double)d->outer * (double)d->n * (double)d->inner;
}

const exec_kernel exec_kernel_scan = {
    .descriptor = sizeof(ten_scan), .run = run_scan, .check = check_scan, .flops = scan_flops};
