/* int8.c: steps for matmuls and convolutions of 8-bit integers, and packing for them. */
#include "backend/cpu/exec/int8.h"

#include "backend/cpu/exec/kernel.h"

enum { RANK = CPU_INT8_BATCH + 4, REACH_MOST = 1 << 28 /* pixels between the ends of a side of an image */ };

static int64_t batch_offset(const cpu_int8 *d, const int64_t *strides, int64_t index) {
  int64_t offset = 0;
  for (uint32_t i = d->batch_rank; i-- > 0;) {
    offset += index % d->batch[i] * strides[i];
    index /= d->batch[i];
  }
  return offset;
}

static void pack(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const cpu_int8 *d = descriptor;
  const int64_t units = ten_int8_pack_units(&d->shape), bytes = ten_int8_packed_bytes(&d->shape);
  for (int64_t unit = begin; unit < end;) {
    const int64_t i = unit / units, first = unit % units,
                  last = end - unit < units - first ? first + end - unit : units;
    const int8_t *weights = (const int8_t *)args[0] + d->offset + batch_offset(d, d->weights_batch, i);
    d->kernels->int8_pack(&d->shape, weights, first, last, (int8_t *)args[1] + i * bytes);
    unit += last - first;
  }
}

static void run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
  const cpu_int8 *d = step->descriptor;
  void **rest = args + d->epilogue_args;
  ten_int8 p = d->shape;
  const int64_t rows = p.n * p.oh * p.ow, bytes = ten_int8_packed_bytes(&p);
  p.form = ten_int8_best();
  p.scratch = rest[3];
  p.epilogue_context = args;
  if (step->epilogue) {
    const ten_epilogue code = (ten_epilogue)(uintptr_t)step->epilogue;
    p.epilogue = code;
  }
  if (p.finish.kind) p.finish.scale = args[d->scale], p.finish.bias = args[d->bias];
  for (int64_t i = 0; i < d->batches; i++) {
    if (p.finish.kind) {
      p.finish.out = (char *)rest[2] + i * rows * p.co * d->out_bytes;
      p.finish.other = d->other == UINT32_MAX ? NULL : (const uint8_t *)args[d->other] + i * rows * p.co;
    }
    p.x = (const char *)rest[0] + batch_offset(d, d->x_batch, i);
    p.packed = (const char *)rest[1] + (d->shared ? 0 : i * bytes);
    p.first_row = i * rows;
    p.out = p.epilogue || p.finish.kind ? NULL : (int32_t *)rest[2] + i * rows * p.co;
    kernels->int8_run(&p, pool);
  }
}

static bool in_range(size_t count, const int64_t *sizes) {
  for (size_t i = 0; i < count; i++)
    if (sizes[i] < 1 || sizes[i] > INT32_MAX) return false;
  return true;
}

bool cpu_int8_fits(const cpu_int8 *d) {
  const ten_int8 *p = &d->shape;
  if (!in_range(19, (const int64_t[]){p->n, p->h, p->w, p->ci, p->co, p->kh, p->kw, p->oh, p->ow, p->pixel, p->channel,
                                      p->stride_h, p->stride_w, p->dilation_h, p->dilation_w, p->spread_h, p->spread_w,
                                      p->groups, d->batches}) ||
      d->batch_rank > CPU_INT8_BATCH || !in_range(d->batch_rank, d->batch))
    return false;
  const int64_t down = CPU_PRODUCT(p->oh, p->stride_h), right = CPU_PRODUCT(p->ow, p->stride_w),
                tall = CPU_PRODUCT(p->kh, p->dilation_h), wide = CPU_PRODUCT(p->kw, p->dilation_w);
  if (down > REACH_MOST || right > REACH_MOST || tall > REACH_MOST || wide > REACH_MOST) return false;
  if (p->pad_top > REACH_MOST || p->pad_top < -REACH_MOST || p->pad_left > REACH_MOST || p->pad_left < -REACH_MOST)
    return false;
  const int64_t low = p->is_unsigned ? 0 : INT8_MIN, high = p->is_unsigned ? UINT8_MAX : INT8_MAX;
  if (p->zero < low || p->zero > high || CPU_PRODUCT(p->kh, p->kw) > INT8_TAPS) return false;
  if (p->ci % p->groups || p->co % p->groups || (p->groups > 1 && (p->pixel != p->ci || p->channel != 1))) return false;
  return d->batches == cpu_check_product(d->batch_rank, d->batch) &&
         CPU_PRODUCT(d->batches, p->kh, p->kw, p->ci + 3, p->co + 32, 64) >= 0 &&
         CPU_PRODUCT(d->batches, p->n, p->oh, p->ow, p->co, 64) >= 0 &&
         CPU_PRODUCT(p->n, down + tall, right + wide, p->ci, 64) >= 0 &&
         CPU_PRODUCT(p->n, p->h, p->w, p->pixel, 64) >= 0;
}

static bool check_shape(cpu_checker *c, const cpu_int8 *d) {
  CPU_CHECK_BOOL(c, d->shape.is_unsigned);
  CPU_CHECK_BOOL(c, d->shared);
  if (!c->wrong) cpu_check(c, cpu_int8_fits(d), "a matmul of bytes that no kernel computes");
  return !c->wrong;
}

static void check_reach(cpu_checker *c, size_t k, const cpu_int8 *d, int64_t offset, const int64_t *batch,
                        const int64_t sizes[4], const int64_t strides[4]) {
  int64_t all[RANK], steps[RANK];
  uint32_t rank = 0;
  for (; rank < d->batch_rank; rank++) all[rank] = d->batch[rank], steps[rank] = batch[rank];
  for (int i = 0; i < 4; i++, rank++) all[rank] = sizes[i], steps[rank] = strides[i];
  cpu_check_reach(c, k, false, offset, rank, all, steps, 1);
}

static void check_pack(cpu_checker *c) {
  const cpu_int8 *d = c->step->descriptor;
  const ten_int8 *p = &d->shape;
  cpu_check_args(c, 2, 1);
  if (c->wrong || !check_shape(c, d)) return;
  check_reach(c, 0, d, d->offset, d->weights_batch, (const int64_t[]){p->kh, p->kw, p->ci / p->groups, p->co},
              p->weights);
  cpu_check_room(c, 1, true, CPU_PRODUCT(cpu_int8_packs(d), ten_int8_packed_bytes(p)));
  cpu_check_units(c, CPU_PRODUCT(cpu_int8_packs(d), ten_int8_pack_units(p)));
}

/* Which epilogue's arguments are read without generated code, and what is stored. */
static void check_finish(cpu_checker *c, const cpu_int8 *d, bool code) {
  const ten_int8 *p = &d->shape;
  const uint32_t kind = (uint32_t)p->finish.kind;
  const int64_t bytes = kind == INT8_BYTES ? 1 : 4;
  cpu_check(c, kind < INT8_FINISH_COUNT && (!kind || !code), "two epilogues");
  cpu_check(c, code || d->out_bytes == bytes, "elements of an unknown size");
  if (c->wrong || !kind) return;
  cpu_check(c, d->scale < d->epilogue_args && d->bias < d->epilogue_args, "an argument that is not the epilogue's");
  cpu_check(c, d->other == UINT32_MAX || (kind == INT8_BYTES && d->other < d->epilogue_args),
            "an argument that is not the epilogue's");
  if (c->wrong) return;
  cpu_check_room(c, d->scale, false, CPU_PRODUCT(p->co, 4));
  cpu_check_room(c, d->bias, false, CPU_PRODUCT(p->co, 4));
  if (d->other != UINT32_MAX) cpu_check_room(c, d->other, false, CPU_PRODUCT(d->batches, p->n, p->oh, p->ow, p->co));
}

static void check_step(cpu_checker *c) {
  const cpu_int8 *d = c->step->descriptor;
  const ten_int8 *p = &d->shape;
  if (!check_shape(c, d)) return;
  const uint64_t first = d->epilogue_args;
  const bool code = c->step->symbol != UINT32_MAX;
  cpu_check(c, c->step->arg_count == first + 4, "a wrong number of arguments");
  cpu_check(c, d->out_bytes >= 1 && d->out_bytes <= 16, "elements of an unknown size");
  if (c->wrong) return;
  cpu_check_epilogue(c, d->epilogue_args, code, NULL, 0, p->co);
  check_finish(c, d, code);
  check_reach(c, first, d, 0, d->x_batch, (const int64_t[]){p->n, p->h, p->w, p->ci},
              (const int64_t[]){p->h * p->w * p->pixel, p->w * p->pixel, p->pixel, p->channel});
  cpu_check_room(c, first + 1, false, CPU_PRODUCT(cpu_int8_packs(d), ten_int8_packed_bytes(p)));
  cpu_check_room(c, first + 2, true, CPU_PRODUCT(d->batches, p->n, p->oh, p->ow, p->co, d->out_bytes));
  if (!c->wrong) cpu_check_scratch_size(c, first + 3, c->loaded->kernels->int8_scratch(p, c->program->threads));
}

static void clear(void *descriptor) {
  cpu_int8 *d = descriptor;
  ten_int8 *p = &d->shape;
  d->kernels = NULL;
  p->x = p->packed = NULL;
  p->out = NULL;
  p->epilogue = NULL;
  p->epilogue_context = p->scratch = p->finish.out = NULL;
  p->finish.scale = p->finish.bias = NULL;
  p->finish.other = NULL;
  p->form = NULL;
}

static void link_pack(exec_step *step, const ten_kernels *kernels, void *code) {
  (void)code;
  ((cpu_int8 *)step->descriptor)->kernels = kernels;
}

static double flops(const void *descriptor) {
  const cpu_int8 *d = descriptor;
  const ten_int8 *p = &d->shape;
  return 2.0 * (double)d->batches * (double)(p->n * p->oh * p->ow) * (double)(p->kh * p->kw * (p->ci / p->groups)) *
         (double)p->co;
}

const exec_kernel exec_kernel_pack_int8 = {
    .descriptor = sizeof(cpu_int8), .run = pack, .check = check_pack, .clear = clear, .link = link_pack};
const exec_kernel exec_kernel_int8 = {.descriptor = sizeof(cpu_int8),
                                      .takes_code = true,
                                      .run_whole = run,
                                      .check = check_step,
                                      .clear = clear,
                                      .link = exec_link_epilogue,
                                      .flops = flops};
