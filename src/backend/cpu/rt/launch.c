/* launch.c: kernels of kernels/ that plans call as they call those of this folder; and copying. */
#include <string.h>

#include "backend/cpu/rt/rt.h"

void ten_cpu_scan_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  ten_kernels_best()->scan_run(descriptor, args[0], args[1], args[2], begin, end);
}

void ten_cpu_product_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  char *scratch = (char *)args[3] + (size_t)TEN_PRODUCT_SCRATCH * (size_t)worker;
  ten_kernels_best()->product_run(descriptor, args[0], args[1], args[2], scratch, begin, end);
}

void ten_cpu_attention_grad_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  const ten_attention_grad *a = descriptor;
  const float *const in[] = {args[0], args[1], args[2], args[3]};
  float *scratch = (float *)args[5] + ten_attention_grad_scratch(a) * worker;
  ten_kernels_best()->attention_grad_run(a, in, args[4], scratch, begin, end);
}

void ten_cpu_move_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  ten_kernels_best()->move_run(descriptor, args[0], args[1], begin, end);
}

void ten_cpu_join_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_join *join = descriptor;
  size_t row = 0;
  for (uint32_t i = 0; i < join->count; i++) row += join->bytes[i];
  for (int64_t unit = begin; unit < end; unit++) {
    char *to = (char *)args[join->count] + (size_t)unit * row;
    for (uint32_t i = 0; i < join->count; to += join->bytes[i++])
      if (join->bytes[i]) /* the place of nothing is nowhere */
        memmove(to, (const char *)args[i] + join->offset[i] + unit * join->step[i], join->bytes[i]);
  }
}
