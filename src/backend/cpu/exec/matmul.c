/* matmul.c: steps for matmuls and convolutions of any type: args = a, b, output, scratch of TEN_MATMUL_SCRATCH bytes
 * per worker. */
#include "backend/cpu/exec/kernel.h"

static void run_product(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  char *scratch = (char *)args[3] + (size_t)TEN_MATMUL_SCRATCH * (size_t)worker;
  ten_kernels_best()->product_run(descriptor, args[0], args[1], args[2], scratch, begin, end);
}

static bool takes(const ten_matmul *p) { /* narrow integers accumulate in 32 bits; other types in their own */
  const bool narrow = p->from >= TEN_MATMUL_I8 && p->from <= TEN_MATMUL_I32;
  return p->from == p->to || (narrow && p->to >= TEN_MATMUL_I8 && p->to <= TEN_MATMUL_I32);
}

static void check_product(cpu_checker *c) {
  const ten_matmul *p = c->step->descriptor;
  static const int64_t bytes[] = {4, 8, 8, 16, 1, 1, 2, 2, 4, 8};
  enum { RANK = 2 * TEN_MATMUL_RANK + 2 };
  CPU_CHECK_BOOL(c, p->portable);
  for (int i = 0; i < TEN_MATMUL_RANK; i++) CPU_CHECK_BOOL(c, p->reversed[i]);
  cpu_check_args(c, 4, 2);
  cpu_check(c, (unsigned)p->from <= TEN_MATMUL_I64 && (unsigned)p->to <= TEN_MATMUL_I64, "a matmul of an unknown type");
  cpu_check(c, p->batch_rank <= TEN_MATMUL_RANK && p->spatial <= TEN_MATMUL_RANK, "too many dimensions");
  const int64_t plain[] = {p->m, p->n, p->k, p->spatial ? p->channels : 0};
  if (c->wrong || !cpu_check_sizes(c, 4, plain) || !cpu_check_sizes(c, p->batch_rank, p->batch)) return;
  if (!cpu_check_sizes(c, p->spatial, p->sizes) || !cpu_check_sizes(c, p->spatial, p->extent) ||
      !cpu_check_sizes(c, p->spatial, p->taps) || !cpu_check_sizes(c, p->spatial, p->dilation) ||
      !cpu_check_sizes(c, p->spatial, p->stride))
    return;
  cpu_check(c, takes(p), "a matmul of incompatible types");
  cpu_check(c, p->batches == cpu_check_product(p->batch_rank, p->batch),
            "a batch count that is not the product of the batch sizes");
  const int64_t pixels = cpu_check_product(p->spatial, p->sizes), taps = cpu_check_product(p->spatial, p->taps);
  cpu_check(c, pixels > 0 && taps > 0 && p->m % pixels == 0, "a number of pixels that is not the product of the sizes");
  cpu_check(c, !p->spatial || (p->channels > 0 && p->k == CPU_PRODUCT(taps, p->channels)),
            "a number of taps that is not the product of the sizes");
  for (uint32_t i = 0; i < p->spatial; i++)
    cpu_check(c, p->spread[i] >= 1 && p->spread[i] <= INT32_MAX && p->pad[i] <= INT32_MAX && p->pad[i] >= -INT32_MAX,
              "impossible padding");
  if (c->wrong) return;
  const int64_t images = p->m / pixels;
  int64_t a[RANK], as[RANK], b[RANK], bs[RANK], o[RANK], os[RANK];
  size_t rank = 0;
  for (uint32_t i = 0; i < p->batch_rank; i++, rank++) {
    a[rank] = b[rank] = o[rank] = p->batch[i];
    as[rank] = p->a_batch[i], bs[rank] = p->b_batch[i], os[rank] = p->c_batch[i];
  }
  for (uint32_t i = 0; i < p->spatial; i++, rank++) {
    a[rank] = p->extent[i], b[rank] = p->taps[i], o[rank] = p->sizes[i];
    as[rank] = p->a_step[i], bs[rank] = p->b_step[i], os[rank] = p->c_step[i];
  }
  a[rank] = o[rank] = images, b[rank] = p->spatial ? p->channels : p->k;
  as[rank] = p->a_row, bs[rank] = p->b_row, os[rank++] = p->c_row;
  a[rank] = p->spatial ? p->channels : p->k, b[rank] = o[rank] = p->n;
  as[rank] = p->a_col, bs[rank] = p->b_col, os[rank++] = p->c_col;
  cpu_check_reach(c, 0, false, 0, rank, a, as, bytes[p->from]);
  cpu_check_reach(c, 1, false, 0, rank, b, bs, bytes[p->from]);
  cpu_check_reach(c, 2, true, 0, rank, o, os, bytes[p->to]);
  cpu_check_scratch(c, 3, CPU_PRODUCT(TEN_MATMUL_SCRATCH, (int64_t)c->program->threads));
  const int64_t columns = ten_matmul_columns(p);
  cpu_check_units(c,
                  CPU_PRODUCT(p->batches, (p->m + TEN_MATMUL_MC - 1) / TEN_MATMUL_MC, (p->n + columns - 1) / columns));
}

const exec_kernel exec_kernel_matmul = {.descriptor = sizeof(ten_matmul), .run = run_product, .check = check_product};
