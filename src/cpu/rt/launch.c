/* launch.c: kernels of kernels/ that plans call as they call those of this folder. */
#include "cpu/rt/rt.h"

void ten_cpu_scan_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  ten_kernels_best()->scan_run(descriptor, args[0], args[1], args[2], begin, end);
}

void ten_cpu_product_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  char *scratch = (char *)args[3] + (size_t)TEN_PRODUCT_SCRATCH * (size_t)worker;
  ten_kernels_best()->product_run(descriptor, args[0], args[1], args[2], scratch, begin, end);
}
